"""The cost of a round, fitted to measured requests of a real server, and judged.

Nobody has measured the rounds here, only when each request got its first and its last token. So
the simulator runs the same requests, and the cost is changed until it agrees (`fit_search`). It is
fitted to the requests of the first half, by arrival, and judged by those of the second, whose
times it has never seen; both are always served in one run, since who comes first leaves a queue.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from sim.calibrate import PARTS, cost_in_ms
from sim.clock import NS_PER_MS
from sim.fit_search import FIRST_TURNS, TURNS, Search, with_parts
from sim.metrics import Floats
from sim.metrics.outputs import Mask
from sim.setup import Cost, Setup
from sim.sweep import Progress, Stop, Stopped
from sim.tables import figure, table
from sim.timings import Timings, TimingsError
from sim.toml import to_toml

NEARLY = 1.25  # the loss of a cost that fits nearly as well, over that of the best


class Judged(NamedTuple):
    """A figure over some requests, in ms."""

    name: str
    measured: float
    predicted: float

    @property
    def error(self) -> float | None:
        """(predicted − measured) / measured; None where nothing took time."""
        return self.predicted / self.measured - 1 if self.measured else None


class Pairs(NamedTuple):
    """A latency of each request, measured and predicted, in ms."""

    measured: Floats
    predicted: Floats


@dataclass(frozen=True, slots=True, eq=False)
class TimingsFit:
    """A cost fitted to measured requests.

    Attributes:
        timings: what was fitted.
        setup: what it was simulated under, with the fitted cost.
        unseen: which requests the fit has not seen, an entry each.
        ttft: of every request.
        e2e: of every request.
        seen_figures: median and P99 TTFT, mean TPOT and makespan of the fitted half.
        figures: the same of the other half: how good the fit is.
        nearly: the least and the most of each part, in ms, among the tried costs that fit nearly
            as well; wide where the requests cannot tell parts apart.
        runs: how many were simulated.
    """

    timings: Timings
    setup: Setup
    unseen: Mask
    ttft: Pairs
    e2e: Pairs
    seen_figures: tuple[Judged, ...]
    figures: tuple[Judged, ...]
    nearly: Mapping[str, tuple[float, float]]
    runs: int

    @property
    def cost(self) -> Cost:
        """The fitted cost, in whole ns."""
        return self.setup.cost


def fit_timings(
    timings: Timings, setup: Setup, *, progress: Progress | None = None, stop: Stop | None = None
) -> TimingsFit:
    """The cost that brings the simulated TTFT and E2E closest to the measured ones.

    Args:
        timings: measured requests.
        setup: budget, seats and scheduler of the measured server; times in ms.
        progress: told how many of how many turns are over; the last ones may not be needed.
        stop: asked between turns; true ends it.

    Raises:
        TimingsError: the setup counts in ticks, or does not serve every request.
        ScenarioError: the setup cannot serve these requests.
        Stopped: when asked to stop.
    """
    if setup.time != "ms":
        raise TimingsError(f"{timings.name}: measured times are fitted in ms, not in ticks")
    search = Search(timings, setup)
    for done, _ in enumerate(search.turns(), 1):
        if progress:
            progress(done, FIRST_TURNS + TURNS)
        if stop and stop():
            raise Stopped
    return _judged_fit(timings, search)


def _judged_fit(timings: Timings, search: Search) -> TimingsFit:
    best, setup = search.best, search.base.setup
    predicted = replace(timings, ttft=best.ttft, e2e=best.e2e)
    near = np.array([cost for cost, loss in search.tried if loss <= NEARLY * best.loss])
    ranges = np.stack([near.min(axis=0), near.max(axis=0)], axis=1) / NS_PER_MS
    return TimingsFit(
        timings=timings,
        setup=replace(setup, cost=with_parts(setup.cost, best.cost)),
        unseen=~search.seen,
        ttft=Pairs(timings.ttft / NS_PER_MS, best.ttft / NS_PER_MS),
        e2e=Pairs(timings.e2e / NS_PER_MS, best.e2e / NS_PER_MS),
        seen_figures=_judged(timings, predicted, search.seen),
        figures=_judged(timings, predicted, ~search.seen),
        nearly={
            part: (low, high) for part, (low, high) in zip(PARTS, ranges.tolist(), strict=True)
        },
        runs=len(search.tried),
    )


def _judged(measured: Timings, predicted: Timings, who: Mask) -> tuple[Judged, ...]:
    """Median and P99 TTFT, mean TPOT and makespan of some requests."""
    pairs = zip(_figures(measured, who).items(), _figures(predicted, who).values(), strict=True)
    return tuple(Judged(name, one, other) for (name, one), other in pairs)


def _figures(timings: Timings, who: Mask) -> dict[str, float]:
    arrivals = np.array([request.arrival for request in timings.requests])[who]
    figures = {
        "ttft_p50": np.median(timings.ttft[who]),
        "ttft_p99": np.percentile(timings.ttft[who], 99),
        "tpot_mean": timings.tpot[who].mean(),
        "makespan": (arrivals + timings.e2e[who]).max() - arrivals.min(),
    }
    return {name: float(figure) / NS_PER_MS for name, figure in figures.items()}


# Telling.

_NAMES = {
    "ttft_p50": "TTFT P50",
    "ttft_p99": "TTFT P99",
    "tpot_mean": "TPOT mean",
    "makespan": "makespan",
}


def told(fit: TimingsFit) -> str:
    """The cost, how well it predicts what it has not seen, and what it cannot tell."""
    shown, count = cost_in_ms(fit.cost), len(fit.unseen)
    parts = [(part, f"{shown[part]:g}", _range(*fit.nearly[part])) for part in PARTS]
    head = ("ms", "measured", "predicted", "error")
    setting = " ".join(f"--set cost.{part}={shown[part]:f}" for part in PARTS)
    lines = [
        f"{count:,} measured requests of {fit.timings.name}, {fit.runs:,} runs",
        table(("part", "ms", "costs tried that fit nearly as well"), parts, left=(0,)),
        f"the {int(fit.unseen.sum()):,} later requests, which the fit has not seen",
        table(head, map(_row, fit.figures)),
        f"the {count - int(fit.unseen.sum()):,} earlier ones, which it was fitted to",
        table(head, map(_row, fit.seen_figures)),
        "In full batches base, per_decode and per_kv_token grow together, so that their sum is",
        "better known than each. A linear cost cannot follow graph sizes, kernels that change with",
        "the batch, or work between rounds: use it near the load it was fitted to.",
        "",
        cost_toml(fit.cost),
        f"for the command line: {setting}",
    ]
    return "\n".join(lines) + "\n"


def _row(one: Judged) -> tuple[str, str, str, str]:
    error = "–" if one.error is None else f"{100 * one.error:+.1f} %"
    return _NAMES[one.name], figure(one.measured), figure(one.predicted), error


def _range(low: float, high: float) -> str:
    return f"{low:.6g}" if low == high else f"{low:.6g} to {high:.6g}"


def cost_toml(cost: Cost) -> str:
    """The four parts as the `[setup.cost]` table of a scenario file."""
    return to_toml({"setup": {"cost": cost_in_ms(cost)}}).replace("[setup]\n\n", "")


def as_dict(fit: TimingsFit) -> dict[str, Any]:
    """The fit for a program, times in ms; `cost` is as in a scenario file."""
    return {
        "requests": len(fit.unseen),
        "cost": cost_in_ms(fit.cost),
        "nearly": {part: list(ends) for part, ends in fit.nearly.items()},
        "unseen": [one._asdict() | {"error": one.error} for one in fit.figures],
        "seen": [one._asdict() | {"error": one.error} for one in fit.seen_figures],
        "runs": fit.runs,
        "is_unseen": fit.unseen.tolist(),
        "ttft": {name: list(values) for name, values in fit.ttft._asdict().items()},
        "e2e": {name: list(values) for name, values in fit.e2e._asdict().items()},
    }
