"""Files of the page: scenarios and runs that are saved.

Nothing is written on the server: what is saved goes to the browser as bytes, which makes the file.
A run is saved with all lanes on the screen, up to a size; the command line writes larger ones.
"""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from app.i18n import say
from app.lane_runs import Away, here
from app.packing import packed_lanes
from app.rows import MOST_ROWS
from app.saving import KINDS, Saved, folder, made
from app.session import TRACE, Session
from sim import Scenario
from sim.toml import to_toml

LAB = Path(__file__).resolve().parents[1] / "assets" / "lab.py"  # the script of the lessons
MOST_ROUNDS_SAVED = 20_000  # of all lanes together
QUICK_ROUNDS = 500  # above, a file is made in the background

Give = Callable[[Saved], None]

_ENDING = re.compile(r"\.(csv|jsonl?|txt)$", re.IGNORECASE)


def save(session: Session, what: str, give: Give, away: Away = here) -> None:
    """Make a file of what is on the screen and hand it on; a run that is too long is told.

    Args:
        session: what is on the screen.
        what: `LAB.name`, `scenario`, or one of the `KINDS`; nothing comes of anything else.
        give: takes the file.
        away: who makes that of a long run.
    """
    scenario, stem = session.last_good, stem_of(session)
    if what == LAB.name:
        give(Saved.of(LAB.name, "text/x-python", LAB.read_bytes()))
        return
    if what == "scenario":
        page = {"page": {"lanes": packed_lanes(session.shown_lanes)}}
        if len(scenario.requests) > MOST_ROWS:
            _later(session, lambda: _as_toml(stem, scenario, page), give)
        else:
            give(_as_toml(stem, scenario, page))
        return
    if what not in KINDS:
        return
    names = _names_apart([one.spec.name or one.spec.key for one in session.played])
    histories = session.histories
    rounds = sum(map(len, histories))
    if rounds > MOST_ROUNDS_SAVED:
        values = {"rounds": f"{rounds:,}", "high": f"{MOST_ROUNDS_SAVED:,}", "file": f"{stem}.toml"}
        session.announce(lambda lang: say(lang, "files.too_long", **values))
    elif rounds <= QUICK_ROUNDS:
        give(made(what, stem, names, *histories))
    else:
        _later(session, lambda: away(made, what, stem, names, *histories), give)


def _as_toml(stem: str, scenario: Scenario, page: dict[str, Any]) -> Saved:
    text = to_toml(scenario.to_dict() | page)
    return Saved.of(f"{stem}.toml", "application/toml", text.encode())


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
    return f"rebatch-{folder(name.removeprefix('rebatch-'))}"


def _names_apart(names: Sequence[str]) -> list[str]:
    """Names of lanes of which no two name the same folder; the second of two alike is numbered."""
    result: list[str] = []
    for name in names:
        same = sum(_is_same_folder(name, other) for other in names[: len(result)])
        result.append(f"{name} ({same + 1})" if same else name)
    return result


def _is_same_folder(name: str, other: str) -> bool:
    return folder(name).lower() == folder(other).lower()
