"""A sweep under way, or what came of it: its points, their figures, and how it stands."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from threading import Event
from typing import Literal

from app.inputs import lane_scenarios
from app.lab.sweep_grid import RATE, Form, Point
from app.lab.workers import workers
from app.lane_specs import LaneSpec
from app.setup_options import shown
from sim import Problem, Scenario
from sim.sweep import Figures, Stopped, sweep
from sim.traces.cut import cut

QUICK_ROUNDS = 20_000  # of all points together; what takes longer is left to the workers

State = Literal["running", "done", "stopped", "void", "failed", "lost"]
Found = tuple[int, Figures | Problem]  # a point by its place, and what came of it


@dataclass(slots=True)
class Run:
    """One sweep. `is_old`: what all lanes share has changed since, maybe only `by_goals`."""

    number: int
    form: Form
    base: LaneSpec
    shared: Scenario
    points: Sequence[Point]
    is_bounded: bool
    state: State = "running"
    is_old: bool = False
    by_goals: bool = False
    found: dict[int, Figures | Problem] = field(default_factory=dict)
    stop: Event = field(default_factory=Event)

    def end(self, state: State) -> None:
        """Say how it ended, and end it; an ended one stays as it is."""
        if self.state == "running":
            self.state = state
            self.stop.set()

    def results(self) -> Iterator[Found]:
        """What comes of the points: first of those that cannot run, then of the others in order.

        Raises:
            Stopped: when asked to stop.
        """
        good: list[tuple[int, Scenario]] = []
        runs = runs_of(self.shared, self.base, self.points, is_bounded=self.is_bounded)
        for place, run in enumerate(runs):
            if self.stop.is_set():
                raise Stopped
            if isinstance(run, Problem):
                yield place, run
            else:
                good.append((place, run))
        scenarios = [scenario for _, scenario in good]
        is_quick = sum(scenario.most_rounds for scenario in scenarios) <= QUICK_ROUNDS
        executor = None if is_quick else workers()
        figures = sweep(scenarios, executor, stop=self.stop.is_set)
        yield from zip((place for place, _ in good), figures, strict=True)


def runs_of(
    shared: Scenario, base: LaneSpec, points: Sequence[Point], *, is_bounded: bool
) -> Iterator[Scenario | Problem]:
    """What each point runs, or what keeps it from running."""
    paced: dict[float, Scenario | Problem] = {}
    for point in points:
        rate = point.settings.get(RATE, 1)
        if rate not in paced:
            paced[rate] = _paced(shared, rate)
        traffic = paced[rate]
        if isinstance(traffic, Problem):
            yield traffic
            continue
        spec = replace(base, changes={**base.changes, **changes_of(point)})
        runs, found = lane_scenarios(traffic, [spec], is_bounded=is_bounded)
        yield runs[0][1] if runs else found[0][1]


def changes_of(point: Point) -> dict[str, str]:
    """What a point changes in a lane, as typed; the rate belongs to the traffic."""
    return {name: shown(value) for name, value in point.settings.items() if name != RATE}


def _paced(scenario: Scenario, rate: float) -> Scenario | Problem:
    if rate == 1:
        return scenario
    requests, problems = cut(scenario.requests, {"scale": 1 / rate}, scenario.setup.time)
    return problems[0] if problems else replace(scenario, requests=requests)
