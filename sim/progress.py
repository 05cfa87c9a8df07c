"""Totals after every round, for curves and for the page: what `metrics` gives as of one time.

Worked out for all rounds at once, so that a window of a large run costs nothing extra.
"""

from functools import cached_property

import numpy as np

from sim.clock import scale_of
from sim.history import History, Ints
from sim.metrics import Floats, Metrics


class Progress:
    """Totals after every round, for curves and for the page: arrays with an entry a round."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.scale = scale_of(history.scenario.setup.time)
        final = Metrics(history)
        rounds, offsets = history.token_rounds
        self._firsts = rounds[offsets[:-1][np.diff(offsets) > 0]]
        self._ttfts = final.ttfts
        self._lasts = rounds[offsets[1:][final.finished] - 1]
        same = np.ones(max(len(rounds) - 1, 0), dtype=bool)
        same[offsets[1:-1][(offsets[1:-1] > 0) & (offsets[1:-1] < len(rounds))] - 1] = False
        self._gap_rounds, self._gaps = rounds[1:][same], final.gaps

    @cached_property
    def tokens(self) -> Ints:
        """Tokens out so far."""
        return np.cumsum(self.history.per_round("emitted"))

    @cached_property
    def finished(self) -> Ints:
        """Requests finished so far."""
        return np.cumsum(np.bincount(self._lasts, minlength=len(self.history)))

    @cached_property
    def waste(self) -> Ints:
        """Padded positions and idle seats so far."""
        return np.cumsum(self.history.per_round("padding") + self.history.per_round("idle"))

    @cached_property
    def makespan(self) -> Floats:
        """Time since the first arrival, in ms or ticks."""
        first = min(r.arrival for r in self.history.scenario.requests)
        return (self.history.ends - first) / self.scale

    @cached_property
    def output_tps(self) -> Floats:
        """Output tokens a second, or a tick, so far."""
        per = 1000 if self.scale > 1 else 1
        return self.tokens / self.makespan * per

    @cached_property
    def mean_ttft(self) -> Floats:
        """Mean TTFT of the requests with a first token so far; NaN before the first."""
        return self._running_mean(self._firsts, self._ttfts)

    @cached_property
    def mean_itl(self) -> Floats:
        """Mean gap so far, over all requests; NaN before the first."""
        return self._running_mean(self._gap_rounds, self._gaps)

    @cached_property
    def max_itl(self) -> Floats:
        """Longest gap so far; NaN before the first."""
        longest = np.full(len(self.history), -1.0)
        np.maximum.at(longest, self._gap_rounds, self._gaps)
        longest = np.maximum.accumulate(longest)
        return np.where(longest < 0, np.nan, longest / self.scale)

    @property
    def columns(self) -> dict[str, Ints | Floats]:
        """All of the above by name."""
        names = (
            *("makespan", "output_tps", "tokens", "finished", "waste"),
            *("mean_ttft", "mean_itl", "max_itl"),
        )
        return {name: getattr(self, name) for name in names}

    def _running_mean(self, rounds: Ints, values: Ints) -> Floats:
        size = len(self.history)
        count = np.cumsum(np.bincount(rounds, minlength=size))
        total = np.cumsum(np.bincount(rounds, weights=values.astype(float), minlength=size))
        return np.where(count > 0, total / np.maximum(count, 1) / self.scale, np.nan)
