"""The express lane: where the plainest servers are driven from one moment to the next.

The scheduler asks everyone in every round. Here nobody has to be asked: whoever runs gets all it
wants, prompts fill the rest of the budget from the head of the queue, and a round differs from the
last one only when somebody comes, ends, or has its prompt done. `Drive` goes from one such moment
to the next. The lane knows when that may be: it opens, makes numbers of the state, and hands the
state back to the scheduler before any other round. Tests prove that both ways come to the same
rounds, byte for byte (`tests/sim/test_express.py`).

It is open while prompts go first come, first served in chunks of whatever is left, decodes leave
some of the budget, and the blocks that all who run will hold at their ends fit into the pool
together. Then first come, first served keeps all in order of arrival: who runs before who waits,
and at most the last one runs with its prompt unfinished.
"""

from bisect import bisect_right
from dataclasses import fields
from functools import cached_property
from heapq import heapify

from sim.drive import NEVER, Drive
from sim.rides import CHUNK, JOIN, ROW, Ride, Rides, blocks_taken, seated
from sim.sequence import Sequence
from sim.setup import Setup
from sim.state import State

# Settings a server may choose in the lane. All others must be at their defaults.
FREE = {
    *("mode", "time", "budget", "max_num_seqs", "service", "cost", "block_size", "num_blocks"),
    *("watermark", "reserve", "on_full", "buckets", "seed", "slo", "window"),
}


def is_plain(setup: Setup) -> bool:
    """Whether the lane may be open at all under this setup."""
    return (
        setup.mode != "static"
        and (setup.service != "prefill_first" or setup.mode == "vllm_v1")
        and setup.reserve != "max_output"
        and all(getattr(setup, f.name) == f.default for f in fields(setup) if f.name not in FREE)
    )


class Lane(Drive):
    """The lane of one run, and what it writes down.

    A ride is what is driven in one go, between two parts of the scheduler's.
    """

    REST = 8  # stretches for which the scheduler keeps a state it got back

    def __init__(self, state: State) -> None:
        self._setup, self._indices = state.scenario.setup, state.indices
        super().__init__(self._setup, state.arrivals)
        self._closed_for = 0  # stretches
        self.rides: list[Ride] = []

    @cached_property
    def _places(self) -> list[int]:
        """The place of each index."""
        return sorted(range(len(self._indices)), key=self._indices.__getitem__)

    @classmethod
    def of(cls, state: State) -> "Lane | None":
        """The lane for a run that begins; None where it would never be open."""
        leaves = {request.cancel_at for request in state.arrivals}
        is_odd = state.has_readers or leaves - {None}
        return cls(state) if is_plain(state.scenario.setup) and not is_odd else None

    def take(self, state: State) -> bool:
        """Drive the state as far as the lane leads; False where it is closed."""
        self._closed_for -= 1
        if self._closed_for > 0 or not self._is_open(state):
            return False
        self._closed_for = self.REST
        self._begin(state)
        self.go()
        self.rides[-1].past = self.at
        self._hand_back(state)
        return self._is_kept()

    def _is_open(self, state: State) -> bool:
        if state.waiting and state.waiting[0].preempted:
            return False
        held, pool = 0, self._setup.num_blocks
        for seq in state.running:
            unfinished = seq.in_prefill and (
                seq is not state.running[-1] or seq.emitted or seq.peak
            )
            if unfinished or seq.rereads:
                return False
            held += self.holds[self._places[seq.index]]
        return pool is None or held <= pool

    def _begin(self, state: State) -> None:
        """A ride begins: the state in numbers."""
        sizes = len(self.rows) // ROW, len(self.chunks) // CHUNK, len(self.joins) // JOIN
        self.now, self.at = state.now, state.round
        self.head = state.arrived - len(state.waiting)
        self.place, self.left, self.done = -1, 0, 0
        self.ends = [NEVER << self.bits]
        self.decodes = self.reads = self.held = 0
        for seq in state.running:
            place = self._places[seq.index]
            self.held += self.holds[place]
            if seq.in_prefill:
                self.place, self.left, self.done = place, seq.demand, seq.computed
                continue
            first = state.round - seq.emitted  # as if it had had one token each round
            past = first + seq.output
            self.joins += (place, first, past)
            self.ends.append(past << self.bits | place)
            self.decodes += 1
            self.reads += seq.computed
        heapify(self.ends)
        self.until = self.ends[0] >> self.bits
        self.rides.append(Ride(state.round, *sizes, self.head, self.place, self.done))

    def _hand_back(self, state: State) -> None:
        """Make the state, as it stood when the ride began, what the scheduler would have made."""
        requests, indices, waiting = state.arrivals, state.indices, state.waiting
        known = {self._places[seq.index]: seq for seq in state.running}
        state.running = []
        for i, emitted in sorted(self._going().items()):
            seq = known.get(i) or Sequence(indices[i], requests[i])
            state.running.append(seated(seq, emitted, self.done))
        queued = state.arrived - len(waiting)  # place of the first who waited when it began
        while waiting and queued < self.head:
            waiting.popleft()
            queued += 1
        came = bisect_right(self.times, self.now)
        fresh = range(max(self.head, state.arrived), came)
        waiting.extend(Sequence(indices[i], requests[i]) for i in fresh)
        state.now, state.round, state.arrived = self.now, self.at, came
        state.used = blocks_taken(state)

    def _going(self) -> dict[int, int]:
        """Tokens out of everyone who runs, by place; 0: its prompt is under way."""
        split = ((end >> self.bits, end & self.mask) for end in self.ends)
        going = {i: self.outputs[i] + self.at - past for past, i in split if past < NEVER}
        if self.left:
            going[self.place] = 0
        return going

    def _is_kept(self) -> bool:
        """Whether the last ride has a round; it is struck out if not."""
        ride = self.rides[-1]
        if ride.past > ride.first:
            return True
        self.rides.pop()
        del self.joins[ride.joins * JOIN :]
        return False

    def read(self, state: State) -> Rides | None:
        """All that was written down; the run is over. None if there was no ride."""
        if not self.rides:
            return None
        return Rides(state, self.rides, self.rows, self.chunks, self.joins)
