"""A look at a file before it is imported: its first rows, and what an import would make of it."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any, Unpack

from sim.traces.columns import USUAL, usual
from sim.traces.formats import GUESS, Layout, recognise
from sim.traces.importing import REPLAY, Options, read_trace
from sim.traces.report import Note, TraceError
from sim.traces.row import Row, Table
from sim.traces.sessions import is_replay
from sim.traces.table import open_table
from sim.traces.units import guess_unit, rate_note, stamps_of
from sim.traces.values import UNIT_DIGITS
from sim.traces.words import clean


@dataclass(frozen=True, slots=True)
class Preview:
    """The first rows of a file, which column plays which role, what the arrivals count.

    `unit` is None where nothing tells it, and `unit_from` says who tells it. `rates` has the
    sentence of the rate for each unit, if the arrivals are numbers. `notes` are those of an import
    with the same options; one that would be refused has none, and its `problem`.
    """

    name: str
    kind: str
    columns: tuple[str, ...]
    lines: tuple[int, ...]
    rows: tuple[tuple[str, ...], ...]
    format: str = ""
    roles: Mapping[str, str] = field(default_factory=dict)
    unit: str | None = None
    unit_from: str = ""
    rates: Mapping[str, Note] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    problem: TraceError | None = None

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values for JSON, notes and problem as English sentences."""
        return {
            "name": self.name,
            "kind": self.kind,
            "format": self.format,
            "columns": list(self.columns),
            "lines": list(self.lines),
            "rows": [list(row) for row in self.rows],
            "roles": dict(self.roles),
            "unit": self.unit,
            "unit_from": self.unit_from,
            "rates": {unit: str(note) for unit, note in self.rates.items()},
            "notes": [str(note) for note in self.notes],
            "problem": None if self.problem is None else str(self.problem),
        }


def preview_trace(
    name: str, data: bytes | str, num_rows: int = 8, **options: Unpack[Options]
) -> Preview:
    """Look at the first rows of a trace and at what an import with some options would say.

    Raises:
        TraceError: the file cannot be opened as a table at all.
    """
    table = open_table(name, data)
    first = list(islice(table.rows, num_rows))
    layout = _layout(table, options)
    rates, guess = _rates(layout, chain(first, table.rows))
    unit, unit_from = _unit(layout, guess)
    notes, problem = _tried(name, data, options)
    return Preview(
        name=table.name,
        kind=table.kind,
        columns=table.names,
        lines=tuple(row.line for row in first),
        rows=tuple(_cells(row, table.names) for row in first),
        format=REPLAY if is_replay(table) else layout.format if layout else "",
        roles=_roles(table, layout),
        unit=unit,
        unit_from=unit_from,
        rates=rates,
        notes=notes,
        problem=problem,
    )


def _layout(table: Table, options: Options) -> Layout | None:
    """The columns as far as they are found; arrivals may be missing here."""
    with suppress(TraceError):
        columns, unit = options.get("columns") or {}, options.get("unit")
        return recognise(table, columns, unit, needs_arrivals=False)
    return None


def _roles(table: Table, layout: Layout | None) -> Mapping[str, str]:
    """Which column plays which role; of a table that is no trace, those that look like it."""
    if layout is not None:
        return layout.roles
    return {role: name for role in USUAL if (name := usual(table, role)) is not None}


def _rates(layout: Layout | None, rows: Iterable[Row]) -> tuple[dict[str, Note], str | None]:
    """The sentence of the rate for each unit, and the likeliest unit."""
    if layout is None or layout.arrival is None or layout.unit == "calendar":
        return {}, None
    stamps = stamps_of(row.values.get(layout.arrival) for row in rows)
    return {unit: rate_note(stamps, unit) for unit in UNIT_DIGITS}, guess_unit(stamps)


def _unit(layout: Layout | None, guess: str | None) -> tuple[str | None, str]:
    """What the arrivals count, and who says so."""
    if layout is None or layout.arrival is None:
        return None, ""
    if layout.unit is not None:
        return layout.unit, layout.unit_from
    return (None, "") if guess is None else (guess, GUESS)


def _tried(
    name: str, data: bytes | str, options: Options
) -> tuple[tuple[Note, ...], TraceError | None]:
    """What an import says, or why there is none."""
    try:
        return read_trace(name, data, **options).report.notes(), None
    except TraceError as error:
        return (), error


def _cells(row: Row, names: Sequence[str]) -> tuple[str, ...]:
    """The values as short text; a broken row is one cell."""
    if row.defect is not None:
        return (clean(row.raw),)
    values = (row.values.get(name) for name in names)
    return tuple("" if value is None else clean(_text(value)) for value in values)


def _text(value: object) -> str:
    """A list as in JSON, whose numbers were read as decimals."""
    return f"[{', '.join(map(str, value))}]" if isinstance(value, list) else str(value)
