"""From a lane to what it runs: its changes put on the scenario that all lanes share."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from app.lane_specs import CELLS, NEW, REQUESTS, cells
from app.rows import MOST_ROWS
from app.rows import page_problems as row_problems
from app.setup_options import Texts, lane_options, merged, page_problems, parsed
from sim import Problem, Request, Scenario, ScenarioError
from sim.clock import TimeUnit
from sim.reading import read, written
from sim.setup import Setup


def applied(
    scenario: Scenario, changes: Mapping[str, str]
) -> tuple[Scenario | None, list[Problem]]:
    """The scenario under the changes of a lane or a fork, or all that keeps it from running."""
    requests, problems = _requests(scenario, changes)
    setup = {name: value for name, value in changes.items() if name in lane_options()}
    problems += page_problems(scenario.setup, setup)
    values, found = read({"setup": merged(scenario.setup, setup)})
    problems += found
    if problems:
        return None, problems
    new: Setup = values["setup"]
    options = {item.name: getattr(new, item.name) for item in fields(new)}
    try:
        return replace(scenario, requests=requests).with_setup(**options), []
    except ScenarioError as error:
        return None, list(error.problems)


def _requests(
    scenario: Scenario, changes: Mapping[str, str]
) -> tuple[tuple[Request, ...], list[Problem]]:
    """The requests with what is changed in them, and behind them those that are new."""
    changed = cells(changes, REQUESTS)
    if not changed and not cells(changes, NEW):
        return scenario.requests, []
    unit = scenario.setup.time
    requests, problems = list(scenario.requests), []
    places = {request.id: place for place, request in enumerate(requests)}
    for id_, row in changed.items():
        if id_ not in places:
            problems.append(Problem(("requests",), "no_such_request", id_))
            continue
        place = places[id_]
        table = _typed_over(written(requests[place], unit), row)
        read_, found = _read_request(table, place, unit)
        problems += found
        requests[place] = read_ or requests[place]
    added, found = _added(changes, len(requests), unit)
    return (*requests, *added), problems + found


def _added(
    changes: Mapping[str, str], count: int, unit: TimeUnit
) -> tuple[list[Request], list[Problem]]:
    """The requests that come behind the `count` which are there."""
    rows = cells(changes, NEW)
    requests: list[Request] = []
    problems: list[Problem] = []
    for place, (id_, row) in enumerate(rows.items(), count):
        request, found = _read_request(_typed_over({"id": id_}, row), place, unit)
        problems += found
        requests += [request] if request else []
    if count <= MOST_ROWS < count + len(rows):
        high = {"high": MOST_ROWS}
        problems.append(Problem(("requests",), "too_many_rows", count + len(rows), high))
    return requests, problems


def _typed_over(table: dict[str, Any], row: Texts) -> dict[str, Any]:
    """A request as a table of the schema, with some fields typed anew; an empty one is left out."""
    kept = {name: value for name, value in table.items() if name not in row}
    filled = {name: text for name, text in row.items() if text.strip()}
    return kept | {name: parsed(CELLS[name], text) for name, text in filled.items()}


def _read_request(
    table: dict[str, Any], place: int, unit: TimeUnit
) -> tuple[Request | None, list[Problem]]:
    """A request read from its table, or what is wrong with it, told of its place in the list."""
    values, found = read({"setup": {"budget": 1, "time": unit}, "requests": [table]})
    found = row_problems([table]) + found
    moved = [replace(problem, place=("requests", place, *problem.place[2:])) for problem in found]
    return (None if moved else values["requests"][0]), moved
