"""The search for a cost under which the simulator agrees with measured requests.

With the rounds of a run at hand, every latency is a sum of round times, hence linear in the cost.
Non-negative least squares over those sums give the next cost, a new run the next rounds (Picard
iteration). It need not come to rest, because rounds change with the cost. So each turn also tries
parts of that step, and Gauss–Newton steps with the slopes of whole runs (Levenberg, 1944), and
keeps whatever simulates best. A latency counts by √(itself · mean), between absolute and relative
error. Nothing is drawn: the same requests give the same cost.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from sim.calibrate import PARTS
from sim.history import History, Ints, simulate
from sim.metrics import Floats, Metrics
from sim.metrics.outputs import Outputs
from sim.scenario import Scenario
from sim.setup import Cost, Setup
from sim.timings import Timings, TimingsError

FIRST_TURNS = 8
TURNS = 24
STEPS = (1, 1 / 2, 1 / 4, 1 / 8)  # parts of the way to a least-squares cost
DAMPING = (1e-6, 1e-4, 1e-2, 1)  # of Gauss–Newton, relative to the steepest part
SLOPE_STEP = 0.005  # of a mean round
ENOUGH = 1e-4  # what a turn must gain, relative


class Try(NamedTuple):
    """A run under a cost: what it predicts, and how far off it is over the fitted half."""

    cost: Floats  # the parts in ns, in the order of `PARTS`
    history: History
    outputs: Outputs
    ttft: Ints
    e2e: Ints
    residuals: Floats  # of TTFT, then of E2E
    loss: float


class Search:
    """The search over the requests `seen`; `best` is the best run so far, `tried` are all costs."""

    def __init__(self, timings: Timings, setup: Setup) -> None:
        self.timings = timings
        self.base = Scenario(setup, timings.requests).with_setup()
        self.seen = np.arange(len(timings.requests)) < len(timings.requests) // 2
        self.weights = [_weights(times[self.seen]) for times in (timings.ttft, timings.e2e)]
        self.tried: list[tuple[Floats, float]] = []
        self.best = self.run(np.array([np.median(timings.tpot[self.seen]), 0, 0, 0]))

    def run(self, cost: Floats) -> Try:
        """Simulate under a cost, in whole ns; a round takes 1 ns at least."""
        cost = np.maximum(np.round(cost), (1, 0, 0, 0))
        setup = replace(self.base.setup, cost=with_parts(self.base.setup.cost, cost))
        history = simulate(replace(self.base, setup=setup))
        known = Metrics(history)
        if not known.finished.all():
            raise TimingsError(
                f"{self.timings.name}: under this setup some requests are not served to the end, "
                "as all measured ones were; take off what lets them leave"
            )
        ttft = known.outputs.first_times - history.arrivals
        e2e = known.outputs.last_times - history.arrivals
        pairs = ((ttft, self.timings.ttft), (e2e, self.timings.e2e))
        off = [(found - measured)[self.seen] for found, measured in pairs]
        residuals = np.concatenate([a * b for a, b in zip(off, self.weights, strict=True)])
        found = Try(cost, history, known.outputs, ttft, e2e, residuals, residuals @ residuals)
        if not self.tried or found.loss < self.best.loss:
            self.best = found
        self.tried.append((cost, found.loss))
        return found

    def turns(self) -> Iterator[None]:
        """Look for a better cost until a turn gains little."""
        last = self.best
        for _ in range(FIRST_TURNS):
            last = self.run((last.cost + self.by_sums(last, with_ttft=False)) / 2)
            yield
        for _ in range(TURNS):
            before = self.best
            for cost in (*self.parts_of_steps(before), *self.by_slopes(before)):
                self.run(cost)
            yield
            if self.best.loss >= before.loss * (1 - ENOUGH):
                return

    def parts_of_steps(self, at: Try) -> Iterator[Floats]:
        """Costs on the way to those that least squares give for the rounds as they are."""
        for goal in (self.by_sums(at, with_ttft=True), self.by_sums(at, with_ttft=False)):
            for step in STEPS:
                yield at.cost + step * (goal - at.cost)

    def by_sums(self, at: Try, with_ttft: bool) -> Floats:
        """The cost that fits best if every request stays in the rounds it was in.

        From the first to the last token, and from the first round after the arrival to the first
        token; what was left of the round before is taken as it was.
        """
        history, outputs, seen = at.history, at.outputs, self.seen
        past = np.vstack([np.zeros(4), np.cumsum(work(history), axis=0)])
        first, last = outputs.first_rounds[seen] + 1, outputs.last_rounds[seen] + 1
        measured = (self.timings.e2e - self.timings.ttft)[seen]
        sums, times = [past[last] - past[first]], [measured]
        weights = [_weights(measured)]
        if with_ttft:
            begun = np.searchsorted(history.starts, history.arrivals[seen])
            sums.append(past[first] - past[begun])
            times.append(self.timings.ttft[seen] - (history.starts[begun] - history.arrivals[seen]))
            weights.append(self.weights[0])
        weight = np.concatenate(weights)
        return least(np.concatenate(sums) * weight[:, None], np.concatenate(times) * weight)

    def by_slopes(self, at: Try) -> Iterator[Floats]:
        """Gauss–Newton steps with different dampings."""
        unit, slopes = self.slopes(at)
        place = at.cost / unit
        for damping in DAMPING:
            held = np.eye(4) * np.sqrt(damping * (slopes**2).sum(axis=0).max())
            target = np.concatenate([slopes @ place - at.residuals, held @ place])
            yield least(np.vstack([slopes, held]), target) * unit

    def slopes(self, at: Try) -> tuple[Floats, Floats]:
        """How the residuals change with each part, and the unit of it that makes a mean round."""
        counts = np.maximum(work(at.history).mean(axis=0), 1)
        unit = (at.history.ends - at.history.starts).mean() / counts
        step = np.maximum(np.round(SLOPE_STEP * unit), 1)
        changes = [self.run(at.cost + one).residuals - at.residuals for one in np.diag(step)]
        return unit, np.stack(changes, axis=1) / step * unit


def with_parts(cost: Cost, parts: Floats) -> Cost:
    """A cost with its four parts in ns, those of the extras as they are."""
    return replace(cost, **dict(zip(PARTS, map(int, parts), strict=True)))


def _weights(times: Ints) -> Floats:
    """Weights of latencies, so that both long and short ones count."""
    found: Floats = 1 / np.sqrt(np.maximum(times, 1) * np.maximum(times.mean(), 1))
    return found


def work(history: History) -> Floats:
    """What the parts of the cost are multiplied with, a row a round: 1, P, D and K (rounds × 4).

    K follows from who gets how much; where KV is lost on the way or read again it is too large.
    """
    owner, first, count, amount, _ = history.work_runs
    done = np.cumsum(count * amount) - count * amount  # of all before, request by request
    begin = np.searchsorted(owner, np.arange(len(history.states)))
    had = done - done[begin[owner]] + history.of_requests("cached")[owner]
    size = len(history)

    def added(values: Ints) -> Floats:
        change = np.bincount(first, values, size + 1) - np.bincount(first + count, values, size + 1)
        total: Floats = np.cumsum(change)[:size]
        return total

    reads = added(had - amount * first) + added(amount) * np.arange(size)
    columns = (np.ones(size), history.per_round("prefill"), history.per_round("decode"), reads)
    return np.stack(columns, axis=1).astype(np.float64)


def least(rows: Floats, target: Floats) -> Floats:
    """The four parts, none below zero, that bring rows (n × 4) closest to a target (n).

    Every set of parts above zero is tried, as in `calibrate`; floats do for one step of many.
    """
    size = np.maximum(np.abs(rows).max(axis=0), 1e-300)
    best, gap = np.zeros(4), float(target @ target)
    for count in range(1, 5):
        for active in map(list, combinations(range(4), count)):
            found, *_ = np.linalg.lstsq(rows[:, active] / size[active], target, rcond=None)
            off = target - rows[:, active] / size[active] @ found
            if found.min() >= 0 and off @ off < gap:
                best, gap = np.zeros(4), float(off @ off)
                best[active] = found / size[active]
    return best
