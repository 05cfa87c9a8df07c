"""Which tokens were out by a round, request by request, and the gaps between them.

Nothing here is written out token by token: a run of tokens is a row (first round, rounds, tokens
a round), and a gap is a value with the number of requests that had it. Only sent tokens are
outputs: one that is later than its request's `cancel_at` was generated and reached nobody.
"""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sim.history import History, Ints

Mask = NDArray[np.bool_]
NEVER = np.iinfo(np.int64).max


class Outputs:
    """Tokens out when the first `rounds` rounds are over, of all requests or of some.

    Arrays have an entry a request, times are internal units. What a request has no token for
    is left out by the caller: `sent` says who has how many.
    """

    def __init__(self, history: History, rounds: int, only: Mask | None = None) -> None:
        self.ends = history.ends[:rounds]
        self._size = len(history.scenario.requests)
        owner, first, count, each = history.token_runs
        if only is not None:
            chosen = only[owner]
            owner, first, count, each = owner[chosen], first[chosen], count[chosen], each[chosen]
        count = np.minimum(count, rounds - first)
        self.generated = self._sum(owner, np.maximum(count, 0) * each)
        count = np.minimum(count, self._heard(history)[owner] - first)
        out = count > 0
        self.owner, self.first, self.each = owner[out], first[out], each[out]
        self.last = self.first + count[out] - 1
        self.sent = self._sum(self.owner, (count * each)[out])

    def _sum(self, owner: Ints, amounts: Ints) -> Ints:
        return np.bincount(owner, amounts, self._size).astype(np.int64)

    def _heard(self, history: History) -> Ints:
        """The first round whose tokens each request's client no longer hears."""
        leaves = [r.cancel_at for r in history.scenario.requests]
        if not set(leaves) - {None}:
            return np.full(self._size, len(self.ends))
        times = np.array([NEVER if time is None else time for time in leaves])
        return np.searchsorted(self.ends, times, "right")

    # First and last tokens.

    @cached_property
    def _rows(self) -> Ints:
        """Where each request's rows begin; the last entry is the end of all."""
        return np.searchsorted(self.owner, np.arange(self._size + 1))

    @cached_property
    def begun(self) -> Ints:
        """The requests with an output, by index."""
        return np.flatnonzero(self.sent)

    @cached_property
    def first_rounds(self) -> Ints:
        """The round of the first output of each in `begun`."""
        rounds: Ints = self.first[self._rows[self.begun]]
        return rounds

    @cached_property
    def last_rounds(self) -> Ints:
        """The round of the last output of each in `begun`."""
        rounds: Ints = self.last[self._rows[self.begun + 1] - 1]
        return rounds

    @cached_property
    def first_times(self) -> Ints:
        """When each request's first output came; 0 where there is none."""
        return self._spread_out(self.ends[self.first_rounds])

    @cached_property
    def last_times(self) -> Ints:
        """When each request's last output came; 0 where there is none."""
        return self._spread_out(self.ends[self.last_rounds])

    def _spread_out(self, values: Ints) -> Ints:
        times = np.zeros(self._size, dtype=np.int64)
        times[self.begun] = values
        return times

    @property
    def by_round(self) -> Ints:
        """Tokens sent at the end of each round."""
        size = len(self.ends) + 1
        opened = np.bincount(self.first, self.each, size)
        closed = np.bincount(self.last + 1, self.each, size)
        return np.cumsum(opened - closed)[:-1].astype(np.int64)

    def rounds_of(self, index: int) -> Ints:
        """The round of every output of one request."""
        rows = slice(self._rows[index], self._rows[index + 1])
        runs = zip(self.first[rows], self.last[rows], self.each[rows], strict=True)
        rounds = [np.repeat(np.arange(first, last + 1), each) for first, last, each in runs]
        return np.concatenate([np.zeros(0, dtype=np.int64), *rounds])

    # Gaps. Tokens of one round are one time.

    @cached_property
    def steps(self) -> Ints:
        """Time from the end of the round before to the end of each round."""
        return np.diff(self.ends, prepend=self.ends[:1])

    @cached_property
    def step_weights(self) -> Ints:
        """How many requests have outputs in each round and in the one before."""
        size = len(self.ends) + 1
        opened = np.bincount(self.first + 1, minlength=size)
        closed = np.bincount(self.last + 1, minlength=size)
        return np.cumsum(opened - closed)[:-1]

    @cached_property
    def _breaks(self) -> tuple[Ints, Ints, Ints]:
        """Gaps between two runs of one request: its index, the gap, the round that ends it."""
        same = np.flatnonzero(self.owner[1:] == self.owner[:-1])
        rounds = self.first[same + 1]
        return self.owner[same], self.ends[rounds] - self.ends[self.last[same]], rounds

    @property
    def gaps(self) -> tuple[Ints, Ints, Ints]:
        """Every gap: its length, how many requests had it, and the round that ends it."""
        _, lengths, rounds = self._breaks
        return (
            np.concatenate([self.steps, lengths]),
            np.concatenate([self.step_weights, np.ones(len(lengths), dtype=np.int64)]),
            np.concatenate([np.arange(len(self.steps)), rounds]),
        )

    @cached_property
    def longest_gaps(self) -> Ints:
        """The longest gap of each request; −1 where it has none."""
        longest = np.full(self._size, -1, dtype=np.int64)
        # In order of their first rounds, what lies between two runs is looked at once at most.
        order = np.argsort(self.first, kind="stable")
        order = order[self.last[order] > self.first[order]]
        if len(order):
            edges = np.column_stack([self.first[order] + 1, self.last[order] + 1]).ravel()
            most = np.maximum.reduceat(np.append(self.steps, 0), edges)[::2]
            np.maximum.at(longest, self.owner[order], most)
        owners, lengths, _ = self._breaks
        np.maximum.at(longest, owners, lengths)
        return longest
