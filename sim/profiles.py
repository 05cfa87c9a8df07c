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


class ProfileError(FileError):
    """A table that is no profile; the message names file, line, column and what would be right."""


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
        raise ProfileError(f"{path}: cannot be read ({reason}); give a CSV file") from None
    return read_profile(str(path), data)


def read_profile(name: str, data: bytes) -> Profile:
    """A profile from the bytes of a CSV file; columns are found by `ACCEPTED` names.

    Raises:
        ProfileError: not a table of measured rounds, or too few or too many of them.
    """
    rows = _csv_rows(name, _text(name, data))
    line, header = next(rows, (1, []))
    if not header:
        raise ProfileError(f"{name}: is empty; begin with a line {EXAMPLE}, then a row a round")
    places = _places(f"{name}:{line}", header)
    lines, counts, times = [], [], []
    for line, cells in rows:
        prefill, decode, kv, ps = _values(f"{name}:{line}", cells, places, len(header))
        lines.append(line)
        counts.append((prefill, decode, kv))
        times.append(ps)
        if len(lines) > MAX_ROWS:
            raise ProfileError(f"{name}:{line}: is row {MAX_ROWS + 1:,}; keep {MAX_ROWS:,} at most")
    if len(lines) < MIN_ROWS:
        raise ProfileError(
            f"{name}: too few rows ({len(lines)}); the cost's four parts need at least {MIN_ROWS}, "
            "better twenty or more that differ in prefill, decode and kv"
        )
    return Profile(name, tuple(lines), tuple(counts), tuple(times))


def _text(name: str, data: bytes) -> str:
    if len(data) > MAX_BYTES:
        raise ProfileError(f"{name}: is larger than {MAX_BYTES >> 20} MiB; keep fewer rows")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ProfileError(f"{name}:{line}: is not UTF-8 text; save it as CSV in UTF-8") from None


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
        raise ProfileError(f"{name}:{start}: has broken quoting; close every quote") from None


def _places(where: str, header: Sequence[str]) -> dict[str, int]:
    """Which cell of a row is which column."""
    places = {}
    for column, names in ACCEPTED.items():
        usual = {_plain(name) for name in names}
        found = [place for place, name in enumerate(header) if _plain(name) in usual]
        if not found:
            there = clean(", ".join(header), 80)
            raise ProfileError(
                f"{where}: no column {column} among {there}; name it {' or '.join(names)}"
            )
        if len(found) > 1:
            both = clean(" and ".join(header[place] for place in found), 80)
            raise ProfileError(f"{where}: more than one column {column}: {both}; keep one of them")
        places[column] = found[0]
    return places


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name.lower())


def _values(where: str, cells: Sequence[str], places: Mapping[str, int], width: int) -> list[int]:
    """P, D, K and the time in ps of one row."""
    if len(cells) != width:
        raise ProfileError(
            f"{where}: has {len(cells)} values where the header has {width}; give one a column"
        )
    return [_value(where, column, cells[place]) for column, place in places.items()]


def _value(where: str, column: str, cell: str) -> int:
    found = f"{where}: column {column}: {clean(cell)!r}"
    if not _NUMBER.fullmatch(cell):
        raise ProfileError(f"{found} is not a number; write it as 128 or 12.5")
    number = Decimal(cell)
    if column == "ms":
        if not 0 < number <= MAX_MS:
            raise ProfileError(f"{found} must be above 0 and at most {MAX_MS:,} ms")
        return int(number.scaleb(9).to_integral_value(ROUND_HALF_EVEN))
    if number != number.to_integral_value() or not 0 <= number <= MAX_COUNT:
        raise ProfileError(f"{found} must be a whole number from 0 to {MAX_COUNT:,}")
    return int(number)
