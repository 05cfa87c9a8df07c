"""All figures of a run, at its end or as of any time, under the names of the JSON output."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from sim.clock import to_shown
from sim.history import History
from sim.metrics.groups import Group, Kind, parted, terciles
from sim.metrics.known import Known, Number
from sim.metrics.kv import KvUse, kv_use
from sim.metrics.load import Load, Presence, second_of
from sim.metrics.outputs import Mask
from sim.metrics.slo import missed
from sim.metrics.spread import Spread, spread
from sim.metrics.usage import Usage


class Metrics(Known):
    """The figures of a run as of a time.

    With `only` the figures of requests (latencies, throughputs, goodput, states) are those of
    some; the figures of rounds (makespan, padding, blocks) and of the queue stay those of the
    server.
    """

    @cached_property
    def usage(self) -> Usage:
        """Seats, budget and padding over the rounds done."""
        return Usage(self.history, self.rounds)

    def in_window(self) -> "Metrics":
        """The same of the requests that arrive in the setup's window: what is before warms up.

        Without a window all requests stay.
        """
        window = self.history.scenario.setup.window
        if window is None:
            return self
        arrivals = self.history.arrivals
        return self._of((arrivals >= window[0]) & (arrivals < window[1]))

    def _of(self, chosen: Mask) -> "Metrics":
        only = chosen if self.only is None else chosen & self.only
        return Metrics(self.history, self.until, only)

    def distributions(self) -> dict[str, Spread]:
        """Mean, P50, P95, P99 and maximum of queue time, TTFT, TPOT, ITL and E2E.

        TPOT is one figure a request. ITL pools every gap of all requests, so that long answers
        weigh more: `vllm bench serve` and inference-perf do so, AIPerf and GuideLLM take a mean a
        request first, which is TPOT here.
        """
        lengths, weights, _ = self.outputs.gaps
        return {
            "queue": spread(self.queues, self.scale),
            "ttft": spread(self.ttfts, self.scale),
            "tpot": spread(self.tpots, self.scale),
            "itl": spread(lengths, self.scale, weights),
            "e2e": spread(self.e2es, self.scale),
        }

    # Throughputs.

    @cached_property
    def _span(self) -> int | None:
        """The makespan in internal units."""
        if not self.rounds:
            return None
        came = self.arrivals[self.arrivals >= 0]
        return int(self.history.ends[self.rounds - 1] - came.min())

    @property
    def makespan(self) -> Number | None:
        """End of the last round − first arrival, in ms or ticks; None before the first end.

        Benchmarks divide by the same time: from the first request sent to the last answer.
        """
        span = self._span
        return None if span is None else to_shown(span, self.history.scenario.setup.time)

    def _rate(self, amount: int) -> float | None:
        """An amount a second (ms scenarios) or a tick of the makespan."""
        return amount * second_of(self.scale) / self._span if self._span else None

    @property
    def tokens(self) -> int:
        """Output tokens sent."""
        return int(self.outputs.sent.sum())

    @property
    def output_tps(self) -> float | None:
        """Output tokens sent a second, or a tick (`output_throughput` in `vllm bench serve`)."""
        return self._rate(self.tokens)

    @property
    def input_tps(self) -> float | None:
        """Prompt tokens of requests with a first output, a second or a tick.

        Each prompt counts once, computed again or not, its cached part too.
        """
        return self._rate(int(self.history.of_requests("prompt")[self.outputs.begun].sum()))

    @property
    def request_rate(self) -> float | None:
        """Finished requests a second, or a tick (`request_throughput` in `vllm bench serve`)."""
        return self._rate(int(self.finished.sum()))

    # Objectives.

    @cached_property
    def missed(self) -> dict[str, Mask] | None:
        """Which finished requests miss each objective of the setup; None without objectives."""
        slo = self.history.scenario.setup.slo
        if slo is None:
            return None
        return missed(self.outputs, self.arrivals, self.finished, slo)

    @cached_property
    def good(self) -> Mask | None:
        """Which finished requests met every objective."""
        if self.missed is None:
            return None
        bad: Mask = np.any(list(self.missed.values()), axis=0)
        return self.finished & ~bad

    @property
    def num_good(self) -> int | None:
        """Finished requests that met every objective."""
        return None if self.good is None else int(self.good.sum())

    @property
    def goodput(self) -> float | None:
        """Those a second, or a tick (`request_goodput` in `vllm bench serve`)."""
        return None if self.good is None else self._rate(int(self.good.sum()))

    @property
    def good_tps(self) -> float | None:
        """Their output tokens a second, or a tick (token goodput in inference-perf)."""
        return None if self.good is None else self._rate(int(self.outputs.sent[self.good].sum()))

    @property
    def attainment(self) -> float | None:
        """Share of the finished requests that met every objective (DistServe, OSDI 2024)."""
        return self._share_good(int(self.finished.sum()))

    @property
    def attainment_of_all(self) -> float | None:
        """Share of all requests that came, whatever became of them."""
        return self._share_good(int(self.arrived.sum()))

    def _share_good(self, number: int) -> float | None:
        return self.num_good / number if self.num_good is not None and number else None

    # Queue and load.

    @cached_property
    def presence(self) -> Presence:
        """When everyone came, was first scheduled, and left."""
        return Presence(self.history)

    @property
    def longest_wait(self) -> Number | None:
        """The longest anybody has waited so far, in ms or ticks; None before the first arrival.

        From arrival to first scheduling; those still waiting count up to now, those who left
        unserved up to then. It shows starvation, which the queue time of the served hides.
        """
        presence, until = self.presence, self.until
        if until is None:
            until = int(presence.left.max())
        if until < presence.arrivals.min():
            return None
        wait = int(presence.longest_wait(np.array([until]))[0])
        return to_shown(wait, self.history.scenario.setup.time)

    @property
    def load(self) -> Load | None:
        """Load over the setup's window; None without one, or before it has begun."""
        window = self.history.scenario.setup.window
        return None if window is None else self.presence.load(window, self.until, self.scale)

    @property
    def kv(self) -> KvUse | None:
        """Use of the KV pool; None without one."""
        return kv_use(self.history, self.rounds)

    # Together.

    def groups(self, kind: Kind, bounds: Sequence[int] | None = None) -> dict[str, Group]:
        """The figures of each group of requests that have come.

        Args:
            kind: length (of the prompt), tenant, cache (hit or miss), priority or state.
            bounds: the longest prompt of each length class but the last; the terciles of all
                prompts by default.
        """
        requests = self.history.scenario.requests
        if bounds is None:
            bounds = terciles(request.prompt for request in requests)
        states = [self._status(i) for i in range(len(requests))] if kind == "state" else ()
        found = {}
        for name, indices in parted(kind, requests, states, bounds).items():
            chosen = np.zeros(len(requests), dtype=bool)
            chosen[indices] = True
            own = self._of(chosen)
            if own.arrived.any():
                found[name] = own.as_group(name)
        return found

    def as_group(self, name: str) -> Group:
        """The figures of the requests that count, under a name."""
        return Group(
            name=name,
            count=int(self.arrived.sum()),
            finished=int(self.finished.sum()),
            good=self.num_good,
            attainment=self.attainment,
            attainment_of_all=self.attainment_of_all,
            missed={objective: int(who.sum()) for objective, who in (self.missed or {}).items()},
            latencies=self.distributions(),
        )

    def total(self, column: str) -> int:
        """Sum of a per-round column of the history over the rounds done."""
        return self.usage.total(column)

    def overall(self) -> dict[str, object]:
        """The figures of the whole run, named as in the JSON output.

        `good` and `goodput` are None without objectives, `load` without a window, `peak_blocks`
        without a pool.
        """
        usage, load = self.usage, self.load
        has_pool = self.history.scenario.setup.num_blocks is not None
        return {
            "rounds": self.rounds,
            "makespan": self.makespan,
            "finished": int(self.finished.sum()),
            "states": self.states(),
            "tokens": self.tokens,
            "generated": int(self.outputs.generated.sum()),
            "padding": usage.padding,
            "idle": usage.idle,
            "waste": usage.padding + usage.idle,
            "preemptions": usage.total("preempted"),
            "recomputed": usage.total("recomputed"),
            "peak_running": usage.peak_running,
            "peak_blocks": usage.peak_blocks if has_pool else None,
            "budget_use": usage.budget_use,
            "output_tps": self.output_tps,
            "request_rate": self.request_rate,
            "input_tps": self.input_tps,
            **self.distributions(),
            "good": self.num_good,
            "goodput": self.goodput,
            "load": None if load is None else load.to_dict(),
        }


def metrics(history: History, until: int | None = None) -> Metrics:
    """What was known at `until`, an internal time; None: at the end."""
    return Metrics(history, until)
