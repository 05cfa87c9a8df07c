"""A closed loop: TraceLab's replay, in which a round starts when the one before it has ended.

Its rows have no arrival but a session, the place of the round in it, and the wait after it. The
simulator's closed loop is simpler: so many clients, one wait for all, and the next request in the
list enters for whoever is free. A replay is imported where that says the same: one session whose
waits are equal, or sessions of a single round. Any other is refused, unless the caller wants the
nearest loop; then the report says what it changes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, NamedTuple

from sim.clock import NS_PER_MS
from sim.setup import MAX_REQUESTS, MAX_TIME
from sim.traces.report import Note, TraceError, span_text
from sim.traces.row import Row, Table
from sim.traces.rows import Kept, Tally
from sim.traces.values import UNIT_DIGITS, BadValueError, number_ns, token_count

NAMES = ("session_id", "round_idx", "prefix_len", "input_len", "output_len", "tool_wait_after_ms")


@dataclass(frozen=True, slots=True)
class Loop:
    """A closed loop: so many clients, each of which pauses `think` ns after an answer."""

    concurrency: int
    think: int

    def to_dict(self) -> dict[str, Any]:
        """As in a scenario file, the pause in ms."""
        return {"concurrency": self.concurrency, "think": self.think / NS_PER_MS}

    @property
    def setup(self) -> Mapping[str, Any]:
        """The same as fields of a `Setup`."""
        return {"concurrency": self.concurrency, "think": self.think}


class _Round(NamedTuple):
    session: str
    place: int
    wait: int
    kept: Kept


def is_replay(table: Table) -> bool:
    """Whether a table has the columns of a TraceLab replay."""
    return set(NAMES) <= {name.lower() for name in table.names}


def read_replay(table: Table, *, nearest: bool) -> tuple[list[Kept], Tally, Loop, list[Note]]:
    """The rounds in the order they enter, all arriving at 0, and the loop they are in.

    Args:
        table: a replay.
        nearest: whether a loop that is only near will do.

    Raises:
        TraceError: no loop of the simulator says the same, and `nearest` is not set.
    """
    tally = Tally()
    sessions = _sessions(_rounds(table, tally))
    waits = [one.wait for session in sessions for one in session[:-1]]
    changes = _changes(sessions, waits)
    if changes and not nearest:
        params: dict[str, Any] = {"reason": changes[0].rule, **changes[0].params}
        raise TraceError("closed_loop", table.name, line=table.names_line, **params)
    loop = Loop(max(len(sessions), 1), sum(waits) // len(waits) if waits else 0)
    places = [(place, one.kept) for session in sessions for place, one in enumerate(session)]
    entering = [kept for _, kept in sorted(places, key=itemgetter(0))]
    told = Note("as_closed_loop", {"clients": len(sessions), "think": span_text(loop.think)})
    return entering, tally, loop, [told, *changes]


def _rounds(table: Table, tally: Tally) -> list[_Round]:
    """The good rows in file order; the rest is dropped into the tally."""
    for name in table.names:
        if name.lower() in NAMES and table.names.count(name) > 1:
            raise TraceError("duplicate_column", table.name, line=table.names_line, field=name)
    names = {name.lower(): name for name in table.names}
    rounds: list[_Round] = []
    for row in table.rows:
        tally.read += 1
        if len(rounds) >= MAX_REQUESTS:
            tally.drop("over_limit", row.line)
        elif row.defect is not None:
            tally.drop(row.defect, row.line, value=row.raw)
        elif (good := _keep(row, names, tally)) is not None:
            rounds.append(good)
    return rounds


def _keep(row: Row, names: Mapping[str, str], tally: Tally) -> _Round | None:
    """A round; None, and dropped into the tally, if a value breaks a rule."""
    name = ""

    def value(key: str) -> object:
        nonlocal name
        name = names[key]
        return row.values.get(name)

    try:
        session = str(value("session_id") or "")
        place = token_count(value("round_idx"), None)
        prefix = token_count(value("prefix_len"), None)
        prompt = token_count(prefix + token_count(value("input_len")))
        output = token_count(value("output_len"))
        wait = number_ns(value("tool_wait_after_ms"), UNIT_DIGITS["ms"])
        if not 0 <= wait <= MAX_TIME * NS_PER_MS:
            raise BadValueError("below_zero" if wait < 0 else "time_range")
    except BadValueError as bad:
        tally.drop(bad.rule, row.line, name, row.values.get(name))
        return None
    kept = Kept(tally.read, row.line, 0, prompt, output, cached=prefix)
    return _Round(session, place, wait, kept)


def _sessions(rounds: list[_Round]) -> list[list[_Round]]:
    """The rounds of each session by index, sessions in order of appearance."""
    by_id: dict[str, list[_Round]] = {}
    for one in rounds:
        by_id.setdefault(one.session, []).append(one)
    return [sorted(session, key=lambda one: one.place) for session in by_id.values()]


def _changes(sessions: list[list[_Round]], waits: list[int]) -> list[Note]:
    """What the simulator's loop does otherwise than the replay."""
    changes = []
    if len(set(waits)) > 1:
        values = {"low": span_text(min(waits)), "high": span_text(max(waits))}
        changes.append(Note("waits_differ", values))
    if len(sessions) > 1 and waits:
        changes.append(Note("sessions_mix"))
    return changes
