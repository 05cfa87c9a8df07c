"""What may still be changed in a lane that parts from its past, as the setup drawer shows it.

The simulator decides what is allowed (`sim.fork`); here the cells that it would refuse anyway are
shown as text, so that nobody types in vain.
"""

from collections.abc import Sequence
from itertools import islice
from typing import Any

from app.i18n import say
from app.lane_specs import NEW, REQUESTS, Fork, cells
from app.newcomers import begins_at, free_id, taken
from app.rows import MOST_ROWS
from app.setup_options import Texts, shown
from sim import History
from sim.clock import to_internal
from sim.reading import written

FIELDS = ("arrival", "prompt", "output", "cancel_at")
FREE_ONCE_HERE = ("output", "cancel_at")
FIXED_IN_RUN = ("mode", "time", "concurrency", "block_size")  # options

Payload = dict[str, Any]


def fork_form(
    before: History, fork: Fork, problems: Sequence[Payload], lang: str, refused: str = ""
) -> Payload:
    """From which round on, and a row of cells for each request.

    Args:
        before: the run that the fork starts from, with the rounds it leaves out.
        fork: where it parts and what it changes.
        problems: what keeps the lane from running, in words.
        lang: language of all words.
        refused: why the request that was asked for last is not there.
    """
    setup = before.scenario.setup
    start = begins_at(before, fork.round)
    time = say(lang, f"time.{setup.time}", value=f"{start:g}")
    return {
        "title": say(lang, "fork.title", number=fork.round),
        "text": say(lang, "fork.text", number=fork.round, time=time),
        "heads": [say(lang, f"fork.head.{name}") for name in FIELDS],
        "rows": _Rows(before, fork, problems, lang).all(),
        "free_id": free_id(taken(before, fork)),
        "refused": refused,
    }


class _Rows:
    """The requests of a fork, a row each: those of its past, and behind them its own."""

    def __init__(self, before: History, fork: Fork, problems: Sequence[Payload], lang: str) -> None:
        self.before, self.fork, self.problems, self.lang = before, fork, problems, lang
        unit = before.scenario.setup.time
        self.start = to_internal(begins_at(before, fork.round), unit)

    def all(self) -> list[Payload]:
        """Of a long list the first that are still here or to come."""
        requests = self.before.scenario.requests
        size = len(requests)
        listed = (i for i in range(size) if size <= MOST_ROWS or self._free(i))
        new = enumerate(cells(self.fork.changes, NEW), size)
        rows = [self._row(i) for i in islice(listed, MOST_ROWS)]
        return rows + [self._new(i, id_) for i, id_ in new]

    def _free(self, index: int) -> Sequence[str]:
        """The fields that can still be changed."""
        before, start = self.before, self.start
        if not start or int(before.arrivals[index]) >= start:
            return FIELDS
        has_left = before.states[index].has_left and int(before.ended_at[index]) <= start
        return () if has_left else FREE_ONCE_HERE

    def _row(self, index: int) -> Payload:
        request = self.before.scenario.requests[index]
        free = self._free(index)
        table = written(request, self.before.scenario.setup.time)
        where = "to_come" if free == FIELDS else "here" if free else "left"
        own = {name: shown(table.get(name)) for name in FIELDS}
        return self._put(index, request.id, where, REQUESTS, own, free)

    def _new(self, index: int, id_: str) -> Payload:
        return self._put(index, id_, "new", NEW, dict.fromkeys(FIELDS, ""), FIELDS)

    def _put(
        self, index: int, id_: str, where: str, prefix: str, own: Texts, free: Sequence[str]
    ) -> Payload:
        changes = self.fork.changes
        names = {name: f"{prefix}{id_}.{name}" for name in FIELDS}
        problems = [one for one in self.problems if one["row"] == index]
        wrong = {one["field"] for one in problems}
        return {
            "id": id_,
            "colour": index % 8,
            "where": say(self.lang, f"fork.{where}"),
            "is_new": prefix == NEW,
            "cells": [
                {
                    "name": key,
                    "value": changes.get(key, own[name]),
                    "own": own[name],
                    "is_free": name in free or key in changes,
                    "is_wrong": name in wrong or not wrong.isdisjoint({None, "id"}),
                }
                for name, key in names.items()
            ],
            "problems": [one["text"] for one in problems],
        }
