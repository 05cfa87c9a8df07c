"""What is known of each request by a time: its tokens, its latencies and how it stands."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sim.clock import scale_of, to_shown
from sim.history import History, Ints
from sim.metrics.outputs import Mask, Outputs
from sim.metrics.spread import Floats
from sim.sequence import Status

Number = int | float


@dataclass(frozen=True, slots=True)
class RequestMetrics:
    """One request's latencies in ms or ticks; None where there is nothing to measure yet.

    `outputs` are the times of its sent tokens, `itl` the gaps between them; tokens of one round
    are one time, so `itl` may be shorter. `preemptions` and `recomputed` are those of the whole
    run.
    """

    state: Status
    arrival: Number
    outputs: tuple[Number, ...]
    queue: Number | None
    ttft: Number | None
    itl: tuple[Number, ...]
    tpot: Number | None
    e2e: Number | None
    generated: int
    preemptions: int
    recomputed: int

    @property
    def sent(self) -> int:
        """Tokens delivered; a token later than `cancel_at` is generated only."""
        return len(self.outputs)

    @property
    def max_itl(self) -> Number | None:
        """The longest gap between two of its tokens."""
        return max(self.itl, default=None)


class Known:
    """Everything that was known of the requests at time `until` (internal units; None: the end).

    As of the end of a round, what happens at that boundary afterwards is not known: who leaves
    or is admitted there. Arrays have an entry a request in list order, latencies one for each
    request that has it, both in internal units.

    Args:
        history: the run.
        until: what is later is not known.
        only: which requests count, an entry each; all by default.
    """

    def __init__(
        self, history: History, until: int | None = None, only: Mask | None = None
    ) -> None:
        self.history = history
        self.until = until
        self.only = only
        self.scale = scale_of(history.scenario.setup.time)
        ends = history.ends
        self.rounds = len(ends) if until is None else int(np.searchsorted(ends, until, "right"))
        self.outputs = Outputs(history, self.rounds, only)

    @property
    def arrivals(self) -> Ints:
        """When each request came, in internal units; in a closed loop not its own arrival."""
        return self.history.arrivals

    @cached_property
    def arrived(self) -> Mask:
        """Which requests have come by then."""
        here: Mask = self.arrivals >= 0
        if self.until is not None:
            here = here & (self.arrivals <= self.until)
        return here if self.only is None else here & self.only

    @cached_property
    def _wanted(self) -> Ints:
        """How many outputs each request asks for."""
        return self.history.of_requests("output")

    @cached_property
    def finished(self) -> Mask:
        """Which requests have sent their whole output."""
        done: Mask = self.outputs.sent >= self._wanted
        return done

    @cached_property
    def scheduled(self) -> Mask:
        """Which requests have been scheduled."""
        begun = len(self.history)
        if self.until is not None:
            begun = int(np.searchsorted(self.history.starts, self.until))
        first = self.history.first_rounds
        here: Mask = (first >= 0) & (first < begun)
        return here if self.only is None else here & self.only

    # Latencies.

    @cached_property
    def queues(self) -> Ints:
        """Queue time: first scheduled − arrival (vLLM's `request_queue_time`)."""
        who = self.scheduled
        waits: Ints = self.history.starts[self.history.first_rounds[who]] - self.arrivals[who]
        return waits

    @cached_property
    def ttfts(self) -> Ints:
        """TTFT: first output − arrival.

        So in `vllm bench serve`, AIPerf, GuideLLM and inference-perf, which count from sending.
        """
        begun = self.outputs.begun
        firsts: Ints = self.outputs.first_times[begun] - self.arrivals[begun]
        return firsts

    @cached_property
    def tpots(self) -> Floats:
        """TPOT: (last − first output) / (outputs − 1), of requests with more than one output.

        So in `vllm bench serve`; AIPerf calls it ITL, GuideLLM's TPOT counts the first token too.
        """
        many = np.flatnonzero(self.outputs.sent > 1)
        spans = self.outputs.last_times[many] - self.outputs.first_times[many]
        result: Floats = spans / (self.outputs.sent[many] - 1)
        return result

    @cached_property
    def e2es(self) -> Ints:
        """E2E: last output − arrival, of finished requests (`e2el` in `vllm bench serve`)."""
        done = self.finished
        lasts: Ints = self.outputs.last_times[done] - self.arrivals[done]
        return lasts

    # One request.

    def request(self, index: int) -> RequestMetrics:
        """The metrics of request `index`."""
        unit = self.history.scenario.setup.time
        arrival = int(self.arrivals[index])
        rounds = self.outputs.rounds_of(index)
        times = [int(t) for t in self.outputs.ends[rounds]]
        gaps = np.diff(self.outputs.ends[np.unique(rounds)])
        queue = None
        if self.scheduled[index]:
            start = int(self.history.starts[self.history.first_rounds[index]])
            queue = to_shown(start - arrival, unit)
        return RequestMetrics(
            state=self._status(index),
            arrival=to_shown(arrival, unit),
            outputs=tuple(to_shown(t, unit) for t in times),
            queue=queue,
            ttft=to_shown(times[0] - arrival, unit) if times else None,
            itl=tuple(to_shown(int(gap), unit) for gap in gaps),
            tpot=(times[-1] - times[0]) / (len(times) - 1) / self.scale if times[1:] else None,
            e2e=to_shown(times[-1] - arrival, unit) if self.finished[index] else None,
            generated=int(self.outputs.generated[index]),
            preemptions=int(self.history.preemptions[index]),
            recomputed=int(self.history.recomputed[index]),
        )

    # States.

    @cached_property
    def _ended(self) -> Mask:
        """Who has left: with a last token by then, or at a boundary before."""
        if self.until is None:
            return np.ones(len(self.arrivals), dtype=bool)
        gone: Mask = self.history.ended_at < self.until
        return gone | (self.outputs.generated >= self._wanted)

    @cached_property
    def _running(self) -> dict[str, Status]:
        """Who was in the last round over by then, and how it stood after it."""
        if not self.rounds or self._ended.all():
            return {}
        after = self.history[self.rounds - 1].after
        return {id_: snapshot.status for id_, snapshot in after.items()}

    def _status(self, index: int) -> Status:
        """As the table shows it once the last round is over."""
        if self._ended[index]:
            return self.history.states[index]
        begun = 0 <= self.history.first_rounds[index] < self.rounds
        otherwise = Status.PREEMPTED if begun else Status.WAITING
        return self._running.get(self.history.scenario.requests[index].id, otherwise)

    def states(self) -> dict[str, int]:
        """How many requests are in which state, those not arrived yet left out."""
        here = np.flatnonzero(self.arrived).tolist()
        final = self.history.states.__getitem__  # all have left at the end
        counts = Counter(map(final if self.until is None else self._status, here))
        return {str(status): counts[status] for status in Status if counts[status]}
