"""Continuous batching: who gets how much of the next round, and why others get nothing.

A plan is built in the order of service, within the token budget, the seats and the KV blocks.
Order and victims are those of vLLM (`v1/core/sched/scheduler.py`): running requests first, then
the waiting from the head; a running one that finds no block evicts the last admitted, under
priority the least urgent. Other servers differ in the order alone: decodes before prompts
(Agrawal et al., Sarathi-Serve, OSDI 2024), or prompts before decodes (early vLLM, SGLang).
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator

from sim import extras, fairness
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


class _Planner:
    """Builds the plan of one round."""

    def __init__(self, state: State, room: int, evicted: Iterable[Sequence] = ()) -> None:
        self.state = state
        self.setup = state.scenario.setup
        self.is_vllm = self.setup.mode == "vllm_v1"
        self.max_chunk = self._chunk_limit()
        self.phase = ""  # prefill_first: the only one this round is for
        self.made = Plan(left=self.setup.budget, used=state.used)
        self.seats_left = self.setup.max_num_seqs - len(state.running)
        self.room = room  # positions left for decodes
        most = self.setup.max_decodes
        self.decodes_left = self.setup.budget if most is None else most
        for seq in evicted:
            self._evict(seq)

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
        for seq, most in fairness.shares(self.state, self._dealable()):
            if seq.admitted and not seq.preempted:
                self._run([seq], most)
            elif not (is_stopped or self._is_closed()):
                is_stopped = not self._invite(seq, most)
        for seq in self.state.running:  # no share was left for these
            if seq not in self.made.given and seq not in self.made.rejected:
                self.made.refused.setdefault(seq, Reason.BUDGET_SPENT)

    def _dealable(self) -> int:
        """Prompt positions that may be dealt: what is left, within the limits of all prompts."""
        most, setup = self.made.left, self.setup
        if setup.granularity == "chunk":
            return most  # each share is cut by itself
        if setup.max_prefill:
            most = min(most, setup.max_prefill)
        if setup.round_target is None:
            return most

        def cost(n: int) -> int:
            hands = list(fairness.shares(self.state, n))
            read = sum(seq.computed for seq, _ in hands)
            return self._cost(sum(share for _, share in hands), read)

        fits = bisect_right(range(1, most + 1), setup.round_target, key=cost)
        return max(fits, 0 if self.made.given else 1)

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
        found = self._share(seq, most, whole=not self.setup.chunked and not self.is_vllm)
        if isinstance(found, Reason):
            return found
        if not self._has_blocks(seq, found):
            if self.setup.on_full == "queue":
                self.made.is_short = True
                return Reason.NO_BLOCKS
            if not self._make_room(seq, found):
                return self.made.refused.get(seq)
        self._give(seq, found, most)
        return None

    # How much.

    def _chunk_limit(self) -> int | None:
        """`max_chunk`; vLLM's long-prefill threshold does not bind a request that is alone."""
        state = self.state
        if self.is_vllm and len(state.running) + len(state.waiting) == 1:
            return None
        return self.setup.max_chunk

    def _share(self, seq: Sequence, most: int | None, *, whole: bool) -> int | Reason:
        """How many positions it would get of what is left."""
        if self.made.left == 0:
            return Reason.BUDGET_SPENT
        allowed, reason = self._allowed(seq, most)
        if allowed <= 0:
            return reason
        n = min(allowed, self.made.left)
        if not whole or not seq.in_prefill or n == allowed:
            return n
        # Evicted with more tokens than any round holds, it could never come back whole.
        return n if seq.peak and allowed > self.setup.budget else Reason.WHOLE_PROMPT

    def _allowed(self, seq: Sequence, most: int | None) -> tuple[int, Reason]:
        """The most it may have, whatever is left, and the limit that says so."""
        if not seq.in_prefill:
            most = min(seq.demand + self._drafts(seq), self.room)
            return most if self.decodes_left > 0 else 0, Reason.DECODE_LIMIT
        limits = [(seq.demand, Reason.BUDGET_SPENT)]
        if self.max_chunk:
            limits.append((self.max_chunk, Reason.CHUNK_LIMIT))
        if most is not None:
            limits.append((most, Reason.BUDGET_SPENT))
        if self.setup.max_prefill:
            limits.append((self.setup.max_prefill - self.made.prefill, Reason.PREFILL_LIMIT))
        if self.setup.round_target is not None:
            limits.append((self._within_target(seq), Reason.TIME_TARGET))
        return min(limits, key=lambda limit: limit[0])

    def _drafts(self, seq: Sequence) -> int:
        """Drafts it tries: fewer at the end of what it is allowed."""
        if self.setup.speculation is None:
            return 0
        rest = seq.request.allowed_output - seq.emitted - 1
        return min(self.setup.speculation.drafts, rest)

    def _within_target(self, seq: Sequence) -> int:
        """Positions until the round so far costs `round_target`; one if it is else empty."""
        target = self.setup.round_target
        assert target is not None
        more = range(1, seq.demand + 1)
        fits = bisect_right(more, target, key=lambda n: self._cost(n, seq.computed))
        return max(fits, 0 if self.made.given else 1)

    def _cost(self, n: int, read: int) -> int:
        """Time of the round so far with n prompt positions more that read so many KV tokens."""
        made = self.made
        moved = made.moved + self.state.moved
        prefill, read = made.prefill + n, made.kv_read + read
        return extras.duration(self.setup, prefill, made.decode, made.drafts, read, moved)

    def _give(self, seq: Sequence, n: int, most: int | None = None) -> None:
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

    # Blocks.

    def _blocks(self, seq: Sequence, n: int) -> int:
        """Blocks it holds with n more positions."""
        return seq.blocks(seq.tokens_with(n), self.setup)

    def _new_blocks(self, seq: Sequence, n: int) -> int:
        if self.setup.num_blocks is None:
            return 0
        is_running = seq.admitted and not seq.preempted
        held = self._blocks(seq, 0) if is_running else 0
        return self._blocks(seq, n) - held

    def _has_blocks(self, seq: Sequence, n: int) -> bool:
        pool = self.setup.num_blocks
        return pool is None or self.made.used + self._new_blocks(seq, n) <= pool

    def _make_room(self, seq: Sequence, n: int) -> bool:
        """Free blocks for n positions; False when it had to go itself."""
        if self.setup.on_full == "reject":
            self.made.used -= self._blocks(seq, 0)
            self.seats_left += 1
            self.made.rejected.append(seq)
            return False
        while not self._has_blocks(seq, n):
            victim = fairness.victim(self.state, self.made)
            self._evict(victim)
            if victim is seq:
                return False
        return True

    def _evict(self, victim: Sequence) -> None:
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
            self.made.rest = Reason.PREEMPTED
        elif self.made.is_short:
            self.made.rest = Reason.BLOCKS_AWAITED
        return bool(self.made.preempted or self.made.is_short)

    def _invite(self, seq: Sequence, most: int | None = None) -> bool:
        """Let one in if it can come; whether those behind it may be looked at."""
        reason = self._welcome(seq, most)
        if reason is None:
            self.seats_left -= 1
            self.made.refused.pop(seq, None)
            self.made.admitted.append(seq)
            if seq.preempted and self.setup.on_full == "swap":
                self.made.moved += self._blocks(seq, 0)
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
        found = self._share(seq, most, whole=not self.setup.chunked)
        if isinstance(found, Reason):
            return found
        if not self._fits(seq, found):
            return Reason.NO_BLOCKS
        self._give(seq, found, most)
        return None

    def _fits(self, seq: Sequence, n: int) -> bool:
        """The admission test: its whole known text (or this chunk) must find free blocks."""
        setup = self.setup
        if setup.num_blocks is None:
            return True
        needed = self._new_blocks(seq, n)
        if setup.reserve == "full_prompt":
            needed = max(needed, setup.blocks(seq.known))
        margin = setup.watermark if self.seats_left < setup.max_num_seqs else 0
        return needed + margin <= setup.num_blocks - self.made.used
