"""Options and lanes as words of an address, and back: `max_num_seqs:2,buckets:1~2~4`.

Options have "," between them, a value behind ":", and "~" for commas in a value. Lanes have "/"
between them; each begins with what it began as, and what it changes follows behind ":", with "="
for the values: `static/continuous:budget=6,max_chunk=2`. What names nothing is handed back.
"""

from collections.abc import Callable, Container, Mapping, Sequence
from urllib.parse import unquote

from app.lane_specs import MOST_LANES, LaneSpec, base_of, bases, free_key, is_known, own_changes
from app.setup_options import Texts, options, tidied

MOST_CHARACTERS = 4_000
MOST_IN_A_NAME = 40
_MARKS = ("%", "~", ":", "=", "/")
_PLAIN = "continuous"  # a lane that began as nothing else is this one with another mode


def packed_setup(changes: Mapping[str, str]) -> str:
    """Changed options of the shared setup as one word."""
    return _packed(changes, ":")


def unpacked_setup(text: str, known: Container[str] | None = None) -> tuple[Texts, list[str]]:
    """The options of such a word, and what in it names none; `known` if they are no setup's."""
    names = options() if known is None else known
    return _unpacked(text, ":", lambda name: name in names)


def packed_lanes(specs: Sequence[LaneSpec]) -> str:
    """Lanes as one word."""
    return "/".join(map(_packed_lane, specs))


def _packed_lane(spec: LaneSpec) -> str:
    name, own = base_of(spec.changes) or _PLAIN, own_changes(spec)
    return f"{name}:{_packed(own, '=')}" if own else name


def unpacked_lanes(text: str) -> tuple[list[LaneSpec], list[str], int]:
    """The lanes of such a word, at most so many as can stand here, what names nothing, how many."""
    pieces = [piece for piece in text[:MOST_CHARACTERS].split("/") if piece]
    specs: list[LaneSpec] = []
    unknown: list[str] = []
    for piece in pieces:
        name, _, changes = piece.partition(":")
        own, others = _unpacked(changes, "=", is_known)
        unknown += others
        if name not in bases():
            unknown.append(name[:MOST_IN_A_NAME])
        elif len(specs) < MOST_LANES:
            specs.append(LaneSpec(free_key(name, specs), {**bases()[name], **own}))
    return specs, unknown, len(pieces)


def _packed(changes: Mapping[str, str], between: str) -> str:
    return ",".join(
        f"{_escaped(name, '%2C')}{between}{_escaped(value, '~')}" for name, value in changes.items()
    )


def _unpacked(text: str, between: str, is_known: Callable[[str], bool]) -> tuple[Texts, list[str]]:
    found: Texts = {}
    unknown = []
    for piece in filter(None, text[:MOST_CHARACTERS].split(",")):
        escaped, mark, value = piece.partition(between)
        name = unquote(escaped)
        if mark and is_known(name):
            found[name] = tidied(unquote(value.replace("~", ",")))
        else:
            unknown.append(name[:MOST_IN_A_NAME])
    return found, unknown


def _escaped(text: str, comma: str) -> str:
    for mark in _MARKS:
        text = text.replace(mark, f"%{ord(mark):02X}")
    return text.replace(", ", ",").replace(",", comma)
