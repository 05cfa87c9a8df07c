"""Links are typed by strangers: what does not fit becomes the nearest good value, and is said."""

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app import lane_edits
from app.editor import clean
from app.i18n import say
from app.opening import open_trace
from app.packing import packed_lanes, packed_setup, unpacked_setup
from app.row_text import MOST_CHARACTERS, MOST_IN_A_CELL, packed, unpacked
from app.rows import FIELDS, MOST_ROWS, Row, typed
from app.session import Session
from app.setup_options import tidied
from app.url import (
    address,
    arguments_of,
    is_edited,
    open_link,
    query,
)
from lessons.catalogue import scenes
from sim.files import SYNTHETIC, builtin

LANE_PIECES = st.sampled_from(
    ["static", "continuous", "vllm_v1", "budget", "max_chunk", "requests.C.prompt", "mode", "2"]
) | st.sampled_from("/:,=~%")
TRACE_FILE = b"arrived_at,num_prefill_tokens,num_decode_tokens\n0,50,5\n1,60,6\n"


def opened(**arguments: str) -> Session:
    session = Session()
    open_link(session, {name: [value.encode()] for name, value in arguments.items()})
    return session


def reopened(session: Session) -> Session:
    """What its address restores."""
    new = Session()
    open_link(new, arguments_of(address(session)))
    return new


def row(id: str, arrival: str, prompt: str, output: str, cached: str = "") -> Row:
    cells = dict(zip(FIELDS, (id, arrival, prompt, output, cached), strict=False))
    return dict.fromkeys(FIELDS, "") | cells


def test_a_good_link_restores_the_state_it_was_made_from() -> None:
    state = {"lang": "zh", "scenario": "3a", "budget": "6"}
    session = opened(**state)
    assert query(session) == state
    assert session.notice == ""


def test_no_link_changes_nothing() -> None:
    assert query(opened()) == query(Session())


@pytest.mark.parametrize(("asked", "used"), [("9999", 16), ("0", 1), ("-3", 1)])
def test_a_budget_out_of_range_is_clamped_and_said(asked: str, used: int) -> None:
    session = opened(scenario="5a", budget=asked)
    assert session.budget == used
    assert str(used) in session.notice


@pytest.mark.parametrize("budget", ["", "x", "--5", "4.5", "1e3", "٤", "<img src=x>", "9" * 5_000])
def test_a_budget_that_is_no_number_is_left_out(budget: str) -> None:
    session = opened(budget=budget)
    assert session.budget == Session().budget
    assert session.notice


def test_an_unknown_language_or_scene_is_left_out_and_said() -> None:
    session = opened(lang="xx", scenario="no-such-scene")
    assert (session.lang, session.scenario_name) == ("en", Session().scenario_name)
    assert session.notice.count(".") >= 2


def test_what_a_link_changed_in_an_unknown_scene_is_left_out_and_said() -> None:
    session = opened(scenario="no-such-scene", budget="-5", rows="A-0-1-1")
    assert query(session) == query(Session())
    assert "left out" in session.notice


def test_what_a_link_came_to_is_said_again_in_another_language() -> None:
    session = opened(scenario="no-such-scene", budget="-5")
    session.lang = "zh"
    assert session.notice == say("zh", "link.scenario") + say("zh", "link.with_it")


def test_unknown_colours_are_said() -> None:
    assert opened(theme="dark").notice == ""
    assert opened(theme="pink").notice


def test_bytes_that_are_no_text_do_no_harm() -> None:
    session = Session()
    open_link(session, {"lang": [b"\xff\xfe"], "scenario": [b"\xff" * 1000], "rows": [b"\xff"]})
    assert session.notice


# Lanes.


def test_lanes_are_restored_with_what_they_change() -> None:
    session = opened(scenario="5a")
    lane_edits.add(session, "vllm_v1")
    lane_edits.change(session, "continuous", {"budget": "6", "max_chunk": "2", "buckets": "1, 2"})
    lane_edits.change(session, "static", {"requests.C.arrival": "0.5"})
    assert address(session).endswith(
        "&lanes=static:requests.C.arrival=0.5/continuous:budget=6,max_chunk=2,buckets=1~2/vllm_v1"
    )
    again = reopened(session)
    assert again.lanes == session.lanes
    assert (again.notice, again.problems) == ("", [])
    assert is_edited(again)


