"""Checks the lessons: what is wrong with them, a line a fault.

Every scene has a text in each language, built as `lessons.catalogue` says, with the steps of
`lesson.toml`; every lane, round, request, named value and link is there; all languages name the
same values and requests; no figure is typed; every exercise has an answer in every draw, and no
hint for it; every lesson has its exercises, something to try, and its end. What a text says is
nobody's to check but a reader's.
"""

import re
from collections.abc import Iterable, Iterator

from lessons.cards import are_same
from lessons.catalogue import Text, lesson_text, lessons, scenes, steps, text
from lessons.faults import LessonError
from lessons.figures import figures, here
from lessons.questions import questions
from lessons.values import placeholders
from sim.files import LESSONS, builtin

LANGUAGES = tuple(sorted({path.name.split(".")[1] for path in LESSONS.glob("*/lesson.*.md")}))
LEAST_EXERCISES = 2  # a lesson

_CODE = re.compile(r"```.*?```|`[^`]*`|\{[^{}]*\}|^### .*$", re.S | re.M)
_FIGURE = re.compile(r"(?<![A-Za-z\d.])\d[\d.,]*(?![A-Za-z\d])")


def problems() -> list[str]:
    """Everything that is wrong with the course, each with its place."""
    found = [fault for name in scenes() for fault in scene_problems(name)]
    found += [fault for number in lessons() for fault in lesson_problems(number)]
    return [*found, *question_problems()]


def scene_problems(name: str) -> list[str]:
    """Everything that is wrong with a scene."""
    try:
        shown = [*_steps(name)]
        return shown or [*_texts(name)]
    except LessonError as error:
        return [str(error)]


def lesson_problems(number: int) -> list[str]:
    """What a lesson lacks as a whole."""
    folder = lessons()[number]
    found = []
    for lang in LANGUAGES:
        try:
            told = lesson_text(number, lang)
        except LessonError as error:
            found.append(str(error))
        else:
            place = f"{folder / f'lesson.{lang}.md'}"
            bodies = (told.title, told.points.body, told.limits.body)
            found += [f"{place}: {fault}" for body in bodies for fault in typed_figures(body)]
    own = [
        step for name, scene in scenes().items() if scene.lesson == number for step in steps(name)
    ]
    asked = [step.exercise for step in own if step.exercise]
    if len(asked) < LEAST_EXERCISES:
        found.append(
            f"{folder}: has {len(asked)} exercises; a lesson has {LEAST_EXERCISES} or more"
        )
    if not any(exercise.predict for exercise in asked):
        found.append(f"{folder}: no exercise has predict = true")
    if not any(step.kind == "try" for step in own):
        found.append(f'{folder}: no step has kind = "try"')
    return found


def question_problems() -> list[str]:
    """Links of the index of questions that lead nowhere, and questions without words."""
    found = []
    for lang in LANGUAGES:
        try:
            questions(lang)
        except LessonError as error:
            found.append(str(error))
    return found


def _steps(name: str) -> Iterator[str]:
    """Steps that cannot be shown."""
    known = {request.id for request in builtin(name).requests}
    for number, step in enumerate(steps(name), 1):
        place = f"{scenes()[name].folder / 'lesson.toml'}: steps.{name}, step {number}"
        try:
            here(figures(name), step)
        except LessonError as error:
            yield f"{place}: {error}"
        for id_ in step.highlight:
            if id_ not in known:
                yield f"{place}: highlight: {id_} is no request of the scenario"


def _texts(name: str) -> Iterator[str]:
    """Texts that are missing, cannot be filled, type figures, or differ in what they name."""
    folder = scenes()[name].folder
    sources = []
    for lang in LANGUAGES:
        path = folder / f"{name}.{lang}.md"
        if not path.is_file():
            yield f"{path}: is missing; a scene has a text in each language"
            continue
        yield from (f"{path}: {fault}" for fault in _cards(text(name, lang)))
        sources.append(path.read_text(encoding="utf-8"))
        yield from (f"{path}: {fault}" for fault in typed_figures(sources[-1]))
    if len(sources) == len(LANGUAGES):
        for kind, find in (("values", values_in), ("requests", requests_in)):
            found = [find(source) for source in sources]
            if differing := set().union(*found) - found[0].intersection(*found):
                listed = ", ".join(sorted(differing))
                yield f"{folder}/{name}: not every language names these {kind}: {listed}"


def _cards(told: Text) -> Iterator[str]:
    """Cards that could not mark an answer as they should."""
    for step in told.steps:
        for number, card in enumerate(step.cards):
            wrong = [hint.values for hint in card.hints]
            if any(one == other for i, one in enumerate(wrong) for other in wrong[:i]):
                yield f"step {step.title!r}, card {number}: two hints for one wrong answer"
            is_choice = bool(card.options)
            if not is_choice and any(are_same(one, card.answer) for one in wrong):
                yield f"step {step.title!r}, card {number}: a hint for the right answer"


def typed_figures(source: str) -> list[str]:
    """Figures that stand in a text and do not come from a run."""
    plain = _CODE.sub(" ", source)
    return [f"{figure} is typed; name a value instead" for figure in _FIGURE.findall(plain)]


def values_in(source: str) -> set[str]:
    """The named values of a text; each language joins a list with its own comma."""
    return {name.replace('"、"', '", "') for name in placeholders(source)}


def requests_in(source: str) -> set[str]:
    """The requests that a text speaks of."""
    return set(re.findall(r"\*\*([A-Z]\d?)\*\*", source))


def report(faults: Iterable[str]) -> str:
    """All faults, and how many there are."""
    listed = list(faults)
    return "\n".join([*listed, f"{len(scenes())} scenes, {len(listed)} faults"])
