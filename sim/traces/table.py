"""From bytes to rows: the text, whether it is CSV or JSON, and the rows of a CSV.

A row is a table of names and values whatever the file was, with the line it starts on. What
breaks a single row is a defect of that row; what makes the rest of the file unreadable (broken
quoting, broken JSON) is a `TraceError`.
"""

import csv
from collections.abc import Iterator, Sequence
from io import StringIO

from sim.traces.json_table import open_json
from sim.traces.report import TraceError
from sim.traces.row import Row, Table, again
from sim.traces.values import is_number

MAX_BYTES = 64 * 2**20
MAX_COLUMNS = 1000
LFS_POINTER = "version https://git-lfs"


def open_table(name: str, data: bytes | str) -> Table:
    """Open a file's content; what it is comes from the content, not from its name.

    Raises:
        TraceError: empty, too big, too wide, not text, a Git LFS pointer, or neither CSV nor JSON.
    """
    text = _text(name, data)
    if not text.strip():
        raise TraceError("empty_file", name)
    if text.startswith(LFS_POINTER):
        raise TraceError("lfs_pointer", name, line=1)
    if text.lstrip()[0] not in "{[":
        return _open_csv(name, text)
    table = open_json(name, text)
    _check_width(name, table.names_line, table.names)
    return table


def _text(name: str, data: bytes | str) -> str:
    if len(data) > MAX_BYTES:
        raise TraceError("too_big", name, most=MAX_BYTES >> 20)
    if isinstance(data, str):
        return data.removeprefix("\ufeff")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = f"0x{data[error.start]:02x}"
        raise TraceError("not_utf8", name, line=line, value=byte) from None


def _check_width(name: str, line: int | None, names: Sequence[str]) -> None:
    if len(names) > MAX_COLUMNS:
        raise TraceError("too_many_columns", name, line=line, columns=len(names), most=MAX_COLUMNS)


# CSV


def _open_csv(name: str, text: str) -> Table:
    lines = _csv_lines(name, text)
    header_line, header = next(lines, (1, None))
    if header is None:
        raise TraceError("empty_file", name)
    _check_width(name, header_line, header)
    names = tuple(cell.strip() for cell in header)
    if any(map(is_number, names)):
        rule = "servegen" if _is_servegen(names) else "no_header"
        raise TraceError(rule, name, line=header_line)
    rows = (_csv_row(line, cells, names) for line, cells in lines)
    first = next(rows, None)
    if first is None:
        raise TraceError("no_rows", name, line=header_line)
    return Table(name, "csv", header_line, names, first, again(first, rows))


def _csv_lines(name: str, text: str) -> Iterator[tuple[int, list[str]]]:
    """The cells of each row that is not blank, with the line it starts on."""
    reader = csv.reader(
        StringIO(text, newline=""), delimiter=_delimiter(text), skipinitialspace=True, strict=True
    )
    start = 1
    try:
        for cells in reader:
            if cells and (len(cells) > 1 or cells[0].strip()):
                yield start, cells
            start = reader.line_num + 1
    except csv.Error:
        raise TraceError("broken_csv", name, line=start) from None


def _csv_row(line: int, cells: list[str], names: tuple[str, ...]) -> Row:
    if len(cells) != len(names):
        return Row(line, {}, "row_width", ",".join(cells))
    return Row(line, dict(zip(names, cells, strict=True)))


def _delimiter(text: str) -> str:
    header = text.lstrip()[:4096].splitlines()[0]
    return max(",;\t", key=header.count)


def _is_servegen(cells: tuple[str, ...]) -> bool:
    """ServeGen's `start,rate,cv,process,param1,param2`; an idle window has no process."""
    numbers = (*cells[:3], *cells[4:])
    return len(cells) == 6 and not is_number(cells[3]) and all(map(is_number, numbers))
