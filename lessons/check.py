"""Check the lessons: `python -m lessons.check` prints what is wrong, a line a fault.

What is checked: every scene has a text in both languages, each is built as `lessons.catalogue`
says and has the steps of `lesson.toml`; every lane, round, request and named value is there; both
languages name the same values and requests. What a text says is nobody's to check but a reader's.
"""

import re
import sys
from collections.abc import Iterator
from string import Formatter

from lessons.catalogue import scenes, steps, text
from lessons.figures import here
from lessons.steps import LessonError
from sim.files import builtin

LANGUAGES = ("en", "zh")


def problems() -> list[str]:
    """Everything that is wrong with the course, each with its place."""
    return [fault for name in scenes() for fault in scene_problems(name)]


def scene_problems(name: str) -> list[str]:
    """Everything that is wrong with a scene."""
    try:
        shown = [*_steps(name)]
        return shown or [*_texts(name)]
    except LessonError as error:
        return [str(error)]


def _steps(name: str) -> Iterator[str]:
    """Steps that cannot be shown."""
    scenario = builtin(name)
    known = {request.id for request in scenario.requests}
    for number, step in enumerate(steps(name), 1):
        place = f"{scenes()[name].folder / 'lesson.toml'}: steps.{name}, step {number}"
        try:
            here(scenario, step)
        except LessonError as error:
            yield f"{place}: {error}"
        for id_ in step.highlight:
            if id_ not in known:
                yield f"{place}: highlight: {id_} is no request of the scenario"


def _texts(name: str) -> Iterator[str]:
    """Texts that are missing, cannot be filled, or differ in what they name."""
    folder = scenes()[name].folder
    sources = []
    for lang in LANGUAGES:
        path = folder / f"{name}.{lang}.md"
        if not path.is_file():
            yield f"{path}: is missing; a scene has a text in each language"
            continue
        text(name, lang)
        sources.append(path.read_text(encoding="utf-8"))
    if len(sources) == len(LANGUAGES):
        for kind, find in (("values", values_in), ("requests", requests_in)):
            one, other = map(find, sources)
            if one != other:
                differing = ", ".join(sorted(one ^ other))
                yield f"{folder}/{name}: only one language names these {kind}: {differing}"


def values_in(source: str) -> set[str]:
    """The named values of a text."""
    return {name for _, name, _, _ in Formatter().parse(source) if name}


def requests_in(source: str) -> set[str]:
    """The requests that a text speaks of."""
    return set(re.findall(r"\*\*([A-Z]\d?)\*\*", source))


def main() -> int:
    """Print all faults; the exit code is 1 if there are any."""
    found = problems()
    for fault in found:
        sys.stdout.write(f"{fault}\n")
    sys.stdout.write(f"{len(scenes())} scenes, {len(found)} faults\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
