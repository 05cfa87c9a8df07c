"""A row and a table, whatever the file was: what the openers make and the readers read."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple


class Row(NamedTuple):
    """A row: its line (from 1), its values by name, or what is wrong with it.

    In a benchmark's result, which has lists instead of lines, `line` is the place in the lists.
    """

    line: int
    values: Mapping[str, object]
    defect: str | None = None
    raw: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """An opened file: the line with its names if it has lines, its first row, all rows.

    The rows can be read once.
    """

    name: str
    kind: Literal["csv", "jsonl", "bench"]
    names_line: int | None
    names: tuple[str, ...]
    first: Row
    rows: Iterator[Row]


def again(first: Row, rest: Iterator[Row]) -> Iterator[Row]:
    """The rows with the first one, which was read already, in front."""
    yield first
    yield from rest
