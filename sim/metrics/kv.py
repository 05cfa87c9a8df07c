"""KV blocks over a run: how many are taken, and how many of their slots hold no token yet.

A request fills its blocks one after another, so only its last block has empty slots (Kwon et al.,
PagedAttention, SOSP 2023: internal fragmentation). Where blocks are set aside before they are
needed (`reserve = max_output`, static batches) the untouched ones are counted as taken, and the
empty slots are still those of the last block with a token in it.
"""

from dataclasses import dataclass

import numpy as np

from sim.history import History, Ints


@dataclass(frozen=True, slots=True)
class KvUse:
    """Blocks of the pool; means are over the time of the rounds, idle time left out."""

    pool: int
    peak: int  # most taken in a round, as scheduled; set-aside ones count
    mean: float | None  # taken; None before the first round is over
    empty: float | None  # slots without a token in the last blocks of those running, on average


def kv_use(history: History, rounds: int) -> KvUse | None:
    """Use of the pool in the first `rounds` rounds; None without a pool."""
    setup = history.scenario.setup
    if setup.num_blocks is None:
        return None
    used = history.per_round("used")[:rounds]
    lengths = (history.ends - history.starts)[:rounds]
    peak = int(used.max(initial=0))
    if not rounds:
        return KvUse(setup.num_blocks, peak, None, None)
    time = int(lengths.sum())
    empty = empty_slots(history)[:rounds]
    return KvUse(
        setup.num_blocks, peak, float(used @ lengths) / time, float(empty @ lengths) / time
    )


def empty_slots(history: History) -> Ints:
    """Slots without a token in the last blocks of those running, in each round as scheduled."""
    setup = history.scenario.setup
    if setup.reserve == "max_output" or setup.mode == "static":
        empty = _behind_last_tokens(history)
    else:
        empty = history.per_round("used") * setup.block_size - history.slots
    if history.past:
        empty[: len(history.past)] = empty_slots(history.past.history)
    return empty


def _behind_last_tokens(history: History) -> Ints:
    """The same where blocks are set aside: nobody is evicted, so KV only grows.

    The first token of a request needs no slot until it is decoded from; drafts are not counted.
    """
    size, rounds = history.scenario.setup.block_size, len(history)
    prompts = history.of_requests("prompt")
    growth = _Growth(history)
    held = np.minimum(growth.units, np.maximum(prompts, growth.units - 1))
    blocks = -(-held // size)
    whose = np.repeat(np.arange(len(prompts)), blocks)
    number = np.arange(len(whose)) - np.repeat(np.cumsum(blocks) - blocks, blocks)
    slot = number * size + 1  # the first of each block
    begun = growth.rounds_of(whose, slot + (slot > prompts[whose]))
    decoding = np.flatnonzero(growth.units > prompts)
    first_tokens = growth.rounds_of(decoding, prompts[decoding] + 1)

    change = np.bincount(begun, minlength=rounds + 1) * size - growth.by_round(rounds + 1)
    change += np.bincount(first_tokens, minlength=rounds + 1)
    gone = np.searchsorted(history.starts, history.ended_at)
    change -= _sums(gone, blocks * size - held, rounds + 1)
    return np.cumsum(change)[:rounds]


class _Growth:
    """What each request gathers: cached tokens, then prompt, then its own tokens."""

    def __init__(self, history: History) -> None:
        size = len(history.scenario.requests)
        cached = history.of_requests("cached")
        begun = np.flatnonzero(history.first_rounds >= 0)
        parts = (
            (begun, history.first_rounds[begun], np.ones_like(begun), cached[begun]),
            _prefill_runs(history),
            history.token_runs,
        )
        kinds = np.repeat(np.arange(3), [len(part[0]) for part in parts])
        owner, first, count, each = (np.concatenate(c) for c in zip(*parts, strict=True))
        order = np.lexsort((first, kinds, owner))
        order = order[each[order] > 0]
        self.first, self.count, self.each = first[order], count[order], each[order]
        self._past = np.cumsum(self.count * self.each)
        self.units = _sums(owner[order], self.count * self.each, size)
        self._before = np.cumsum(self.units) - self.units

    def rounds_of(self, owner: Ints, unit: Ints) -> Ints:
        """The round in which each owner gathers so manieth (from 1) of its tokens."""
        unit = self._before[owner] + unit
        row = np.searchsorted(self._past, unit)
        inside = unit - 1 - self._past[row] + self.count[row] * self.each[row]
        rounds: Ints = self.first[row] + inside // self.each[row]
        return rounds

    def by_round(self, rounds: int) -> Ints:
        """How much is gathered in each round."""
        opened = _sums(self.first, self.each, rounds)
        closed = _sums(self.first + self.count, self.each, rounds)
        return np.cumsum(opened - closed)


def _prefill_runs(history: History) -> tuple[Ints, Ints, Ints, Ints]:
    """Request, first round, rounds and positions a round of every run of prompt positions."""
    owner, first, count, each, kind = history.work_runs
    prompts = kind == 1
    return owner[prompts], first[prompts], count[prompts], each[prompts]


def _sums(places: Ints, amounts: Ints, size: int) -> Ints:
    return np.bincount(places, amounts, size).astype(np.int64)
