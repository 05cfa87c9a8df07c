"""Running the lanes of a session, at once or aside; of several runs only the last one is shown."""

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.generator import redrawn
from app.inputs import Found, Inputs, Play, lane_scenarios
from app.lane_runs import Played, play
from app.lane_specs import LaneSpec
from app.lanes import Lane
from sim import Scenario

QUICK_ROUNDS = 40_000  # of all lanes together; more take so long that one is told

Runs = Sequence[tuple[LaneSpec, Scenario]]
Show = Callable[[list[Lane]], None]
Defer = Callable[[Callable[[], Any], Callable[[Any], None]], None]


class Runner:
    """Does what takes long, at once or aside; what is asked for meanwhile makes it void."""

    def __init__(self) -> None:
        self._asked = 0

    def forget(self) -> None:
        """What is still being done comes too late."""
        self._asked += 1

    def run(
        self,
        runs: Runs,
        old: Sequence[Lane],
        show: Show,
        defer: Defer | None = None,
        play: Play = play,
    ) -> None:
        """Simulate all lanes, then show them.

        Args:
            runs: lanes and their scenarios.
            old: lanes that are there already.
            show: what to do with the new ones.
            defer: runs a job aside and hands its outcome on; None: at once.
            play: makes the history of a lane.
        """
        known = list(old)
        self.do(lambda: simulated(runs, known, play), show, defer)

    def do(
        self, job: Callable[[], Any], show: Callable[[Any], None], defer: Defer | None = None
    ) -> None:
        """Do a job, then show what came of it."""
        self.forget()
        ticket = self._asked

        def then(outcome: Any) -> None:
            if ticket == self._asked:
                show(outcome)

        if defer is None:
            then(job())
        else:
            defer(job, then)


@dataclass(frozen=True, slots=True)
class Judged:
    """What came of what is typed; the lanes run already if they were asked for."""

    drawn: Scenario  # the requests that the generator's options make
    shared: Scenario | None  # what all lanes share, None if it cannot be
    runs: Runs
    found: Found  # problems
    lanes: Sequence[Lane] = ()


@dataclass(frozen=True, slots=True)
class Typed:
    """All that is typed: of a large scene it takes a while to tell what is wrong with it.

    Args:
        name: what was chosen.
        traffic: how else its requests are drawn or cut.
        inputs: the rest, against what was chosen.
        drawn: what the traffic makes of that, if it is known.
    """

    name: str
    traffic: Mapping[str, str]
    inputs: Inputs
    drawn: Scenario | None

    def judged(self, play: Play = play) -> Judged:
        """What can run and what is wrong; `play` tells whether a lane can that has no policy."""
        drawn = self.drawn or redrawn(self.name, self.inputs.chosen, self.traffic)
        return Judged(drawn, *replace(self.inputs, chosen=drawn).scenarios(play))

    def run(self, old: Sequence[Lane], play: Play = play) -> Judged:
        """Judge, then run what can; what was run to be judged is kept until then."""
        kept: list[Played] = []

        def keeping(spec: LaneSpec, scenario: Scenario) -> Played:
            kept.append(play(spec, scenario))
            return kept[-1]

        judged = self.judged(keeping)
        if judged.shared is None or judged.found:
            return judged
        return replace(judged, lanes=simulated(judged.runs, old, keeping))


def takes_long(runs: Runs) -> bool:
    """Whether a person should be told that it runs."""
    return sum(scenario.most_rounds for _, scenario in runs) > QUICK_ROUNDS


def runnable(scenario: Scenario, lanes: Sequence[LaneSpec]) -> Runs:
    """The lanes that can run; a scenario that was checked can run in its own mode at least."""
    runs, _ = lane_scenarios(scenario, lanes, is_bounded=False)
    return runs or [(LaneSpec(scenario.setup.mode, {"mode": scenario.setup.mode}), scenario)]


def simulated(runs: Runs, old: Sequence[Lane], play: Play = play) -> list[Lane]:
    """All lanes, with the figures that drawing them needs; one that is there is not run again."""
    known = {lane.history.scenario.without_goals: lane for lane in old if lane.spec.is_plain}
    return [
        _lane(spec, scenario, known.get(scenario.without_goals), play) for spec, scenario in runs
    ]


def _lane(spec: LaneSpec, scenario: Scenario, known: Lane | None, play: Play) -> Lane:
    """A lane, made of one with the same rounds if there is any."""
    if known and spec.is_plain and known.history.scenario == scenario:
        lane = copy.copy(known)
        lane.spec = spec
        return lane
    if known and spec.is_plain:
        lane = Lane(spec.key, known.history.under_goals(scenario), spec)
    else:
        played = play(spec, scenario)
        assert played.history is not None, "a lane with problems is not shown"
        lane = Lane(spec.key, played.history, spec, played.hand, played.before)
    lane.prepare()
    return lane