def test_the_lanes_of_a_scene_leave_nothing_in_the_address() -> None:
    session = opened(scenario="5a", lanes="static/continuous")
    assert "lanes" not in query(session)
    assert not is_edited(session)
    lane_edits.copy(session, "static")
    lane_edits.remove(session, "static")
    assert "lanes" not in query(session)


def test_two_lanes_alike_have_keys_of_their_own() -> None:
    session = opened(scenario="5a", lanes="continuous:budget=6/continuous/continuous")
    assert [lane.key for lane in session.lanes] == ["continuous", "continuous-2", "continuous-3"]
    assert reopened(session).lanes == session.lanes


def test_names_of_requests_may_hold_what_divides() -> None:
    session = opened(scenario="5a", rows="a,b~c%252F%3D%3A.d-0-6-3")
    name = session.rows[0]["id"]
    lane_edits.change(session, "static", {f"requests.{name}.prompt": "2"})
    assert session.problems == []
    assert reopened(session).lanes == session.lanes


def test_lanes_that_cannot_run_stay_out_of_the_address() -> None:
    session = opened(scenario="5a", lanes="vllm_v1")
    lane_edits.change(session, "vllm_v1", {"budget": "x"})
    assert query(session)["lanes"] == "vllm_v1"


@pytest.mark.parametrize(
    ("value", "kept", "named"),
    [
        ("static/nonsense/vllm_v1", ["static", "vllm_v1"], "nonsense"),
        ("nonsense", ["static", "continuous"], "nonsense"),
        ("static:budget=6,foo=1", ["static:budget=6"], "foo"),
        ("static:budget=x", ["static"], "budget"),
        ("static:time=tick", ["static"], "time"),
        ("continuous:mode=nonsense", ["continuous"], "mode"),
        ("static:requests.C.id=D", ["static"], "requests.C.id"),
        ("static:<img src=x>", ["static"], "<img src"),
        ("x" * 9_000, ["static", "continuous"], "x" * 40),
    ],
)
def test_what_is_damaged_in_lanes_is_left_out_and_named(
    value: str, kept: list[str], named: str
) -> None:
    session = opened(scenario="5a", lanes=value)
    assert packed_lanes(session.lanes).split("/") == kept
    assert named in session.notice
    assert session.problems == []


def test_of_too_many_lanes_the_first_four_are_shown() -> None:
    session = opened(scenario="5a", lanes="/".join(["static"] * 9))
    assert len(session.lanes) == 4
    assert "9 lanes" in session.notice


def test_an_empty_list_of_lanes_is_none() -> None:
    session = opened(scenario="5a", lanes="/")
    assert packed_lanes(session.lanes) == "static/continuous"


# The setup.


def test_a_changed_setup_is_restored_exactly() -> None:
    session = opened(scenario="5a")
    session.set_setup(
        {"max_num_seqs": "2", "on_full": "swap", "buckets": "1, 2, 4", "cost.base": "3"}
    )
    session.set_setup({"speculation.drafts": "2", "speculation.accepted": "1,"})
    assert "setup=max_num_seqs:2,on_full:swap,buckets:1~2~4," in address(session)
    again = reopened(session)
    assert (again.setup, again.notice, again.problems) == (session.setup, "", [])
    assert again.last_good == session.last_good
    assert is_edited(again)


def test_an_option_of_the_scene_can_be_cleared_by_a_link() -> None:
    session = opened(scenario="3a", setup="first_token:")
    assert session.last_good.setup.first_token == "last_chunk"
    assert session.setup == {"first_token": ""}
    assert reopened(session).setup == {"first_token": ""}


def test_a_setup_that_cannot_run_stays_out_of_the_address() -> None:
    session = opened(scenario="5a", setup="max_num_seqs:2")
    session.set_setup({"on_full": "nonsense"})
    assert query(session)["setup"] == "max_num_seqs:2"
    session.set_setup({"on_full": "swap"})
    assert query(session)["setup"] == "max_num_seqs:2,on_full:swap"


