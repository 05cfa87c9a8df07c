"""Who has prefill in the rounds of a run: the requests with the most of it, and how many others."""

import numpy as np

from sim import History
from sim.history import Ints

MOST_NAMED = 3

Prefills = tuple[list[tuple[str, int]], int]  # who has most, first; how many more there are


def prefills(history: History, rounds: Ints) -> list[Prefills]:
    """Of each of these rounds, counted from 0 and rising, who has prefill in it."""
    owner, first, count, amount, kind = history.work_runs
    is_prefill = kind == 1
    owner, first, count, amount = (one[is_prefill] for one in (owner, first, count, amount))
    within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    number = np.repeat(first, count) + within
    is_asked = np.isin(number, rounds)
    number, owner, amount = (
        one[is_asked] for one in (number, np.repeat(owner, count), np.repeat(amount, count))
    )
    order = np.lexsort((owner, -amount, number))
    number, owner, amount = number[order], owner[order], amount[order]
    requests = history.scenario.requests
    found = []
    for start, past in zip(
        np.searchsorted(number, rounds), np.searchsorted(number, rounds, "right"), strict=True
    ):
        named = range(int(start), int(min(past, start + MOST_NAMED)))
        listed = [(requests[owner[i]].id, int(amount[i])) for i in named]
        found.append((listed, int(past - start) - len(listed)))
    return found
