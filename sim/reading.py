"""From tables of files, links and the page to records, and back.

Everything that is wrong is gathered on the way, so that one answer names it all.
"""

import difflib
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from itertools import pairwise
from typing import Any

from sim.clock import TimeUnit, to_internal, to_shown
from sim.problems import Problem
from sim.setup import MAX_REQUESTS, Cost, Experts, Request, Setup, Slo, Speculation
from sim.workload import generate

MOST_NEAR = 10  # problems until which a likely name is looked for
MOST_COMPARED = 80  # characters of it

Record = Request | Setup | Cost | Speculation | Experts | Slo


def written(record: Record, unit: TimeUnit) -> dict[str, Any]:
    """A record as a table of a file; fields at their default are left out."""
    data: dict[str, Any] = {}
    for item in fields(record):
        value = getattr(record, item.name)
        if value == item.default:
            continue
        kind = item.metadata["kind"]
        if kind == "table":
            value = written(value, unit)
        elif kind in ("time", "wait") and isinstance(value, int):
            value = to_shown(value, unit)
        elif kind == "span":
            value = [to_shown(time, unit) for time in value]
        elif isinstance(value, tuple):
            value = list(value)
        data[item.name] = value
    return data


# Reading: each kind of field has one small reader; it returns the value or raises
# `_BrokenRuleError`.


class _BrokenRuleError(Exception):
    def __init__(self, rule: str, value: Any = None, **params: Any) -> None:
        self.rule, self.value, self.params = rule, value, params


def _read_count(value: Any, rule: Mapping[str, Any], unit: TimeUnit) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise _BrokenRuleError("not_whole", value)
    _check_bounds(value, rule["low"], rule["high"])
    return value


def _read_time(value: Any, rule: Mapping[str, Any], unit: TimeUnit) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise _BrokenRuleError("not_number", value)
    try:
        _check_bounds(value, rule["low"], rule["high"])
        return to_internal(value, unit)
    except ValueError as error:
        raise _BrokenRuleError(
            "not_whole_ticks" if "ticks" in str(error) else "not_number", value
        ) from None


def _check_bounds(value: float, low: int, high: int) -> None:
    if value < low:
        raise _BrokenRuleError("too_small", value, low=low)
    if value > high:
        raise _BrokenRuleError("too_large", value, high=high)


def _read_choice(value: Any, rule: Mapping[str, Any], unit: TimeUnit) -> str:
    if value not in rule["choices"]:
        raise _BrokenRuleError("not_choice", value, choices=", ".join(rule["choices"]))
    return str(value)


def _read_bool(value: Any, rule: Mapping[str, Any], unit: TimeUnit) -> bool:
    if not isinstance(value, bool):
        raise _BrokenRuleError("not_bool", value)
    return value


def _read_text(value: Any, rule: Mapping[str, Any], unit: TimeUnit) -> str:
    if not isinstance(value, str):
        raise _BrokenRuleError("not_text", value)
    return value


def _read_list(value: Any, least: int = 0, most: int = 1000) -> list[Any]:
    if not isinstance(value, (list, tuple)):
        raise _BrokenRuleError("not_a_list", value)
    if not least <= len(value) <= most:
        raise _BrokenRuleError("bad_length", len(value), low=least, high=most)
    return list(value)


def _read_counts(value: Any, rule: Mapping[str, Any], unit: TimeUnit) -> tuple[int, ...]:
    """Whole numbers that grow from one to the next."""
    counts = tuple(_read_count(one, rule, unit) for one in _read_list(value, 1))
    if any(a >= b for a, b in pairwise(counts)):
        raise _BrokenRuleError("not_growing", list(counts))
    return counts


def _read_weights(value: Any, rule: Mapping[str, Any], unit: TimeUnit) -> tuple[float, ...]:
    weights = tuple(_read_number(one, rule) for one in _read_list(value, 1))
    if not sum(weights):
        raise _BrokenRuleError("no_weight", list(weights))
    return weights


def _read_accepted(value: Any, rule: Mapping[str, Any], unit: TimeUnit) -> tuple[int, ...] | float:
    """A list of whole numbers, or a chance."""
    if isinstance(value, (list, tuple)):
        return tuple(_read_count(one, rule, unit) for one in _read_list(value, 1, 100_000))
    return float(_read_number(value, {"low": 0, "high": 1}))


def _read_number(value: Any, rule: Mapping[str, Any]) -> int | float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value:
        raise _BrokenRuleError("not_number", value)
    _check_bounds(value, rule["low"], rule["high"])
    return value


def _read_span(value: Any, rule: Mapping[str, Any], unit: TimeUnit) -> tuple[int, int]:
    """Two times, the first before the second."""
    start, end = (_read_time(one, rule, unit) for one in _read_list(value, 2, 2))
    if start >= end:
        raise _BrokenRuleError("not_growing", list(value))
    return start, end


