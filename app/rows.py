"""The request table as typed: text in, the scenario schema out, and the bounds of the page."""

from collections.abc import Mapping, Sequence
from typing import Any

from app.sentences import number
from sim import Problem, Scenario
from sim.clock import to_shown

FIELDS = ("id", "arrival", "prompt", "output", "cached")
MOST_ROWS = 200
MOST = {"arrival": 1_000_000, "prompt": 20_000, "output": 2_000, "cached": 20_000}
Row = dict[str, str]


def typed(scenario: Scenario) -> list[Row]:
    """The requests of a scenario as a table of text."""
    rows = []
    for request in scenario.requests:
        rows.append(
            {
                "id": request.id,
                "arrival": number(to_shown(request.arrival, scenario.setup.time)).replace(",", ""),
                "prompt": str(request.prompt),
                "output": str(request.output),
                "cached": str(request.cached) if request.cached else "",
            }
        )
    return rows


def read(row: Row) -> dict[str, Any]:
    """A typed row as a request table of the scenario schema; empty cells are left out."""
    request: dict[str, Any] = {"id": row["id"].strip()}
    for field in FIELDS[1:]:
        typed = row[field].strip()
        if typed:
            request[field] = _number(typed, whole=field != "arrival")
    return request


def _number(typed: str, *, whole: bool) -> Any:
    """The number that was typed, or the text itself, which the schema then refuses."""
    try:
        return int(typed)
    except ValueError:
        pass
    try:
        return typed if whole else float(typed)
    except ValueError:
        return typed


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
