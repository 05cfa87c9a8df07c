"""Files of the page: scenarios that are opened, scenarios and runs that are saved.

Nothing is written on the server: what is saved goes to the browser as bytes, which makes the file.
A run is saved with all lanes on the screen, up to a size; the command line writes larger ones.
"""

import io
import json
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from app.i18n import join, say, words
from app.inputs import MOST_ROUNDS
from app.messages import told
from app.rows import MOST_ROWS
from app.session import TRACE, Session
from lessons.figures import MODES
from sim import History, Problem, Scenario, ScenarioError
from sim.chrome import to_chrome
from sim.export import csv_texts, to_json
from sim.files import FileError, parse
from sim.problems import printable
from sim.toml import to_toml

LAB = Path(__file__).resolve().parents[1] / "assets" / "lab.py"  # the script of the lessons
MOST_BYTES = 8 * 2**20  # of a scenario file: 50,000 requests have about 4 MB
MOST_ROUNDS_SAVED = 20_000  # of all lanes together
QUICK_ROUNDS = 500  # above, a file is made in the background
MOST_FAULTS = 3  # told at once
MOST_IN_A_NAME = 60

Tell = Callable[[str], str]
Give = Callable[["Saved"], None]

_JSON_SCENARIO = re.compile(rb'\s*\{\s*"(name|note|seed|setup|requests|workload)"\s*:')
_LINE = re.compile(r"(?:^x\.json:|at line )(\d+)")
_ABOUT_THE_WHOLE = ("too_many_rounds", "no_requests")
_ENDING = re.compile(r"\.(csv|jsonl?|txt)$", re.IGNORECASE)
_FILE_SIGNS = re.compile(r"[^\w-]+")


@dataclass(frozen=True, slots=True)
class Saved:
    """A file on its way to the browser."""

    name: str
    mime: str
    content: bytes


class _RefusedError(Exception):
    """A file that is not taken; `tell` says why, in a language."""

    def __init__(self, key: str, **values: Any) -> None:
        self.tell: Tell = lambda lang: say(lang, f"files.{key}", **values)


# Opening


def open_file(session: Session, name: str, data: bytes) -> None:
    """A scenario or a trace; one that is neither leaves all as it was and says why."""
    if not _is_scenario(name, data):
        session.open_trace(name, data)
        return
    table: Mapping[str, Any] = {}
    try:
        table = _table(name, data)
        scenario = _checked(table, name)
    except _RefusedError as error:
        session.announce(error.tell)
    except ScenarioError as error:
        problems, rows = error.problems, _names(table)
        session.announce(lambda lang: _faults(name, problems, rows, lang))
    else:
        session.open_scenario(scenario, "own", lambda lang: _opened(name, scenario, lang))


def _is_scenario(name: str, data: bytes) -> bool:
    """Whether it is meant to be one: TOML by name, JSON by its first key."""
    start = data.removeprefix(b"\xef\xbb\xbf")[:4096]
    is_json = _JSON_SCENARIO.match(start) is not None and b'"setup"' in data
    return name.lower().endswith(".toml") or is_json


def _table(name: str, data: bytes) -> Mapping[str, Any]:
    """The table in a scenario file."""
    if len(data) > MOST_BYTES:
        size, limit = -(-len(data) // 2**20), MOST_BYTES // 2**20
        raise _RefusedError("too_large", name=name, size=size, limit=limit)
    kind = "toml" if name.lower().endswith(".toml") else "json"
    try:
        table: Mapping[str, Any] = parse(data.decode("utf-8-sig"), Path(f"x.{kind}"))
    except UnicodeDecodeError:
        raise _RefusedError("not_text", name=name) from None
    except FileError as error:
        line = _LINE.search(str(error))
        key = "unreadable_at" if line else "unreadable"
        values = {"kind": kind.upper(), "line": line[1] if line else ""}
        raise _RefusedError(key, name=name, **values) from None
    return table


def _checked(table: Mapping[str, Any], name: str) -> Scenario:
    """The scenario, which bears the name of its file from here on, in every lane's mode."""
    scenario = replace(Scenario.from_dict(table), name=Path(name).stem[:MOST_IN_A_NAME] or name)
    rounds = max(scenario.with_setup(mode=mode).most_rounds for mode in MODES)
    if rounds > MOST_ROUNDS:
        raise ScenarioError((Problem((), "too_many_rounds", rounds, {"high": MOST_ROUNDS}),))
    return scenario


def _opened(name: str, scenario: Scenario, lang: str) -> str:
    count = len(scenario.requests)
    lines = [say(lang, "files.opened", name=name, count=f"{count:,}")]
    if count > MOST_ROWS:
        lines.append(say(lang, "files.fixed", limit=MOST_ROWS))
    return join(lang, lines)


def _faults(
    name: str, problems: Sequence[Problem], rows: Sequence[dict[str, str]], lang: str
) -> str:
    """What keeps a scenario from running: the first few faults, and how many more there are."""
    lines = [say(lang, "files.refused", name=name)]
    lines += [_fault(problem, rows, lang) for problem in problems[:MOST_FAULTS]]
    if (more := len(problems) - MOST_FAULTS) > 0:
        lines.append(say(lang, "files.more_faults", count=f"{more:,}"))
    return join(lang, lines)


def _names(table: Mapping[str, Any]) -> list[dict[str, str]]:
    """The ids in a table that may be anything, for naming requests."""
    requests = table.get("requests")
    rows = requests if isinstance(requests, list) else []
    return [{"id": str(row.get("id", "")) if isinstance(row, dict) else ""} for row in rows]


def _fault(problem: Problem, rows: Sequence[dict[str, str]], lang: str) -> str:
    """As the request table says it, if it can; else with the place in the file."""
    shown = told(problem, lang, rows)
    is_placed = shown["row"] is not None or shown.get("option") is not None
    is_known = f"problem.{problem.rule}" in words(lang)
    if is_known and (is_placed or problem.rule in _ABOUT_THE_WHOLE):
        text: str = shown["text"]
        return text
    known = f"files.fault_{problem.rule}"
    key = known if known in words(lang) else "files.fault"
    values = {name: str(value)[:80] for name, value in problem.params.items()}
    values |= {"place": _place(problem, rows), "value": str(printable(problem.value))[:40]}
    return say(lang, key, **values)


def _place(problem: Problem, rows: Sequence[dict[str, str]]) -> str:
    """Where a fault is: a request by its name, not by a number counted from 0."""
    match problem.place:
        case ("requests", int(row), *rest) if row < len(rows) and rows[row]["id"]:
            return ".".join(map(str, (rows[row]["id"], *rest)))[:80]
    return problem.path[:80]


# Saving


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
        text = to_toml(scenario.to_dict())
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
