"""Finds the scenes of the course, their texts and their steps.

A lesson is a folder `NN_name`. A teacher writes three kinds of files into it, and no code:

- `5a.toml`, a scenario (see `sim.scenario`), and in `lesson.toml` its lanes (see `sim.files`).
- `5a.en.md` and `5a.zh.md`, what is told: a title line, a hook, and a section a step. Behind a
  `|` in the title line stands the short name for the list of scenes.

      # Be the scheduler | Be the scheduler

      Three requests, a few tokens a round. Who gets them?

      ## Two talk, one comes in

      **A** and **B** decode. Of {setup.budget} tokens, {here[P]} are left for **C**.

- `lesson.toml`, what is shown: a table a step, in the same order (see `lessons.steps`).

      [[steps.5a]]
      round = 3
      lane = "continuous"
      alone = true
      highlight = ["C"]

A scenario without a text is no scene: the command line runs it, the page does not show it. Figures
in a text are named values (see `lessons.figures`); nobody types them. `python -m lessons.check`
says what is wrong with a lesson, file by file.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from lessons.figures import MODES as MODES
from lessons.figures import figures, here
from lessons.steps import LessonError, Step, read_steps
from sim.files import builtin, builtin_files

_SECTION = re.compile(r"^## +(.+)$", re.M)


@dataclass(frozen=True, slots=True)
class Scene:
    """One scenario of the course, with where its texts lie."""

    name: str
    lesson: int
    folder: Path


@dataclass(frozen=True, slots=True)
class StepText:
    """What a step says: a title, and a text in Markdown."""

    title: str
    body: str


@dataclass(frozen=True, slots=True)
class Text:
    """A scene's words in one language, figures filled in."""

    title: str
    short: str
    hook: str
    steps: tuple[StepText, ...]


@cache
def scenes() -> Mapping[str, Scene]:
    """All scenes by name, in the order of the course: the scenarios that have a text."""
    return {
        name: Scene(name, int(path.parent.name.partition("_")[0]), path.parent)
        for name, path in builtin_files().items()
        if path.with_name(f"{name}.en.md").is_file()
    }


@cache
def steps(name: str) -> tuple[Step, ...]:
    """What the steps of a scene show."""
    return read_steps(scenes()[name].folder, name)


@cache
def text(name: str, lang: str) -> Text:
    """A scene's text, figures filled in.

    Raises:
        LessonError: the text is not built as it should be, has not the steps of `lesson.toml`,
            or names a value that is not there.
    """
    path = scenes()[name].folder / f"{name}.{lang}.md"
    head, *parts = _SECTION.split(path.read_text(encoding="utf-8"))
    title, _, hook = head.strip().partition("\n\n")
    if not title.startswith("# ") or not hook:
        raise LessonError(f"{path}: must begin with '# Title', an empty line and a hook")
    titles, bodies, shown = parts[::2], parts[1::2], steps(name)
    if len(titles) != len(shown):
        raise LessonError(
            f"{path}: has {len(titles)} steps ('## Title'), but steps.{name} in lesson.toml "
            f"has {len(shown)}; each step needs one of both"
        )
    values = figures(builtin(name))
    long, _, short = title.removeprefix("# ").partition(" | ")
    return Text(
        long,
        short or long,
        _filled(" ".join(hook.split("\n")), values, str(path)),
        tuple(_step(path, *told) for told in zip(titles, bodies, shown, strict=True)),
    )


def _step(path: Path, title: str, body: str, step: Step) -> StepText:
    """One step's words; `here` are the figures of the round that it shows."""
    scenario = builtin(path.name.split(".")[0])
    values = {**figures(scenario), "here": here(scenario, step)}
    place = f"{path}: step {title!r}"
    return StepText(_filled(title, values, place), _filled(body, values, place))


def _filled(template: str, values: Mapping[str, Any], place: str) -> str:
    try:
        return template.strip().format_map(values)
    except (KeyError, IndexError, AttributeError, TypeError, ValueError) as error:
        raise LessonError(f"{place}: names a value that is not there: {error}") from None
