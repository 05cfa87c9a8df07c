"""Who is next: the order of waiting, turns among decodes, shares of prompts, and victims.

Small functions without state of their own; what they need to remember stands in `State`. Ties go
by arrival, then list order.
"""

from collections import deque
from collections.abc import Iterable, Iterator

from sim.order import NEVER
from sim.plan import Plan
from sim.sequence import Reason, Sequence
from sim.state import State


def arrival(seq: Sequence) -> tuple[int, int]:
    """The tie break of every order: arrival, then list order."""
    return seq.arrival, seq.index


# The waiting.


def candidates(state: State, made: Plan) -> Iterator[Sequence]:
    """The waiting, in the order in which they may come in."""
    if state.scenario.setup.order == "tenant":
        return _by_tenant(state, made)
    return iter(state.waiting)


def _by_tenant(state: State, made: Plan) -> Iterator[Sequence]:
    """In turn: the tenant let in longest ago; one with a full quota is passed over."""
    queues: dict[str, deque[Sequence]] = {}
    for seq in sorted(state.waiting, key=arrival):
        queues.setdefault(seq.request.tenant, deque()).append(seq)
    turns = dict(state.turns)
    while queues:
        for tenant in [t for t in queues if _quota_is_full(t, state, made)]:
            made.refused |= dict.fromkeys(queues.pop(tenant), Reason.TENANT_QUOTA)
        if not queues:
            return
        tenant = min(queues, key=lambda t: (turns.get(t, -1), arrival(queues[t][0])))
        seq = queues[tenant].popleft()
        yield seq
        if seq in made.admitted:
            turns[tenant] = max(turns.values(), default=0) + 1
        if not queues[tenant]:
            del queues[tenant]


def _quota_is_full(tenant: str, state: State, made: Plan) -> bool:
    quota = state.scenario.setup.tenant_quota
    if quota is None:
        return False
    here = (s for s in (*state.running, *made.admitted) if s not in made.rejected)
    return sum(s.request.tenant == tenant for s in here) >= quota


# The running.


def ring(decodes: Iterable[Sequence]) -> list[Sequence]:
    """Decodes in turn: who was served longest ago first; at first in order of admission."""
    return sorted(decodes, key=lambda seq: seq.served)


def decode_room(state: State) -> int:
    """Positions decodes may have: what `prefill_reserve` leaves of the budget."""
    setup = state.scenario.setup
    reserve = setup.prefill_reserve
    return max(setup.budget - min(reserve, _aged_demand(state) if reserve else 0), 0)


def _aged_demand(state: State) -> int:
    """Positions that prefills old enough could use in this round, seats and blocks considered."""
    setup = state.scenario.setup
    born_by = state.now - setup.prefill_reserve_age
    running = [seq for seq in state.running if seq.in_prefill]
    seats = setup.max_num_seqs - len(state.running)
    free = NEVER if setup.num_blocks is None else setup.num_blocks - state.used
    demand = 0
    waiting = (seq for seq in candidates(state, Plan(left=0)) if seq.in_prefill)
    for seq in (*running, *waiting):
        if seq not in running:
            seats -= 1
            free -= seq.blocks(seq.known, setup)
            if seats < 0 or free < 0:
                break
        if seq.arrival <= born_by:
            demand += min(seq.demand, setup.max_chunk or seq.demand)
        if demand >= setup.prefill_reserve:
            break
    return demand if setup.max_prefill is None else min(demand, setup.max_prefill)


def victim(state: State, made: Plan) -> Sequence:
    """Who loses its blocks: the last admitted, under priority the least urgent, latest come."""
    left = [seq for seq in state.running if seq not in made.preempted]
    if state.scenario.setup.order != "priority":
        return left[-1]
    return max(left, key=lambda seq: (seq.request.priority, *arrival(seq)))


# Prompts by chunk or by token.


def shares(state: State, budget: int) -> Iterator[tuple[Sequence, int]]:
    """Prefills, running and waiting, with what each may have of `budget` positions."""
    setup = state.scenario.setup
    running = [seq for seq in state.running if seq.in_prefill]
    waiting = list(state.waiting)  # one that needs no prompt computed comes in among them
    if setup.granularity == "chunk":
        for seq in sorted(running + waiting, key=_rotation):
            yield seq, setup.max_chunk or budget
        return
    seats = setup.max_num_seqs - len(state.running)
    prefills = sorted(running + waiting[: max(seats, 0)], key=arrival)
    yield from _dealt(prefills, budget, setup.max_chunk or budget)


def _rotation(seq: Sequence) -> tuple[int, int, int, int]:
    """A newcomer joins at its arrival; who had a chunk at that round's end, behind arrivals.

    Those of one round join in the order in which they were served, as in any rotation.
    """
    if seq.chunked_at is None:
        return seq.arrival, 0, *arrival(seq)
    end, place = seq.chunked_at
    return end, 1 + place, *arrival(seq)


def _dealt(prefills: list[Sequence], budget: int, most: int) -> Iterator[tuple[Sequence, int]]:
    """One position each in turn from the oldest, until budget or prompts are used up."""
    hands = dict.fromkeys(prefills, 0)
    wants = {seq: min(seq.demand, most) for seq in prefills}
    while budget > 0:
        open_hands = [seq for seq in prefills if hands[seq] < wants[seq]]
        if not open_hands:
            break
        rounds = max(1, min(budget // len(open_hands), *(wants[s] - hands[s] for s in open_hands)))
        for seq in open_hands:
            n = min(rounds, budget)
            hands[seq] += n
            budget -= n
    yield from ((seq, n) for seq, n in hands.items() if n)
