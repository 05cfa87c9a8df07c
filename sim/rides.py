"""What the express lane wrote down, read again: columns, runs, blocks, and states in between.

The lane writes down no more than it must, as it has to be fast: when rounds change, chunks, and
who decodes from when till when. All else that a history wants to know follows from that.
"""

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sim.block_runs import blocks_of, taken_by_chunks, taken_by_decodes
from sim.runs import Ints
from sim.sequence import Sequence
from sim.setup import Setup
from sim.state import State


def prices(setup: Setup) -> tuple[int, int, int, int]:
    """Time of a round: base, and that of each P, D and K."""
    cost = setup.cost
    if setup.time == "tick":
        return 1, 0, 0, 0
    return cost.base, cost.per_prefill, cost.per_decode, cost.per_kv_token


# What the lane writes down in flat lists of numbers, so many an entry.
ROW = 3  # a stretch: first round, start, K
CHUNK = 4  # equal chunks: place, first round, rounds, positions a round
JOIN = 3  # who decodes: place, round of its first token, round after its last one


@dataclass(slots=True)
class Ride:
    """What the lane drove in one go: where it begins, and the round after its last one."""

    first: int
    rows: int  # so many entries were written before
    chunks: int
    joins: int
    head: int  # place of the first in the queue
    place: int  # of the prompt under way, -1: none
    done: int  # tokens computed of that prompt
    past: int = -1


def blocks_taken(state: State) -> int:
    """KV blocks of all who run; none without a pool."""
    setup = state.scenario.setup
    if setup.num_blocks is None:
        return 0
    return sum(setup.blocks(seq.computed) for seq in state.running)


def seated(seq: Sequence, emitted: int, done: int) -> Sequence:
    """The sequence as it runs: so many tokens out, or `done` computed of an unfinished prompt."""
    seq.admitted, seq.emitted = True, emitted
    seq.computed = seq.prompt + emitted - 1 if emitted else done
    return seq


