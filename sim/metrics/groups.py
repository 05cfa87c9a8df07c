"""Groups of requests to tell apart: who is slow, who misses the objectives, who has to wait.

Benchmarks report one figure for all; a mix of short and long prompts, or of tenants, hides in it.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from sim.metrics.spread import Spread
from sim.sequence import Status
from sim.setup import Request

Kind = Literal["length", "tenant", "cache", "priority", "state"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Group:
    """The figures of some requests; those not arrived yet are left out."""

    name: str
    count: int
    finished: int
    good: int | None  # finished requests that met every objective; None without objectives
    attainment: float | None  # share of the finished that are good
    attainment_of_all: float | None  # share of all that arrived
    missed: dict[str, int]  # finished requests that miss each objective
    latencies: dict[str, Spread]  # of queue, ttft, tpot, itl, e2e


def terciles(prompts: Iterable[int]) -> tuple[int, ...]:
    """Bounds that part prompt lengths into thirds: a third is at most the first, two the second."""
    ordered = sorted(prompts)
    places = (-(-len(ordered) // 3) - 1, -(-2 * len(ordered) // 3) - 1)
    return tuple(sorted({ordered[place] for place in places}))


def parted(
    kind: Kind, requests: Sequence[Request], states: Sequence[Status], bounds: Sequence[int]
) -> dict[str, list[int]]:
    """The requests of each group by index: from short to long, urgent to not, or by letters.

    Args:
        kind: what tells the groups apart.
        requests: all requests.
        states: how each stands.
        bounds: the longest prompt of each length class but the last, which has no bound.
    """
    keys: list[Any]  # of one type that sorts
    if kind == "length":
        bounds = sorted(bounds)
        keys = [bisect_left(bounds, request.prompt) for request in requests]
    elif kind == "tenant":
        keys = [request.tenant for request in requests]
    elif kind == "cache":
        keys = ["hit" if request.cached else "miss" for request in requests]
    elif kind == "priority":
        keys = [request.priority for request in requests]
    else:
        keys = [str(state) for state in states]
    members: dict[Any, list[int]] = {key: [] for key in sorted(set(keys))}
    for index, key in enumerate(keys):
        members[key].append(index)
    return {
        _length_class(key, bounds) if kind == "length" else str(key): indices
        for key, indices in members.items()
    }


def _length_class(place: int, bounds: Sequence[int]) -> str:
    low = bounds[place - 1] if place else 0
    return f"{low + 1}–{bounds[place]}" if place < len(bounds) else f"> {low}"
