"""Which column is which: the formats we know by name, and the guess for any other table.

A format is a set of names that must all be there. Order and further columns do not matter:
BurstGPT's third file inserts two columns in the middle. A table of another kind is read by the
usual names for an arrival, a prompt length and an output length (`columns`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from sim.traces.columns import USUAL, found, unit_in, usual
from sim.traces.report import TraceError
from sim.traces.row import Table
from sim.traces.values import UNIT_DIGITS, is_calendar

UnitFrom = Literal["declared", "format", "name", "dates", "guess", ""]

GUESS: Final = "guess"  # a unit that the stamps themselves must tell


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
    Format("bench", "start_times", "input_lens", "output_lens", "s", zero_rule="failed_call"),
)
# vLLM's record of a request, all in seconds.
_VLLM_STAMPS = ("arrival_time", "queued_ts")
# Columns that are of use although they play none of the three roles.
_HELPFUL = {
    *("success", "errors", "request_id"),
    *("queued_ts", "scheduled_ts", "first_token_ts", "last_token_ts", "ttfts", "itls"),
}


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns of one file by role; without an `arrival` its arrivals are to be drawn.

    `unit` is what the arrivals count ("calendar": they are dates), or None where nothing says it.
    """

    format: str
    arrival: str | None
    prompt: str
    output: str
    unit: str | None
    unit_from: UnitFrom = ""
    blocks: str | None = None
    zero_rule: str = "below_one"

    @property
    def roles(self) -> dict[str, str]:
        """The columns by role, those that were found."""
        names = {"arrival": self.arrival, "prompt": self.prompt, "output": self.output}
        return {role: name for role, name in names.items() if name is not None}

    def unused(self, table: Table) -> tuple[str, ...]:
        """The columns of the file that nothing is made of."""
        used = {*self.roles.values(), self.blocks}
        return tuple(n for n in table.names if n not in used and n.lower() not in _HELPFUL)


def recognise(
    table: Table, columns: Mapping[str, str], unit: str | None, *, needs_arrivals: bool
) -> Layout:
    """Find the columns; what the caller declares is stronger than what the names suggest.

    Raises:
        TraceError: no format and no usual names.
    """
    _check_declared(table, columns, unit)
    layout = None if columns else _known(table, unit)
    if layout is None:
        layout = _guessed(table, columns, unit, needs_arrivals)
    for name in layout.roles.values():
        if table.names.count(name) > 1:
            raise TraceError("duplicate_column", table.name, line=table.names_line, field=name)
    return layout


def _check_declared(table: Table, columns: Mapping[str, str], unit: str | None) -> None:
    if unit is not None and unit not in UNIT_DIGITS and unit != GUESS:
        raise TraceError("bad_unit", table.name, value=unit)
    for role, name in columns.items():
        if role not in USUAL:
            raise TraceError("bad_role", table.name, value=role)
        if name and name not in table.names:  # "": none of them
            raise TraceError(
                "no_column", table.name, line=table.names_line, field=name, found=found(table)
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
                *_unit(table, arrival, unit, (known.unit, "format")),
                names[known.blocks] if known.blocks else None,
                known.zero_rule,
            )
    return None


def _guessed(
    table: Table, columns: Mapping[str, str], unit: str | None, needs_arrivals: bool
) -> Layout:
    by_role = {role: columns.get(role, usual(table, role)) or None for role in USUAL}
    missing = [role for role in USUAL if by_role[role] is None]
    arrival, prompt, output = by_role["arrival"], by_role["prompt"], by_role["output"]
    if prompt is None or output is None:
        params = {"missing": ", ".join(missing), "found": found(table)}
        raise TraceError("unknown_header", table.name, line=table.names_line, **params)
    if arrival is None and needs_arrivals:
        raise TraceError("no_arrivals", table.name, line=table.names_line, found=found(table))
    is_bench = table.kind == "bench"
    return Layout(
        "bench" if is_bench else "named_columns",
        arrival,
        prompt,
        output,
        *_unit(table, arrival, unit, _said(table, arrival)),
        zero_rule="failed_call" if is_bench else "below_one",
    )


def _said(table: Table, arrival: str | None) -> tuple[str | None, UnitFrom]:
    """The unit that the name of a column says; without one the arrivals are drawn in seconds."""
    if arrival is None:
        return "s", ""
    is_vllm = arrival in _VLLM_STAMPS and "queued_ts" in table.names
    said = "s" if is_vllm else unit_in(arrival)
    return said, "name" if said else ""


def _unit(
    table: Table, arrival: str | None, declared: str | None, said: tuple[str | None, UnitFrom]
) -> tuple[str | None, UnitFrom]:
    """What the arrivals count, and who says so: the first one if it is a date, else the caller."""
    if arrival is not None and is_calendar(table.first.values.get(arrival)):
        return "calendar", "dates"
    if declared not in (None, GUESS):
        return declared, "declared"
    return said
