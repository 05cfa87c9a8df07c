"""The scheduler's table: what is known of each request, and who waits and runs.

`known` tokens of a request are its prompt and what it has sampled so far; `computed` of them
have their KV. There is no other phase: a request is given positions until computed has caught
up with known, and samples its next token when it has (vLLM, `v1/core/sched/scheduler.py`).
"""

from array import array
from collections import deque
from dataclasses import dataclass, field
from enum import StrEnum

from sim.scenario import Request, Scenario


class Status(StrEnum):
    """Where a request is in its life."""

    WAITING = "waiting"
    PREFILL = "prefill"
    DECODE = "decode"
    FINISHED = "finished"


class Reason(StrEnum):
    """Why a request got nothing in a round, or less than it could use."""

    BUDGET_SPENT = "budget_spent"
    NO_SEAT = "no_seat"
    WHOLE_PROMPT = "whole_prompt"  # chunked off: the prompt does not fit into what is left
    BEHIND_HEAD = "behind_head"  # the head of the queue cannot go, and nobody passes it
    CHUNK_LIMIT = "chunk_limit"  # it got something, but no more than max_chunk
    BATCH_CLOSED = "batch_closed"  # static: the batch under way takes nobody in
    BATCH_TURN = "batch_turn"  # static: its row of the padded prompts has no part in this round


class Sequence:
    """A request on its way through the server. Compared and hashed by identity."""

    __slots__ = ("admitted", "computed", "emitted", "index", "output", "prompt", "request")

    def __init__(self, index: int, request: Request) -> None:
        self.index = index
        self.request = request
        self.prompt = request.prompt
        self.output = request.output
        self.computed = request.cached
        self.emitted = 0
        self.admitted = False

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

    @property
    def done(self) -> bool:
        """Whether it has emitted its whole output."""
        return self.emitted >= self.output

    @property
    def status(self) -> Status:
        """Its state as the table shows it."""
        if self.done:
            return Status.FINISHED
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
            self.waiting.append(Sequence(self.indices[self.arrived], self.arrivals[self.arrived]))
            self.arrived += 1


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A state as plain numbers, from which it can go on again.

    Who waits and was never admitted is only an index; in flight are index, computed, emitted.
    """

    now: int
    round: int
    arrived: int
    waiting: "array[int]"
    running: tuple[tuple[int, int, int], ...]
    members: tuple[tuple[int, int, int], ...] | None  # of the static batch
    position: int

    @classmethod
    def of(cls, state: State) -> "Checkpoint":
        """Write down a state."""
        batch = state.batch
        return cls(
            state.now,
            state.round,
            state.arrived,
            array("q", [seq.index for seq in state.waiting]),
            tuple((s.index, s.computed, s.emitted) for s in state.running),
            tuple((s.index, s.computed, s.emitted) for s in batch.members) if batch else None,
            batch.position if batch else 0,
        )

    def restore(self, scenario: Scenario) -> State:
        """A state of its own that stands where the noted one stood."""
        state = State.start(scenario)
        state.now, state.round, state.arrived = self.now, self.round, self.arrived
        state.waiting.extend(Sequence(i, scenario.requests[i]) for i in self.waiting)
        in_flight = {entry[0]: entry for entry in (*self.running, *(self.members or ()))}
        twins = {}
        for index, computed, emitted in in_flight.values():
            twin = twins[index] = Sequence(index, scenario.requests[index])
            twin.computed, twin.emitted, twin.admitted = computed, emitted, True
        state.running = [twins[entry[0]] for entry in self.running]
        if self.members is not None:
            state.batch = Batch.of([twins[entry[0]] for entry in self.members], self.position)
        return state
