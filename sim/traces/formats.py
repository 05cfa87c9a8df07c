"""Which column is which: the formats we know by name, and the guess for any other table.

A format is a set of names that must all be there. Order and further columns do not matter:
BurstGPT's third file inserts two columns in the middle. A table of another kind is read by the
usual names for an arrival, a prompt length and an output length; what its arrivals count must
then come from the caller, from the column's name (`arrival_ms`), or be dates.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from sim.traces.report import TraceError
from sim.traces.table import Table
from sim.traces.values import UNIT_DIGITS, is_calendar
from sim.traces.words import clean


@dataclass(frozen=True, slots=True)
class Format:
    """A published format: its three columns (in lower case) and what its arrivals count."""

    id: str
    arrival: str
    prompt: str
    output: str
    unit: str
    blocks: str | None = None
    zero_rule: str = "below_one"

    @property
    def names(self) -> set[str]:
        """The names a file must have to be of this format."""
        return {self.arrival, self.prompt, self.output, self.blocks or self.arrival}


FORMATS: Final = (
    Format("azure", "timestamp", "contexttokens", "generatedtokens", "calendar"),
    Format("mooncake", "timestamp", "input_length", "output_length", "ms", blocks="hash_ids"),
    Format("vidur", "arrived_at", "num_prefill_tokens", "num_decode_tokens", "s"),
    Format(
        "burstgpt", "timestamp", "request tokens", "response tokens", "s", zero_rule="failed_call"
    ),
    Format("vllm_run", "arrival_time", "input_toks", "output_toks", "s"),
)

# The usual names, most telling first, compared without case, spaces and punctuation.
USUAL: Final[Mapping[str, str]] = {
    "arrival": (
        "arrival arrivaltime arrivaltimestamp arrivedat requesttime requesttimestamp submittime "
        "starttime createdat timestamp datetime time ts"
    ),
    "prompt": (
        "numprompttokens prompttokens numinputtokens inputtokens inputtoks numprefilltokens "
        "prefilltokens contexttokens requesttokens promptlength promptlen inputlength inputlen "
        "isl prompt input"
    ),
    "output": (
        "numoutputtokens outputtokens outputtoks numcompletiontokens completiontokens "
        "numgeneratedtokens generatedtokens numdecodetokens decodetokens responsetokens "
        "outputlength outputlen osl output completion"
    ),
}
_TRACELAB = {"session_id", "round_idx", "prefix_len", "tool_wait_after_ms"}
_SUFFIX = re.compile(
    r"(?P<stem>.+?)[ _\-.]*[ _\-.(\[](?P<unit>ns|us|µs|ms|s|sec|secs|seconds|milliseconds"
    r"|microseconds|nanoseconds)[)\]]?",
    re.I,
)
_UNIT_WORDS = {
    "µs": "us",
    "sec": "s",
    "secs": "s",
    "seconds": "s",
    "milliseconds": "ms",
    "microseconds": "us",
    "nanoseconds": "ns",
}


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns of one file by role; without an `arrival` its arrivals are to be drawn."""

    format: str
    arrival: str | None
    prompt: str
    output: str
    unit: str
    blocks: str | None = None
    zero_rule: str = "below_one"


def recognise(
    table: Table, columns: Mapping[str, str], unit: str | None, *, needs_arrivals: bool
) -> Layout:
    """Find the columns; what the caller declares is stronger than what the names suggest.

    Raises:
        TraceError: no format and no usual names, or nothing says what the arrivals count.
    """
    _check_declared(table, columns, unit)
    layout = None if columns else _known(table, unit)
    if layout is None:
        layout = _guessed(table, columns, unit, needs_arrivals)
    for name in (layout.arrival, layout.prompt, layout.output):
        if table.names.count(name or "") > 1:
            raise TraceError("duplicate_column", table.name, line=table.names_line, field=name)
    return layout


def _check_declared(table: Table, columns: Mapping[str, str], unit: str | None) -> None:
    if unit is not None and unit not in UNIT_DIGITS:
        raise TraceError("bad_unit", table.name, value=unit)
    for role, name in columns.items():
        if role not in USUAL:
            raise TraceError("bad_role", table.name, value=role)
        if name not in table.names:
            raise TraceError(
                "no_column", table.name, line=table.names_line, field=name, found=_found(table)
            )


def _known(table: Table, unit: str | None) -> Layout | None:
    names = {name.lower(): name for name in table.names}
    for known in FORMATS:
        if known.names <= names.keys() and (known.blocks is None or table.kind == "jsonl"):
            arrival = names[known.arrival]
            return Layout(
                known.id,
                arrival,
                names[known.prompt],
                names[known.output],
                _unit(table, arrival, unit or known.unit),
                names[known.blocks] if known.blocks else None,
                known.zero_rule,
            )
    return None


def _guessed(
    table: Table, columns: Mapping[str, str], unit: str | None, needs_arrivals: bool
) -> Layout:
    if not columns and {name.lower() for name in table.names} >= _TRACELAB:
        raise TraceError("closed_loop", table.name, line=table.names_line)
    found = {role: columns.get(role) or _usual(table, role) for role in USUAL}
    missing = [role for role in USUAL if found[role] is None]
    arrival, prompt, output = found["arrival"], found["prompt"], found["output"]
    if prompt is None or output is None:
        params = {"missing": ", ".join(missing), "found": _found(table)}
        raise TraceError("unknown_header", table.name, line=table.names_line, **params)
    if arrival is None and needs_arrivals:
        raise TraceError("no_arrivals", table.name, line=table.names_line, found=_found(table))
    counted = "s" if arrival is None else _unit(table, arrival, unit or _suffix(arrival)[1])
    return Layout("named_columns", arrival, prompt, output, counted)


def _usual(table: Table, role: str) -> str | None:
    """The column with the most telling of the usual names for a role."""
    plain = {_plain(_suffix(name)[0] if role == "arrival" else name): name for name in table.names}
    return next((plain[usual] for usual in USUAL[role].split() if usual in plain), None)


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name.lower())


def _suffix(name: str) -> tuple[str, str | None]:
    """A name without its unit, and the unit: `arrival_ms` is ("arrival", "ms")."""
    match = _SUFFIX.fullmatch(name)
    if match is None:
        return name, None
    word = match["unit"].lower()
    return match["stem"], _UNIT_WORDS.get(word, word)


def _unit(table: Table, arrival: str, unit: str | None) -> str:
    """What the arrivals count: dates if the first one is a date, else the given unit."""
    if is_calendar(table.first.values.get(arrival)):
        return "calendar"
    if unit is None:
        raise TraceError("no_unit", table.name, line=table.names_line, field=arrival)
    return unit


def _found(table: Table) -> str:
    names = [clean(name, 24) for name in table.names[:12]]
    return (", ".join(names) or "–") + (", …" if len(table.names) > 12 else "")
