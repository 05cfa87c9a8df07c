"""Heavy work is handed on: to the background, to another process, or not done twice."""

import gc
import json
import pickle
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any
from unittest.mock import Mock
from weakref import WeakValueDictionary, ref

import pytest

from app import lane_edits
from app.commands import run_command
from app.inputs import MOST_FOUND, lane_scenarios
from app.lab.component import Lab
from app.lab.workers import away, workers
from app.lane_runs import before_fork, play
from app.lane_specs import Fork, LaneSpec
from app.payload import make_payload
from app.picture import picture
from app.saving import made
from app.session import Session
from app.url import open_link
from sim import Scenario, fork, run
from sim.files import SYNTHETIC, builtin
from sim.history import simulate
from sim.traces import read_trace

SCENE = builtin("5a")
PLAIN = LaneSpec("continuous", {"mode": "continuous"})
FORKED = replace(PLAIN, key="x", forks=(Fork(3, {"budget": "6"}),))


class Waiting:
    """What is deferred waits here until a test lets it be done."""

    def __init__(self) -> None:
        self.jobs: list[tuple[Callable[[], Any], Callable[[Any], None]]] = []

    def defer(self, job: Callable[[], Any], then: Callable[[Any], None]) -> None:
        self.jobs.append((job, then))

    def work(self) -> None:
        while self.jobs:
            job, then = self.jobs.pop(0)
            then(job())


@pytest.fixture
def waiting() -> Waiting:
    return Waiting()


@pytest.fixture
def large(waiting: Waiting) -> Session:
    """A scene of 600 requests, for which everything heavy waits."""
    session = Session()
    session.choose(SYNTHETIC)
    session.defer = waiting.defer
    return session


def budgets(session: Session) -> list[int]:
    return [history.scenario.setup.budget for history in session.histories]


def test_an_edit_of_a_large_scene_is_judged_and_run_in_the_background(
    large: Session, waiting: Waiting
) -> None:
    before = budgets(large)
    large.budget = 512
    assert budgets(large) == before
    assert "600" in large.working
    waiting.work()
    assert set(budgets(large)) == {512}
    assert large.working == ""


def test_what_is_wrong_with_a_large_scene_is_told_when_it_is_judged(
    large: Session, waiting: Waiting
) -> None:
    large.set_setup({"num_blocks": "1"})
    assert large.problems == []
    waiting.work()
    assert 0 < len(large.problems) <= MOST_FOUND
    assert large.working == ""


def test_of_a_trace_whose_every_request_is_wrong_only_some_are_told() -> None:
    rows = "\n".join(f"{i},100,5" for i in range(2 * MOST_FOUND))
    requests = read_trace("t.csv", f"arrival_ms,prompt,output\n{rows}".encode()).requests
    whole = LaneSpec("w", {"mode": "continuous", "chunked": "false", "budget": "10"})
    shared = Scenario(SCENE.setup, requests).with_setup(budget=1_000)
    runs, found = lane_scenarios(shared, [PLAIN, whole])
    assert [spec for spec, _ in runs] == [PLAIN]
    assert len(found) == MOST_FOUND


def test_a_lane_of_a_large_scene_is_checked_in_the_background(
    large: Session, waiting: Waiting
) -> None:
    count = len(large.lanes)
    lane_edits.add(large, "sarathi")
    assert len(large.lanes) == count
    waiting.work()
    assert len(large.lanes) == len(large.histories) == count + 1


def test_a_lane_that_cannot_serve_a_large_scene_is_refused_with_a_reason(
    large: Session, waiting: Waiting
) -> None:
    large.budget = 16
    waiting.work()
    lanes = list(large.lanes)
    lane_edits.add(large, "prefill_first")
    assert large.notice == ""
    waiting.work()
    assert large.lanes == lanes
    assert large.notice


def test_a_fork_of_a_large_scene_is_run_in_the_background(large: Session, waiting: Waiting) -> None:
    run_command(large, {"do": "fork_lane", "key": large.lanes[0].key, "round": 100})
    waiting.work()
    lane_edits.change(large, large.lanes[1].key, {"budget": "64"})
    assert large.played[1].history.scenario.setup.budget != 64
    waiting.work()
    before, after = large.histories[:2]
    assert after[:99] == before[:99]
    assert after.scenario.setup.budget == 64


# Long runs.


class Elsewhere:
    """Does as another process would, and notes what it was asked for."""

    def __init__(self) -> None:
        self.jobs: list[str] = []

    def __call__(self, job: Callable[..., Any], *arguments: Any) -> Any:
        self.jobs.append(job.__name__)
        return simulate(*arguments) if job is run else job(*arguments)  # `run` keeps short ones


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> Elsewhere:
    monkeypatch.setattr("app.lane_runs.MOST_KEPT_ROUNDS", 0)
    monkeypatch.setattr("app.lane_runs._LONG", WeakValueDictionary())
    return Elsewhere()


def test_a_long_run_and_its_fork_are_left_to_another_process(elsewhere: Elsewhere) -> None:
    played = play(FORKED, SCENE, elsewhere)
    assert elsewhere.jobs == ["run", "_forked"]
    assert played.history is not None
    assert list(played.history) == list(fork(run(SCENE), 2, SCENE.with_setup(budget=6)))


