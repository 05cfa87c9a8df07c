"""Costs from measured requests: known ones are found again, and judged by what was not fitted."""

import json
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sim import Cost, Request, Scenario, Setup, fit_search, run
from sim.fit_search import least, work
from sim.fit_timings import TimingsFit, as_dict, cost_toml, fit_timings, told
from sim.metrics import Metrics
from sim.sweep import Stopped
from sim.timings import Timings, TimingsError, timings_of
from sim.traces import Timing, read_trace_file
from sim.workload import synthetic
from tests.sim.make import loyal_scenarios, scenario

REQUESTS = synthetic(60, 20, seed=3)
SERVER = Setup(budget=512, mode="vllm_v1")


def measured(cost: Cost, requests: tuple[Request, ...] = REQUESTS, noise: float = 0) -> Timings:
    """What a server of this cost would measure, with some noise on every time."""
    history = run(Scenario(replace(SERVER, cost=cost), requests))
    outputs = Metrics(history).outputs
    factors = 1 + noise * np.random.default_rng(1).standard_normal((2, len(requests)))
    ttft = (outputs.first_times - history.arrivals) * factors[0]
    rest = (outputs.last_times - outputs.first_times) * factors[1]
    return Timings("x", requests, ttft.astype(np.int64), (ttft + rest).astype(np.int64))


def parts(cost: Cost) -> list[int]:
    return [cost.base, cost.per_prefill, cost.per_decode, cost.per_kv_token]


@pytest.mark.parametrize(
    "truth",
    [
        Cost(6_000_000, 30_000, 30_000, 100),
        Cost(8_000_000, 50_000, 100_000, 0),
        Cost(20_000_000, 40_000, 0, 200),
        Cost(12_345_678, 41_234, 51_234, 77),
    ],
)
def test_a_known_cost_is_found_again_to_the_nanosecond(truth: Cost) -> None:
    fit = fit_timings(measured(truth), SERVER)
    assert parts(fit.cost) == parts(truth)
    assert [one.error for one in fit.figures] == [0, 0, 0, 0]
    assert (fit.e2e.measured == fit.e2e.predicted).all()
    assert fit.nearly["base"] == (truth.base / 1e6, truth.base / 1e6)


def test_noise_moves_the_fit_by_little_and_the_judge_says_by_how_much() -> None:
    truth = Cost(12_345_678, 41_234, 51_234, 77)
    fit = fit_timings(measured(truth, noise=0.02), SERVER)
    assert fit.cost.base == pytest.approx(truth.base, rel=0.2)
    assert all(one.error is not None and abs(one.error) < 0.1 for one in fit.figures)
    low, high = fit.nearly["per_prefill"]
    assert low <= fit.cost.per_prefill / 1e6 <= high and low < high


def test_the_fit_never_sees_the_later_half() -> None:
    plain = measured(Cost(6_000_000, 30_000, 30_000, 100))
    later = np.arange(60) >= 30
    lied = replace(plain, ttft=plain.ttft + 10**9 * later, e2e=plain.e2e + 2 * 10**9 * later)
    honest, misled = fit_timings(plain, SERVER), fit_timings(lied, SERVER)
    assert honest.cost == misled.cost
    assert honest.unseen.tolist() == later.tolist()
    assert [one.error for one in misled.seen_figures] == [0, 0, 0, 0]
    assert all(one.error is not None and one.error < 0 for one in misled.figures[:3])


def test_figures_are_those_of_the_later_half_in_ms() -> None:
    fit = fit_timings(measured(Cost(6_000_000, 30_000, 30_000, 100)), SERVER)
    later = fit.timings.requests[30:]
    ttft, e2e = fit.timings.ttft[30:] / 1e6, fit.timings.e2e[30:] / 1e6
    ends = [request.arrival / 1e6 + time for request, time in zip(later, e2e, strict=True)]
    tpots = [
        (last - first) / (request.output - 1) if request.output > 1 else 0
        for request, first, last in zip(later, ttft, e2e, strict=True)
    ]
    assert [one.measured for one in fit.figures] == pytest.approx(
        [
            np.median(ttft),
            np.percentile(ttft, 99),
            np.mean(tpots),
            max(ends) - later[0].arrival / 1e6,
        ]
    )


def test_a_recorded_server_is_predicted_within_ten_percent(shared: Path) -> None:
    name = "llmservingsim_vllm019_RTXPRO6000_Llama-3.1-8B.requests.jsonl"
    imported = read_trace_file(shared / "data/traces" / name)
    timings = timings_of(name, imported.requests, imported.timings)
    fit = fit_timings(timings, Setup(budget=2048, max_num_seqs=128, mode="vllm_v1"))
    assert len(timings.requests) == 300
    assert all(one.error is not None and abs(one.error) < 0.1 for one in fit.figures)


# The parts of the search.


PLAIN: Any = {"num_blocks": None, "speculation": None, "mode": "continuous"}


@settings(max_examples=40)
@given(loyal_scenarios(**PLAIN, first_token="last_chunk"))
def test_the_work_of_rounds_is_what_they_say(subject: Scenario) -> None:
    """Where no KV is lost, and no token read again because its whole prompt is cached."""
    assume(all(request.cached < request.prompt for request in subject.requests))
    history = run(subject)
    rows = work(history)
    for record, (one, prefill, decode, reads) in zip(history, rows.tolist(), strict=True):
        assert (one, prefill, decode) == (1, record.prefill, record.decode)
        assert reads == record.kv_read


matrices = st.lists(
    st.tuples(*[st.integers(0, 20)] * 4, st.integers(-50, 50)), min_size=1, max_size=12
)


