"""Static batching: a batch is closed when it starts, and stays until its last member is done.

Its prompts form a rectangle, padded to the longest, worked off row by row in rounds of at most
the budget. Then one decode round a token; who is done, gone or paused keeps an idle seat. This is
the picture that continuous batching is measured against (Yu et al., Orca, OSDI 2022,
request-level batching).
"""

from collections.abc import Iterator
from itertools import accumulate, islice

from sim.plan import Plan
from sim.sequence import Reason, Sequence
from sim.setup import Setup
from sim.state import Batch, State


def plan(state: State) -> Plan | None:
    """The next round of the batch under way, or of a new one; None while a batch still fills."""
    setup = state.scenario.setup
    batch = state.batch
    made = Plan(left=setup.budget, used=state.used, rest=Reason.BATCH_CLOSED)
    if batch is None:
        if not _may_start(state, setup):
            return None
        batch = Batch.of(_members(state, setup))
        made.used = sum(set_aside(member, setup) for member in batch.members)
        made.opens = batch
        made.admitted = list(batch.members)
    if batch.filling:
        _prefill_round(made, batch, setup)
    elif all(member.done or member.is_paused for member in batch.members):
        return None
    else:
        _decode_round(made, batch)
    return made


def start_time(state: State) -> int | None:
    """When a batch that still fills would start by itself: its oldest has waited long enough."""
    setup = state.scenario.setup
    wait = setup.batch_wait if setup.mode == "static" else None
    if state.batch is not None or not state.waiting or not isinstance(wait, int):
        return None
    return state.waiting[0].arrival + wait


def advance(batch: Batch, made: Plan, count: int) -> None:
    """After a round: the rectangle is worked off further."""
    if batch.filling:
        batch.position += made.prefill * count


def _members(state: State, setup: Setup) -> list[Sequence]:
    """The first in the queue, as many as there are seats and as their whole KV fits together."""
    members = list(islice(state.waiting, setup.seats))
    if setup.num_blocks is None:
        return members
    sums = accumulate(set_aside(member, setup) for member in members)
    return [m for m, total in zip(members, sums, strict=True) if total <= setup.num_blocks]


def set_aside(member: Sequence, setup: Setup) -> int:
    """Blocks set aside for a member until its batch ends; none without a pool."""
    if setup.num_blocks is None:
        return 0
    return setup.blocks(member.prompt + member.request.allowed_output - 1)


def _may_start(state: State, setup: Setup) -> bool:
    if not state.waiting:
        return False
    members = _members(state, setup)
    full = len(members) == setup.seats or len(members) < len(state.waiting)
    if setup.batch_wait is None or full or state.next_arrival is None:
        return True
    due = start_time(state)
    return due is not None and state.now >= due


def _prefill_round(made: Plan, batch: Batch, setup: Setup) -> None:
    """The next at most `budget` positions of the rectangle."""
    last = min(batch.position + setup.budget, batch.area)
    for seq, first, past in _row_parts(batch, last):
        real = 0 if seq.done else _overlap(first, past, seq.prompt - seq.request.cached)
        if real:
            made.give(seq, real, prefill=True)
        if pad := past - first - real:
            made.pads[seq] = pad
            made.padding += pad
            made.prefill += pad
            made.left -= pad
    if last == batch.area and setup.first_token == "last_chunk":
        made.emits = [seq for seq in batch.rows if not seq.done]
    for seq in batch.members:
        if seq not in made.given and not seq.done:
            made.refused[seq] = Reason.BATCH_TURN


def _row_parts(batch: Batch, last: int) -> Iterator[tuple[Sequence, int, int]]:
    """Each row touched by positions up to `last`, with its first and past-the-last column."""
    position = batch.position
    while position < last:
        row, column = divmod(position, batch.width)
        past = min(batch.width, column + last - position)
        yield batch.rows[row], column, past
        position += past - column


def _overlap(first: int, past: int, length: int) -> int:
    return max(0, min(past, length) - first)


def _decode_round(made: Plan, batch: Batch) -> None:
    for seq in batch.members:
        if seq.is_paused and not seq.done:
            made.refused[seq] = Reason.PAUSED
        if seq.done or seq.is_paused:
            made.idle += 1
            made.decode += 1
            made.left -= 1
            made.kv_read += seq.computed
        else:
            made.give(seq, 1, prefill=False)
            made.emits.append(seq)
