"""Files of the page: scenarios and runs that are saved.

Nothing is written on the server: what is saved goes to the browser as bytes, which makes the file.
A run is saved with all lanes on the screen, up to a size; the command line writes larger ones.
"""

import io
import json
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.i18n import say
from app.packing import packed_lanes
from app.session import TRACE, Session
from sim import History
from sim.chrome import to_chrome
from sim.export import csv_texts, to_json
from sim.toml import to_toml

LAB = Path(__file__).resolve().parents[1] / "assets" / "lab.py"  # the script of the lessons
MOST_ROUNDS_SAVED = 20_000  # of all lanes together
QUICK_ROUNDS = 500  # above, a file is made in the background

Give = Callable[["Saved"], None]

_ENDING = re.compile(r"\.(csv|jsonl?|txt)$", re.IGNORECASE)
_FILE_SIGNS = re.compile(r"[^\w-]+")


@dataclass(frozen=True, slots=True)
class Saved:
    """A file on its way to the browser."""

    name: str
    mime: str
    content: bytes


def save(session: Session, what: str, give: Give) -> None:
    """Make a file of what is on the screen and hand it on; a run that is too long is told."""
    scenario = session.last_good
    names = _names_apart([one.spec.name or one.spec.key for one in session.played])
    histories = {n: one.history for n, one in zip(names, session.played, strict=True)}
    stem = stem_of(session)
    if what == LAB.name:
        give(Saved(LAB.name, "text/x-python", LAB.read_bytes()))
        return
    if what == "scenario":
        page = {"page": {"lanes": packed_lanes(session.shown_lanes)}}
        text = to_toml(scenario.to_dict() | page)
        give(Saved(f"{stem}.toml", "application/toml", text.encode()))
        return
    make = _MAKERS.get(what)
    if make is None:
        return
    rounds = sum(map(len, histories.values()))
    if rounds > MOST_ROUNDS_SAVED:
        values = {"rounds": f"{rounds:,}", "high": f"{MOST_ROUNDS_SAVED:,}", "file": f"{stem}.toml"}
        session.announce(lambda lang: say(lang, "files.too_long", **values))
    elif rounds <= QUICK_ROUNDS:
        give(make(stem, histories))
    else:
        _later(session, lambda: make(stem, histories), give)


def _later(session: Session, job: Callable[[], Saved], give: Give) -> None:
    """Make a file in the background, and say so unless something else is being said."""
    text = say(session.lang, "files.writing")
    session.working = session.working or text

    def then(saved: Saved) -> None:
        if session.working == text:
            session.working = ""
        give(saved)

    session.defer(job, then)


def stem_of(session: Session) -> str:
    """What a file is called: after the scene, or after the file it came from."""
    is_own = session.scenario_name == TRACE
    name = _ENDING.sub("", session.last_good.name) if is_own else session.scenario_name
    return f"rebatch-{_FILE_SIGNS.sub('-', name.removeprefix('rebatch-'))}"


def _names_apart(names: Sequence[str]) -> list[str]:
    """Names of lanes of which no two name the same folder; the second of two alike is numbered."""
    result: list[str] = []
    for name in names:
        same = sum(_is_same_folder(name, other) for other in names[: len(result)])
        result.append(f"{name} ({same + 1})" if same else name)
    return result


def _is_same_folder(name: str, other: str) -> bool:
    return _folder(name).lower() == _folder(other).lower()


def _folder(name: str) -> str:
    return _FILE_SIGNS.sub("-", name)


def _csv(stem: str, histories: Mapping[str, History]) -> Saved:
    """Four tables a lane, in a folder of its name."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for key, history in histories.items():
            folder = _folder(key)
            for name, text in csv_texts(history).items():
                archive.writestr(f"{folder}/{name}", text)
    return Saved(f"{stem}-csv.zip", "application/zip", content.getvalue())


def _json(stem: str, histories: Mapping[str, History]) -> Saved:
    """What the command line prints with --json, a lane each, by its name."""
    lanes = {key: to_json(history) for key, history in histories.items()}
    return Saved(f"{stem}.json", "application/json", json.dumps(lanes).encode())


def _chrome(stem: str, histories: Mapping[str, History]) -> Saved:
    text = json.dumps(to_chrome(*histories.values(), names=list(histories)))
    return Saved(f"{stem}-trace.json", "application/json", text.encode())


_MAKERS: Mapping[str, Callable[[str, Mapping[str, History]], Saved]] = {
    "csv": _csv,
    "json": _json,
    "chrome": _chrome,
}