@given(matrices)
def test_least_squares_have_no_part_below_zero_and_no_better_neighbour(rows: Any) -> None:
    """At a minimum over parts ≥ 0 no slope leads on: Karush, Kuhn and Tucker's condition."""
    table = np.array(rows, dtype=float)
    matrix, target = table[:, :4], table[:, 4]
    found = least(matrix, target)
    slopes = matrix.T @ (matrix @ found - target)
    assert (found >= 0).all()
    assert (slopes > -1e-6).all()
    assert slopes[found > 0] == pytest.approx(0, abs=1e-6)


# Progress, stopping, refusals.


def test_progress_is_told_turn_by_turn_and_stop_ends_it() -> None:
    timings = measured(Cost(6_000_000, 30_000, 30_000, 100))
    seen: list[tuple[int, int]] = []
    fit_timings(timings, SERVER, progress=lambda *at: seen.append(at))
    assert [done for done, _ in seen] == list(range(1, len(seen) + 1))
    assert {of for _, of in seen} == {32}
    with pytest.raises(Stopped):
        fit_timings(timings, SERVER, stop=lambda: True)


def test_a_search_without_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fit_search, "TURNS", 1)
    seen: list[int] = []
    timings = measured(Cost(6_000_000, 30_000, 30_000, 100), noise=0.02)
    fit_timings(timings, SERVER, progress=lambda done, _: seen.append(done))
    assert seen == list(range(1, fit_search.FIRST_TURNS + 2))


@pytest.mark.parametrize(
    ("setup", "told_so"),
    [
        ({"time": "tick"}, "in ms, not in ticks"),
        ({"max_queue": 0}, "some requests are not served to the end"),
    ],
)
def test_a_setup_that_cannot_be_fitted_is_refused(setup: Any, told_so: str) -> None:
    timings = measured(Cost(6_000_000, 30_000, 30_000, 100))
    with pytest.raises(TimingsError, match=told_so):
        fit_timings(timings, Setup(budget=512, **setup))


def test_single_tokens_that_take_no_time_can_be_fitted() -> None:
    """Nothing says what a decode costs, and a P99 of 0 has no relative error."""
    requests = tuple(Request(f"r{n}", n * 10**8, 8, 1) for n in range(8))
    nothing = np.zeros(8, dtype=np.int64)
    fit = fit_timings(Timings("x", requests, nothing, nothing), SERVER)
    assert fit.cost.base == 1
    assert fit.figures[0].error is None
    assert "TTFT P50 0 0 –" in " ".join(told(fit).split())


# Telling.


@pytest.fixture(scope="module")
def fitted() -> TimingsFit:
    return fit_timings(measured(Cost(6_000_000, 30_000, 30_000, 100), noise=0.02), SERVER)


def test_the_cost_is_told_as_a_table_of_a_scenario_file(fitted: TimingsFit) -> None:
    table = tomllib.loads(cost_toml(fitted.cost))
    assert set(table["setup"]["cost"]) == {"base", "per_prefill", "per_decode", "per_kv_token"}
    again = scenario(("A", 0, 2, 1), budget=4, **table["setup"])
    assert parts(again.setup.cost) == parts(fitted.cost)
    assert cost_toml(fitted.cost) in told(fitted)
    assert f"--set cost.base={fitted.cost.base / 1e6:f}" in told(fitted)


def test_the_program_gets_predicted_and_measured_of_every_request(fitted: TimingsFit) -> None:
    found = json.loads(json.dumps(as_dict(fitted)))
    assert found["requests"] == 60 == len(found["ttft"]["measured"])
    assert found["is_unseen"] == [False] * 30 + [True] * 30
    assert found["e2e"]["predicted"] == fitted.e2e.predicted.tolist()
    assert [one["name"] for one in found["unseen"]] == [
        "ttft_p50",
        "ttft_p99",
        "tpot_mean",
        "makespan",
    ]
    assert found["unseen"][0]["error"] == fitted.figures[0].error


# From traces.


def test_requests_of_a_trace_are_put_beside_their_times() -> None:
    """Their own arrivals may be of another clock, and of another order."""
    requests = [Request(f"q{n}", n, 5, 2, cached=3, tenant="t") for n in range(8)]
    times = [Timing(100 - n, None, 110, 130) for n in range(8)]
    found = timings_of("x", requests, times)
    assert [request.id for request in found.requests] == [f"q{n}" for n in range(7, -1, -1)]
    assert [request.arrival for request in found.requests] == list(range(8))
    assert (found.requests[0].cached, found.requests[0].tenant) == (3, "t")
    assert found.ttft.tolist() == list(range(17, 9, -1))
    assert found.e2e.tolist() == list(range(37, 29, -1))


@pytest.mark.parametrize(
    ("count", "change", "told_so"),
    [
        (8, lambda times: [], "x: holds no measured times; they are the columns queued_ts"),
        (8, lambda times: [None] * 8, "x: holds no measured times"),
        (8, lambda times: [None, *times[1:]], "1 of 8 requests have no measured times"),
        (7, lambda times: times, "x: has 7 measured requests; at least 8 are needed"),
        (
            8,
            lambda times: [*times[1:], Timing(10**18, None, 10**18, 10**18)],
            "more than 10,000,000,000 ms apart",
        ),
    ],
)
def test_requests_that_cannot_be_fitted_are_refused(count: int, change: Any, told_so: str) -> None:
    requests = [Request(f"q{n}", n, 5, 2) for n in range(count)]
    times = [Timing(n, None, 110, 130) for n in range(count)]
    with pytest.raises(TimingsError, match=told_so):
        timings_of("x", requests, change(times))
