"""A history in the Trace Event Format, which Perfetto and chrome://tracing draw.

The format is a list of events with times in microseconds. A lane is a process of it; its first
thread has the rounds, the others the requests in list order. What a request got in a round is one
complete event ("X"); what kept it from getting anything is one as long as the reason stays the
same. Arrivals, evictions and departures before the last token are instants ("i"), queue lengths and
blocks counters ("C"). A tick is drawn as a millisecond. Every round is replayed, and a request that
runs has an event a round: bound the size before asking.

Three things are as Perfetto's importer (src/trace_processor/importers) wants them. It looks threads
up by number alone, and its older versions take 0 for another: so no number is given twice, and
none is 0. The thread with the number of its process is the main one and stands first: so the rounds
have it. Fractions of a microsecond are cut off by way of a float, which may make two neighbours
overlap: so times are whole, and what is shorter than a microsecond has no length.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from sim.history import History
from sim.record import Round
from sim.sequence import Status

Event = dict[str, Any]

_US_PER_TICK = 1_000
_NS_PER_US = 1_000
_NOT_ARRIVED = "not_arrived"  # it came during a round, and nobody joins before its end


def to_chrome(*histories: History, names: Sequence[str] = ()) -> dict[str, Any]:
    """One or more runs on one clock, as an object to be written as JSON.

    Args:
        histories: a lane each, one below the other in this order.
        names: of the lanes; without them they are told by scenario and mode.
    """
    events: list[Event] = []
    number = 1
    for history, name in zip_longest(histories, names):
        lane = _Process(history, number, name)
        events += lane.events()
        number += 1 + len(lane.threads)
    return {"traceEvents": events}


@dataclass(slots=True)
class _Hold:
    """Rounds one after another in which a request got nothing, for one reason.

    Time in which nothing runs may lie between them.
    """

    name: str
    reason: str
    start: int
    end: int
    rounds: list[int]  # the first and the last


class _Process:
    """The events of one lane. Its number is that of its first thread, too: the rounds."""

    def __init__(self, history: History, number: int, name: str | None) -> None:
        self.history = history
        self.number = number
        self.name = name
        self.setup = history.scenario.setup
        ids = [request.id for request in history.scenario.requests]
        self.threads = {id_: thread for thread, id_ in enumerate(ids, number + 1)}
        came = zip(ids, history.arrivals.tolist(), strict=True)
        self.arrivals = {id_: time for id_, time in came if time >= 0}
        self.unseen = dict(self.arrivals)
        self.holds: dict[str, _Hold] = {}

    def events(self) -> Iterator[Event]:
        """Names and single moments first, then everything round by round."""
        yield from self._names()
        for id_, time in self.arrivals.items():
            yield self._instant("arrival", id_, time)
        left = zip(self.threads, self.history.states, self.history.ended_at.tolist(), strict=True)
        for id_, how, time in left:
            if how.has_left and how is not Status.FINISHED:
                yield self._instant(str(how), id_, time)
        end = 0
        for record in self.history:
            yield from self._round(record)
            end = record.end
        for id_ in list(self.holds):
            yield self._closed(id_)
        yield from self._counters(end, 0, 0, 0)

    def _names(self) -> Iterator[Event]:
        title = ", ".join(filter(None, (self.history.scenario.name, self.name or self.setup.mode)))
        yield self._event("M", "process_name", self.number, args={"name": title})
        yield self._event("M", "process_sort_index", self.number, args={"sort_index": self.number})
        for name, thread in (("rounds", self.number), *self.threads.items()):
            yield self._event("M", "thread_name", thread, args={"name": name})
            yield self._event("M", "thread_sort_index", thread, args={"sort_index": thread})

    def _round(self, record: Round) -> Iterator[Event]:
        title = f"round {record.number}"
        yield self._span(title, self.number, record.start, record.end, _told(record))
        for id_ in record.preempted:
            yield self._instant("preempted", id_, record.start)
        yield from self._first_seen(record)
        yield from self._held(record)
        for id_, tokens in record.given.items():
            name = "prefill" if id_ in record.prefilling else "decode"
            args = _work(record, id_, tokens)
            yield self._span(name, self.threads[id_], record.start, record.end, args)
        used = record.used or 0
        yield from self._counters(record.start, len(record.running), len(record.queue), used)

    def _first_seen(self, record: Round) -> Iterator[Event]:
        """Who came during the round before, and could not join it."""
        for id_ in [id_ for id_ in (*record.given, *record.why) if id_ in self.unseen]:
            arrival = self.unseen.pop(id_)
            if arrival < record.start:
                args = {"reason": _NOT_ARRIVED}
                yield self._span("waiting", self.threads[id_], arrival, record.start, args)

    def _held(self, record: Round) -> Iterator[Event]:
        """Closes what is over, and goes on with or opens what holds in this round."""
        now = {
            id_: ("held" if id_ in record.running else "waiting", str(reason))
            for id_, reason in record.why.items()
        }
        now |= {id_: ("idle seat", "") for id_ in record.idle if id_ not in now}
        for id_, hold in list(self.holds.items()):
            if now.get(id_) != (hold.name, hold.reason):
                yield self._closed(id_)
        for id_, (name, reason) in now.items():
            opened = _Hold(name, reason, record.start, record.end, [record.number] * 2)
            hold = self.holds.setdefault(id_, opened)
            hold.end, hold.rounds[1] = record.end, record.number

    def _closed(self, id_: str) -> Event:
        hold = self.holds.pop(id_)
        args: dict[str, Any] = {"reason": hold.reason} if hold.reason else {}
        args |= dict(zip(("first_round", "last_round"), hold.rounds, strict=True))
        return self._span(hold.name, self.threads[id_], hold.start, hold.end, args)

    def _counters(self, time: int, running: int, waiting: int, used: int) -> Iterator[Event]:
        values = {"requests": {"running": running, "waiting": waiting}}
        if self.setup.num_blocks is not None:
            values["blocks"] = {"used": used}
        for name, series in values.items():
            yield self._event("C", name, self.number, ts=self._us(time), args=series)

    def _span(self, name: str, thread: int, start: int, end: int, args: Event) -> Event:
        length = self._us(end) - self._us(start)
        return self._event("X", name, thread, ts=self._us(start), dur=length, args=args)

    def _instant(self, name: str, id_: str, time: int) -> Event:
        return self._event("i", name, self.threads[id_], ts=self._us(time), s="t")

    def _event(self, kind: str, name: str, thread: int, **more: Any) -> Event:
        return {"ph": kind, "name": name, "pid": self.number, "tid": thread, **more}

    def _us(self, time: int) -> int:
        """Internal time in whole microseconds."""
        return time * _US_PER_TICK if self.setup.time == "tick" else time // _NS_PER_US


def _told(record: Round) -> Event:
    """What a round is made of, under the names of the JSON output."""
    args: Event = {
        "P": record.prefill,
        "D": record.decode,
        "V": record.drafts,
        "K": record.kv_read,
        "padding": record.padding + record.bucket_padding,
        "idle": len(record.idle),
    }
    return args if record.used is None else args | {"used": record.used}


def _work(record: Round, id_: str, tokens: int) -> Event:
    """What a request got in a round, and why no more if it could have used more."""
    args: Event = {"round": record.number, "tokens": tokens}
    if id_ in record.pads:
        args["padding"] = record.pads[id_]
    if id_ in record.cut:
        args["reason"] = str(record.cut[id_])
    if id_ in record.tokens:
        args["emitted"] = record.tokens[id_]
    if id_ in record.finished:
        args["finished"] = True
    return args
