"""What each step of a scene shows: a table `[[steps.5a]]` of `lesson.toml`, in the text's order.

    round      where the stage stands: the end of a round by its number, "start", "end", or an event
               of a request: "C arrival", "C first", "C finish", "C preempt", "C cancel"
    time       instead of a round: the last boundary at or before a time in ms or ticks
    lane       the lane whose round is meant; left out: "continuous"
    alone      true: only that lane is shown; left out: all lanes
    highlight  requests whose rows stand out
    controls   the inputs that the text asks to use, which are marked: budget, requests, setup
    view       the panel under the stage that is opened: state, kv, curves, log
    file       a file of assets/ that is offered for download
    kind       "try" marks an invitation to try something; left out: it tells
    name       a word for links to this step, `5a#worst`
    exercise   a question instead of a text to read (see `lessons.exercises`)

A step without a round leaves the stage where it starts. Events are looked up in the run that is on
the screen, so a step follows what a learner changes; numbers stay numbers.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from lessons.exercises import Exercise, read_exercise
from lessons.faults import LessonError
from sim.files import LANES, read_table, suggestion

EVENTS = ("arrival", "first", "finish", "preempt", "cancel")
CONTROLS = ("budget", "requests", "setup")
FILES = ("", "lab.py")
VIEWS = ("", "state", "kv", "curves", "log")
KINDS = ("tell", "try")
DEFAULT_LANE = "continuous"


@dataclass(frozen=True, slots=True)
class Step:
    """What one step shows."""

    round: int | str = "start"
    time: float | None = None
    lane: str = DEFAULT_LANE
    alone: bool = False
    highlight: tuple[str, ...] = ()
    controls: tuple[str, ...] = ()
    view: str = ""
    file: str = ""
    kind: str = "tell"
    name: str = ""
    exercise: Exercise | None = None


_NAMES = tuple(field.name for field in fields(Step))


def read_steps(folder: Path, scene: str) -> tuple[Step, ...]:
    """The steps of a scene.

    Raises:
        LessonError: a step has a field that is unknown or of a wrong kind.
    """
    path = folder / LANES
    tables = read_table(path).get("steps", {}).get(scene, []) if path.is_file() else []
    return tuple(
        _step(table, f"{path}: steps.{scene}, step {number}")
        for number, table in enumerate(tables, 1)
    )


def _step(table: Mapping[str, Any], place: str) -> Step:
    for name in table:
        if name not in _NAMES:
            raise LessonError(f"{place}: {name} is no field{suggestion(name, _NAMES)}")
    lists = {name: _texts(table, name, place) for name in ("highlight", "controls")}
    asked = {"exercise": read_exercise(table["exercise"], place)} if "exercise" in table else {}
    step = Step(**{**table, **lists, **asked})
    _check_kinds(step, place)
    _check_words(step, place)
    if "round" in table and "time" in table:
        raise LessonError(f"{place}: has both round and time; keep one")
    for control in step.controls:
        if control not in CONTROLS:
            raise LessonError(f"{place}: {control} is no control{suggestion(control, CONTROLS)}")
    return step


def _texts(table: Mapping[str, Any], name: str, place: str) -> tuple[str, ...]:
    value = table.get(name, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise LessonError(f"{place}: {name} must be a list of texts, not {value!r}")
    return tuple(value)


def _check_kinds(step: Step, place: str) -> None:
    is_number = isinstance(step.time, int | float) and not isinstance(step.time, bool)
    if step.time is not None and not is_number:
        raise LessonError(f"{place}: time must be a number, not {step.time!r}")
    lane: object = step.lane  # as the file has it
    alone: object = step.alone
    if not isinstance(lane, str) or not isinstance(alone, bool):
        raise LessonError(f"{place}: lane must be a name, and alone true or false")
    if isinstance(step.round, int) and not isinstance(step.round, bool) and step.round >= 0:
        return
    if step.round not in ("start", "end") and event_of(step) is None:
        raise LessonError(
            f"{place}: round must be a number, start, end, or a request and one of "
            f"{', '.join(EVENTS)}, not {step.round!r}"
        )


def _check_words(step: Step, place: str) -> None:
    for field, known in (("view", VIEWS), ("kind", KINDS), ("file", FILES)):
        value = getattr(step, field)
        if value not in known:
            raise LessonError(
                f"{place}: {field} is {value!r}; known: {', '.join(filter(None, known))}"
            )
    name: object = step.name  # as the file has it
    if not isinstance(name, str) or not re.fullmatch(r"[a-z0-9-]*", name):
        raise LessonError(f"{place}: name must be a lower-case word, not {name!r}")


def event_of(step: Step) -> tuple[str, str] | None:
    """The request and the event that a step's round is named by."""
    request, _, kind = str(step.round).rpartition(" ")
    return (request, kind) if request and kind in EVENTS else None
