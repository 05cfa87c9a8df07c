"""Tables of a lane with a request a row, after every round: for runs small enough to be read."""

from bisect import bisect_right
from collections.abc import Callable
from typing import Any

from app.lanes import Lane
from app.speech import number
from sim import Round, Status
from sim.clock import to_shown
from sim.metrics import RequestMetrics

Known = dict[str, tuple[Status, int, int]]  # by id: state, computed, emitted
Say = Callable[[str], str]


class Latencies:
    """TTFT, longest gap and E2E of one request as of any time."""

    def __init__(self, final: RequestMetrics) -> None:
        self.final = final
        self.times = sorted(set(final.outputs))  # tokens of one round are one time
        self.longest: list[float] = []  # of the first gap, of the first two, ...
        for gap in final.itl:
            self.longest.append(max(gap, self.longest[-1] if self.longest else gap))

    def as_of(self, time: float) -> list[float | None]:
        """What is known at a time in ms or ticks; None where there is nothing yet."""
        seen = bisect_right(self.times, time)
        return [
            self.final.ttft if seen else None,
            self.longest[seen - 2] if seen > 1 else None,
            self.final.e2e if seen == len(self.times) else None,
        ]


def tables(
    lane: Lane, records: list[Round], listed: list[int], span: tuple[int, int], say: Say
) -> dict[str, Any]:
    """State and latencies of the listed requests, at the start and after every round.

    Args:
        lane: whose rounds they are.
        records: all rounds.
        listed: requests by index, a row each.
        span: the first and the last time shown, internal units; after the last round everybody
            who still leaves has left.
        say: a sentence of the catalogue by its key.
    """
    unit = lane.history.scenario.setup.time
    start, end = span
    requests = lane.history.scenario.requests
    known: Known = {r.id: (Status.WAITING, r.cached, 0) for r in requests}
    latencies = [Latencies(lane.final.request(index)) for index in listed]
    rows, first = [], _states(lane, known, listed, start, say)
    for record in records:
        for id_, now in record.after.items():
            known[id_] = (now.status, now.computed, now.emitted)
        _leave(known, record.departed)
        rows.append(_states(lane, known, listed, record.end, say))
    _leave(known, {requests[index].id: how for index, how in lane.untold})
    last = _states(lane, known, listed, end, say)
    if rows:
        rows[-1] = last
    head = ("arrival", "left", "computed", "out", "state")
    times = [to_shown(record.end, unit) for record in records]
    return {
        "state": {
            "head": [say(f"state.{name}") for name in head],
            "rows": rows,
            "start": first if rows else last,
        },
        "per_request": {
            "rows": [[one.as_of(time) for one in latencies] for time in times],
            "start": [one.as_of(-1) for one in latencies],
            "final": [one.as_of(to_shown(end, unit)) for one in latencies],
        },
    }


def _leave(known: Known, departed: Any) -> None:
    for id_, how in departed.items():
        known[id_] = (how, *known[id_][1:])


def _states(lane: Lane, known: Known, listed: list[int], time: int, say: Say) -> list[list[str]]:
    rows = []
    for index in listed:
        request = lane.history.scenario.requests[index]
        arrival = int(lane.arrivals[index])
        status, computed, emitted = known[request.id]
        rows.append(
            [
                number(to_shown(arrival, lane.history.scenario.setup.time)),
                f"{max(0, request.prompt - computed):,}",
                f"{computed:,}",
                f"{emitted:,} / {request.output:,}",
                say(f"state.{status if arrival <= time else 'absent'}"),
            ]
        )
    return rows
