"""Forks: the same past, another future, and what of the past cannot be changed any more."""

import doctest
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim import History, Reason, Request, Scenario, ScenarioError, Status, by_hand, fork, run
from sim.check import check
from sim.export import to_json
from sim.fork import FIXED
from sim.metrics import Metrics
from sim.metrics.kv import empty_slots
from sim.problems import RULES
from sim.progress import Progress
from tests.sim.make import scenario, scenarios


def test_the_examples_in_its_words_are_true() -> None:
    modules = (sys.modules[name] for name in ("sim.fork", "sim.history"))
    assert [doctest.testmod(module).failed for module in modules] == [0, 0]


def assert_same(one: History, other: History) -> None:
    """Both tell the same in every way there is to ask."""
    assert list(one) == list(other)
    assert to_json(one) == to_json(other)
    assert one.states == other.states
    for name in ("starts", "ends", "slots", "used", "ended_at", "first_rounds", "arrivals"):
        assert getattr(one, name).tolist() == getattr(other, name).tolist(), name
    for index in range(len(one.scenario.requests)):
        assert one.work[index].tolist() == other.work[index].tolist()
        assert one.tokens[index].tolist() == other.tokens[index].tolist()
    assert_same_progress(one, other, len(one))


def assert_same_progress(one: History, other: History, rounds: int) -> None:
    """The figures as of each of the first rounds; objectives may have been changed."""
    if not rounds:
        return
    wanted = Progress(other).columns
    for name, column in Progress(one).columns.items():
        if name in wanted and name != "good":
            assert np.array_equal(column[:rounds], wanted[name][:rounds], equal_nan=True), name


@settings(max_examples=50)
@given(scenarios(), st.data())
def test_a_fork_without_a_change_is_its_parent(subject: Scenario, data: st.DataObject) -> None:
    parent = run(subject)
    once = fork(parent, data.draw(st.integers(0, len(parent))), subject)
    assert_same(once, parent)
    twice = fork(once, data.draw(st.integers(0, len(parent))), subject)
    assert_same(twice, parent)
    assert check(twice) == len(parent)


def changed(draw: Any, parent: History, k: int) -> Scenario:
    """The options and the later requests of another scenario, put on those who have come."""
    subject = parent.scenario
    modes = ["static"] if subject.setup.mode == "static" else ["continuous", "vllm_v1"]
    other = draw(scenarios(mode=st.sampled_from(modes), time=subject.setup.time))
    fixed = {name: getattr(subject.setup, name) for name in FIXED}
    now = int(parent.ends[k - 1]) if k else 0
    if fixed["concurrency"] is None:
        kept = [r for r in subject.requests if r.arrival < now]
        coming = [replace(r, id=f"N{i}") for i, r in enumerate(other.requests) if r.arrival >= now]
    else:
        kept, coming = list(subject.requests), []
    kept = [_edited(draw, request, parent, now) for request in kept]
    coming = draw(st.permutations(coming))
    setup = replace(other.setup, **fixed, num_blocks=draw(st.none() | st.integers(4, 60)))
    if setup.concurrency is None:
        setup = replace(setup, think=0)
    return Scenario(setup, tuple(coming[:1] + kept + coming[1:]), seed=other.seed)


def _edited(draw: Any, request: Request, parent: History, now: int) -> Request:
    """It may be more or less urgent, leave early or say more, unless it is too late for that."""
    index = parent.scenario.requests.index(request)
    if parent.ended_at[index] <= now or not draw(st.booleans()):
        return request
    more, leaves = draw(st.integers(0, 3)), request.cancel_at
    if leaves is None or leaves >= now:
        leaves = draw(st.none() | st.integers(0, 10).map(lambda n: max(now, request.arrival) + n))
    output = request.output + more
    most = request.allowed_output + more
    return replace(request, output=output, max_output=most, cancel_at=leaves, priority=more - 1)


@settings(max_examples=150)
@given(scenarios(), st.data())
def test_the_past_is_the_parents_and_the_rest_obeys_every_law(
    subject: Scenario, data: st.DataObject
) -> None:
    parent = run(subject)
    k = data.draw(st.integers(0, len(parent)))
    try:
        other = Scenario.from_dict(changed(data.draw, parent, k).to_dict())
        child = fork(parent, k, other)
    except ScenarioError as error:
        assert all(problem.rule in RULES and str(problem) for problem in error.problems)
        return
    rounds = list(child)
    assert rounds[:k] == parent[:k]
    assert [child[j] for j in range(len(child))] == rounds
    assert child[::-1] == rounds[::-1]
    assert check(child) == len(child)
    assert child.ends[:k].tolist() == parent.ends[:k].tolist()
    assert child.used[:k].tolist() == parent.used[:k].tolist()
    assert Metrics(child).overall()["rounds"] == len(child)
    assert_same_progress(child, parent, k)
    assert_same(fork(fork(child, len(child), other), k, subject), parent)


