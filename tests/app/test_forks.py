"""Lanes that part from their past: made, changed, told of, and carried in the address."""

import pytest

from app import lane_edits
from app.commands import run_command
from app.fork_form import fork_form
from app.lane_names import titles
from app.lane_runs import before_fork, forked, play
from app.lane_specs import MOST_LANES, Fork, LaneSpec
from app.packing import packed_lanes, unpacked_lanes
from app.rows import MOST_ROWS
from app.session import Session
from app.setup_panel import SetupPanel
from app.url import address, arguments_of, open_link
from sim import fork, run
from sim.files import builtin

SCENE = builtin("5a")
PLAIN = LaneSpec("continuous", {"mode": "continuous"})
AT_3 = LaneSpec("x", PLAIN.changes, (Fork(3, {"budget": "6"}),))


@pytest.fixture
def session() -> Session:
    result = Session()
    result.choose("5a")
    return result


def at_round_3(session: Session, **changes: str | None) -> str:
    """Fork the continuous lane at round 3; the new lane's key."""
    run_command(session, {"do": "fork_lane", "key": "continuous", "round": 3})
    key = session.lanes[-1].key
    if changes:
        lane_edits.change(session, key, changes)
    return key


def test_a_fork_is_the_simulators(session: Session) -> None:
    at_round_3(session, budget="6")
    base = run(SCENE)
    assert list(session.histories[-1]) == list(fork(base, 2, SCENE.with_setup(budget=6)))
    assert list(session.histories[-1])[:2] == list(base)[:2]
    assert len(session.histories[-1]) == 4


def test_a_fork_without_a_change_runs_like_the_lane_it_comes_from(session: Session) -> None:
    at_round_3(session)
    assert list(session.histories[-1]) == list(session.histories[-2])


def test_a_fork_of_a_fork_keeps_what_came_before_it() -> None:
    twice = forked([AT_3], "x", 4)[1]
    assert twice.forks == (*AT_3.forks, Fork(4, {}))
    assert forked([AT_3], "x", 2)[1].forks == (Fork(2, {}),)
    once, again = play(AT_3, SCENE).history, play(twice, SCENE).history
    assert once is not None
    assert again is not None
    assert list(once) == list(again)


def test_there_is_no_fork_beyond_the_most_lanes(session: Session) -> None:
    for _ in range(MOST_LANES):
        at_round_3(session)
    assert len(session.lanes) == MOST_LANES
    assert "4 lanes" in session.notice


def test_what_has_happened_cannot_be_changed_and_the_last_good_run_stays(session: Session) -> None:
    key = at_round_3(session)
    lane_edits.change(session, key, {"requests.A.prompt": "9"})
    (problem,) = session.problems
    assert (problem["row"], problem["lane"]) == (0, key)
    assert "A has arrived: its prompt stays 6." in problem["text"]
    assert session.histories[-1].scenario.requests[0].prompt == 6
    lane_edits.change(session, key, {"requests.A.prompt": None})
    assert session.problems == []


def test_a_request_can_be_cancelled_and_longer_from_there_on(session: Session) -> None:
    key = at_round_3(session, **{"requests.C.output": "4"})
    assert len(session.histories[-1]) > len(session.histories[-2])
    lane_edits.change(session, key, {"requests.C.cancel_at": "9"})
    assert str(session.histories[-1].states[2]) == "cancelled"
    assert str(session.histories[-2].states[2]) == "finished"


def test_a_change_back_to_what_was_is_none(session: Session) -> None:
    key = at_round_3(session, budget="6")
    lane_edits.change(session, key, {"budget": "4"})
    assert session.lanes[-1].forks == (Fork(3, {}),)


def test_the_payload_tells_where_it_parts_and_each_rounds_budget(session: Session) -> None:
    at_round_3(session, budget="6")
    *_, plain, lane = session.payload["lanes"]
    assert lane["forks"] == [{"round": 3, "t": 8}]
    assert lane["budgets"] == [4, 4, 6, 6]
    assert lane["budget"] == 6
    assert plain["forks"] == plain["budgets"] == []
    assert lane["cards"][:2] == plain["cards"][:2]
    assert "4 of 4" in lane["cards"][0]["sum"]
    assert "of 6" in lane["cards"][2]["sum"]


def test_each_round_has_the_prices_it_ran_at(session: Session) -> None:
    at_round_3(session, **{"cost.base": "7"})
    told = session.payload["lanes"][-1]["prices"]
    assert [(one["first"], one["base"]) for one in told] == [(0, 2), (2, 7)]


@pytest.mark.parametrize(
    ("lang", "title"),
    [
        ("en", "Continuous batching · from round 3: budget 6"),
        ("zh", "连续批处理 · 第 3 轮起：预算 6"),
    ],
)
def test_its_title_says_from_when_and_what(lang: str, title: str) -> None:
    assert titles([AT_3], lang) == {"x": title}


