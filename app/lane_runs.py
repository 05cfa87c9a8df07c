"""From a lane to its history: run by its policy or by hand, and gone on with after each fork.

Pure: a scenario and a `LaneSpec` in, a history and problems out. What is run twice in a row, to be
judged and then to be shown, is kept; long runs as long as anybody shows them, for all who do.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any
from weakref import WeakValueDictionary

from app.lane_scenario import applied
from app.lane_specs import MOST_LANES, Fork, Grants, LaneSpec, base_of, free_key
from sim import HandRun, History, Problem, Scenario, ScenarioError, by_hand, fork, run

MOST_KEPT_ROUNDS = 20_000  # longer runs are too large to keep sixteen of

Changes = tuple[tuple[str, str], ...]
Forks = tuple[tuple[int, Changes], ...]
Away = Callable[..., Any]  # calls a function of scenarios and histories with its arguments

_LONG: WeakValueDictionary[Any, History] = WeakValueDictionary()


@dataclass(frozen=True, slots=True)
class Played:
    """What came of a lane; `hand` while a person may still give rounds.

    `before` is the run that the last fork starts from, with the rounds it leaves out.
    """

    history: History | None
    problems: tuple[Problem, ...] = ()
    hand: HandRun | None = None
    before: History | None = None


def here(job: Callable[..., Any], *arguments: Any) -> Any:
    """The other way: in no other process."""
    return job(*arguments)


def play(spec: LaneSpec, scenario: Scenario, away: Away = here) -> Played:
    """Run a lane on the scenario that its `changes` make; no `history` if it cannot run.

    Args:
        spec: the lane.
        scenario: what its `changes` make of what all share.
        away: who simulates what is long.
    """
    forks = tuple((one.round, tuple(one.changes.items())) for one in spec.forks)
    if scenario.most_rounds > MOST_KEPT_ROUNDS:
        return _long(scenario, spec.hand, forks, away)
    if spec.is_plain:
        return Played(run(scenario))
    return _short(scenario, spec.hand, forks)


@lru_cache(maxsize=16)
def _short(scenario: Scenario, grants: Grants | None, forks: Forks) -> Played:
    if not forks:
        return _begun(scenario, grants)
    before = _short(scenario, grants, forks[:-1])
    return _gone_on(before, forks[-1], lambda history, after: _forked(history, forks[-1][0], after))


def _long(scenario: Scenario, grants: Grants | None, forks: Forks, away: Away) -> Played:
    if grants is not None and not forks:
        return _begun(scenario, grants)  # only what was given
    key = _key(scenario, grants, forks)

    def known_or(job: Callable[..., History], after: Scenario, *arguments: Any) -> History:
        known = _LONG.get(key)
        found: History = away(job, *arguments, after) if known is None else known
        found = found if found.scenario == after else found.under_goals(after)
        _LONG[key] = found
        return found

    if not forks:
        return Played(known_or(run, scenario))
    return _gone_on(
        _long(scenario, grants, forks[:-1], away),
        forks[-1],
        lambda history, after: known_or(_forked, after, history, forks[-1][0]),
    )


def _key(scenario: Scenario, grants: Grants | None, forks: Forks) -> Any:
    return scenario.without_goals, grants, forks


def _begun(scenario: Scenario, grants: Grants | None) -> Played:
    """The run until the first fork."""
    if grants is None:
        return Played(run(scenario))
    try:
        hand = by_hand(scenario, grants)
    except ScenarioError as error:
        return Played(None, error.problems)
    return Played(hand.history, hand=hand)


def _forked(history: History, number: int, after: Scenario) -> History:
    return fork(history, number - 1, after)


def _gone_on(
    before: Played, fork_: tuple[int, Changes], simulated: Callable[[History, Scenario], History]
) -> Played:
    """A fork of what was played before, or why there can be none."""
    if before.history is None:
        return before
    number, changes = fork_
    after, problems = _scenario_after(before.history, Fork(number, dict(changes)))
    if after is None:
        return Played(None, tuple(problems))
    try:
        return Played(simulated(before.history, after), before=before.history)
    except ScenarioError as error:
        return Played(None, error.problems)


def _scenario_after(history: History, fork_: Fork) -> tuple[Scenario | None, list[Problem]]:
    """What goes on from a fork, or why it cannot."""
    last = len(history) + 1
    if not 1 <= fork_.round <= last:
        return None, [Problem((), "no_such_round", fork_.round, {"high": last})]
    return applied(history.scenario, fork_.changes)


def before_fork(spec: LaneSpec, shared: Scenario) -> History | None:
    """The run that the last fork of a lane starts from, with the rounds it leaves out.

    A long one only as long as it is shown: nobody can wait for it here.
    """
    scenario, _ = applied(shared, spec.changes)
    if scenario is None:
        return None
    earlier = replace(spec, forks=spec.forks[:-1])
    if scenario.most_rounds <= MOST_KEPT_ROUNDS:
        return play(earlier, scenario).history
    forks = tuple((one.round, tuple(one.changes.items())) for one in earlier.forks)
    return _LONG.get(_key(scenario, earlier.hand, forks))


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
