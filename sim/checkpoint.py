"""A state written down, from which the scheduler can go on again: how a round is made on demand."""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from sim.scenario import Scenario
from sim.sequence import Sequence, Status
from sim.state import Batch, State

_KEPT = tuple(name for name in Sequence.__slots__ if name not in ("request", "prompt", "output"))

_INDEX = _KEPT.index("index")
_fields = attrgetter(*_KEPT)

Entry = tuple[Any, ...]  # the fields `_KEPT` of a sequence


def _entries(sequences: Iterable[Sequence]) -> tuple[Entry, ...]:
    return tuple(map(_fields, sequences))


def _twin(entry: Entry, scenario: Scenario) -> Sequence:
    values = dict(zip(_KEPT, entry, strict=True))
    twin = Sequence(values["index"], scenario.requests[values["index"]], values["arrival"])
    for name, value in values.items():
        setattr(twin, name, value)
    return twin


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A state as plain numbers, from which it can go on again.

    Who waits and never ran is only an index; others are an `Entry`.
    """

    now: int
    round: int
    arrived: int
    waiting: "array[int]"
    running: tuple[Entry, ...]
    preempted: tuple[Entry, ...]  # those in the queue who were running before
    members: tuple[Entry, ...] | None  # of the static batch
    position: int
    used: int
    turns: dict[str, int]
    entering: tuple[tuple[int, int], ...]
    leaving: tuple[tuple[int, int], ...]
    entered: dict[int, int]  # of those who wait
    verified: int
    departed: tuple[tuple[int, Status, int], ...]  # since the last commit
    ejected: tuple[int, ...]
    moved: int
    luck: tuple[Any, ...]  # where the random generators stand

    @classmethod
    def of(cls, state: State) -> "Checkpoint":
        """Write down a state."""
        batch = state.batch
        return cls(
            now=state.now,
            round=state.round,
            arrived=state.arrived,
            waiting=array("q", [seq.index for seq in state.waiting]),
            running=_entries(state.running),
            preempted=_entries(seq for seq in state.waiting if seq.preempted),
            members=_entries(batch.members) if batch else None,
            position=batch.position if batch else 0,
            used=state.used,
            turns=dict(state.turns),
            entering=tuple(state.entering),
            leaving=tuple(state.leaving),
            entered={s.index: s.arrival for s in state.waiting} if state.entered else {},
            verified=state.verified,
            departed=tuple(state.ended[state.told :]),
            moved=state.moved,
            ejected=tuple(seq.index for seq in state.ejected),
            luck=tuple(r.getstate() if r else None for r in (state.draft_luck, state.expert_luck)),
        )

    @property
    def weight(self) -> int:
        """What it takes in memory, in entries; who only waits takes an eighth of one."""
        return 8 + len(self.running) + len(self.preempted) + len(self.waiting) // 8

    def restore(self, blank: State) -> State:
        """A state of its own that stands where the noted one stood.

        Args:
            blank: any state of the same scenario; what never changes is taken from it.
        """
        state, scenario = blank.blank(), blank.scenario
        state.now, state.round, state.arrived = self.now, self.round, self.arrived
        state.used, state.turns = self.used, dict(self.turns)
        state.entering, state.leaving = list(self.entering), list(self.leaving)
        state.verified, state.moved = self.verified, self.moved
        for random, noted in zip((state.draft_luck, state.expert_luck), self.luck, strict=True):
            if random and noted:
                random.setstate(noted)
        known = (*self.running, *self.preempted, *(self.members or ()))
        twins = {entry[_INDEX]: _twin(entry, scenario) for entry in dict.fromkeys(known)}
        for index in self.waiting:
            request = scenario.requests[index]
            arrival = self.entered.get(index, request.arrival)
            state.waiting.append(twins.get(index) or Sequence(index, request, arrival))
        state.ended = list(self.departed)
        state.ejected = [twins[index] for index in self.ejected]
        state.running = [twins[entry[_INDEX]] for entry in self.running]
        if self.members is not None:
            state.batch = Batch.of([twins[entry[_INDEX]] for entry in self.members], self.position)
        return state
