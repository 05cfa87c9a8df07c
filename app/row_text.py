"""Rows of the request table as one word of an address, and back.

Cells with "-" between them, rows with "_": `A-0-6-3_B-2-2-2`. Five cells are known by their place;
a further one begins with a letter that says what it is: `C-6-3-2--p1-d40`. Links made before there
were such cells say nothing of them, and then the scene's own stand. A table too long for an address
is pressed together and begins with "~".
"""

import binascii
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from urllib.parse import quote, unquote

from app.rows import FIELDS, MOST_ROWS, Row, typed
from sim import Scenario

MOST_CHARACTERS = 4_000  # of rows as they are
MOST_PRESSED = 8_000  # of more than that, pressed together
MOST_IN_A_CELL = 40

_IN_PLACE = 5  # cells known by their place; the last of them, cached tokens, may be missing
_BY_KEY = {  # cells behind those, by their first letter, in any order
    "m": "max_output", "p": "priority", "t": "tenant", "d": "deadline",
    "x": "cancel_at", "c": "credits", "r": "read_every",
}  # fmt: skip
_BETWEEN_CELLS, _BETWEEN_ROWS = "-", "_"
_PRESSED = "~"
_MOST_UNPRESSED = 200_000


def packed(rows: Sequence[Row], own: Scenario | None = None) -> str:
    """Rows as one word of an address; `own` is the scene they were made from."""
    closed = own is not None and any(map(_extras, typed(own)))
    return _BETWEEN_ROWS.join(_BETWEEN_CELLS.join(_cells(row, closed=closed)) for row in rows)


def unpacked(text: str, own: Scenario | None = None) -> list[Row] | None:
    """The rows of such a word, or None if it is damaged or too long."""
    if text.startswith(_PRESSED) and (plain := _unpressed(text)) is not None:
        text = plain
    elif len(quote(text)) > MOST_CHARACTERS:
        return None
    lines = text.split(_BETWEEN_ROWS) if text else []
    if len(lines) > MOST_ROWS:
        return None
    others = {row["id"]: _extras(row) for row in typed(own)} if own else {}
    rows = [_row([unquote(cell) for cell in line.split(_BETWEEN_CELLS)], others) for line in lines]
    good = [row for row in rows if row is not None]
    return good if len(good) == len(rows) else None


def _row(cells: list[str], others: Mapping[str, Row]) -> Row | None:
    """A row of its cells; what it leaves unsaid is that of the scene's request of its name."""
    if len(cells) < _IN_PLACE - 1 or max(map(len, cells)) > MOST_IN_A_CELL + 1:
        return None
    in_place, by_key = cells[:_IN_PLACE], [cell for cell in cells[_IN_PLACE:] if cell]
    keys = [cell[0] for cell in by_key]
    if not set(keys) <= _BY_KEY.keys() or len(set(keys)) < len(keys):
        return None
    if max(map(len, in_place)) > MOST_IN_A_CELL:
        return None
    row = dict.fromkeys(FIELDS, "") | dict(zip(FIELDS, in_place, strict=False))
    if len(cells) <= _IN_PLACE:
        return row | others.get(row["id"], {})
    return row | {_BY_KEY[cell[0]]: cell[1:] for cell in by_key}


def _extras(row: Row) -> Row:
    """The cells that are not known by their place, as far as they hold something."""
    return {field: row[field] for field in _BY_KEY.values() if row.get(field)}


def _cells(row: Row, *, closed: bool) -> list[str]:
    """Where one might expect more, an empty cell behind the others says that there is none."""
    cells = [_escaped(row.get(field, "")) for field in FIELDS[:_IN_PLACE]]
    extras = [_escaped(key + row[field]) for key, field in _BY_KEY.items() if row.get(field)]
    if extras or closed:
        return cells + (extras or [""])
    return cells if cells[-1] else cells[:-1]


def short(rows: str) -> str:
    """Rows as they are, or pressed, or nothing if they are too long for an address all the same."""
    if len(quote(rows)) <= MOST_CHARACTERS:
        return rows
    word = _PRESSED + urlsafe_b64encode(zlib.compress(rows.encode(), 9)).decode().rstrip("=")
    return word if len(word) <= MOST_PRESSED else ""


def _unpressed(text: str) -> str | None:
    if len(text) > MOST_PRESSED:
        return None
    try:
        data = urlsafe_b64decode(text.removeprefix(_PRESSED) + "===")
        press = zlib.decompressobj()
        plain = press.decompress(data, _MOST_UNPRESSED).decode()
        return plain if press.eof and plain else None
    except (binascii.Error, zlib.error, ValueError):
        return None


def _escaped(cell: str) -> str:
    """Free of what divides; all else is escaped together with the address."""
    for mark in ("%", _BETWEEN_CELLS, _BETWEEN_ROWS, _PRESSED):
        cell = cell.replace(mark, f"%{ord(mark):02X}")
    return cell