@pytest.mark.parametrize(
    ("lang", "title"), [("en", "Ours · from round 4: budget 6"), ("zh", "Ours · 第 4 轮起：预算 6")]
)
def test_it_is_called_by_the_name_of_the_lane_it_parts_from(
    session: Session, lang: str, title: str
) -> None:
    lane_edits.rename(session, "continuous", "Ours")
    key = at_round_3(session)
    run_command(session, {"do": "fork_lane", "key": key, "round": 4})
    lane_edits.change(session, "continuous-3", {"budget": "6"})
    assert titles(session.lanes, lang)["continuous-3"] == title
    assert session.payload["lanes"][-1]["short"].startswith("Ours")
    other = Session()
    open_link(other, arguments_of(address(session)))
    assert other.lanes == session.lanes
    lane_edits.rename(session, "continuous-3", "Six")
    assert titles(session.lanes, lang)["continuous-3"] == "Six"


# The address.


def test_forks_travel_in_the_address(session: Session) -> None:
    key = at_round_3(session, budget="6")
    run_command(session, {"do": "fork_lane", "key": key, "round": 4})
    link = address(session)
    assert link.endswith("lanes=static/continuous/continuous@3:budget=6/continuous@3:budget=6@4")
    other = Session()
    open_link(other, arguments_of(link))
    assert other.lanes == session.lanes
    assert (other.notice, address(other)) == ("", link)


def test_a_damaged_fork_is_left_out_and_named() -> None:
    other = Session()
    open_link(other, arguments_of("scenario=5a&lanes=continuous@x:budget=6@3:nothing=2,budget=6"))
    assert other.lanes[0].forks == (Fork(3, {"budget": "6"}),)
    assert "@x" in other.notice
    assert "nothing" in other.notice


def test_a_fork_after_the_end_keeps_the_last_good_run() -> None:
    other = Session()
    open_link(other, arguments_of("scenario=5a&lanes=continuous@99:budget=6"))
    assert "no such round" in other.problems[0]["text"]
    assert len(other.histories[0])


@pytest.mark.parametrize("name", ["a@b", "a!b", "a;b", "a/b", "a:b=c,d~e", "%40"])
def test_any_name_survives_the_address(name: str) -> None:
    changes = {f"requests.{name}.output": "3"}
    spec = LaneSpec("continuous", PLAIN.changes, (Fork(2, changes),), hand=(((name, 2),), ()))
    assert unpacked_lanes(packed_lanes([spec])) == ([spec], [], 1)


# The form.


def test_the_form_offers_only_what_may_still_change() -> None:
    before = before_fork(AT_3, SCENE)
    assert before is not None
    form = fork_form(before, Fork(5, {}), [], "en")
    free = [[cell["is_free"] for cell in row["cells"]] for row in form["rows"]]
    here, gone = [False, False, True, True], [False] * 4
    assert free == [gone, gone, here]  # A and B left with round 4 and 3
    assert [row["where"] for row in form["rows"]] == ["has left", "has left", "here"]
    assert "begins at 16.5 ms" in form["text"]
    first = fork_form(before, Fork(1, {}), [], "en")
    assert all(cell["is_free"] for row in first["rows"] for cell in row["cells"])


def test_the_setup_drawer_shows_a_fork(session: Session) -> None:
    key = at_round_3(session, budget="6")
    panel = SetupPanel(session)
    panel._handle_msg({"type": "lane", "lane": key, "seq": 1})
    assert panel.form["fork"]["title"] == "Requests from round 3 on"
    fields = {one["name"]: one for group in panel.form["groups"] for one in group["fields"]}
    assert (fields["budget"]["value"], fields["budget"]["own"]) == ("6", "4")
    assert not fields.keys() & {"mode", "time", "concurrency", "block_size"}
    panel._handle_msg({"type": "reset", "lane": key, "seq": 2})
    assert session.lanes[-1].forks == (Fork(3, {}),)


# One request more.


def add(session: Session, key: str, id_: str = "") -> SetupPanel:
    """Ask the drawer for a request in the fork of a lane."""
    panel = SetupPanel(session)
    panel._handle_msg({"type": "add", "lane": key, "id": id_, "seq": 1})
    return panel


def test_a_request_is_added_at_the_start_of_the_fork_under_a_free_name(session: Session) -> None:
    panel = add(session, at_round_3(session))
    changes = {"new.D.arrival": "8", "new.D.prompt": "4", "new.D.output": "2"}
    assert session.lanes[-1].forks == (Fork(3, changes),)
    *_, row = panel.form["fork"]["rows"]
    assert (row["id"], row["where"], row["is_new"], row["problems"]) == ("D", "new", True, [])
    assert (panel.form["num_changed"], panel.form["fork"]["free_id"]) == (1, "E")
    rounds = list(session.histories[-1])
    assert rounds[:2] == list(session.histories[-2])[:2]
    assert "D" in rounds[2].running or "D" in [one.id for one in rounds[2].queue]
    assert session.histories[-1].scenario.requests[:3] == SCENE.requests


