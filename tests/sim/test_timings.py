"""Costs from measured requests: known ones are found again, and judged by what was not fitted."""

import json
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sim import Cost, Request, Scenario, Setup, fit_search, run
from sim import timings as module
from sim.fit_search import least, work
from sim.fit_timings import TimingsFit, as_dict, cost_toml, fit_timings, told
from sim.metrics import Metrics
from sim.sweep import Stopped
from sim.timings import Timings, TimingsError, read_timings, read_timings_file, timings_of
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
    timings = read_timings_file(shared / "data/traces" / name)
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


# Reading.

ROW = {
    "input_toks": 5,
    "output_toks": 2,
    "queued_ts": 479748.340626232,
    "first_token_ts": 479748.5,
    "last_token_ts": 479749,
}


def lines(*rows: dict[str, Any]) -> bytes:
    return "\n".join(json.dumps(row) for row in rows).encode()


def test_times_are_exact_and_count_from_being_queued() -> None:
    rows = [{**ROW, "queued_ts": 479748.340626232 - 0.001 * n, "more": "x"} for n in range(8)]
    found = read_timings("x", b"\xef\xbb\xbf" + lines(*rows) + b"\n\n")
    assert [request.arrival for request in found.requests] == [n * 10**6 for n in range(8)]
    assert found.ttft[-1] == 159_373_768 and found.e2e[-1] == 659_373_768
    assert found.tpot[-1] == 500_000_000
    assert (found.requests[0].prompt, found.requests[0].output) == (5, 2)


def test_csv_is_read_alike() -> None:
    row = ",".join(map(str, ROW.values()))
    data = "\n".join([",".join(ROW), *[row] * 8]).encode()
    found, other = read_timings("x", data), read_timings("x", lines(*[ROW] * 8))
    assert found.requests == other.requests
    assert found.ttft.tolist() == other.ttft.tolist()


@pytest.mark.parametrize(
    ("data", "told_so"),
    [
        (lines(*[ROW] * 7), "x: has 7 measured requests; from 8 to 50,000"),
        (b"", "x: has 0 measured requests"),
        (b"{broken", "x:1: is no JSON object"),
        (lines(ROW) + b"\n[1]", "x:2: is no JSON object"),
        (b"\xff", "x: is not UTF-8 text"),
        (b"prompt,output\n1,2", "x:2: has no input_toks; measured requests have the columns"),
        (lines(ROW, {**ROW, "queued_ts": None}), "x:2: has no queued_ts"),
        (lines({**ROW, "queued_ts": "soon"}), "x:1: queued_ts must be a number from 0 to a bil"),
        (lines({**ROW, "queued_ts": -1}), "queued_ts must be a number from 0 to a billion, not"),
        (lines({**ROW, "queued_ts": float("inf")}), "queued_ts must be a number"),
        (lines({**ROW, "input_toks": 1.5}), "input_toks must be a whole number from 1 to 1,000"),
        (lines({**ROW, "output_toks": 0}), "output_toks must be a whole number from 1 to 1,000"),
        (lines({**ROW, "first_token_ts": 1}), "queued_ts ≤ first_token_ts ≤ last_token_ts"),
    ],
)
def test_what_is_no_table_of_timings_is_refused(data: bytes, told_so: str) -> None:
    with pytest.raises(TimingsError) as caught:
        read_timings("x", data)
    assert told_so in str(caught.value)


def test_requests_too_far_apart_are_refused() -> None:
    far = {**ROW, "queued_ts": 9e8, "first_token_ts": 9e8, "last_token_ts": 9e8}
    with pytest.raises(TimingsError, match="ms apart"):
        read_timings("x", lines(*[ROW] * 7, far))


class Times(NamedTuple):
    queued: int
    first_token: int
    last_token: int


def test_requests_of_a_trace_are_put_beside_their_times() -> None:
    """Their own arrivals may be of another clock, and of another order."""
    requests = [Request(f"q{n}", n, 5, 2, cached=3, tenant="t") for n in range(8)]
    times = [Times(100 - n, 110, 130) for n in range(8)]
    found = timings_of("x", requests, times)
    assert [request.id for request in found.requests] == [f"q{n}" for n in range(7, -1, -1)]
    assert [request.arrival for request in found.requests] == list(range(8))
    assert (found.requests[0].cached, found.requests[0].tenant) == (3, "t")
    assert found.ttft.tolist() == list(range(17, 9, -1))
    assert found.e2e.tolist() == list(range(37, 29, -1))
    with pytest.raises(TimingsError, match="1 of 8 requests have no measured times"):
        timings_of("x", requests, [None, *times[1:]])


def test_a_file_that_is_not_there_or_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(TimingsError, match="cannot be read"):
        read_timings_file(tmp_path / "none")
    monkeypatch.setattr(module, "MAX_BYTES", 10)
    (tmp_path / "large").write_bytes(lines(ROW))
    with pytest.raises(TimingsError, match="is larger than"):
        read_timings_file(tmp_path / "large")
