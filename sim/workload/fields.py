"""One field after another out of a table that somebody wrote; what is wrong is gathered.

Each method gives the value of a field. Where that is missing or wrong it notes the problem and
gives a stand-in, so that reading goes on and one answer names everything. `sim.reading` reads
records by the rules of their fields; a workload is no such record, because its fields depend on
its kind, and `sim.reading` itself asks for it.
"""

import difflib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sim.clock import TimeUnit, to_internal
from sim.problems import Problem
from sim.setup import MAX_TIME, MAX_TOKENS
from sim.workload.lengths import PUBLISHED, Lengths

MAX_ENTRIES = 1_000

Place = tuple[str | int, ...]


class Fields:
    """The fields of one table; `problems` holds what was wrong so far."""

    def __init__(
        self,
        table: Mapping[str, Any],
        unit: TimeUnit,
        place: Place,
        problems: list[Problem] | None = None,
    ) -> None:
        self.table = table
        self.unit = unit
        self.place = place
        self.problems: list[Problem] = [] if problems is None else problems

    def add(self, name: str, rule: str, value: Any = None, **params: Any) -> None:
        """Note a problem of a field."""
        self._note((*self.place, name), rule, value, **params)

    def has(self, name: str) -> bool:
        """Whether the table says anything about a field; a null says nothing."""
        return self.table.get(name) is not None

    def refuse_unknown(self, known: Sequence[str]) -> None:
        """Note each name that is none of the known ones, with the closest of them."""
        for name in self.table:
            if name not in known:
                close = difflib.get_close_matches(str(name), known, 1)
                hint = f"; did you mean {close[0]}?" if close else f"; known: {', '.join(known)}"
                self.add(str(name), "unknown_key", name, suggestion=hint)

    def count(self, name: str, low: int, high: int, default: int | None = None) -> int:
        """A whole number; without a default it is required."""
        value = self._value(name, default)
        return value if self._bounded((*self.place, name), value, low, high, whole=True) else low

    def optional_count(self, name: str, low: int, high: int) -> int | None:
        """A whole number, or None where there is none."""
        return self.count(name, low, high) if self.has(name) else None

    def number(self, name: str, low: float, high: float, default: float | None = None) -> float:
        """A number; without a default it is required."""
        value = self._value(name, default)
        return value if self._bounded((*self.place, name), value, low, high) else low

    def time(self, name: str, default: int | None = None) -> int:
        """A time in ms or ticks, as internal units; without a default it is required."""
        value = self._value(name, default)
        if not self._bounded((*self.place, name), value, 0, MAX_TIME):
            return 0
        try:
            return to_internal(value, self.unit)
        except ValueError:
            self.add(name, "not_whole_ticks", value)
            return 0

    def text(self, name: str, default: str | None = None) -> str:
        """A text; without a default it is required."""
        value = self._value(name, default)
        if isinstance(value, str):
            return value
        if value is not None:
            self.add(name, "not_text", value)
        return ""

    def choice(self, name: str, choices: Sequence[str]) -> str:
        """One of the choices; an empty text stands in."""
        value = self._value(name)
        if value in choices:
            return str(value)
        if value is not None:
            self.add(name, "not_choice", value, choices=", ".join(choices))
        return ""

    def rows(self, name: str) -> Iterator["Fields"]:
        """The fields of each table in a list; nothing where there is no list."""
        if not self.has(name) or not self._is_list((*self.place, name), self.table[name], 1):
            return
        for i, row in enumerate(self.table[name]):
            place = (*self.place, name, i)
            if isinstance(row, Mapping):
                yield Fields(row, self.unit, place, self.problems)
            else:
                self._note(place, "not_a_table", row)

    def lengths(self, name: str) -> Lengths:
        """Lengths in tokens: a number, the name of a published shape, or points of a shape."""
        value = self._value(name)
        if isinstance(value, str):
            if value in PUBLISHED:
                return PUBLISHED[value][name]
            self.add(name, "not_choice", value, choices=", ".join(PUBLISHED))
        elif isinstance(value, (list, tuple)):
            return self._points((*self.place, name), value)
        elif self._bounded((*self.place, name), value, 1, MAX_TOKENS, whole=True):
            return Lengths.always(value)
        return Lengths.always(1)

    def _points(self, place: Place, rows: Sequence[Any]) -> Lengths:
        """Rows of percent and tokens, from 0 to 100 %, neither ever falling."""
        found = len(self.problems)
        if not self._is_list(place, rows, 2):
            return Lengths.always(1)
        percent, tokens = 0, 1
        for i, row in enumerate(rows):
            if not self._is_list((*place, i), row, 2, 2):
                continue
            low = 100 if i == len(rows) - 1 else percent
            high = 100 if i else 0
            if self._bounded((*place, i, 0), row[0], low, high):
                percent = row[0]
            if self._bounded((*place, i, 1), row[1], tokens, MAX_TOKENS, whole=True):
                tokens = row[1]
        if len(self.problems) > found:
            return Lengths.always(1)
        return Lengths(tuple(row[0] for row in rows), tuple(row[1] for row in rows))

    def _value(self, name: str, default: Any = None) -> Any:
        """What the table says, else the default; without either the field is noted as missing."""
        if self.has(name):
            return self.table[name]
        if default is None:
            self.add(name, "required")
        return default

    def _bounded(
        self, place: Place, value: Any, low: float, high: float, *, whole: bool = False
    ) -> bool:
        """Whether a value is a number (a whole one) from low to high; None was noted before."""
        is_number = isinstance(value, int if whole else (int, float))
        if value is None:
            return False
        if not is_number or isinstance(value, bool) or value != value:
            self._note(place, "not_whole" if whole else "not_number", value)
        elif value < low:
            self._note(place, "too_small", value, low=low)
        elif value > high:
            self._note(place, "too_large", value, high=high)
        else:
            return True
        return False

    def _is_list(self, place: Place, value: Any, low: int, high: int = MAX_ENTRIES) -> bool:
        """Whether a value is a list of low to high entries."""
        if not isinstance(value, (list, tuple)):
            self._note(place, "not_a_list", value)
        elif not low <= len(value) <= high:
            self._note(place, "bad_length", len(value), low=low, high=high)
        else:
            return True
        return False

    def _note(self, place: Place, rule: str, value: Any = None, **params: Any) -> None:
        self.problems.append(Problem(place, rule, value, params))
