"""Sweeps of the lab: points from what is typed, figures as of single runs, how a sweep ends."""

import os
from threading import Event
from typing import Any

import pytest

from app import lane_edits
from app.i18n import LANGUAGES, say
from app.lab import sweep_run
from app.lab.component import Lab
from app.lab.steps import in_steps
from app.lab.sweep import Sweep
from app.lab.sweep_grid import MOST_POINTS, Form, bounds, controls, first_range, points_of
from app.lab.workers import workers
from app.lane_specs import MOST_LANES
from app.session import Session
from lessons.catalogue import scenes
from sim import run
from sim.files import SYNTHETIC
from sim.metrics import Metrics
from sim.sweep import Stopped


class Tab:
    """A session with the tab of sweeps, and what the browser was sent."""

    def __init__(self, scene="5a", **goals):
        self.session = Session()
        self.session.choose(scene)
        self.session.set_setup({f"slo.{name}": value for name, value in goals.items()})
        self.on_publish = lambda: None
        self.part = Sweep(self.session, lambda: self.on_publish())

    def type(self, **values):
        for name, value in values.items():
            self.part.handle({"do": "type", "name": name, "value": value})

    def start(self, **values):
        self.type(**values)
        self.part.handle({"do": "start"})
        return self.run

    def pick(self, place):
        self.part.handle({"do": "pick", "run": self.run["number"], "point": place})

    @property
    def form(self):
        return self.part.shown()["form"]

    @property
    def run(self):
        return self.part.shown()["run"]


@pytest.fixture
def tab():
    return Tab(ttft="14")


def values(form):
    return [point.x for point in points_of(form)[0]]


# From text to points.


def test_equal_factors_double():
    assert values(Form("", "budget", "factor", "64", "1024", "5")) == [64, 128, 256, 512, 1024]


def test_equal_steps_of_a_whole_number_are_whole():
    assert values(Form("", "budget", "even", "1", "4", "3")) == [1, 2, 4]
    assert values(Form("", "rate", "even", "0.5", "1", "3")) == [0.5, 0.75, 1]


def test_values_that_round_to_the_same_are_run_once():
    assert values(Form("", "budget", "even", "1", "3", "9")) == [1, 2, 3]


def test_a_list_is_sorted_and_may_have_chinese_commas():
    assert values(Form("", "budget", "listed", listed="512，64、 128,64")) == [64, 128, 512]


def test_two_controls_make_a_curve_for_each_value_of_the_second():
    form = Form(
        "", "budget", "listed", listed="4, 8", second="max_num_seqs", second_listed="2, 3, 9"
    )
    points, _ = points_of(form)
    assert [(p.settings["budget"], p.settings["max_num_seqs"], p.curve) for p in points] == [
        *[(4, 2, 0), (8, 2, 0), (4, 3, 1), (8, 3, 1), (4, 9, 2), (8, 9, 2)]
    ]


@pytest.mark.parametrize(
    ("typed", "field", "rule"),
    [
        ({"low": "many"}, "low", "not_number"),
        ({"low": "nan"}, "low", "not_number"),
        ({"high": "inf"}, "high", "not_whole"),
        ({"low": "1.5"}, "low", "not_whole"),
        ({"low": "0"}, "low", "too_small"),
        ({"high": "99999999999"}, "high", "too_large"),
        ({"low": "900"}, "high", "order"),
        ({"count": "1"}, "count", "count"),
        ({"count": "61"}, "count", "count"),
        ({"count": "x"}, "count", "count"),
        ({"control": "watermark", "low": "0"}, "low", "from_zero"),
        ({"steps": "listed", "listed": " , "}, "listed", "empty"),
        ({"steps": "listed", "listed": ",".join(map(str, range(1, 62)))}, "listed", "points"),
        ({"second": "max_num_seqs", "second_listed": "1,2,3,4,5"}, "second_listed", "curves"),
        ({"second": "max_num_seqs", "second_listed": ""}, "second_listed", "empty"),
        ({"count": "31", "second": "num_blocks", "second_listed": "90, 99"}, "count", "points"),
    ],
)
def test_what_is_wrong_is_said_at_its_field(typed, field, rule):
    form = Form(
        **{"base": "", "control": "budget", "low": "64", "high": "512", "count": "4"} | typed
    )
    points, faults = points_of(form)
    assert points == []
    assert (faults[0].field, faults[0].rule) == (field, rule)


