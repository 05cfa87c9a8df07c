"""One round: plan → reserve → execute → commit.

Read this file to know how a server schedules. `plan` decides and changes nothing; `reserve`
moves the admitted into running; `execute` says how long the round takes; `commit` advances the
tokens. Continuous batching plans anew each round (Yu et al., Orca, OSDI 2022; Agrawal et al.,
Sarathi-Serve, OSDI 2024, for chunks); static batching, in `static`, makes plans of the same form,
and so does a hand, in `grants`.
"""

from dataclasses import dataclass, field

from sim import continuous, extras, grants, static
from sim.plan import Plan
from sim.sequence import Reason, Sequence, Status
from sim.state import State

MOST_SEATS = 10**6

__all__ = ["Commit", "Plan", "commit", "execute", "plan", "reserve"]


# plan


def plan(state: State) -> Plan | None:
    """What the next round gives to whom, and why others get nothing; None: nothing to do now.

    A plan without a position is no round: who was evicted or rejected in it goes, and the round
    is planned again.
    """
    while True:
        made = _made(state)
        if made is None or made.is_idle:
            return None
        if made.positions:
            return made
        reserve(state, made)
        state.ejected += made.preempted
        state.moved += made.moved


def _made(state: State) -> Plan | None:
    if state.grants is not None:
        return grants.plan(state)
    is_static = state.scenario.setup.mode == "static"
    return static.plan(state) if is_static else continuous.plan(state)


# reserve


def reserve(state: State, made: Plan) -> None:
    """Make queues and blocks match the plan: the evicted go back, the admitted come in."""
    for seq in made.preempted:
        if state.scenario.setup.on_full != "swap":
            seq.peak = max(seq.peak, seq.computed)
            seq.computed = 0
        seq.preempted = True
        state.enqueue(seq, front=True)
    if made.preempted:
        state.running = [seq for seq in state.running if not seq.preempted]
    for seq in made.rejected:
        state.end(seq, Status.REJECTED)
    if made.admitted:
        _seat(state, made)
    state.used = made.used


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
    duration = extras.duration(
        setup, made.prefill, made.decode, made.drafts, made.kv_read, made.moved + state.moved
    )
    if setup.moe is not None and setup.moe.draw:
        duration += setup.cost.per_expert_token * extras.drawn(state, made.positions)
    return duration


# commit


@dataclass(frozen=True, slots=True)
class Commit:
    """What came out at the end of a round, or of `count` equal ones."""

    emitted: dict[Sequence, int] = field(default_factory=dict)  # tokens of each, a round
    finished: list[Sequence] = field(default_factory=list)  # last token out, in time or not


def _note_turns(state: State, made: Plan, end: int) -> None:
    """What decides who is next: places in the ring of decodes, and in the rotation of chunks.

    Who had a decode when others had to be left out goes to the end of the ring; who is new there
    comes behind them, in order of admission.
    """
    setup = state.scenario.setup
    if setup.granularity == "chunk":
        for place, seq in enumerate(made.given):
            if seq in made.prefilling:
                seq.chunked_at = (end, place)
    if not setup.caps_decodes:
        return
    capped = (Reason.DECODE_LIMIT, Reason.BUDGET_SPENT, Reason.BY_HAND)
    left_out = any(
        seq.admitted and not seq.in_prefill and reason in capped
        for seq, reason in made.refused.items()
    )
    for place, seq in enumerate((*made.given, *state.running)):
        is_new = place >= len(made.given) and (seq in made.prefilling or seq in made.admitted)
        if is_new or (left_out and place < len(made.given)):
            seq.served = state.round * MOST_SEATS + place


def commit(state: State, made: Plan, end: int, count: int = 1) -> Commit:
    """Advance tokens by `count` rounds of this plan, let the finished go, move time to `end`."""
    tokens = dict.fromkeys(made.emits, 1)
    if made.drafts:
        tokens |= extras.accepted(state, made)
    _advance(state, made, tokens, count)
    _note_turns(state, made, end)
    state.now = end
    state.round += count
    if state.has_readers:
        _deliver(state, tokens)
    finished = [seq for seq in tokens if seq.emitted >= seq.output]
    for seq in finished:
        state.end(seq, _farewell(seq, end))
    if state.batch is not None:
        static.advance(state.batch, made, count)
    state.ejected, state.moved = [], 0
    state.told = len(state.ended)
    return Commit(tokens, finished)


def _advance(state: State, made: Plan, tokens: dict[Sequence, int], count: int) -> None:
    """Computed lengths and sampled tokens, and the blocks they take: none for dropped drafts."""
    for seq, n in made.given.items():
        seq.computed += n * count
    if made.again or made.drafts:  # no more than the known tokens but the last one
        for seq in made.given:
            most = seq.prompt + seq.emitted + tokens.get(seq, 1) * count - 1
            seq.computed = min(seq.computed, most)
    for seq, out in tokens.items():
        seq.emitted += out * count
    setup = state.scenario.setup
    grown = made.drafts or (count > 1 and state.batch is None)
    if grown and setup.num_blocks is not None:
        state.used = sum(seq.blocks(seq.computed, setup) for seq in state.running)


def _farewell(seq: Sequence, end: int) -> Status:
    """How a request leaves whose last token is out: its client may have gone before."""
    cancel_at = seq.request.cancel_at
    return Status.FINISHED if cancel_at is None or cancel_at >= end else Status.CANCELLED


def _deliver(state: State, tokens: dict[Sequence, int]) -> None:
    for seq in state.readers():
        seq.read(state.now)
        if seq in tokens:
            seq.stream(tokens[seq], state.now)
