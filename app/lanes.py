"""The lanes of the stage: a history each, with seats, batches and running totals; and windows.

A run too long to be sent whole is sent as a window around a time, with an overview of all of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush
from typing import Any

import numpy as np

from app.lane_specs import LaneSpec
from sim import HandRun, History, Problem, Status
from sim.clock import TimeUnit, to_shown
from sim.compare import Outcome, boiled
from sim.curves import longest_gaps
from sim.history import Ints
from sim.metrics import Metrics
from sim.progress import Progress

WINDOW_ROUNDS = 300
OVERVIEW_BINS = 400


class Lane:
    """A lane of the stage: the history of what its spec says, and what drawing it takes."""

    def __init__(
        self,
        key: str,
        history: History,
        spec: LaneSpec | None = None,
        hand: HandRun | None = None,
        before: History | None = None,
    ) -> None:
        self.history, self.hand = history, hand
        self.before = before  # kept for what is asked of the fork
        self.faults: tuple[Problem, ...] = ()  # of the round a person gave last
        self.spec = spec or LaneSpec(key, {"mode": history.scenario.setup.mode})

    @property
    def key(self) -> str:
        """Its name in the payload, which no other lane has."""
        return self.spec.key

    @property
    def is_open(self) -> bool:
        """Whether a person may give another round."""
        return self.hand is not None and not self.hand.done

    def prepare(self) -> None:
        """Work out now what the first picture needs; the rest of a large run's cost."""
        _ = self.progress.columns, self.seats

    @cached_property
    def progress(self) -> Progress:
        """Totals after every round."""
        return Progress(self.history)

    @cached_property
    def final(self) -> Metrics:
        """Metrics at the end of the run."""
        return Metrics(self.history)

    @cached_property
    def outcome(self) -> Outcome:
        """The run boiled down, to be compared with others."""
        return boiled(self.key, self.history)

    @cached_property
    def longest_gaps(self) -> Ints:
        """The longest gap that ends with each round, internal units; 0 without any."""
        return longest_gaps(self.history)

    @property
    def arrivals(self) -> Ints:
        """When each request came, internal units: in a closed loop not its own arrival."""
        return self.history.arrivals

    # Of thousands of requests in tuples, which the garbage collector does not look through.

    @cached_property
    def end(self) -> int:
        """When nobody is here any more and nobody is to come; 0 before the first arrival."""
        last_round = int(self.history.ends[-1]) if len(self.history) else 0
        left = self.history.ended_at[~np.array(self.here, dtype=bool)]
        return max(last_round, int(left.max(initial=0)))

    @cached_property
    def here(self) -> tuple[bool, ...]:
        """Of each request whether it has not left: in a run by hand that is not over."""
        return tuple(not how.has_left for how in self.history.states)

    @cached_property
    def last_rounds(self) -> tuple[int, ...]:
        """The last round that began before each request left, served in it or not."""
        past = np.searchsorted(self.history.starts, self.history.ended_at)
        return tuple((past - 1).tolist())

    @cached_property
    def departures(self) -> list[tuple[int, Status]]:
        """Who left without being done, and how, in list order."""
        states = enumerate(self.history.states)
        return [(i, how) for i, how in states if how.has_left and how is not Status.FINISHED]

    @cached_property
    def untold(self) -> list[tuple[int, Status]]:
        """Those of them who left when the last round was over: no round tells of them."""
        over = int(self.history.ends[-1]) if len(self.history) else 0
        generated = self.final.outputs.generated
        return [
            (index, how)
            for index, how in self.departures
            if self.history.ended_at[index] >= over
            and generated[index] < self.history.scenario.requests[index].output
        ]

    @cached_property
    def batches(self) -> list[tuple[int, int, int]]:
        """Static batches as (first round, last round, members)."""
        ends: dict[int, list[int]] = {}
        for first, last in zip(self.history.first_rounds, self.last_rounds, strict=True):
            if first >= 0:
                ends.setdefault(int(first), []).append(last)
        return [(first, max(lasts), len(lasts)) for first, lasts in sorted(ends.items())]

    @cached_property
    def seats(self) -> tuple[int, ...]:
        """The seat of every request: the lowest one free when it is admitted, -1 without any.

        Who is evicted has its row until it leaves, so the rows may be more than the seats.
        """
        firsts = [int(r) for r in self.history.first_rounds]
        leaves = list(self.last_rounds)
        if self.history.scenario.setup.mode == "static":
            until = {first: last for first, last, _ in self.batches}
            leaves = [until.get(first, last) for first, last in zip(firsts, leaves, strict=True)]
        admitted = (i for i, first in enumerate(firsts) if first >= 0)
        order = sorted(admitted, key=lambda i: (firsts[i], self.arrivals[i], i))
        free: list[int] = []
        busy: list[tuple[int, int]] = []
        seats = [-1] * len(firsts)
        taken = 0
        for i in order:
            while busy and busy[0][0] < firsts[i]:
                heappush(free, heappop(busy)[1])
            if not free:
                heappush(free, taken)
                taken += 1
            seats[i] = heappop(free)
            heappush(busy, (leaves[i], seats[i]))
        return tuple(seats)


