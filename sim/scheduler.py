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
from sim.state import Reason, Sequence, State, urgency

__all__ = ["Commit", "Plan", "commit", "execute", "plan", "reserve"]


# plan


def plan(state: State) -> Plan | None:
    """What the next round gives to whom, and why others get nothing; None: nothing to do now."""
    if state.scenario.setup.mode == "static":
        made = static.plan(state)
    else:
        made = _Continuous(state).plan()
    return made if made is not None and made.positions else None


class _Continuous:
    """Plans one round: first who runs, then who waits, within budget, seats and blocks.

    Order and victims are those of vLLM (`v1/core/sched/scheduler.py`): a running request that
    finds no block evicts the last admitted, under priority the least urgent.
    """

    def __init__(self, state: State) -> None:
        self.state = state
        self.setup = state.scenario.setup
        self.made = Plan(left=self.setup.budget, used=state.used)
        self.max_chunk = self._chunk_limit()

    def plan(self) -> Plan:
        for seq in self._in_service_order():
            if seq in self.made.preempted:
                continue
            if reason := self._serve(seq):
                self.made.refused[seq] = reason
        self._admit()
        return self.made

    def _chunk_limit(self) -> int | None:
        """`max_chunk`; vLLM's long-prefill threshold does not bind a request that is alone."""
        state = self.state
        if self.setup.mode == "vllm_v1" and len(state.running) + len(state.waiting) == 1:
            return None
        return self.setup.max_chunk

    def _in_service_order(self) -> Iterable[Sequence]:
        running = self.state.running
        if self.setup.service == "running_first" or self.setup.mode == "vllm_v1":
            return running
        return sorted(running, key=lambda seq: seq.in_prefill)  # stable: by admission within

    def _serve(self, seq: Sequence) -> Reason | None:
        """Give a running request its positions, or the reason why it gets none."""
        found = self._share(seq, whole=not self.setup.chunked and self.setup.mode != "vllm_v1")
        if isinstance(found, Reason):
            return found
        if not self._find_blocks(seq, found):
            return None
        self._give(seq, found)
        return None

    def _share(self, seq: Sequence, *, whole: bool) -> int | Reason:
        """How many positions it would get of what is left."""
        if self.made.left == 0:
            return Reason.BUDGET_SPENT
        allowed = self._allowed(seq)
        n = min(allowed, self.made.left)
        return Reason.WHOLE_PROMPT if whole and n < allowed else n

    def _allowed(self, seq: Sequence) -> int:
        if self.max_chunk and seq.in_prefill:
            return min(seq.demand, self.max_chunk)
        return seq.demand

    def _give(self, seq: Sequence, n: int) -> None:
        made, prefill = self.made, seq.in_prefill
        if n < seq.demand:
            limited = n == self._allowed(seq)
            made.cut[seq] = Reason.CHUNK_LIMIT if limited else Reason.BUDGET_SPENT
        elif not (prefill and self.setup.first_token == "next_round"):
            made.emits.append(seq)
        made.give(seq, n, prefill)
        made.used += self._new_blocks(seq, n)

    # Blocks.

    def _blocks(self, seq: Sequence, n: int) -> int:
        """Blocks it holds with n more positions; a position read again takes no new slot."""
        return self.setup.blocks(min(seq.computed + n, seq.known))

    def _new_blocks(self, seq: Sequence, n: int) -> int:
        if self.setup.num_blocks is None:
            return 0
        held = 0 if seq.preempted or not seq.admitted else self.setup.blocks(seq.computed)
        return self._blocks(seq, n) - held

    def _find_blocks(self, seq: Sequence, n: int) -> bool:
        """Make room for n positions by evictions; False when it had to go itself."""
        pool = self.setup.num_blocks
        if pool is None:
            return True
        while self.made.used + self._new_blocks(seq, n) > pool:
            victim = self._victim()
            self._evict(victim)
            if victim is seq:
                return False
        return True

    def _victim(self) -> Sequence:
        left = [seq for seq in self.state.running if seq not in self.made.preempted]
        if self.setup.order == "fifo":
            return left[-1]
        return max(left, key=urgency)

    def _evict(self, victim: Sequence) -> None:
        """It loses all blocks; positions it had this round go back to the budget."""
        made = self.made
        held = self._blocks(victim, made.given.get(victim, 0))
        made.used -= held
        if victim in made.given:
            made.take_back(victim)
        made.refused.pop(victim, None)
        made.preempted.append(victim)
        made.refused[victim] = Reason.PREEMPTED

    # Admission.

    def _admit(self) -> None:
        """Let the waiting in, from the head; nobody passes a head that cannot go (`overtake`)."""
        made, state = self.made, self.state
        if made.preempted:
            made.rest = Reason.PREEMPTED
            return
        for seq in state.waiting:
            reason = self._welcome(seq)
            if reason is None:
                made.admitted.append(seq)
                continue
            made.refused[seq] = reason
            if not (self.setup.overtake and reason is Reason.WHOLE_PROMPT):
                return

    def _welcome(self, seq: Sequence) -> Reason | None:
        """Give a waiting request its first positions, or the reason why it cannot come in."""
        running = len(self.state.running) + len(self.made.admitted)
        if running >= self.setup.max_num_seqs:
            return Reason.NO_SEAT
        found = self._share(seq, whole=not self.setup.chunked)
        if isinstance(found, Reason):
            return found
        if not self._fits(seq, found, running):
            return Reason.NO_BLOCKS
        self._give(seq, found)
        return None

    def _fits(self, seq: Sequence, n: int, running: int) -> bool:
        """The admission test: its whole known text (or this chunk) must find free blocks."""
        setup = self.setup
        if setup.num_blocks is None:
            return True
        whole = setup.reserve == "full_prompt"
        needed = setup.blocks(seq.known) if whole else self._new_blocks(seq, n)
        margin = setup.watermark if running else 0
        return needed + margin <= setup.num_blocks - self.made.used


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
    if finished:
        state.running = [seq for seq in state.running if not seq.done]
    if state.batch is not None:
        static.advance(state, made, count)
    elif finished and setup.num_blocks is not None:
        state.used -= sum(setup.blocks(seq.computed) for seq in finished)
    state.now = end
    state.round += count
    return Commit(made.emits, finished)
