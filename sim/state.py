"""The scheduler's table: what is known of each request, and who waits and runs.

`known` tokens of a request are its prompt and what it has sampled so far; `computed` of them
have their KV. There is no other phase: a request is given positions until computed has caught
up with known, and samples its next token when it has (vLLM, `v1/core/sched/scheduler.py`).
"""

from array import array
from bisect import insort
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from sim.order import urgency
from sim.scenario import Scenario
from sim.setup import Request, Setup


class Status(StrEnum):
    """Where a request is in its life."""

    WAITING = "waiting"
    PREFILL = "prefill"
    DECODE = "decode"
    PREEMPTED = "preempted"
    FINISHED = "finished"


class Reason(StrEnum):
    """Why a request got nothing in a round, or less than it could use."""

    BUDGET_SPENT = "budget_spent"
    NO_SEAT = "no_seat"
    NO_BLOCKS = "no_blocks"
    PREEMPTED = "preempted"  # it has just lost its blocks, or nobody may join since others did
    WHOLE_PROMPT = "whole_prompt"  # chunked off: the prompt does not fit into what is left
    BEHIND_HEAD = "behind_head"  # the head of the queue cannot go, and nobody passes it
    DECODE_LIMIT = "decode_limit"  # max_decodes, or what prefill_reserve leaves; they take turns
    PREFILL_LIMIT = "prefill_limit"  # max_prefill is used up
    TIME_TARGET = "time_target"  # more prompt would make the round longer than round_target
    PROMPTS_FIRST = "prompts_first"  # prefill_first: this round is for prompts only
    TENANT_QUOTA = "tenant_quota"  # its tenant has as many running as it may
    CHUNK_LIMIT = "chunk_limit"  # it got something, but no more than max_chunk
    BATCH_CLOSED = "batch_closed"  # static: the batch under way takes nobody in
    BATCH_TURN = "batch_turn"  # static: its row of the padded prompts has no part in this round


class Sequence:
    """A request on its way through the server. Compared and hashed by identity."""

    __slots__ = (
        "admitted",
        "chunked_at",
        "computed",
        "emitted",
        "index",
        "output",
        "peak",
        "preempted",
        "prompt",
        "request",
        "served",
    )

    def __init__(self, index: int, request: Request) -> None:
        self.index = index
        self.request = request
        self.prompt = request.prompt
        self.output = request.output
        self.computed = request.cached
        self.emitted = 0
        self.admitted = False  # ever
        self.preempted = False  # now: back in the queue, its KV lost
        self.chunked_at: int | None = None  # end of the last round it had prompt positions in
        self.served = -1  # place among all decodes so far when it last had one
        self.peak = 0  # most it had computed when it lost its KV

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

    def blocks(self, tokens: int, setup: Setup) -> int:
        """KV blocks it holds while running, with so many tokens computed.

        With `reserve = max_output` all it may ever need is set aside. A position read again
        takes no new slot.
        """
        if setup.reserve == "max_output":
            return setup.blocks(self.prompt + self.request.allowed_output - 1)
        return setup.blocks(min(tokens, self.known))

    @property
    def done(self) -> bool:
        """Whether it has emitted its whole output."""
        return self.emitted >= self.output

    @property
    def status(self) -> Status:
        """Its state as the table shows it."""
        if self.done:
            return Status.FINISHED
        if self.preempted:
            return Status.PREEMPTED
        if not self.admitted:
            return Status.WAITING
        return Status.PREFILL if self.in_prefill else Status.DECODE


@dataclass(slots=True)
class Batch:
    """A static batch: its members, and how far its rectangle of prompts is worked off.

    The rectangle has a row a member with prompt left, all `width` positions wide; `position`
    counts them row by row.
    """

    members: list[Sequence]
    rows: list[Sequence]
    width: int
    position: int = 0

    @classmethod
    def of(cls, members: list[Sequence], position: int = 0) -> "Batch":
        """A batch of these members; rows are those that have prompt to compute."""
        rows = [seq for seq in members if seq.request.cached < seq.prompt]
        width = max((seq.prompt - seq.request.cached for seq in rows), default=0)
        return cls(members, rows, width, position)

    @property
    def area(self) -> int:
        """Positions of the whole rectangle, padding included."""
        return self.width * len(self.rows)

    @property
    def filling(self) -> bool:
        """Whether prompt rounds are still to come."""
        return self.position < self.area