@dataclass(frozen=True, slots=True)
class Window:
    """The part of the time axis that is sent, internal units, at boundaries of rounds."""

    start: int
    end: int
    whole: bool


def window_at(lanes: list[Lane], time: int) -> Window:
    """A window around `time`, in which no lane has more rounds than are sent at once."""
    if all(len(lane.history) <= WINDOW_ROUNDS for lane in lanes):
        return Window(0, max(1, *(lane.end for lane in lanes)), whole=True)
    starts, ends = [], []
    for lane in lanes:
        rounds = len(lane.history)
        at = int(np.searchsorted(lane.history.ends, time, "right"))
        low = max(0, min(at - WINDOW_ROUNDS // 4, rounds - WINDOW_ROUNDS))
        high = min(rounds, low + WINDOW_ROUNDS) - 1
        starts.append(int(lane.history.starts[low]) if low else 0)
        if at < rounds:
            ends.append(int(lane.history.ends[high]))
    if not ends:
        last = max(int(lane.history.ends[-1]) for lane in lanes if len(lane.history))
        return window_at(lanes, last - 1)
    return Window(max(starts), min(ends), whole=False)


def twins(lanes: Sequence[Lane]) -> list[int | None]:
    """Of each lane the first one before it that has the very same rounds."""
    return [
        next((k for k in range(place) if _are_alike(lanes[k].history, lane.history)), None)
        for place, lane in enumerate(lanes)
    ]


def _are_alike(one: History, other: History) -> bool:
    """Whether every round computes the same for the same requests at the same time."""
    if not np.array_equal(one.ends, other.ends) or not np.array_equal(one.starts, other.starts):
        return False
    if one.states != other.states or not np.array_equal(one.ended_at, other.ended_at):
        return False
    runs = zip(
        (*one.work_runs, *one.token_runs), (*other.work_runs, *other.token_runs), strict=True
    )
    return all(np.array_equal(a, b) for a, b in runs)


def overview(lanes: list[Lane], unit: TimeUnit) -> dict[str, Any]:
    """The whole run in equal bins: queue length, budget use and rounds of each lane."""
    end = max(int(lane.history.ends[-1]) for lane in lanes if len(lane.history))
    edges = np.linspace(0, end, OVERVIEW_BINS + 1)
    return {
        "t0": 0,
        "t1": to_shown(end, unit),
        "lanes": [{"key": lane.key, **_bins(lane.history, edges)} for lane in lanes],
    }


def _bins(history: History, edges: Any) -> dict[str, list[float]]:
    """The longest queue of any round that a bin touches, and the mean share of the budget.

    `rounds` is how many are over at each edge, so that the browser finds the window of a round.
    """
    starts, ends = history.starts, history.ends
    begun = np.clip(np.searchsorted(edges, starts, "right") - 1, 0, len(edges) - 2)
    queue = history.per_round("waiting")
    under_way = np.maximum(np.searchsorted(starts, edges[:-1], "right") - 1, 0)
    is_inside = (starts[under_way] <= edges[:-1]) & (edges[:-1] < ends[under_way])
    waiting = np.where(is_inside, queue[under_way], 0)
    np.maximum.at(waiting, begun, queue)
    positions = sum(history.per_round(name) for name in ("prefill", "decode", "drafts"))
    work = positions / history.setting(lambda setup: setup.budget) * (ends - starts)
    done = np.cumsum(work)
    so_far = np.interp(
        edges, np.column_stack((starts, ends)).ravel(), np.column_stack((done - work, done)).ravel()
    )
    load = np.diff(so_far) / np.diff(edges)
    return {
        "waiting": [int(n) for n in waiting],
        "load": [round(min(float(x), 1.0), 3) for x in load],
        "rounds": [int(n) for n in np.searchsorted(history.ends, edges, "right")],
    }
