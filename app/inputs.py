"""From what is typed to what is run: a scenario that all lanes share, and one for each lane.

Pure: text in, scenarios or problems out. `app.session` keeps the text and runs the scenarios.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from app.lane_runs import Played, play
from app.lane_scenario import applied
from app.lane_specs import LaneSpec
from app.rows import MOST, MOST_ROWS, Row, page_problems, read
from app.setup_options import merged, too_long
from app.setup_options import page_problems as setup_problems
from sim import Problem, Scenario, ScenarioError
from sim.reading import read as read_table
from sim.setup import Setup

MOST_ROUNDS = 1_000_000
MOST_BUDGET = 8192
MOST_FOUND = 300  # problems: of a trace every request can have one

_LENGTH = re.compile(r"[0-9]{1,6}")  # of a prompt, as typed

Runs = list[tuple[LaneSpec, Scenario]]
Play = Callable[[LaneSpec, Scenario], Played]
Found = list[tuple[LaneSpec | None, Problem]]  # a problem, and the lane it is of if it is of one


@dataclass(frozen=True, slots=True)
class Inputs:
    """Everything that is typed, against the scenario that was chosen."""

    chosen: Scenario
    rows: Sequence[Row]
    budget: int
    setup: Mapping[str, str]
    lanes: Sequence[LaneSpec]
    read_only: bool = False

    def scenarios(self, play: Play = play) -> tuple[Scenario | None, Runs, Found]:
        """What all lanes share and what each lane runs; or what is wrong."""
        shared, problems = self._shared()
        if shared is None:
            return None, [], [(None, problem) for problem in problems[:MOST_FOUND]]
        runs, found = lane_scenarios(shared, self.lanes, is_bounded=not self.read_only, play=play)
        return shared, runs, found

    def _shared(self) -> tuple[Scenario | None, list[Problem]]:
        problems = setup_problems(self.chosen.setup, self.setup)
        scenario, found = self._reset_up() if self.read_only else self._retyped()
        known = {problem.place for problem in problems}
        problems += [problem for problem in found if problem.place not in known]
        return (None if problems else scenario), problems

    def _setup_table(self) -> dict[str, Any]:
        return merged(self.chosen.setup, self.setup) | {"budget": self.budget}

    def _reset_up(self) -> tuple[Scenario | None, list[Problem]]:
        """A trace under another setup."""
        values, problems = read_table({"setup": self._setup_table()})
        if problems:
            return None, problems
        setup: Setup = values["setup"]
        changes = {item.name: getattr(setup, item.name) for item in fields(setup)}
        try:
            return self.chosen.with_setup(**changes), []
        except ScenarioError as error:
            return None, list(error.problems)

    def _retyped(self) -> tuple[Scenario | None, list[Problem]]:
        """A scene under another setup, with the requests that are typed."""
        data = self.chosen.to_dict()
        data["setup"] = self._setup_table()
        data["requests"] = [read(row) for row in self.rows]
        problems = page_problems(data["requests"])
        try:
            return Scenario.from_dict(data), problems
        except ScenarioError as error:
            known = {problem.place for problem in problems}
            others = (problem for problem in error.problems if problem.place not in known)
            return None, [*problems, *others]


def most_budget(chosen: Scenario, rows: Sequence[Row]) -> int:
    """How far the budget goes: over the longest prompt, so that any may run whole."""
    if len(chosen.requests) > MOST_ROWS:
        return MOST_BUDGET
    texts = (row.get("prompt", "").strip() for row in rows)
    lengths = [int(text) for text in texts if _LENGTH.fullmatch(text)]
    longest = max((length for length in lengths if length <= MOST["prompt"]), default=0)
    return min(max(16, 4 * chosen.setup.budget, longest), MOST_BUDGET)


def lane_scenarios(
    shared: Scenario, lanes: Sequence[LaneSpec], *, is_bounded: bool = True, play: Play = play
) -> tuple[Runs, Found]:
    """What each lane that can runs, and what is wrong: once when it is wrong in every lane.

    `play` tells whether a lane can that no policy runs from start to end.
    """
    runs: Runs = []
    found: list[tuple[LaneSpec, Problem]] = []
    for spec in lanes:
        scenario, problems = applied(shared, spec.changes)
        if scenario is not None:
            problems = too_long(scenario) + (_too_many(scenario) if is_bounded else [])
        if scenario is not None and not problems and not spec.is_plain:
            problems = list(play(spec, scenario).problems)
        found += [(spec, problem) for problem in problems]
        if scenario is not None and not problems:
            runs.append((spec, scenario))
    return runs, _told_once(found, len(lanes))[:MOST_FOUND]


def _told_once(found: Sequence[tuple[LaneSpec, Problem]], num_lanes: int) -> Found:
    """Problems without their lane where all lanes have them."""
    of_lanes = [(problem.place, problem.rule) for _, problem in found]
    counts = Counter(of_lanes)
    result: dict[Any, tuple[LaneSpec | None, Problem]] = {}
    for (spec, problem), what in zip(found, of_lanes, strict=True):
        is_everywhere = counts[what] == num_lanes
        key = what if is_everywhere else (*what, spec.key)
        result.setdefault(key, (None if is_everywhere else spec, problem))
    return list(result.values())


def _too_many(scenario: Scenario) -> list[Problem]:
    if (rounds := scenario.most_rounds) <= MOST_ROUNDS:
        return []
    return [Problem(("requests",), "too_many_rounds", rounds, {"high": MOST_ROUNDS})]
