"""How long prompts and outputs are: a shape given at percentiles, linear between them.

The published shape (percentiles of a public conversation trace) is nobody's rows: between two
percentiles the length is interpolated, and prompt and output are independent.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

PERCENTILES = (0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99, 100)
PROMPT_TOKENS = (2, 207, 387, 403, 703, 1020, 1071, 1130, 1315, 2734, 4083, 4142, 14050)
OUTPUT_TOKENS = (7, 54, 77, 91, 103, 129, 177, 384, 400, 424, 451, 601, 1000)


def length_at(share: float, lengths: Sequence[int], percents: Sequence[float] = PERCENTILES) -> int:
    """The length at a share (0 to 1) of a distribution given at `percents`, rounded.

    A percent that stands there twice is a jump from one length to the other.
    """
    percent = share * 100
    right = min(bisect_right(percents, percent), len(percents) - 1)
    low, high = percents[right - 1], percents[right]
    part = (percent - low) / (high - low)
    return round(lengths[right - 1] + part * (lengths[right] - lengths[right - 1]))


@dataclass(frozen=True, slots=True)
class Lengths:
    """A distribution of lengths: tokens at percents from 0 to 100, neither ever falling."""

    percents: tuple[float, ...]
    tokens: tuple[int, ...]

    @classmethod
    def always(cls, tokens: int) -> Self:
        """The same length for everybody."""
        return cls((0, 100), (tokens, tokens))

    def at(self, share: float) -> int:
        """The length at a share from 0 to below 1."""
        return length_at(share, self.tokens, self.percents)


# The shapes that have a name, each for prompts and for outputs.
PUBLISHED: Mapping[str, Mapping[str, Lengths]] = {
    "conversation": {
        "prompt": Lengths(PERCENTILES, PROMPT_TOKENS),
        "output": Lengths(PERCENTILES, OUTPUT_TOKENS),
    }
}
