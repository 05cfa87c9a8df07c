"""The lab: what it shows of a session, held against the metrics of its runs, and its messages."""

import io
import zipfile

import numpy as np
import pytest

from app import lane_edits
from app.generator import MOST_DRAWN
from app.i18n import LANGUAGES, say
from app.lab.component import PARTS, Lab
from app.lab.fields import KNOBS
from app.lab.out import saved
from app.lab.view import lab_view
from app.session import TABS, Session
from app.setup_options import every_option
from app.url import address, arguments_of, open_link, query
from sim.clock import to_shown
from sim.files import SYNTHETIC
from sim.metrics import Metrics


@pytest.fixture
def session():
    found = Session()
    found.choose("13b")
    found.face = "lab"
    return found


def metric(view, name):
    return next(row["cells"] for row in view["metrics"] if row["name"] == name)


def test_a_setup_is_a_lane(session):
    view = lab_view(session)
    assert [setup["key"] for setup in view["setups"]] == [lane.key for lane in session.played]
    assert [field["name"] for field in view["fields"][session.lanes[0].key]] == list(KNOBS)


def test_the_best_and_what_misses_a_goal_are_marked(session):
    view = lab_view(session)
    longest = [Metrics(history).distributions()["itl"]["max"] or 0 for history in session.histories]
    goal = to_shown(session.last_good.setup.slo.max_itl, "ms")
    cells = metric(view, "ITL max")
    assert [cell["is_over"] for cell in cells] == [value > goal for value in longest]
    best = [value == min(longest) and value <= goal for value in longest]
    assert [cell["is_best"] for cell in cells] == best


@pytest.mark.parametrize("goal", ["100", "2000"])
def test_every_latency_beyond_its_goal_is_over_and_none_of_those_is_best(session, goal):
    session.set_setup({"slo.ttft": goal})
    view = lab_view(session)
    spreads = [Metrics(history).distributions()["ttft"] for history in session.histories]
    seen = set()
    for part in ("mean", "p50", "p95", "p99", "max"):
        cells = metric(view, f"TTFT {part if part in ('mean', 'max') else part.upper()}")
        is_over = [(spread[part] or 0) > float(goal) for spread in spreads]
        assert [cell["is_over"] for cell in cells] == is_over
        assert not any(cell["is_over"] and cell["is_best"] for cell in cells)
        seen |= set(is_over)
    assert True in seen


def test_rounds_over_the_goal_are_counted(session):
    view = lab_view(session)
    for setup, lane in zip(view["setups"], session.played, strict=True):
        gaps = lane.outcome.curves.spikes.longest
        goal = view["limits"]["itl"]
        assert (setup["num_over"] > 0) == bool((gaps > goal).any())


def test_all_rounds_are_drawn_where_there_are_few():
    session = Session()  # by hand: five rounds
    session.face = "lab"
    drawn = lab_view(session)["spikes"]
    for strip, history in zip(drawn["lanes"], session.histories, strict=True):
        assert strip["p"] == history.per_round("prefill").tolist()
        assert strip["t1"] == [to_shown(int(t), "ms") for t in history.ends]
        own = history.per_round("prefill") - history.per_round("padding")
        assert [sum(n for _, n in named) for named, _ in strip["who"]] == own.tolist()
        assert all(more == 0 for _, more in strip["who"])
    assert drawn["most_p"] == max(int(h.per_round("prefill").max()) for h in session.histories)


def test_the_requests_with_the_most_prefill_of_a_round_are_named(session):
    for lane, strip in zip(session.played, lab_view(session)["spikes"]["lanes"], strict=True):
        history = lane.history
        number = history.per_round("prefill").argmax()
        place = strip["t0"].index(round(to_shown(int(history.starts[number]), "ms"), 4))
        named, more = strip["who"][place]
        record = history[int(number)]
        tokens = sorted((record.given[id_] for id_ in record.prefilling), reverse=True)
        assert [n for _, n in named] == tokens[: len(named)]
        assert all(record.given[id_] == n for id_, n in named)
        assert more == len(tokens) - len(named)


def test_a_stretch_of_time_shows_its_rounds_only(session):
    whole = lab_view(session)["spikes"]
    part = lab_view(session, (10_000, 12_000))["spikes"]
    assert (part["from"], part["to"], part["whole"]) == (10_000, 12_000, False)
    assert part["most_gap"] == whole["most_gap"]  # the same height while one zooms
    for strip in part["lanes"]:
        assert min(strip["t1"]) >= 10_000
        assert max(strip["t0"]) <= 12_000


