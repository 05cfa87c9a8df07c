"""When runs of equal rounds take their KV blocks: worked out for many runs at once.

All arguments are arrays with an entry a run: its first round, its rounds, the tokens it had before.
"""

import numpy as np

from sim.runs import Ints


def _within(counts: Ints) -> Ints:
    """0, 1, … for each count, one after the other."""
    within: Ints = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return within


def blocks_of(tokens: Ints, block_size: int) -> Ints:
    """KV blocks that hold so many tokens."""
    return -(-tokens // block_size)


def taken_by_decodes(first: Ints, count: Ints, tokens: Ints, block_size: int, rounds: int) -> Ints:
    """Blocks that runs of one position a round take, by round."""
    times = blocks_of(tokens + count, block_size) - blocks_of(tokens, block_size)
    at = np.repeat(first + -tokens % block_size, times) + _within(times) * block_size
    return np.bincount(at, minlength=rounds)


def taken_by_chunks(
    first: Ints, count: Ints, amount: Ints, tokens: Ints, block_size: int, rounds: int
) -> Ints:
    """Blocks that runs of `amount` positions a round take, by round."""
    within, each = _within(count), np.repeat(amount, count)
    before = np.repeat(tokens, count) + within * each
    taken = blocks_of(before + each, block_size) - blocks_of(before, block_size)
    return np.bincount(np.repeat(first, count) + within, taken, rounds).astype(np.int64)