@dataclass(slots=True)
class State:
    """The server between two rounds. `now` is a boundary; `round` counts rounds done."""

    scenario: Scenario
    arrivals: list[Request]  # by arrival, then list order
    indices: list[int]  # of `arrivals` in the scenario's list
    now: int = 0
    round: int = 0
    arrived: int = 0
    waiting: deque[Sequence] = field(default_factory=deque)
    running: list[Sequence] = field(default_factory=list)
    batch: Batch | None = None
    used: int = 0  # KV blocks taken
    turns: dict[str, int] = field(default_factory=dict)  # when each tenant was last let in

    @classmethod
    def start(cls, scenario: Scenario) -> "State":
        """Time 0, nobody here yet."""
        requests = scenario.requests
        indices = sorted(range(len(requests)), key=lambda i: requests[i].arrival)
        return cls(scenario, [requests[i] for i in indices], indices)

    @property
    def next_arrival(self) -> int | None:
        """Time of the next arrival, None when all have come."""
        return self.arrivals[self.arrived].arrival if self.arrived < len(self.arrivals) else None

    def collect(self) -> None:
        """Everyone who arrived by now joins the end of the queue."""
        while self.arrived < len(self.arrivals) and self.arrivals[self.arrived].arrival <= self.now:
            self.enqueue(Sequence(self.indices[self.arrived], self.arrivals[self.arrived]))
            self.arrived += 1

    def enqueue(self, seq: Sequence, *, front: bool = False) -> None:
        """Join the queue: at its end or front, under priority at its place by urgency."""
        setup = self.scenario.setup
        if setup.order in ("priority", "deadline", "aging"):
            insort(self.waiting, seq, key=lambda one: urgency(one.request, one.index, setup))
        elif front:
            self.waiting.appendleft(seq)
        else:
            self.waiting.append(seq)


Entry = tuple[int, int, int, int, int, int | None]


def _entries(sequences: Iterable[Sequence]) -> tuple[Entry, ...]:
    return tuple(
        (s.index, s.computed, s.emitted, s.peak, s.served, s.chunked_at) for s in sequences
    )


def _twin(entry: Entry, scenario: Scenario) -> Sequence:
    twin = Sequence(entry[0], scenario.requests[entry[0]])
    _, twin.computed, twin.emitted, twin.peak, twin.served, twin.chunked_at = entry
    twin.admitted = True
    return twin


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A state as plain numbers, from which it can go on again.

    Who waits and was never admitted is only an index; others are an `Entry`.
    """

    now: int
    round: int
    arrived: int
    waiting: "array[int]"
    running: tuple[Entry, ...]
    preempted: tuple[Entry, ...]  # those in the queue who were running before
    members: tuple[Entry, ...] | None  # of the static batch
    position: int
    used: int
    turns: dict[str, int]

    @classmethod
    def of(cls, state: State) -> "Checkpoint":
        """Write down a state."""
        batch = state.batch
        return cls(
            state.now,
            state.round,
            state.arrived,
            array("q", [seq.index for seq in state.waiting]),
            _entries(state.running),
            _entries(seq for seq in state.waiting if seq.preempted),
            _entries(batch.members) if batch else None,
            batch.position if batch else 0,
            state.used,
            dict(state.turns),
        )

    def restore(self, scenario: Scenario) -> State:
        """A state of its own that stands where the noted one stood."""
        state = State.start(scenario)
        state.now, state.round, state.arrived = self.now, self.round, self.arrived
        state.used, state.turns = self.used, dict(self.turns)
        known = (*self.running, *self.preempted, *(self.members or ()))
        twins = {entry[0]: _twin(entry, scenario) for entry in dict.fromkeys(known)}
        for index in self.waiting:
            waiter = twins.get(index) or Sequence(index, scenario.requests[index])
            waiter.preempted = waiter.admitted
            state.waiting.append(waiter)
        state.running = [twins[entry[0]] for entry in self.running]
        if self.members is not None:
            state.batch = Batch.of([twins[entry[0]] for entry in self.members], self.position)
        return state