def test_distributions_end_at_one(session):
    for curves in lab_view(session)["ecdfs"].values():
        for x, y in curves:
            assert y[-1] == 1
            assert np.all(np.diff(x) > 0)


def test_groups_need_goals(session):
    groups = lab_view(session)["groups"]
    assert len(groups) == 1 + 1 + 3  # the goal, all requests, and prompts from short to long
    session.set_setup({"slo.max_itl": ""})
    assert lab_view(session)["groups"] == []


def test_a_sentence_sums_it_up_in_both_languages(session):
    for lang in ("en", "zh"):
        session.lang = lang
        best = max(Metrics(history).goodput or 0 for history in session.histories)
        assert f"**{best:.3g}**" in lab_view(session)["headline"]


def test_nothing_is_worked_out_while_the_stage_is_shown(session):
    session.face = "stage"
    lab = Lab(session)
    assert lab.view == {}
    session.face = "lab"
    assert lab.view["headline"]


def test_messages_change_the_session(session):
    lab = Lab(session)
    key = session.lanes[0].key
    lab._handle_msg({"type": "goal", "name": "ttft", "value": "500"})
    assert session.last_good.setup.slo.ttft == 500 * 10**6
    assert lab.view["limits"]["ttft"] == 500
    lab._handle_msg({"type": "lane", "do": "set", "lane": key, "name": "budget", "value": "1024"})
    assert session.histories[0].scenario.setup.budget == 1024
    lab._handle_msg({"type": "lane", "do": "copy", "lane": key})
    assert len(session.lanes) == 4
    lab._handle_msg({"type": "lane", "do": "remove", "lane": key})
    assert key not in [lane.key for lane in session.lanes]
    lab._handle_msg({"type": "traffic", "name": "5a"})
    assert session.scenario_name == "5a"


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"type": "goal", "name": "budget", "value": "1"},
        {"type": "lane", "do": "set", "lane": "nobody", "name": "budget", "value": "1"},
        {"type": "lane", "do": "set", "lane": "static", "name": "__class__", "value": "1"},
        {"type": "look", "span": [float("nan"), 1]},
        {"type": "look", "span": [5, 1]},
        {"type": "traffic", "name": "no such scene"},
        {"type": "part", "part": "nothing"},
        {"type": "tab", "name": "nothing"},
    ],
)
def test_nonsense_changes_nothing(session, message):
    lab = Lab(session)
    before = (session.lanes, session.setup, session.scenario_name, lab.view)
    lab._handle_msg(message)
    assert (session.lanes, session.setup, session.scenario_name, lab.view) == before


def test_a_wrong_number_is_said_beside_its_box(session):
    lab = Lab(session)
    key = session.lanes[1].key
    lab._handle_msg({"type": "lane", "do": "set", "lane": key, "name": "budget", "value": "many"})
    faults = [field["fault"] for field in lab.view["fields"][key]]
    assert faults[0]
    assert not any(faults[1:])
    assert len(lab.view["setups"]) == 3  # the last good run stays


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(("typed", "told"), [("1e9", "1,000,000,000"), ("1e300", "1e+300")])
def test_a_whole_number_that_is_too_large_is_told_its_bound(lang, typed, told):
    session = Session()
    session.choose(SYNTHETIC)
    session.lang, session.face = lang, "lab"
    lab = Lab(session)
    key = session.lanes[0].key
    lab._handle_msg({"type": "tab", "name": "traffic"})
    lab._handle_msg({"type": "lane", "do": "set", "lane": key, "name": "budget", "value": typed})
    form = {"do": "form", "what": "try", "values": {"requests": typed}}
    lab._handle_msg({"type": "part", "part": "traffic", **form})
    budget = lab.view["fields"][key][KNOBS.index("budget")]["fault"]
    high = every_option()["budget"].high
    field = say(lang, "setup.label.budget")
    at_most = say(lang, "setup.problem.too_large", field=field, high=f"{high:,}", value=told)
    assert budget.endswith(at_most)
    fault = lab.part["shown"]["form"]["problems"]["requests"]
    assert f"{MOST_DRAWN:,}" in fault


