"""A run played by hand: each round is given token by token, checked, and then executed.

The rounds go the way of all rounds, plan → reserve → execute → commit, so that a hand and a policy
are told apart by nothing but their decisions; `grants` says what a hand may do. A run is a value:
the scenario and all grants so far make it, and one grant more makes the next one.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sim.checkpoint import Checkpoint
from sim.engine import idle, stretches
from sim.grants import Grant, Offer, faults, offers
from sim.history import History
from sim.problems import Problem, ScenarioError
from sim.record import Round
from sim.recorder import Recorder
from sim.scenario import Scenario
from sim.scheduler import plan
from sim.state import State

Pairs = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class HandRun:
    """The rounds played so far, and what may be given in the next one.

    `problems` says why the first grant that is not legal cannot be played; it and all later ones
    have changed nothing. `suggestion` is what the policy of the setup would give from here, in the
    form of a grant; it is empty once all is `done`.
    """

    history: History
    problems: tuple[Problem, ...]
    present: tuple[Offer, ...]
    suggestion: dict[str, int]
    now: int  # when the next round starts, internal units
    budget: int  # tokens of a round
    seats: int  # free
    blocks: int | None  # free; None without a pool
    done: bool


def by_hand(scenario: Scenario, grants: Iterable[Grant | Pairs] = ()) -> HandRun:
    """Play rounds by hand, as far as they are legal.

    Args:
        scenario: a checked scenario that `unplayable` has nothing against.
        grants: one a round: tokens by id, in the order of giving, as a table or as pairs. 0 takes
            seat and blocks of one that runs away from it.

    Raises:
        ScenarioError: the setup cannot be played by hand.

    >>> from sim import Request, Setup
    >>> rows = (Request("A", 0, 6, 2), Request("B", 0, 2, 1))
    >>> run = by_hand(Scenario(Setup(budget=4, time="tick"), rows), [{"B": 2, "A": 2}])
    >>> [(offer.id, str(offer.status), offer.most) for offer in run.present]
    [('A', 'prefill', 4)]
    >>> run.suggestion
    {'A': 4}
    >>> str(by_hand(run.history.scenario, [{"A": 5}]).problems[0])
    'grants[0] gives 5 tokens in all, and the budget is 4; give fewer'
    """
    if found := unplayable(scenario):
        raise ScenarioError(tuple(found))
    state, recorder = State.start(scenario), Recorder(scenario)
    state.grants = tuple(dict(grant) for grant in grants)
    problems = _play(state, recorder)
    recorder.pause(state.round)
    here = _anybody(state)
    pool, setup = scenario.setup.num_blocks, scenario.setup
    return HandRun(
        history=History(scenario, recorder, state),
        problems=tuple(problems),
        present=offers(state),
        suggestion=_suggestion(state) if here else {},
        now=state.now,
        budget=setup.budget,
        seats=setup.max_num_seqs - len(state.running),
        blocks=None if pool is None else pool - state.used,
        done=not here,
    )


def unplayable(scenario: Scenario) -> list[Problem]:
    """What of a scenario leaves a hand nothing to decide, or decides in its place."""
    setup = scenario.setup
    odd = {
        "mode": setup.mode == "static",
        "on_full": setup.on_full == "reject",
        "speculation": setup.speculation is not None,
    }
    found = [
        Problem(("setup", name), "not_by_hand", _shown(getattr(setup, name)))
        for name, is_odd in odd.items()
        if is_odd
    ]
    for index, request in enumerate(scenario.requests):
        if request.credits is not None:
            place = ("requests", index, "credits")
            found.append(Problem(place, "not_by_hand", request.credits))
    return found


def _shown(value: object) -> object:
    return value if isinstance(value, str) else "on"


def as_grant(record: Round) -> dict[str, int]:
    """A round as a hand would have to give it: the evicted first, then who got how much.

    >>> from sim import Request, Setup, run
    >>> rows = (Request("A", 0, 6, 2), Request("B", 0, 2, 1))
    >>> [as_grant(record) for record in run(Scenario(Setup(budget=4), rows))]
    [{'A': 4}, {'A': 2, 'B': 2}, {'A': 1}]
    """
    return _granted(record.preempted, record.given)


def _granted(evicted: Iterable[str], given: Mapping[str, int]) -> dict[str, int]:
    return {**dict.fromkeys(evicted, 0), **given}


def _play(state: State, recorder: Recorder) -> list[Problem]:
    """Execute the grants in order, up to the first that is not legal; what is wrong with it."""
    grants = state.grants or ()
    while state.round < len(grants):
        if not _anybody(state):
            return [Problem(("grants", state.round), "run_is_over")]
        if found := faults(state, grants[state.round]):
            return found
        for stretch in stretches(state, limit=1, before=recorder.before):
            recorder.after(stretch, state)
    return []


def _anybody(state: State) -> bool:
    """Let time go on until somebody is here; False: all is done."""
    state.collect()
    while not (state.waiting or state.running):
        if not idle(state):
            return False
        state.collect()
    return True


def _suggestion(state: State) -> dict[str, int]:
    """What the policy would give from here, planned on a twin of the state."""
    twin = Checkpoint.of(state).restore(state.blank())
    twin.grants = None
    made = plan(twin)
    assert made is not None, "somebody is here and the policy has no round"
    evicted = (seq.request.id for seq in (*twin.ejected, *made.preempted))
    return _granted(evicted, {seq.request.id: n for seq, n in made.given.items()})
