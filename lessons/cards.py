"""Exercise cards: a question with everything that marks and reveals it, for each draw.

A card is worked out once, from a run of the simulator, and is then plain data: whoever shows it
needs no simulator. The section of a step is the question; under `###` stand the hints and the
worked answer.

    How long does **C** wait for its first token?

    - for a choice, the options

    ### Hint: clock
    That is the time on the clock …
    ### Hint
    Write down the rounds …
    ### Answer
    {continuous.requests.C.outputs[0]} − {request.C.arrival} = {answer} ms

An answer of `### Hint: clock` is the wrong value `mistakes.clock`, one of `### Hint: 2` the second
option. Card 0 asks what the lesson asks; the others are draws, each with a seed of its own.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache, partial
from random import Random
from typing import Any

from lessons.exercises import Exercise
from lessons.faults import LessonError
from lessons.figures import Figures, figures, here
from lessons.steps import Step
from lessons.values import evaluate, filled
from sim import Offer, Scenario, Status, by_hand, run
from sim.files import FileError, variant
from sim.hand import as_grant
from sim.setup import Setup

NUM_CARDS = 6
_ROUNDED = 2e-3  # of a value: what is typed may be rounded to three digits
_PART = re.compile(r"^### +(.+)$", re.M)
_OPTION = re.compile(r"^- (.+(?:\n  .+)*)$", re.M)
_SETUP = {field.name for field in fields(Setup)}

Table = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Hint:
    """What is said to one wrong answer: values of the boxes, or the number of an option."""

    values: tuple[float | str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Share:
    """One request in a round to fill: the tokens it can have, and those the policy gives."""

    id: str
    most: int
    given: int
    is_here: bool
    is_decode: bool


@dataclass(frozen=True, slots=True)
class Card:
    """One question in one language. Texts are Markdown.

    `answer` has a value for each box, or the options that are right, counted from 1. `changes` are
    those that make the scene the one that is asked about.
    """

    scenario: Scenario
    changes: Table
    question: str
    options: tuple[str, ...]
    answer: tuple[float | str, ...]
    hints: tuple[Hint, ...]
    hint: str
    worked: str
    shares: tuple[Share, ...] = ()
    budget: int = 0


@dataclass(frozen=True, slots=True)
class Parts:
    """The section of a step, taken apart, figures not yet filled in."""

    question: str
    options: tuple[str, ...]
    hints: Mapping[str, str]
    hint: str
    worked: str


def parts_of(body: str, place: str, kind: str = "choice") -> Parts:
    """Take a section apart; only a choice has options, other lists belong to the question.

    Raises:
        LessonError: it has no hint or no worked answer, or a part with another head.
    """
    head, *rest = _PART.split(body)
    told = {name.strip(): text.strip() for name, text in zip(rest[::2], rest[1::2], strict=True)}
    for name in ("Hint", "Answer"):
        if name not in told:
            raise LessonError(f"{place}: has no '### {name}'")
    hint, worked = told.pop("Hint"), told.pop("Answer")
    hints = {name.removeprefix("Hint:").strip(): text for name, text in told.items()}
    for name in told:
        if not name.startswith("Hint:"):
            raise LessonError(f"{place}: '### {name}' is no part; known: Hint, Hint: name, Answer")
    if kind != "choice":
        return Parts(head.strip(), (), hints, hint, worked)
    options = tuple(option.strip() for option in _OPTION.findall(head))
    return Parts(_OPTION.sub("", head).strip(), options, hints, hint, worked)


def cards(scene: str, step: Step, body: str, place: str) -> tuple[Card, ...]:
    """The cards of a step with an exercise: the lesson's own, then draws that differ from it.

    Raises:
        LessonError: a part or a value is missing, or a drawn scenario breaks rules.
    """
    exercise = step.exercise
    assert exercise is not None, "a step without an exercise has no cards"
    parts = parts_of(body, place, exercise.kind)
    known = dict.fromkeys(map(_frozen, _draws(exercise, scene)))
    return tuple(_card(scene, step, parts, dict(changes), place) for changes in known)


def _frozen(changes: Table) -> tuple[tuple[str, Any], ...]:
    return tuple((name, _hashable(value)) for name, value in changes.items())


def _hashable(value: Any) -> Any:
    return tuple(map(_hashable, value)) if isinstance(value, list) else value


def _draws(exercise: Exercise, scene: str) -> list[dict[str, Any]]:
    """What each card changes, by field: the same in every language and wherever the files lie."""
    own = dict(exercise.change)
    asked = f"{scene} {exercise.answer} {exercise.right} {sorted(exercise.draw)}"
    drawn = [own]
    for seed in range(1, NUM_CARDS if exercise.draw else 1):
        random = Random(f"{asked} {seed}")
        drawn.append(own | {name: random.choice(known) for name, known in exercise.draw.items()})
    return drawn


def _lane_like(changes: Table, ids: set[str]) -> dict[str, Any]:
    """Changes by field as the table of a lane: `C.arrival` is a request's, `cost.base` nested."""
    table: dict[str, Any] = {}
    for name, value in changes.items():
        first, *rest = name.split(".")
        path = (
            ["requests", first, *rest] if first not in _SETUP and first in ids else [first, *rest]
        )
        inner = table
        for part in path[:-1]:
            inner = inner.setdefault(part, {})
        inner[path[-1]] = list(value) if isinstance(value, tuple) else value
    return table


