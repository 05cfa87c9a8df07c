"""The express lane: a loop over plain numbers for the plainest servers, where most rounds are.

The scheduler asks everyone in every round. Here nobody has to be asked: whoever runs gets all it
wants, prompts fill the rest of the budget from the head of the queue, and a round differs from the
last one only when somebody comes, ends, or has its prompt done. The loop goes from one such moment
to the next. It holds no rule of its own: it knows the rounds in which no rule has to decide, and
hands the state back to the scheduler before any other round. Tests prove that both ways come to
the same rounds, byte for byte.

It is open while prompts go first come, first served in chunks of whatever is left, decodes leave
some of the budget, and the blocks that all who run will hold at their ends fit into the pool
together. Then first come, first served keeps all in order of arrival: who runs before who waits,
and at most the last one runs with its prompt unfinished.
"""

from dataclasses import fields
from functools import cached_property
from heapq import heapify, heappop, heappush

from sim.engine import rounds_before
from sim.rides import Ride, Rides, blocks_taken, prices, seated
from sim.sequence import Sequence
from sim.setup import Setup
from sim.state import State

# Settings a server may choose in the lane. All others must be at their defaults.
FREE = {
    *("mode", "time", "budget", "max_num_seqs", "service", "cost", "block_size", "num_blocks"),
    *("watermark", "reserve", "on_full", "buckets", "seed", "slo", "window"),
}
_NEVER = 1 << 80  # later, and more, than anything


def is_plain(setup: Setup) -> bool:
    """Whether the lane may be open at all under this setup."""
    return (
        setup.mode != "static"
        and (setup.service != "prefill_first" or setup.mode == "vllm_v1")
        and setup.reserve != "max_output"
        and all(getattr(setup, f.name) == f.default for f in fields(setup) if f.name not in FREE)
    )


