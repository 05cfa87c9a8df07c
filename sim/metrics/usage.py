"""How far a run used its server: seats, token budget and padding, summed over its first rounds.

These figures belong to the rounds, not to requests: whichever requests are asked about, they
stay the same. Nothing is looked at round by round, for equal rounds are one row of the history.
"""

from collections.abc import Callable
from functools import cached_property

import numpy as np

from sim.extras import bucket_padding
from sim.history import History, Ints
from sim.setup import Setup


class Usage:
    """Sums over the first `rounds` rounds."""

    def __init__(self, history: History, rounds: int) -> None:
        self.history = history
        self.rounds = rounds

    @cached_property
    def _counts(self) -> Ints:
        """How many rounds of each row of the history's columns are among them."""
        columns = self.history.columns
        return np.clip(self.rounds - columns["first"], 0, columns["count"])

    def total(self, column: str) -> int:
        """Sum of a column of the history over the rounds."""
        return int(self.history.columns[column] @ self._counts)

    @property
    def peak_running(self) -> int:
        """Most requests running in one of the rounds; 0 without rounds."""
        return int(self.history.columns["running"][self._counts > 0].max(initial=0))

    @property
    def peak_blocks(self) -> int:
        """Most KV blocks taken in one of the rounds; they grow within a stretch."""
        return int(self.history.used[: self.rounds].max(initial=0))

    def _sum(self, wanted: Callable[[Setup], int]) -> int:
        """Sum of a figure of the setup over the rounds."""
        return int(self.history.setting(wanted)[: self.rounds].sum())

    @cached_property
    def bucket_padding(self) -> int:
        """Decodes added to reach the next graph bucket; 0 without buckets."""
        return int(bucket_paddings(self.history) @ self._counts)

    @property
    def padding(self) -> int:
        """Padded prompt positions of static batches, and decodes added for graph buckets."""
        return self.total("padding") + self.bucket_padding

    @property
    def idle(self) -> int:
        """Seat-rounds held by members of a static batch who are done, gone or paused."""
        return self.total("idle")

    @property
    def budget_use(self) -> float | None:
        """Share of the budget of all rounds used by P, D and drafts, padded and idle ones too."""
        budget = self._sum(lambda setup: setup.budget)
        positions = self.total("prefill") + self.total("decode") + self.total("drafts")
        return positions / budget if budget else None

    @property
    def seat_use(self) -> float | None:
        """Busy seat-rounds / (seats · rounds); a static batch has `batch_size` seats.

        A seat is busy while its request is in `running` and not done, also when it is paused.
        """
        seats = self._sum(lambda setup: setup.seats)
        return self.total("running") / seats if seats else None


def bucket_paddings(history: History) -> Ints:
    """Bucket padding of each row of the history's columns."""
    buckets, decodes = history.scenario.setup.buckets, history.columns["decode"]
    padding = np.zeros_like(decodes)
    if buckets is not None:
        most = int(decodes.max(initial=0))
        by_size = [bucket_padding(n, buckets) for n in range(most + 1)]
        padding = np.array(by_size, dtype=np.int64)[decodes]
    if history.past:
        before = bucket_paddings(history.past.history)
        padding[: len(before)] = before
    return padding
