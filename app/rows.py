"""The request table as typed: text in, the scenario schema out, and the bounds of the page.

Which fields there are, and of what kind, stands in `sim.setup.Request`; here is the order of the
columns, which of them are always there, and how a block of a spreadsheet names them.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from functools import cache
from typing import Any

from app.i18n import LANGUAGES, words
from app.sentences import number
from sim import Problem, Scenario
from sim.clock import TimeUnit
from sim.reading import written
from sim.setup import Request

_RULES = {item.name: item.metadata for item in fields(Request)}
_FIRST = ("id", "arrival", "prompt", "output", "cached")
FIELDS = (*_FIRST, *(name for name in _RULES if name not in _FIRST))
ALWAYS = ("id", "arrival", "prompt", "output")  # the other columns come when they have a value
TEXTS = tuple(name for name in FIELDS if _RULES[name]["kind"] == "text")
TIMES = tuple(name for name in FIELDS if _RULES[name]["kind"] == "time")
MOST_ROWS = 200
MOST = dict.fromkeys(TIMES, 1_000_000) | {
    "prompt": 20_000, "output": 2_000, "cached": 20_000, "max_output": 20_000, "credits": 20_000,
}  # fmt: skip
Row = dict[str, str]


def typed(scenario: Scenario) -> list[Row]:
    """The requests of a scenario as a table of text."""
    return typed_requests(scenario.requests, scenario.setup.time)


def typed_requests(requests: Iterable[Request], unit: TimeUnit) -> list[Row]:
    """Requests as a table of text; what is at its default is an empty cell."""
    tables = (written(request, unit) for request in requests)
    return [{field: _shown(table.get(field, ""), field) for field in FIELDS} for table in tables]


def _shown(value: Any, field: str) -> str:
    is_time = field in TIMES and value != ""
    return number(value).replace(",", "") if is_time else str(value)


def read(row: Row) -> dict[str, Any]:
    """A typed row as a request table of the scenario schema; empty cells are left out."""
    request: dict[str, Any] = {"id": row["id"].strip()}
    for field in FIELDS[1:]:
        cell = row[field].strip()
        if cell:
            is_text = field in TEXTS
            request[field] = cell if is_text else _number(cell, whole=field not in TIMES)
    return request


def _number(cell: str, *, whole: bool) -> Any:
    """The number that was typed, or the text itself, which the schema then refuses."""
    try:
        return int(cell)
    except ValueError:
        pass
    try:
        return cell if whole else float(cell)
    except ValueError:
        return cell


def page_problems(rows: Sequence[Mapping[str, Any]]) -> list[Problem]:
    """What is wrong beside the schema: names used twice, and the tighter bounds of the page."""
    if len(rows) > MOST_ROWS:
        return [Problem(("requests",), "too_many_rows", len(rows), {"high": MOST_ROWS})]
    ids = [row.get("id") for row in rows]
    twice = [
        Problem(("requests", i, "id"), "duplicate_id", id_)
        for i, id_ in enumerate(ids)
        if id_ and id_ in ids[:i]
    ]
    return twice + [
        Problem(("requests", i, field), "too_large", row[field], {"high": high})
        for i, row in enumerate(rows)
        for field, high in MOST.items()
        if isinstance(row.get(field), (int, float)) and row[field] > high
    ]


@cache
def names() -> Mapping[str, str]:
    """Which field the head of a column in a spreadsheet means, in any language of the page."""
    found = {plain_name(field): field for field in FIELDS}
    for lang in LANGUAGES:
        for table in (words(lang, "editor"), words(lang, "field")):
            found |= {plain_name(table[field]): field for field in FIELDS}
    return found


def plain_name(head: str) -> str:
    """A head without its unit, its case and what divides its words: `Max_output (ms)`."""
    head = re.split(r"[({（]", head.lower())[0].replace("_", " ")
    return re.sub(r"\W+|\b(ms|ticks?|tokens?)\b", "", head)
