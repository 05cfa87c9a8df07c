"""Reads figures off the built-in scenarios, for the tests of worked examples.

Those compare them with typed literals; nothing here works out what is right.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

from sim import History, run
from sim.check import check
from sim.export import to_json
from sim.files import builtin


@cache
def history(name: str) -> History:
    """The run of a scenario or of one of its lanes; the laws hold in every worked example too."""
    subject = run(builtin(name))
    check(subject)
    return subject


@cache
def figures(name: str, *, with_rounds: bool = True) -> dict[str, Any]:
    """A run as its JSON says it."""
    return to_json(history(name), rounds=with_rounds)


def column(result: dict[str, Any], name: str) -> list[Any]:
    """One figure of every request, in list order."""
    return [request[name] for request in result["requests"].values()]


def of(result: dict[str, Any], name: str, *ids: str) -> list[Any]:
    """One figure of some requests."""
    return [result["requests"][id_][name] for id_ in ids]


def overall(name: str, *figures_: str) -> tuple[Any, ...]:
    """Figures of a whole run."""
    return tuple(figures(name)["overall"][figure] for figure in figures_)


def ends(result: dict[str, Any]) -> list[float]:
    """When each request's last token came."""
    return [outputs[-1] for outputs in column(result, "outputs")]


def rounds(result: dict[str, Any]) -> list[tuple[float, float, int, int]]:
    """Each round as (start, end, P, D)."""
    return [(r["start"], r["end"], r["P"], r["D"]) for r in result["rounds"]]


def times(result: dict[str, Any]) -> list[float]:
    """How long each round took."""
    return [round(r["end"] - r["start"], 6) for r in result["rounds"]]


def given(result: dict[str, Any]) -> list[str]:
    """Each round as `A:4 B:2`, by name."""
    return [" ".join(f"{i}:{n}" for i, n in sorted(r["given"].items())) for r in result["rounds"]]


def busy_seats(result: dict[str, Any]) -> int:
    """Seat-rounds in which a request got a position."""
    return sum(len(r["given"]) for r in result["rounds"])


def evictions(result: dict[str, Any]) -> dict[int, list[str]]:
    """Who was evicted, by round."""
    return {r["round"]: r["preempted"] for r in result["rounds"] if r["preempted"]}


def rounded(values: Sequence[float], digits: int = 2) -> list[float]:
    """Figures as they are shown."""
    return [round(value, digits) for value in values]
