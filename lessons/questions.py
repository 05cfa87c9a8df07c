"""Questions that practitioners ask, and the step of the course that shows the answer to each.

[[question]]                                # questions.toml
id = 1
sources = ["vllm #2257", "vllm #3395"]      # where it was asked
step = "2b#batch-size"                      # a scene and the name of a step

1 = "Is there a batch size …?"              # questions.en.toml
"""

import tomllib
from dataclasses import dataclass
from functools import cache
from typing import Any

from lessons.catalogue import scenes, steps
from lessons.faults import LessonError
from sim.files import LESSONS, suggestion

FILE = LESSONS / "questions.toml"


@dataclass(frozen=True, slots=True)
class Question:
    """A question in one language, and the scene and step (from 1) that show the answer."""

    text: str
    sources: tuple[str, ...]
    scene: str
    step: int


@cache
def questions(lang: str) -> tuple[Question, ...]:
    """All questions in their order.

    Raises:
        LessonError: one has no words in this language, or its step is not there.
    """
    words = _table(f"questions.{lang}.toml")
    return tuple(_question(row, words) for row in _table("questions.toml").get("question", []))


def place_of(link: str) -> tuple[str, int]:
    """The scene and the number of the step that a link such as `5a#worst` names.

    Raises:
        LessonError: there is no such scene, or no step of this name in it.
    """
    scene, _, name = link.partition("#")
    if scene not in scenes():
        raise LessonError(f"{link}: {scene} is no scene{suggestion(scene, scenes())}")
    names = [step.name for step in steps(scene)]
    if name not in names or not name:
        raise LessonError(f"{link}: no step has this name{suggestion(name, filter(None, names))}")
    return scene, names.index(name) + 1


def _question(row: dict[str, Any], words: dict[str, str]) -> Question:
    id_ = str(row["id"])
    if id_ not in words:
        raise LessonError(f"{FILE}: question {id_} has no words in one language")
    try:
        scene, step = place_of(row["step"])
    except LessonError as error:
        raise LessonError(f"{FILE}: question {id_}: {error}") from None
    return Question(words[id_], tuple(row["sources"]), scene, step)


def _table(name: str) -> dict[str, Any]:
    path = LESSONS / name
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
