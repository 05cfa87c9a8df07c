"""Requests that only one lane has: a name and first values for one more, and which there are."""

from collections.abc import Collection, Iterator
from itertools import count

from app.lane_specs import NEW, Fork, LaneSpec, cells
from app.setup_options import Texts, shown
from sim import History, Problem
from sim.clock import to_shown

MOST_IN_NAME = 24
PROMPT, OUTPUT = "4", "2"  # of one that has just been added, as in the request table


def begins_at(before: History, number: int) -> float:
    """When a fork begins that parts before a round, in ms or ticks: the end of the one before."""
    start = int(before.ends[number - 2]) if 1 < number <= len(before) + 1 else 0
    return to_shown(start, before.scenario.setup.time)


def newcomer(before: History, fork: Fork, id_: str = "") -> Texts:
    """The changes that add a request at the start of a fork; without a name it gets a free one."""
    name = f"{NEW}{id_ or free_id(taken(before, fork))}."
    arrival = shown(begins_at(before, fork.round))
    return {f"{name}arrival": arrival, f"{name}prompt": PROMPT, f"{name}output": OUTPUT}


def bad_name(id_: str, before: History, fork: Fork) -> Problem | None:
    """Why a request cannot be called so; nothing typed leaves the choice open."""
    if id_ in taken(before, fork):
        return Problem(("requests",), "duplicate_id", id_)
    is_good = len(id_) <= MOST_IN_NAME and id_.isprintable()
    return None if is_good else Problem(("requests",), "bad_name", id_)


def taken(before: History, fork: Fork) -> set[str]:
    """The names that no other request of a fork can have."""
    return {request.id for request in before.scenario.requests} | cells(fork.changes, NEW).keys()


def free_id(ids: Collection[str]) -> str:
    """The first name that nobody has: A to Z, then A1 and so on."""
    return next(name for name in _names() if name not in ids)


def _names() -> Iterator[str]:
    for number in count():
        yield from (chr(65 + k) + (str(number) if number else "") for k in range(26))


def all_new(spec: LaneSpec) -> list[str]:
    """The names of those that a lane has added, in the order of its list."""
    parts = (spec.changes, *(fork.changes for fork in spec.forks))
    return [id_ for changes in parts for id_ in cells(changes, NEW)]
