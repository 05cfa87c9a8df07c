"""What may still be changed in a lane that parts from its past, as the setup drawer shows it.

The simulator decides what is allowed (`sim.fork`); here the cells that it would refuse anyway are
shown as text, so that nobody types in vain.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from app.i18n import say
from app.lane_specs import REQUESTS, Fork
from app.setup_options import Texts, shown
from sim import History, Request
from sim.clock import to_shown
from sim.reading import written

FIELDS = ("arrival", "prompt", "output", "cancel_at")
FREE_ONCE_HERE = ("output", "cancel_at")
FIXED_IN_RUN = ("mode", "time", "concurrency", "block_size")  # options

Payload = dict[str, Any]


def fork_form(before: History, fork: Fork, problems: Sequence[Payload], lang: str) -> Payload:
    """From which round on, and a row of cells for each request.

    Args:
        before: the run that the fork starts from, with the rounds it leaves out.
        fork: where it parts and what it changes.
        problems: what keeps the lane from running, in words.
        lang: language of all words.
    """
    setup = before.scenario.setup
    start = int(before.ends[fork.round - 2]) if 1 < fork.round <= len(before) + 1 else 0
    time = say(lang, f"time.{setup.time}", value=f"{to_shown(start, setup.time):g}")
    return {
        "title": say(lang, "fork.title", number=fork.round),
        "text": say(lang, "fork.text", number=fork.round, time=time),
        "heads": [say(lang, f"fork.head.{name}") for name in FIELDS],
        "rows": [
            _row(before, index, request, start, fork.changes, problems, lang)
            for index, request in enumerate(before.scenario.requests)
        ],
    }


def _row(
    before: History,
    index: int,
    request: Request,
    start: int,
    changes: Mapping[str, str],
    problems: Sequence[Payload],
    lang: str,
) -> Payload:
    has_come = bool(start) and int(before.arrivals[index]) < start
    has_left = has_come and before.states[index].has_left and int(before.ended_at[index]) <= start
    free: Sequence[str] = () if has_left else FREE_ONCE_HERE if has_come else FIELDS
    own = _texts(request, before)
    where = "left" if has_left else "here" if has_come else "to_come"
    return {
        "id": request.id,
        "colour": index % 8,
        "where": say(lang, f"fork.{where}"),
        "cells": [_cell(request.id, name, own, free, changes) for name in FIELDS],
        "problems": [one["text"] for one in problems if one["row"] == index],
    }


def _cell(
    id_: str, name: str, own: Texts, free: Sequence[str], changes: Mapping[str, str]
) -> Payload:
    key = f"{REQUESTS}{id_}.{name}"
    return {
        "name": key,
        "value": changes.get(key, own[name]),
        "own": own[name],
        "is_free": name in free or key in changes,
    }


def _texts(request: Request, before: History) -> Texts:
    table = written(request, before.scenario.setup.time)
    return {name: shown(table.get(name)) for name in FIELDS}