@pytest.mark.parametrize(
    ("value", "kept", "named"),
    [
        ("max_num_seqs:2,foo:3", {"max_num_seqs": "2"}, "foo"),
        ("max_num_seqs:2,x", {"max_num_seqs": "2"}, "x"),
        ("max_num_seqs:0,on_full:swap", {"on_full": "swap"}, "max_num_seqs"),
        ("on_full:<img>", {}, "on_full"),
        ("mode:static,budget:9", {}, "mode, budget"),
        ("cost.base:" + "9" * 5_000, {}, "cost.base"),
        (",,:::,%", {}, ", %"),
    ],
)
def test_what_is_damaged_in_a_setup_is_left_out_and_named(
    value: str, kept: dict[str, str], named: str
) -> None:
    session = opened(scenario="5a", setup=value)
    assert session.setup == kept
    assert session.notice == f"Left out of the setup in this link: {named}."
    assert session.problems == []


def test_options_that_do_not_go_together_are_told_at_their_field() -> None:
    session = opened(scenario="5a", setup="think:4")
    assert (session.setup, session.notice) == ({"think": "4"}, "")
    assert [problem["option"] for problem in session.problems] == ["think"]
    assert "setup" not in query(session)


@given(st.text(max_size=60))
@settings(max_examples=50, deadline=None)
def test_any_text_in_place_of_a_setup_does_no_harm(text: str) -> None:
    session = opened(scenario="5a", setup=text)
    assert reopened(session).setup == session.setup or session.problems


@given(st.text(max_size=20))
def test_any_value_survives_the_address(typed: str) -> None:
    found, unknown = unpacked_setup(packed_setup({"buckets": tidied(typed)}))
    assert (found, unknown) == ({"buckets": tidied(typed)}, [])


# Back and Forward: a link opened in a session that has seen other things.


def test_a_link_brings_a_used_session_to_the_state_it_names() -> None:
    session = opened(scenario="3a", budget="6", rows="A-0-1-1")
    session.set_rows([row("", "x", "", "")])
    open_link(session, arguments_of("?lang=zh&scenario=5a&budget=5"))
    assert query(session) == {"lang": "zh", "scenario": "5a", "budget": "5"}
    assert session.problems == []
    open_link(session, {})
    assert query(session) == query(Session()) | {"lang": "zh"}


def test_a_scene_that_takes_long_gets_its_inputs_when_it_is_shown() -> None:
    session = Session()
    waiting: list[Callable[[], None]] = []
    session.defer = lambda job, then: waiting.append(lambda: then(job()))
    reached: list[str] = []
    open_link(
        session,
        arguments_of(f"scenario={SYNTHETIC}&budget=999999"),
        lambda: reached.append(session.scenario_name),
    )
    session.lang = "zh"
    assert (reached, session.scenario_name) == ([], "5a")
    while waiting:  # the run, its picture, and both again with what the link changes
        waiting.pop(0)()
    assert reached == [SYNTHETIC]
    assert session.budget == session.param.budget.bounds[1]
    assert "999,999" in session.notice


def test_another_choice_meanwhile_ends_the_wait() -> None:
    session = Session()
    session.defer = lambda job, then: None
    reached: list[str] = []
    link = arguments_of(f"scenario={SYNTHETIC}&budget=12")
    open_link(session, link, lambda: reached.append(session.scenario_name))
    session.choose("3a")
    assert reached == ["3a"]
    assert query(session) == query(opened(scenario="3a"))


def test_a_trace_can_be_returned_to_but_not_restored() -> None:
    session = Session()
    open_trace(session, "t.csv", TRACE_FILE)
    back = address(session)
    session.choose("5a")
    open_link(session, arguments_of(back))
    assert session.scenario_name == "trace"
    new = Session()
    open_link(new, arguments_of(back))
    assert new.scenario_name == "5a"
    assert "file" in new.notice


# Rows.


def test_edited_rows_are_in_the_address_and_come_back() -> None:
    session = Session()
    session.set_rows([row("A", "0", "6", "3"), row("B-2_%", "2.5", "4", "2", "1")])
    assert address(session).endswith("&rows=A-0-6-3_B%252D2%255F%2525-2.5-4-2-1")
    again = reopened(session)
    assert again.rows == session.rows
    assert again.payload["requests"] == session.payload["requests"]
    assert again.notice == ""


EDITABLE = [name for name in scenes() if len(builtin(name).requests) <= MOST_ROWS]


@pytest.mark.parametrize("name", EDITABLE)
def test_the_rows_of_the_scene_itself_are_not_in_the_address(name: str) -> None:
    session = Session()
    session.choose(name)
    assert "rows" not in query(session)
    rows = [dict(one) for one in session.rows]
    other = "1" if rows[0]["output"] != "1" else "2"
    session.set_rows([rows[0] | {"output": other}, *rows[1:]])
    assert "rows" in query(session)
    session.set_rows(rows)
    assert "rows" not in query(session)


