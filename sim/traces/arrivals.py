"""When requests arrive: placed from the earliest stamp, spread if they are batched.

Stamps say more than times: whether a logger wrote them in batches, whether a program made them up.
"""

from collections.abc import Mapping, Sequence
from itertools import groupby, pairwise
from operator import attrgetter
from statistics import median_low

from sim.clock import NS_PER_MS
from sim.setup import MAX_TIME
from sim.traces.report import NS_PER_S, Note, span_text
from sim.traces.rows import Kept, Tally

LAST = MAX_TIME * NS_PER_MS
DAY = 86_400 * NS_PER_S
FEW = 10  # below, nothing is said of a pattern
FAR = 60 * NS_PER_S  # a first stamp this far from 0, and farther than the trace is long, is told


def place_arrivals(kept: list[Kept], tally: Tally) -> list[Kept]:
    """In order of arrival, counted from the earliest; equal arrivals stay in file order.

    What would arrive later than a scenario may last is dropped.
    """
    if not kept:
        return []
    start = min(row.arrival for row in kept)
    placed = []
    for row in kept:
        arrival = row.arrival - start
        if arrival <= LAST:
            placed.append(row.at(arrival))
        else:
            tally.drop("beyond_span", row.line, value=f"{arrival // NS_PER_S} s")
    return sorted(placed, key=attrgetter("arrival"))


def spread_out(placed: list[Kept]) -> tuple[list[Kept], list[Note]]:
    """Requests that share a stamp, spread evenly from it up to the next stamp.

    Never over more than the usual (median) gap of two stamps: a silence after a batch stays one.
    The last stamp has that gap too. Nothing is drawn.
    """
    batches = [list(rows) for _, rows in groupby(placed, key=attrgetter("arrival"))]
    stamps = [rows[0].arrival for rows in batches]
    if len(stamps) in (1, len(placed)):
        return placed, []
    usual = median_low(after - before for before, after in pairwise(stamps))
    ends = [*stamps[1:], LAST + 1]
    result = []
    for rows, stamp, end in zip(batches, stamps, ends, strict=True):
        gap = min(usual, end - stamp)
        result += [row.at(stamp + gap * i // len(rows)) for i, row in enumerate(rows)]
    count = sum(len(rows) for rows in batches if len(rows) > 1)
    values: dict[str, str | int] = {"count": count, "stamps": len(stamps), "gap": span_text(usual)}
    return result, [Note("spread", values)]


# What the stamps tell.


def arrival_notes(kept: Sequence[Kept], placed: Sequence[Kept], *, is_clock: bool) -> list[Note]:
    """What the reader should know of the stamps, as they are in the file."""
    notes = []
    late = sum(after.arrival < before.arrival for before, after in pairwise(kept))
    if late:
        notes.append(Note("sorted", {"count": late}))
    first = min(row.arrival for row in kept)
    if not is_clock and abs(first) > max(FAR, placed[-1].arrival):
        notes.append(Note("far_from_zero", {"first": f"{first / NS_PER_S:,.12g}"}))
    stamps = sorted({row.arrival for row in placed})
    if len(placed) < FEW:
        return notes
    if 1 < len(stamps) <= len(placed) / 2:
        each = f"{len(placed) / len(stamps):.1f}"
        notes.append(Note("batched_arrivals", {"stamps": len(stamps), "each": each}))
    gaps = {after - before for before, after in pairwise(stamps)}
    if len(stamps) == len(placed) and len(gaps) == 1:
        notes.append(Note("one_gap", {"gap": span_text(gaps.pop())}))
    return notes


def clock_notes(kept: Sequence[Kept], zones: Mapping[bool, int]) -> list[Note]:
    """Dates of which only some say their zone, and timings on another clock than the arrivals."""
    notes = []
    if all(zones.values()):
        notes.append(Note("mixed_zones", {"count": zones[False]}))
    if any(row.timing and abs(row.timing.queued - row.arrival) > DAY for row in kept):
        notes.append(Note("two_clocks"))
    return notes
