"""Continuous batching: who gets how much of the next round, and why others get nothing.

A plan is built in the order of service, within the token budget, the seats and the KV blocks. The
order is that of vLLM (`v1/core/sched/scheduler.py`): running requests first, then the waiting from
the head. Other servers differ in it alone: decodes before prompts (Agrawal et al., Sarathi-Serve,
OSDI 2024), or prompts before decodes (early vLLM, SGLang). How much each may have is in `limits`,
who finds blocks and who must give some up in `memory`, who is next in `fairness`.
"""

from collections.abc import Iterable, Iterator

from sim import fairness
from sim.memory import Memory
from sim.plan import Plan
from sim.sequence import Reason, Sequence
from sim.state import State


def plan(state: State) -> Plan:
    """The next round; changes nothing."""
    room = fairness.decode_room(state)
    made = _Planner(state, room).plan()
    if not made.positions and room < state.scenario.setup.budget:
        room = state.scenario.setup.budget  # nobody used the reserve
        made = _Planner(state, room).plan()
    evicted: list[Sequence] = []
    while made.is_short and not made.positions:  # on_full queue, and nobody can move
        evicted.append([seq for seq in state.running if seq not in evicted][-1])
        made = _Planner(state, room, evicted).plan()
    return made


class _Planner(Memory):
    """Builds the plan of one round."""

    def __init__(self, state: State, room: int, evicted: Iterable[Sequence] = ()) -> None:
        super().__init__(state, room)
        self.phase = ""  # prefill_first: the only one this round is for
        for seq in evicted:
            self.evict(seq)

    def plan(self) -> Plan:
        service = "running_first" if self.is_vllm else self.setup.service
        if service == "prefill_first":
            self._prompts_or_decodes()
        elif self.setup.granularity != "request":
            self._run(seq for seq in self._in_order("decode_first") if not seq.in_prefill)
            self._deal()
        else:
            self._run(self._run_easily(self._in_order(service)))
            self._admit(fairness.candidates(self.state, self.made))
        return self.made

    def _in_order(self, service: str) -> list[Sequence]:
        """Who runs: in order of admission, or decodes first; decodes left out take turns."""
        running = self.state.running
        if self.setup.caps_decodes and min(self.decodes_left, self.room) < len(running):
            decodes = iter(fairness.ring(seq for seq in running if not seq.in_prefill))
            running = [seq if seq.in_prefill else next(decodes) for seq in running]
        if service == "running_first":
            return running
        return sorted(running, key=lambda seq: seq.in_prefill)  # stable

    def _prompts_or_decodes(self) -> None:
        """While a prefill can get a position the round holds prefills only, else decodes only."""
        self.phase = "prefill"
        self._run(seq for seq in self.state.running if seq.in_prefill)
        self._admit(fairness.candidates(self.state, self.made))
        decodes = [seq for seq in self._in_order("decode_first") if not seq.in_prefill]
        if self.made.given:
            gone = self.made.preempted
            self.made.refused |= {
                s: Reason.PAUSED if s.is_paused else Reason.PROMPTS_FIRST
                for s in decodes
                if s not in gone
            }
        else:
            self.phase = "decode"
            self._run(decodes)
            self._admit(fairness.candidates(self.state, self.made))

    def _deal(self) -> None:
        """First come, first served by chunk or by token, among running and waiting prefills."""
        is_stopped = False
        for seq, most in fairness.shares(self.state, self.dealable()):
            if seq.admitted and not seq.preempted:
                self._run([seq], most)
            elif not (is_stopped or self._is_closed()):
                is_stopped = not self._invite(seq, most)
        for seq in self.state.running:  # no share was left for these
            if seq not in self.made.given and seq not in self.made.rejected:
                self.made.refused.setdefault(seq, Reason.BUDGET_SPENT)

    def _run(self, running: Iterable[Sequence], most: int | None = None) -> None:
        for seq in running:
            if seq in self.made.preempted:
                continue
            if reason := self._serve(seq, most):
                self.made.refused[seq] = reason

    def _run_easily(self, running: list[Sequence]) -> list[Sequence]:
        """Serve the decodes in front all at once where no limit can touch them; the rest of all.

        Each gets a position and at most a block: what `_serve` would give it, without asking.
        """
        made, pool = self.made, self.setup.num_blocks
        least = min(made.left, self.room, self.decodes_left)
        if pool is not None:
            least = min(least, pool - made.used)
        is_odd = self.state.has_readers or self.setup.speculation or made.preempted
        if is_odd or least < len(running):
            return running
        block, size, read, taken = self.setup.block_size, 0, 0, 0
        for seq in running:
            done, out = seq.computed, seq.emitted
            if not out or done != seq.prompt + out - 1:
                break
            read += done
            size += 1
            if not done % block:  # the last one is full
                taken += 1
        made.emits = running[:size]
        made.given = dict.fromkeys(made.emits, 1)
        made.decode, made.kv_read, made.left = size, read, made.left - size
        if pool is not None and self.setup.reserve != "max_output":
            made.used += taken
        self.room -= size
        self.decodes_left -= size
        return running[size:]

    def _serve(self, seq: Sequence, most: int | None) -> Reason | None:
        """Give a running request its positions, or the reason why it gets none."""
        if seq.is_paused:
            return Reason.PAUSED
        found = self.share(seq, most, whole=not self.setup.chunked and not self.is_vllm)
        if isinstance(found, Reason):
            return found
        if not self.has_blocks(seq, found):
            if self.setup.on_full == "queue":
                self.made.is_short = True
                return Reason.NO_BLOCKS
            if not self.make_room(seq, found):
                return self.made.refused.get(seq)
        self.give(seq, found, most)
        return None

    # Admission.

    def _admit(self, waiting: Iterator[Sequence]) -> None:
        """Let the waiting in, from the head; nobody passes a head that cannot go (`overtake`)."""
        if self._is_closed():
            return
        for seq in waiting:
            if seq not in self.made.rejected and not self._invite(seq):
                return

    def _is_closed(self) -> bool:
        """Whether nobody may join: blocks ran out for those who run."""
        if self.made.preempted:
            self.made.rest = Reason.AFTER_EVICTION
        elif self.made.is_short:
            self.made.rest = Reason.BLOCKS_AWAITED
        return bool(self.made.preempted or self.made.is_short)

    def _invite(self, seq: Sequence, most: int | None = None) -> bool:
        """Let one in if it can come; whether those behind it may be looked at."""
        reason = self._welcome(seq, most)
        if reason is None:
            self.admit(seq)
            return True
        if reason is Reason.NO_BLOCKS and self.setup.on_full == "reject":
            self.made.refused.pop(seq, None)
            self.made.rejected.append(seq)
            return True
        self.made.refused[seq] = reason
        return reason is Reason.PAUSED or self.setup.overtake

    def _welcome(self, seq: Sequence, most: int | None = None) -> Reason | None:
        """Give a waiting request its first positions, or the reason why it cannot come in."""
        if seq.is_paused:
            return Reason.PAUSED
        if self.seats_left <= 0:
            return Reason.NO_SEAT
        if self.phase and seq.in_prefill is not (self.phase == "prefill"):
            return Reason.PROMPTS_FIRST
        found = self.share(seq, most, whole=not self.setup.chunked)
        if isinstance(found, Reason):
            return found
        if not self.fits(seq, found):
            return Reason.NO_BLOCKS
        self.give(seq, found, most)
        return None
