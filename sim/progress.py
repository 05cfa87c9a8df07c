"""Totals after every round, for curves and for the page: what `metrics` gives as of one time.

Worked out for all rounds at once, so that a window of a large run costs nothing extra.
"""

from functools import cached_property

import numpy as np

from sim.history import History, Ints
from sim.metrics import Floats, Metrics
from sim.metrics.load import second_of
from sim.metrics.outputs import Mask
from sim.metrics.usage import bucket_paddings


class Progress:
    """Totals after every round, for curves and for the page: arrays with an entry a round."""

    def __init__(self, history: History) -> None:
        self.history = history
        self._final = Metrics(history)
        self._outputs = self._final.outputs
        self.scale = self._final.scale

    @cached_property
    def tokens(self) -> Ints:
        """Tokens sent so far."""
        return np.cumsum(self._outputs.by_round)

    @cached_property
    def finished(self) -> Ints:
        """Requests finished so far."""
        return self._ended(self._final.finished)

    @cached_property
    def good(self) -> Ints | None:
        """Requests finished so far that met every objective; None without objectives."""
        good = self._final.good
        return None if good is None else self._ended(good)

    def _ended(self, who: Mask) -> Ints:
        """How many of some have had their last output."""
        lasts = self._outputs.last_rounds[who[self._outputs.begun]]
        return np.cumsum(np.bincount(lasts, minlength=len(self.history)))

    @cached_property
    def request_rate(self) -> Floats:
        """Finished requests a second, or a tick, so far."""
        return self.finished / self.makespan * self._per_second

    @cached_property
    def waste(self) -> Ints:
        """Padded positions, graph buckets included, and idle seats so far."""
        columns = self.history.columns
        waste = columns["padding"] + columns["idle"]
        waste = waste + bucket_paddings(self.history)
        return np.cumsum(np.repeat(waste, columns["count"]))

    @cached_property
    def makespan(self) -> Floats:
        """Time since the first arrival, in ms or ticks."""
        arrivals = self.history.arrivals
        since: Ints = self.history.ends - arrivals[arrivals >= 0].min()
        return since / self.scale

    @cached_property
    def output_tps(self) -> Floats:
        """Output tokens sent a second, or a tick, so far."""
        return self.tokens / self.makespan * self._per_second

    @cached_property
    def input_tps(self) -> Floats:
        """Prompt tokens of requests with a first output, a second or a tick, so far."""
        prompts = np.array([r.prompt for r in self.history.scenario.requests], dtype=np.int64)
        begun = prompts[self._outputs.begun]
        size = len(self.history)
        tokens = np.cumsum(np.bincount(self._outputs.first_rounds, begun, size))
        return tokens / self.makespan * self._per_second

    @property
    def _per_second(self) -> int:
        """Units of time in a second, or in a tick."""
        return second_of(self.scale) // self.scale

    @cached_property
    def budget_use(self) -> Floats:
        """Share of the budget of all rounds so far used by P, D and drafts."""
        history = self.history
        positions = sum(history.per_round(name) for name in ("prefill", "decode", "drafts"))
        return np.cumsum(positions) / np.cumsum(history.setting(lambda setup: setup.budget))

    @cached_property
    def mean_queue(self) -> Floats:
        """Mean queue time of those scheduled so far; NaN before the first."""
        waits, first = self._final.queues, self.history.first_rounds
        return self._mean(waits, np.ones_like(waits), first[first >= 0])

    @cached_property
    def mean_ttft(self) -> Floats:
        """Mean TTFT of the requests with a first token so far; NaN before the first."""
        waits = self._final.ttfts
        return self._mean(waits, np.ones_like(waits), self._outputs.first_rounds)

    @cached_property
    def mean_itl(self) -> Floats:
        """Mean gap so far, over all requests; NaN before the first."""
        return self._mean(*self._outputs.gaps)

    @cached_property
    def max_itl(self) -> Floats:
        """Longest gap so far; NaN before the first."""
        lengths, weights, rounds = self._outputs.gaps
        longest = np.full(len(self.history), -1.0)
        np.maximum.at(longest, rounds[weights > 0], lengths[weights > 0])
        longest = np.maximum.accumulate(longest)
        return np.where(longest < 0, np.nan, longest / self.scale)

    @cached_property
    def longest_wait(self) -> Floats:
        """The longest anybody has waited so far, those still waiting too, in ms or ticks."""
        return self._final.presence.longest_wait(self.history.ends) / self.scale

    @cached_property
    def waiting(self) -> Ints:
        """How many are in the queue in each round, as scheduled; evicted ones too."""
        return self.history.per_round("waiting")

    @cached_property
    def used(self) -> Ints | None:
        """KV blocks taken in each round, as scheduled; None without a pool."""
        has_pool = self.history.scenario.setup.num_blocks is not None
        return self.history.per_round("used") if has_pool else None

    @cached_property
    def peak_used(self) -> Ints | None:
        """Most KV blocks taken in a round so far; None without a pool."""
        return None if self.used is None else np.maximum.accumulate(self.used)

    @cached_property
    def mean_used(self) -> Floats | None:
        """KV blocks taken so far, on average over the time of the rounds; None without a pool."""
        if self.used is None:
            return None
        lengths = self.history.ends - self.history.starts
        return np.cumsum(self.used * lengths.astype(np.float64)) / np.cumsum(lengths)

    @cached_property
    def preemptions(self) -> Ints | None:
        """Evictions so far; None without a pool."""
        return self._evicted("preempted")

    @cached_property
    def recomputed(self) -> Ints | None:
        """Positions computed again so far; None without a pool."""
        return self._evicted("recomputed")

    def _evicted(self, name: str) -> Ints | None:
        return None if self.used is None else np.cumsum(self.history.per_round(name))

    @property
    def counted(self) -> dict[str, Floats]:
        """How many requests, or gaps, each mean so far is over."""
        first, firsts = self.history.first_rounds, self._outputs.first_rounds
        scheduled = first[first >= 0]
        _, weights, rounds = self._outputs.gaps
        return {
            "mean_queue": self._count(np.ones_like(scheduled), scheduled),
            "mean_ttft": self._count(np.ones_like(firsts), firsts),
            "mean_itl": self._count(weights, rounds),
        }

    @property
    def columns(self) -> dict[str, Ints | Floats]:
        """All of the above that the setup gives a meaning, by name."""
        names = (
            *("makespan", "output_tps", "tokens", "finished", "waste"),
            *("mean_queue", "mean_ttft", "mean_itl", "max_itl", "longest_wait", "waiting", "good"),
            *("request_rate", "input_tps", "budget_use"),
            *("used", "mean_used", "peak_used", "preemptions", "recomputed"),
        )
        found = {name: getattr(self, name) for name in names}
        return {name: column for name, column in found.items() if column is not None}

    def _mean(self, values: Ints, weights: Ints, rounds: Ints) -> Floats:
        """Running mean of values that came in some rounds; NaN before the first."""
        size = len(self.history)
        count = self._count(weights, rounds)
        total = np.cumsum(np.bincount(rounds, values * weights.astype(np.float64), size))
        mean = total / np.maximum(count, 1)
        return np.where(count > 0, mean, np.nan) / self.scale

    def _count(self, weights: Ints, rounds: Ints) -> Floats:
        return np.cumsum(np.bincount(rounds, weights, len(self.history)))
