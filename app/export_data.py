"""What a lesson saved as one page carries: words, steps, and all runs that they show.

A run is sent to the page as the server would send it, window by window. Those of a run too long
are left out, but for the ones its steps stand in. Windows are packed (deflated, base64), as text
like theirs shrinks to a tenth.
"""

import base64
import json
import zlib
from collections.abc import Iterator
from typing import Any

from app.i18n import LANGUAGES, words
from app.lesson_view import scene_steps
from app.scene_words import of_scene
from app.session import Session
from app.url import arguments_of, open_link
from lessons.catalogue import scenes
from sim.files import builtin

MOST_ROUNDS = 5_000  # of all lanes together; of more only some windows are kept

Data = dict[str, Any]


def lesson_data(lesson: int) -> dict[str, Data]:
    """The scenes of a lesson by name, in each language."""
    own = [name for name, scene in scenes().items() if scene.lesson == lesson]
    told = {name: _scene(name) for name in own}
    return {lang: {name: scene[lang] for name, scene in told.items()} for lang in LANGUAGES}


def _scene(name: str) -> dict[str, Data]:
    """A scene in each language: its steps, its own run, and those of its exercises' cards."""
    session = Session()
    session.choose(name)
    is_part = not _is_kept_whole(session.payload)
    runs = _run(session, name)
    found = {lang: {"": runs[lang]} for lang in LANGUAGES}
    for search in _searches(name):
        open_link(session, arguments_of(search))
        runs = _run(session, name)
        for lang in LANGUAGES:
            found[lang][search] = runs[lang]
    return {
        lang: {
            "lesson": of_scene(name, lang) | {"steps": _steps(name, lang)},
            "budget": builtin(name).setup.budget,
            "is_part": is_part,
            "runs": found[lang],
        }
        for lang in LANGUAGES
    }


def _steps(name: str, lang: str) -> list[Data]:
    """The steps as the page of the server has them; files are made by the server alone."""
    return [step | {"file": ""} for step in scene_steps(name, lang)]


def _searches(name: str) -> list[str]:
    """The links of the cards that show a changed scene, each once; the same in each language."""
    asked = [step["exercise"] for step in scene_steps(name, LANGUAGES[0]) if step["exercise"]]
    found = [card["search"] for exercise in asked for card in exercise["cards"]]
    return list(dict.fromkeys(search for search in found if search))


def _run(session: Session, name: str) -> dict[str, list[Data]]:
    """The windows of the run that a session shows, in each language."""
    places = [step["usual"] for step in scene_steps(name, LANGUAGES[0]) if step.get("usual")]
    found = {}
    for lang in LANGUAGES:
        session.lang = lang
        found[lang] = [_packed(payload) for payload in _windows(session, places)]
    return found


def _is_kept_whole(payload: Data) -> bool:
    rounds = sum(lane["num_rounds"] for lane in payload["lanes"])
    return bool(payload["whole"]) or rounds <= MOST_ROUNDS


def _windows(session: Session, places: list[float]) -> Iterator[Data]:
    """The windows to keep: all of them, or those at the start, at these times and at the end."""
    _go(session, 0)
    first = session.payload
    yield first
    if first["whole"]:
        return
    end = first["overview"]["t1"]
    if not _is_kept_whole(first):
        for time in sorted({*places, end}):
            _go(session, time)
            yield session.payload
        return
    edge = first["t1"]
    while edge < end:
        _go(session, edge)
        if session.payload["t1"] <= edge:
            return
        yield session.payload
        edge = session.payload["t1"]


def _go(session: Session, time: float) -> None:
    session.move_window({"t": time, "run": session.payload["run"]})


def _packed(payload: Data) -> Data:
    """A window, and what is to be known of it before it is unpacked."""
    shown = {key: value for key, value in payload.items() if key not in ("words", "bases")}
    text = json.dumps(shown, ensure_ascii=False, separators=(",", ":"))
    packed = base64.b64encode(zlib.compress(text.encode(), 9)).decode()
    return {key: payload[key] for key in ("run", "t0", "t1", "whole")} | {"packed": packed}


def page_words(lang: str) -> dict[str, str]:
    """The words of the page around the stage."""
    return words(lang, "page") | words(lang, "export")
