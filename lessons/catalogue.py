"""Finds the scenes of the course, their texts and their steps.

A lesson is a folder `NN_name`. A teacher writes three kinds of files into it, and no code:

- `5a.toml`, a scenario (see `sim.scenario`), and in `lesson.toml` its lanes (see `sim.files`).
- `5a.en.md` and `5a.zh.md`, what is told: a title line, a hook, and a section a step. Behind a
  `|` in the title line stands the short name for the list of scenes.

      # Be the scheduler | Be the scheduler

      Three requests, a few tokens a round. Who gets them?

      ## Two talk, one comes in

      **A** and **B** decode. Of {setup.budget} tokens, {here.P} are left for **C**.

- `lesson.toml`, what is shown: a table a step, in the same order (see `lessons.steps`), and the
  `order` of the scenes if it is not that of their names.

      [[steps.5a]]
      round = 3
      lane = "continuous"
      alone = true
      highlight = ["C"]

- `lesson.en.md` and `lesson.zh.md`, the lesson as a whole: its title, and three sections that end
  it: what to remember, what the model leaves out, and where to read on.

A scenario without a text is no scene: the command line runs it, the page does not show it. Figures
in a text are named values (see `lessons.values`); nobody types them. A step may be an exercise (see
`lessons.cards`). `python -m lessons check` says what is wrong with a lesson, file by file.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from lessons.cards import Card, cards
from lessons.faults import LessonError
from lessons.figures import figures, here
from lessons.steps import Step, read_steps
from lessons.values import filled
from sim.files import LANES, builtin_files, read_table

_SECTION = re.compile(r"^## +(.+)$", re.M)
_CLOSING = 3  # sections at the end of a lesson


@dataclass(frozen=True, slots=True)
class Scene:
    """One scenario of the course, with where its texts lie."""

    name: str
    lesson: int
    folder: Path


@dataclass(frozen=True, slots=True)
class Section:
    """A title, and a text in Markdown."""

    title: str
    body: str


@dataclass(frozen=True, slots=True)
class StepText:
    """What a step says; an exercise says it with its cards, the first of which the lesson asks."""

    title: str
    body: str
    cards: tuple[Card, ...] = ()


@dataclass(frozen=True, slots=True)
class Heading:
    """What a scene is called, and its hook, in one language."""

    title: str
    short: str
    hook: str


@dataclass(frozen=True, slots=True)
class Text:
    """A scene's words in one language, figures filled in."""

    heading: Heading
    steps: tuple[StepText, ...]


@dataclass(frozen=True, slots=True)
class LessonText:
    """A lesson's own words in one language: its title, and how it ends."""

    title: str
    points: Section
    limits: Section
    references: Section


@cache
def scenes() -> Mapping[str, Scene]:
    """All scenes by name, in the order of the course: the scenarios that have a text."""
    found = [
        Scene(name, int(path.parent.name.partition("_")[0]), path.parent)
        for name, path in builtin_files().items()
        if path.with_name(f"{name}.en.md").is_file()
    ]
    found.sort(key=lambda scene: (scene.lesson, _place(scene)))
    return {scene.name: scene for scene in found}


def _place(scene: Scene) -> int:
    """Where a scene stands in its lesson: as `order` of `lesson.toml` says, else by name."""
    order = read_table(scene.folder / LANES).get("order", [])
    return order.index(scene.name) if scene.name in order else len(order)


@cache
def lessons() -> Mapping[int, Path]:
    """The folder of each lesson that has scenes, by its number."""
    return {scene.lesson: scene.folder for scene in scenes().values()}


@cache
def steps(name: str) -> tuple[Step, ...]:
    """What the steps of a scene show."""
    return read_steps(scenes()[name].folder, name)


@cache
def lesson_text(number: int, lang: str) -> LessonText:
    """A lesson's own words.

    Raises:
        LessonError: they are missing, or not built as they should be.
    """
    path = lessons()[number] / f"lesson.{lang}.md"
    head, *parts = _SECTION.split(_read(path))
    sections = [
        Section(*pair) for pair in zip(parts[::2], map(str.strip, parts[1::2]), strict=True)
    ]
    if not head.startswith("# ") or len(sections) != _CLOSING:
        raise LessonError(
            f"{path}: must have '# Title' and {_CLOSING} sections: what to remember, what the "
            "model leaves out, where to read on"
        )
    return LessonText(head.strip().removeprefix("# "), *sections)


@cache
def heading(name: str, lang: str) -> Heading:
    """What a scene is called; simulates nothing that it does not name.

    Raises:
        LessonError: the text does not begin as it should.
    """
    path, (head, *_) = _sections(name, lang)
    title, _, hook = head.strip().partition("\n\n")
    if not title.startswith("# ") or not hook:
        raise LessonError(f"{path}: must begin with '# Title', an empty line and a hook")
    long, _, short = title.removeprefix("# ").partition(" | ")
    told = filled(" ".join(hook.split("\n")), figures(name), str(path))
    return Heading(long, short or long, told)


@cache
def text(name: str, lang: str) -> Text:
    """A scene's text, figures filled in.

    Raises:
        LessonError: the text is not built as it should be, has not the steps of `lesson.toml`,
            or names a value that is not there.
    """
    path, (_, *parts) = _sections(name, lang)
    titles, bodies, shown = parts[::2], parts[1::2], steps(name)
    own = heading(name, lang)
    if len(titles) != len(shown):
        raise LessonError(
            f"{path}: has {len(titles)} steps ('## Title'), but steps.{name} in lesson.toml "
            f"has {len(shown)}; each step needs one of both"
        )
    return Text(own, tuple(_step(path, *told) for told in zip(titles, bodies, shown, strict=True)))


def _sections(name: str, lang: str) -> tuple[Path, list[str]]:
    """The file of a scene's text, and what it is made of: the head, then titles and bodies."""
    path = scenes()[name].folder / f"{name}.{lang}.md"
    return path, _SECTION.split(_read(path))


def _read(path: Path) -> str:
    if not path.is_file():
        raise LessonError(f"{path}: is missing")
    return path.read_text(encoding="utf-8")


def _step(path: Path, title: str, body: str, step: Step) -> StepText:
    """One step's words; `here` are the figures of the round that it shows."""
    scene = path.name.split(".")[0]
    place = f"{path}: step {title!r}"
    values = figures(scene).plus(here=partial(here, figures(scene), step))
    head = filled(title, values, place)
    if step.exercise is None:
        return StepText(head, filled(body, values, place))
    asked = cards(scene, step, body, place)
    return StepText(head, asked[0].question, asked)