def _read_wait(value: Any, rule: Mapping[str, Any], unit: TimeUnit) -> int | str:
    return "full" if value == "full" else _read_time(value, rule, unit)


_READERS: Mapping[str, Callable[[Any, Mapping[str, Any], TimeUnit], Any]] = {
    "count": _read_count,
    "time": _read_time,
    "choice": _read_choice,
    "bool": _read_bool,
    "text": _read_text,
    "wait": _read_wait,
    "counts": _read_counts,
    "weights": _read_weights,
    "accepted": _read_accepted,
    "span": _read_span,
}


class _Reader:
    """Reads tables into records and gathers the problems on the way."""

    def __init__(self, unit: TimeUnit) -> None:
        self.unit = unit
        self.problems: list[Problem] = []

    def add(
        self, place: tuple[str | int, ...], rule: str, value: Any = None, **params: Any
    ) -> None:
        self.problems.append(Problem(place, rule, value, params))

    def unknown(
        self, data: Mapping[str, Any], known: list[str], place: tuple[str | int, ...]
    ) -> None:
        for key in data:
            if key not in known:
                near = self._near(str(key), known)
                self.add((*place, str(key)), "unknown_key", key, suggestion=near)

    def _near(self, name: str, known: list[str]) -> str:
        """What an unknown name may mean: worked out for the first few, since nobody reads more."""
        if len(self.problems) >= MOST_NEAR:
            return ""
        close = difflib.get_close_matches(name[:MOST_COMPARED], known, 1)
        return f"; did you mean {close[0]}?" if close else f"; known: {', '.join(known)}"

    def record(self, cls: type, data: Any, place: tuple[str | int, ...]) -> Any:
        """A `cls` from a table, or None when anything in it is wrong."""
        if not isinstance(data, Mapping):
            self.add(place, "not_a_table", data)
            return None
        found = len(self.problems)
        self.unknown(data, [item.name for item in fields(cls)], place)
        values: dict[str, Any] = {}
        for item in fields(cls):
            if item.name in data and (data[item.name] is not None or item.default is not None):
                values[item.name] = self.value(data[item.name], item.metadata, (*place, item.name))
            elif item.default is MISSING:
                self.add((*place, item.name), "required")
        return cls(**values) if len(self.problems) == found else None

    def value(self, value: Any, rule: Mapping[str, Any], place: tuple[str | int, ...]) -> Any:
        if rule["kind"] == "table":
            return self.record(rule["record"], value, place)
        try:
            return _READERS[rule["kind"]](value, rule, self.unit)
        except _BrokenRuleError as broken:
            self.add(place, broken.rule, broken.value, **broken.params)
            return None


_TEXTS: Mapping[str, Mapping[str, Any]] = {
    "name": {"kind": "text"},
    "note": {"kind": "text"},
    "seed": {"kind": "count", "low": 0, "high": 2**63},
}


_NOT_READ = ("page",)  # what a page shows beside the scenario: its lanes; no run depends on it


def read(data: Any) -> tuple[dict[str, Any], list[Problem]]:
    """The fields of a scenario from a table in the schema of files, and every problem in it."""
    if not isinstance(data, Mapping):
        return {}, [Problem((), "not_a_table", data)]
    table = data.get("setup", {})
    reader = _Reader("tick" if _get(table, "time") == "tick" else "ms")
    reader.unknown(data, ["setup", "requests", "workload", *_TEXTS, *_NOT_READ], ())
    values: dict[str, Any] = {"setup": reader.record(Setup, table, ("setup",))}
    if reader.unit == "tick" and _get(table, "cost") is not None:
        reader.add(("setup", "cost"), "cost_in_ticks")
    if "workload" in data:
        values["requests"] = _drawn(reader, data)
    else:
        values["requests"] = tuple(_read_requests(reader, data.get("requests", [])))
    for key, rule in _TEXTS.items():
        if key in data:
            values[key] = reader.value(data[key], rule, (key,))
    return values, reader.problems


def _drawn(reader: _Reader, data: Mapping[str, Any]) -> tuple[Request, ...]:
    """Requests that a table describes; a list of them beside it would be a second answer."""
    if "requests" in data:
        reader.add(("workload",), "two_answers")
    requests, problems = generate(data["workload"], reader.unit)
    reader.problems += problems
    return requests


def _read_requests(reader: _Reader, rows: Any) -> list[Request]:
    if not isinstance(rows, (list, tuple)):
        reader.add(("requests",), "not_a_list", rows)
        return []
    if len(rows) > MAX_REQUESTS:
        reader.add(("requests",), "too_large", len(rows), high=MAX_REQUESTS)
        return []
    records = [reader.record(Request, row, ("requests", i)) for i, row in enumerate(rows)]
    return [record for record in records if record is not None]


def _get(table: Any, key: str) -> Any:
    return table.get(key) if isinstance(table, Mapping) else None
