"""Pictures of some requests: when they come, how far apart, how long they are, by tenant.

Arrays for the browser, in the shown unit of time, thinned as all curves are. With several tenants
each of the largest has a curve of its own, and the rest share one.
"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from app.i18n import say, words
from app.sentences import number
from sim.clock import scale_of
from sim.curves import ecdf
from sim.setup import Request, Setup

MOST_LINES = 4
MOST_BINS = 80
FEWEST_BINS = 20
MOST_POINTS = 200
SHARED = 0.1  # of all requests on a stamp with others, from which on it is told

Ints = Any  # an array of integers, one entry a request
Points = list[list[float]]


def pictures(requests: Sequence[Request], setup: Setup, lang: str) -> dict[str, Any]:
    """Everything that is drawn of the requests; no arrivals where a loop or one moment has them."""
    arrivals = np.array([request.arrival for request in requests], dtype=np.int64)
    groups = _groups(requests)
    scale = scale_of(setup.time)
    is_timed = setup.concurrency is None and len(requests) > 1 and bool(np.ptp(arrivals))
    lengths = {
        name: np.array([getattr(request, name) for request in requests], dtype=np.int64)
        for name in ("prompt", "output")
    }
    return {
        "lines": [
            {"name": _name(name, lang), "share": f"{number(100 * len(who) / len(requests), 0)}%"}
            for name, who in groups
        ]
        if len(groups) > 1
        else [],
        "counts": _counts(arrivals, groups, scale, lang, setup) if is_timed else None,
        "gaps": [_shares(np.diff(arrivals[who]), scale) for _, who in groups] if is_timed else None,
        **{name: [_shares(all_[who]) for _, who in groups] for name, all_ in lengths.items()},
        "shared": _shared(arrivals, lang) if is_timed else "",
    }


def _groups(requests: Sequence[Request]) -> list[tuple[str | None, Ints]]:
    """The largest tenants and the rest (None), each with the places of its requests."""
    tenants = [request.tenant for request in requests]
    counts = Counter(tenants)
    own = [name for name, _ in counts.most_common(MOST_LINES)]
    if len(counts) > MOST_LINES:
        own.pop()
    places: dict[str | None, list[int]] = {}
    for place, tenant in enumerate(tenants):
        places.setdefault(tenant if tenant in own else None, []).append(place)
    names: list[str | None] = [*own, None]
    return [(name, np.array(places[name])) for name in names if name in places]


def _name(tenant: str | None, lang: str) -> str:
    return say(lang, "lab.workload.others") if tenant is None else tenant or "–"


def _counts(
    arrivals: Ints, groups: Sequence[tuple[str | None, Ints]], scale: int, lang: str, setup: Setup
) -> dict[str, Any]:
    """Requests in each bin of time; a bin is a round number of milliseconds or ticks long."""
    num_bins = min(max(len(arrivals) // 2, FEWEST_BINS), MOST_BINS)
    width = _neat(float(arrivals[-1]) / scale / num_bins)
    if setup.time == "tick":
        width = max(width, 1)
    edges = np.arange(int(arrivals[-1] / scale // width) + 2) * width
    unit = words(lang, "unit")[setup.time]
    is_long = setup.time == "ms" and width >= 1_000
    told = f"{number(width / 1_000)} s" if is_long else f"{number(width)} {unit}"
    found = [np.histogram(arrivals[who] / scale, edges)[0] for _, who in groups]
    return {
        "unit": say(lang, "lab.workload.per_bin", width=told),
        "curves": [
            [[round(float(t), 6) for t in edges], [int(n) for n in [*one, 0]]] for one in found
        ],
    }


def _neat(width: float) -> float:
    """The next number above that is 1, 2 or 5 times a power of ten."""
    power = 10 ** math.floor(math.log10(width))
    return next(float(n * power) for n in (1, 2, 5, 10) if n * power >= width * (1 - 1e-9))


def _shares(values: Ints, scale: int = 1) -> Points | None:
    """The share of values that are at most so large."""
    if not len(values):
        return None
    return [[round(float(v), 4) for v in axis] for axis in ecdf(values, None, scale, MOST_POINTS)]


def _shared(arrivals: Ints, lang: str) -> str:
    """How many requests come at the same moment as another, if that is many."""
    stamps, counts = np.unique(arrivals, return_counts=True)
    part = float(counts[counts > 1].sum()) / len(arrivals)
    if part < SHARED or len(arrivals) < MOST_LINES:
        return ""
    percent = number(100 * part, 0)
    return say(lang, "lab.workload.shared", percent=percent, stamps=f"{len(stamps):,}")
