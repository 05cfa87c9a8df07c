"""The express lane against the scheduler: the same rounds, whatever it hands over."""

from typing import Any
from unittest.mock import patch

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sim import History, Scenario, ScenarioError
from sim.express import Lane
from sim.history import simulate
from tests.sim.make import scenario, scenario_dicts

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


@st.composite
def lane_scenarios(draw: st.DrawFn) -> Scenario:
    """Plain servers with more to do than they can: seats, blocks and budget are scarce at times."""
    whole = st.integers(0, 4).map(lambda n: n == 0)
    requests = draw(
        st.lists(
            st.tuples(
                st.integers(0, 300) | st.integers(0, 20),
                st.integers(1, 40),
                st.integers(1, 40) | st.just(1),
                st.just(0) | st.integers(0, 40),
                whole,
            ),
            min_size=1,
            max_size=24,
        )
    )
    rows: list[Any] = []
    for number, (arrival, prompt, output, cached, is_whole) in enumerate(requests):
        more = {"cached": prompt if is_whole and cached else min(cached, prompt - 1)}
        rows.append((f"R{number}", arrival, prompt, output, more))
    block = draw(st.sampled_from([1, 4, 16]))
    least = max(-(-(prompt + output - 1) // block) for _, _, prompt, output, _ in rows)
    mode = draw(st.sampled_from(["continuous", "vllm_v1"]))
    setup: dict[str, Any] = {
        "mode": mode,
        "time": draw(st.sampled_from(["ms", "tick"])),
        "budget": draw(st.integers(1, 12) | st.integers(8, 64)),
        "max_num_seqs": draw(st.integers(1, 12)),
        "block_size": block,
        "num_blocks": draw(st.none() | st.integers(least, 3 * least)),
        "watermark": draw(st.just(0) | st.integers(0, 3)),
        "reserve": draw(st.sampled_from(["full_prompt", "none"])),
    }
    if mode == "continuous":
        setup["service"] = draw(st.sampled_from(["running_first", "decode_first"]))
        setup["on_full"] = draw(st.sampled_from(["recompute", "swap", "queue", "reject"]))
    else:
        setup["max_chunk"] = draw(st.none() | st.integers(1, 9))
    if setup["time"] == "ms":
        price = st.sampled_from([0, 0.000001, 0.003, 0.1, 1])
        setup["cost"] = {
            "base": draw(st.sampled_from([0.5, 2])),
            **{name: draw(price) for name in ("per_prefill", "per_decode", "per_kv_token")},
        }
    return scenario(*rows, **setup)


@settings(max_examples=300, deadline=None)
@given(lane_scenarios(), st.data())
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
    for name in draw(st.sets(st.sampled_from(sorted(more)), max_size=3)):
        setup[name] = draw(more[name])
    for row in data["requests"]:
        row["output"] += draw(st.just(0) | st.integers(0, 20))
        row["max_output"] += row["output"]
        if draw(st.integers(0, 5)) == 0:
            row["cancel_at"] = row["arrival"] + draw(st.integers(0, 40))
        if draw(st.integers(0, 5)) == 0:
            row |= {"credits": draw(st.integers(1, 4)), "read_every": draw(st.integers(0, 6))}
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
