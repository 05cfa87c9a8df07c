"""Every metric once more, read off the rounds in plain Python: the tests' second opinion.

Nothing is shared with `sim.metrics`: token by token instead of runs, a sweep over time instead of
sums of overlaps, a fitted line instead of closed sums. Slow, and meant to be.
"""

from collections.abc import Collection
from itertools import pairwise
from typing import Any

import numpy as np

from sim import History
from sim.record import Round

SPREADS = ("queue", "ttft", "tpot", "itl", "e2e")


class Plain:
    """What the first `count` rounds of a history tell (None: all, and who left after them)."""

    def __init__(self, history: History, count: int | None = None) -> None:
        requests = history.scenario.requests
        self.history = history
        self.setup = history.scenario.setup
        self.rounds: list[Round] = list(history)[:count]
        self.is_over = count is None
        self.now = None if self.is_over else self.rounds[-1].end
        self.unit = 10**6 if self.setup.time == "ms" else 1
        self.second = 10**9 if self.setup.time == "ms" else 1
        self.ids = [r.id for r in requests]
        self.requests = {r.id: r for r in requests}
        self.arrival = dict(zip(self.ids, map(int, history.arrivals), strict=True))
        self.left_at = dict(zip(self.ids, map(int, history.ended_at), strict=True))
        self.generated: dict[str, list[int]] = {id_: [] for id_ in self.ids}
        self.start: dict[str, int] = {}
        self.state = dict.fromkeys(self.ids, "waiting")
        self.computed = {r.id: r.cached for r in requests}
        self.most_computed = dict(self.computed)
        self.recomputed = 0
        for record in self.rounds:
            self._read(record)
        if self.is_over:
            self.state = dict(zip(self.ids, map(str, history.states), strict=True))
        self.sent = {id_: self._heard(id_) for id_ in self.ids}
        self.here = [i for i in self.ids if self.now is None or self.arrival[i] <= self.now]
        self.done = [i for i in self.ids if len(self.sent[i]) == self.requests[i].output]

    def _read(self, record: Round) -> None:
        for id_ in record.admitted:
            self.start[id_] = record.start
        for id_, tokens in record.tokens.items():
            self.generated[id_] += [record.end] * tokens
        self.state |= {id_: str(now.status) for id_, now in record.after.items()}
        self.state |= {id_: str(how) for id_, how in record.departed.items()}

        for id_, now in record.after.items():
            again = min(now.computed, self.most_computed[id_]) - self.computed[id_]
            self.recomputed += max(0, again)
            self.most_computed[id_] = max(self.most_computed[id_], now.computed)
            self.computed[id_] = now.computed

    def _heard(self, id_: str) -> list[int]:
        leaves = self.requests[id_].cancel_at
        return [t for t in self.generated[id_] if leaves is None or t <= leaves]

    # Latencies.

    def lists(self, only: Collection[str] | None = None) -> dict[str, list[Any]]:
        """The samples behind the percentiles, in internal units; of some requests or all."""
        ids = [id_ for id_ in self.ids if only is None or id_ in only]
        sent = {id_: self.sent[id_] for id_ in ids if self.sent[id_]}
        return {
            "queue": [self.start[i] - self.arrival[i] for i in ids if i in self.start],
            "ttft": [times[0] - self.arrival[i] for i, times in sent.items()],
            "tpot": [(t[-1] - t[0]) / (len(t) - 1) for t in sent.values() if len(t) > 1],
            "itl": [gap for id_ in sent for gap in self.gaps(id_)],
            "e2e": [self.sent[i][-1] - self.arrival[i] for i in self.done if i in ids],
        }

    def gaps(self, id_: str) -> list[int]:
        """Tokens of one round are one time."""
        return [b - a for a, b in pairwise(sorted(set(self.sent[id_])))]

    def spread(self, values: list[Any]) -> dict[str, float | None]:
        """NumPy's own percentiles of the written-out list."""
        if not values:
            return dict.fromkeys(("mean", "p50", "p95", "p99", "max"))
        cuts = {f"p{p}": float(np.percentile(values, p)) / self.unit for p in (50, 95, 99)}
        mean = sum(values) / len(values) / self.unit
        return {"mean": mean, **cuts, "max": max(values) / self.unit}

    # Objectives.

    def misses(self, id_: str) -> list[str]:
        """The objectives that a finished request misses."""
        slo, times = self.setup.slo, self.sent[id_]
        assert slo is not None
        gaps = self.gaps(id_)
        own = {
            "ttft": times[0] - self.arrival[id_],
            "tpot": (times[-1] - times[0]) / (len(times) - 1) if len(times) > 1 else None,
            "max_itl": max(gaps) if gaps else None,
            "e2e": times[-1] - self.arrival[id_],
        }
        limits = {name: getattr(slo, name) for name in own}
        return [n for n, x in own.items() if None not in (x, limits[n]) and x > limits[n]]

    @property
    def good(self) -> list[str]:
        """Who finished and misses none."""
        return [id_ for id_ in self.done if not self.misses(id_)]

    # Time.

    @property
    def span(self) -> int:
        """Makespan, internal units."""
        return self.rounds[-1].end - min(self.arrival.values())

    def rate(self, amount: int) -> float:
        """A second or a tick."""
        return amount / (self.span / self.second)

    # Presence.

    def wait_over(self, id_: str) -> int:
        """When it stopped waiting, whether that is known yet or not."""
        first = next((r.start for r in self.history if id_ in r.admitted), None)
        return self.left_at[id_] if first is None else first

    def longest_wait(self) -> int:
        """Everybody who came, one by one, up to now."""
        now = max(self.left_at.values()) if self.now is None else self.now
        return max((min(self.wait_over(i), now) - self.arrival[i] for i in self.here), default=0)

    def load(self) -> dict[str, float | None] | None:
        """λ, W, L by a sweep over all events, and a fitted line through counted queues."""
        assert self.setup.window is not None
        a, b = self.setup.window
        b = b if self.now is None else min(b, self.now)
        if b <= a:
            return None
        came = [i for i in self.ids if a <= self.arrival[i] < b]
        stay = [self._present(i) - self.arrival[i] for i in came]
        events = sorted({a, b, *self.arrival.values(), *self.left_at.values()})
        area = 0
        for low, high in pairwise(t for t in events if a <= t <= b):
            here = [i for i in self.ids if self.arrival[i] <= low < self.left_at[i]]
            area += len(here) * (high - low)
        return {
            "lambda": len(came) / ((b - a) / self.second),
            "W": sum(stay) / len(stay) / self.second if stay else None,
            "L": area / (b - a),
            "queue_slope": self._slope(a, b),
        }

    def _present(self, id_: str) -> int:
        return self.left_at[id_] if self.now is None else min(self.left_at[id_], self.now)

    def waiting(self, time: int) -> int:
        """Counted one by one."""
        return sum(self.arrival[i] <= time < self.wait_over(i) for i in self.ids)

    def _slope(self, a: int, b: int) -> float | None:
        whole = range(-(-a // self.second), b // self.second + 1)
        if len(whole) < 2:
            return None
        counts = [self.waiting(t * self.second) for t in whole]
        return float(np.polyfit(list(whole), counts, 1)[0])

    # KV.

    def kv(self) -> tuple[int, float, float]:
        """Peak and mean of blocks, mean of empty slots behind the last tokens."""
        size = self.setup.block_size
        time = sum(r.end - r.start for r in self.rounds)
        used = sum((r.used or 0) * (r.end - r.start) for r in self.rounds)
        empty = sum(
            sum(-now.computed % size for id_, now in r.after.items() if id_ in r.running)
            * (r.end - r.start)
            for r in self.rounds
        )
        return max(r.used or 0 for r in self.rounds), used / time, empty / time