@pytest.mark.parametrize("scene", scenes())
def test_every_control_of_every_scene_begins_with_a_range_that_holds(scene):
    for lane in Tab(scene).session.played:
        scenario = lane.history.scenario
        for control in controls(scenario.setup):
            found, faults = points_of(Form("", control, **first_range(control, scenario)))
            assert not faults
            assert 2 <= len(found) <= MOST_POINTS
            low, high = bounds(control)
            assert all(low <= point.x <= high for point in found)


def test_faults_are_told_in_both_languages(tab):
    tab.type(low="many", count="900")
    told = {}
    for lang in ("en", "zh"):
        tab.session.lang = lang
        told[lang] = tab.form["faults"]
        assert told[lang]["low"]
        assert "60" in told[lang]["count"]
    assert told["en"] != told["zh"]
    assert tab.start() is None


def test_another_control_begins_anew_and_the_rest_stays_as_typed(tab):
    tab.type(low="3", second="max_num_seqs", second_listed="2, 4")
    tab.type(control="max_prefill")
    assert tab.form["values"]["low"] != "3"
    assert tab.form["values"]["second_listed"] == "2, 4"


def test_a_list_begins_with_the_values_of_the_range(tab):
    tab.type(low="64", high="256", count="3")
    tab.type(steps="listed")
    assert tab.form["values"]["listed"] == "64, 128, 256"


# Runs.


def test_figures_are_those_of_single_runs(tab):
    shown = tab.start(steps="listed", listed="1, 4, 8")
    base = next(lane for lane in tab.session.played if lane.key == tab.form["base"])
    assert shown["state"] == "done"
    for point in shown["points"]:
        scenario = base.history.scenario.with_setup(budget=point["x"])
        known = Metrics(run(scenario))
        own: Any = known.overall()
        assert point["values"]["goodput"] == pytest.approx(own["goodput"], rel=1e-5)
        assert point["values"]["ttft_p95"] == pytest.approx(own["ttft"]["p95"], rel=1e-5)
        assert point["feasible"] == ((known.num_good or 0) >= 0.99 * len(scenario.requests))


def test_processes_give_the_same_figures(tab, monkeypatch):
    tab.type(steps="listed", listed="4, 8")
    here = tab.start()["points"]
    monkeypatch.setattr(sweep_run, "QUICK_ROUNDS", 0)
    try:
        assert tab.start()["points"] == here
        assert workers().submit(eval, "'panel' in __import__('sys').modules").result() is False
    finally:
        workers().shutdown()
        workers.cache_clear()


def test_a_worker_that_dies_is_told_and_replaced(tab, monkeypatch):
    monkeypatch.setattr(sweep_run, "QUICK_ROUNDS", 0)
    try:
        workers().submit(os._exit, 1).exception()
        assert tab.start()["state"] == "lost"
        assert tab.start()["state"] == "done"
    finally:
        workers().shutdown()
        workers.cache_clear()


def test_the_best_point_is_named_and_marked(tab):
    shown = tab.start(steps="listed", listed="1, 4, 8")
    best = max(shown["points"], key=lambda point: point["values"]["goodput"])
    assert best["name"] in shown["headline"]
    place = shown["main"].index("goodput")
    marked = [point["cells"][place]["is_best"] for point in shown["points"]]
    assert marked == [point is best for point in shown["points"]]


def test_a_point_that_cannot_run_says_why():
    tab = Tab("16a")
    longest = max(request.prompt + request.output for request in tab.session.last_good.requests)
    shown = tab.start(control="num_blocks", steps="listed", listed=f"1, {longest}")
    assert [bool(point["fault"]) for point in shown["points"]] == [True, False]
    assert shown["state"] == "done"


def test_a_faster_rate_brings_requests_sooner(tab):
    shown = tab.start(control="rate", steps="listed", listed="0.5, 1, 2")
    waits = [point["values"]["queue_p95"] for point in shown["points"]]
    assert waits == sorted(waits)
    makespans = [point["values"]["makespan"] for point in shown["points"]]
    assert makespans == sorted(makespans, reverse=True)