def test_a_name_that_is_typed_is_taken_or_refused(session: Session) -> None:
    key = at_round_3(session)
    assert add(session, key, "late, x").form["fork"]["refused"] == ""
    assert [one.id for one in session.histories[-1].scenario.requests][3:] == ["late, x"]
    for bad, why in (("A", "A is there twice"), ("late, x", "is there twice"), ("x" * 25, "24")):
        before = session.lanes
        assert why in add(session, key, bad).form["fork"]["refused"]
        assert session.lanes == before


def test_a_request_before_the_fork_is_refused_by_its_name(session: Session) -> None:
    key = at_round_3(session)
    panel = add(session, key, "late")
    lane_edits.change(session, key, {"new.late.arrival": "7.5"})
    (problem,) = session.problems
    assert "late: arrival must be at least 8, the time of the change, not 7.5." in problem["text"]
    assert panel.form["fork"]["rows"][-1]["problems"] == [problem["text"]]
    cells = panel.form["fork"]["rows"][-1]["cells"]
    assert [one["name"] for one in cells if one["is_wrong"]] == [f"new.late.{problem['field']}"]
    session.lang = "zh"
    assert "late 的到达时间不能早于改动的时刻 8，现在是 7.5。" in session.problems[0]["text"]
    lane_edits.change(session, key, {"new.late.prompt": ""})
    assert any("提示" in problem["text"] for problem in session.problems)


def test_a_request_that_was_added_is_dropped_again(session: Session) -> None:
    key = at_round_3(session, budget="6")
    panel = add(session, key)
    panel._handle_msg({"type": "drop", "lane": key, "id": "D", "seq": 2})
    assert session.lanes[-1].forks == (Fork(3, {"budget": "6"}),)
    assert len(panel.form["fork"]["rows"]) == 3


def test_a_fork_of_a_fork_can_change_what_was_added(session: Session) -> None:
    key = at_round_3(session)
    add(session, key)
    run_command(session, {"do": "fork_lane", "key": key, "round": 4})
    lane_edits.change(session, session.lanes[-1].key, {"requests.D.output": "5"})
    add(session, session.lanes[-1].key)
    assert [one.id for one in session.histories[-1].scenario.requests] == [*"ABCDE"]
    assert session.histories[-1].scenario.requests[3].output == 5
    assert session.problems == []


def test_added_requests_travel_in_the_address(session: Session) -> None:
    add(session, at_round_3(session), "a.b, c")
    link = address(session)
    other = Session()
    open_link(other, arguments_of(link))
    assert (other.lanes, other.notice, address(other)) == (session.lanes, "", link)


@pytest.mark.parametrize(
    ("lang", "title", "differs"),
    [
        ("en", "Continuous batching · from round 3: D added", "Differs: D added"),
        ("zh", "连续批处理 · 第 3 轮起：新增 D", "不同之处：新增 D"),
    ],
)
def test_titles_and_differences_name_what_was_added(
    session: Session, lang: str, title: str, differs: str
) -> None:
    add(session, at_round_3(session))
    session.lang = lang
    assert session.payload["lanes"][-1]["title"] == title
    assert session.payload["differs"] == differs


def test_lanes_with_other_requests_have_the_same_rows(session: Session) -> None:
    add(session, at_round_3(session), "X")
    at_round_3(session)
    add(session, session.lanes[2].key, "Y")
    payload = session.payload
    assert [one["id"] for one in payload["requests"]] == [*"ABC", "Y", "X"]
    for lane, absent in zip(payload["lanes"], ("XY", "XY", "X", "Y"), strict=True):
        named = [one["id"] for one in lane["requests"]] if "requests" in lane else []
        assert named == [one["id"] for one in payload["requests"]]
        assert {one["id"] for one in lane["requests"] if "absent" in one} == set(absent)
        states = [state for *_, state in lane["state"]["start"]]
        assert {named[i] for i, s in enumerate(states) if s == "elsewhere"} == set(absent)
        assert {run["req"] for run in lane["runs"]} == {
            i for i, id_ in enumerate(named) if id_ not in absent
        }
    came = {(one["req"], one["lane"]) for one in payload["events"] if one["kind"] == "arrival"}
    assert came == {(0, None), (1, None), (2, None), (3, 2), (4, 3)}


def test_a_long_list_shows_those_who_are_still_here_or_to_come() -> None:
    own = Session()
    own.choose("synthetic")
    (spec, *_) = own.lanes
    parted = forked([spec], spec.key, 200)[1]
    before = before_fork(parted, own.last_good)
    assert before is not None
    assert len(before.scenario.requests) > MOST_ROWS
    rows = fork_form(before, parted.forks[-1], [], "en")["rows"]
    assert len(rows) == MOST_ROWS
    assert {row["where"] for row in rows} == {"here", "to come"}
