"""The lesson as the page shows it: number, title, hook, and all steps of the scene at once.

The browser goes from step to step by itself, so each comes with its text as HTML, with what it does
to the stage, and an exercise with all that marks it. The last scene of a lesson ends with one step
more: what to remember, what the model leaves out, and where to read on. The text is Markdown
without HTML in it, and request names have the colours of the scene's own requests, whatever becomes
of the rows: it speaks of the scene as its file has it.
"""

from dataclasses import asdict
from functools import cache
from typing import Any

from markdown_it import MarkdownIt

from app.chips import chips, mark
from app.i18n import say
from app.session import Session
from app.theme import REQUESTS
from app.url import link_to
from lessons.cards import Card, margin
from lessons.catalogue import StepText, lesson_text, scenes, steps, text
from lessons.exercises import Exercise
from lessons.figures import figures, here
from lessons.questions import questions
from lessons.steps import Step
from sim.files import builtin

_END = Step(round="end")


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
    pairs = zip(text(scene, lang).steps, steps(scene), strict=True)
    shown = [_step(scene, number, *pair) for number, pair in enumerate(pairs, 1)]
    lesson = scenes()[scene].lesson
    is_last = [name for name, one in scenes().items() if one.lesson == lesson][-1] == scene
    return [*shown, _end(lesson, scene, lang)] if is_last else shown


def _step(scene: str, number: int, words: StepText, shown: Step) -> dict[str, Any]:
    view: dict[str, Any] = {
        "title": words.title,
        "html": "" if words.cards else html(words.body, scene),
        **asdict(shown),
        "usual": _usual_time(scene, shown),
        "exercise": None,
    }
    if shown.exercise:
        view["exercise"] = _exercise(shown.exercise, words.cards, scene, number)
    return view


def _usual_time(scene: str, shown: Step) -> float | None:
    """Where a step stands in the scene as its file has it, ms or ticks; None at start and end.

    The browser finds the round itself, but in a large run it has only the part it shows.
    """
    if shown.round in ("start", "end"):
        return None
    found = here(figures(scene), shown)
    return found["end"] if found else None


def _end(lesson: int, scene: str, lang: str) -> dict[str, Any]:
    """The end of a lesson, as a step that leaves the stage at the end of the run."""
    told = lesson_text(lesson, lang)
    sections = (told.limits, told.references)
    parts = [told.points.body, *(f"### {part.title}\n\n{part.body}" for part in sections)]
    whole = html("\n\n".join(parts), scene)
    return asdict(_END) | {"title": told.points.title, "html": whole, "kind": "end"}


def _exercise(exercise: Exercise, cards: tuple[Card, ...], scene: str, step: int) -> dict[str, Any]:
    """All that the browser needs to ask, mark, reveal and ask again."""
    return {
        "kind": exercise.kind,
        "unit": exercise.unit,
        "labels": exercise.labels,
        "predict": exercise.predict,
        "cards": [_card(card, scene, step) for card in cards],
    }


def _card(card: Card, scene: str, step: int) -> dict[str, Any]:
    colours = _colours(scene)
    return {
        "html": html(card.question, scene),
        "options": [html(option, scene) for option in card.options],
        "answer": card.answer,
        "margins": [margin(value) for value in card.answer],
        "hints": [{"values": one.values, "html": html(one.text, scene)} for one in card.hints],
        "hint": html(card.hint, scene),
        "worked": html(card.worked, scene),
        "shares": [asdict(one) | {"colour": colours[one.id]} for one in card.shares],
        "budget": card.budget,
        "search": link_to(scene, card.scenario, step) if card.changes else "",
    }


def course_view(lang: str) -> dict[str, Any]:
    """What does not change from scene to scene: the lessons, and the index of questions."""
    asked = [
        {
            "text": one.text,
            "sources": one.sources,
            "search": f"scenario={one.scene}&step={one.step}",
        }
        for one in questions(lang)
    ]
    return {"lessons": lesson_titles(lang), "questions": asked}


def lesson_titles(lang: str) -> list[dict[str, Any]]:
    """The lessons of the course, with their scenes, as the list at the left shows them."""
    found: dict[int, dict[str, Any]] = {}
    for name, scene in scenes().items():
        lesson = found.setdefault(
            scene.lesson,
            {"title": lesson_text(scene.lesson, lang).title, "scenes": [], "exercises": []},
        )
        lesson["scenes"].append(name)
        asked = [i for i, step in enumerate(steps(name), 1) if step.exercise]
        lesson["exercises"] += [f"{name}#{number}" for number in asked]
    return [
        {"name": say(lang, "page.lesson", number=number), "number": number, **lesson}
        for number, lesson in found.items()
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
