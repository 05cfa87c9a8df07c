"""Up to four setups on the same requests: their metrics, the best of each, objectives and groups.

Which direction of a metric is better stands in `METRICS` alone. A run is boiled down to an
`Outcome` of plain data, so that setups can be run anywhere and no history is kept.
"""

from collections.abc import Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from typing import Any, Literal

from sim.clock import TimeUnit, to_shown
from sim.curves import Curves, curves
from sim.history import History, run
from sim.metrics import PERCENTILES, Group, Kind, Metrics, Number
from sim.reading import written
from sim.scenario import Scenario
from sim.sweep import SHARE, Progress, Stop, in_order, meets

MOST_SETUPS = 4
LATENCIES = ("queue", "ttft", "tpot", "itl", "e2e")
GROUPED: tuple[Kind, ...] = ("length", "tenant", "cache")

Unit = Literal["time", "rate", "share", "count"]


@dataclass(frozen=True, slots=True)
class Metric:
    """A figure of a run: which direction is better, if one is, and what it is told in.

    Times are in ms or ticks, rates a second or a tick; `of` is what a rate counts.
    """

    name: str
    better: Literal["less", "more"] | None
    unit: Unit
    of: str = ""


METRICS: tuple[Metric, ...] = (
    Metric("goodput", "more", "rate", "request"),
    Metric("good_tps", "more", "rate", "token"),
    Metric("attainment_of_all", "more", "share"),
    Metric("attainment", "more", "share"),
    Metric("good", "more", "count"),
    Metric("finished", "more", "count"),
    Metric("makespan", "less", "time"),
    Metric("output_tps", "more", "rate", "token"),
    Metric("request_rate", "more", "rate", "request"),
    Metric("input_tps", "more", "rate", "token"),
    *(
        Metric(f"{latency}_{part}", "less", "time")
        for latency in LATENCIES
        for part in ("mean", *PERCENTILES)
    ),
    Metric("longest_wait", "less", "time"),
    Metric("rounds", None, "count"),
    Metric("budget_use", None, "share"),
    Metric("waste", "less", "count"),
    Metric("peak_running", None, "count"),
    Metric("peak_blocks", None, "count"),
    Metric("preemptions", "less", "count"),
    Metric("recomputed", "less", "count"),
)


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """A run as plain data; times in ms or ticks.

    Attributes:
        name: of the setup.
        scenario: what was run.
        count: requests that came.
        finished: those that were served to the end.
        figures: by the names of `METRICS`; None where there is nothing to measure.
        slo: of each objective its limit, and how many finished requests missed it.
        groups: figures of groups of requests, of the kinds that part them.
        passed: whether the asked share of all requests met every objective; None without any.
        curves: for pictures.
    """

    name: str
    scenario: Scenario
    count: int
    finished: int
    figures: Mapping[str, Number | None]
    slo: Mapping[str, tuple[Number, int]]
    groups: Mapping[Kind, Mapping[str, Group]]
    passed: bool | None
    curves: Curves


@dataclass(frozen=True, slots=True)
class Row:
    """A metric with its value in each setup, and which of them are best.

    Nothing is marked where no direction is better, or where all are alike.
    """

    metric: Metric
    values: tuple[Number | None, ...]
    best: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class SloRow:
    """An objective: in each setup its limit, who missed it, and whether enough met it."""

    name: str
    limits: tuple[Number | None, ...]
    missed: tuple[int | None, ...]
    passed: tuple[bool | None, ...]


