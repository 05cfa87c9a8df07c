"""Tables as TOML text, since the standard library only reads it.

For scenarios and what is like them: tables of numbers, truth values, texts, lists and tables. No
dates, and no layout of its own: plain values first, then tables, a line a value. Reading the text
with `tomllib` gives the same table again. See toml.io/en/v1.0.0 for the format.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def to_toml(table: Mapping[str, Any]) -> str:
    """The table as a TOML document.

    Raises:
        TypeError: a value is nothing that TOML has, such as None.
        ValueError: a text has half of a surrogate pair, which no UTF-8 file can hold.
    """
    return "\n".join(_lines(table, ())).strip("\n") + "\n"


def _lines(table: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    """A table's own values, then the tables in it, each under its head."""
    inner = []
    for key, value in table.items():
        if isinstance(value, Mapping) or _is_table_list(value):
            inner.append((key, value))
        else:
            yield f"{_key(key)} = {_value(value)}"
    for key, value in inner:
        below = (*path, key)
        name = ".".join(map(_key, below))
        is_list = not isinstance(value, Mapping)
        for row in value if is_list else [value]:
            yield ""
            yield f"[[{name}]]" if is_list else f"[{name}]"
            yield from _lines(row, below)


def _is_table_list(value: Any) -> bool:
    """Whether a value is a list of tables, and nothing else is in it."""
    is_list = isinstance(value, Sequence) and not isinstance(value, str)
    return is_list and bool(value) and all(isinstance(item, Mapping) for item in value)


def _value(value: Any) -> str:
    """A value on one line."""
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case str():
            return _text(value)
        case Mapping():
            pairs = (f"{_key(key)} = {_value(item)}" for key, item in value.items())
            return "{" + ", ".join(pairs) + "}"
        case Sequence():
            return "[" + ", ".join(map(_value, value)) + "]"
    raise TypeError(f"TOML has no {type(value).__name__}")


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _text(name)


def _text(text: str) -> str:
    """A text in double quotes; what has no sign of its own is written by its number."""
    text.encode("utf-8")
    return '"' + "".join(map(_sign, text)) + '"'


def _sign(sign: str) -> str:
    is_control = sign < " " or sign == "\x7f"
    return _SHORT.get(sign) or (f"\\u{ord(sign):04x}" if is_control else sign)
