"""Finds the scenes of the course and fills their texts.

A lesson is a folder `NN_name` with scenario files (`5a.toml`), their lanes (`lesson.toml`, see
`sim.files`) and, a scene and a language, a text (`5a.en.md`): a title line, a hook, the rest. A
scenario without a text is no scene: the command line runs it, the page does not show it. Figures
in a text are named values filled from the simulator, such as `{continuous[requests][C][ttft]}`;
nobody types them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from sim import Scenario, run
from sim.export import to_json
from sim.files import builtin, builtin_files

MODES = ("static", "continuous")


@dataclass(frozen=True, slots=True)
class Scene:
    """One scenario of the course, with where its texts lie."""

    name: str
    lesson: int
    folder: Path


@dataclass(frozen=True, slots=True)
class Text:
    """A scene's words in one language: title, hook and body in Markdown."""

    title: str
    hook: str
    body: str


@cache
def scenes() -> Mapping[str, Scene]:
    """All scenes by name, in the order of the course: the scenarios that have a text."""
    return {
        name: Scene(name, int(path.parent.name.partition("_")[0]), path.parent)
        for name, path in builtin_files().items()
        if path.with_name(f"{name}.en.md").is_file()
    }


@cache
def text(name: str, lang: str) -> Text:
    """A scene's text, figures filled in."""
    raw = (scenes()[name].folder / f"{name}.{lang}.md").read_text(encoding="utf-8")
    title, hook, body = raw.split("\n\n", 2)
    values = figures(builtin(name))
    return Text(title.removeprefix("# "), _filled(hook, values), _filled(body.strip(), values))


def figures(scenario: Scenario) -> dict[str, Any]:
    """What a text may name: `static` and `continuous` as in the JSON output, and `setup`."""
    values: dict[str, Any] = {"setup": scenario.setup, "request": _by_id(scenario)}
    for mode in MODES:
        values[mode] = to_json(run(scenario.with_setup(mode=mode)))
    return values


def _by_id(scenario: Scenario) -> dict[str, Any]:
    return {request["id"]: request for request in scenario.to_dict()["requests"]}


def _filled(template: str, values: dict[str, Any]) -> str:
    return (
        " ".join(template.format_map(values).splitlines())
        if "\n\n" not in template
        else (template.format_map(values))
    )