@dataclass(frozen=True, slots=True)
class GroupRow:
    """A group of requests in each setup, and whether enough of it met every objective."""

    kind: Kind
    name: str
    groups: tuple[Group | None, ...]
    passed: tuple[bool | None, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Setups beside each other; whatever has an entry a setup is in the order of `outcomes`."""

    outcomes: tuple[Outcome, ...]
    unit: TimeUnit
    share: float

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the setups."""
        return tuple(outcome.name for outcome in self.outcomes)

    @property
    def passed(self) -> tuple[bool | None, ...]:
        """Which setups let the asked share of all requests meet every objective."""
        return tuple(outcome.passed for outcome in self.outcomes)

    @property
    def rows(self) -> tuple[Row, ...]:
        """Every metric that some setup has."""
        found = []
        for metric in METRICS:
            values = tuple(outcome.figures[metric.name] for outcome in self.outcomes)
            if set(values) != {None}:
                found.append(Row(metric, values, best(metric, values)))
        return tuple(found)

    @property
    def slo(self) -> tuple[SloRow, ...]:
        """Every objective that some setup has."""
        names = dict.fromkeys(name for outcome in self.outcomes for name in outcome.slo)
        return tuple(self._slo_row(name) for name in names)

    def _slo_row(self, name: str) -> SloRow:
        limits, missed, passed = [], [], []
        for outcome in self.outcomes:
            limit, late = outcome.slo.get(name, (None, None))
            met = None
            if late is not None:
                met = meets(outcome.finished - late, outcome.count, self.share)
            limits.append(limit)
            missed.append(late)
            passed.append(met)
        return SloRow(name, tuple(limits), tuple(missed), tuple(passed))

    @property
    def groups(self) -> tuple[GroupRow, ...]:
        """The groups of each kind that parts the requests: by length, tenant, cached or not."""
        names = dict.fromkeys(
            (kind, name)
            for kind in GROUPED
            for outcome in self.outcomes
            for name in outcome.groups.get(kind, {})
        )
        return tuple(self._group_row(kind, name) for kind, name in names)

    def _group_row(self, kind: Kind, name: str) -> GroupRow:
        groups = tuple(outcome.groups.get(kind, {}).get(name) for outcome in self.outcomes)
        passed = tuple(
            None
            if group is None or group.good is None
            else meets(group.good, group.count, self.share)
            for group in groups
        )
        return GroupRow(kind, name, groups, passed)

    def as_dict(self) -> dict[str, Any]:
        """Everything but the curves, for a program."""
        return {
            "unit": self.unit,
            "share": self.share,
            "setups": [
                {
                    "name": outcome.name,
                    "setup": written(outcome.scenario.setup, self.unit),
                    "passed": outcome.passed,
                }
                for outcome in self.outcomes
            ],
            "metrics": [
                {
                    "name": row.metric.name,
                    "better": row.metric.better,
                    "unit": row.metric.unit,
                    "values": list(row.values),
                    "best": list(row.best),
                }
                for row in self.rows
            ],
            "slo": [asdict(row) for row in self.slo],
            "groups": [asdict(row) for row in self.groups],
        }


def best(metric: Metric, values: tuple[Number | None, ...]) -> tuple[bool, ...]:
    """Which values are the best: all equal ones, but none where there is nothing to choose."""
    there = [value for value in values if value is not None]
    if metric.better is None or len(set(there)) < 2:
        return (False,) * len(values)
    wanted = min(there) if metric.better == "less" else max(there)
    return tuple(value == wanted for value in values)


def compare(
    setups: Mapping[str, Scenario],
    *,
    share: float = SHARE,
    executor: Executor | None = None,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> Comparison:
    """Run the same requests under each setup.

    Args:
        setups: checked scenarios by the names of their setups, up to four.
        share: of all requests, who must meet every objective for a setup to pass.
        executor: who does the work; None: this process, one after another.
        progress: told how many of how many are done, after each.
        stop: asked between runs; true ends it.

    Raises:
        ValueError: too few or many setups, or they differ in requests or unit of time.
        Stopped: when asked to stop.
    """
    if not 1 <= len(setups) <= MOST_SETUPS:
        raise ValueError(f"compare takes 1 to {MOST_SETUPS} setups, not {len(setups)}")
    first, *others = setups.values()
    if any(other.requests != first.requests for other in others):
        raise ValueError("setups to compare must serve the same requests")
    if any(other.setup.time != first.setup.time for other in others):
        raise ValueError("setups to compare must count time alike, all in ms or all in ticks")
    tasks = ((name, scenario, share) for name, scenario in setups.items())
    found = in_order(outcome, tasks, len(setups), executor, progress, stop)
    return Comparison(tuple(found), first.setup.time, share)


def outcome(name: str, scenario: Scenario, share: float = SHARE) -> Outcome:
    """One run of a scenario, boiled down."""
    return boiled(name, run(scenario), share)


def boiled(name: str, history: History, share: float = SHARE) -> Outcome:
    """A run as plain data, under the name of its setup."""
    known, scenario = Metrics(history), history.scenario
    unit, slo = scenario.setup.time, scenario.setup.slo
    good, count = known.num_good, int(known.arrived.sum())
    return Outcome(
        name=name,
        scenario=scenario,
        count=count,
        finished=int(known.finished.sum()),
        figures=_figures(known),
        slo={
            limit: (to_shown(getattr(slo, limit), unit), int(who.sum()))
            for limit, who in (known.missed or {}).items()
        },
        groups=dict(_grouped(known)),
        passed=None if good is None else meets(good, count, share),
        curves=curves(history),
    )


def _figures(known: Metrics) -> dict[str, Number | None]:
    found: dict[str, Any] = {
        **known.overall(),
        "good_tps": known.good_tps,
        "attainment": known.attainment,
        "attainment_of_all": known.attainment_of_all,
        "longest_wait": known.longest_wait,
    }
    for latency in LATENCIES:
        found |= {f"{latency}_{part}": value for part, value in found[latency].items()}
    return {metric.name: found[metric.name] for metric in METRICS}


def _grouped(known: Metrics) -> Iterator[tuple[Kind, dict[str, Group]]]:
    for kind in GROUPED:
        groups = known.groups(kind)
        if len(groups) > 1:
            yield kind, groups
