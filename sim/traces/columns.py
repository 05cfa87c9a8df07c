"""Columns by their usual names, for a table of no format that we know.

What its arrivals count comes from the caller, from the column's name (`arrival_ms`), or from its
first value, if that is a date.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from sim.traces.row import Table
from sim.traces.words import clean

# The usual names, most telling first, compared without case, spaces and punctuation.
USUAL: Final[Mapping[str, str]] = {
    "arrival": (
        "arrival arrivaltime arrivaltimes arrivaltimestamp arrivedat requesttime requesttimestamp "
        "submittime starttime starttimes createdat timestamp datetime time ts queuedts"
    ),
    "prompt": (
        "numprompttokens prompttokens numinputtokens inputtokens inputtoks numprefilltokens "
        "prefilltokens contexttokens requesttokens promptlength promptlen inputlength inputlen "
        "inputlens isl prompt input"
    ),
    "output": (
        "numoutputtokens outputtokens outputtoks numcompletiontokens completiontokens "
        "numgeneratedtokens generatedtokens numgenerationtokens generationtokens numdecodetokens "
        "decodetokens responsetokens outputlength outputlen outputlens osl output completion"
    ),
}
_SUFFIX = re.compile(
    r"(?P<stem>.+?)[ _\-.]*[ _\-.(\[](?P<unit>ns|us|µs|ms|s|sec|secs|seconds|milliseconds"
    r"|microseconds|nanoseconds)[)\]]?",
    re.I,
)
_UNIT_WORDS = {
    "µs": "us",
    "sec": "s",
    "secs": "s",
    "seconds": "s",
    "milliseconds": "ms",
    "microseconds": "us",
    "nanoseconds": "ns",
}


def usual(table: Table, role: str) -> str | None:
    """The column with the most telling of the usual names for a role."""
    plain = {_plain(_stem(name) if role == "arrival" else name): name for name in table.names}
    return next((plain[name] for name in USUAL[role].split() if name in plain), None)


def unit_in(name: str) -> str | None:
    """The unit at the end of a column's name: of `arrival_ms` it is "ms"."""
    match = _SUFFIX.fullmatch(name)
    if match is None:
        return None
    word = match["unit"].lower()
    return _UNIT_WORDS.get(word, word)


def found(table: Table) -> str:
    """The names of the columns for a message."""
    return short_list(table.names)


def short_list(names: Sequence[str]) -> str:
    """Names for a message, at most twelve."""
    shown = [clean(name, 24) for name in names[:12]]
    return (", ".join(shown) or "–") + (", …" if len(names) > 12 else "")


def _stem(name: str) -> str:
    match = _SUFFIX.fullmatch(name)
    return name if match is None else match["stem"]


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name.lower())
