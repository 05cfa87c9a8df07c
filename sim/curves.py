"""Arrays for pictures of a run: distributions, the queue and the KV pool over time, spikes of ITL.

A long run has hundreds of thousands of rounds, a picture a few hundred columns. So every curve is
thinned: an ECDF keeps true points of its own, spread over both axes; a curve over time keeps the
first, lowest, highest and last point of each window, which draw the same line (Jugel et al., M4,
VLDB 2014); of the rounds of a window the one with the longest gap stays. Times are in ms or ticks.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sim.clock import scale_of
from sim.history import History, Ints
from sim.metrics import Floats, Metrics
from sim.metrics.spread import distinct

MOST_POINTS = 400


class Curve(NamedTuple):
    """A line of steps: y[i] holds from x[i] on, until x[i + 1]."""

    x: Floats
    y: Floats


class Spikes(NamedTuple):
    """Rounds, an entry each: P, D, and the longest gap between tokens that ends with it, or 0."""

    start: Floats
    end: Floats
    prefill: Ints
    decode: Ints
    longest: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Curves:
    """The curves of a run; `ecdfs` are by name (queue, ttft, tpot, itl, e2e) where there are any.

    `kv` counts blocks taken and is None without a pool, whose size `pool` is.
    """

    ecdfs: dict[str, Curve]
    queue: Curve
    kv: Curve | None
    pool: int | None
    spikes: Spikes


def curves(history: History, most: int = MOST_POINTS) -> Curves:
    """All curves of a run, of at most so many points each."""
    return Curves(
        ecdfs=ecdfs(history, most),
        queue=queue(history, most),
        kv=kv(history, most),
        pool=history.pool,
        spikes=spikes(history, most),
    )


def ecdf(
    values: Ints | Floats, weights: Ints | None = None, scale: int = 1, most: int = MOST_POINTS
) -> Curve:
    """The share of a sample that is at most x, for every x at which it rises.

    Thinned, it keeps half of its points evenly by share and half evenly by value.

    Args:
        values: the sample, in any order.
        weights: how often each value counts; once each by default.
        scale: what values are divided by.
        most: points to keep at most; at least 4.
    """
    if weights is None:
        weights = np.ones(len(values), dtype=np.int64)
    found, place = np.unique(values[weights > 0], return_inverse=True)
    x = np.asarray(found / scale, dtype=np.float64)
    past = np.cumsum(np.bincount(place, weights[weights > 0], len(x)))
    y: Floats = past / past[-1:]
    if len(x) > most:
        by_value = np.linspace(x[0], x[-1], most // 2)
        by_share = np.linspace(y[0], 1, most // 2)
        kept = [np.searchsorted(x, by_value), np.searchsorted(y, by_share)]
        chosen = np.unique(np.minimum(np.concatenate(kept), len(x) - 1))
        x, y = x[chosen], y[chosen]
    return Curve(x, y)


def ecdfs(history: History, most: int = MOST_POINTS) -> dict[str, Curve]:
    """The ECDF of each latency that somebody has; ITL pools the gaps of all requests."""
    known = Metrics(history)
    lengths, weights, _ = known.outputs.gaps
    samples: dict[str, tuple[Ints | Floats, Ints | None]] = {
        "queue": (known.queues, None),
        "ttft": (known.ttfts, None),
        "tpot": (known.tpots, None),
        "itl": (lengths[weights > 0], weights[weights > 0]),
        "e2e": (known.e2es, None),
    }
    return {
        name: ecdf(values, counts, known.scale, most)
        for name, (values, counts) in samples.items()
        if len(values)
    }


def queue(history: History, most: int = MOST_POINTS) -> Curve:
    """How many wait over time: who has arrived and was not scheduled yet, and evicted ones."""
    presence, starts = Metrics(history).presence, history.starts
    evicted = history.per_round("waiting") - presence.waiting_at(starts)
    times = distinct(np.concatenate([starts, presence.arrivals, presence.waited_until]))
    times = np.append(times[times < history.ends.max(initial=-1)], history.ends[-1:])
    of_round = np.append(evicted, 0)[np.searchsorted(starts, times, "right") - 1]
    values = (presence.waiting_at(times) + of_round).astype(np.float64)
    return thinned(Curve(times / scale_of(history.scenario.setup.time), values), most)


def kv(history: History, most: int = MOST_POINTS) -> Curve | None:
    """KV blocks taken in each round, as scheduled; None without a pool."""
    return None if history.pool is None else _over_rounds(history, history.used, most)


def _over_rounds(history: History, values: Ints, most: int) -> Curve:
    """A figure of each round from its start on; the last one holds until its end."""
    times = np.append(history.starts, history.ends[-1:]) / scale_of(history.scenario.setup.time)
    return thinned(Curve(times, np.append(values, values[-1:]).astype(np.float64)), most)


def thinned(curve: Curve, most: int = MOST_POINTS) -> Curve:
    """At most so many points of a curve, the ends and the extremes of each window among them."""
    x, y = curve
    if len(x) <= most:
        return curve
    windows = most // 4
    edges = np.linspace(x[0], x[-1], windows + 1)[1:-1]
    first = np.unique(np.append(0, np.searchsorted(x, edges)))
    last = np.append(first[1:], len(x)) - 1
    chosen = np.concatenate([first, last, _places(-y, first), _places(y, first)])
    chosen = np.unique(chosen)
    return Curve(x[chosen], y[chosen])


def _places(values: Floats | Ints, first: Ints) -> Ints:
    """Where the largest value of each window is, the first of equal ones."""
    highest = np.maximum.reduceat(values, first)
    window = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(values))))
    places = np.flatnonzero(values == highest[window])
    found: Ints = places[np.unique(window[places], return_index=True)[1]]
    return found


def longest_gaps(history: History) -> Ints:
    """The longest gap between tokens that ends with each round, internal units; 0 without any."""
    lengths, weights, rounds = Metrics(history).outputs.gaps
    longest = np.zeros(len(history), dtype=np.int64)
    np.maximum.at(longest, rounds[weights > 0], lengths[weights > 0])
    return longest


def spikes(
    history: History,
    most: int = MOST_POINTS,
    span: tuple[float, float] | None = None,
    longest: Ints | None = None,
) -> Spikes:
    """Rounds with their prefill and the longest gap each ends; of many the longest gaps stay.

    Args:
        history: of the run.
        most: rounds to keep at most: of each window of time the one with the longest gap.
        span: rounds under way in this stretch of time (ms or ticks) only; None: all.
        longest: what `longest_gaps` gives for this history, if it is at hand.
    """
    longest = longest_gaps(history) if longest is None else longest
    prefill = history.per_round("prefill")
    scale = scale_of(history.scenario.setup.time)
    low, high = span or (0, np.inf)
    kept = np.flatnonzero((history.ends >= low * scale) & (history.starts <= high * scale))
    if len(kept) > most:
        ends = history.ends[kept]
        edges = np.linspace(ends[0], ends[-1], most + 1)[1:-1]
        first = np.unique(np.append(0, np.searchsorted(ends, edges)))
        # Gaps decide, and among rounds without any the most prefill.
        weight: Ints = longest[kept] * (int(prefill.max()) + 1) + prefill[kept]
        kept = kept[_places(weight, first)]
    return Spikes(
        start=history.starts[kept] / scale,
        end=history.ends[kept] / scale,
        prefill=prefill[kept],
        decode=history.per_round("decode")[kept],
        longest=longest[kept] / scale,
    )
