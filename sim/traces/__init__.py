"""Request traces: somebody's log of real traffic becomes a tuple of requests and a report.

The input is a file name and its bytes, so the page's upload and the command line share one
door. Decisions that hold for the whole package:

- A format is recognised by the names of its columns or keys, never by position or file name.
- Arrivals are read with decimal arithmetic as integer nanoseconds and counted from the earliest
  one; no float takes part.
- No row vanishes silently: the rows read are the rows imported plus the rows dropped, and each
  drop has a reason. A file that is no trace at all is a `TraceError`, which says what would do.
- A request is called after its row (`R7` comes from the seventh row of the file), also where
  rows before it were dropped or the order of arrival is another one.
- Nothing is invented: a file of lengths only is refused, unless the caller gives the rate of a
  synthetic process, and then the report says so.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from sim.setup import Request
from sim.traces.formats import Layout, recognise
from sim.traces.report import Bad, Dropped, Note, Report, TraceError
from sim.traces.rows import Kept, Tally, place_arrivals, read_rows, to_requests
from sim.traces.table import MAX_BYTES, open_table
from sim.traces.words import WORDS
from sim.workload import poisson_arrivals

__all__ = [
    "WORDS",
    "Bad",
    "Dropped",
    "Imported",
    "Note",
    "Report",
    "TraceError",
    "read_trace",
    "read_trace_file",
]


@dataclass(frozen=True, slots=True)
class Imported:
    """The requests of a trace in order of arrival, and how the import went."""

    requests: tuple[Request, ...]
    report: Report


def read_trace_file(
    path: str | Path,
    *,
    columns: Mapping[str, str] | None = None,
    unit: str | None = None,
    rate: float | None = None,
    seed: int = 0,
) -> Imported:
    """Import a trace from a file on disk; the arguments are those of `read_trace`.

    Raises:
        TraceError: the file cannot be read or is no trace.
    """
    path = Path(path)
    try:
        size = path.stat().st_size
        data = path.read_bytes() if size <= MAX_BYTES else b""
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise TraceError("cannot_read", path.name, why=reason) from None
    if size > MAX_BYTES:
        raise TraceError("too_big", path.name, most=MAX_BYTES >> 20)
    return read_trace(path.name, data, columns=columns, unit=unit, rate=rate, seed=seed)


def read_trace(
    name: str,
    data: bytes | str | Path,
    *,
    columns: Mapping[str, str] | None = None,
    unit: str | None = None,
    rate: float | None = None,
    seed: int = 0,
) -> Imported:
    """Import a trace, such as `read_trace("log.csv", upload)`.

    Args:
        name: what messages call the file.
        data: its content (bytes as uploaded, or text), or the path to read it from.
        columns: which column is the "arrival", the "prompt", the "output"; those not named are
            found by their usual names.
        unit: what the arrivals count, "s", "ms", "us" or "ns"; stronger than the format's own.
        rate: requests per second of a Poisson process that stands in for the arrivals of a file
            that has none.
        seed: the seed of that process.

    Raises:
        TraceError: not a trace, or nothing in it can be imported.
    """
    if isinstance(data, Path):
        return read_trace_file(data, columns=columns, unit=unit, rate=rate, seed=seed)
    if rate is not None and not 0 < rate < float("inf"):
        raise TraceError("bad_rate", name, value=rate)
    table = open_table(name, data)
    layout = recognise(table, columns or {}, unit, needs_arrivals=rate is None)
    kept, tally = read_rows(table, layout)
    notes: list[Note] = []
    if layout.arrival is None and rate is not None:
        drawn = poisson_arrivals(len(kept), rate, seed)
        kept = [row.at(arrival) for row, arrival in zip(kept, drawn, strict=True)]
        notes.append(Note("synthetic_arrivals", {"rate": f"{rate:g}", "seed": seed}))
    placed = place_arrivals(kept, tally)
    if not placed:
        raise tally.nothing_imported(name)
    if layout.arrival is not None:
        notes += _arrival_warnings(kept, placed)
    requests = to_requests(placed)
    return Imported(requests, _report(name, layout, tally, requests, notes))


def _report(
    name: str, layout: Layout, tally: Tally, requests: tuple[Request, ...], notes: list[Note]
) -> Report:
    """What was read and what became of it."""
    return Report(
        name=name,
        format=layout.format,
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
    )


def _arrival_warnings(kept: list[Kept], placed: list[Kept]) -> list[Note]:
    """What the reader should know of the stamps: out of order, or many requests to a stamp."""
    notes = []
    late = sum(after.arrival < before.arrival for before, after in pairwise(kept))
    if late:
        notes.append(Note("sorted", {"count": late}))
    stamps = len({row.arrival for row in placed})
    if len(placed) >= 10 and 1 < stamps <= len(placed) / 2:
        each = f"{len(placed) / stamps:.1f}"
        notes.append(Note("batched_arrivals", {"stamps": stamps, "each": each}))
    return notes
