"""Metrics of small scenarios, with figures worked out by a simulator that shares no code."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sim import Scenario, run
from sim.history import simulate
from sim.metrics import Metrics, metrics
from sim.progress import Progress
from sim.workload import synthetic
from tests.sim.make import Row, scenario

MS = 10**6


def stream(count: int, every: float, prompt: int, output: int, **setup: Any) -> Scenario:
    """So many equal requests at equal distances."""
    rows = [(f"R{i}", i * every, prompt, output) for i in range(count)]
    return scenario(*rows, **setup)


def known(subject: Scenario) -> Metrics:
    return metrics(simulate(subject))


# 10: what a full pool costs.

CROWD: tuple[Row, ...] = tuple(
    (id_, 2 * i, 8, 12, {"max_output": 24}) for i, id_ in enumerate("ABCDEF")
)


def crowd(**setup: Any) -> Metrics:
    base = {"budget": 16, "block_size": 4, "num_blocks": 20, "max_num_seqs": 8}
    return known(scenario(*CROWD, **{**base, "slo": {"ttft": 60, "max_itl": 40}, **setup}))


@pytest.mark.parametrize(
    ("setup", "running", "preemptions", "recomputed", "good", "goodput", "total"),
    [
        ({}, 6, 2, 24, 4, 27.87, 143.5),
        ({"watermark": 6}, 5, 1, 13, 5, 33.78, 148),
        ({"reserve": "max_output"}, 2, 0, 0, 3, 18.29, 164),
    ],
    ids=["optimistic", "watermark", "conservative"],
)
def test_10c_three_ways_to_let_requests_in(
    setup: dict[str, Any],
    running: int,
    preemptions: int,
    recomputed: int,
    good: int,
    goodput: float,
    total: float,
) -> None:
    found = crowd(**setup)
    overall: dict[str, Any] = found.overall()
    assert overall["peak_running"] == running
    assert (overall["preemptions"], overall["recomputed"]) == (preemptions, recomputed)
    assert (overall["good"], round(overall["goodput"], 2)) == (good, goodput)
    assert found.attainment == found.attainment_of_all == good / 6
    assert found.good_tps == pytest.approx(12 * overall["goodput"])
    assert overall["makespan"] == total


@pytest.mark.parametrize(
    ("setup", "total", "preemptions", "rejected"),
    [
        ({"on_full": "swap", "cost": {"per_swap_block": 0.5}}, 139, 2, 0),
        ({"on_full": "queue"}, 135.5, 1, 0),
        ({"on_full": "reject"}, 110, 0, 2),
    ],
    ids=["swap", "queue", "reject"],
)
def test_10c_three_more_ways_out_of_a_full_pool(
    setup: dict[str, Any], total: float, preemptions: int, rejected: int
) -> None:
    overall: dict[str, Any] = crowd(**setup).overall()
    assert overall["makespan"] == total
    assert overall["preemptions"] == preemptions
    assert overall["recomputed"] == 0 or setup["on_full"] == "queue"
    assert overall["states"].get("rejected", 0) == rejected


# 11: more arrives than is served.

OVERLOAD = {"budget": 64, "max_num_seqs": 8, "window": [2000, 20000]}
SECONDS = np.array([5, 10, 15, 20]) * 1000 * MS


def test_11a_more_arrives_than_is_served() -> None:
    found = known(stream(500, 40, 2, 40, **OVERLOAD))
    load = found.load
    assert load is not None
    assert (load.arrival_rate, load.served_rate) == (25, 20)
    assert round(load.queue_slope or 0, 2) == 4.98
    assert found.presence.waiting_at(SECONDS).tolist() == [24, 48, 74, 97]
    assert round(load.number, 2) in (61.01, 61.02)  # 61.015
    assert round(load.arrival_rate * (load.time or 0), 2) == 76.12
    assert load.gap == pytest.approx(61.015 - 76.12, abs=0.005)
    ttft, itl = found.distributions()["ttft"], found.distributions()["itl"]
    assert (ttft["p50"], ttft["max"], itl["max"]) == (2407, 4897, 10)


def test_11a_the_longest_wait_grows_with_the_queue() -> None:
    found = known(stream(500, 40, 2, 40, **OVERLOAD))
    waits = Progress(found.history).longest_wait
    # A first output takes a round of 10 ms after its start: 4,897 − 10.
    assert waits[-1] == found.longest_wait == 4887
    assert (np.diff(waits) >= 0).all()


def test_11b_littles_law_is_exact_when_the_system_is_empty_at_both_ends() -> None:
    rows = [(f"R{i}", i // 16 * 1000, 2, 50) for i in range(160)]
    found = known(scenario(*rows, budget=64, max_num_seqs=8, window=[0, 10000]))
    load = found.load
    assert load is not None
    assert (load.arrival_rate, load.time, load.number, load.gap) == (16, 0.75, 12, 0)
    overall: dict[str, Any] = found.overall()
    assert (overall["queue"]["mean"], overall["rounds"]) == (250, 1000)
    named = {"lambda": 16, "W": 0.75, "L": 12, "queue_slope": load.queue_slope}
    assert overall["load"] == named


@pytest.mark.parametrize(
    ("setup", "output", "good", "gone", "p95", "slope"),
    [
        ({}, 40, 110, {}, 4647.5, 4.98),
        ({"max_queue": 8}, 40, 410, {"rejected": 90}, 407, -0.02),
        ({"queue_timeout": 500}, 40, 412, {"timed_out": 88}, 507, None),
        ({}, 30, 500, {}, 9, -0.02),
    ],
    ids=["none", "bounded queue", "timeout", "shorter answers"],
)
def test_11c_remedies(
    setup: dict[str, Any],
    output: int,
    good: int,
    gone: dict[str, int],
    p95: float,
    slope: float | None,
) -> None:
    found = known(stream(500, 40, 2, output, **OVERLOAD, slo={"ttft": 1000}, **setup))
    overall: dict[str, Any] = found.overall()
    assert overall["good"] == good
    assert {name: n for name, n in overall["states"].items() if name != "finished"} == gone
    assert overall["ttft"]["p95"] == p95
    if slope is not None:
        assert round(overall["load"]["queue_slope"], 2) == slope
    served = 500 - sum(gone.values())
    assert found.attainment == good / served
    assert found.attainment_of_all == good / 500
    assert found.missed is not None and found.missed["ttft"].sum() == served - good


# 12: starvation.


def test_12a_newcomers_starve_behind_decodes() -> None:
    chat: list[Row] = [(f"D{i}", 0, 1, 40, {"tenant": "chat"}) for i in range(1, 9)]
    new: list[Row] = [(f"N{i}", 5 + 100 * (i - 1), 8, 2, {"tenant": "new"}) for i in range(1, 5)]
    found = known(
        scenario(*chat, *new, budget=8, max_num_seqs=16, service="decode_first", slo={"ttft": 100})
    )
    assert [found.request(i).ttft for i in range(8, 12)] == [397, 309.5, 216, 120]
    groups = found.groups("tenant")
    assert groups["chat"].latencies["itl"]["mean"] == 10
    assert groups["chat"].latencies["itl"]["max"] == 10
    assert max(found.request(i).outputs[-1] for i in range(8)) == 396
    assert (groups["chat"].attainment, groups["new"].attainment) == (1, 0)
    starts = np.array([6, 106, 206, 306]) * MS
    assert found.presence.waiting_at(starts).tolist() == [1, 2, 3, 4]
    # Nobody new is scheduled before 396 ms: the first, who came at 5, is still waiting.
    early = metrics(found.history, 306 * MS)
    assert early.longest_wait == 301
    assert early.distributions()["queue"]["max"] == 0


# 13: prompts and gaps.


@pytest.mark.parametrize(
    ("setup", "tps", "p99", "p95", "calm"),
    [
        ({"max_prefill": 512}, 2229.86, 38.57, 4559.72, 600),
        ({"max_prefill": 4096}, 2299.84, 151.82, 336.59, 7),
        ({"round_target": 60}, 2293.57, 60, 914.79, 600),
    ],
    ids=["512", "4096", "60 ms"],
)
def test_13b_goodput_by_the_longest_gap(
    setup: dict[str, int], tps: float, p99: float, p95: float, calm: int
) -> None:
    cost = {"base": 6, "per_prefill": 0.03, "per_decode": 0.03, "per_kv_token": 0.0001}
    base = {"budget": 8192, "max_num_seqs": 256, "service": "decode_first", "cost": cost}
    alone = scenario(("R", 0, 1, 1), **base, slo={"max_itl": 80}, **setup)
    found = known(replace(alone, requests=synthetic(600, 14, 1, max_prompt=8192)))
    overall: dict[str, Any] = found.overall()
    assert round(overall["output_tps"], 2) == tps
    assert round(overall["itl"]["p99"], 2) == p99
    assert round(overall["ttft"]["p95"], 2) == p95
    assert overall["good"] == calm
    assert found.missed is not None and found.missed["max_itl"].sum() == 600 - calm


# 14: loops.


@pytest.mark.parametrize(
    ("setup", "rate", "p95", "most"),
    [
        ({"concurrency": 4, "cost": {"base": 2}}, 55.56, 18, None),
        ({"concurrency": 4, "cost": {"base": 8}}, 30.3, 24, None),
        ({"cost": {"base": 2}}, 39.68, 7, 9),
        ({"cost": {"base": 8}}, 29.47, 448.7, 466),
    ],
    ids=["closed 2", "closed 8", "open 2", "open 8"],
)
def test_14a_closed_and_open_loop(
    setup: dict[str, Any], rate: float, p95: float, most: float | None
) -> None:
    overall: dict[str, Any] = known(
        stream(60, 25, 8, 10, budget=32, max_num_seqs=4, **setup)
    ).overall()
    assert round(overall["request_rate"], 2) == rate
    assert round(overall["ttft"]["p95"], 2) == p95
    assert most is None or overall["ttft"]["max"] == most


def test_14a_a_closed_loop_counts_from_when_a_request_entered() -> None:
    found = known(stream(60, 25, 8, 10, budget=32, max_num_seqs=4, concurrency=4))
    first, fifth = found.request(0), found.request(4)
    assert (first.arrival, fifth.arrival) == (0, first.outputs[-1])
    assert fifth.queue == 0
    half = metrics(found.history, int(found.history.ends[5]))
    assert half.states() == {"decode": 4}  # the others have not entered


# 15: a client leaves.


@pytest.mark.parametrize(
    ("leaves", "generated", "sent", "ttft", "total"),
    [(None, 8, 8, 42, 53), (20, 4, 3, 27, 41)],
    ids=["stays", "leaves"],
)
def test_15a_a_token_later_than_its_client_is_generated_and_not_sent(
    leaves: float | None, generated: int, sent: int, ttft: float, total: float
) -> None:
    rows: list[Row] = [("A", 0, 8, 8), ("B", 0, 8, 8, {"cancel_at": leaves}), ("C", 2, 8, 4)]
    found = known(scenario(*rows, budget=16, block_size=4, num_blocks=8, reserve="max_output"))
    own, overall = found.request(1), found.overall()
    assert (own.generated, own.sent) == (generated, sent)
    assert (found.request(2).ttft, overall["makespan"]) == (ttft, total)
    assert (overall["generated"], overall["tokens"]) == (12 + generated, 12 + sent)
    assert str(own.state) == ("finished" if leaves is None else "cancelled")
    assert (own.e2e is None) == (leaves is not None)


def test_15a_who_leaves_is_gone_at_the_next_boundary() -> None:
    rows: list[Row] = [("A", 0, 8, 8), ("B", 0, 8, 8, {"cancel_at": 20}), ("C", 2, 8, 4)]
    history = run(scenario(*rows, budget=16, block_size=4, num_blocks=8, reserve="max_output"))
    at = [metrics(history, ms * MS) for ms in (18, 22, 27)]
    assert [str(found.request(1).state) for found in at] == ["decode", "decode", "cancelled"]
    assert [found.request(1).generated for found in at] == [3, 4, 4]
    assert [found.request(1).sent for found in at] == [3, 3, 3]
    assert Progress(history).tokens[-1] == 8 + 3 + 4
