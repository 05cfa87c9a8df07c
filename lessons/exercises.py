"""An exercise: what is asked, and how the simulator knows the answer; data of `lesson.toml`.

    [steps.5a.exercise]
    kind = "number"                             # number, list, choice or grants
    answer = "continuous.requests.C.ttft"       # an expression; for a list one for each box
    unit = "ms"                                 # behind the box
    labels = ["A", "B"]                         # before the boxes of a list
    right = ["setup.budget > 4", "…"]           # choice: which options of the text are true
    at = 4                                      # grants: the round to fill; left out: the next one
    predict = true                              # the future is hidden until there is an answer
    change = { budget = 6 }                     # asked about the scene with this changed
    draw = { budget = [5, 6, 8] }               # "another one" draws one of each
    mistakes = { clock = "continuous.requests.C.outputs[0]" }  # wrong answers that have a hint

Changes are those of a lane (`sim.files`), with `"C.arrival"` for a field of a request. An answer is
an expression over results and never a figure; `lessons.cards` works it out for each draw.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from lessons.faults import LessonError
from lessons.values import names_in
from sim.files import suggestion

KINDS = ("number", "list", "choice", "grants")
UNITS = ("", "ms", "s", "tick", "token", "token/s", "request/s", "round", "block", "request", "%")


@dataclass(frozen=True, slots=True)
class Exercise:
    """What is asked in a step."""

    kind: str
    answer: tuple[str, ...] = ()
    unit: str = ""
    labels: tuple[str, ...] = ()
    right: tuple[str, ...] = ()
    at: int | None = None
    predict: bool = False
    change: Mapping[str, Any] = field(default_factory=dict)
    draw: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    mistakes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


_NAMES = tuple(item.name for item in fields(Exercise))
_NEEDED = {"number": "answer", "list": "answer", "choice": "right"}


def read_exercise(table: Any, place: str) -> Exercise:
    """The exercise of a step.

    Raises:
        LessonError: a field is unknown, of a wrong kind, missing, or a figure instead of an
            expression over results.
    """
    place = f"{place}, exercise"
    if not isinstance(table, Mapping):
        raise LessonError(f"{place}: must be a table, not {table!r}")
    for name in table:
        if name not in _NAMES:
            raise LessonError(f"{place}: {name} is no field{suggestion(name, _NAMES)}")
    _check_word(table.get("kind"), KINDS, f"{place}: kind")
    _check_word(table.get("unit", ""), UNITS, f"{place}: unit")
    exercise = Exercise(
        kind=table["kind"],
        answer=_expressions(table.get("answer", []), f"{place}: answer"),
        unit=table.get("unit", ""),
        labels=tuple(map(str, _list(table.get("labels", []), f"{place}: labels"))),
        right=_expressions(table.get("right", []), f"{place}: right"),
        at=table.get("at"),
        predict=table.get("predict", False) is True,
        change=_table(table.get("change", {}), f"{place}: change"),
        draw={
            name: tuple(_list(values, f"{place}: draw.{name}"))
            for name, values in _table(table.get("draw", {}), f"{place}: draw").items()
        },
        mistakes={
            name: _expressions(wrong, f"{place}: mistakes.{name}")
            for name, wrong in _table(table.get("mistakes", {}), f"{place}: mistakes").items()
        },
    )
    _check_whole(exercise, place)
    return exercise


def _check_whole(exercise: Exercise, place: str) -> None:
    """What fields demand of one another."""
    needed = _NEEDED.get(exercise.kind)
    if needed and not getattr(exercise, needed):
        raise LessonError(f"{place}: a {exercise.kind} needs {needed}")
    for name, wrong in exercise.mistakes.items():
        if len(wrong) != len(exercise.answer):
            raise LessonError(f"{place}: mistakes.{name} must have as many values as answer")
    if exercise.kind == "list" and len(exercise.labels) != len(exercise.answer):
        raise LessonError(f"{place}: labels must be as many as answers")
    if exercise.kind == "number" and len(exercise.answer) != 1:
        raise LessonError(f"{place}: a number has one answer")
    for name, values in exercise.draw.items():
        if not values:
            raise LessonError(f"{place}: draw.{name} has nothing to draw from")


def _check_word(value: Any, known: tuple[str, ...], place: str) -> None:
    if value not in known:
        raise LessonError(f"{place} is {value!r}; known: {', '.join(filter(None, known))}")


def _table(value: Any, place: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise LessonError(f"{place}: must be a table, not {value!r}")
    return value


def _list(value: Any, place: str) -> list[Any]:
    if not isinstance(value, list):
        raise LessonError(f"{place}: must be a list, not {value!r}")
    return value


def _expressions(value: Any, place: str) -> tuple[str, ...]:
    """One expression or several; each takes something from the results."""
    found = [value] if isinstance(value, str) else _list(value, place)
    for one in found:
        if not isinstance(one, str):
            raise LessonError(
                f"{place}: {one!r} is no expression over results; figures are not typed"
            )
        try:
            names = names_in(one)
        except SyntaxError as error:
            raise LessonError(f"{place}: {one}: {error.msg}") from None
        if not names:
            raise LessonError(f"{place}: {one} names no result; figures are not typed")
    return tuple(found)
