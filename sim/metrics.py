"""Latencies and throughputs of a history, at its end or as of any time.

Names and formulas are those of `vllm bench serve` (`vllm/benchmarks/serve.py`): ITL pools every
gap of all requests, TPOT is one mean a request, percentiles interpolate linearly (NumPy's
default). A mean of nothing is None. Values are in ms or ticks; throughputs a second, or a tick.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sim.clock import scale_of, to_shown
from sim.history import History, Ints
from sim.sequence import Status

Floats = NDArray[np.float64]
Number = int | float

PERCENTILES = {"p50": 50, "p95": 95, "p99": 99, "max": 100}


@dataclass(frozen=True, slots=True)
class RequestMetrics:
    """One request's latencies in ms or ticks; None where there is nothing to measure yet."""

    state: Status
    arrival: Number
    outputs: tuple[Number, ...]
    queue: Number | None
    ttft: Number | None
    itl: tuple[Number, ...]
    tpot: Number | None
    e2e: Number | None

    @property
    def max_itl(self) -> Number | None:
        """The longest gap between two of its tokens."""
        return max(self.itl, default=None)


class Metrics:
    """Everything that was known of a history at time `until` (internal units; None: the end)."""

    def __init__(self, history: History, until: int | None = None) -> None:
        self.history = history
        self.until = until
        self.scale = scale_of(history.scenario.setup.time)
        requests = history.scenario.requests
        self._arrivals = np.array([r.arrival for r in requests], dtype=np.int64)
        self._outputs = np.array([r.output for r in requests], dtype=np.int64)

    @cached_property
    def rounds(self) -> int:
        """Rounds over by then."""
        ends = self.history.ends
        return len(ends) if self.until is None else int(np.searchsorted(ends, self.until, "right"))

    # Arrays with an entry a token or a request.

    @cached_property
    def _tokens(self) -> tuple[Ints, Ints]:
        """Time and request of every token out by then, request by request."""
        rounds, offsets = self.history.token_rounds
        owners = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        out = rounds < self.rounds
        return self.history.ends[rounds[out]], owners[out]

    @cached_property
    def emitted(self) -> Ints:
        """Tokens out, a request."""
        return np.bincount(self._tokens[1], minlength=len(self._arrivals))

    @cached_property
    def _bounds(self) -> tuple[Ints, Ints]:
        """Where each request's tokens begin and end among all."""
        past = np.cumsum(self.emitted)
        return past - self.emitted, past

    @cached_property
    def gaps(self) -> Ints:
        """Every gap between consecutive tokens of one request, pooled, in internal units."""
        times, owners = self._tokens
        same: Ints = np.diff(times)[owners[1:] == owners[:-1]]
        return same

    @cached_property
    def ttfts(self) -> Ints:
        """First output − arrival of every request that has one, in internal units."""
        has = self.emitted > 0
        first: Ints = self._tokens[0][self._bounds[0][has]] - self._arrivals[has]
        return first

    @cached_property
    def tpots(self) -> Floats:
        """(last − first output) / (outputs − 1) of every request with more than one output."""
        many = self.emitted > 1
        times, (first, past) = self._tokens[0], self._bounds
        spans = times[past[many] - 1] - times[first[many]]
        result: Floats = spans / (self.emitted[many] - 1)
        return result

    @cached_property
    def e2es(self) -> Ints:
        """Last output − arrival of every finished request, in internal units."""
        done = self.finished
        last: Ints = self._tokens[0][self._bounds[1][done] - 1] - self._arrivals[done]
        return last

    @cached_property
    def finished(self) -> NDArray[np.bool_]:
        """Which requests have emitted their whole output."""
        done: NDArray[np.bool_] = self.emitted >= self._outputs
        return done

    @cached_property
    def queues(self) -> Ints:
        """First scheduled − arrival of every request scheduled by then."""
        first = self.history.first_rounds
        begun = (first >= 0) & (first < self._begun_rounds)
        waits: Ints = self.history.starts[first[begun]] - self._arrivals[begun]
        return waits

    @property
    def _begun_rounds(self) -> int:
        if self.until is None:
            return len(self.history)
        return int(np.searchsorted(self.history.starts, self.until, "left"))

    # One request.

    def request(self, index: int) -> RequestMetrics:
        """The metrics of request `index`."""
        unit = self.history.scenario.setup.time
        request = self.history.scenario.requests[index]
        first, past = (int(bound[index]) for bound in self._bounds)
        times = [int(t) for t in self._tokens[0][first:past]]
        begun = int(self.history.first_rounds[index])
        queue = None
        if 0 <= begun < self._begun_rounds:
            queue = to_shown(int(self.history.starts[begun]) - request.arrival, unit)
        done = bool(self.finished[index])
        return RequestMetrics(
            state=self._status(index),
            arrival=to_shown(request.arrival, unit),
            outputs=tuple(to_shown(t, unit) for t in times),
            queue=queue,
            ttft=to_shown(times[0] - request.arrival, unit) if times else None,
            itl=tuple(to_shown(b - a, unit) for a, b in pairwise(times)),
            tpot=(times[-1] - times[0]) / (len(times) - 1) / self.scale if times[1:] else None,
            e2e=to_shown(times[-1] - request.arrival, unit) if done else None,
        )

    @cached_property
    def _running(self) -> dict[str, Status]:
        """Who was in the last round over by then, and how it stood after it."""
        if not self.rounds or self.finished.all():
            return {}
        after = self.history[self.rounds - 1].after
        return {id_: snapshot.status for id_, snapshot in after.items()}

    def _status(self, index: int) -> Status:
        """As the table shows it once the last round is over."""
        if self.finished[index]:
            return Status.FINISHED
        begun = 0 <= self.history.first_rounds[index] < self.rounds
        otherwise = Status.PREEMPTED if begun else Status.WAITING
        return self._running.get(self.history.scenario.requests[index].id, otherwise)

    # All requests.

    @cached_property
    def makespan(self) -> Number | None:
        """End of the last round − first arrival, in ms or ticks; None before the first end."""
        if not self.rounds:
            return None
        span = int(self.history.ends[self.rounds - 1] - self._arrivals.min())
        return to_shown(span, self.history.scenario.setup.time)

    def _per_time(self, amount: Number) -> float | None:
        """An amount a second (ms scenarios) or a tick."""
        if not self.makespan:
            return None
        return amount / self.makespan * (1000 if self.scale > 1 else 1)

    @property
    def output_tps(self) -> float | None:
        """Output tokens a second, or a tick."""
        return self._per_time(len(self._tokens[0]))

    def total(self, column: str) -> int:
        """Sum of a per-round column of the history over the rounds done."""
        return int(self.history.per_round(column)[: self.rounds].sum())

    def overall(self) -> dict[str, object]:
        """The figures of the whole run, named as in the JSON output."""
        prompts = np.array([r.prompt for r in self.history.scenario.requests], dtype=np.int64)
        padding, idle = self.total("padding"), self.total("idle")
        positions = self.total("prefill") + self.total("decode")
        budget = self.history.scenario.setup.budget * self.rounds
        tokens = len(self._tokens[0])
        return {
            "rounds": self.rounds,
            "makespan": self.makespan,
            "finished": int(self.finished.sum()),
            "states": self._states(),
            "tokens": tokens,
            "generated": tokens,
            "padding": padding,
            "idle": idle,
            "waste": padding + idle,
            "preemptions": int(self.history.preemptions.sum()),
            "recomputed": int(self.history.recomputed.sum()),
            "peak_running": int(self.history.per_round("running")[: self.rounds].max(initial=0)),
            "peak_blocks": self._peak_blocks(),
            "budget_use": positions / budget if budget else None,
            "output_tps": self.output_tps,
            "request_rate": self._per_time(int(self.finished.sum())),
            "input_tps": self._per_time(int(prompts[self.emitted > 0].sum())),
            **self.distributions(),
        }

    def _peak_blocks(self) -> int | None:
        if self.history.scenario.setup.num_blocks is None:
            return None
        return int(self.history.per_round("used")[: self.rounds].max(initial=0))

    def _states(self) -> dict[str, int]:
        """How many requests are in which state, those not arrived yet left out."""
        here = self._arrivals <= (self._arrivals.max() if self.until is None else self.until)
        counts = Counter(self._status(int(index)) for index in np.flatnonzero(here))
        return {str(status): counts[status] for status in Status if counts[status]}

    def distributions(self) -> dict[str, Mapping[str, float | None]]:
        """Mean, P50, P95, P99 and maximum of queue time, TTFT, TPOT, ITL and E2E."""
        samples: dict[str, Ints | Floats] = {
            "queue": self.queues,
            "ttft": self.ttfts,
            "tpot": self.tpots,
            "itl": self.gaps,
            "e2e": self.e2es,
        }
        return {name: self.summary(values) for name, values in samples.items()}

    def summary(self, values: Ints | Floats) -> dict[str, float | None]:
        """Mean and percentiles of internal times, in ms or ticks."""
        if not len(values):
            return dict.fromkeys(("mean", *PERCENTILES))
        figures = np.percentile(values, list(PERCENTILES.values())) / self.scale
        named = dict(zip(PERCENTILES, map(float, figures), strict=True))
        return {"mean": float(values.mean()) / self.scale, **named}


def metrics(history: History, until: int | None = None) -> Metrics:
    """What was known at `until`, an internal time; None: at the end."""
    return Metrics(history, until)
