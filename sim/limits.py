"""How much of a round a request may have: the budget and every limit on prompts and decodes."""

from bisect import bisect_right

from sim import extras, fairness
from sim.plan import Plan
from sim.sequence import Reason, Sequence
from sim.state import State


class Limits:
    """A round being planned, with what is left of each limit."""

    def __init__(self, state: State, room: int) -> None:
        self.state = state
        self.setup = state.scenario.setup
        self.is_vllm = self.setup.mode == "vllm_v1"
        self.max_chunk = self._chunk_limit()
        self.made = Plan(left=self.setup.budget, used=state.used)
        self.room = room  # positions left for decodes
        most = self.setup.max_decodes
        self.decodes_left = self.setup.budget if most is None else most

    def _chunk_limit(self) -> int | None:
        """`max_chunk`; vLLM's long-prefill threshold does not bind a request that is alone."""
        state = self.state
        if self.is_vllm and len(state.running) + len(state.waiting) == 1:
            return None
        return self.setup.max_chunk

    def share(self, seq: Sequence, most: int | None, *, whole: bool) -> int | Reason:
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

    def dealable(self) -> int:
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
