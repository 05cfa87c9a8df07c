"""One lane in one window, as the browser reads it: rows, cells, cards and tables a round.

A pure function of the lane's history, the window and a language; `payload` puts lanes together.
"""

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from app.lane_figures import overall
from app.lane_moves import moves, pool, prices
from app.lane_tables import tables
from app.lane_waits import Lost, Waits
from app.lanes import Lane, Window
from app.roster import Rows
from app.sentences import MOST_LINES, Teller
from sim import Reason, Round
from sim.clock import to_shown
from sim.setup import Setup

MOST_LISTED = 40  # requests in the state and per-request tables
MOST_BRICKS = 16  # entries of a round's strip kept apart; more are summed up by phase
SUMMED = -1  # owner of a summed strip entry

Payload = dict[str, Any]


class LaneView:
    """One lane in one window."""

    def __init__(self, lane: Lane, window: Window, lang: str) -> None:
        self.lane, self.history, self.window = lane, lane.history, window
        self.scenario = lane.history.scenario
        self.unit = self.scenario.setup.time
        self.lang = lang
        self.teller = Teller(lang, self.scenario, lane.arrivals.tolist())
        self._tellers: dict[int, Teller] = {}
        self.index = self.teller.index
        starts, ends = self.history.starts, self.history.ends
        self.first = int(np.searchsorted(ends, window.start, "right"))
        past = int(np.searchsorted(starts, window.end, "left"))
        known = self.history[max(self.first - 1, 0) : past]  # and the round before
        num_before = min(self.first, 1)
        self.records = known[num_before:]
        before = known[:num_before] if self.records else []
        self.waits = Waits(lane, window, self.records, self.teller, before)

    @cached_property
    def seen(self) -> set[int]:
        """Requests that run in the window, arrive while it lasts, or stand first in its queue."""
        ids: set[str] = set()
        for record in self.records:
            ids.update(record.running, record.idle, record.pads, record.preempted, record.departed)
        for record in (*self.records[:1], *self.records[-1:]):
            ids.update(request.id for request in record.queue[:MOST_LISTED])
        return {self.index[id_] for id_ in ids}

    def shown(self, time: int) -> float:
        """An internal time as a number of the payload."""
        return to_shown(time, self.unit)

    def payload(self, rows: Rows, place: dict[int, int]) -> Payload:
        """The lane as the browser reads it."""
        setup = self.scenario.setup
        blocks = replace(setup, num_blocks=self.history.pool)
        tokens = self.lane.progress.tokens
        by_id = {self.scenario.requests[index].id: at for index, at in place.items()}
        return {
            "key": self.lane.key,
            "budget": int(self.history.setting(lambda one: one.budget).max(initial=setup.budget)),
            "budgets": self._budgets(),
            "pool": blocks.num_blocks,
            "end": self.shown(self.lane.end),
            "total_tokens": int(tokens[-1]) if len(tokens) else 0,
            "num_rounds": len(self.history),
            "emitted_before": int(tokens[self.first - 1]) if self.first else 0,
            "rounds": self._rounds(),
            "num_seats": max(0, *self.lane.seats) + 1,
            "waits": self.waits.waits(list(place), place),
            "queue": self.waits.queue(),
            "gaps": self.waits.gaps(self.seen, place) + self.waits.pauses(place),
            "runs": self._runs(place),
            "batches": self._batches(),
            "strip": [self._strip(record, place) for record in self.records],
            "cards": [self._card(record, place) for record in self.records],
            "before": self._plain_card("card.before"),
            "between": self._plain_card(self._between()),
            "after": self._after(place),
            "forks": self._forks(),
            **self._tables(rows),
            "overall": overall(self.lane, self.first, self.first + len(self.records)),
            "moves": moves(self.records, by_id),
            "prices": prices(self.records, self._setups()),
            "kv": pool(self.records, blocks, by_id, whole=self.window.whole),
        }

    def _between(self) -> str:
        """Why there may be no round under way."""
        setup = self.scenario.setup
        if setup.mode == "static" and setup.batch_wait is not None:
            return "card.between_filling"
        can_pause = any(request.credits is not None for request in self.scenario.requests)
        return "card.between_paused" if can_pause else "card.between"

    def _tables(self, rows: Rows) -> Payload:
        if not self.window.whole or len(rows) > MOST_LISTED:
            return {}
        span = (self.window.start, self.window.end)
        return tables(self.lane, self.records, rows, span, self.teller.say)

    def _rounds(self) -> dict[str, list[float]]:
        records = self.records
        tokens = self.lane.progress.tokens[self.first : self.first + len(records)]
        return {
            "number": [record.number for record in records],
            "start": [self.shown(record.start) for record in records],
            "end": [self.shown(record.end) for record in records],
            "P": [record.prefill for record in records],
            "D": [record.decode for record in records],
            "V": [record.drafts for record in records],
            "padding": [record.padding for record in records],
            "bucket_padding": [record.bucket_padding for record in records],
            "idle": [len(record.idle) for record in records],
            "waiting": [len(record.queue) for record in records],
            "used": [record.used or 0 for record in records],
            "emitted": [int(n) for n in tokens],
        }

    def _setups(self) -> list[Setup]:
        """The setup of each round, which a fork may have changed."""
        return [self.history.scenario_of(record.number - 1).setup for record in self.records]

    def _budgets(self) -> list[int]:
        """The budget of each round, where a fork has changed it; else nothing."""
        budgets = self.history.setting(lambda setup: setup.budget)
        is_same = (budgets == self.scenario.setup.budget).all()
        return [] if is_same else budgets[self.first : self.first + len(self.records)].tolist()

    def _runs(self, place: dict[int, int]) -> list[Payload]:
        """Equal rounds of a request in a row, as one rectangle or as many as the browser likes."""
        runs: list[Payload] = []
        last: dict[str, Payload] = {}
        lost = Lost(self.scenario.setup.on_full)
        for i, record in enumerate(self.records):
            lost.see(record)
            for id_ in dict.fromkeys((*record.running, *record.idle, *record.pads)):
                run = self._run(record, id_, i, place) | {"again": lost.is_again(record, id_)}
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
        tokens = record.tokens.get(id_, 0)
        leaves = self.scenario.requests[index].cancel_at
        return {
            "kind": kind,
            "req": place[index],
            "seat": self.lane.seats[index],
            "first": i,
            "count": 1,
            "n": given,
            "pad": pad,
            "token": record.after[id_].emitted - tokens + 1 if tokens else 0,
            "tokens": tokens,
            "unsent": bool(tokens) and leaves is not None and leaves < record.end,
            "paused": record.refused.get(id_) is Reason.PAUSED,
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
            entries += _bricks(owner, record.given.get(id_, 0), id_ in record.prefilling)
            if id_ in record.pads:
                entries.append([owner, record.pads[id_], "pad"])
        entries += [[place[self.index[id_]], 1, "idle"] for id_ in record.idle]
        if len(entries) <= MOST_BRICKS:
            return entries
        sums: dict[str, int] = {}
        for _, n, phase in entries:
            sums[phase] = sums.get(phase, 0) + n
        phases = ("d", "v", "idle", "p", "pad")
        return [[SUMMED, sums[phase], phase] for phase in phases if phase in sums]

    def _card(self, record: Round, place: dict[int, int]) -> Payload:
        return self._placed(self._teller_of(record).card(record), place)

    def _teller_of(self, record: Round) -> Teller:
        """One that knows the setup of that round: before a fork it was another one."""
        scenario = self.history.scenario_of(record.number - 1)
        if scenario is self.scenario:
            return self.teller
        key = id(scenario)
        if key not in self._tellers:
            is_same = len(self.lane.arrivals) == len(scenario.requests)
            arrivals = self.lane.arrivals.tolist() if is_same else None
            self._tellers[key] = Teller(self.lang, scenario, arrivals)
        return self._tellers[key]

    def _forks(self) -> list[Payload]:
        """Where the lane parts from what it was: the round, and when that begins."""
        starts, rounds = self.history.starts, len(self.history)
        return [
            {
                "round": fork.round,
                "t": self.shown(int(starts[fork.round - 1])) if fork.round <= rounds else None,
            }
            for fork in self.lane.spec.forks
        ]

    def _placed(self, card: Payload, place: dict[int, int]) -> Payload:
        """A card whose lines name requests by their place in the payload."""
        for line in card["lines"]:
            index = self.index[line["req"]]
            line["label"] = line["req"]
            line["req"] = place.get(index, SUMMED)
        return card

    def _after(self, place: dict[int, int]) -> Payload:
        """The card after the last round: the end, and who left when it was over."""
        if self.lane.is_open:
            return self._plain_card("hand.your_turn", budget=self.scenario.setup.budget)
        time, total = self.teller.time(self.lane.end), len(self.scenario.requests)
        lost = len(self.lane.departures)
        values = {"served": total - lost, "all": total} if lost else {}
        card = self._plain_card("card.after_some" if lost else "card.after", time=time, **values)
        untold = self.lane.untold[:MOST_LINES]
        return self._placed(card | {"lines": self.teller.farewells(untold)}, place)

    def _plain_card(self, key: str, **values: object) -> Payload:
        return {"sum": "", "ms": "", "lines": [], "more": self.teller.say(key, **values)}


def _goes_on(before: Payload, run: Payload) -> bool:
    """Whether a round of a request only repeats the one before, so that both are one run."""
    if before["first"] + before["count"] != run["first"]:
        return False
    if any(before[name] != run[name] for name in ("kind", "paused", "unsent")):
        return False
    if run["kind"] == "decode":
        is_plain = before["tokens"] == run["tokens"] == before["n"] == run["n"] == 1
        return is_plain and bool(before["token"] + before["count"] == run["token"])
    return run["kind"] in ("idle", "hold") and not run["token"] and not before["token"]


def _bricks(owner: int, n: int, is_prefill: bool) -> list[list[Any]]:
    """Positions of one request in a strip: of a decode all after the first are drafts."""
    if is_prefill or not n:
        return [[owner, n, "p"]] if n else []
    return [[owner, 1, "d"], [owner, n - 1, "v"]] if n > 1 else [[owner, 1, "d"]]
