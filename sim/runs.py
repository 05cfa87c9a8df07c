"""Runs: rounds in a row in which a request gets the same, as flat rows of numbers.

A run is a row (owner, first round, rounds, amount a round, kind), the owner being the request's
index. Rows are written down in any order, and sorted and joined when they are asked for. A list
a request would cost more memory than all rows together.
"""

from array import array
from collections.abc import Mapping
from collections.abc import Set as AbstractSet

import numpy as np
from numpy.typing import NDArray

from sim.sequence import Sequence

Ints = NDArray[np.int64]

WIDTH = 5
_NOBODY: frozenset[Sequence] = frozenset()


class Runs:
    """Watches who gets how much round by round, and writes a row when that changes."""

    def __init__(self) -> None:
        self._rows = array("q")
        self._since: dict[Sequence, int] = {}
        self._amounts: Mapping[Sequence, int] = {}
        self._marked: AbstractSet[Sequence] = _NOBODY

    def see(
        self,
        at: int,
        amounts: Mapping[Sequence, int],
        marked: AbstractSet[Sequence] = _NOBODY,
    ) -> None:
        """From round `at` on these get so much each; kind 1 for the marked, else 0."""
        if amounts == self._amounts and marked == self._marked:
            return
        since, was = self._since, self._marked
        for seq, amount in self._amounts.items():
            if amounts.get(seq) != amount or (seq in marked) != (seq in was):
                first = since.pop(seq)
                self._rows.extend((seq.index, first, at - first, amount, int(seq in was)))
        for seq in amounts:
            since.setdefault(seq, at)
        self._amounts, self._marked = amounts, marked

    def rows(self) -> Ints:
        """All rows closed so far, as they were written."""
        return np.frombuffer(self._rows, dtype=np.int64).reshape(-1, WIDTH)


def joined(rows: Ints, others: Ints | None = None) -> Ints:
    """Rows, those made elsewhere too, by owner and round; what goes on without a gap is one."""
    if others is not None:
        rows = np.concatenate([rows, others])
    rounds = rows[:, 1].max(initial=0) + 1
    rows = rows[np.argsort(rows[:, 0] * rounds + rows[:, 1], kind="stable")]
    owner, first, count, amount, kind = rows.T
    goes_on = (np.diff(owner) == 0) & (np.diff(amount) == 0) & (np.diff(kind) == 0)
    goes_on &= first[1:] == (first + count)[:-1]
    begins = np.flatnonzero(np.concatenate([[True], ~goes_on])[: len(rows)])
    result: Ints = rows[begins]
    if len(rows):
        result[:, 2] = np.add.reduceat(count, begins)
    return result


def by_owner(owners: Ints, columns: tuple[Ints, ...], size: int) -> list[Ints]:
    """Each owner's rows of these columns, all of them sorted by owner."""
    rows = np.stack(columns, axis=1)
    bounds = np.searchsorted(owners, np.arange(size + 1)).tolist()
    return [rows[bounds[i] : bounds[i + 1]] for i in range(size)]
