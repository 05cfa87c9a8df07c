"""One round: plan → reserve → execute → commit.

Read this file to know how a server schedules. `plan` decides and changes nothing; `reserve`
moves the admitted into running; `execute` says how long the round takes; `commit` advances the
tokens. Continuous batching plans anew each round (Yu et al., Orca, OSDI 2022; Agrawal et al.,
Sarathi-Serve, OSDI 2024, for chunks); static batching, in `static`, makes plans of the same form.
"""

from dataclasses import dataclass, field

from sim import continuous, static
from sim.plan import Plan
from sim.state import Sequence, State

MOST_SEATS = 10**6

__all__ = ["Commit", "Plan", "commit", "execute", "plan", "reserve"]


# plan


def plan(state: State) -> Plan | None:
    """What the next round gives to whom, and why others get nothing; None: nothing to do now."""
    is_static = state.scenario.setup.mode == "static"
    made = static.plan(state) if is_static else continuous.plan(state)
    return made if made is not None and made.positions else None


# reserve


def reserve(state: State, made: Plan) -> None:
    """Make queues and blocks match the plan: the evicted go back, the admitted come in."""
    state.used = made.used
    for seq in made.preempted:
        seq.peak = max(seq.peak, seq.computed)
        seq.computed, seq.preempted = 0, True
        state.enqueue(seq, front=True)
    if made.preempted:
        state.running = [seq for seq in state.running if not seq.preempted]
    if made.admitted:
        _seat(state, made)


def _seat(state: State, made: Plan) -> None:
    admitted = set(made.admitted)
    while state.waiting and state.waiting[0] in admitted:
        admitted.discard(state.waiting.popleft())
    if admitted:  # somebody was overtaken
        state.waiting = type(state.waiting)(s for s in state.waiting if s not in admitted)
    for seq in made.admitted:
        state.turns[seq.request.tenant] = max(state.turns.values(), default=0) + 1
        seq.admitted, seq.preempted = True, False
    state.running += made.admitted
    if made.opens:
        state.batch = made.opens


# execute


def execute(state: State, made: Plan) -> int:
    """How long the round takes, in internal units: a tick, or what the cost model says."""
    setup = state.scenario.setup
    if setup.time == "tick":
        return 1
    return setup.cost.duration(made.prefill, made.decode, made.kv_read)


# commit


@dataclass(frozen=True, slots=True)
class Commit:
    """What came out at the end of a round, or of `count` equal ones."""

    emitted: list[Sequence] = field(default_factory=list)
    finished: list[Sequence] = field(default_factory=list)


def _take_turns(state: State, made: Plan) -> None:
    """Who had a decode when others had to be left out goes to the end of the ring."""
    left_out = any(seq.admitted and not seq.in_prefill for seq in made.refused)
    for place, seq in enumerate(made.given):
        if left_out or seq in made.prefilling:
            seq.served = state.round * MOST_SEATS + place


def commit(state: State, made: Plan, end: int, count: int = 1) -> Commit:
    """Advance tokens by `count` rounds of this plan, let the finished go, move time to `end`."""
    setup = state.scenario.setup
    for seq, n in made.given.items():
        seq.computed = min(seq.computed + n * count, seq.prompt + seq.emitted + count - 1)
    finished = []
    for seq in made.emits:
        seq.emitted += count
        if seq.emitted >= seq.output:
            finished.append(seq)
    if setup.caps_decodes:
        _take_turns(state, made)
    if setup.granularity == "chunk":
        for seq in made.prefilling:
            seq.chunked_at = end
    if finished:
        state.running = [seq for seq in state.running if not seq.done]
    if state.batch is not None:
        static.advance(state, made, count)
    elif finished and setup.num_blocks is not None:
        state.used -= sum(seq.blocks(seq.computed, setup) for seq in finished)
    state.now = end
    state.round += count
    return Commit(made.emits, finished)
