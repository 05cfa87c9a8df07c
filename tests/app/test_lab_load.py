"""The lab's tab of load: windows, Little's law, queues that grow, open and closed loops."""

import numpy as np
import pytest

from app.lab.component import Lab
from app.session import Session
from lessons.shown import lane_tables
from sim.metrics import Metrics
from sim.sequence import Status


def load_of(history):
    """Load over the window of the setup, which the scenes of this file have."""
    load = Metrics(history).load
    assert load is not None
    return load


def lab_of(scene):
    session = Session()
    session.choose(scene)
    session.face = "lab"
    lab = Lab(session)
    lab._handle_msg({"type": "tab", "name": "load"})
    return session, lab


def tell(lab, **message):
    lab._handle_msg({"type": "part", "part": "load", **message})
    return lab.part["shown"]


def test_little_holds_in_a_window_that_nobody_crosses():
    session, lab = lab_of("11b")
    shown = lab.part["shown"]
    load = load_of(session.histories[-1])
    assert load.gap == 0
    cells = shown["lanes"][-1]["cells"]
    assert cells[:1] == ["16/s"]
    assert cells[3] == cells[4] == f"{load.number:g}"  # λ × W and L


def test_overload_shows_its_slope():
    session, lab = lab_of("11a")
    slope = load_of(session.histories[-1]).queue_slope
    shown = lab.part["shown"]
    assert f"**{slope:.2f}" in shown["headline"]
    assert shown["lanes"][-1]["slope"] == slope == pytest.approx(5, rel=0.01)


def test_a_bounded_queue_stands():
    _, lab = lab_of("11c")
    slopes = [lane["slope"] for lane in lab.part["shown"]["lanes"]]
    assert slopes[0] > 4 > 0.1 > abs(slopes[1])


def test_a_toggle_bounds_the_queue():
    session, lab = lab_of("11a")
    key = session.lanes[-1].key
    grown = max(lab.part["shown"]["lanes"][-1]["waiting"][1])
    shown = tell(lab, do="set", lane=key, name="max_queue", value="8")
    assert max(shown["lanes"][-1]["waiting"][1]) < 12 < grown  # those of one round come on top
    assert Status.REJECTED in session.histories[-1].states
    shown = tell(lab, do="set", lane=key, name="queue_timeout", value="500")
    assert session.histories[-1].scenario.setup.queue_timeout == 500 * 10**6


def test_a_slower_server_hurts_an_open_loop_and_hardly_a_closed_one():
    session, _ = lab_of("14a")
    tables = lane_tables("14a")
    assert {"open-2", "open-8", "closed-2", "closed-8"} <= tables.keys()
    late = {
        lane.key: Metrics(lane.history).distributions()["ttft"]["p95"] or 0
        for lane in session.played
    }
    assert late["open-8"] > 10 * late["closed-8"] > 0


def test_the_same_server_in_a_closed_loop_has_as_many_clients_as_were_in_it():
    session, lab = lab_of("11a")
    key = session.lanes[-1].key
    before = load_of(session.histories[-1])
    tell(lab, do="close", lane=key)
    closed = session.histories[-1]
    assert closed.scenario.setup.concurrency == round(before.number)
    here = Metrics(closed).presence.here_at(closed.starts)
    assert int(here.max()) <= round(before.number)


def test_a_window_is_chosen_and_taken_back():
    session, lab = lab_of("13b")
    first = tell(lab, do="window", span=[10_000, 20_000])
    assert first["window"] == [10_000, 20_000]
    assert session.setup["window"]
    assert len(session.histories[0]) > 0
    again = tell(lab, do="window", span=None)
    assert again["window"][0] == 0
    assert not again["is_own"]


@pytest.mark.parametrize(
    "message",
    [
        {"do": "window", "span": [5, 5]},
        {"do": "window", "span": [float("nan"), 1]},
        {"do": "window", "span": [-1, 1]},
        {"do": "window", "span": [0, float("inf")]},
        {"do": "set", "lane": "none", "name": "budget", "value": "1"},
        {"do": "close", "lane": "nobody"},
        {"do": "dance"},
    ],
)
def test_nonsense_changes_nothing(message):
    session, lab = lab_of("11a")
    before = (session.lanes, session.setup, lab.part)
    tell(lab, **message)
    assert (session.lanes, session.setup) == before[:2]


def test_counts_are_those_of_the_run():
    session, lab = lab_of("5a")
    for lane, history in zip(lab.part["shown"]["lanes"], session.histories, strict=True):
        presence = Metrics(history).presence
        times = (np.array(lane["here"][0]) * 10**6).round().astype(np.int64)
        assert lane["here"][1] == presence.here_at(times).tolist()


def test_a_scene_in_ticks_counts_in_ticks():
    _, lab = lab_of("3a")
    shown = lab.part["shown"]
    assert "/" in shown["lanes"][0]["cells"][0]
    assert "/s" not in shown["lanes"][0]["cells"][0]
