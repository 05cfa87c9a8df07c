"""Profiles: CSV tables of measured rounds, to fit the cost of a round to.

A row is a round: prefill tokens, decodes, KV tokens read, ms. Columns are found by name, others are
left alone. Nothing is guessed and no row is left out: the first thing that is wrong ends the
reading, for a fit to half a table would look as good as one to all of it. Times are kept as whole
picoseconds, far below what anybody measures, so that all sums over a table are exact.
"""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from io import StringIO
from pathlib import Path
from typing import Any

from sim.files import FileError
from sim.traces.table import MAX_BYTES
from sim.traces.words import clean

# Names a column may have, compared without case, spaces and punctuation.
ACCEPTED: Mapping[str, tuple[str, ...]] = {
    "prefill": ("prefill", "P", "prefill_tokens", "num_prefill_tokens"),
    "decode": ("decode", "D", "decodes", "decode_tokens", "num_decodes", "num_decode_tokens"),
    "kv": ("kv", "K", "kv_tokens", "kv_read", "kv_tokens_read", "num_kv_tokens", "history"),
    "ms": ("ms", "duration", "duration_ms", "time_ms", "round_ms", "step_ms", "latency_ms"),
}
EXAMPLE = "prefill,decode,kv,ms"
MIN_ROWS = 4  # as many as the cost has parts
MAX_ROWS = 100_000
MAX_COUNT = 10**9
MAX_MS = 10**7  # nearly three hours for one round
PS_PER_MS = 10**9

_NUMBER = re.compile(r"[+-]?(\d{1,40}(\.\d{0,40})?|\.\d{1,40})(e[+-]?\d{1,3})?", re.ASCII | re.I)


RULES = {
    "unreadable": "cannot be read ({reason}); give a CSV file",
    "empty": "is empty; begin with a line {example}, then a row a round",
    "too_many": "is row {row:,}; keep {most:,} at most",
    "too_few": "too few rows ({rows}); the cost's four parts need at least {least}, "
    "better twenty or more that differ in prefill, decode and kv",
    "too_large": "is larger than {most} MiB; keep fewer rows",
    "not_text": "is not UTF-8 text; save it as CSV in UTF-8",
    "quoting": "has broken quoting; close every quote",
    "no_column": "no column {column} among {there}; name it {names}",
    "twice": "more than one column {column}: {both}; keep one of them",
    "width": "has {cells} values where the header has {width}; give one a column",
    "not_number": "column {column}: {cell!r} is not a number; write it as 128 or 12.5",
    "bad_time": "column {column}: {cell!r} must be above 0 and at most {most:,} ms",
    "bad_count": "column {column}: {cell!r} must be a whole number from 0 to {most:,}",
}


class ProfileError(FileError):
    """A table that is no profile; the message names file, line, column and what would be right.

    `rule` and `params` say the same to who has words of their own.
    """

    def __init__(self, where: str, rule: str, **params: Any) -> None:
        self.rule, self.params = rule, params
        super().__init__(f"{where}: {RULES[rule].format(**params)}")


@dataclass(frozen=True, slots=True)
class Profile:
    """Measured rounds: where each row stands in the file, its (P, D, K), and its time in ps."""

    name: str
    lines: tuple[int, ...]
    counts: tuple[tuple[int, int, int], ...]
    times: tuple[int, ...]


def read_profile_file(path: str | Path) -> Profile:
    """A profile from a CSV file on disk.

    Raises:
        ProfileError: the file cannot be read or is no profile.
    """
    try:
        with Path(path).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ProfileError(str(path), "unreadable", reason=reason) from None
    return read_profile(str(path), data)


def read_profile(name: str, data: bytes) -> Profile:
    """A profile from the bytes of a CSV file; columns are found by `ACCEPTED` names.

    Raises:
        ProfileError: not a table of measured rounds, or too few or too many of them.
    """
    rows = _csv_rows(name, _text(name, data))
    line, header = next(rows, (1, []))
    if not header:
        raise ProfileError(name, "empty", example=EXAMPLE)
    places = _places(f"{name}:{line}", header)
    lines, counts, times = [], [], []
    for line, cells in rows:
        prefill, decode, kv, ps = _values(f"{name}:{line}", cells, places, len(header))
        lines.append(line)
        counts.append((prefill, decode, kv))
        times.append(ps)
        if len(lines) > MAX_ROWS:
            raise ProfileError(f"{name}:{line}", "too_many", row=MAX_ROWS + 1, most=MAX_ROWS)
    if len(lines) < MIN_ROWS:
        raise ProfileError(name, "too_few", rows=len(lines), least=MIN_ROWS)
    return Profile(name, tuple(lines), tuple(counts), tuple(times))


def _text(name: str, data: bytes) -> str:
    if len(data) > MAX_BYTES:
        raise ProfileError(name, "too_large", most=MAX_BYTES >> 20)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ProfileError(f"{name}:{line}", "not_text") from None


def _csv_rows(name: str, text: str) -> Iterator[tuple[int, list[str]]]:
    """The cells of each row that is not blank, with the line it starts on."""
    first = next(iter(text.lstrip()[:4096].splitlines()), "")
    delimiter = max(",;\t", key=first.count)
    source = StringIO(text, newline="")
    reader = csv.reader(source, delimiter=delimiter, skipinitialspace=True, strict=True)
    start = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield start, [cell.strip() for cell in cells]
            start = reader.line_num + 1
    except csv.Error:
        raise ProfileError(f"{name}:{start}", "quoting") from None


def _places(where: str, header: Sequence[str]) -> dict[str, int]:
    """Which cell of a row is which column."""
    places = {}
    for column, names in ACCEPTED.items():
        usual = {_plain(name) for name in names}
        found = [place for place, name in enumerate(header) if _plain(name) in usual]
        if not found:
            there = clean(", ".join(header), 80)
            usual_names = " or ".join(names)
            raise ProfileError(where, "no_column", column=column, there=there, names=usual_names)
        if len(found) > 1:
            both = clean(", ".join(header[place] for place in found), 80)
            raise ProfileError(where, "twice", column=column, both=both)
        places[column] = found[0]
    return places


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name.lower())


def _values(where: str, cells: Sequence[str], places: Mapping[str, int], width: int) -> list[int]:
    """P, D, K and the time in ps of one row."""
    if len(cells) != width:
        raise ProfileError(where, "width", cells=len(cells), width=width)
    return [_value(where, column, cells[place]) for column, place in places.items()]


def _value(where: str, column: str, cell: str) -> int:
    found = {"column": column, "cell": clean(cell)}
    if not _NUMBER.fullmatch(cell):
        raise ProfileError(where, "not_number", **found)
    number = Decimal(cell)
    if column == "ms":
        if not 0 < number <= MAX_MS:
            raise ProfileError(where, "bad_time", **found, most=MAX_MS)
        return int(number.scaleb(9).to_integral_value(ROUND_HALF_EVEN))
    if number != number.to_integral_value() or not 0 <= number <= MAX_COUNT:
        raise ProfileError(where, "bad_count", **found, most=MAX_COUNT)
    return int(number)
