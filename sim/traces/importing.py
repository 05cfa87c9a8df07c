"""The import itself: open, recognise, read, place, tell."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypedDict, Unpack

from sim.setup import Request
from sim.traces.arrivals import arrival_notes, clock_notes, place_arrivals, spread_out
from sim.traces.columns import short_list
from sim.traces.formats import GUESS, Layout, recognise
from sim.traces.json_table import is_session
from sim.traces.report import Note, Report, TraceError
from sim.traces.row import Table
from sim.traces.rows import Tally, read_rows, to_requests
from sim.traces.sessions import Loop, is_replay, read_replay
from sim.traces.table import MAX_BYTES, open_table
from sim.traces.timings import Timing, from_the_first
from sim.traces.units import guess_unit, rate_note, stamps_of, unit_notes
from sim.workload import poisson_arrivals

REPLAY = "tracelab"  # the format of a closed loop


class Options(TypedDict, total=False):
    """How a file is to be read, where it does not say so itself.

    Attributes:
        columns: which column is the "arrival", the "prompt", the "output"; those not named are
            found by their usual names.
        unit: what the arrivals count, "s", "ms", "us" or "ns"; stronger than the format's own.
            With "guess" the stamps must tell, where nothing else does.
        rate: requests per second of a Poisson process that stands in for the arrivals of a file
            that has none.
        seed: the seed of that process.
        spread: whether requests that share a stamp are spread up to the next stamp.
        loop: whether a replay of sessions may become a closed loop that is only near.
    """

    columns: Mapping[str, str] | None
    unit: str | None
    rate: float | None
    seed: int
    spread: bool
    loop: bool


@dataclass(frozen=True, slots=True)
class Imported:
    """The requests of a trace in order of arrival, and how the import went.

    `timings` has what was measured of each request, None for one without; it is empty if the file
    has no measurements. With a `loop` the arrivals say nothing: who enters when, the loop decides.
    """

    requests: tuple[Request, ...]
    report: Report
    timings: tuple[Timing | None, ...] = ()
    loop: Loop | None = None

    @property
    def measured(self) -> dict[str, Timing]:
        """What was measured, by request: a trace may be cut and keeps its ids."""
        pairs = zip(self.requests, self.timings, strict=False)
        return {request.id: timing for request, timing in pairs if timing is not None}

    @property
    def setup(self) -> Mapping[str, Any]:
        """What the trace demands of a `Setup`: the fields of its closed loop, or nothing."""
        return {} if self.loop is None else self.loop.setup


def read_trace_file(path: str | Path, **options: Unpack[Options]) -> Imported:
    """Import a trace from a file on disk.

    Raises:
        TraceError: the file cannot be read or is no trace.
    """
    path = Path(path)
    return read_trace(path.name, read_bytes(path), **options)


def read_bytes(path: Path) -> bytes:
    """The content of a file that is not too large.

    Raises:
        TraceError: it cannot be read.
    """
    try:
        size = path.stat().st_size
        data = path.read_bytes() if size <= MAX_BYTES else b""
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise TraceError("cannot_read", path.name, why=reason) from None
    if size > MAX_BYTES:
        raise TraceError("too_big", path.name, most=MAX_BYTES >> 20)
    return data


def read_trace(name: str, data: bytes | str | Path, **options: Unpack[Options]) -> Imported:
    """Import a trace, such as `read_trace("log.csv", upload)`.

    Args:
        name: what messages call the file.
        data: its content (bytes as uploaded, or text), or the path to read it from.
        **options: how to read it, see `Options`.

    Raises:
        TraceError: not a trace, or nothing in it can be imported.
    """
    if isinstance(data, Path):
        return read_trace_file(data, **options)
    rate = options.get("rate")
    if rate is not None and not 0 < rate < float("inf"):
        raise TraceError("bad_rate", name, value=rate)
    table = open_table(name, data)
    if is_replay(table) and not options.get("columns"):
        return _replay(table, options)
    layout = _recognised(table, options)
    if layout.unit is None:
        layout = _with_guess(table, layout, options)
        table = open_table(name, data)
    return _read(table, layout, options)


def _recognised(table: Table, options: Options) -> Layout:
    """The columns of a table under some options; `unit` is None where nothing tells it.

    Raises:
        TraceError: it has no such columns.
    """
    try:
        return recognise(
            table,
            options.get("columns") or {},
            options.get("unit"),
            needs_arrivals=options.get("rate") is None,
        )
    except TraceError as error:
        if error.rule == "unknown_header" and is_session(table.first.values):
            raise TraceError("nested", table.name, line=table.names_line) from None
        raise


def _with_guess(table: Table, layout: Layout, options: Options) -> Layout:
    """The layout with the likeliest unit, if the caller will have a guess or it does not matter."""
    stamps = stamps_of(row.values.get(layout.arrival or "") for row in table.rows)
    guess = guess_unit(stamps)
    if guess is None:
        return replace(layout, unit="s")
    if options.get("unit") == GUESS:
        return replace(layout, unit=guess, unit_from=GUESS)
    params: dict[str, Any] = {"unit": guess, **rate_note(stamps, guess).params}
    raise TraceError("no_unit", table.name, line=table.names_line, field=layout.arrival, **params)


def _read(table: Table, layout: Layout, options: Options) -> Imported:
    kept, tally = read_rows(table, layout)
    notes: list[Note] = []
    rate = options.get("rate")
    if layout.arrival is None and rate is not None:
        seed = options.get("seed", 0)
        drawn = poisson_arrivals(len(kept), rate, seed)
        kept = [row.at(arrival) for row, arrival in zip(kept, drawn, strict=True)]
        notes.append(Note("synthetic_arrivals", {"rate": f"{rate:g}", "seed": seed}))
    placed = place_arrivals(kept, tally)
    if not placed:
        raise tally.nothing_imported(table)
    if layout.arrival is not None:
        guessed = layout.arrival if layout.unit_from == GUESS else ""
        notes += unit_notes(len(placed), placed[-1].arrival, layout.unit or "", guessed)
        notes += arrival_notes(kept, placed, is_clock=layout.unit == "calendar")
        notes += clock_notes(kept, tally.zones)
        if options.get("spread"):
            placed, told = spread_out(placed)
            notes = [note for note in notes if note.rule != "batched_arrivals"] + told
    timings = from_the_first([row.timing for row in placed])
    if timings:
        count = sum(timing is not None for timing in timings)
        notes.append(Note("measured", {"count": count, "without": len(timings) - count}))
    if unused := layout.unused(table):
        notes.append(Note("unused", {"names": short_list(unused)}))
    requests = to_requests(placed)
    return Imported(requests, _report(table, layout.format, tally, requests, notes), timings)


def _replay(table: Table, options: Options) -> Imported:
    kept, tally, loop, notes = read_replay(table, nearest=bool(options.get("loop")))
    if not kept:
        raise tally.nothing_imported(table)
    requests = to_requests(kept)
    return Imported(requests, _report(table, REPLAY, tally, requests, notes, loop), loop=loop)


def _report(
    table: Table,
    format_: str,
    tally: Tally,
    requests: tuple[Request, ...],
    notes: list[Note],
    loop: Loop | None = None,
) -> Report:
    """What was read and what became of it."""
    return Report(
        name=table.name,
        format=format_,
        read=tally.read,
        imported=len(requests),
        dropped=tally.dropped(),
        first_bad=tally.first_bad,
        span=requests[-1].arrival,
        prompt_tokens=sum(request.prompt for request in requests),
        output_tokens=sum(request.output for request in requests),
        cached_tokens=sum(request.cached for request in requests),
        largest_prompt=max(request.prompt for request in requests),
        largest_output=max(request.output for request in requests),
        warnings=tuple(notes),
        has_rate=loop is None,
        has_lines=table.kind != "bench",
    )
