"""The express lane against the scheduler: the same rounds, whatever it hands over."""

from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sim import History, Scenario, ScenarioError
from sim.engine import rounds_before, span
from sim.express import Lane
from sim.history import simulate
from sim.state import State
from tests.sim.make import Row, plain_servers, scenario, scenario_dicts

APART = ("first", "count", "start", "duration", "growth", "slots", "slot_growth")  # by stretch


def assert_same(fast: History, plain: History) -> None:
    """Every column in every round, every run, and how each request fared."""
    assert len(fast) == len(plain)
    for name in fast.columns:
        if name not in APART:
            assert fast.per_round(name).tolist() == plain.per_round(name).tolist(), name
    for name in ("starts", "ends", "slots", "first_rounds", "arrivals", "ended_at"):
        assert getattr(fast, name).tolist() == getattr(plain, name).tolist(), name
    for name in ("preemptions", "recomputed"):
        assert getattr(fast, name).tolist() == getattr(plain, name).tolist(), name
    for name in ("work_runs", "token_runs", "token_rounds"):
        for own, other in zip(getattr(fast, name), getattr(plain, name), strict=True):
            assert own.dtype == other.dtype == np.int64
            assert own.tolist() == other.tolist(), name
    assert fast.states == plain.states


@settings(max_examples=300, deadline=None)
@given(plain_servers(), st.data())
def test_the_lane_comes_to_the_rounds_of_the_scheduler(
    subject: Scenario, data: st.DataObject
) -> None:
    with patch.object(Lane, "REST", data.draw(st.integers(1, 8))):
        fast = simulate(subject)
    plain = simulate(subject, jump=False)
    assert_same(fast, plain)
    rounds = list(plain)
    for k in data.draw(st.lists(st.integers(0, len(rounds) - 1), max_size=8)):
        assert fast[k] == rounds[k]
    assert list(fast) == rounds


