"""Laws over random scenarios and setups: nothing here knows what any one run should give."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sim import History, Scenario, run
from sim.check import check
from sim.clock import scale_of
from sim.files import builtin
from sim.history import simulate
from sim.metrics import Metrics, metrics
from sim.progress import Progress
from tests.sim.make import AS_VLLM, NO_EXTRAS, loyal_scenarios, scenario, scenarios
from tests.sim.naive import (
    NaiveRound,
    naive_continuous,
    naive_metrics,
    naive_percentile,
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


# Metrics.


def tokens_and_starts(history: History) -> tuple[list[list[int]], list[int]]:
    """Token times and first rounds read off the rounds, one by one."""
    tokens: dict[str, list[int]] = {r.id: [] for r in history.scenario.requests}
    joined: dict[str, int] = {}
    for record in history:
        for id_ in record.running:
            joined.setdefault(id_, record.start)
        for id_ in record.emitted:
            tokens[id_].append(record.end)
    return list(tokens.values()), [joined[r.id] for r in history.scenario.requests]


def assert_same_metrics(known: Metrics, until: int) -> None:
    history = known.history
    subject = history.scenario
    scale = scale_of(subject.setup.time)
    expected = naive_metrics(subject, *tokens_and_starts(history), until)
    for name, summary in known.distributions().items():
        values = expected[name]
        if not values:
            assert set(summary.values()) == {None}, name
            continue
        wanted = {
            "mean": sum(values) / len(values) / scale,
            **{f"p{p}": naive_percentile(values, p) / scale for p in (50, 95, 99)},
            "max": max(values) / scale,
        }
        assert summary == pytest.approx(wanted, rel=1e-12), name


@given(scenarios())
def test_metrics_at_the_end_are_those_of_plain_formulas(subject: Scenario) -> None:
    history = simulate(subject)
    end = int(history.ends[-1])
    assert_same_metrics(metrics(history), end)
    overall = metrics(history).overall()
    span = end - min(r.arrival for r in subject.requests)
    per_second = 10**9 if subject.setup.time == "ms" else 1
    outputs = sum(r.output for r in subject.requests)
    assert overall["output_tps"] == pytest.approx(outputs * per_second / span)
    assert overall["request_rate"] == pytest.approx(len(subject.requests) * per_second / span)
    prompts = sum(r.prompt for r in subject.requests)
    assert overall["input_tps"] == pytest.approx(prompts * per_second / span)
    assert overall["states"] == {"finished": len(subject.requests)}
    positions = sum(record.positions for record in history)
    assert overall["budget_use"] == pytest.approx(positions / subject.setup.budget / len(history))
    assert overall["peak_running"] == max(len(r.running) + len(r.idle) for r in history)


@given(scenarios(), st.data())
def test_metrics_as_of_a_time_know_only_tokens_that_are_out(
    subject: Scenario, data: st.DataObject
) -> None:
    history = simulate(subject)
    rounds = list(history)
    last = rounds[-1].end
    until = data.draw(st.sampled_from([r.end for r in rounds]) | st.integers(0, last))
    known = metrics(history, until)
    assert_same_metrics(known, until)
    over = [r for r in rounds if r.end <= until]
    assert known.rounds == len(over)
    overall = known.overall()
    assert overall["tokens"] == sum(len(r.emitted) for r in over)
    assert overall["padding"] == sum(r.padding for r in over)
    assert overall["idle"] == sum(len(r.idle) for r in over)
    assert overall["finished"] == sum(len(r.finished) for r in over)


@given(scenarios())
def test_as_of_each_round_a_request_is_in_the_state_the_round_says(subject: Scenario) -> None:
    history = simulate(subject)
    told = {r.id: "waiting" for r in subject.requests}
    for record in history:
        told |= {id_: str(now.status) for id_, now in record.after.items()}
        known = metrics(history, record.end)
        states = {r.id: str(known.request(i).state) for i, r in enumerate(subject.requests)}
        assert states == told, f"round {record.number}"
        here = [told[r.id] for r in subject.requests if r.arrival <= record.end]
        assert known.overall()["states"] == {name: here.count(name) for name in set(here)}


@given(scenarios())
def test_recomputed_counts_positions_below_what_was_computed_before(subject: Scenario) -> None:
    history = simulate(subject)
    computed = {r.id: r.cached for r in subject.requests}
    peak = dict(computed)
    again = dict.fromkeys(computed, 0)
    evictions = dict.fromkeys(computed, 0)
    for record in history:
        for id_, now in record.after.items():
            again[id_] += max(0, min(now.computed, peak[id_]) - computed[id_])
            peak[id_] = max(peak[id_], now.computed)
            computed[id_] = now.computed
            evictions[id_] += id_ in record.preempted
    assert history.recomputed.tolist() == list(again.values())
    assert history.preemptions.tolist() == list(evictions.values())


@given(scenarios())
def test_each_request_has_the_figures_of_its_own_tokens(subject: Scenario) -> None:
    history = simulate(subject)
    scale = scale_of(subject.setup.time)
    tokens, joined = tokens_and_starts(history)
    for i, request in enumerate(subject.requests):
        own, times = metrics(history).request(i), [t / scale for t in tokens[i]]
        arrival = request.arrival / scale
        assert own.outputs == pytest.approx(times)
        assert own.ttft == pytest.approx(times[0] - arrival)
        assert own.e2e == pytest.approx(times[-1] - arrival)
        assert own.queue == pytest.approx(joined[i] / scale - arrival)
        assert own.itl == pytest.approx([b - a for a, b in pairwise(times)])
        if len(times) == 1:
            assert own.tpot is None and own.max_itl is None
        else:
            assert own.tpot == pytest.approx((times[-1] - times[0]) / (len(times) - 1))
            assert own.max_itl == max(own.itl)


@given(scenarios())
def test_progress_agrees_with_metrics_after_every_round(subject: Scenario) -> None:
    history = simulate(subject)
    progress = Progress(history)
    for k, end in enumerate(history.ends):
        known = metrics(history, int(end))
        overall, spread = known.overall(), known.distributions()
        assert progress.tokens[k] == overall["tokens"]
        assert progress.finished[k] == overall["finished"]
        assert progress.waste[k] == overall["waste"]
        assert progress.makespan[k] == pytest.approx(overall["makespan"])
        assert progress.output_tps[k] == pytest.approx(overall["output_tps"])
        assert plain(progress.mean_ttft[k]) == pytest.approx(spread["ttft"]["mean"])
        assert plain(progress.mean_itl[k]) == pytest.approx(spread["itl"]["mean"])
        assert plain(progress.max_itl[k]) == pytest.approx(spread["itl"]["max"])


def plain(value: np.float64) -> float | None:
    return None if np.isnan(value) else float(value)


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=30), st.floats(0, 100))
def test_the_plain_percentile_is_numpys(values: list[float], percent: float) -> None:
    expected = float(np.percentile(values, percent))
    assert naive_percentile(values, percent) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_a_run_of_one_token_has_figures_and_no_nan() -> None:
    overall = metrics(run(scenario(("A", 0, 1, 1), budget=1))).overall()
    assert overall["itl"] == {"mean": None, "p50": None, "p95": None, "p99": None, "max": None}
    assert overall["output_tps"] == 400
