"""Which requests the lanes show, in one order: those that all have, then those of some only."""

from collections.abc import Iterable, Mapping, Sequence

Rows = list[int | None]  # of a lane: its request by index in each row, None if it has none there


class Roster:
    """Rows of requests that are the same in every lane.

    Args:
        indices: of every lane, the index of each request by its id.
        shown: of every lane, the indices that are to be seen; None: all.
    """

    def __init__(
        self, indices: Sequence[Mapping[str, int]], shown: Sequence[Iterable[int]] | None = None
    ) -> None:
        numbers = dict.fromkeys(indices[0])
        for index in indices[1:]:
            if index.keys() != numbers.keys():
                numbers |= dict.fromkeys(index)
        self._ids = list(numbers)
        self.numbers = range(len(self._ids)) if shown is None else self._seen(indices, shown)
        self.rows = [self._rows(index) for index in indices]

    def _seen(
        self, indices: Sequence[Mapping[str, int]], shown: Sequence[Iterable[int]]
    ) -> list[int]:
        number = {id_: place for place, id_ in enumerate(self._ids)}
        found: set[int] = set()
        for index, some in zip(indices, shown, strict=True):
            ids = list(index)
            found.update(number[ids[i]] for i in some)
        return sorted(found)

    def _rows(self, index: Mapping[str, int]) -> Rows:
        return [index.get(self._ids[number]) for number in self.numbers]


def places(rows: Rows) -> dict[int, int]:
    """The row of each request of a lane, by its index."""
    return {index: row for row, index in enumerate(rows) if index is not None}
