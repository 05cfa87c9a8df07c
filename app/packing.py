"""Options and lanes as words of an address, and back: `max_num_seqs:2,buckets:1~2~4`.

Options have "," between them, a value behind ":", and "~" for commas in a value. Lanes have "/"
between them; each begins with what it began as, and what it changes follows behind ":", with "="
for the values: `static/continuous:budget=6,max_chunk=2`. Rounds by hand follow behind "!", each
closed by ";", with the tokens behind each id: `continuous!A=4;A=2,B=2;`; then each fork behind "@",
as `continuous@3:budget=6`; then, behind "*", what a person calls it. Before the forks this is the
name of the lane it parts from. What names nothing is handed back.
"""

import re
from collections.abc import Callable, Container, Mapping, Sequence
from urllib.parse import unquote

from app.lane_specs import (
    MOST_LANES,
    Fork,
    Grants,
    LaneSpec,
    base_of,
    bases,
    free_key,
    is_known,
    own_changes,
    tidy_name,
)
from app.setup_options import Texts, options, tidied

MOST_CHARACTERS = 4_000
MOST_IN_A_NAME = 40
MOST_BY_HAND = 400  # rounds
_FORK, _HAND, _END_OF_ROUND, _NAME = "@", "!", ";", "*"
_MARKS = ("%", "~", ":", "=", "/", _FORK, _HAND, _END_OF_ROUND, _NAME)
_WHOLE = re.compile(r"[0-9]{1,6}")
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
    text = _with_changes(base_of(spec.changes) or _PLAIN, own_changes(spec))
    if spec.hand is not None:
        text += _HAND + "".join(_packed(dict(grant), "=") + _END_OF_ROUND for grant in spec.hand)
    text += _named(spec.origin) if spec.forks else ""
    forks = (_FORK + _with_changes(str(fork.round), fork.changes) for fork in spec.forks)
    return text + "".join(forks) + _named(spec.name)


def _named(name: str) -> str:
    return _NAME + _escaped(name, "%2C") if name else ""


def _with_changes(name: str, changes: Mapping[str, str]) -> str:
    return f"{name}:{_packed(changes, '=')}" if changes else name


def unpacked_lanes(text: str) -> tuple[list[LaneSpec], list[str], int]:
    """The lanes of such a word, at most so many as can stand here, what names nothing, how many."""
    pieces = [piece for piece in text[:MOST_CHARACTERS].split("/") if piece]
    specs: list[LaneSpec] = []
    unknown: list[str] = []
    for piece in pieces:
        parts = [part.partition(_NAME) for part in piece.split(_FORK)]
        whole, *tails = (part for part, _, _ in parts)
        origin, title = (tidy_name(unquote(parts[i][2])) for i in (0, -1))
        begun, by_hand, given = whole.partition(_HAND)
        name, own = _unpacked_part(begun, unknown)
        hand = _unpacked_hand(given, unknown) if by_hand else None
        forks = [_unpacked_part(tail, unknown) for tail in tails]
        unknown += [_FORK + number[:MOST_IN_A_NAME] for number, _ in forks if not _is_round(number)]
        if name not in bases():
            unknown.append(name[:MOST_IN_A_NAME])
        elif len(specs) < MOST_LANES:
            changes = {**bases()[name], **own}
            kept = tuple(Fork(int(number), table) for number, table in forks if _is_round(number))
            names = (title, origin) if kept else (title,)
            specs.append(LaneSpec(free_key(name, specs), changes, kept, hand, *names))
    return specs, unknown, len(pieces)


def _is_round(text: str) -> bool:
    return bool(_WHOLE.fullmatch(text)) and int(text) > 0


def _unpacked_part(text: str, unknown: list[str]) -> tuple[str, Texts]:
    """A name and the changes behind it; what names none goes to `unknown`."""
    name, _, changes = text.partition(":")
    own, others = _unpacked(changes, "=", is_known)
    unknown += others
    return name, own


def _unpacked_hand(text: str, unknown: list[str]) -> Grants:
    """Rounds by hand, up to the first that cannot be read."""
    *rounds, rest = text.split(_END_OF_ROUND)
    grants: list[tuple[tuple[str, int], ...]] = []
    for one in rounds[:MOST_BY_HAND]:
        table, bad = _unpacked(one, "=", bool)
        if bad or not all(_WHOLE.fullmatch(n) for n in table.values()):
            unknown.append(_HAND + one[:MOST_IN_A_NAME])
            return tuple(grants)
        grants.append(tuple((id_, int(n)) for id_, n in table.items()))
    if rest or len(rounds) > MOST_BY_HAND:
        unknown.append(_HAND + (rest or rounds[MOST_BY_HAND])[:MOST_IN_A_NAME])
    return tuple(grants)


def _packed(changes: Mapping[str, object], between: str) -> str:
    return ",".join(
        f"{_escaped(name, '%2C')}{between}{_escaped(str(value).replace(', ', ','), '~')}"
        for name, value in changes.items()
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
    return text.replace(",", comma)
