"""Laws over random scenarios and setups: nothing here knows what any one run should give."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sim import History, Scenario, run
from sim.check import check
from sim.files import builtin
from sim.history import simulate
from tests.sim.make import AS_VLLM, NO_EXTRAS, loyal_scenarios, scenarios
from tests.sim.naive import (
    NaiveRound,
    naive_continuous,
    naive_static,
)

PLAIN = {
    "first_token": "last_chunk",
    "chunked": True,
    "overtake": False,
    "order": "fifo",
    "num_blocks": None,
    "service": st.sampled_from(["running_first", "decode_first"]),
    "granularity": "request",
    "max_prefill": None,
    "round_target": None,
    "max_decodes": None,
    "prefill_reserve": 0,
    **NO_EXTRAS,
}


@settings(max_examples=120)
@given(scenarios())
def test_every_law_holds(subject: Scenario) -> None:
    assert check(run(subject)) == len(run(subject))


@settings(max_examples=120)
@given(scenarios())
def test_taking_equal_rounds_at_once_changes_nothing(subject: Scenario) -> None:
    fast, plain = simulate(subject), simulate(subject, jump=False)
    assert len(fast) == len(plain)
    for name in fast.columns:
        if name not in ("first", "count", "start", "duration", "growth", "slots"):
            assert fast.per_round(name).tolist() == plain.per_round(name).tolist(), name
    assert fast.slots.tolist() == plain.slots.tolist()
    assert fast.starts.tolist() == plain.starts.tolist()
    assert fast.ends.tolist() == plain.ends.tolist()
    assert fast.first_rounds.tolist() == plain.first_rounds.tolist()
    for index in range(len(subject.requests)):
        assert fast.work[index].tolist() == plain.work[index].tolist()
        assert fast.token_times(index).tolist() == plain.token_times(index).tolist()
    assert list(fast) == list(plain)


@pytest.mark.parametrize("mode", ["continuous", "static"])
def test_a_large_run_is_the_same_with_and_without_jumps(mode: str) -> None:
    requests = builtin("synthetic").requests[:60]
    subject = Scenario(builtin("synthetic").setup, requests).with_setup(mode=mode)
    fast, plain = simulate(subject), simulate(subject, jump=False)
    assert fast.ends.tolist() == plain.ends.tolist()
    assert all(fast.token_times(i).tolist() == plain.token_times(i).tolist() for i in range(60))
    middle = len(fast) // 2
    assert fast[middle : middle + 5] == plain[middle : middle + 5]


@given(scenarios(), st.data())
def test_indexing_slicing_and_iterating_agree(subject: Scenario, data: st.DataObject) -> None:
    history = simulate(subject)
    rounds = list(history)
    assert len(rounds) == len(history)
    assert [record.number for record in rounds] == list(range(1, len(rounds) + 1))
    assume(rounds)
    k = data.draw(st.integers(0, len(rounds) - 1))
    assert history[k] == rounds[k]
    assert history[k - len(rounds)] == rounds[k]
    edge = st.none() | st.integers(-len(rounds) - 2, len(rounds) + 2)
    part = slice(data.draw(edge), data.draw(edge), data.draw(st.sampled_from([None, 1, 2, -1, -3])))
    assert history[part] == rounds[part]


@given(scenarios())
def test_the_columns_tell_the_same_as_the_rounds(subject: Scenario) -> None:
    history = simulate(subject)
    rounds = list(history)
    assert history.starts.tolist() == [r.start for r in rounds]
    assert history.ends.tolist() == [r.end for r in rounds]
    told = {
        "prefill": [r.prefill for r in rounds],
        "decode": [r.decode for r in rounds],
        "padding": [r.padding for r in rounds],
        "idle": [len(r.idle) for r in rounds],
        "waiting": [len(r.queue) for r in rounds],
        "drafts": [r.drafts for r in rounds],
        "emitted": [sum(r.tokens.values()) for r in rounds],
        "preempted": [len(r.preempted) for r in rounds],
    }
    assert {name: history.per_round(name).tolist() for name in told} == told


@given(
    loyal_scenarios(
        order=st.sampled_from(["fifo", "priority"]),
        reserve=st.sampled_from(["full_prompt", "none"]),
        **AS_VLLM,
    )
)
def test_all_modes_emit_the_same_tokens(subject: Scenario) -> None:
    due = [request.output for request in subject.requests]
    for mode in ("static", "continuous", "vllm_v1"):
        history = run(subject.with_setup(mode=mode))
        assert [len(history.token_times(i)) for i in range(len(due))] == due


@given(scenarios())
def test_the_same_scenario_gives_the_same_history(subject: Scenario) -> None:
    first, second = simulate(subject), simulate(Scenario.from_dict(subject.to_dict()))
    assert list(first) == list(second)


# A second opinion.


def told(history: History) -> list[NaiveRound]:
    return [
        NaiveRound(r.start, r.end, r.prefill, r.decode, tuple(r.given.items()), set(r.emitted))
        for r in history
    ]


@settings(max_examples=120)
@given(loyal_scenarios(mode="continuous", **PLAIN))
def test_a_naive_scheduler_makes_the_same_continuous_rounds(subject: Scenario) -> None:
    assert told(simulate(subject)) == naive_continuous(subject)


@settings(max_examples=120)
@given(loyal_scenarios(mode="static", batch_wait=None, **PLAIN))
def test_a_naive_scheduler_makes_the_same_static_rounds(subject: Scenario) -> None:
    assert told(simulate(subject)) == naive_static(subject)
