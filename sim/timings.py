"""Measured requests of a real server: when each was queued, got its first token and its last one.

A row is a request, as vLLM's own counters have it: `input_toks`, `output_toks`, `queued_ts`,
`first_token_ts`, `last_token_ts` in seconds of one clock, as JSON lines or CSV. Other columns are
left alone (`arrival_time` is often of another clock). Nothing is guessed, and no row is left out:
a server is judged by all that it had to do. Times are read as decimals, exact to the nanosecond.
"""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from sim.clock import NS_PER_MS
from sim.files import FileError
from sim.history import Ints
from sim.metrics import Floats
from sim.setup import MAX_REQUESTS, MAX_TIME, MAX_TOKENS, Request
from sim.traces.table import MAX_BYTES
from sim.traces.words import clean

COUNTS = ("input_toks", "output_toks")
TIMES = ("queued_ts", "first_token_ts", "last_token_ts")
MIN_ROWS = 8  # four to fit, as many as the cost has parts, and four to judge


class TimingsError(FileError):
    """What holds no measured requests; the message names file, line and what would be right."""


@dataclass(frozen=True, slots=True, eq=False)
class Timings:
    """Measured requests in order of arrival, which is when they were queued.

    `ttft` and `e2e` are from there to the first and to the last token, in ns.
    """

    name: str
    requests: tuple[Request, ...]
    ttft: Ints
    e2e: Ints

    @property
    def tpot(self) -> Floats:
        """TPOT of each in ns; 0 of a single token."""
        gaps = np.array([request.output - 1 for request in self.requests])
        found: Floats = (self.e2e - self.ttft) / np.maximum(gaps, 1)
        return found


class Measured(Protocol):
    """When a request was queued and got its first and last token, in ns of one clock."""

    @property
    def queued(self) -> int:
        """When it came to the scheduler."""

    @property
    def first_token(self) -> int:
        """When its first token came out."""

    @property
    def last_token(self) -> int:
        """When its last token came out."""


class _Times(NamedTuple):
    queued: int
    first_token: int
    last_token: int


def timings_of(
    name: str, requests: Sequence[Request], measured: Sequence[Measured | None]
) -> Timings:
    """Requests with what was measured of each, beside them.

    Raises:
        TimingsError: too few or too many, one was not measured, or they are too far apart.
    """
    if not MIN_ROWS <= len(requests) <= MAX_REQUESTS:
        raise TimingsError(
            f"{name}: has {len(requests):,} measured requests; from {MIN_ROWS} to "
            f"{MAX_REQUESTS:,} can be fitted, half of them to judge the fit"
        )
    there = [times for times in measured if times is not None]
    if len(there) < len(requests):
        raise TimingsError(
            f"{name}: {len(requests) - len(there):,} of {len(requests):,} requests have no "
            "measured times; a server is judged by all that it had to do"
        )
    start = min(times.queued for times in there)
    pairs = sorted(zip(requests, there, strict=True), key=lambda pair: pair[1].queued)
    if pairs[-1][1].queued - start > MAX_TIME * NS_PER_MS:
        raise TimingsError(f"{name}: the requests are more than {MAX_TIME:,} ms apart")
    rows = np.array([(t.queued, t.first_token, t.last_token) for _, t in pairs], dtype=np.int64)
    return Timings(
        name,
        tuple(replace(request, arrival=times.queued - start) for request, times in pairs),
        rows[:, 1] - rows[:, 0],
        rows[:, 2] - rows[:, 0],
    )


def read_timings_file(path: str | Path) -> Timings:
    """Measured requests from a file on disk.

    Raises:
        TimingsError: the file cannot be read, or is no such table.
    """
    try:
        with Path(path).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise TimingsError(f"{path}: cannot be read ({reason})") from None
    return read_timings(str(path), data)


def read_timings(name: str, data: bytes) -> Timings:
    """Measured requests from the bytes of a file of JSON lines or CSV.

    Raises:
        TimingsError: it is no such table; the first thing that is wrong.
    """
    if len(data) > MAX_BYTES:
        raise TimingsError(f"{name}: is larger than {MAX_BYTES >> 20} MiB; keep fewer rows")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise TimingsError(f"{name}: is not UTF-8 text") from None
    rows = _json_rows(name, text) if text.lstrip()[:1] == "{" else _csv_rows(text)
    found = [_values(f"{name}:{line}", row) for line, row in rows]
    requests = [
        Request(f"r{number}", 0, prompt, output)
        for number, (prompt, output, *_) in enumerate(found, 1)
    ]
    return timings_of(name, requests, [_Times(*times) for _, _, *times in found])


def _json_rows(name: str, text: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for line, row in enumerate(text.splitlines(), 1):
        if not row.strip():
            continue
        try:
            value = json.loads(row, parse_float=Decimal)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            raise TimingsError(f"{name}:{line}: is no JSON object; write one a request, in a line")
        yield line, value


def _csv_rows(text: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    reader = csv.DictReader(text.splitlines())
    for row in reader:
        yield reader.line_num, row


def _values(where: str, row: Mapping[str, Any]) -> list[int]:
    """Prompt, output, and the three times in ns of their own clock."""
    for column in (*COUNTS, *TIMES):
        if row.get(column) in (None, ""):
            raise TimingsError(
                f"{where}: has no {column}; measured requests have the columns "
                f"{', '.join((*COUNTS, *TIMES))}, times in seconds"
            )
    counts = [_number(where, column, row[column]) for column in COUNTS]
    for column, count in zip(COUNTS, counts, strict=True):
        if count != int(count) or not 1 <= count <= MAX_TOKENS:
            raise TimingsError(
                f"{where}: {column} must be a whole number from 1 to {MAX_TOKENS:,}, "
                f"not {clean(row[column])}"
            )
    times = [round(_number(where, column, row[column]).scaleb(9)) for column in TIMES]
    if sorted(times) != times:
        raise TimingsError(f"{where}: {TIMES[0]} ≤ {TIMES[1]} ≤ {TIMES[2]} does not hold")
    return [*map(int, counts), *times]


def _number(where: str, column: str, value: Any) -> Decimal:
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        number = Decimal("nan")
    if not number.is_finite() or not 0 <= number < 10**9:
        raise TimingsError(
            f"{where}: {column} must be a number from 0 to a billion, not {clean(value)!r}"
        )
    return number
