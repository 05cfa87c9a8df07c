"""Runs a scenario: rounds one after another, equal ones at once.

While nobody joins or leaves, the next round is planned like the last one. `stretches` then
executes the same plan several times in one go: until a request or a prompt ends, or somebody
comes or leaves. The costs of such rounds grow evenly with the KV tokens read, so times stay exact
sums of integers. `jump=False` takes every round by itself; both ways give equal histories.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import sqrt

from sim import static
from sim.plan import Plan
from sim.scheduler import Commit, commit, execute, plan, reserve
from sim.sequence import Sequence
from sim.setup import Setup
from sim.state import State


@dataclass(slots=True)
class Stretch:
    """`count` rounds of one plan from `start` on; the j-th lasts `duration + j · growth`."""

    first: int
    count: int
    start: int
    duration: int
    growth: int
    plan: Plan
    commit: Commit
    ejected: list[Sequence]  # evicted before it, by plans of no round
    slots: int  # tokens with KV in the blocks of its first round


def span(rounds: int, duration: int, growth: int) -> int:
    """Time of so many rounds, the first `duration` long, each `growth` longer than the last."""
    return rounds * duration + growth * (rounds * (rounds - 1) // 2)


def stretches(
    state: State,
    *,
    jump: bool = True,
    limit: int | None = None,
    before: Callable[[State], None] | None = None,
) -> Iterator[Stretch]:
    """Advance `state` stretch by stretch until all are done, or `limit` more rounds are.

    Args:
        state: changed in place; after each item it stands at the stretch's end.
        jump: whether equal rounds are taken at once.
        limit: most rounds in all.
        before: called with the state where the next stretch begins, arrivals collected.
    """
    while limit is None or limit > 0:
        state.collect()
        made = plan(state)
        if made is None:
            if not idle(state):
                return
            continue
        if before:
            before(state)
        stretch = _perform(state, made, jump, limit)
        if limit is not None:
            limit -= stretch.count
        yield stretch


def _perform(state: State, made: Plan, jump: bool, limit: int | None) -> Stretch:
    duration = execute(state, made)
    growth = _growth(state, made)
    count = _equal_rounds(state, made, duration, growth) if jump else 1
    if limit is not None:
        count = min(count, limit)
    reserve(state, made)
    slots = 0
    if state.scenario.setup.num_blocks is not None:
        slots = _slots(state, made)
    first, start, ejected = state.round, state.now, state.ejected
    done = commit(state, made, start + span(count, duration, growth), count)
    return Stretch(first, count, start, duration, growth, made, done, ejected, slots)


def _slots(state: State, made: Plan) -> int:
    """Tokens that have their KV in blocks with this plan."""
    slots = sum(made.given.values()) - made.again
    if state.batch is None and len(made.given) == len(state.running):
        return slots + made.kv_read
    return slots + sum(seq.computed for seq in state.running)


def idle(state: State) -> bool:
    """Nothing can run now: time goes on to the next arrival or start. False: all is done."""
    wakes = [seq.wakes_at for seq in state.readers() if seq.is_paused]
    times = [state.next_arrival, state.next_leaving, static.start_time(state), *wakes]
    if not any(time is not None for time in times):
        return False
    state.now = min(time for time in times if time is not None)
    return True


def _growth(state: State, made: Plan) -> int:
    """How much longer the next equal round is: more KV tokens to read."""
    setup = state.scenario.setup
    return 0 if setup.time == "tick" else setup.cost.per_kv_token * sum(made.given.values())


def _equal_rounds(state: State, made: Plan, duration: int, growth: int) -> int:
    """How many rounds from here on have this very plan."""
    setup = state.scenario.setup
    if state.grants is not None:  # each round is given by itself
        return 1
    if state.has_readers or setup.speculation or (setup.moe and setup.moe.draw):
        return 1
    if made.admitted or made.padding or (state.batch and state.batch.filling):
        return 1
    if state.batch is None and not _is_steady(state, made):
        return 1
    decoding = set(made.emits)
    times = [time for time in (state.next_arrival, state.next_leaving) if time is not None]
    count = rounds_before(min(times) - state.now, duration, growth) if times else None
    if setup.num_blocks is not None and state.batch is None and setup.reserve != "max_output":
        enough = 1 + max(_rounds_of_free_blocks(setup.num_blocks - made.used, made, setup), 0)
        count = enough if count is None else min(count, enough)
    for seq, n in made.given.items():
        if seq.rereads or (seq in decoding and seq.in_prefill):
            return 1
        left = seq.output - seq.emitted if seq in decoding else (seq.demand - 1) // n
        if seq.computed < seq.peak:  # until it has computed again what it lost
            left = min(left, (seq.peak - seq.computed) // n)
        count = left if count is None else min(count, left)
    return max(count or 1, 1)


def _is_steady(state: State, made: Plan) -> bool:
    """Whether nothing but tokens changes from round to round: no turns, ages or target in play."""
    setup = state.scenario.setup
    if made.preempted or made.rejected or made.is_short or made.moved or state.ejected:
        return False
    if setup.caps_decodes and any(seq.admitted for seq in made.refused):
        return False
    if setup.prefill_reserve and (state.waiting or made.prefilling or made.refused):
        return False
    depends = setup.round_target is not None or setup.granularity != "request"
    return not (depends and made.prefilling)


def _rounds_of_free_blocks(free: int, made: Plan, setup: Setup) -> int:
    """So many more rounds of a plan cannot use up the free blocks.

    In r rounds, who gets n positions a round takes at most n · r / block_size + 1 blocks.
    """
    return (free - len(made.given)) * setup.block_size // sum(made.given.values())


def rounds_before(wait: int, duration: int, growth: int) -> int:
    """How many rounds start before a wait is over, the first right now and so at least one.

    Growth makes it fewer than without, at times; then it is the root of a square equation: the
    float may be a little short, and is never far too long.
    """
    most = -(-wait // duration)
    if span(most - 1, duration, growth) < wait:
        return most
    slope = duration - growth / 2
    count = int(2 * wait / (slope + sqrt(slope * slope + 2.0 * growth * wait))) or 1
    while span(count, duration, growth) < wait:
        count += 1
    return count
