"""Who finds KV blocks for its positions, and who must give some up.

A running request that finds no block evicts the last admitted, under priority the least urgent, as
in vLLM; other ways out are `on_full`. Blocks are counted here; which ones they are is for `blocks`.
"""

from sim import fairness
from sim.limits import Limits
from sim.sequence import Reason, Sequence
from sim.state import State


class Memory(Limits):
    """A round being planned, with what is left of the pool and of the seats."""

    def __init__(self, state: State, room: int) -> None:
        super().__init__(state, room)
        self.seats_left = self.setup.max_num_seqs - len(state.running)

    def give(self, seq: Sequence, n: int, most: int | None = None) -> None:
        """Give it n positions and the blocks they need."""
        made, prefill = self.made, seq.in_prefill
        if n < seq.demand:
            allowed, reason = self._allowed(seq, most)
            made.cut[seq] = reason if n == allowed else Reason.BUDGET_SPENT
        elif not (prefill and self.setup.first_token == "next_round"):
            made.emits.append(seq)
        if not prefill:
            self.decodes_left -= 1
            self.room -= n
        made.give(seq, n, prefill)
        made.used += self._new_blocks(seq, n)

    def admit(self, seq: Sequence) -> None:
        """It has been given its first positions: it takes a seat, and swapped blocks come back."""
        self.seats_left -= 1
        self.made.refused.pop(seq, None)
        self.made.admitted.append(seq)
        if seq.preempted and seq.computed:
            self.made.moved += self._blocks(seq, 0)

    def _blocks(self, seq: Sequence, n: int) -> int:
        """Blocks it holds with n more positions."""
        return seq.blocks(seq.tokens_with(n), self.setup)

    def _new_blocks(self, seq: Sequence, n: int) -> int:
        if self.setup.num_blocks is None:
            return 0
        is_running = seq.admitted and not seq.preempted
        held = self._blocks(seq, 0) if is_running else 0
        return self._blocks(seq, n) - held

    def has_blocks(self, seq: Sequence, n: int) -> bool:
        """Whether the pool has what n positions need."""
        pool = self.setup.num_blocks
        return pool is None or self.made.used + self._new_blocks(seq, n) <= pool

    def make_room(self, seq: Sequence, n: int) -> bool:
        """Free blocks for n positions; False when it had to go itself."""
        if self.setup.on_full == "reject":
            self.made.used -= self._blocks(seq, 0)
            self.seats_left += 1
            self.made.rejected.append(seq)
            return False
        while not self.has_blocks(seq, n):
            victim = fairness.victim(self.state, self.made)
            self.evict(victim)
            if victim is seq:
                return False
        return True

    def evict(self, victim: Sequence) -> None:
        """It gives up all blocks; positions it had this round go back to the budget."""
        made, n = self.made, self.made.given.get(victim, 0)
        made.used -= self._blocks(victim, n)
        if n:
            made.take_back(victim)
            if not victim.in_prefill:
                self.decodes_left += 1
                self.room += n
        if self.setup.on_full == "swap":
            made.moved += self._blocks(victim, 0)
        made.preempted.append(victim)
        made.refused[victim] = Reason.PREEMPTED

    def fits(self, seq: Sequence, n: int) -> bool:
        """The admission test: its whole known text (or this chunk) must find free blocks."""
        setup = self.setup
        if setup.num_blocks is None:
            return True
        needed = self._new_blocks(seq, n)
        if setup.reserve == "full_prompt":
            needed = max(needed, setup.blocks(seq.known))
        margin = setup.watermark if self.seats_left < setup.max_num_seqs else 0
        return needed + margin <= setup.num_blocks - self.made.used