def test_what_was_started_can_be_stopped(tab):
    tab.type(low="1", high="16", count="5")

    def stop_after_two():
        if tab.run and tab.run["done"] == 2 and tab.run["state"] == "running":
            tab.part.handle({"do": "stop"})

    tab.on_publish = stop_after_two
    shown = tab.start()
    assert (shown["state"], shown["done"]) == ("stopped", 2)
    tab.on_publish = lambda: None
    assert tab.start()["state"] == "done"


def test_another_sweep_ends_the_one_under_way(tab):
    tab.type(low="1", high="16", count="5")

    def start_once_more():
        if tab.run and tab.run["number"] == 1 and tab.run["done"] == 1:
            tab.on_publish = lambda: None
            tab.part.handle({"do": "start"})

    tab.on_publish = start_once_more
    shown = tab.start()
    assert (shown["number"], shown["state"], shown["done"]) == (2, "done", 5)


def test_an_edit_under_way_makes_a_sweep_void(tab):
    tab.type(low="1", high="16", count="5")

    def set_a_goal():
        if tab.run and tab.run["done"] == 1:
            tab.on_publish = lambda: None
            tab.session.set_setup({"slo.ttft": "77"})

    tab.on_publish = set_a_goal
    shown = tab.start()
    assert (shown["state"], shown["done"]) == ("void", 1)
    assert "void" in shown["note"]


def test_an_edit_afterwards_is_told_until_it_is_taken_back(tab):
    tab.start()
    tab.session.set_setup({"slo.ttft": "77"})
    assert tab.run["is_old"]
    assert "goals have changed" in tab.run["note"]
    tab.session.set_setup({"slo.ttft": "77", "max_num_seqs": "2"})
    assert "all setups share has changed" in tab.run["note"]
    tab.session.set_setup({"slo.ttft": "14", "max_num_seqs": ""})
    tab.session.set_setup({"slo.ttft": "14"})
    assert not tab.run["is_old"]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(
    ("typed", "back"),
    [
        ({"control": "max_num_seqs"}, {"control": "budget"}),
        ({"second": "max_num_seqs"}, {"second": ""}),
        ({"count": "1"}, {"count": "5"}),
    ],
)
def test_a_form_that_has_not_run_is_told_apart_from_what_has(tab, lang, typed, back):
    tab.session.lang = lang
    before = tab.start(count="5")
    tab.type(**typed)
    assert tab.run["is_old"]
    other = {"what": say(lang, "setup.label.budget"), "done": before["done"], "of": before["of"]}
    assert tab.run["note"] == say(lang, "lab.sweep.note_other", **other)
    tab.type(**back)
    assert (tab.run["is_old"], tab.run["note"]) == (False, before["note"])


def test_a_base_that_is_changed_has_not_run(tab):
    tab.start()
    lane_edits.change(tab.session, tab.form["base"], {"max_num_seqs": "2"})
    assert tab.run["is_old"]


def test_a_point_that_cannot_run_names_its_request(tab):
    tab.session.choose(SYNTHETIC)
    first = tab.session.last_good.requests[0].id
    shown = tab.start(control="num_blocks", steps="listed", listed="1")
    assert shown["points"][0]["fault"].startswith(f"{first} ")


# From a point to a setup.


def test_a_point_becomes_a_lane_like_the_base_but_for_its_control(tab):
    lane_edits.remove(tab.session, tab.session.lanes[-1].key)
    tab.start(steps="listed", listed="6, 7")
    base = next(lane for lane in tab.session.lanes if lane.key == tab.form["base"])
    before = list(tab.session.lanes)
    tab.pick(1)
    new = tab.session.lanes[-1]
    assert tab.session.lanes[:-1] == before
    assert new.changes == {**base.changes, "budget": "7"}
    assert not tab.run["is_old"]
    assert tab.part.shown()["picked"] == 1


def test_a_point_that_stands_there_is_not_added_again(tab):
    lane_edits.remove(tab.session, tab.session.lanes[-1].key)
    tab.start(steps="listed", listed="6, 7")
    tab.pick(1)
    lanes = list(tab.session.lanes)
    tab.pick(1)
    assert tab.session.lanes == lanes
    assert tab.part.shown()["picked"] == 2


