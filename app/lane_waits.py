"""Who waits in one lane and window, who is out after an eviction, and what happens to each when."""

from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from app.lanes import Lane, Window
from app.sentences import Teller
from sim import Round, Status
from sim.clock import to_shown
from sim.history import Ints

Payload = dict[str, Any]

_LEAVES: dict[
    str, tuple[str, str]
] = {  # words of a wait that ends without a round: after some time, at once
    Status.CANCELLED: ("lane.leaves", "lane.leaves_at_once"),
    Status.TIMED_OUT: ("lane.leaves", "lane.leaves_at_once"),
    Status.REJECTED: ("lane.turned_away", "lane.turned_away"),
}


class Waits:
    """Waits, gaps and events of one lane in one window.

    Args:
        lane: the lane.
        window: the window.
        records: its rounds.
        teller: says what they are.
        before: the round before them, if there is one.
    """

    def __init__(
        self,
        lane: Lane,
        window: Window,
        records: list[Round],
        teller: Teller,
        before: list[Round],
    ) -> None:
        self.lane, self.history, self.window = lane, lane.history, window
        self.records, self.teller, self._before = records, teller, before

    def _shown(self, time: int) -> float:
        return to_shown(time, self.history.scenario.setup.time)

    def waits(self, listed: list[int], place: dict[int, int]) -> list[Payload]:
        """From each arrival to the first round, or to leaving without one; open when out of sight.

        `end` says what ends the wait: `joins`, or how it leaves.
        """
        waits = []
        window, arrivals, first = self.window, self.lane.arrivals, self.history.first_rounds
        for index in listed:
            arrival, joins = int(arrivals[index]), first[index] >= 0
            until = int(
                self.history.starts[first[index]] if joins else self.history.ended_at[index]
            )
            if arrival > window.end or until < window.start or self._is_to_come(index):
                continue
            if joins and arrival == until == window.start:  # seated from the very start
                continue
            is_here = self.lane.here[index]  # in a run by hand, which may let it in
            end = "joins" if joins or is_here else str(self.history.states[index])
            is_new = is_here and not joins and until == arrival
            waits.append(
                {
                    "req": place[index],
                    "t0": self._shown(arrival),
                    "t1": self._shown(until) if until <= window.end else None,
                    "text": "" if is_new else self._wait_text(index, end, until - arrival),
                    "end": end,
                }
            )
        return waits

    def _is_to_come(self, index: int) -> bool:
        """Whether a run by hand has not come to its arrival yet."""
        return self.lane.here[index] and int(self.lane.arrivals[index]) > self.lane.end

    def _wait_text(self, index: int, end: str, waited: int) -> str:
        keys = ("lane.waits", "lane.at_once") if end == "joins" else _LEAVES[end]
        id_ = self.history.scenario.requests[index].id
        time = self.teller.roughly(waited)
        return self.teller.say(keys[not waited], id=id_, time=time)

    def events(self, index: int) -> list[tuple[int, str]]:
        """What happens to a request in the window: time and kind.

        Its first sent token, its end (`finish`, or how it left), each eviction (`preempted`), and
        in a closed loop its arrival.
        """
        outputs, window = self.lane.final.outputs, self.window
        events = [(time, "preempted") for time in self._evictions.get(index, ())]
        if self.history.scenario.setup.concurrency is not None:
            arrival = int(self.lane.arrivals[index])
            if window.start <= arrival <= window.end:
                events.append((arrival, "arrival"))
        state = self.history.states[index]
        ends = [(int(self.history.ended_at[index]), str(state))]
        if self.lane.here[index]:
            ends = []
        if state is Status.FINISHED:
            ends = [(ends[0][0], "finish")]
        if outputs.sent[index]:
            ends.insert(0, (int(outputs.first_times[index]), "first"))
        edge = window.start or -1  # the left edge of a later window is one of the window before
        return events + [(time, kind) for time, kind in ends if edge < time <= window.end]

    def queue(self) -> Payload:
        """How many wait, as steps: from each arrival on, and as scheduled at each round's start."""
        window = self.window
        marks = [(record.start, len(record.queue)) for record in (*self._before, *self.records)]
        if not self._before:
            marks.insert(0, (window.start - 1, 0))
        past = min(window.end, self.lane.end) + 1
        steps: dict[int, int] = {}
        for (since, n), (until, _) in pairwise([*marks, (past, 0)]):
            steps[max(since, window.start)] = n
            for time, change in self._changes(since, until):
                n += change
                steps[time] = n
        return {"t": [self._shown(time) for time in steps], "n": [*steps.values()]}

    def _changes(self, since: int, until: int) -> list[tuple[int, int]]:
        """Who comes, and who gives up without a round, between two times."""
        arrivals, left = self._comings, self._leavings
        came = arrivals[
            np.searchsorted(arrivals, since, "right") : np.searchsorted(arrivals, until)
        ]
        gone = left[np.searchsorted(left, since, "right") : np.searchsorted(left, until)]
        return sorted([(int(t), 1) for t in came] + [(int(t), -1) for t in gone])

    @cached_property
    def _comings(self) -> Ints:
        return np.sort(self.lane.arrivals)

    @cached_property
    def _leavings(self) -> Ints:
        """When those leave who never had a round."""
        gone = (self.history.first_rounds < 0) & ~np.array(self.lane.here, dtype=bool)
        return np.sort(np.asarray(self.history.ended_at)[gone])

    @cached_property
    def _evictions(self) -> dict[int, list[int]]:
        """When each request is evicted, by index."""
        times: dict[int, list[int]] = {}
        for record in self.records:
            for id_ in record.preempted:
                times.setdefault(self.teller.index[id_], []).append(record.start)
        return times

    def gaps(self, seen: set[int], place: dict[int, int]) -> list[Payload]:
        """From each eviction until the request is back or has left; open when out of sight."""
        kind = "swapped" if self.history.scenario.setup.on_full == "swap" else "preempted"
        gaps: list[Payload] = []
        since: dict[str, Payload] = {}
        for i, record in enumerate(self.records):
            for id_ in [*since]:
                if id_ in record.running or id_ in record.departed:
                    since.pop(id_)["t1"] = self._shown(record.start)
            for id_ in self._out(record, seen) if i == 0 else record.preempted:
                if id_ in record.running or id_ in record.departed:  # back at once, or gone
                    continue
                gap = {
                    "req": place[self.teller.index[id_]],
                    "seat": self.lane.seats[self.teller.index[id_]],
                    "kind": kind,
                    "t0": self._shown(record.start),
                    "t1": None,
                    "text": self.teller.say(f"lane.out_{kind}", id=id_),
                }
                since[id_] = gap
                gaps.append(gap)
        for id_, gap in since.items():
            left = int(self.history.ended_at[self.teller.index[id_]])
            if left <= self.window.end:
                gap["t1"] = self._shown(left)
        return gaps

    def pauses(self, place: dict[int, int]) -> list[Payload]:
        """Who keeps a seat between two rounds, as its reader has not caught up."""
        found = []
        for before, after in pairwise(self.records):
            if before.end == after.start:
                continue
            running = set(before.running)
            for index in (self.teller.index[id_] for id_ in after.running if id_ in running):
                if self.history.scenario.requests[index].credits is not None:
                    times = {"t0": self._shown(before.end), "t1": self._shown(after.start)}
                    own = {"req": place[index], "seat": self.lane.seats[index]}
                    found.append({**own, "kind": "paused", **times, "text": ""})
        return found

    def _out(self, record: Round, seen: set[int]) -> list[str]:
        """Who is out of the running in the first round of a window, for the first time or still."""
        first = self.history.first_rounds
        known = [
            request.id
            for request in record.queue
            if 0 <= first[self.teller.index[request.id]] < record.number - 1
        ]
        in_sight = [id_ for id_ in known if self.teller.index[id_] in seen]
        return list(dict.fromkeys([*record.preempted, *in_sight]))


class Lost:
    """What evictions took away, to tell a prefill from one that repeats work.

    It sees the rounds of one window. Of an eviction before it nothing is known but that who has
    emitted and is in prefill must have been evicted.
    """

    def __init__(self, on_full: str) -> None:
        self._keeps = on_full == "swap"
        self._computed: dict[str, int] = {}
        self._peaks: dict[str, int] = {}

    def see(self, record: Round) -> None:
        """Take the next round in."""
        if self._keeps:
            return
        for id_ in record.preempted:
            self._peaks[id_] = max(self._peaks.get(id_, 0), self._computed.get(id_, 0))
        for id_ in record.prefilling | self._peaks.keys() | set(record.emitted):
            if id_ in record.after:
                self._computed[id_] = record.after[id_].computed

    def is_again(self, record: Round, id_: str) -> bool:
        """Whether a request's positions of this round had been computed before."""
        if self._keeps or id_ not in record.prefilling:
            return False
        after = record.after[id_]
        done = after.computed - record.given.get(id_, 0)
        has_emitted = after.emitted > record.tokens.get(id_, 0)
        return has_emitted or done < self._peaks.get(id_, 0)
