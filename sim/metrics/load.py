"""Who waits and who is here: the longest wait, the queue over time, and Little's law in a window.

A request is in the system from its arrival until it has left in whatever state, and it waits until
it is scheduled for the first time or leaves without. No round is looked at: both follow from
three times a request.
"""

from dataclasses import dataclass

import numpy as np

from sim.history import History, Ints
from sim.metrics.spread import Floats
from sim.sequence import Status


def second_of(scale: int) -> int:
    """What rates are told by, in internal units: a second of a ms scenario, else a tick."""
    return 1000 * scale if scale > 1 else 1


@dataclass(frozen=True, slots=True)
class Load:
    """Arrivals and presence in a window [a, b), cut off at the time the metrics are of.

    Rates are a second and `time` is in seconds, so that L = λW as it is written; in tick scenarios
    both go by ticks. A figure is None where there is nothing to divide by.
    """

    arrival_rate: float  # λ: arrivals in the window / its length
    served_rate: float  # requests finished in the window, its end included, / its length
    time: float | None  # W: mean time in the system of those arrivals, so far of who is still here
    number: float  # L: number in the system, averaged over time
    gap: float  # L − λW: 0 when nobody is in the system at a and b (Little, 1961)
    queue_slope: float | None  # of the least-squares line through the number waiting

    def to_dict(self) -> dict[str, float | None]:
        """The four figures of the JSON output."""
        return {
            "lambda": self.arrival_rate,
            "W": self.time,
            "L": self.number,
            "queue_slope": self.queue_slope,
        }


class Presence:
    """When requests came, were first scheduled or left unserved, and left (internal units)."""

    def __init__(self, history: History) -> None:
        came = history.arrivals >= 0
        self.arrivals: Ints = history.arrivals[came]
        self.left: Ints = history.ended_at[came]
        first = history.first_rounds[came]
        self.waited_until: Ints = self.left.copy()
        self.waited_until[first >= 0] = history.starts[first[first >= 0]]
        finished = [state is Status.FINISHED for state in history.states]
        self.finished = np.array(finished, dtype=bool)[came]

    def longest_wait(self, times: Ints) -> Ints:
        """The longest that anybody had waited by each time: arrival to first scheduling.

        Those still waiting count up to then, and those who left unserved up to their leaving.
        Benchmarks see served requests only and have no such figure. 0 before the first arrival.
        """
        order = np.argsort(self.arrivals, kind="stable")
        arrivals, until = self.arrivals[order], np.maximum.accumulate(self.waited_until[order])
        # Of those still waiting the oldest: the first up to whom somebody waits beyond the time.
        oldest = np.searchsorted(until, times, "right")
        still = times - np.append(arrivals, np.iinfo(np.int64).max)[oldest]
        by_end = np.argsort(self.waited_until, kind="stable")
        waits = np.maximum.accumulate((self.waited_until - self.arrivals)[by_end])
        over = np.searchsorted(self.waited_until[by_end], times, "right")
        longest: Ints = np.maximum(np.maximum(still, 0), np.append(0, waits)[over])
        return longest

    def waiting_at(self, times: Ints) -> Ints:
        """How many wait at each time: arrived by then, not scheduled yet, not gone.

        Who is scheduled at the very time no longer waits.
        """
        came = np.searchsorted(np.sort(self.arrivals), times, "right")
        return came - np.searchsorted(np.sort(self.waited_until), times, "right")

    def here_at(self, times: Ints) -> Ints:
        """How many are in the system at each time."""
        came = np.searchsorted(np.sort(self.arrivals), times, "right")
        return came - np.searchsorted(np.sort(self.left), times, "right")

    def load(self, window: tuple[int, int], until: int | None, scale: int) -> Load | None:
        """Load over a window as of `until`; None before it has begun.

        λ, W and L are those of Little's law. While the run goes on, the window ends at `until`
        and who is still here counts up to then.
        """
        begin, end = window
        end = end if until is None else min(end, until)
        if end <= begin:
            return None
        inside = (self.arrivals >= begin) & (self.arrivals < end)
        left = self.left if until is None else np.minimum(self.left, until)
        presence = np.maximum(np.minimum(left, end) - np.maximum(self.arrivals, begin), 0)
        stays = (left - self.arrivals)[inside]
        served = self.finished & (self.left > begin) & (self.left <= end)
        length, second = end - begin, second_of(scale)
        return Load(
            arrival_rate=len(stays) * second / length,
            served_rate=int(served.sum()) * second / length,
            time=float(stays.mean()) / second if len(stays) else None,
            number=int(presence.sum()) / length,
            gap=int(presence.sum() - stays.sum()) / length,
            queue_slope=self.queue_slope(begin, end, second),
        )

    def queue_slope(self, begin: int, end: int, step: int) -> float | None:
        """Growth of the queue a `step` (a second or a tick): a least-squares slope.

        The line goes through the number waiting at the whole steps from `begin` to `end`, both
        included; None with fewer than two of them. Who waits does so at a range of steps, so
        that no step is looked at by itself.
        """
        low, high = -(-begin // step), end // step
        if high <= low:
            return None
        middle = (low + high) / 2
        first = np.maximum(-(-self.arrivals // step), low)
        past = np.minimum(-(-self.waited_until // step), high + 1)
        counts: Floats = np.maximum(past - first, 0).astype(np.float64)
        steps = high - low + 1
        spread = steps * (steps * steps - 1) / 12  # sum of (step − middle)²
        return float((counts * ((first + past - 1) / 2 - middle)).sum()) / spread
