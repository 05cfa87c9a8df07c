"""What a lesson saved as one page carries: words, steps, and all runs that they show.

A run is sent to the page as the server would send it, window by window. Those of a run too long
are left out, but for the ones its steps stand in. Windows are packed (deflated, base64), which
makes them a tenth. Files that a step offers are made by the server alone, and not offered here.
"""

import base64
import zlib
from typing import Any

from app.i18n import LANGUAGES, words
from app.lesson_view import scene_steps
from app.scene_words import of_scene
from app.session import Session
from app.url import arguments_of, is_edited, open_link
from app.wire import as_json
from lessons.catalogue import scenes
from sim.files import builtin

MOST_ROUNDS = 3_000  # of all lanes together; of more only some windows are kept

Data = dict[str, Any]


def lesson_data(lesson: int) -> dict[str, Data]:
    """The scenes of a lesson by name, in each language."""
    own = [name for name, scene in scenes().items() if scene.lesson == lesson]
    told = {name: _scene(name) for name in own}
    return {lang: {name: scene[lang] for name, scene in told.items()} for lang in LANGUAGES}


def _scene(name: str) -> dict[str, Data]:
    """A scene in each language: its steps, its own run, and those of its exercises' cards."""
    own = Session()
    own.choose(name)
    found = {}
    for lang in LANGUAGES:
        own.lang = lang
        steps = scene_steps(name, lang)
        places = [step["usual"] for step in steps if step.get("usual")]
        found[lang] = {
            "lesson": of_scene(name, lang) | {"steps": [step | {"file": ""} for step in steps]},
            "budget": builtin(name).setup.budget,
            "runs": {"": _run(own, places)} | _changed(steps, lang, places),
        }
    return found


def _changed(steps: list[Data], lang: str, places: list[float]) -> Data:
    """The runs of the cards that show the scene changed, by the links that open them."""
    cards = [card for step in steps if step["exercise"] for card in step["exercise"]["cards"]]
    session = Session(lang=lang)
    found: Data = {}
    for search in dict.fromkeys(card["search"] for card in cards if card["search"]):
        open_link(session, arguments_of(search))
        if is_edited(session):
            found[search] = _run(session, places)
    return found


def _is_kept_whole(payload: Data) -> bool:
    rounds = sum(lane["num_rounds"] for lane in payload["lanes"])
    return bool(payload["whole"]) or rounds <= MOST_ROUNDS


def _run(session: Session, places: list[float]) -> Data:
    _go(session, 0)
    first = session.payload
    is_part = not _is_kept_whole(first)
    return {"is_part": is_part, "windows": _windows(session, first, is_part, places)}


def _windows(session: Session, first: Data, is_part: bool, places: list[float]) -> list[Data]:
    """The windows to keep: all of them, or those at the start, at these times and at the end."""
    found = [_packed(first)]
    if first["whole"]:
        return found
    end = first["overview"]["t1"]
    if is_part:
        for time in sorted({*places, end}):
            _go(session, time)
            found.append(_packed(session.payload))
        return found
    while (edge := found[-1]["t1"]) < end:
        _go(session, edge)
        shown = session.payload
        if shown["t1"] <= edge:
            break
        found.append(_packed(shown))
    return found


def _go(session: Session, time: float) -> None:
    session.move_window({"t": time, "run": session.picture.run})


def _packed(payload: Data) -> Data:
    """A window, and what is to be known of it before it is unpacked."""
    shown = {key: value for key, value in payload.items() if key not in ("words", "bases", "run")}
    text = as_json(shown)
    packed = base64.b64encode(zlib.compress(text.encode(), 9)).decode()
    return {key: payload[key] for key in ("t0", "t1", "whole")} | {"packed": packed}


def page_words(lang: str) -> dict[str, str]:
    """The words of the page around the stage."""
    return words(lang, "page") | words(lang, "export")