@st.composite
def odd_scenarios(draw: st.DrawFn) -> Scenario:
    """Any setup with rules on top that leave hardly a round as the last one was."""
    data = draw(scenario_dicts())
    setup = data["setup"]
    more: dict[str, st.SearchStrategy[Any]] = {
        "on_full": st.sampled_from(["recompute", "swap", "queue", "reject"]),
        "queue_timeout": st.none() | st.integers(0, 20),
        "max_queue": st.none() | st.integers(1, 4),
        "concurrency": st.none() | st.integers(1, 4),
        "think": st.integers(0, 5),
        "buckets": st.none() | st.just([1, 2, 4]),
        "price_padding": st.booleans(),
        "speculation": st.none()
        | st.just({"drafts": 2, "accepted": [0, 2, 1]})
        | st.just({"drafts": 3, "accepted": 0.5}),
        "moe": st.none()
        | st.just({"weights": [1, 2]})
        | st.just({"weights": [2, 1], "draw": True}),
    }
    for name in draw(st.sets(st.sampled_from(sorted(more)), min_size=1, max_size=4)):
        setup[name] = draw(more[name])
    if not setup.get("concurrency"):
        setup.pop("think", None)
    if not setup.get("buckets"):
        setup.pop("price_padding", None)
    for row in data["requests"]:
        row["output"] += draw(st.just(0) | st.integers(0, 20))
        row["max_output"] += row["output"]
        if draw(st.integers(0, 5)) == 0:
            row["cancel_at"] = row["arrival"] + draw(st.integers(0, 40))
        if draw(st.integers(0, 5)) == 0:
            row |= {"credits": draw(st.integers(1, 4)), "read_every": draw(st.integers(0, 6))}
    longest = max(row["prompt"] + row["max_output"] - 1 for row in data["requests"])
    if setup.get("num_blocks") or "on_full" in setup:
        setup["num_blocks"] = -(-longest // setup["block_size"]) + draw(st.integers(0, 8))
    if not setup["chunked"]:
        setup["budget"] = max(setup["budget"], longest)
    try:
        return Scenario.from_dict(data)
    except ScenarioError:
        assume(False)
        raise


@settings(max_examples=200, deadline=None)
@given(odd_scenarios())
def test_equal_rounds_at_once_change_nothing_under_any_rule(subject: Scenario) -> None:
    fast, plain = simulate(subject), simulate(subject, jump=False)
    assert_same(fast, plain)
    assert list(fast) == list(plain)


# What is driven, and what is not.

BUSY = tuple((f"R{i}", 3 * i, 30, 12 + i % 5) for i in range(60))
TICK = {"time": "tick", "budget": 2}
SERVER = {"budget": 16, "time": "tick", "block_size": 4, "num_blocks": 400}


def rounds_driven(subject: Scenario) -> int:
    state = State.start(subject)
    lane = Lane.of(state)
    return state.round if lane and lane.take(state) else 0


def test_a_run_with_nothing_to_decide_is_driven_in_one_go() -> None:
    subject = scenario(*BUSY, **SERVER)
    history = simulate(subject)
    assert rounds_driven(subject) == len(history) == len(simulate(subject, jump=False))
    assert len(history.columns["first"]) < len(history) * 0.75


@pytest.mark.parametrize(
    "setup",
    [
        {"mode": "static"},
        {"service": "prefill_first"},
        {"reserve": "max_output"},
        {"order": "priority"},
        {"granularity": "token"},
        {"first_token": "next_round"},
        {"max_chunk": 4},
        {"max_decodes": 4},
        {"concurrency": 4},
        {"queue_timeout": 10_000},
        {"chunked": False, "budget": 60},
    ],
    ids=str,
)
def test_a_setup_with_more_to_decide_closes_the_lane(setup: dict[str, Any]) -> None:
    assert rounds_driven(scenario(*BUSY, **{**SERVER, **setup})) == 0


@pytest.mark.parametrize("more", [{"cancel_at": 9_999}, {"credits": 50, "read_every": 1}], ids=str)
def test_a_client_who_may_interfere_closes_the_lane(more: dict[str, int]) -> None:
    assert rounds_driven(scenario(("A", 0, 30, 12, more), *BUSY, **SERVER)) == 0


def test_the_lane_ends_where_the_budget_does_not_cover_the_decodes() -> None:
    rows = (("A", 0, 1, 9), ("B", 0, 1, 9), ("C", 1, 1, 9))
    assert rounds_driven(scenario(*rows, time="tick", budget=3)) == 2  # three decode from then on
    assert rounds_driven(scenario(*rows, time="tick", budget=4)) == 10


def test_the_lane_ends_before_the_round_in_which_blocks_might_not_do() -> None:
    """A and B will hold 3 blocks each: two fit, and with 5 blocks B has to be decided on."""
    rows = (("A", 0, 4, 9), ("B", 3, 4, 9))
    server = {"time": "tick", "budget": 8, "block_size": 4}
    assert rounds_driven(scenario(*rows, **server, num_blocks=6)) == 12
    assert rounds_driven(scenario(*rows, **server, num_blocks=5)) == 3
    assert rounds_driven(scenario(*rows, **server, num_blocks=6, watermark=1)) == 3
    together = (("A", 0, 4, 9), ("B", 0, 4, 9))
    assert rounds_driven(scenario(*together, **server, num_blocks=5)) == 0


def test_a_prompt_under_way_is_handed_over_both_ways() -> None:
    """R3 comes with all its prompt computed: the scheduler's, and R4's prompt is cut in it."""
    rows: list[Row] = [(f"R{i}", i, 20, 9) for i in range(3)]
    rows += [("R3", 9, 6, 9, {"cached": 6}), ("R4", 9, 200, 9), ("R5", 60, 5, 5)]
    subject = scenario(*rows, time="tick", budget=8, block_size=4, num_blocks=99)
    with patch.object(Lane, "REST", 1):
        fast = simulate(subject)
    assert_same(fast, simulate(subject, jump=False))
    assert list(fast) == [fast[k] for k in range(len(fast))]


def test_arrivals_while_the_queue_stands_count_as_waiting_at_once() -> None:
    """A's prompt takes ten equal rounds; B and C come in them and cannot go."""
    history = simulate(scenario(("A", 0, 20, 1), ("B", 3, 2, 1), ("C", 5, 2, 1), **TICK))
    assert history.columns["count"].tolist() == [9, 1, 1, 1]
    assert history.per_round("waiting").tolist() == [0, 0, 0, 1, 1, 2, 2, 2, 2, 2, 1, 0]


@given(st.integers(1, 10**12), st.integers(1, 10**9), st.integers(0, 10**9))
def test_the_rounds_before_somebody_comes_are_counted_exactly(
    wait: int, duration: int, growth: int
) -> None:
    count = rounds_before(wait, duration, growth)
    assert count >= 1
    assert span(count, duration, growth) >= wait
    assert count == 1 or span(count - 1, duration, growth) < wait


@given(plain_servers())
def test_runs_are_listed_by_request_too(subject: Scenario) -> None:
    history = simulate(subject)
    owner, first, count, amount, kind = (column.tolist() for column in history.work_runs)
    rows = [[list(row) for row in own] for own in history.work]
    assert [[i, *row] for i, own in enumerate(rows) for row in own] == [
        list(row) for row in zip(owner, first, count, amount, kind, strict=True)
    ]
    owner, first, count, amount = (column.tolist() for column in history.token_runs)
    rows = [[list(row) for row in own] for own in history.tokens]
    assert [[i, *row] for i, own in enumerate(rows) for row in own] == [
        list(row) for row in zip(owner, first, count, amount, strict=True)
    ]


def test_tokens_of_right_drafts_are_of_one_round() -> None:
    """A prompt round, then two right drafts and a token of its own, then the last of five."""
    speculation = {"drafts": 2, "accepted": [2, 0]}
    history = simulate(scenario(("A", 0, 3, 5), budget=8, speculation=speculation))
    rounds, offsets = history.token_rounds
    assert (rounds.tolist(), offsets.tolist()) == ([0, 1, 1, 1, 2], [0, 5])
    assert [list(row) for row in history.tokens[0]] == [[0, 1, 1], [1, 1, 3], [2, 1, 1]]
