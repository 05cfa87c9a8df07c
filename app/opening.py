"""Files that are opened: scenarios and traces, read and checked before a session shows them.

A file that is neither leaves all as it was, and the session says why.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

from app.i18n import join, say, words
from app.importing import QUICK_BYTES, Answer, Upload, read
from app.inputs import MOST_ROUNDS
from app.lane_specs import LaneSpec, is_cell
from app.messages import told
from app.packing import unpacked_lanes
from app.rows import MOST_ROWS
from app.session import Session
from lessons.figures import MODES
from sim import Problem, Scenario, ScenarioError
from sim.files import FileError, parse
from sim.problems import printable
from sim.traces import Options

MOST_BYTES = 8 * 2**20  # of a scenario file: 50,000 requests have about 4 MB
MOST_FAULTS = 3  # told at once
MOST_IN_A_NAME = 60

Tell = Callable[[str], str]

_SIGNATURES = {  # how files begin that are no text, and the word of `files.kind_` for them
    b"\x89PNG": "picture",
    b"\xff\xd8\xff": "picture",
    b"GIF8": "picture",
    b"%PDF-": "pdf",
    b"PK\x03\x04": "packed",
    b"\x1f\x8b": "packed",
    b"\x28\xb5\x2f\xfd": "packed",
    b"\xfd7zXZ": "packed",
    b"PAR1": "parquet",
}
_JSON_SCENARIO = re.compile(rb'\s*\{\s*"(name|note|seed|setup|requests|workload)"\s*:')
_LINE = re.compile(r"(?:^x\.json:|at line )(\d+)")
_ABOUT_THE_WHOLE = ("too_many_rounds", "no_requests")


class _RefusedError(Exception):
    """A file that is not taken; `tell` says why, in a language."""

    def __init__(self, key: str, **values: Any) -> None:
        self.tell: Tell = lambda lang: say(lang, f"files.{key}", **values)


def open_file(session: Session, name: str, data: bytes) -> None:
    """A scenario or a trace; one that is neither leaves all as it was and says why."""
    if kind := next((kind for start, kind in _SIGNATURES.items() if data.startswith(start)), ""):
        session.announce(lambda lang: _no_text(name, kind, lang))
        return
    if not _is_scenario(name, data):
        open_trace(session, name, data)
        return

    def then(found: tuple[Scenario, list[LaneSpec]] | Tell) -> None:
        if isinstance(found, tuple):
            scenario, lanes = found
            session.open_scenario(
                scenario, "own", lambda lang: _opened(name, scenario, lang), lanes
            )
        else:
            session.announce(found)

    if len(data) > QUICK_BYTES:
        text = say(session.lang, "scene.reading", name=name)
        session.aside(text, lambda: _read_scenario(name, data), then)
    else:
        then(_read_scenario(name, data))


def open_trace(
    session: Session, name: str, data: bytes, *, is_sure: bool = False, **options: Unpack[Options]
) -> None:
    """Show the run of a trace file; a file that is none leaves all as it was.

    In the lab, one that leaves something to be decided is looked at first, unless `is_sure`. One
    of which nothing says what its arrivals count is kept until that is chosen.
    """
    upload = Upload(name, data, options)
    session.upload, session.is_choosing = upload, False

    def then(answer: Answer) -> None:
        if answer.is_open and session.face == "lab" and not is_sure:
            session.is_choosing = True
        elif answer.scenario is None:
            unread = (name, data) if answer.lacks_unit else None
            session.announce(answer.tell, unread, can_look=answer.can_look)
        else:
            lanes = _setups(session) if session.face == "lab" else ()
            session.open_scenario(
                _with_goals(session, answer.scenario), "trace", answer.tell, lanes
            )

    if upload.is_long:
        session.aside(say(session.lang, "scene.reading", name=name), lambda: read(upload), then)
    else:
        then(read(upload))


def _setups(session: Session) -> list[LaneSpec]:
    """The setups of the lab, for other traffic: without what belongs to requests of this one."""
    return [
        replace(spec, changes={n: v for n, v in spec.changes.items() if not is_cell(n)})
        for spec in session.lanes
        if spec.is_plain
    ]


def _with_goals(session: Session, scenario: Scenario) -> Scenario:
    """The same traffic under the goals that stand in the lab."""
    goals = session.last_good.setup
    if session.face != "lab" or goals.time != scenario.setup.time:
        return scenario
    return scenario.with_setup(slo=goals.slo)


def _read_scenario(name: str, data: bytes) -> tuple[Scenario, list[LaneSpec]] | Tell:
    """The scenario of a file and its own lanes, or why it is none."""
    table: Mapping[str, Any] = {}
    try:
        table = _table(name, data)
        return _checked(table, name), _lanes(table)
    except _RefusedError as error:
        return error.tell
    except ScenarioError as error:
        problems, rows = error.problems, _names(table)
        return lambda lang: _faults(name, problems, rows, lang)


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
    if not table:
        raise _RefusedError("empty", name=name)
    return table


def _checked(table: Mapping[str, Any], name: str) -> Scenario:
    """The scenario, which bears the name of its file from here on, in every lane's mode."""
    scenario = replace(Scenario.from_dict(table), name=Path(name).stem[:MOST_IN_A_NAME] or name)
    rounds = max(scenario.with_setup(mode=mode).most_rounds for mode in MODES)
    if rounds > MOST_ROUNDS:
        raise ScenarioError((Problem((), "too_many_rounds", rounds, {"high": MOST_ROUNDS}),))
    return scenario


def _lanes(table: Mapping[str, Any]) -> list[LaneSpec]:
    """The lanes that were on the stage when the page saved the file; none if it says nothing."""
    match table:
        case {"page": {"lanes": str(packed)}}:
            return unpacked_lanes(packed)[0]
    return []


def _no_text(name: str, kind: str, lang: str) -> str:
    """What a file is that is no text, and what can be opened."""
    told_ = (f"files.kind_{kind}", "files.can_open")
    return join(lang, [say(lang, key, name=name) for key in told_])


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