# What a change does.

TICKS: dict[str, Any] = {"time": "tick", "budget": 8}


def given_to(history: History) -> list[dict[str, int]]:
    return [dict(record.given) for record in history]


def test_a_smaller_budget_holds_from_its_round_on() -> None:
    parent = run(scenario(("A", 0, 4, 4), ("B", 0, 4, 4), **TICKS))
    child = fork(parent, 2, parent.scenario.with_setup(budget=1))
    assert given_to(child)[:3] == [{"A": 4, "B": 4}, {"A": 1, "B": 1}, {"A": 1}]
    assert child[2].why == {"B": Reason.BUDGET_SPENT}
    assert [child.scenario_of(k).setup.budget for k in (0, 1, 2)] == [8, 8, 1]
    assert Metrics(child).overall()["budget_use"] == 14 / (8 + 8 + len(child) - 2)


def test_before_the_first_round_all_is_free() -> None:
    parent = run(scenario(("A", 0, 4, 4), **TICKS))
    other = scenario(("X", 2, 1, 1), budget=1, mode="static")
    child = fork(parent, 0, other)
    assert list(child) == list(run(other))
    assert child.past is None


def test_a_static_batch_goes_on_with_its_blocks() -> None:
    pool = {"block_size": 4, "num_blocks": 6}
    parent = run(scenario(("A", 0, 4, 4), ("B", 1, 4, 1), mode="static", **TICKS | pool))
    child = fork(parent, 2, parent.scenario.with_setup(num_blocks=2, batch_size=1))
    assert given_to(child) == given_to(parent)
    assert child.used.tolist() == parent.used.tolist()
    assert check(child) == len(parent)


def test_with_fewer_seats_nobody_is_thrown_out_and_nobody_joins() -> None:
    rows = (("A", 0, 2, 4), ("B", 0, 2, 3), ("C", 1, 2, 1))
    parent = run(scenario(*rows, max_num_seqs=2, **TICKS))
    child = fork(parent, 1, parent.scenario.with_setup(max_num_seqs=1))
    assert [record.running for record in child] == [
        *[("A", "B")] * 3,
        ("A",),
        ("C",),
    ]
    assert check(child) == 5


def test_who_has_not_come_may_be_changed_taken_out_and_joined() -> None:
    parent = run(scenario(("Z", 5, 1, 1), ("A", 0, 4, 3), ("B", 3, 2, 2), **TICKS))
    a, b = parent.scenario.requests[1:]
    new = Request("N", 1, 1, 1)
    other = replace(parent.scenario, requests=(new, a, replace(b, arrival=2, prompt=3)))
    child = fork(parent, 1, other)
    assert given_to(child) == [{"A": 4}, {"A": 1, "N": 1}, {"A": 1, "B": 3}, {"B": 1}]
    assert child.states == (Status.FINISHED,) * 3
    assert child.first_rounds.tolist() == [1, 0, 2]


def test_a_client_leaves_earlier_or_later_and_an_answer_grows() -> None:
    parent = run(scenario(("A", 0, 2, 3), ("B", 0, 2, 9, {"cancel_at": 3}), **TICKS))
    a, b = parent.scenario.requests
    other = replace(parent.scenario, requests=(replace(a, output=5), replace(b, cancel_at=None)))
    assert [len(r.given) for r in fork(parent, 2, other)] == [2] * 5 + [1] * 4
    other = replace(parent.scenario, requests=(replace(a, cancel_at=2), b))
    assert fork(parent, 2, other).states == (Status.CANCELLED, Status.CANCELLED)


def test_the_queue_stands_in_the_new_order() -> None:
    rows = (("A", 0, 4, 3), ("B", 1, 4, 1, {"priority": 2}), ("C", 2, 4, 1, {"priority": 1}))
    parent = run(scenario(*rows, max_num_seqs=1, **TICKS))
    urgent = parent.scenario.with_setup(order="priority")
    child = fork(parent, 2, urgent)
    assert [record.admitted for record in child if record.admitted] == [("A",), ("C",), ("B",)]
    back = fork(run(urgent), 2, parent.scenario)
    assert [record.admitted for record in back if record.admitted] == [("A",), ("B",), ("C",)]