@cache
def _figures(scene: str, changes: tuple[tuple[str, Any], ...]) -> Figures:
    """The results of a scene with some fields changed."""
    own = figures(scene)
    if not changes:
        return own
    ids = {request.id for request in own.scenario.requests}
    return Figures(*variant(scene, _lane_like(dict(changes), ids)))


def _card(scene: str, step: Step, parts: Parts, changes: Table, place: str) -> Card:
    exercise = step.exercise
    assert exercise is not None
    try:
        asked = _figures(scene, _frozen(changes))
    except FileError as error:
        raise LessonError(f"{place}: {error}") from None
    values = asked.plus(here=partial(here, asked, step), own=figures(scene))
    shares = _shares(asked, step) if exercise.kind == "grants" else ()
    answer = _answer(exercise, values, shares, parts, place)
    is_one = exercise.kind == "number"
    told = values.plus(answer=answer[0] if is_one else list(answer))
    return Card(
        scenario=asked.scenario,
        changes=changes,
        question=filled(parts.question, told, place),
        options=tuple(filled(option, told, place) for option in parts.options),
        answer=answer,
        hints=tuple(_hints(exercise, parts, told, answer, place)),
        hint=filled(parts.hint, told, place),
        worked=filled(parts.worked, told, place),
        shares=shares,
        budget=asked.scenario.setup.budget,
    )


def _answer(
    exercise: Exercise, values: Any, shares: tuple[Share, ...], parts: Parts, place: str
) -> tuple[float | str, ...]:
    if exercise.kind == "grants":
        return tuple(share.given for share in shares)
    if exercise.kind != "choice":
        return tuple(_value(one, values, place) for one in exercise.answer)
    if len(parts.options) != len(exercise.right):
        count = f"{len(parts.options)} options in the text, {len(exercise.right)} in lesson.toml"
        raise LessonError(f"{place}: {count}")
    right = (bool(evaluate(one, values, place)) for one in exercise.right)
    found = tuple(number for number, is_right in enumerate(right, 1) if is_right)
    if not found:
        raise LessonError(f"{place}: no option is right")
    return found


def _value(expression: str, values: Any, place: str) -> float | str:
    value = evaluate(expression, values, place)
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise LessonError(f"{place}: {expression} is {value!r}, neither a number nor a text")
    return value


def _hints(
    exercise: Exercise, parts: Parts, values: Any, answer: tuple[float | str, ...], place: str
) -> list[Hint]:
    """The hints whose wrong answer is not by chance the right one."""
    found = []
    for name, text in parts.hints.items():
        if exercise.kind == "choice":
            if not name.isdigit() or not 1 <= int(name) <= len(parts.options):
                raise LessonError(f"{place}: '### Hint: {name}' is no number of an option")
            wrong: tuple[float | str, ...] = (int(name),)
        elif name in exercise.mistakes:
            wrong = tuple(_value(one, values, place) for one in exercise.mistakes[name])
        else:
            raise LessonError(f"{place}: '### Hint: {name}' has no value in mistakes")
        is_right = wrong[0] in answer if exercise.kind == "choice" else are_same(wrong, answer)
        if not is_right:
            found.append(Hint(wrong, filled(text, values, place)))
    for name in exercise.mistakes:
        if name not in parts.hints:
            raise LessonError(f"{place}: mistakes.{name} has no '### Hint: {name}'")
    return found


def are_same(given: tuple[float | str, ...], answer: tuple[float | str, ...]) -> bool:
    """Whether what is given in all boxes counts as the answer; numbers may be rounded.

    >>> are_same((26.67,), (26.666666,)), are_same((26,), (26.666666,)), are_same(("A",), ("A",))
    (True, False, True)
    """
    pairs = zip(given, answer, strict=True)
    return all(
        abs(one - other) <= margin(other)
        if isinstance(one, int | float) and isinstance(other, int | float)
        else one == other
        for one, other in pairs
    )


def margin(value: float | str) -> float:
    """How far a typed number may be off; whole numbers are typed as they are."""
    return max(0.0051, _ROUNDED * abs(value)) if isinstance(value, float) else 0.0


def _shares(asked: Figures, step: Step) -> tuple[Share, ...]:
    """The round to fill, as it would have to be given by hand; who is not here can have nothing."""
    exercise = step.exercise
    assert exercise is not None
    shown = here(asked, step)
    number = exercise.at or (shown["round"] + 1 if shown else 1)
    scenario = asked.lanes.get(step.lane, asked.scenario).with_setup(mode="continuous")
    rounds = run(scenario)
    if not 1 <= number <= len(rounds):
        raise LessonError(f"the run has {len(rounds)} rounds, and no round {number} to fill")
    hand = by_hand(scenario, [as_grant(one) for one in rounds[: number - 1]])
    present = {offer.id: offer for offer in hand.present}
    return tuple(
        _share(present.get(request.id), request.id, hand.suggestion.get(request.id, 0))
        for request in scenario.requests
    )


def _share(offer: Offer | None, id_: str, given: int) -> Share:
    if offer is None:
        return Share(id_, 0, 0, is_here=False, is_decode=False)
    return Share(id_, offer.most, given, is_here=True, is_decode=offer.status is Status.DECODE)