def test_the_last_lane_of_a_sweep_makes_room(tab):
    while len(tab.session.lanes) > MOST_LANES - 1:
        lane_edits.remove(tab.session, tab.session.lanes[-1].key)
    while len(tab.session.lanes) < MOST_LANES - 1:
        lane_edits.copy(tab.session, tab.session.lanes[0].key)
    kept = list(tab.session.lanes)
    tab.start(steps="listed", listed="6, 7")
    tab.pick(0)
    tab.pick(1)
    assert tab.session.lanes[:-1] == kept
    assert tab.session.lanes[-1].changes["budget"] == "7"


def test_without_room_it_says_so(tab):
    while len(tab.session.lanes) < MOST_LANES:
        lane_edits.copy(tab.session, tab.session.lanes[0].key)
    lanes = list(tab.session.lanes)
    tab.start(steps="listed", listed="6, 7")
    tab.pick(0)
    assert tab.session.lanes == lanes
    assert tab.session.notice
    assert tab.part.shown()["picked"] == 0


def test_the_rate_is_no_setup(tab):
    lanes = list(tab.session.lanes)
    tab.start(control="rate", steps="listed", listed="0.5, 1")
    tab.pick(0)
    assert tab.session.lanes == lanes
    assert "0.5 times as fast" in tab.session.notice and "times × 2." in tab.session.notice
    assert tab.part.shown()["picked"] == 0
    tab.pick(1)  # the traffic as it is
    assert tab.session.lanes == lanes
    assert tab.part.shown()["picked"] == 1


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"do": "type", "name": "nothing", "value": "1"},
        {"do": "type", "name": "low", "value": 1},
        {"do": "type", "name": "steps", "value": "sideways"},
        {"do": "pick", "run": 7, "point": 0},
        {"do": "pick", "run": 1, "point": 99},
        {"do": "pick", "run": 1, "point": -1},
        {"do": "stop"},
    ],
)
def test_nonsense_changes_nothing(tab, message):
    tab.start()
    before = (tab.part.shown(), list(tab.session.lanes))
    tab.part.handle(message)
    assert (tab.part.shown(), tab.session.lanes) == before


def test_what_is_typed_outlives_another_tab():
    session = Session()
    session.face = "lab"
    lab = Lab(session)
    lab._handle_msg({"type": "tab", "name": "sweep"})
    lab._handle_msg({"type": "part", "part": "sweep", "do": "type", "name": "low", "value": "2"})
    lab._handle_msg({"type": "tab", "name": "compare"})
    lab._handle_msg({"type": "tab", "name": "sweep"})
    assert lab.part["shown"]["form"]["values"]["low"] == "2"


# Into a page.


class Document:
    """Keeps what is to be called in the page."""

    def __init__(self):
        self.session_context = object()
        self.waiting = []
        self.is_new = Event()
        self.left = lambda _: None

    def add_next_tick_callback(self, callback):
        self.waiting.append(callback)
        self.is_new.set()

    def on_session_destroyed(self, callback):
        self.left = callback


def test_results_that_wait_for_the_page_travel_together(monkeypatch):
    document = Document()
    monkeypatch.setattr("app.lab.steps.pn.state", type("State", (), {"curdoc": document}))
    taken: list[Any] = []
    ended: list[Any] = []
    in_steps(iter([1, 2, 3]), Event(), taken.append, ended.append)
    while len(document.waiting) < 2:
        document.is_new.wait(10)
        document.is_new.clear()
    for callback in document.waiting:
        callback()
    assert (taken, ended) == ([[1, 2, 3]], [None])


def test_a_visitor_who_leaves_stops_it(monkeypatch):
    document, stop = Document(), Event()
    monkeypatch.setattr("app.lab.steps.pn.state", type("State", (), {"curdoc": document}))

    def results():
        yield 1
        assert stop.wait(10)
        raise Stopped

    ended: list[Any] = []
    in_steps(results(), stop, lambda found: None, ended.append)
    document.left(None)
    while len(document.waiting) < 2:
        document.is_new.wait(10)
        document.is_new.clear()
    document.waiting[-1]()
    assert ended == [None]