def test_a_long_run_is_not_run_again_while_it_is_shown(elsewhere: Elsewhere) -> None:
    first = play(PLAIN, SCENE, elsewhere)
    goal = SCENE.with_setup(window=(0, 5))
    second = play(replace(PLAIN, key="other"), goal, elsewhere)
    assert elsewhere.jobs == ["run"]
    assert second.history is not None
    assert second.history.scenario == goal
    del first, second
    gc.collect()
    play(PLAIN, SCENE, elsewhere)
    assert elsewhere.jobs == ["run", "run"]


def test_what_a_long_fork_starts_from_is_known_as_long_as_the_fork_is_shown(
    elsewhere: Elsewhere,
) -> None:
    assert before_fork(FORKED, SCENE) is None
    played = play(FORKED, SCENE, elsewhere)
    assert before_fork(FORKED, SCENE) is played.before
    del played
    gc.collect()
    assert before_fork(FORKED, SCENE) is None


def test_a_long_fork_that_cannot_be_says_why(elsewhere: Elsewhere) -> None:
    late = replace(FORKED, forks=(Fork(99, {}),))
    assert [problem.rule for problem in play(late, SCENE, elsewhere).problems] == ["no_such_round"]


@pytest.fixture
def pool() -> Iterator[None]:
    yield
    workers("run").shutdown()
    workers.cache_clear()


@pytest.mark.usefixtures("pool")
def test_a_run_comes_back_from_another_process_with_the_requests_that_are_here(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("app.lane_runs.MOST_KEPT_ROUNDS", 0)
    scene = replace(SCENE, name="another")
    played = play(FORKED, scene, away)
    assert played.history is not None
    assert played.before is not None
    for history in (played.before, played.history):
        assert history.scenario.requests is scene.requests
    assert list(played.history) == list(fork(run(SCENE), 2, SCENE.with_setup(budget=6)))
    file = away(made, "json", "stem", ["one", "two"], played.before, played.history)
    assert file == made("json", "stem", ["one", "two"], played.before, played.history)
    loaded = workers("run").submit(eval, "'panel' in __import__('sys').modules").result()
    assert not loaded


def test_what_fails_in_another_process_is_told_here(pool: None) -> None:
    with pytest.raises(IndexError):
        away(fork, run(SCENE), 99, SCENE)


# The lab.


def test_a_history_travels_without_what_follows_from_it() -> None:
    history = simulate(SCENE)
    times = history.token_times(0).tolist()  # what it takes is kept
    arrived = pickle.loads(pickle.dumps(history))
    assert vars(arrived).keys() == vars(simulate(SCENE)).keys() < vars(history).keys()
    assert arrived.token_times(0).tolist() == times


def test_who_leaves_lets_go_of_the_runs_without_the_garbage_collector(large: Session) -> None:
    known = [ref(lane) for lane in large.played]
    gc.disable()
    try:
        large.release()
        assert [lane() for lane in known] == [None, None]
    finally:
        gc.enable()


def test_the_picture_of_a_scene_is_made_once_until_somebody_changes_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one, other = Session(), Session()
    one.choose("5a")
    made_anew = Mock(wraps=picture)
    monkeypatch.setattr("app.picture.picture", made_anew)
    monkeypatch.setattr("app.session.picture", made_anew)
    other.choose("5a")
    made_anew.assert_not_called()
    made = make_payload(other.played, "en", title=other.lesson()["title"])
    anew = replace(picture(made, other.last_good), run=other.picture.run, reset=True)
    assert other.picture == anew
    assert json.loads(anew.text) == other.payload
    other.budget += 1
    made_anew.assert_called_once()
    assert other.payload["lanes"] != one.payload["lanes"]
    other.budget -= 1
    made_anew.assert_called_once()
    assert other.payload["lanes"] == one.payload["lanes"]


def test_a_scene_whose_picture_is_kept_is_there_at_once(waiting: Waiting) -> None:
    Session().choose("14a")
    session = Session(defer=waiting.defer)
    session.choose("14a")
    assert not waiting.jobs
    assert session.payload["lanes"]


def test_a_link_that_changes_a_long_scene_is_reached_when_its_picture_is_there(
    waiting: Waiting,
) -> None:
    Session().choose("14a")
    session, done = Session(defer=waiting.defer), Mock()
    open_link(session, {"scenario": [b"14a"], "budget": [b"64"]}, done)
    before = session.picture
    done.assert_not_called()
    waiting.work()
    assert session.picture != before
    assert session.histories[-1].scenario.setup.budget == 64
    done.assert_called_once()


@pytest.mark.parametrize("tab", ["traffic", "load"])
def test_a_tab_of_a_large_scene_is_worked_out_in_the_background(
    large: Session, waiting: Waiting, tab: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.lab.traffic.QUICK_REQUESTS", 100)
    monkeypatch.setattr("app.lab.load.QUICK_ROUNDS", 100)
    large.face = "lab"
    lab = Lab(large)
    waiting.work()
    lab._handle_msg({"type": "tab", "name": tab})
    assert lab.part.get("name") != tab
    assert waiting.jobs
    waiting.work()
    assert lab.part["name"] == tab
    assert lab.part["shown"]


def test_a_tab_that_is_left_meanwhile_does_not_come_back(
    large: Session, waiting: Waiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.lab.load.QUICK_ROUNDS", 100)
    large.face = "lab"
    lab = Lab(large)
    lab._handle_msg({"type": "tab", "name": "load"})
    lab._handle_msg({"type": "tab", "name": "sweep"})
    waiting.work()
    assert lab.part["name"] == "sweep"