def test_a_pool_comes_or_grows_and_its_past_stays_as_it_was() -> None:
    rows = (("A", 0, 4, 6), ("B", 0, 4, 6))
    parent = run(scenario(*rows, block_size=4, **TICKS))
    child = fork(parent, 3, parent.scenario.with_setup(num_blocks=4))
    assert (parent.pool, child.pool) == (None, 4)
    assert child.used.tolist()[:4] == [0, 0, 0, 4]
    assert Progress(child).used is not None
    freed = fork(child, 5, parent.scenario)
    assert freed.used.tolist()[:6] == [0, 0, 0, 4, 4, 0]
    assert freed.pool == 4
    aside = fork(child, 4, child.scenario.with_setup(num_blocks=6, reserve="max_output"))
    assert aside.used.tolist()[:5] == [0, 0, 0, 4, 6]
    assert empty_slots(aside).tolist()[:4] == empty_slots(child).tolist()[:4]
    assert check(aside) == len(aside)


def test_who_was_swapped_out_comes_back_with_its_kv() -> None:
    rows = (("A", 0, 4, 5), ("B", 0, 4, 5))
    parent = run(scenario(*rows, block_size=4, num_blocks=3, on_full="swap", **TICKS))
    at = next(k for k, record in enumerate(parent) if record.preempted) + 1
    child = fork(parent, at, parent.scenario.with_setup(on_full="recompute"))
    assert list(child) == list(parent)
    assert child.preemptions.tolist() == parent.preemptions.tolist()
    assert child.recomputed.tolist() == [0, 0]


def test_a_run_by_hand_is_handed_over_to_the_policy() -> None:
    subject = scenario(("A", 0, 4, 2), ("B", 0, 4, 2), **TICKS)
    played = by_hand(subject, [{"B": 3}, {"A": 1}]).history
    child = fork(played, 2, subject)
    assert given_to(child) == [{"B": 3}, {"A": 1}, {"B": 1, "A": 3}, {"B": 1, "A": 1}]
    assert child.grants is None
    assert fork(child, 1, subject)[:1] == played[:1]


def test_chance_goes_on_and_starts_anew_with_another_seed() -> None:
    drafts = {"drafts": 2, "accepted": 0.5}
    parent = run(scenario(("A", 0, 1, 40), speculation=drafts, seed=1, **TICKS))
    assert list(fork(parent, 5, parent.scenario)) == list(parent)
    child = fork(parent, 5, parent.scenario.with_setup(seed=2))
    other = fork(parent, 5, parent.scenario.with_setup(seed=3))
    assert child[:5] == other[:5] == parent[:5]
    assert list(child) != list(other)
    without = fork(parent, 5, parent.scenario.with_setup(speculation=None))
    assert list(fork(without, 7, parent.scenario))[:7] == without[:7]


@pytest.mark.parametrize("k", [-1, 4, 10])
def test_there_is_no_fork_outside_the_run(k: int) -> None:
    parent = run(scenario(("A", 0, 2, 3), **TICKS))
    with pytest.raises(IndexError, match=f"round {k} of 3"):
        fork(parent, k, parent.scenario)


# What cannot change.

ROWS = (("A", 0, 4, 1), ("B", 0, 4, 6, {"cancel_at": 9}), ("C", 1, 2, 4), ("D", 7, 1, 1))
LOOP: dict[str, Any] = {"concurrency": 1, **TICKS}


def rows(*, to: dict[int, dict[str, Any]], order: str = "ABCD") -> tuple[Request, ...]:
    """The requests with some fields changed, in this order."""
    old = scenario(*ROWS, **TICKS).requests
    new = {r.id: replace(r, **to.get(index, {})) for index, r in enumerate(old)}
    return tuple(new[id_] for id_ in order)


