"""The loop of the express lane: rounds in which nothing has to be decided, in plain numbers.

A ride goes prompt by prompt: rounds of decodes alone until the head of the queue is there and has a
seat, rounds full of its chunks, and the round of its last chunk, in which those behind it may come
in too. It ends before the first round in which a rule would have to decide. Between two moments at
which somebody comes, ends, or has its prompt done all rounds are alike and pass at once.

What it takes for granted is what the lane makes sure of: nobody who runs ever lacks a block, and a
prompt gets whatever the decodes leave. It knows no reason and refuses nobody.
"""

from collections.abc import Sequence
from heapq import heappop, heappush

from sim.engine import rounds_before, span
from sim.rides import prices
from sim.setup import Request, Setup

NEVER = 1 << 80  # later, and more, than anything


class Drive:
    """A server at the boundary of a round, for as long as it is driven.

    Requests go by place in order of arrival. Every round passes here, so all that moves are
    numbers, in slots and flat lists: `Rides` says what the lists hold.
    """

    __slots__ = (
        *("budget", "seats", "fit", "base", "per_prefill", "per_decode", "per_kv"),
        *("times", "prompts", "outputs", "cached", "finals", "holds", "bits", "mask"),
        *("rows", "chunks", "joins"),
        *("now", "at", "head", "place", "left", "done"),
        *("ends", "until", "decodes", "reads", "held"),
    )

    def __init__(self, setup: Setup, requests: Sequence[Request]) -> None:
        self.budget, self.seats = setup.budget, setup.max_num_seqs
        self.fit = NEVER if setup.num_blocks is None else setup.num_blocks - setup.watermark
        self.base, self.per_prefill, self.per_decode, self.per_kv = prices(setup)
        self.times = [r.arrival for r in requests] + [NEVER]
        self.prompts = [r.prompt for r in requests]
        self.outputs = [r.output for r in requests]
        self.cached = [r.cached for r in requests]
        self.finals = [r.prompt + r.output - 1 for r in requests]  # tokens computed at its end
        self.holds = [-(-tokens // setup.block_size) for tokens in self.finals]
        self.bits = len(requests).bit_length()
        self.mask = (1 << self.bits) - 1
        self.rows: list[int] = []
        self.chunks: list[int] = []
        self.joins: list[int] = []
        self.now = self.at = 0  # time and round
        self.head = 0  # first in the queue
        self.place, self.left, self.done = -1, 0, 0  # prompt under way: still to come, computed
        self.ends: list[int] = []  # heap: round after the last token and place, in one number
        self.until = NEVER  # the first of those rounds
        self.decodes = self.reads = 0  # how many decode, tokens they have
        self.held = 0  # blocks all who run will hold at their ends

    def go(self) -> None:
        """Drive until a round has to be decided on, or all are done."""
        while self.decodes < self.budget and (self.left or (self._wait() and self._seat())):
            self._chunks()
            if not self._last():
                break
        if self.left and self.done == self.cached[self.place]:
            self.left, self.head = 0, self.place  # it was to come in with the next round

    # A prompt. A step that may end the ride says whether it goes on.

    def _wait(self) -> bool:
        """Rounds of decodes alone until the head of the queue is there and has a seat."""
        seats, comes = self.seats, self.times[self.head]
        while True:
            if self.decodes >= seats:
                self._pass(self.until - self.at, 0, self.reads)
            elif comes <= self.now:
                return True
            elif self.decodes:
                self._pass(self.until - self.at, 0, self.reads, comes)
            elif comes < NEVER:
                self.now = comes
            else:
                return False

    def _seat(self) -> bool:
        """The head comes in, unless blocks might not do or all its prompt is there already."""
        head = self.head
        held, done = self.held + self.holds[head], self.cached[head]
        left = self.prompts[head] - done
        if not left or held > self.fit:
            return False
        self.place, self.left, self.done = head, left, done
        self.head, self.held = head + 1, held
        return True

    def _chunks(self) -> None:
        """Chunks of all the budget that decodes leave, until the rest fits into one round."""
        while (left := self.left) > (room := self.budget - self.decodes):
            at, done = self.at, self.done
            count = (left - 1) // room
            if count > self.until - at:
                count = self.until - at
            self.chunks += (self.place, at, count, room)
            self.left, self.done = left - room * count, done + room * count
            self._pass(count, room, self.reads + done)

    def _last(self) -> bool:
        """The last chunk; with others behind it where budget, seats and the queue let them."""
        place, left, decodes = self.place, self.left, self.decodes
        has_room = left + decodes < self.budget and decodes + 1 < self.seats
        if has_room and self.times[self.head] <= self.now:
            return self._last_and_others()
        self.chunks += (place, self.at, 1, left)
        self.left = 0
        self._pass(1, left, self.reads + self.done)
        self._join(place)
        return True

    def _last_and_others(self) -> bool:
        """The last chunk, and from the head of the queue what fits behind it."""
        before = place, left, done, _ = self.place, self.left, self.done, self.head
        room, seats = self.budget - self.decodes, self.seats - self.decodes
        fresh, prefill, read = [place], left, self.reads + done
        chunks = [place, self.at, 1, left]
        while prefill < room and len(fresh) < seats and self.times[self.head] <= self.now:
            if not self._seat():
                self.place, self.left, self.done, self.head = before
                return False
            amount = min(self.left, room - prefill)
            chunks += (self.place, self.at, 1, amount)
            prefill += amount
            read += self.done
            self.left -= amount
            self.done += amount
            if not self.left:
                fresh.append(self.place)
        self.chunks += chunks
        self._pass(1, prefill, read)
        for place in fresh:
            self._join(place)
        return True

    # Rounds.

    def _pass(self, count: int, prefill: int, read: int, comes: int = NEVER) -> None:
        """So many equal rounds go by, or fewer if somebody comes.

        Args:
            count: rounds, at most those until somebody ends.
            prefill: prompt positions of each.
            read: tokens read in the first one.
            comes: when one comes who is to be let in.
        """
        at, now, decodes, per_kv = self.at, self.now, self.decodes, self.per_kv
        self.rows += (at, now, read)
        duration = self.base + self.per_prefill * prefill
        duration += self.per_decode * decodes + per_kv * read
        growth = per_kv * (prefill + decodes)
        end = now + span(count, duration, growth)
        if end > comes:
            count = rounds_before(comes - now, duration, growth)
            end = now + span(count, duration, growth)
        self.now = end
        self.reads += decodes * count
        self.at = at = at + count
        while self.until <= at:  # whoever has its last token goes
            place = heappop(self.ends) & self.mask
            self.until = self.ends[0] >> self.bits
            self.decodes -= 1
            self.reads -= self.finals[place]
            self.held -= self.holds[place]

    def _join(self, place: int) -> None:
        """Its first token came out with the last round: it decodes from now on, if it goes on."""
        past = self.at - 1 + self.outputs[place]
        self.joins += (place, self.at - 1, past)
        if past == self.at:
            self.held -= self.holds[place]
            return
        heappush(self.ends, past << self.bits | place)
        self.decodes += 1
        self.reads += self.prompts[place]
        if past < self.until:
            self.until = past
