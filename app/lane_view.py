"""One lane in one window, as the browser reads it: rows, cells, cards and tables a round.

A pure function of the lane's history, the window and a language; `payload` puts lanes together.
"""

from functools import cached_property
from typing import Any

import numpy as np

from app.lanes import Lane, Window
from app.sentences import Teller, number
from sim import Round, Status
from sim.clock import to_shown
from sim.metrics import RequestMetrics

MOST_LISTED = 40  # requests in the state and per-request tables
MOST_BRICKS = 16  # entries of a round's strip kept apart; more are summed up by phase
SUMMED = -1  # owner of a summed strip entry

Payload = dict[str, Any]

OVERALL = (
    ("makespan", "time", 1, "less"),
    ("output_tps", "rate", 2, "more"),
    ("mean_ttft", "time", 2, "less"),
    ("max_itl", "time", 1, "less"),
    ("waste", "token", 0, "less"),
    ("tokens", "token", 0, "none"),
    ("finished", "requests", 0, "more"),
)


class LaneView:
    """One lane in one window."""

    def __init__(self, lane: Lane, window: Window, lang: str) -> None:
        self.lane, self.history, self.window = lane, lane.history, window
        self.scenario = lane.history.scenario
        self.unit = self.scenario.setup.time
        self.teller = Teller(lang, self.scenario)
        self.index = self.teller.index
        starts, ends = self.history.starts, self.history.ends
        self.first = int(np.searchsorted(ends, window.start, "right"))
        past = int(np.searchsorted(starts, window.end, "left"))
        self.records = self.history[self.first : past]

    @cached_property
    def seen(self) -> set[int]:
        """Requests that run in the window, arrive while it lasts, or stand first in its queue."""
        ids: set[str] = set()
        for record in self.records:
            ids.update(record.running, record.idle)
        for record in (*self.records[:1], *self.records[-1:]):
            ids.update(request.id for request in record.queue[:MOST_LISTED])
        return {self.index[id_] for id_ in ids}

    def shown(self, time: int) -> float:
        """An internal time as a number of the payload."""
        return to_shown(time, self.unit)

    def payload(self, listed: list[int], place: dict[int, int]) -> Payload:
        """The lane as the browser reads it."""
        key = self.lane.key
        setup = self.scenario.setup
        tables = self._tables(listed) if len(listed) <= MOST_LISTED and self.window.whole else {}
        return {
            "key": key,
            "title": self.teller.say(f"lane.{key}"),
            "short": self.teller.say(f"lane.{key}_short"),
            "rule": self.teller.say(f"lane.{key}_rule"),
            "budget": setup.budget,
            "pool": setup.num_blocks,
            "total_tokens": sum(request.output for request in self.scenario.requests),
            "num_rounds": len(self.history),
            "emitted_before": int(self.lane.progress.tokens[self.first - 1]) if self.first else 0,
            "rounds": self._rounds(),
            "num_seats": max(self.lane.seats) + 1,
            "waits": self._waits(listed, place),
            "runs": self._runs(place),
            "batches": self._batches(),
            "strip": [self._strip(record, place) for record in self.records],
            "cards": [self._card(record, place) for record in self.records],
            "before": self._plain_card("card.before"),
            "between": self._plain_card(
                "card.between_filling"
                if setup.mode == "static" and setup.batch_wait is not None
                else "card.between"
            ),
            "after": self._plain_card("card.after", time=self.teller.time(self._end())),
            **tables,
            "overall": self._overall(),
        }

    def _end(self) -> int:
        return int(self.history.ends[-1])

    def _rounds(self) -> dict[str, list[float]]:
        records = self.records
        tokens = self.lane.progress.tokens[self.first : self.first + len(records)]
        return {
            "number": [record.number for record in records],
            "start": [self.shown(record.start) for record in records],
            "end": [self.shown(record.end) for record in records],
            "P": [record.prefill for record in records],
            "D": [record.decode for record in records],
            "padding": [record.padding for record in records],
            "idle": [len(record.idle) for record in records],
            "waiting": [len(record.queue) for record in records],
            "used": [record.used or 0 for record in records],
            "emitted": [int(n) for n in tokens],
        }

    def _waits(self, listed: list[int], place: dict[int, int]) -> list[Payload]:
        """From each arrival to the start of the first round; open when that is not in sight."""
        waits = []
        for index in listed:
            request = self.scenario.requests[index]
            joins = int(self.history.starts[self.history.first_rounds[index]])
            if request.arrival > self.window.end or joins < self.window.start:
                continue
            if request.arrival == joins == self.window.start:  # seated from the very start
                continue
            waited = self.teller.duration(joins - request.arrival)
            key = "lane.waits" if joins > request.arrival else "lane.at_once"
            waits.append(
                {
                    "req": place[index],
                    "t0": self.shown(request.arrival),
                    "t1": self.shown(joins) if joins <= self.window.end else None,
                    "text": self.teller.say(key, id=request.id, time=waited),
                }
            )
        return waits

    def _runs(self, place: dict[int, int]) -> list[Payload]:
        """Equal rounds of a request in a row, as one rectangle or as many as the browser likes."""
        runs: list[Payload] = []
        last: dict[str, Payload] = {}
        for i, record in enumerate(self.records):
            for id_ in (*record.running, *record.idle):
                run = self._run(record, id_, i, place)
                before = last.get(id_)
                if before and _goes_on(before, run):
                    before["count"] += 1
                    before["finish"] = run["finish"]
                else:
                    runs.append(run)
                    last[id_] = run
        return runs

    def _run(self, record: Round, id_: str, i: int, place: dict[int, int]) -> Payload:
        index = self.index[id_]
        pad, given = record.pads.get(id_, 0), record.given.get(id_, 0)
        kind = "hold"
        if id_ in record.idle:
            kind = "idle"
        elif id_ in record.prefilling or pad:
            kind = "prefill"
        elif given:
            kind = "decode"
        return {
            "kind": kind,
            "req": place[index],
            "seat": self.lane.seats[index],
            "first": i,
            "count": 1,
            "n": given,
            "pad": pad,
            "token": record.after[id_].emitted if id_ in record.emitted else 0,
            "finish": id_ in record.finished,
        }

    def _batches(self) -> list[Payload]:
        if self.scenario.setup.mode != "static":
            return []
        past = self.first + len(self.records)
        return [
            {
                "first": max(first, self.first) - self.first,
                "count": min(last + 1, past) - max(first, self.first),
                "seats": members,
                "label": self.teller.say("lane.batch", number=number_),
            }
            for number_, (first, last, members) in enumerate(self.lane.batches, 1)
            if first < past and last >= self.first
        ]

    def _strip(self, record: Round, place: dict[int, int]) -> list[list[Any]]:
        """Who spent the budget, in that order; a crowd is summed up by phase."""
        entries: list[list[Any]] = []
        for id_ in (*record.given, *(id_ for id_ in record.pads if id_ not in record.given)):
            owner = place[self.index[id_]]
            if id_ in record.given:
                entries.append([owner, record.given[id_], "p" if id_ in record.prefilling else "d"])
            if id_ in record.pads:
                entries.append([owner, record.pads[id_], "pad"])
        entries += [[place[self.index[id_]], 1, "idle"] for id_ in record.idle]
        if len(entries) <= MOST_BRICKS:
            return entries
        sums: dict[str, int] = {}
        for _, n, phase in entries:
            sums[phase] = sums.get(phase, 0) + n
        return [
            [SUMMED, sums[phase], phase] for phase in ("d", "idle", "p", "pad") if phase in sums
        ]

    def _card(self, record: Round, place: dict[int, int]) -> Payload:
        card = self.teller.card(record)
        for line in card["lines"]:
            index = self.index[line["req"]]
            line["label"] = line["req"]
            line["req"] = place.get(index, SUMMED)
        return card

    def _plain_card(self, key: str, **values: object) -> Payload:
        return {"sum": "", "ms": "", "lines": [], "more": self.teller.say(key, **values)}

    def _overall(self) -> Payload:
        """Figures as of the end of each round, and at the end of the run."""
        columns = [self.lane.progress.columns[name] for name, *_ in OVERALL]
        past = self.first + len(self.records)
        rows = [[_figure(column[k]) for column in columns] for k in range(self.first, past)]
        start: list[float | None] = [None] * 4 + [0] * 3
        if self.first:
            start = [_figure(column[self.first - 1]) for column in columns]
        return {"rows": rows, "start": start, "final": [_figure(c[-1]) for c in columns]}

    # Tables of a request a row, for runs small enough to be read.

    def _tables(self, listed: list[int]) -> Payload:
        state, per_request = [], []
        known = {
            request.id: (Status.WAITING, request.cached, 0) for request in self.scenario.requests
        }
        finals = {index: self.lane.final.request(index) for index in listed}
        start = self._state(known, listed, self.window.start)
        for record in self.records:
            for id_, now in record.after.items():
                known[id_] = (now.status, now.computed, now.emitted)
            for id_, how in record.departed.items():
                known[id_] = (how, *known[id_][1:])
            state.append(self._state(known, listed, record.end))
            per_request.append(
                [_as_of(finals[i], known[self.scenario.requests[i].id][2]) for i in listed]
            )
        return {
            "state": {
                "head": [
                    self.teller.say(f"state.{name}")
                    for name in ("arrival", "left", "computed", "out", "state")
                ],
                "rows": state,
                "start": start,
            },
            "per_request": {
                "rows": per_request,
                "start": [_as_of(finals[i], 0) for i in listed],
                "final": [_as_of(finals[i], len(finals[i].outputs)) for i in listed],
            },
        }

    def _state(
        self, known: dict[str, tuple[Status, int, int]], listed: list[int], time: int
    ) -> list[list[str]]:
        rows = []
        for index in listed:
            request = self.scenario.requests[index]
            status, computed, emitted = known[request.id]
            here = request.arrival <= time
            rows.append(
                [
                    number(self.shown(request.arrival)),
                    f"{max(0, request.prompt - computed):,}",
                    f"{computed:,}",
                    f"{emitted:,} / {request.output:,}",
                    self.teller.say(f"state.{status if here else 'absent'}"),
                ]
            )
        return rows


def _goes_on(before: Payload, run: Payload) -> bool:
    """Whether a round of a request only repeats the one before, so that both are one run."""
    if before["first"] + before["count"] != run["first"] or before["kind"] != run["kind"]:
        return False
    if run["kind"] == "decode":
        return bool(before["token"] + before["count"] == run["token"])
    return run["kind"] in ("idle", "hold") and not run["token"] and not before["token"]


def _as_of(final: RequestMetrics, tokens: int) -> list[float | None]:
    """TTFT, longest gap and E2E when so many tokens are out."""
    done = tokens == len(final.outputs)
    return [
        final.ttft if tokens else None,
        max(final.itl[: max(tokens - 1, 0)], default=None),
        final.e2e if done else None,
    ]


def _figure(value: Any) -> float | int | None:
    """A NumPy number as plain JSON; NaN is nothing yet."""
    plain = value.item()
    if plain != plain:
        return None
    return round(plain, 6) if isinstance(plain, float) else plain
