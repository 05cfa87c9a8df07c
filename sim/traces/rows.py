"""From rows to requests: keep or drop each one, count the reasons.

`Tally` is the one thing here that changes; it makes sure that every row is accounted for.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Self

from sim.setup import MAX_REQUESTS, Request
from sim.traces.formats import Layout
from sim.traces.report import Bad, Dropped, TraceError
from sim.traces.row import Row, Table
from sim.traces.timings import Reader, Timing, timing_reader
from sim.traces.values import BadValueError, arrival_reader, has_zone, token_count
from sim.traces.words import clean

# Mooncake's FAST '25 traces: one id stands for a block of 512 prompt tokens and all before it.
BLOCK_TOKENS = 512
# Reasons that are no fault of the file: they are not its "first bad value".
_EXPECTED = ("failed_call", "failed_request", "over_limit")


@dataclass(frozen=True, slots=True)
class Kept:
    """A good row: its number among the rows, its line, and its values; arrival in ns."""

    number: int
    line: int
    arrival: int
    prompt: int
    output: int
    blocks: tuple[int | str, ...] = ()
    cached: int = 0
    timing: Timing | None = None

    def at(self, arrival: int) -> Self:
        """The same row arriving at another time."""
        return replace(self, arrival=arrival)


@dataclass(slots=True)
class Tally:
    """Counts rows while they are read: all, the dropped by reason, dates without a zone."""

    read: int = 0
    first_bad: Bad | None = None
    counts: dict[str, tuple[int, int]] = field(default_factory=dict)
    zones: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})

    def drop(self, reason: str, line: int, name: str = "", value: object = "") -> None:
        """Count a dropped row, and remember it if it is the first bad one."""
        count, first = self.counts.get(reason, (0, line))
        self.counts[reason] = (count + 1, first)
        if self.first_bad is None and reason not in _EXPECTED:
            self.first_bad = Bad(line, clean(name), clean("" if value is None else value), reason)

    def dropped(self) -> tuple[Dropped, ...]:
        """The drops so far, a group for each reason in order of appearance."""
        return tuple(Dropped(reason, *counted) for reason, counted in self.counts.items())

    def nothing_imported(self, table: Table) -> TraceError:
        """The error for a file of which every row was dropped."""
        bad = self.first_bad
        if bad is None:
            return TraceError("only_failed_calls", table.name, read=self.read)
        return TraceError(
            "nothing_imported",
            table.name,
            line=None if table.kind == "bench" else bad.line,
            field=bad.field or None,
            value=bad.value,
            read=self.read,
            reason=bad.rule,
        )


def read_rows(table: Table, layout: Layout) -> tuple[list[Kept], Tally]:
    """Read all rows; the good ones in file order, at most 50,000, and the tally of the rest."""
    tally = Tally()
    kept: list[Kept] = []
    arrival_ns = arrival_reader(layout.unit or "s")
    timing = timing_reader(table, layout.arrival)
    for row in table.rows:
        tally.read += 1
        if len(kept) >= MAX_REQUESTS:
            tally.drop("over_limit", row.line)
        elif row.defect is not None:
            tally.drop(row.defect, row.line, value=row.raw)
        elif (good := _keep(row, layout, arrival_ns, tally)) is not None:
            kept.append(good if timing is None else _timed(good, row, timing))
            if layout.unit == "calendar":
                tally.zones[has_zone(row.values.get(layout.arrival or ""))] += 1
    return kept, tally


def _keep(
    row: Row, layout: Layout, arrival_ns: Callable[[object], int], tally: Tally
) -> Kept | None:
    """The row read by a layout; None, and dropped into the tally, if a value breaks a rule."""
    values = row.values
    if (failed := _failed(row)) is not None:
        tally.drop("failed_request", row.line, failed)
        return None
    name = layout.arrival or ""
    try:
        arrival = arrival_ns(values.get(name)) if name else 0
        name = layout.prompt
        prompt = token_count(values.get(name), layout.zero_rule)
        name = layout.output
        output = token_count(values.get(name), layout.zero_rule)
        name = layout.blocks or ""
        blocks = _blocks(values.get(name)) if name else ()
    except BadValueError as bad:
        tally.drop(bad.rule, row.line, name, values.get(name))
        return None
    return Kept(tally.read, row.line, arrival, prompt, output, blocks)


def _failed(row: Row) -> str | None:
    """The column that says that the request failed, as a benchmark's result does."""
    success = row.values.get("success")
    if success is not None and str(success).strip().lower() in ("false", "0", "no"):
        return "success"
    return "errors" if row.values.get("errors") else None


def _timed(kept: Kept, row: Row, timing: Reader) -> Kept:
    return replace(kept, timing=timing(row.values, kept.arrival))


def _blocks(value: object) -> tuple[int | str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(block, int | str) for block in value):
        raise BadValueError("bad_blocks")
    return tuple(value)


def to_requests(placed: list[Kept]) -> tuple[Request, ...]:
    """Requests named after their rows; blocks that an earlier request had count as cached.

    At least one prompt token is left to compute, as in vLLM: it yields the first output.
    """
    seen: set[int | str] = set()
    requests = []
    for row in placed:
        hits = sum(1 for _ in takewhile(seen.__contains__, row.blocks))
        seen.update(row.blocks)
        cached = min(max(row.cached, hits * BLOCK_TOKENS), row.prompt - 1)
        requests.append(
            Request(f"R{row.number}", row.arrival, row.prompt, row.output, cached=cached)
        )
    return tuple(requests)
