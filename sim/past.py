"""The rounds before a fork, as the run that goes on wants to read them.

They are a history of their own; only the places of requests in the list may be others.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sim.runs import Ints

if TYPE_CHECKING:
    from sim.history import History


@dataclass(frozen=True, slots=True)
class Past:
    """A history that ends where another goes on."""

    history: "History"
    places: Ints  # of each of its requests in the other's list, -1: not there

    def __len__(self) -> int:
        return len(self.history)

    def columns(self) -> dict[str, Ints]:
        """Those of the history; blocks are told by `used`, round by round."""
        columns = self.history.columns
        return {name: values for name, values in columns.items() if name != "used"}

    def work_rows(self) -> Ints:
        """All work as rows of `Runs`."""
        owner, *others = self.history.work_runs
        return np.stack([self.places[owner], *others], axis=1)

    def token_rows(self) -> Ints:
        """All tokens as rows of `Runs`."""
        owner, *others = self.history.token_runs
        kind = np.zeros_like(owner)
        return np.stack([self.places[owner], *others, kind], axis=1)

    def used(self, rounds: int) -> Ints:
        """KV blocks taken in each round of the past, 0 in the later ones."""
        used = np.zeros(rounds, dtype=np.int64)
        used[: len(self)] = self.history.used
        return used
