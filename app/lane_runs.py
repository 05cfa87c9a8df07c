"""From a lane to its history: run by its policy or by hand, and gone on with after each fork.

Pure: a scenario and a `LaneSpec` in, a history and problems out. What is run twice in a row, to be
judged and then to be shown, is kept.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from app.lane_scenario import applied
from app.lane_specs import MOST_LANES, Fork, Grants, LaneSpec, base_of, free_key
from sim import HandRun, History, Problem, Scenario, ScenarioError, by_hand, fork, run

MOST_KEPT_ROUNDS = 20_000  # longer runs are too large to keep sixteen of

Changes = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Played:
    """What came of a lane; `hand` while a person may still give rounds."""

    history: History | None
    problems: tuple[Problem, ...] = ()
    hand: HandRun | None = None


def play(spec: LaneSpec, scenario: Scenario) -> Played:
    """Run a lane on the scenario that its `changes` make; not `history` if it cannot run."""
    if spec.is_plain:
        return Played(run(scenario))
    forks = tuple((one.round, tuple(one.changes.items())) for one in spec.forks)
    if scenario.most_rounds > MOST_KEPT_ROUNDS:
        return _play.__wrapped__(scenario, spec.hand, forks)
    return _play(scenario, spec.hand, forks)


@lru_cache(maxsize=16)
def _play(
    scenario: Scenario, grants: Grants | None, forks: tuple[tuple[int, Changes], ...]
) -> Played:
    try:
        hand = None if grants is None else by_hand(scenario, grants)
        history = hand.history if hand else run(scenario)
        for number, changes in forks:
            after, problems = _scenario_after(history, Fork(number, dict(changes)))
            if after is None:
                return Played(None, tuple(problems))
            history = fork(history, number - 1, after)
    except ScenarioError as error:
        return Played(None, error.problems)
    return Played(history, hand=None if forks else hand)


def _scenario_after(history: History, fork_: Fork) -> tuple[Scenario | None, list[Problem]]:
    """What goes on from a fork, or why it cannot."""
    last = len(history) + 1
    if not 1 <= fork_.round <= last:
        return None, [Problem((), "no_such_round", fork_.round, {"high": last})]
    return applied(history.scenario, fork_.changes)


def before_fork(spec: LaneSpec, shared: Scenario) -> History | None:
    """The run that the last fork of a lane starts from, with the rounds it leaves out."""
    scenario, _ = applied(shared, spec.changes)
    return play(replace(spec, forks=spec.forks[:-1]), scenario).history if scenario else None


def forked(specs: Sequence[LaneSpec], key: str, number: int) -> list[LaneSpec]:
    """One more lane after that of this key: the same up to a round, and free from there on."""
    result = list(specs)
    for place, spec in enumerate(specs):
        if spec.key == key and len(specs) < MOST_LANES:
            earlier = tuple(one for one in spec.forks if one.round <= number)
            new_key = free_key(base_of(spec.changes) or key, specs)
            forks, origin = (*earlier, Fork(number, {})), spec.name or spec.origin
            new = replace(spec, key=new_key, forks=forks, name="", origin=origin)
            result.insert(place + 1, new)
    return result
