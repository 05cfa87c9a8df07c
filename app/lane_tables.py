"""Tables of a lane with a request a row, after every round: for runs small enough to be read.

Only what a round changes is sent; the browser puts it on top of what it has. The state table has
two steps more in each round, for slow motion: who has come and gone by its start, and how all
stand as scheduled, before any output.
"""

from bisect import bisect_right
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from app.lanes import Lane
from app.roster import Rows
from sim import Round, Status
from sim.clock import to_shown
from sim.metrics import RequestMetrics

ABSENT = "absent"
ELSEWHERE = "elsewhere"  # only other lanes have this request
STATES = (*Status, ABSENT, ELSEWHERE)
PER_REQUEST = ("queue", "ttft", "mean_itl", "max_itl", "tpot", "e2e")

Row = tuple[int, int, str]  # computed, emitted, state
Known = dict[str, tuple[Status, int, int]]  # by id: state, computed, emitted
Say = Callable[[str], str]


class Latencies:
    """The latencies of one request as of any time.

    Args:
        final: its metrics.
        begun: when its first round begins, in ms or ticks; None: it has none.
    """

    def __init__(self, final: RequestMetrics, begun: float | None) -> None:
        self.final = final
        self.begun = begun
        self.times = sorted(set(final.outputs))  # tokens of one round are one time
        self.longest: list[float] = []  # of the first gap, of the first two, ...
        for gap in final.itl:
            self.longest.append(max(gap, self.longest[-1] if self.longest else gap))

    def as_of(self, time: float) -> list[float | None]:
        """What is known at a time in ms or ticks, as `PER_REQUEST`; None: nothing yet."""
        final, seen = self.final, bisect_right(self.times, time)
        is_admitted = self.begun is not None and self.begun < time
        return [
            final.queue if is_admitted else None,
            final.ttft if seen else None,
            _mean(self.times[seen - 1] - self.times[0], seen - 1) if seen > 1 else None,
            self.longest[seen - 2] if seen > 1 else None,
            self._tpot(time),
            final.e2e if seen == len(self.times) else None,
        ]

    def _tpot(self, time: float) -> float | None:
        outputs = self.final.outputs
        sent = bisect_right(outputs, time)
        return _mean(outputs[sent - 1] - outputs[0], sent - 1) if sent > 1 else None


def _mean(total: float, count: int) -> float:
    return round(total / count, 6)


def tables(
    lane: Lane, records: list[Round], listed: Rows, span: tuple[int, int], say: Say
) -> dict[str, Any]:
    """State and latencies of the listed requests, at the start and what each round changes.

    Args:
        lane: whose rounds they are.
        records: all rounds.
        listed: requests by index, a row each; None: the lane has none there.
        span: the first and the last time shown, internal units; after the last round everybody
            who still leaves has left.
        say: a sentence of the catalogue by its key.
    """
    return {
        "state": _state(lane, records, listed, span, say),
        "per_request": _per_request(lane, records, listed, span[1]),
    }


def _per_request(lane: Lane, records: list[Round], listed: Rows, end: int) -> dict[str, Any]:
    unit = lane.history.scenario.setup.time
    starts, first_rounds = lane.history.starts, lane.history.first_rounds

    def latencies_of(index: int) -> Latencies:
        first = int(first_rounds[index])
        begun = None if first < 0 else to_shown(int(starts[first]), unit)
        return Latencies(lane.final.request(index), begun)

    latencies = [None if index is None else latencies_of(index) for index in listed]
    times = [to_shown(record.end, unit) for record in records]

    def as_of(time: float) -> list[list[float | None]]:
        return [one.as_of(time) if one else [None] * len(PER_REQUEST) for one in latencies]

    rows = [as_of(time) for time in (-1, *times)]
    return {
        "start": rows[0],
        "changes": _changes(rows),
        "final": as_of(to_shown(end, unit) + 1),
    }


def _state(
    lane: Lane, records: list[Round], listed: Rows, span: tuple[int, int], say: Say
) -> dict[str, Any]:
    unit = lane.history.scenario.setup.time
    view = _States(lane, listed)
    rows = [view.rows(span[0])]
    collected, scheduled = [], []
    for record in records:
        view.leave(record.departed)
        gathered = view.rows(record.start)
        collected.append(_change(rows[-1], gathered))
        planned = view.scheduled(record, gathered)
        scheduled.append(_change(gathered, planned))
        view.follow(record)
        rows.append(view.rows(record.end))
    requests = lane.history.scenario.requests
    view.leave({requests[index].id: how for index, how in lane.untold})
    is_before = not records and lane.spec.hand is not None  # by hand, and no round is given yet
    rows[-1] = view.rows(span[0] if is_before else span[1])
    head = ("arrival", "left", "computed", "out", "state")
    return {
        "head": [say(f"state.{name}") for name in head],
        "names": {str(state): say(f"state.{state}") for state in STATES},
        "arrivals": [
            -1 if index is None else to_shown(int(lane.arrivals[index]), unit) for index in listed
        ],
        "start": rows[0],
        "changes": _changes(rows),
        "collected": collected,
        "scheduled": scheduled,
    }


class _States:
    """How everyone stands, as the rounds go by."""

    def __init__(self, lane: Lane, listed: Rows) -> None:
        requests = lane.history.scenario.requests
        self.known: Known = {r.id: (Status.WAITING, r.cached, 0) for r in requests}
        self.listed = [
            None if index is None else (requests[index].id, int(lane.arrivals[index]))
            for index in listed
        ]

    def leave(self, departed: Any) -> None:
        """Some have left."""
        for id_, how in departed.items():
            self.known[id_] = (how, *self.known[id_][1:])

    def follow(self, record: Round) -> None:
        """A round is over."""
        for id_, now in record.after.items():
            self.known[id_] = (now.status, now.computed, now.emitted)
        self.leave(record.departed)

    def rows(self, time: int) -> list[Row]:
        """A row for each of those listed, as of a time."""
        found = []
        for one in self.listed:
            if one is None:
                found.append((0, 0, ELSEWHERE))
                continue
            id_, arrival = one
            status, computed, emitted = self.known[id_]
            found.append((computed, emitted, str(status) if arrival <= time else ABSENT))
        return found

    def scheduled(self, record: Round, rows: list[Row]) -> list[Row]:
        """The rows once the round's plan stands: who joined, and who lost its place."""
        served = {*record.admitted, *record.resumed, *record.given}
        found = []
        for one, row in zip(self.listed, rows, strict=True):
            id_ = one[0] if one else ""
            computed, emitted, state = row
            if id_ in record.preempted:
                now = record.after[id_]
                computed, state = now.computed, str(now.status)
            elif id_ in served:
                is_prefill = id_ in record.prefilling or id_ in record.pads
                state = str(Status.PREFILL if is_prefill else Status.DECODE)
            found.append((computed, emitted, state))
        return found


def _changes(rows: list[Any]) -> list[list[list[Any]]]:
    """What each list of rows has that the one before it had not."""
    return [_change(before, now) for before, now in pairwise(rows)]


def _change(before: Any, now: Any) -> list[list[Any]]:
    """Rows that differ, each behind its place."""
    pairs = enumerate(zip(before, now, strict=True))
    return [[place, *new] for place, (old, new) in pairs if old != new]
