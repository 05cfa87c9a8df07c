"""One round: plan → reserve → execute → commit.

Read this file to know how a server schedules. `plan` decides and changes nothing; `reserve`
moves the admitted into running; `execute` says how long the round takes; `commit` advances the
tokens. Continuous batching plans anew each round (Yu et al., Orca, OSDI 2022; Agrawal et al.,
Sarathi-Serve, OSDI 2024, for chunks); static batching, in `static`, makes plans of the same form.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from sim import static
from sim.plan import Plan
from sim.scenario import Setup
from sim.state import Reason, Sequence, State

__all__ = ["Commit", "Plan", "commit", "execute", "plan", "reserve"]


# plan


def plan(state: State) -> Plan | None:
    """What the next round gives to whom, and why others get nothing; None: nothing to do now."""
    setup = state.scenario.setup
    made = static.plan(state) if setup.mode == "static" else _continuous(state, setup)
    return made if made is not None and made.positions else None


def _continuous(state: State, setup: Setup) -> Plan:
    made = Plan(left=setup.budget)
    for seq in _in_service_order(state.running, setup):
        if reason := _serve(made, seq, setup):
            made.refused[seq] = reason
    _admit(made, state, setup)
    return made


def _in_service_order(running: list[Sequence], setup: Setup) -> Iterable[Sequence]:
    if setup.service == "running_first":
        return running
    return sorted(running, key=lambda seq: seq.in_prefill)  # stable: by admission within


def _serve(made: Plan, seq: Sequence, setup: Setup) -> Reason | None:
    """Give one request its positions, or the reason why it gets none."""
    if made.left == 0:
        return Reason.BUDGET_SPENT
    wanted = seq.demand
    prefill = seq.in_prefill
    allowed = min(wanted, setup.max_chunk) if prefill and setup.max_chunk else wanted
    n = min(allowed, made.left)
    if n < wanted:
        if not setup.chunked:
            return Reason.WHOLE_PROMPT
        made.cut[seq] = Reason.CHUNK_LIMIT if n == allowed else Reason.BUDGET_SPENT
    made.give(seq, n, prefill)
    if n == wanted and not (prefill and setup.first_token == "next_round"):
        made.emits.append(seq)
    return None


def _admit(made: Plan, state: State, setup: Setup) -> None:
    """Let the waiting in, from the head; nobody passes a head that cannot go (see `overtake`)."""
    seats = setup.max_num_seqs - len(state.running)
    for seq in state.waiting:
        reason = Reason.NO_SEAT if seats == 0 else _serve(made, seq, setup)
        if reason is None:
            made.admitted.append(seq)
            seats -= 1
            continue
        made.refused[seq] = reason
        if not (setup.overtake and reason is Reason.WHOLE_PROMPT):
            return


# reserve


def reserve(state: State, made: Plan) -> None:
    """Make the queues match the plan: the admitted leave waiting for running, in that order."""
    if not made.admitted:
        return
    admitted = set(made.admitted)
    while state.waiting and state.waiting[0] in admitted:
        admitted.discard(state.waiting.popleft())
    if admitted:  # somebody was overtaken
        state.waiting = type(state.waiting)(s for s in state.waiting if s not in admitted)
    for seq in made.admitted:
        seq.admitted = True
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


def commit(state: State, made: Plan, end: int, count: int = 1) -> Commit:
    """Advance tokens by `count` rounds of this plan, let the finished go, move time to `end`."""
    for seq, n in made.given.items():
        seq.computed = min(seq.computed + n * count, seq.prompt + seq.emitted + count - 1)
    finished = []
    for seq in made.emits:
        seq.emitted += count
        if seq.emitted >= seq.output:
            finished.append(seq)
    if finished:
        state.running = [seq for seq in state.running if not seq.done]
    if state.batch is not None:
        static.advance(state, made, count)
    state.now = end
    state.round += count
    return Commit(made.emits, finished)
