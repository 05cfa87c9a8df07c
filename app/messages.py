"""What went wrong or was found, in the learner's language: problems of the table, traces read."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from app import setup_form
from app.i18n import join, say, words
from app.lane_names import titles
from app.lane_specs import LaneSpec
from app.newcomers import all_new
from app.rows import Row
from app.sentences import number
from app.setup_options import where
from sim import Problem
from sim.setup import Request
from sim.traces import Note, Report, TraceError

_MENDS = {"never_fits_pool": ("num_blocks", "block_size")}  # options, of what is said of a request


def told(
    problem: Problem, lang: str, rows: Sequence[Row], *, in_lane: bool = False
) -> dict[str, Any]:
    """A problem as the page shows it: at which row and field or option, in which words."""
    if option := where(problem, in_lane=in_lane):
        text = setup_form.told(problem, option, lang)
        return {"row": None, "field": None, "option": option, "text": text}
    row = problem.place[1] if problem.place[:1] == ("requests",) and problem.place[1:] else None
    field = str(problem.place[-1]) if problem.place else ""
    known = words(lang)
    rule = f"problem.{problem.rule}"
    if f"{rule}_{field}" in known:
        rule = f"{rule}_{field}"
    values = {
        **{key: plain(value) for key, value in problem.params.items()},
        "who": _who(row, lang, rows),
        "number": row + 1 if isinstance(row, int) else "",
        "field": known.get(f"field.{field}", field),
        "value": plain(problem.value),
    }
    key = rule if rule in known else "problem.other"
    text = say(lang, key, **values)
    return {"row": row, "field": field or None, "option": None, "text": text}


def in_words(
    found: Sequence[tuple[LaneSpec | None, Problem]],
    lanes: Sequence[LaneSpec],
    rows: Sequence[Row],
    lang: str,
) -> list[dict[str, Any]]:
    """All that keeps the inputs from running; what is wrong in one lane names it.

    What requests and setup do not agree on can be mended in both; `mends` names options for it.
    """
    names = titles(lanes, lang) if found else {}
    result = []
    for spec, problem in found:
        more = [{"id": id_} for id_ in all_new(spec)] if spec and rows else []
        shown = told(problem, lang, [*rows, *more], in_lane=spec is not None)
        shown["lane"] = spec.key if spec else None
        shown["mends"] = list(_MENDS.get(problem.rule, ()))
        if spec:
            shown["text"] = say(lang, "lane.problem", lane=names[spec.key], text=shown["text"])
        result.append(shown)
    return result


def named(requests: Iterable[Request]) -> list[Row]:
    """Rows that only name the requests: those of a long scenario stand in no table."""
    return [{"id": request.id} for request in requests]


def is_of_setup(shown: Mapping[str, Any]) -> bool:
    """Whether a problem in words is mended in the setup: an option's, or of one lane."""
    return bool(shown["option"]) or shown["lane"] is not None


def not_added(lane: str, problem: Problem, lang: str, rows: Sequence[Row]) -> str:
    """Why a lane cannot stand beside the others."""
    fault = told(problem, lang, rows, in_lane=True)["text"]
    return say(lang, "lane.not_added", lane=lane, fault=fault)


def _who(row: Any, lang: str, rows: Sequence[Row]) -> str:
    if not isinstance(row, int):
        return say(lang, "field.budget")
    name = rows[row]["id"].strip() if row < len(rows) else ""
    return name or say(lang, "field.row", number=row + 1)


def plain(value: Any) -> Any:
    """A figure with thousands separators, anything else as short text."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e15:
        return number(value)
    if isinstance(value, int):
        return f"{value:,}" if abs(value) < 1e30 else format(Decimal(value), ".3g")
    return str(value)[:40]


def trace_report(report: Report, lang: str) -> str:
    """How an import went, in one paragraph."""
    return trace_notes(report.notes(), lang)


def trace_notes(notes: Iterable[Note], lang: str) -> str:
    """Notes of an import, or of one that would be, in one paragraph."""
    return _joined((trace_note(note, lang) for note in notes), lang)


def trace_note(note: Note, lang: str) -> str:
    """One note as a phrase."""
    return _phrase(note.rule, note.params, lang)


def trace_error(error: TraceError, lang: str) -> str:
    """Why a file is no trace, where, and what would be right."""
    values = {**error.params, "field": error.field, "value": error.value, "line": error.line}
    place = error.file
    if error.line is not None:
        place += say(lang, "trace.at_line", line=error.line)
    fault = say(lang, "trace.fault", place=place, fault=_phrase(error.rule, values, lang))
    first = say(lang, "trace.sentence", text=fault)
    return join(lang, [first, _joined([_phrase(error.remedy, values, lang)], lang)])


def _phrase(rule: str, params: Mapping[str, Any], lang: str) -> str:
    """A phrase of the trace words; a reason in it is a phrase itself."""
    values = {key: f"{v:,}" if type(v) is int else v for key, v in params.items()}
    if "reason" in values:
        values["reason"] = say(lang, f"trace.{values['reason']}", **values)
    return say(lang, f"trace.{rule}", **values)


def _joined(phrases: Iterable[str], lang: str) -> str:
    """Phrases as sentences of their own, in one paragraph."""
    capital = (text[:1].upper() + text[1:] for text in phrases)
    sentences = (
        text if text.endswith(("?", "？")) else say(lang, "trace.sentence", text=text)
        for text in capital
    )
    return join(lang, sentences)