class Lane:
    """The lane of one run, and what it writes down. Requests go by place in order of arrival.

    A ride is what is driven in one go, between two parts of the scheduler's. `rows`, `chunks` and
    `joins` are flat lists of numbers, made for speed; `Rides` reads them.
    """

    REST = 8  # stretches for which the scheduler keeps a state it got back

    def __init__(self, state: State) -> None:
        setup, requests = state.scenario.setup, state.arrivals
        self._setup = setup
        self._times = [r.arrival for r in requests] + [_NEVER]
        self._prompts = [r.prompt for r in requests]
        self._outputs = [r.output for r in requests]
        self._cached = [r.cached for r in requests]
        self._finals = [r.prompt + r.output - 1 for r in requests]  # tokens computed at its end
        size = setup.block_size
        self._holds = [-(-tokens // size) for tokens in self._finals]
        self._indices = state.indices
        self._bits = len(requests).bit_length()
        self._closed_for = 0  # stretches
        self.rows: list[int] = []  # round, start, P, D, K, running, waiting, tokens out a stretch
        self.chunks: list[int] = []  # place, first round, rounds, positions a round
        self.joins: list[int] = []  # place, round of first token, round after its last one
        self.rides: list[Ride] = []

    @cached_property
    def _places(self) -> list[int]:
        """The place of each index."""
        return sorted(range(len(self._indices)), key=self._indices.__getitem__)

    @classmethod
    def of(cls, state: State) -> "Lane | None":
        """The lane for a run that begins; None where it would never be open."""
        odd = (r.cancel_at is not None or r.credits is not None for r in state.arrivals)
        return cls(state) if is_plain(state.scenario.setup) and not any(odd) else None

    def take(self, state: State) -> bool:
        """Drive the state as far as the lane leads; False where it is closed."""
        self._closed_for -= 1
        if self._closed_for > 0 or not self._is_open(state):
            return False
        self._closed_for = self.REST
        return self._drive(state)

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
            held += self._holds[self._places[seq.index]]
        return pool is None or held <= pool

    def _begin(self, state: State) -> tuple[int, int, int]:
        """A ride begins. The prompt under way: its place, what is left of it, what is done."""
        sizes = len(self.rows), len(self.chunks), len(self.joins)
        head = state.arrived - len(state.waiting)
        place, left, done = -1, 0, 0
        for seq in state.running:
            here = self._places[seq.index]
            if seq.in_prefill:
                place, left, done = here, seq.demand, seq.computed
            else:
                first = state.round - seq.emitted  # as if it had had one token each round
                self.joins += (here, first, first + seq.output)
        self.rides.append(Ride(state.round, *sizes, head, place, done))
        return place, left, done

    def _heap(self, joined: int) -> list[int]:
        """Who decodes, by the end: the round after the last token, and the place, in one number."""
        own = self.joins[joined:]
        ends = [past << self._bits | i for i, past in zip(own[::3], own[2::3], strict=True)]
        ends.append(_NEVER << self._bits)
        heapify(ends)
        return ends

    def _drive(self, state: State) -> bool:  # noqa: C901 - one loop: calls would double its time
        budget, seats = self._setup.budget, self._setup.max_num_seqs
        pool = self._setup.num_blocks
        fit = _NEVER if pool is None else pool - self._setup.watermark
        base, per_prefill, per_decode, per_kv = prices(self._setup)
        times, prompts, outputs, cached = self._times, self._prompts, self._outputs, self._cached
        finals, holds, bits = self._finals, self._holds, self._bits
        mask = (1 << bits) - 1
        rows, chunks, joins = self.rows, self.chunks, self.joins
        place, left, done = self._begin(state)  # the prompt under way
        ride = self.rides[-1]
        ends = self._heap(ride.joins)
        until, decodes = ends[0] >> bits, len(ends) - 1  # until: the next round without one of them
        reads = sum(seq.computed for seq in state.running) - done
        held = sum(holds[self._places[seq.index]] for seq in state.running)
        now, at, came, head = state.now, state.round, state.arrived, ride.head
        while True:
            while times[came] <= now:
                came += 1
            room = budget - decodes
            if room <= 0:
                break
            if not left and head < came and decodes < seats:
                if cached[head] == prompts[head] or held + holds[head] > fit:
                    break
                place, done = head, cached[head]
                left = prompts[head] - done
                held += holds[head]
                head += 1
            if left > room:  # chunks of all the budget that decodes leave
                count = (left - 1) // room
                if count > until - at:
                    count = until - at
                read = reads + done
                rows += (at, now, room, decodes, read, decodes + 1, came - head, decodes)
                chunks += (place, at, count, room)
                now += count * (base + per_prefill * room + per_decode * decodes + per_kv * read)
                now += per_kv * (decodes + room) * (count * (count - 1) // 2)
                left -= room * count
                done += room * count
                reads += decodes * count
                at += count
            elif left:  # its last chunk, and the next in the queue while budget is left
                kept = place, left, done, head, len(chunks)
                read, prefill, fresh = reads, 0, []
                while True:
                    chunks += (place, at, 1, left)
                    prefill += left
                    read += done
                    fresh.append(place)
                    left = 0
                    if prefill == room or head == came or decodes + len(fresh) >= seats:
                        break
                    if cached[head] == prompts[head] or held + holds[head] > fit:
                        left = -1
                        break
                    place, done = head, cached[head]
                    left = prompts[head] - done
                    held += holds[head]
                    head += 1
                    if prefill + left > room:
                        chunks += (place, at, 1, room - prefill)
                        read += done
                        done += room - prefill
                        left -= room - prefill
                        prefill = room
                        break
                if left < 0:  # the next has to be decided on: this round is the scheduler's
                    place, left, done, head, size = kept
                    del chunks[size:]
                    if done == cached[place]:  # it was to come in with this very round
                        left, head = 0, place
                    break
                emitted = decodes + len(fresh)
                running = emitted + (left > 0)
                rows += (at, now, prefill, decodes, read, running, came - head, emitted)
                now += base + per_prefill * prefill + per_decode * decodes + per_kv * read
                reads += decodes
                decodes = emitted
                for i in fresh:
                    past = at + outputs[i]
                    joins += (i, at, past)
                    heappush(ends, past << bits | i)
                    reads += prompts[i]
                until = ends[0] >> bits
                at += 1
            elif decodes:  # decodes alone, until one ends or somebody comes
                count = until - at
                duration, growth = base + per_decode * decodes + per_kv * reads, per_kv * decodes
                end = now + count * duration + growth * (count * (count - 1) // 2)
                if end > times[came] and decodes < seats:
                    count = rounds_before(times[came] - now, duration, growth)
                    end = now + count * duration + growth * (count * (count - 1) // 2)
                rows += (at, now, 0, decodes, reads, decodes, came - head, decodes)
                reads += decodes * count
                now = end
                at += count
            elif came < len(prompts):
                now = times[came]
                continue
            else:
                break
            while until <= at:
                i = heappop(ends) & mask
                until = ends[0] >> bits
                decodes -= 1
                reads -= finals[i]
                held -= holds[i]
        self.rides[-1].past = at
        going = {i & mask: outputs[i & mask] - (i >> bits) + at for i in ends if i >> bits < _NEVER}
        if left:
            going[place] = 0
        self._hand_back(state, now, came, head, going, done)
        return self._is_kept()

    def _hand_back(
        self, state: State, now: int, came: int, head: int, going: dict[int, int], done: int
    ) -> None:
        """Make the state what the scheduler would have made of it.

        Args:
            state: as it stood when the ride began.
            now: time of the boundary.
            came: how many have arrived.
            head: place of the first in the queue.
            going: tokens out of everyone who runs, by place; 0: its prompt is under way.
            done: tokens computed of that prompt.
        """
        requests, indices, waiting = state.arrivals, state.indices, state.waiting
        known = {self._places[seq.index]: seq for seq in state.running}
        state.running = []
        for i in sorted(going):
            seq = known.get(i) or Sequence(indices[i], requests[i])
            state.running.append(seated(seq, going[i], done))
        queued = state.arrived - len(waiting)  # place of the first who waited when it began
        while waiting and queued < head:
            waiting.popleft()
            queued += 1
        fresh = range(max(head, state.arrived), came)
        waiting.extend(Sequence(indices[i], requests[i]) for i in fresh)
        state.now, state.round, state.arrived = now, self.rides[-1].past, came
        state.used = blocks_taken(state)

    def _is_kept(self) -> bool:
        """Whether the last ride has a round; it is struck out if not."""
        ride = self.rides[-1]
        if ride.past > ride.first:
            return True
        self.rides.pop()
        del self.joins[ride.joins :]
        return False

    def read(self, state: State) -> Rides:
        """All that was written down; the run is over."""
        return Rides(state, self.rides, self.rows, self.chunks, self.joins)
