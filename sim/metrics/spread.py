"""Mean and percentiles of a sample whose values may count many times.

A long run has millions of gaps between tokens, but only as many different ones as it has rounds.
So a sample is values with weights, and the percentiles are found among the running sums of the
weights: the same figures as `numpy.percentile` gives for the written-out list, to the last bit.
"""

import numpy as np
from numpy.typing import NDArray

from sim.history import Ints

Floats = NDArray[np.float64]
Spread = dict[str, float | None]

PERCENTILES = {"p50": 50, "p95": 95, "p99": 99, "max": 100}


def distinct(values: Ints) -> Ints:
    """The different values, sorted.

    Of many times `numpy.unique` (2.3 and later, by hashing) takes some forty times as long, in one
    call in which no other thread can run.

    >>> distinct(np.array([3, 1, 3]))
    array([1, 3])
    """
    ordered = np.sort(values)
    is_first = np.ones(len(ordered), dtype=np.bool_)
    is_first[1:] = ordered[1:] != ordered[:-1]
    return ordered[is_first]


def spread(values: Ints | Floats, scale: int = 1, weights: Ints | None = None) -> Spread:
    """Mean, P50, P95, P99 and maximum, divided by `scale`; all None for an empty sample.

    Percentiles interpolate linearly between the closest ranks (`numpy.percentile`'s default),
    as in `vllm bench serve`, AIPerf and inference-perf; GuideLLM does not interpolate.

    Args:
        values: times in internal units.
        scale: internal units in a shown one.
        weights: how often each value counts; once each by default.
    """
    if weights is None:
        weights = np.ones(len(values), dtype=np.int64)
    counted = weights > 0
    values, weights = values[counted], weights[counted]
    if not len(values):
        return dict.fromkeys(("mean", *PERCENTILES))
    order = np.argsort(values)
    values, weights = values[order], weights[order]
    past = np.cumsum(weights)
    mean = float((values.astype(np.float64) * weights).sum()) / int(past[-1])
    figures = {name: _at(values, past, percent) for name, percent in PERCENTILES.items()}
    return {name: figure / scale for name, figure in {"mean": mean, **figures}.items()}


def _at(values: Ints | Floats, past: Ints, percent: int) -> float:
    """One percentile of sorted values, the last copy of each at place `past` − 1 of the list."""
    last = int(past[-1]) - 1
    place = last * (percent / 100)
    below = int(place)
    share = place - below
    low, high = values[np.searchsorted(past, (below, min(below + 1, last)), "right")]
    step = high - low
    # NumPy's interpolation starts from the nearer end, so that it never overshoots.
    return float(low + step * share if share < 0.5 else high - step * (1 - share))
