"""Runs as Chrome traces: the form Perfetto reads, and the figures of the hand-worked runs in it."""

import json
from itertools import pairwise
from typing import Any

from hypothesis import given

from sim import Scenario, run
from sim.chrome import to_chrome
from sim.sequence import Status
from tests.sim.make import by_hand, scenario, scenarios

Event = dict[str, Any]
POOL = scenario(("A", 0, 8, 6), ("B", 0, 8, 6), budget=16, block_size=4, num_blocks=5)


def events(subject: Scenario, kind: str, thread: int | None = None) -> list[Event]:
    """Events of a kind; of one thread if asked: 1 has the rounds, the requests come after it."""
    found = to_chrome(run(subject))["traceEvents"]
    return [e for e in found if e["ph"] == kind and thread in (None, e["tid"])]


def spans(subject: Scenario, thread: int) -> list[tuple[str, float, float]]:
    """Complete events of a thread by start: name, start, end."""
    found = [(e["name"], e["ts"], e["ts"] + e["dur"]) for e in events(subject, "X", thread)]
    return sorted(found, key=lambda span: span[1])


def test_the_by_hand_run_in_microseconds() -> None:
    assert spans(by_hand(), 1) == [
        ("round 1", 0, 4000),
        ("round 2", 4000, 8000),
        ("round 3", 8000, 13000),
        ("round 4", 13000, 16500),
        ("round 5", 16500, 19500),
    ]
    assert spans(by_hand(), 4) == [
        ("waiting", 6000, 8000),
        ("prefill", 8000, 13000),
        ("prefill", 13000, 16500),
        ("decode", 16500, 19500),
    ]


def test_events_say_tokens_and_reasons() -> None:
    told = [event["args"] for event in events(by_hand(), "X", 4)]
    assert told == [
        {"reason": "not_arrived"},
        {"round": 3, "tokens": 2, "reason": "budget_spent"},
        {"round": 4, "tokens": 1, "emitted": 1},
        {"round": 5, "tokens": 1, "emitted": 1, "finished": True},
    ]
    assert events(by_hand(), "X", 1)[2]["args"] == {
        "P": 2, "D": 2, "V": 0, "K": 8, "padding": 0, "idle": 0,
    }  # fmt: skip


def test_threads_are_named_rounds_first() -> None:
    names = [e["args"]["name"] for e in events(by_hand(), "M") if e["name"] == "thread_name"]
    assert names == ["rounds", "A", "B", "C"]


def test_two_runs_are_two_processes() -> None:
    two = to_chrome(run(by_hand(mode="static")), run(by_hand()))["traceEvents"]
    names = {e["pid"]: e["args"]["name"] for e in two if e["name"] == "process_name"}
    assert names == {1: "static", 5: "continuous"}
    titles = {e["tid"]: e["args"]["name"] for e in two if e["name"] == "thread_name"}
    assert list(titles.items()) == list(enumerate(["rounds", "A", "B", "C"] * 2, 1))


def test_one_reason_in_a_row_is_one_event() -> None:
    held = [e for e in events(by_hand(mode="static"), "X", 3) if e["name"] in ("waiting", "held")]
    assert [(e["name"], e["ts"], e["dur"], e["args"]) for e in held] == [
        ("waiting", 2000, 2000, {"reason": "not_arrived"}),
        ("waiting", 4000, 9000, {"reason": "batch_closed", "first_round": 2, "last_round": 4}),
        ("held", 17000, 3000, {"reason": "batch_turn", "first_round": 6, "last_round": 6}),
    ]


def test_padding_and_idle_seats_of_a_static_batch() -> None:
    subject = scenario(("A", 0, 3, 1), ("B", 0, 1, 3), budget=8, mode="static")
    (prefill,) = [e for e in events(subject, "X", 3) if e["name"] == "prefill"]
    assert prefill["args"] == {"round": 1, "tokens": 1, "padding": 2, "emitted": 1}
    (idle,) = [e for e in events(subject, "X", 2) if e["name"] == "idle seat"]
    assert idle["args"] == {"first_round": 2, "last_round": 3}
    # A round with one prompt of 3 and one padded to 3 costs 2 + 6 × 0.5 ms, two decodes 2 + 2 × 1.
    assert (idle["ts"], idle["dur"]) == (5000, 8000)


def test_an_eviction_and_the_wait_after_it() -> None:
    assert [(e["name"], e["ts"]) for e in events(POOL, "i", 3)] == [
        ("arrival", 0),
        ("preempted", 10000),
    ]
    assert spans(POOL, 3)[1:4] == [
        ("waiting", 10000, 13000),
        ("waiting", 13000, 25000),
        ("prefill", 25000, 31500),
    ]


def test_counters_follow_the_rounds_and_end_at_nothing() -> None:
    found = events(POOL, "C")
    assert [e["args"]["used"] for e in found if e["name"] == "blocks"][:3] == [4, 3, 3]
    assert [(e["name"], e["ts"], e["args"]) for e in found[-2:]] == [
        ("requests", 43500, {"running": 0, "waiting": 0}),
        ("blocks", 43500, {"used": 0}),
    ]
    assert {e["name"] for e in events(by_hand(), "C")} == {"requests"}


def test_who_leaves_early_has_a_moment_of_that_name() -> None:
    subject = scenario(("A", 0, 2, 9, {"cancel_at": 5}), ("B", 0, 2, 1), budget=4)
    (left,) = [e for e in events(subject, "i", 2) if e["name"] == "cancelled"]
    assert left["ts"] == 7000  # rounds end at 4 and 7 ms; it is seen to have left at a boundary


def test_a_tick_is_drawn_as_a_millisecond() -> None:
    assert spans(scenario(("A", 1, 2, 2), budget=4, time="tick"), 1) == [
        ("round 1", 1000, 2000),
        ("round 2", 2000, 3000),
    ]


def test_times_are_whole_microseconds_and_neighbours_stay_neighbours() -> None:
    cost = {"base": 0.0014, "per_prefill": 0.0, "per_decode": 0.0}  # ms: ends at 1.4, 2.8, 4.2 us
    subject = scenario(("A", 0, 1, 3), budget=1, cost=cost)
    assert spans(subject, 1) == [("round 1", 0, 1), ("round 2", 1, 2), ("round 3", 2, 4)]


@given(scenarios())
def test_any_run_is_strict_json_with_all_work_in_it(subject: Scenario) -> None:
    history = run(subject)
    found = json.loads(json.dumps(to_chrome(history), allow_nan=False))["traceEvents"]
    work = [e["args"]["tokens"] for e in found if e["name"] in ("prefill", "decode")]
    assert sum(work) == sum(sum(record.given.values()) for record in history)
    assert sum(e["name"].startswith("round ") for e in found) == len(history)
    left = [e for e in found if e["name"] in ("cancelled", "rejected", "timed_out")]
    assert len(left) == sum(how is not Status.FINISHED for how in history.states)
    assert all(e["dur"] >= 0 for e in found if e["ph"] == "X")


@given(scenarios())
def test_nothing_overlaps_on_a_thread(subject: Scenario) -> None:
    found = to_chrome(run(subject))["traceEvents"]
    threads: dict[int, list[Event]] = {}
    for event in found:
        if event["ph"] == "X":
            threads.setdefault(event["tid"], []).append(event)
    for spans_ in threads.values():
        spans_.sort(key=lambda e: (e["ts"], e["dur"]))
        for one, next_ in pairwise(spans_):
            assert one["ts"] + one["dur"] <= next_["ts"]
