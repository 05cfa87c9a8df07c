"""The lesson as the page shows it: number, title, hook, and all steps of the scene at once.

The browser goes from step to step by itself, so each comes with its text as HTML and with what it
does to the stage. The text is Markdown without HTML in it, and request names have the colours of
the scene's own requests, whatever becomes of the rows: it speaks of the scene as its file has it.
"""

from dataclasses import asdict
from functools import cache
from typing import Any

from markdown_it import MarkdownIt

from app.chips import chips, mark
from app.session import Session
from app.theme import REQUESTS
from lessons.catalogue import scenes, steps, text
from sim.files import builtin


def lesson_view(session: Session) -> dict[str, Any]:
    """Everything the lesson column shows."""
    told: dict[str, Any] = dict(session.lesson())
    own = told.pop("text", "")
    if own:
        return told | {"steps": [{"title": "", "html": html(own, session.scenario_name)}]}
    return told | {"steps": scene_steps(session.scenario_name, session.lang)}


@cache
def scene_steps(scene: str, lang: str) -> list[dict[str, Any]]:
    """The steps of a scene: what each says, and what it shows."""
    told = text(scene, lang).steps
    return [
        {"title": words.title, "html": html(words.body, scene), **asdict(shown)}
        for words, shown in zip(told, steps(scene), strict=True)
    ]


def html(markdown: str, scene: str) -> str:
    """Markdown as HTML, with chips for the requests of a scene."""
    return str(_markdown().render(mark(markdown, _colours(scene))))


@cache
def _markdown() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable("table").use(chips)


@cache
def _colours(scene: str) -> dict[str, int]:
    requests = builtin(scene).requests if scene in scenes() else ()
    return {request.id: place % len(REQUESTS) for place, request in enumerate(requests)}