class Rides:
    """All rides of a run, read when it is over.

    Args:
        state: any of the run; it knows the order of arrival.
        rides: in order, each with at least one round, at least one round between two.
        rows: `ROW` numbers a stretch.
        chunks: `CHUNK` numbers a run of prefill.
        joins: `JOIN` numbers for everyone who came to decode, or was at it when a ride began, as
            if it had had one token each round.
    """

    def __init__(
        self,
        state: State,
        rides: list[Ride],
        rows: list[int],
        chunks: list[int],
        joins: list[int],
    ) -> None:
        self.rides, self._state = rides, state
        self._firsts = [ride.first for ride in rides]
        self._order = np.array(state.indices, dtype=np.int64)  # place to index
        self._rows, self._chunks, self._joins = (
            np.fromiter(numbers, np.int64, len(numbers)).reshape(-1, width).T.copy()
            for numbers, width in ((rows, ROW), (chunks, CHUNK), (joins, JOIN))
        )
        self._joins_before = [ride.joins for ride in rides] + [len(self._joins[0])]
        self._chunks_before = [ride.chunks for ride in rides] + [len(self._chunks[0])]

    # An entry a stretch, or a run.

    def columns(self) -> dict[str, Ints]:
        """Those of a history that are not 0 throughout."""
        first, start, read = self._rows
        count = np.diff(first, append=0)
        last = np.array([ride.rows for ride in self.rides[1:]] + [len(first)]) - 1
        count[last] = [ride.past for ride in self.rides] - first[last]
        prompts, prefill, head = self._prompts(first)
        decode, fresh = self._decoding(first)
        setup = self._state.scenario.setup
        base, per_prefill, per_decode, per_kv = prices(setup)
        pool = int(setup.num_blocks is not None)
        return {
            "first": first,
            "count": count,
            "start": start,
            "duration": base + per_prefill * prefill + per_decode * decode + per_kv * read,
            "growth": per_kv * (prefill + decode),
            "prefill": prefill,
            "decode": decode,
            "running": decode + prompts,
            "waiting": np.searchsorted(self._arrivals, start, "right") - head,
            "emitted": decode + fresh,
            "slots": pool * (read + prefill + decode),  # whoever runs has positions
            "slot_growth": pool * (prefill + decode),
        }

    def _prompts(self, first: Ints) -> tuple[Ints, Ints, Ints]:
        """By stretch: how many have prompt positions, how many, the place of the queue's head."""
        place, begun, _, amount = self._chunks
        past = np.searchsorted(begun, first, "right")  # chunks begun with the stretch, or before
        given = np.concatenate([[0], np.cumsum(amount)])[past]
        sizes = np.diff([ride.rows for ride in self.rides] + [len(first)])
        opened = np.repeat([ride.head for ride in self.rides], sizes)
        heads = np.maximum(np.concatenate([[0], place + 1])[past], opened)
        return np.diff(past, prepend=0), np.diff(given, prepend=0), heads

    def _decoding(self, first: Ints) -> tuple[Ints, Ints]:
        """By stretch: how many decode, and how many have their first token."""
        opened, past, _, begun = self._decodes
        came = self._joins[1]
        size = len(first) + 1
        some = begun < past
        more, fewer, fresh = (
            np.bincount(np.searchsorted(first, rounds), minlength=size)[:-1]
            for rounds in (begun[some], past[some], came[came >= opened])
        )
        return np.cumsum(more - fewer), fresh

    @cached_property
    def _arrivals(self) -> Ints:
        """When each came, by place."""
        return np.array([request.arrival for request in self._state.arrivals], dtype=np.int64)

    @cached_property
    def _decodes(self) -> tuple[Ints, Ints, Ints, Ints]:
        """Of each in `joins`: first and past round of its ride, of its decodes in it."""
        sizes = np.diff(self._joins_before)
        opened = np.repeat(self._firsts, sizes)
        _, first, past = self._joins
        past = np.minimum(past, np.repeat([ride.past for ride in self.rides], sizes))
        begun = np.minimum(np.maximum(first + 1, opened), past)
        return opened, past, np.maximum(first, opened), begun

    def work_rows(self) -> Ints:
        """All work as rows of `Runs`."""
        place, first, count, amount = self._chunks
        owner, ones = self._order[place], np.ones_like(place)
        _, past, _, begun = self._decodes
        size = past - begun
        some = size > 0
        one = np.ones_like(size)
        decodes = self._order[self._joins[0]], begun, size, one, one - 1
        prefills = np.stack([owner, first, count, amount, ones], axis=1)
        return np.concatenate([prefills, np.stack(decodes, axis=1)[some]])

    def token_rows(self) -> Ints:
        """All tokens as rows of `Runs`."""
        _, past, begun, _ = self._decodes
        one = np.ones_like(past)
        columns = self._order[self._joins[0]], begun, past - begun, one, one - 1
        return np.stack(columns, axis=1)

    def first_rounds(self, known: Ints) -> Ints:
        """The first round of each request, given those of the scheduler's own rounds."""
        place, first, *_ = self._chunks
        result = known.copy()
        np.minimum.at(result, self._order[place], first)
        return result

    # Blocks.

    def used(self, rounds: int) -> Ints:
        """KV blocks taken in each round of the rides, 0 in the other rounds."""
        change = self._prefill_blocks(rounds + 1) + self._decode_blocks(rounds + 1)
        pasts = [ride.past for ride in self.rides]
        change[pasts] -= np.diff(np.cumsum(change)[pasts], prepend=0)  # of a prompt under way
        used: Ints = np.cumsum(change)[:rounds]
        return used

    def _prefill_blocks(self, size: int) -> Ints:
        """Taken by prompts: those of tokens there before, and what their chunks take."""
        place, first, count, amount = self._chunks
        block = self._state.scenario.setup.block_size
        base = np.array([r.cached for r in self._state.arrivals], dtype=np.int64)[place]
        begins = np.diff(place, prepend=-1) != 0
        for ride, row in zip(self.rides, self._chunks_before, strict=False):
            if ride.place >= 0:  # its prompt goes on here
                begins[row], base[row] = True, ride.done
        total = np.cumsum(count * amount) - count * amount
        group = np.flatnonzero(begins)[np.cumsum(begins) - 1]
        tokens = base[group] + total - total[group]  # before each run
        had = np.bincount(first[begins], blocks_of(base[begins], block), size)
        return had.astype(np.int64) + taken_by_chunks(first, count, amount, tokens, block, size)

    def _decode_blocks(self, size: int) -> Ints:
        """Taken by decodes: what who was at it had, what it takes; and all given back at last."""
        place, first, _ = self._joins
        block = self._state.scenario.setup.block_size
        opened, past, _, begun = self._decodes
        tokens = np.array([r.prompt for r in self._state.arrivals], dtype=np.int64)[place]
        tokens += begun - first - 1
        count = past - begun
        was = first < opened
        had = np.bincount(begun[was], blocks_of(tokens[was], block), size)
        gone = np.bincount(past, blocks_of(tokens + count, block), size)
        taken = taken_by_decodes(begun, count, tokens, block, size)
        return taken + (had - gone).astype(np.int64)

    # States.

    def ride_before(self, round_: int) -> Ride | None:
        """The last ride that began by a round."""
        number = bisect_right(self._firsts, round_) - 1
        return self.rides[number] if number >= 0 else None

    def state_before(self, round_: int, now: int) -> State:
        """The state in which a round of a ride, or the one right after it, is planned.

        Args:
            round_: the round.
            now: when it starts.
        """
        number = bisect_right(self._firsts, round_) - 1
        ride = self.rides[number]
        low, high = self._joins_before[number : number + 2]
        place, first, past = self._joins[:, low:high]
        begun = first < round_
        some = np.flatnonzero(begun & (past > round_))
        going = dict(zip(place[some].tolist(), (round_ - first[some]).tolist(), strict=True))
        last, done = self._prompt_before(number, round_)
        joined = np.count_nonzero(begun)  # the first so many: prompts end in order of arrival
        if last > (place[joined - 1] if joined else -1):
            going[last] = 0
        state = self._state.blank()
        requests, indices = state.arrivals, state.indices
        state.running = [seated(Sequence(indices[i], requests[i]), going[i], done) for i in going]
        state.now, state.round = now, round_
        state.arrived = max(ride.head, last + 1)
        state.used = blocks_taken(state)
        state.collect()
        return state

    def _prompt_before(self, number: int, round_: int) -> tuple[int, int]:
        """The last request that had prompt positions in a ride by then; tokens computed of it."""
        ride = self.rides[number]
        low, high = self._chunks_before[number : number + 2]
        place, first, count, amount = self._chunks[:, low:high]
        past = int(np.searchsorted(first, round_))
        last = int(place[past - 1]) if past else ride.place
        own = slice(int(np.searchsorted(place, last)), past)
        done = int((np.minimum(count[own], round_ - first[own]) * amount[own]).sum())
        base = ride.done if last == ride.place else self._state.arrivals[last].cached
        return last, base + done
