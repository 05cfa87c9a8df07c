"""Which blocks of the KV pool belong to whom: the block tables, round by round.

The scheduler needs counts only, so the tables are a view of the history like everything else that
is shown. Blocks are numbered from 0. A request takes the free ones with the lowest numbers, in the
order in which positions were given; what it gives back is free before anybody takes (the choice of
PagedAttention, Kwon et al., SOSP 2023, is free; this one is the same on every machine).
"""

from collections.abc import Iterable, Iterator, Mapping
from heapq import heapify, heappop, heappush

from sim.record import Round

Tables = Mapping[str, tuple[int, ...]]


def tables(rounds: Iterable[Round], num_blocks: int) -> Iterator[Tables]:
    """The block table of everyone in the pool, as scheduled, for each of a run's first rounds.

    Args:
        rounds: from the first round on, such as `history[:k]`.
        num_blocks: blocks of the pool.
    """
    pool = _Pool(num_blocks)
    for record in rounds:
        yield pool.follow(record)


class _Pool:
    def __init__(self, num_blocks: int) -> None:
        self.free = list(range(num_blocks))
        heapify(self.free)
        self.held: dict[str, list[int]] = {}

    def follow(self, record: Round) -> Tables:
        """Give back and take what brings every table to the round's counts."""
        for id_, table in list(self.held.items()):
            back = table[_kept(record, id_) :]
            for block in back:
                heappush(self.free, block)
            del table[len(table) - len(back) :]
            if not table:
                del self.held[id_]
        for id_ in dict.fromkeys((*record.given, *record.blocks)):
            self._take(id_, record.blocks.get(id_, 0))
        return {id_: tuple(table) for id_, table in self.held.items()}

    def _take(self, id_: str, count: int) -> None:
        table = self.held.setdefault(id_, []) if count else []
        while len(table) < count:
            table.append(heappop(self.free))


def _kept(record: Round, id_: str) -> int:
    """How many blocks a request keeps at least: none of those it lost, in this round or before."""
    if id_ in record.admitted or id_ in record.resumed or id_ in record.preempted:
        return 0
    return record.blocks.get(id_, 0)
