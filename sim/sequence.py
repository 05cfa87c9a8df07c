"""A request on its way: what is known of it, its state, and why it got nothing.

`known` tokens of a request are its prompt and what it has sampled so far; `computed` of them
have their KV. There is no other phase: a request is given positions until computed has caught
up with known, and samples its next token when it has (vLLM, `v1/core/sched/scheduler.py`).
"""

from enum import StrEnum

from sim.setup import Request, Setup


class Status(StrEnum):
    """Where a request is in its life."""

    WAITING = "waiting"
    PREFILL = "prefill"
    DECODE = "decode"
    PREEMPTED = "preempted"  # back in the queue, its blocks lost or moved out
    PAUSED = "paused"  # its reader is too slow: no budget, but it keeps KV and seat
    FINISHED = "finished"
    CANCELLED = "cancelled"
    REJECTED = "rejected"
    TIMED_OUT = "timed_out"

    @property
    def has_left(self) -> bool:
        """Whether it is not here any more, and will not come."""
        return self in (Status.FINISHED, Status.CANCELLED, Status.REJECTED, Status.TIMED_OUT)


class Reason(StrEnum):
    """Why a request got nothing in a round, or less than it could use."""

    BUDGET_SPENT = "budget_spent"
    NO_SEAT = "no_seat"
    NO_BLOCKS = "no_blocks"
    PREEMPTED = "preempted"  # it has just lost its blocks
    AFTER_EVICTION = "after_eviction"  # others have just lost theirs, so nobody joins in this round
    WHOLE_PROMPT = "whole_prompt"  # chunked off: the prompt does not fit into what is left
    BEHIND_HEAD = "behind_head"  # the head of the queue cannot go, and nobody passes it
    DECODE_LIMIT = "decode_limit"  # max_decodes, or what prefill_reserve leaves; they take turns
    PREFILL_LIMIT = "prefill_limit"  # max_prefill is used up
    TIME_TARGET = "time_target"  # more prompt would make the round longer than round_target
    PROMPTS_FIRST = "prompts_first"  # prefill_first: this round is for prompts only
    TENANT_QUOTA = "tenant_quota"  # its tenant has as many running as it may
    CHUNK_LIMIT = "chunk_limit"  # it got something, but no more than max_chunk
    PAUSED = "paused"  # its reader has as many unread tokens as it may
    BLOCKS_AWAITED = "blocks_awaited"  # on_full queue: one that runs waits for a block, none joins
    BATCH_CLOSED = "batch_closed"  # static: the batch under way takes nobody in
    BY_HAND = "by_hand"  # it could have been given something, and the hand gave it nothing
    BATCH_TURN = "batch_turn"  # static: its row of the padded prompts has no part in this round


class Sequence:
    """A request on its way through the server. Compared and hashed by identity."""

    __slots__ = (
        "admitted",
        "arrival",
        "chunked_at",
        "computed",
        "emitted",
        "ended",
        "index",
        "output",
        "peak",
        "preempted",
        "prompt",
        "read_at",
        "request",
        "served",
        "unread",
    )

    def __init__(self, index: int, request: Request, arrival: int | None = None) -> None:
        self.index = index
        self.request = request
        self.prompt = request.prompt
        self.output = request.output
        self.arrival = request.arrival if arrival is None else arrival  # another in a closed loop
        self.computed = request.cached
        self.emitted = 0
        self.admitted = False  # ever
        self.preempted = False  # now: back in the queue
        self.ended: Status | None = None  # how it left, None while it is here
        self.chunked_at: tuple[int, int] | None = None  # end of its last chunk's round, place there
        self.served = -1  # place among all decodes so far when it last had one
        self.peak = 0  # most it had computed when it lost its KV
        self.unread = 0  # tokens its reader has not taken
        self.read_at = 0  # when its reader takes the next one

    @property
    def known(self) -> int:
        """Prompt and sampled tokens."""
        return self.prompt + self.emitted

    @property
    def in_prefill(self) -> bool:
        """Whether more than the last known token is still to be computed."""
        return self.computed < max(self.prompt, self.prompt + self.emitted - 1)

    @property
    def rereads(self) -> bool:
        """All known tokens computed, none sampled from: a decode reads the last one again."""
        return self.computed == self.prompt + self.emitted

    @property
    def demand(self) -> int:
        """Positions it can use: the tokens not computed, at least one."""
        return max(self.prompt + self.emitted - self.computed, 1)

    def tokens_with(self, n: int) -> int:
        """Tokens whose KV it has with n more positions; a position read again adds none.

        In a decode all positions after the first are drafts.
        """
        if n and not self.in_prefill:
            return self.known + n - 1
        return self.computed + n

    def blocks(self, tokens: int, setup: Setup) -> int:
        """KV blocks it holds while running, with so many tokens computed.

        With `reserve = max_output` all it may ever need is set aside.
        """
        if setup.reserve == "max_output":
            return setup.blocks(self.prompt + self.request.allowed_output - 1)
        return setup.blocks(tokens)

    @property
    def is_paused(self) -> bool:
        """Whether its reader has as many unread tokens as it may."""
        credits = self.request.credits
        return credits is not None and self.unread >= credits

    def read(self, now: int) -> None:
        """Its reader takes what it can by `now`: a token each `read_every`."""
        while self.unread and self.read_at <= now:
            self.unread -= 1
            self.read_at += self.request.read_every or 0

    def stream(self, tokens: int, now: int) -> None:
        """Tokens come out; a reader who waits takes the first at once."""
        if not self.unread:
            self.read_at = max(self.read_at, now)
        self.unread += tokens
        self.read(now)

    @property
    def wakes_at(self) -> int:
        """When its reader has taken enough for a paused one to go on."""
        credits, every = self.request.credits or 0, self.request.read_every or 0
        return self.read_at + (self.unread - credits) * every

    @property
    def done(self) -> bool:
        """Whether it has left, in whatever state."""
        return self.ended is not None

    @property
    def status(self) -> Status:
        """Its state as the table shows it."""
        if self.ended:
            return self.ended
        if self.preempted:
            return Status.PREEMPTED
        if not self.admitted:
            return Status.WAITING
        if self.is_paused:
            return Status.PAUSED
        return Status.PREFILL if self.in_prefill else Status.DECODE
