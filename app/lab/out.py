"""A comparison as files: a report to read and print, tables, and everything as JSON."""

import io
import json
import re
import shlex
import zipfile
from dataclasses import replace

from app.files import stem_of
from app.lab.view import SHARE
from app.lane_names import heads
from app.lanes import Lane
from app.saving import Saved
from app.session import TRACE, Session
from app.setup_options import difference
from sim import Scenario
from sim.compare import Comparison
from sim.compare_told import csv_texts
from sim.report import html

KINDS = ("report", "compare_csv", "compare_json")


def compared(session: Session) -> Comparison:
    """The setups of a session under the names that the page gives them."""
    lanes = session.played
    scenarios = [lane.history.scenario for lane in lanes]
    names = heads([lane.spec for lane in lanes], scenarios, session.lang)
    outcomes = (
        replace(lane.outcome, name=head["title"], scenario=_told(session, lane))
        for lane, head in zip(lanes, names, strict=True)
    )
    return Comparison(tuple(outcomes), scenarios[0].setup.time, SHARE)


def _told(session: Session, lane: Lane) -> Scenario:
    """The scenario of a lane; a note on its cost goes when the cost is another one."""
    scenario = lane.history.scenario
    is_own = scenario.setup.cost == session.chosen.setup.cost
    return scenario if is_own else replace(scenario, note="")


def command(session: Session) -> str:
    """What compares the setups of an opened file once more: a link cannot hold the file."""
    shared = difference(session.chosen.setup, session.last_good.setup)
    changes = {"budget": str(session.last_good.setup.budget)} | shared
    parts = ["python -m sim compare", shlex.quote(session.chosen.name)]
    parts += [f"--set {shlex.quote(f'{name}={value}')}" for name, value in changes.items()]
    titles = (outcome.name for outcome in compared(session).outcomes)
    for title, lane in zip(titles, session.played, strict=True):
        own = ", ".join(f"{name}={value}" for name, value in lane.spec.changes.items())
        name = re.sub("[,:=]+", " ·", title)  # signs that mean something there
        parts.append(f"--setup {shlex.quote(f'{name}: {own}')}")
    return " ".join(parts)


def saved(session: Session, kind: str, link: str) -> Saved:
    """The comparison as a file of a kind; `link` is the address that shows it again."""
    comparison, stem = compared(session), stem_of(session)
    match kind:
        case "report":
            link = command(session) if session.scenario_name == TRACE else link
            text = html(comparison, session.lang, link)
            return Saved.of(f"{stem}-report.html", "text/html", text.encode())
        case "compare_csv":
            content = io.BytesIO()
            with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
                for name, text in csv_texts(comparison).items():
                    archive.writestr(name, text)
            return Saved.of(f"{stem}-compared.zip", "application/zip", content.getvalue())
    text = json.dumps(comparison.as_dict())
    return Saved.of(f"{stem}-compared.json", "application/json", text.encode())
