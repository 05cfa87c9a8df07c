"""Rounds given by hand: what may be given to whom, and the plan that comes of it.

The hand decides what a policy would: who is served, in which order, with how much, and who gives
up its blocks. It is bound by what binds every policy: the token budget, the seats, the KV blocks
and the test on admission, and prompts that may not be cut (`chunked` off). The policy's own habits
bind it not: order of service and of waiting, and limits on chunks and decodes.

A grant maps ids to tokens, in the order of giving. 0 takes the seat and the blocks of one that
runs, before anybody is given any: recompute or swap, as the setup says.
"""

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sim.clock import to_shown
from sim.memory import Memory
from sim.plan import Plan
from sim.problems import Problem
from sim.sequence import Reason, Sequence, Status
from sim.state import State

Grant = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Offer:
    """What one that is here may be given in the next round, were it given first.

    `least` and `most` are tokens, both 0 where it can be given none; `reason` then says why.
    """

    id: str
    status: Status
    least: int
    most: int
    reason: Reason | None
    computed: int
    emitted: int


def plan(state: State) -> Plan | None:
    """The round as given, as far as it is legal; None: nobody is here."""
    if not (state.waiting or state.running):
        return None
    assert state.grants is not None
    return _Giver(state).give_all(state.grants[state.round])


def faults(state: State, grant: Grant) -> list[Problem]:
    """Every reason why the next round cannot be given like that; changes nothing."""
    giver = _Giver(state)
    giver.give_all(grant)
    return giver.faults


def offers(state: State) -> tuple[Offer, ...]:
    """What everyone here may be given next: who runs, then who waits."""
    giver = _Giver(state)
    return tuple(giver.offer(seq) for seq in (*state.running, *state.waiting))


def _runs(seq: Sequence) -> bool:
    return seq.admitted and not seq.preempted


class _Giver(Memory):
    """Builds the plan of one round from what a hand gives, and notes what it may not."""

    def __init__(self, state: State) -> None:
        super().__init__(state, state.scenario.setup.budget)
        self.here = {seq.request.id: seq for seq in (*state.running, *state.waiting)}
        self.faults: list[Problem] = []

    def give_all(self, grant: Grant) -> Plan:
        """The plan; what cannot be given is noted and left out."""
        for id_, n in sorted(grant.items(), key=lambda item: item[1] != 0):
            self._give_one(id_, n)
        spent = sum(self.made.given.values())
        if spent > self.setup.budget:
            self._note("over_budget", spent, high=self.setup.budget)
        elif not spent and not self.faults:
            self._note("gives_nothing", names=", ".join(self.here))
        for seq in self.here.values():
            if seq not in self.made.given and seq not in self.made.refused:
                self.made.refused[seq] = self._hindrance(seq) or Reason.BY_HAND
        return self.made

    def _note(self, rule: str, value: Any = None, *, of: str | None = None, **params: Any) -> None:
        place = ("grants", self.state.round) if of is None else ("grants", self.state.round, of)
        self.faults.append(Problem(place, rule, value, params))

    def _give_one(self, id_: str, n: int) -> None:
        if type(n) is not int:
            self._note("not_whole", n, of=id_)
        elif n < 0:
            self._note("too_small", n, of=id_, low=0)
        elif (seq := self.here.get(id_)) is None:
            self._note_absence(id_, n)
        elif n == 0:
            self._take_back(seq)
        elif not self._is_wrong(seq, n):
            most = min(self._demand(seq), self.made.left)
            self.give(seq, n)
            if n < most:
                self.made.cut[seq] = Reason.BY_HAND
            if not _runs(seq):
                self.admit(seq)

    def _note_absence(self, id_: str, n: int) -> None:
        """Why somebody who is not here is not."""
        state, requests = self.state, self.state.scenario.requests
        index = next((i for i, request in enumerate(requests) if request.id == id_), None)
        if index is None:
            self._note("unknown_request", id_, of=id_)
            return
        how = next((how for i, how, _ in state.ended if i == index), None)
        if how is not None:
            self._note("has_left", n, of=id_, how=str(how))
        else:
            self._note("not_here_yet", n, of=id_, now=to_shown(state.now, self.setup.time))

    def _take_back(self, seq: Sequence) -> None:
        if not _runs(seq):
            self._note("holds_no_seat", 0, of=seq.request.id)
            return
        self.evict(seq)
        self.seats_left += 1

    def _is_wrong(self, seq: Sequence, n: int) -> bool:
        """Note why n tokens are too many or too few for it, or find no room."""
        id_, demand = seq.request.id, self._demand(seq)
        if not seq.in_prefill and n != 1:
            self._note("decode_takes_one", n, of=id_)
        elif n > demand:
            self._note("more_than_left", n, of=id_, high=demand)
        elif n < self._least(seq):
            self._note("whole_prompt", n, of=id_, low=demand)
        elif not (_runs(seq) or self.seats_left > 0):
            self._note("no_seat", n, of=id_, high=self.setup.max_num_seqs)
        elif not self._has_room(seq, n):
            free = (self.setup.num_blocks or 0) - self.made.used
            self._note("no_blocks", n, of=id_, free=free)
        else:
            return False
        return True

    # What one may have.

    def _demand(self, seq: Sequence) -> int:
        return seq.demand if seq.in_prefill else 1

    def _least(self, seq: Sequence) -> int:
        """All that is left of a prompt that may not be cut; but one that fits no round may."""
        is_whole = not self.setup.chunked and not (self.is_vllm and _runs(seq))
        fits_no_round = seq.peak and seq.demand > self.setup.budget
        return self._demand(seq) if is_whole and not fits_no_round else 1

    def _has_room(self, seq: Sequence, n: int) -> bool:
        return self.has_blocks(seq, n) if _runs(seq) else self.fits(seq, n)

    def _hindrance(self, seq: Sequence) -> Reason | None:
        """Why it could not be given even the least it takes, as things stand in this round."""
        least = self._least(seq)
        if self.made.left < least:
            return Reason.BUDGET_SPENT if self.made.left <= 0 else Reason.WHOLE_PROMPT
        if not _runs(seq) and self.seats_left <= 0:
            return Reason.NO_SEAT
        return None if self._has_room(seq, least) else Reason.NO_BLOCKS

    def offer(self, seq: Sequence) -> Offer:
        """The least and the most it may be given, with nothing given to others."""
        reason = self._hindrance(seq)
        least = most = 0
        if reason is None:
            least = self._least(seq)
            more = range(least, min(self._demand(seq), self.setup.budget) + 1)
            most = least - 1 + bisect_left(more, True, key=lambda n: not self._has_room(seq, n))
        return Offer(seq.request.id, seq.status, least, most, reason, seq.computed, seq.emitted)
