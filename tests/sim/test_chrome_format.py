"""Chrome traces against the rules of the published Trace Event Format, event by event.

The rules are written down here from the format's description, not from the code under test: what
each phase must and may have, names and arguments of metadata, counters as numbers, spans of a
thread inside one another, and a name for every thread and process that appears. Perfetto's importer
asks more, and what it asks is here too: whole microseconds, since it cuts fractions off by way of a
float; numbers of threads that no other process has, that are not 0 and fit 32 bits; and a main
thread, which has the number of its process.
"""

import json
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given

from sim import Scenario, run
from sim.chrome import to_chrome
from tests.sim.make import by_hand, scenario, scenarios

Event = dict[str, Any]

TOP_KEYS = {"traceEvents", "displayTimeUnit", "systemTraceEvents", "otherData", "stackFrames"}
COMMON = {"name", "cat", "ph", "pid", "tid", "args", "cname"}
TIMED = COMMON | {"ts", "tts"}
KEYS = {
    "X": TIMED | {"dur", "tdur", "sf", "esf"},
    "i": TIMED | {"s", "sf"},
    "C": TIMED | {"id"},
    "M": COMMON | {"ts"},
}
METADATA = {
    "process_name": ("name", str),
    "process_labels": ("labels", str),
    "process_sort_index": ("sort_index", int),
    "thread_name": ("name", str),
    "thread_sort_index": ("sort_index", int),
}
SCOPES = {"g", "p", "t"}


def is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_time(value: object) -> bool:
    return type(value) is int and value >= 0


def is_id(value: object) -> bool:
    return type(value) is int and 0 < value < 2**32


def faults(event: Event) -> list[str]:
    """What one event has that it must not have, or lacks."""
    kind = event.get("ph")
    if kind not in KEYS:
        return [f"phase {kind!r}"]
    found = [f"key {key}" for key in event.keys() - KEYS[kind]]
    found += [key for key in ("pid", "tid") if not is_id(event.get(key))]
    if not isinstance(event.get("name"), str) or not event["name"]:
        found.append("name")
    if not isinstance(event.get("args", {}), dict):
        found.append("args")
    if kind != "M" and not is_time(event.get("ts")):
        found.append("ts")
    return found + OF_KIND[kind](event)


def of_span(event: Event) -> list[str]:
    return [] if is_time(event.get("dur")) else ["dur"]


def of_instant(event: Event) -> list[str]:
    return [] if event.get("s", "t") in SCOPES else ["s"]


def of_counter(event: Event) -> list[str]:
    series = event.get("args", {})
    return [] if series and all(map(is_number, series.values())) else ["series"]


def of_metadata(event: Event) -> list[str]:
    key, kind = METADATA.get(event["name"], ("", object))
    return [] if key and type(event.get("args", {}).get(key)) is kind else ["metadata"]


OF_KIND: dict[str, Callable[[Event], list[str]]] = {
    "X": of_span,
    "i": of_instant,
    "C": of_counter,
    "M": of_metadata,
}


def check_file(trace: dict[str, Any]) -> None:
    """Assert that a whole file keeps the rules."""
    assert trace.keys() <= TOP_KEYS
    assert trace.get("displayTimeUnit", "ms") in ("ms", "ns")
    events = trace["traceEvents"]
    assert [(event, faults(event)) for event in events if faults(event)] == []
    check_names(events)
    threads = defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            threads[event["pid"], event["tid"]].append((event["ts"], -event["dur"]))
    for spans in threads.values():
        check_nesting([(start, start - length) for start, length in sorted(spans)])


def check_names(events: list[Event]) -> None:
    """Every process and thread has one name, and so has every counter one place."""
    threads = [e for e in events if e["name"] == "thread_name"]
    named = [(e["pid"], e["tid"]) for e in threads]
    processes = [e["pid"] for e in events if e["name"] == "process_name"]
    assert len(named) == len(set(named)) and len(processes) == len(set(processes))
    assert {(e["pid"], e["tid"]) for e in events} <= set(named)
    assert {e["pid"] for e in events} == set(processes)
    assert len({tid for _, tid in named}) == len(named), "a number of two processes"
    main = [e["args"]["name"] for e in threads if e["pid"] == e["tid"]]
    assert main == ["rounds"] * len(processes)
    counters = [(e["pid"], e["name"], e["ts"]) for e in events if e["ph"] == "C"]
    assert len(counters) == len(set(counters)), "two values of a counter at one time"


def check_nesting(spans: list[tuple[int, int]]) -> None:
    """Spans of a thread lie side by side or inside one another: none is cut by the end of one."""
    open_ends: list[int] = []
    for start, end in spans:
        while open_ends and open_ends[-1] <= start:
            open_ends.pop()
        assert not open_ends or end <= open_ends[-1], (start, end)
        open_ends.append(end)


def exported(*subjects: Scenario) -> dict[str, Any]:
    """As a reader gets it: through strict JSON."""
    text = json.dumps(to_chrome(*map(run, subjects)), allow_nan=False)
    trace: dict[str, Any] = json.loads(text)
    return trace


def test_two_lanes_keep_the_rules() -> None:
    check_file(exported(by_hand(mode="static"), by_hand()))


def test_evictions_departures_and_blocks_keep_the_rules() -> None:
    rows = (("A", 0, 8, 6), ("B", 0, 8, 6), ("C", 1, 4, 9, {"cancel_at": 5}))
    check_file(exported(scenario(*rows, budget=16, block_size=4, num_blocks=5)))


@given(scenarios())
def test_any_run_keeps_the_rules(subject: Scenario) -> None:
    check_file(exported(subject))


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"ph": "Q"}, "phase 'Q'"),
        ({"pid": "1"}, "pid"),
        ({"tid": None}, "tid"),
        ({"tid": 0}, "tid"),
        ({"tid": 2**32}, "tid"),
        ({"ts": "0"}, "ts"),
        ({"ts": -1}, "ts"),
        ({"ts": 1.001}, "ts"),
        ({"dur": None}, "dur"),
        ({"dur": -1}, "dur"),
        ({"name": ""}, "name"),
        ({"s": "t"}, "key s"),
        ({"ph": "C", "args": {"value": "3"}}, "series"),
        ({"ph": "M", "name": "thread_name", "args": {"name": 3}}, "metadata"),
    ],
)
def test_a_broken_event_is_found(change: Event, fault: str) -> None:
    event = {"ph": "X", "name": "prefill", "pid": 1, "tid": 1, "ts": 0, "dur": 1, "args": {}}
    assert faults(event) == []
    assert fault in faults(event | change)


def test_overlapping_spans_are_found() -> None:
    check_nesting([(0, 5), (1, 3), (3, 5), (5, 6)])
    with pytest.raises(AssertionError):
        check_nesting([(0, 5), (3, 6)])
