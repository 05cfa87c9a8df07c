"""The scheduler's table: who waits, who runs, who comes and who leaves.

What happens between two rounds is here: arrivals, cancellations and timeouts take effect at a
boundary, in the order of their own times.
"""

from bisect import insort
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import chain
from random import Random

from sim.order import by_urgency, urgency
from sim.scenario import Scenario
from sim.sequence import Sequence, Status
from sim.setup import Request


@dataclass(slots=True)
class Batch:
    """A static batch: its members, and how far its rectangle of prompts is worked off.

    Members who are done or gone still hold a seat. The rectangle has a row a member with prompt
    left, all `width` positions wide; `position` counts them row by row.
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
    arrivals: tuple[Request, ...]  # by arrival, then list order; in a closed loop the list itself
    indices: tuple[int, ...]  # of `arrivals` in the scenario's list
    now: int = 0
    round: int = 0
    arrived: int = 0
    waiting: deque[Sequence] = field(default_factory=deque)
    running: list[Sequence] = field(default_factory=list)
    batch: Batch | None = None
    used: int = 0  # KV blocks taken
    turns: dict[str, int] = field(default_factory=dict)  # when each tenant was last let in
    entering: list[tuple[int, int]] = field(default_factory=list)  # closed loop: time, index; heap
    leaving: list[tuple[int, int]] = field(default_factory=list)  # time, index; heap
    has_readers: bool = False
    verified: int = 0  # verifications of drafts so far
    draft_luck: Random | None = None
    expert_luck: Random | None = None
    ended: list[tuple[int, Status, int]] = field(default_factory=list)  # index, how, when: all
    told: int = 0  # how many of them left before the last commit was over
    moved: int = 0  # blocks swapped out with them
    ejected: list[Sequence] = field(default_factory=list)  # evicted since, by plans of no round
    entered: dict[int, int] = field(default_factory=dict)  # closed loop: index to time
    grants: tuple[Mapping[str, int], ...] | None = None  # by hand: what each round gives to whom

    @classmethod
    def start(cls, scenario: Scenario) -> "State":
        """Time 0, nobody here yet."""
        requests, setup = scenario.requests, scenario.setup
        listed = indices = tuple(range(len(requests)))
        if setup.concurrency is None:
            times = [request.arrival for request in requests]
            indices = tuple(sorted(listed, key=times.__getitem__))
        in_order = requests if indices == listed else tuple(requests[i] for i in indices)
        state = cls(scenario, in_order, indices)
        state.has_readers = bool({request.credits for request in requests} - {None})
        for _ in range(setup.concurrency or 0):
            state._invite(0)
        if setup.speculation and isinstance(setup.speculation.accepted, float):
            state.draft_luck = Random(scenario.chance_seed)
        if setup.moe and setup.moe.draw:
            state.expert_luck = Random(scenario.chance_seed)
        return state

    def blank(self) -> "State":
        """Another for the same scenario at time 0 that has seen nobody yet; nothing is sorted."""
        other = State(self.scenario, self.arrivals, self.indices, has_readers=self.has_readers)
        other.draft_luck = self.draft_luck and Random(0)
        other.expert_luck = self.expert_luck and Random(0)
        other.grants = self.grants
        return other

    # Who comes.

    @property
    def next_arrival(self) -> int | None:
        """Time of the next arrival, None when nobody is on the way."""
        if self.scenario.setup.concurrency is not None:
            return self.entering[0][0] if self.entering else None
        return self.arrivals[self.arrived].arrival if self.arrived < len(self.arrivals) else None

    @property
    def to_come(self) -> list[int]:
        """Who has not come yet, by index."""
        return [*self.indices[self.arrived :], *(index for _, index in self.entering)]

    @property
    def next_leaving(self) -> int | None:
        """Time of the next cancellation or timeout, None when nobody here would leave."""
        return self.leaving[0][0] if self.leaving else None

    def collect(self) -> None:
        """Arrivals, cancellations and timeouts due by now, in the order of their times."""
        while True:
            comes, leaves = self.next_arrival, self.next_leaving
            if leaves is not None and leaves <= self.now and (comes is None or leaves <= comes):
                self._depart()
            elif comes is not None and comes <= self.now:
                self._welcome(comes)
            else:
                break
        if self.has_readers:
            for seq in self.readers():
                seq.read(self.now)

    def readers(self) -> Iterator[Sequence]:
        """Those here whose clients read slowly."""
        if self.has_readers:
            yield from (s for s in (*self.running, *self.waiting) if s.request.credits is not None)

    def _invite(self, time: int) -> None:
        """Closed loop: the next in list order comes at `time`."""
        if self.arrived < len(self.arrivals):
            heappush(self.entering, (time, self.arrived))
            self.arrived += 1

    def _welcome(self, time: int) -> None:
        setup = self.scenario.setup
        if setup.concurrency is None:
            index = self.indices[self.arrived]
            self.arrived += 1
        else:
            index = heappop(self.entering)[1]
            self.entered[index] = time
        request = self.scenario.requests[index]
        seq = Sequence(index, request, time)
        if self._queue_is_full():
            self.end(seq, Status.REJECTED)
            return
        self.enqueue(seq)
        self.expect_leaving(seq)

    def expect_leaving(self, seq: Sequence) -> None:
        """Note when its client would leave, and when it would have waited too long."""
        cancel_at, timeout = seq.request.cancel_at, self.scenario.setup.queue_timeout
        if cancel_at is not None:
            heappush(self.leaving, (max(cancel_at, seq.arrival), seq.index))
        if timeout is not None:
            heappush(self.leaving, (seq.arrival + timeout, seq.index))

    def _queue_is_full(self) -> bool:
        most = self.scenario.setup.max_queue
        return most is not None and sum(not one.admitted for one in self.waiting) >= most

    def enqueue(self, seq: Sequence, *, front: bool = False) -> None:
        """Join the queue: at its end or front, under priority at its place by urgency."""
        setup = self.scenario.setup
        if by_urgency(setup):
            insort(self.waiting, seq, key=lambda one: urgency(one, setup))
        elif front:
            self.waiting.appendleft(seq)
        else:
            self.waiting.append(seq)

    # Who goes.

    def _depart(self) -> None:
        """The next who would leave: gone by now, or one whose client left or waited too long."""
        time, index = heappop(self.leaving)
        seq = next((s for s in chain(self.waiting, self.running) if s.index == index), None)
        if seq is None:
            return
        cancel_at = seq.request.cancel_at
        if cancel_at is not None and max(cancel_at, seq.arrival) <= time:
            self.end(seq, Status.CANCELLED)
        elif not seq.admitted:
            self.end(seq, Status.TIMED_OUT)

    def end(self, seq: Sequence, how: Status) -> None:
        """A request leaves at `now`: its seat and blocks are free, a closed loop sends the next."""
        setup = self.scenario.setup
        if seq in self.running:
            self.running.remove(seq)
            if setup.num_blocks is not None and self.batch is None:
                self.used -= seq.blocks(seq.computed, setup)
        elif seq in self.waiting:
            self.waiting.remove(seq)
        seq.ended = how
        self.ended.append((seq.index, how, self.now))
        if self.batch is not None and all(member.done for member in self.batch.members):
            self.batch, self.used = None, 0
        if setup.concurrency is not None:
            self._invite(self.now + setup.think)
