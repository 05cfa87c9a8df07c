"""One round as people read it: ids instead of objects, reasons written out for everyone."""

from array import array
from collections import abc
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, TypeVar, overload

from sim import extras
from sim.plan import Plan
from sim.scheduler import commit, execute, plan, reserve
from sim.sequence import Reason, Sequence, Status
from sim.setup import Request, Setup
from sim.state import State
from sim.static import set_aside

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One request after a round."""

    status: Status
    computed: int
    emitted: int


class Queue(abc.Sequence[Request]):
    """Requests in a row, from the head.

    Kept as their places in the scenario: a queue can be thousands long, in each of hundreds of
    rounds, and the garbage collector would go through all of them.

    >>> some = tuple(Request(id_, 0, 6, 1) for id_ in "ABC")
    >>> Queue(some, array("i", [2, 0]))
    Queue(C, A)
    """

    __slots__ = ("_places", "_requests")

    def __init__(self, requests: tuple[Request, ...], places: "array[int]") -> None:
        self._requests, self._places = requests, places

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, key: int) -> Request: ...
    @overload
    def __getitem__(self, key: slice) -> "Queue": ...
    def __getitem__(self, key: int | slice) -> "Request | Queue":
        if isinstance(key, slice):
            return Queue(self._requests, self._places[key])
        return self._requests[self._places[key]]

    def __iter__(self) -> Iterator[Request]:
        return map(self._requests.__getitem__, self._places)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Queue) and tuple(self) == tuple(other)

    def __repr__(self) -> str:
        return f"Queue({', '.join(request.id for request in self)})"


@dataclass(frozen=True, slots=True)
class Round:
    """The plan of a round, the queues as scheduled (before outputs), and what came of it.

    Times are internal units; `number` counts from 1. `running` and `queue` are taken after
    scheduling, as vLLM's recordings are, so requests that finish in this round still run.
    `after` is how everyone in `running` stands once the round is committed. Ids and reasons of a
    queue are written out only when asked for.
    """

    number: int
    start: int
    end: int
    prefill: int
    decode: int
    drafts: int
    kv_read: int
    given: Mapping[str, int]
    prefilling: frozenset[str]  # whose positions are prefill; the others decode
    cut: Mapping[str, Reason]
    pads: Mapping[str, int]
    admitted: tuple[str, ...]
    resumed: tuple[str, ...]
    preempted: tuple[str, ...]
    departed: Mapping[str, Status]  # who left since the last round, or is rejected in this one
    running: tuple[str, ...]
    queue: Queue
    emitted: tuple[str, ...]
    tokens: Mapping[str, int]  # of those in `emitted`; more than one with accepted drafts
    finished: tuple[str, ...]
    padding: int
    bucket_padding: int  # decodes added to reach the next graph bucket
    is_eager: bool  # more decodes than the largest bucket
    idle: tuple[str, ...]  # members of a static batch who hold a seat without using it
    used: int | None  # KV blocks taken, None without a pool
    blocks: Mapping[str, int]  # of those running, and of all members of a static batch
    refused: Mapping[str, Reason]
    rest: Reason  # of everyone in the queue whom `refused` does not name
    after: Mapping[str, Snapshot]

    @property
    def positions(self) -> int:
        """Positions of the budget in use."""
        return self.prefill + self.decode + self.drafts

    @property
    def waiting(self) -> tuple[str, ...]:
        """Ids of the queue, from the head."""
        return tuple(request.id for request in self.queue)

    @property
    def why(self) -> dict[str, Reason]:
        """Everyone present who got nothing, and the reason."""
        return {**self.refused, **{id_: self.reason(id_) for id_ in self.waiting}}

    def reason(self, id_: str) -> Reason:
        """Why a request that got nothing got nothing."""
        return self.refused.get(id_, self.rest)


def next_round(state: State) -> Round | None:
    """Advance `state` by one round and describe it; None when there is nothing to run at `now`."""
    made = plan(state)
    if made is None:
        return None
    setup = state.scenario.setup
    number, start = state.round + 1, state.now
    end = start + execute(state, made)
    resumed = tuple(seq.request.id for seq in made.admitted if seq.admitted)
    reserve(state, made)
    members = state.batch.members if state.batch and made.idle else []
    idle = tuple(s.request.id for s in members if s.done or s.is_paused)
    preempted = [*state.ejected, *made.preempted]
    departed = {state.scenario.requests[i].id: how for i, how, _ in state.ended[state.told :]}
    running = list(state.running)
    used, blocks = state.used, _blocks_held(state, made)
    done = commit(state, made, end)
    return Round(
        number=number,
        start=start,
        end=end,
        **_told(made, setup),
        admitted=tuple(id_ for id_ in _ids(made.admitted) if id_ not in resumed),
        resumed=resumed,
        preempted=_ids(preempted),
        departed=departed,
        running=_ids(running),
        queue=Queue(state.scenario.requests, array("i", map(_place, state.waiting))),
        emitted=_ids(done.emitted),
        tokens=_by_id(done.emitted),
        finished=_ids(seq for seq in done.finished if seq.ended is Status.FINISHED),
        idle=idle,
        used=used if setup.num_blocks is not None else None,
        blocks=blocks,
        after={
            s.request.id: Snapshot(s.status, s.computed, s.emitted) for s in (*running, *preempted)
        },
    )


_place = attrgetter("index")  # thousands may wait


def _told(made: Plan, setup: Setup) -> dict[str, Any]:
    """What a round has straight from its plan."""
    return {
        "prefill": made.prefill,
        "decode": made.decode,
        "drafts": made.drafts,
        "kv_read": made.kv_read,
        "given": _by_id(made.given),
        "prefilling": frozenset(seq.request.id for seq in made.prefilling),
        "cut": _by_id(made.cut),
        "pads": _by_id(made.pads),
        "padding": made.padding,
        "bucket_padding": extras.bucket_padding(made.decode, setup.buckets),
        "is_eager": extras.is_eager(made.decode, setup.buckets),
        "refused": _by_id(made.refused),
        "rest": made.rest,
    }


def _blocks_held(state: State, made: Plan) -> dict[str, int]:
    """Blocks of everyone who holds some, those of this round's positions included."""
    setup = state.scenario.setup
    if setup.num_blocks is None:
        return {}
    if state.batch:
        return {seq.request.id: set_aside(seq, setup) for seq in state.batch.members}
    return {
        s.request.id: s.blocks(s.tokens_with(made.given.get(s, 0)), setup) for s in state.running
    }


def _ids(sequences: Iterable[Sequence]) -> tuple[str, ...]:
    return tuple(seq.request.id for seq in sequences)


def _by_id(table: Mapping[Sequence, V]) -> dict[str, V]:
    return {seq.request.id: value for seq, value in table.items()}