def test_what_takes_long_is_worked_out_in_the_background(session, monkeypatch):
    monkeypatch.setattr("app.lab.component.QUICK_ROUNDS", 10)
    jobs = []
    session.defer = lambda job, then: jobs.append((job, then))
    lab = Lab(session)
    lab._handle_msg({"type": "look", "span": [1000, 2000]})
    assert lab.view["is_late"]
    [(job, then)] = jobs
    then(job())
    assert lab.view["spikes"]["to"] == 2000
    assert not lab.view["is_late"]


def test_a_comparison_is_saved_as_report_tables_and_json(session):
    report = saved(session, "report", "?scenario=13b").content.decode()
    assert "<script" not in report
    assert "?scenario=13b" in report
    tables = zipfile.ZipFile(io.BytesIO(saved(session, "compare_csv", "").content))
    assert "metrics.csv" in tables.namelist()
    assert b'"goodput"' in saved(session, "compare_json", "").content


def test_a_pool_that_is_too_small_is_told_and_later_edits_wait(session):
    lab = Lab(session)
    key = session.lanes[0].key
    lab._handle_msg({"type": "lane", "do": "set", "lane": key, "name": "num_blocks", "value": "60"})
    assert lab.view["is_refused"]
    assert 1 < len(lab.view["faults"]) <= 3
    assert "60" in lab.view["faults"][0]
    assert [field["value"] for field in lab.view["fields"][key]][2] == "60"
    lab._handle_msg({"type": "lane", "do": "set", "lane": key, "name": "num_blocks", "value": ""})
    assert not lab.view["is_refused"]
    assert lab.view["faults"] == []


def test_figures_that_read_alike_have_no_best():
    session = Session()
    session.choose("5a")
    lane_edits.copy(session, session.lanes[1].key)
    lane_edits.remove(session, session.lanes[0].key)
    session.face = "lab"
    view = lab_view(session)
    assert not any(one["is_best"] for row in view["metrics"] for one in row["cells"])
    assert "All setups" in view["headline"]


@pytest.mark.parametrize(("lang", "both"), [("en", "{} and {}"), ("zh", "“{}”和“{}”")])
@pytest.mark.parametrize("goals", [{}, {"slo.ttft": "30"}, {"slo.ttft": "9"}])
def test_setups_that_tie_are_named_together(lang, both, goals):
    session = Session()
    session.choose("5a")
    session.set_setup(goals)
    lane_edits.copy(session, session.lanes[1].key)
    session.lang, session.face = lang, "lab"
    view = lab_view(session)
    tied = [setup["title"] for setup in view["setups"][1:]]
    lines = view["headline"].replace("Continuous", "continuous")
    is_missed = goals == {"slo.ttft": "9"}
    assert lines.count(both.format(*tied)) == (1 if goals and not is_missed else 2)
    assert view["setups"][0]["title"] not in view["headline"].lower()


def test_a_request_of_a_long_scenario_is_told_by_its_name():
    session = Session()
    session.choose(SYNTHETIC)
    first = session.last_good.requests[0].id
    assert first
    lane_edits.change(session, session.lanes[1].key, {"num_blocks": "1"})
    assert f"{first} " in session.problems[0]["text"]


def test_every_tab_has_its_name_in_a_link(session):
    assert {TABS[0], *PARTS} == set(TABS)
    lab = Lab(session)
    assert "tab" not in query(session)
    for name in TABS[1:]:
        lab._handle_msg({"type": "tab", "name": name})
        assert query(session)["tab"] == name
    session.face = "stage"
    assert "tab" not in query(session)


@pytest.mark.parametrize(("asked", "shown"), [("sweep", "sweep"), ("no_such_tab", "compare")])
def test_a_link_opens_a_tab_that_there_is(asked, shown):
    session = Session()
    open_link(session, arguments_of(f"?scenario=5a&face=lab&tab={asked}"))
    assert session.tab == shown
    lab = Lab(session)
    assert lab.part.get("name", "compare") == shown
    assert lab.part.get("go", 0) == (shown != "compare")


def test_going_back_to_a_tab_opens_it_and_runs_nothing(session):
    lab = Lab(session)
    lab._handle_msg({"type": "tab", "name": "load"})
    link, run = address(session), session.payload["run"]
    assert lab.part["go"] == 0  # the browser has opened it itself
    session.tab = "compare"
    assert (lab.part["name"], lab.part["go"]) == ("compare", 1)
    open_link(session, arguments_of(f"?{link}"))
    assert (lab.part["name"], lab.part["go"]) == ("load", 2)
    assert session.payload["run"] == run