@pytest.mark.parametrize("rows", [[], [row("A", "-1", "x", "\N{FULLWIDTH DIGIT THREE}")]])
def test_rows_that_cannot_run_leave_the_last_good_address(rows: list[Row]) -> None:
    session = Session()
    for good in (session.rows, [row("A", "0", "5", "2")]):
        session.set_rows(good)
        before = address(session)
        session.set_rows(rows)
        session.budget = session.budget % 16 + 1
        assert session.problems
        assert address(session) == before
        session.budget = 4
    session.lang = "zh"
    assert query(session)["lang"] == "zh"
    assert reopened(session).rows == good


@pytest.mark.parametrize("name", [*scenes(), SYNTHETIC])
def test_a_changed_budget_or_row_is_an_edit_until_it_is_taken_back(name: str) -> None:
    session = Session()
    session.choose(name)
    assert not is_edited(session)
    session.budget -= 1
    assert is_edited(session)
    session.reset()
    assert not is_edited(session)
    if not session.read_only:
        session.set_rows(session.rows[1:])
        assert is_edited(session)


@pytest.mark.parametrize(
    "rows", ["x", "A-0-6", "A-0-6-3-0-0", "A-0-6-3_", "_", "A" * 41 + "-0-1-1", "A-0-1-1_" * 300]
)
def test_damaged_rows_are_left_out_and_said(rows: str) -> None:
    session = opened(rows=rows)
    assert session.rows == typed(builtin("5a"))
    assert session.notice


def test_rows_for_a_scene_that_is_not_edited_are_left_out_and_said() -> None:
    session = opened(scenario=SYNTHETIC, rows="A-0-6-3")
    assert session.rows == []
    assert session.notice


def test_too_many_or_too_long_rows_stay_out_of_the_address() -> None:
    session = Session()
    draw = Random(1)
    names = (
        "".join(chr(draw.randint(0x4E00, 0x9FFF)) for _ in range(20)) for _ in range(MOST_ROWS)
    )
    session.set_rows([row(name, "0", "1", "1") for name in names])
    assert not session.problems
    assert "rows" not in query(session)
    session.set_rows([row(str(i), "0", "1", "1") for i in range(MOST_ROWS)])
    assert len(address(session)) < MOST_CHARACTERS
    assert reopened(session).rows == session.rows


cells = st.text(max_size=MOST_IN_A_CELL).filter(
    lambda cell: cell == cell.encode(errors="replace").decode()
)


@given(st.lists(st.builds(row, cells, cells, cells, cells, cells), max_size=5))
def test_any_rows_are_read_as_they_were_written(rows: list[Row]) -> None:
    read = unpacked(packed(rows))
    if read is None:
        assert len(packed(rows).encode()) * 3 > MOST_CHARACTERS
    else:
        assert read == rows


@given(st.text(max_size=200))
@settings(max_examples=60, deadline=None)
def test_any_query_opens_something(text: str) -> None:
    session = Session()
    open_link(session, arguments_of(text))
    open_link(session, arguments_of(address(session)))
    assert session.payload["lanes"]


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "lang": st.sampled_from(["en", "zh"]) | st.text(),
            "scenario": st.sampled_from(["5a", "3a", "trace"]) | st.text(),
            "budget": st.integers().map(str) | st.text(),
            "rows": st.text("A0123456789.-_%") | st.text(),
            "theme": st.text(),
            "lanes": st.lists(LANE_PIECES, max_size=12).map("".join) | st.text(),
        },
    )
)
@settings(max_examples=60, deadline=None)
def test_any_value_opens_something_and_its_address_opens_the_same(values: dict[str, str]) -> None:
    session = Session()
    raw = {name: [value.encode(errors="replace")] for name, value in values.items()}
    open_link(session, raw)
    again = reopened(session)
    assert query(again) == query(session)
    assert again.notice == ""


def test_rows_from_the_browser_are_text_of_known_fields_and_bounded() -> None:
    rows = clean([{"id": "A" * 500, "prompt": 4, "evil": "x"}, "no row", None] + [{}] * 500)
    assert len(rows) <= MOST_ROWS
    assert set(rows[0]) == set(FIELDS)
    assert rows[0]["prompt"] == "4"
    assert len(rows[0]["id"]) == 40