BROKEN: list[tuple[str, dict[str, Any], dict[str, Any], str, str]] = [
    ("fixed_in_run", {}, {"time": "ms"}, "setup.time", "cannot change while a run goes on"),
    ("fixed_in_run", {}, {"mode": "static"}, "setup.mode", "cannot change while a run goes on, to"),
    ("fixed_in_run", {}, {"concurrency": 2}, "setup.concurrency", "cannot change"),
    ("fixed_in_run", {}, {"block_size": 4}, "setup.block_size", "cannot change"),
    ("has_come", {}, {"requests": rows(to={}, order="ACD")}, "requests", "must keep 'B', which"),
    (
        "out_of_order",
        {},
        {"requests": rows(to={}, order="BDAC")},
        "requests[0]",
        "is 'B', where 'A' stood",
    ),
    (
        "out_of_order",
        LOOP,
        {"requests": rows(to={}, order="DABC")},
        "requests[0]",
        "is 'D', where 'A' stood",
    ),
    (
        "fixed_after_arrival",
        {},
        {"requests": rows(to={2: {"prompt": 3}})},
        "requests[2].prompt",
        "cannot change to 3: C has arrived; keep 2",
    ),
    (
        "fixed_after_arrival",
        {},
        {"requests": rows(to={2: {"arrival": 2}})},
        "requests[2].arrival",
        "cannot change to 2: C has arrived; keep 1",
    ),
    (
        "fixed_after_leaving",
        {},
        {"requests": rows(to={0: {"priority": 3}})},
        "requests[0].priority",
        "cannot change to 3: A has left; keep 0",
    ),
    (
        "too_late",
        {},
        {"requests": rows(to={3: {"arrival": 2}})},
        "requests[3].arrival",
        "must be at least 3, the time of the change, not 2",
    ),
    (
        "too_late",
        {},
        {"requests": rows(to={1: {"cancel_at": 2}})},
        "requests[1].cancel_at",
        "must be at least 3, the time of the change, not 2",
    ),
    (
        "already_out",
        {},
        {"requests": rows(to={1: {"output": 3}})},
        "requests[1].output",
        "must be at least 4, not 3: B has 3 tokens out already",
    ),
    (
        "blocks_in_use",
        {"block_size": 1},
        {"num_blocks": 8, "requests": rows(to={1: {"output": 4}, 2: {"output": 3}})},
        "setup.num_blocks",
        "must be at least 9, the blocks taken at this moment, not 8",
    ),
    (
        "batch_under_way",
        {"mode": "static", "budget": 8},
        {"budget": 1},
        "setup.budget",
        "must be at least 2, the members of the batch under way, not 1",
    ),
]


@pytest.mark.parametrize(
    ("rule", "setup", "changes", "path", "words"),
    BROKEN,
    ids=[f"{rule} at {path}" for rule, _, _, path, _ in BROKEN],
)
def test_what_has_happened_stays(
    rule: str, setup: dict[str, Any], changes: dict[str, Any], path: str, words: str
) -> None:
    parent = run(scenario(*ROWS, **{**TICKS, **setup}))
    before = list(parent)
    changes = dict(changes)
    requests = changes.pop("requests", parent.scenario.requests)
    other = replace(parent.scenario, requests=requests).with_setup(**changes)
    with pytest.raises(ScenarioError) as caught:
        fork(parent, 3, other)
    found = [problem for problem in caught.value.problems if problem.rule == rule]
    assert path in [problem.path for problem in found]
    assert str(found[0]).startswith(f"{path} {words}")
    assert list(parent) == before


def test_who_left_at_this_very_boundary_cannot_be_called_back() -> None:
    parent = run(scenario(("A", 0, 2, 9, {"cancel_at": 1}), cost={"base": 2}, budget=4))
    (a,) = parent.scenario.requests
    with pytest.raises(ScenarioError, match="cancel_at cannot change to 9: A has arrived; keep 1"):
        fork(parent, 1, replace(parent.scenario, requests=(replace(a, cancel_at=9_000_000),)))


def test_an_answer_may_end_that_has_not_begun() -> None:
    parent = run(scenario(("A", 0, 9, 3), **TICKS))
    (a,) = parent.scenario.requests
    child = fork(parent, 1, replace(parent.scenario, requests=(replace(a, output=1),)))
    assert given_to(child) == [{"A": 8}, {"A": 1}]
    waits = run(scenario(("A", 0, 9, 3), ("B", 1, 1, 1), ("C", 0, 1, 2), max_num_seqs=1, **TICKS))
    a, b, c = waits.scenario.requests
    child = fork(waits, 2, replace(waits.scenario, requests=(a, b, replace(c, output=1))))
    assert child.states == (Status.FINISHED,) * 3


def test_a_newcomer_behind_the_others_joins_at_the_round_of_the_fork_and_not_before() -> None:
    parent = run(scenario(("A", 0, 6, 2), ("B", 1, 4, 2), budget=4, time="tick"))
    now = int(parent.ends[1])
    new = Request("X", now, 1, 2)
    after = fork(parent, 2, replace(parent.scenario, requests=(*parent.scenario.requests, new)))
    assert list(after)[:2] == list(parent)[:2]
    assert "X" in after[2].given
    assert after.arrivals.tolist() == [0, 1, now]
    assert check(after) == len(after)
    early = (*parent.scenario.requests, replace(new, arrival=now - 1))
    with pytest.raises(ScenarioError) as raised:
        fork(parent, 2, replace(parent.scenario, requests=early))
    (problem,) = raised.value.problems
    assert (problem.place, problem.rule) == (("requests", 2, "arrival"), "too_late")
    assert problem.params == {"low": now}
