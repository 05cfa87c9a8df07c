"""A comparison as files: a report to read and print, tables, and everything as JSON."""

import io
import json
import zipfile
from dataclasses import replace

from app.files import Saved, stem_of
from app.lab.told import report_language
from app.lab.view import SHARE
from app.lane_names import heads
from app.session import Session
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
        replace(lane.outcome, name=head["title"]) for lane, head in zip(lanes, names, strict=True)
    )
    return Comparison(tuple(outcomes), scenarios[0].setup.time, SHARE)


def saved(session: Session, kind: str, link: str) -> Saved:
    """The comparison as a file of a kind; `link` is the address that shows it again."""
    comparison, stem = compared(session), stem_of(session)
    match kind:
        case "report":
            text = html(comparison, report_language(session.lang), link)
            return Saved(f"{stem}-report.html", "text/html", text.encode())
        case "compare_csv":
            content = io.BytesIO()
            with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
                for name, text in csv_texts(comparison).items():
                    archive.writestr(name, text)
            return Saved(f"{stem}-compared.zip", "application/zip", content.getvalue())
    text = json.dumps(comparison.as_dict())
    return Saved(f"{stem}-compared.json", "application/json", text.encode())
