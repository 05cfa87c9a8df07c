"""A run that becomes another one: from a round on it goes on under a changed scenario.

Nothing of the past is made again or patched: the rounds before are a history of their own, and the
state at their end is taken over by the new scenario. What has happened may not change with it, so
a request that has come keeps what the past is made of, and the server what it was started with.

What a smaller server does with those who are there: nobody is thrown out for want of seats or
budget; they are served in their order, and nobody joins until there is room. A pool smaller than
the blocks taken is refused. Who was swapped out comes back with its KV, whatever `on_full` is now.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import fields

import numpy as np

from sim.clock import to_shown
from sim.engine import stretches
from sim.history import History, simulate
from sim.order import by_urgency, urgency
from sim.past import Past
from sim.problems import Problem, ScenarioError
from sim.recorder import Recorder
from sim.runs import Ints
from sim.scenario import Scenario
from sim.sequence import Sequence
from sim.setup import Request
from sim.state import State
from sim.static import set_aside

FIXED = ("time", "concurrency", "block_size")  # and whether batches are static
FREE = {"priority", "deadline", "cancel_at", "output", "max_output"}  # of those who are here


def fork(history: History, k: int, scenario: Scenario) -> History:
    """The same rounds before index `k`, and from there on those under `scenario`.

    Requests are the same by their ids. One has come if its arrival is before the end of round
    k - 1 (in a closed loop: if it was sent); of those only `FREE` fields may change, and nothing
    once they have left. Others may change, come in or go. With k = 0 all is free.

    Args:
        history: a run of any kind, also a fork or one played by hand.
        k: the first round that may differ, from 0 to the number of rounds.
        scenario: what goes on, checked.

    Raises:
        IndexError: there is no such round.
        ScenarioError: the past would have to be another one; with every problem found.

    >>> from sim import Request, Setup, run
    >>> rows = Request("A", 0, 6, 2), Request("B", 1, 4, 2)
    >>> before = run(Scenario(Setup(budget=4, time="tick"), rows))
    >>> [dict(record.given) for record in before]
    [{'A': 4}, {'A': 2, 'B': 2}, {'A': 1, 'B': 2}, {'B': 1}]
    >>> after = fork(before, 2, before.scenario.with_setup(budget=2))
    >>> [dict(record.given) for record in after]
    [{'A': 4}, {'A': 2, 'B': 2}, {'A': 1, 'B': 1}, {'B': 1}, {'B': 1}]
    """
    if not 0 <= k <= len(history):
        raise IndexError(f"round {k} of {len(history)}")
    if k == 0:
        return simulate(scenario)
    before, state = _played(history, k)
    if found := list(_problems(before.scenario, state, scenario)):
        raise ScenarioError(tuple(found))
    past = Past(before, _places(before.scenario, scenario))
    after = taken_over(state, scenario, past.places)
    if found := list(_shortages(after)):
        raise ScenarioError(tuple(found))
    recorder = _recorder(past, scenario)
    for stretch in stretches(after, before=recorder.before):
        recorder.after(stretch, after)
    recorder.pause(after.round)
    return History(scenario, recorder, after, past=past)


# The past.


def _played(history: History, k: int) -> tuple[History, State]:
    """The first k rounds as a history of their own, and the state at their end."""
    while history.past and k <= len(history.past):
        history = history.past.history
    past, scenario = history.past, history.scenario
    if past:
        state = taken_over(_played(past.history, len(past))[1], scenario, past.places)
        recorder = _recorder(past, scenario)
    else:
        state, recorder = State.start(scenario), Recorder(scenario)
        state.grants = history.grants
    for stretch in stretches(state, limit=k - state.round, before=recorder.before):
        recorder.after(stretch, state)
    recorder.pause(k)
    return History(scenario, recorder, state, past=past), state


def _places(before: Scenario, scenario: Scenario) -> Ints:
    """Where each request of the past stands in the new list, -1: nowhere."""
    places = {request.id: index for index, request in enumerate(scenario.requests)}
    return np.array([places.get(r.id, -1) for r in before.requests], dtype=np.int64)


def _recorder(past: Past, scenario: Scenario) -> Recorder:
    """One that knows who was admitted, evicted and computed again in the past."""
    recorder, before = Recorder(scenario), past.history
    came = np.flatnonzero(before.first_rounds >= 0)
    places = past.places[came]
    recorder.first_rounds[places] = before.first_rounds[came]
    recorder.preemptions[places] = before.preemptions[came]
    recorder.recomputed[places] = before.recomputed[came]
    return recorder


# The state that goes on.


def taken_over(state: State, scenario: Scenario, places: Ints) -> State:
    """The state at a boundary as it stands under another scenario; the old one is used up.

    Args:
        state: after a round, before anybody is collected.
        scenario: what goes on.
        places: of its requests in the new list.
    """
    old, new = state.scenario, State.start(scenario)
    for name in ("now", "round", "arrived", "running", "batch", "turns", "verified", "told"):
        setattr(new, name, getattr(state, name))
    new.entering, new.entered = state.entering, state.entered
    if old.chance_seed == scenario.chance_seed:
        new.draft_luck = new.draft_luck and (state.draft_luck or new.draft_luck)
        new.expert_luck = new.expert_luck and (state.expert_luck or new.expert_luck)
    new.ended = [(int(places[index]), how, time) for index, how, time in state.ended]
    members = state.batch.members if state.batch else []
    for seq in dict.fromkeys((*state.waiting, *state.running, *members)):
        seq.index = int(places[seq.index])
        seq.request = scenario.requests[seq.index]
        seq.output = seq.request.output
    new.waiting = deque(_queue(state, scenario))
    for seq in (*new.waiting, *new.running):
        new.expect_leaving(seq)
    new.used = _blocks_taken(new)
    return new


def _queue(state: State, scenario: Scenario) -> list[Sequence]:
    """Who waits, in the order of the new setup."""
    if by_urgency(scenario.setup):
        return sorted(state.waiting, key=lambda seq: urgency(seq, scenario.setup))
    if by_urgency(state.scenario.setup):
        return sorted(state.waiting, key=lambda seq: (not seq.preempted, seq.arrival, seq.index))
    return list(state.waiting)


def _blocks_taken(state: State) -> int:
    setup = state.scenario.setup
    if setup.num_blocks is None:
        return 0
    if state.batch:
        return sum(set_aside(member, setup) for member in state.batch.members)
    return sum(seq.blocks(seq.computed, setup) for seq in state.running)


# What cannot change.


def _problems(before: Scenario, state: State, scenario: Scenario) -> Iterator[Problem]:
    old, new = before.setup, scenario.setup
    if (old.mode == "static") is not (new.mode == "static"):
        yield Problem(("setup", "mode"), "fixed_in_run", new.mode, {"old": old.mode})
    for name in FIXED:
        was, now = getattr(old, name), getattr(new, name)
        if was != now:
            yield Problem(("setup", name), "fixed_in_run", now, {"old": was})
    came = _came(before, state)
    yield from _misplaced(before, state, scenario, came)
    indices = {before.requests[index].id: index for index in came}
    for place, request in enumerate(scenario.requests):
        if request.id in indices:
            yield from _changed(state, indices[request.id], request, place)
        elif old.concurrency is None and request.arrival < state.now:
            low = {"low": to_shown(state.now, new.time)}
            shown = to_shown(request.arrival, new.time)
            yield Problem(("requests", place, "arrival"), "too_late", shown, low)


def _came(before: Scenario, state: State) -> list[int]:
    """Who has come by the fork, by index: what they are is part of the past."""
    if before.setup.concurrency is not None:
        return list(range(state.arrived))
    return [index for index, r in enumerate(before.requests) if r.arrival < state.now]


def _misplaced(
    before: Scenario, state: State, scenario: Scenario, came: list[int]
) -> Iterator[Problem]:
    """Who has come and is not there any more, or has another place among those who have."""
    ids = [before.requests[index].id for index in came]
    there = {request.id for request in scenario.requests}
    for id_ in ids:
        if id_ not in there:
            yield Problem(("requests",), "has_come", id_)
    kept = [id_ for id_ in ids if id_ in there]
    others = [(place, r.id) for place, r in enumerate(scenario.requests)]
    if before.setup.concurrency is None:  # those to come may stand anywhere
        others = [(place, id_) for place, id_ in others if id_ in set(ids)]
    for id_, (place, found) in zip(kept, others, strict=False):
        if id_ != found:
            yield Problem(("requests", place), "out_of_order", found, {"due": id_})
            return


def _changed(state: State, index: int, request: Request, place: int) -> Iterator[Problem]:
    """Fields of one that has come which would change what has happened."""
    was, unit = state.scenario.requests[index], state.scenario.setup.time
    has_left = any(index == gone for gone, *_ in state.ended)
    for item in fields(Request):
        old, new = getattr(was, item.name), getattr(request, item.name)
        if old == new:
            continue
        at = ("requests", place, item.name)
        is_time = item.metadata["kind"] == "time"
        shown, kept = (to_shown(v, unit) if is_time and v is not None else v for v in (new, old))
        if has_left:
            yield Problem(at, "fixed_after_leaving", shown, {"id": was.id, "old": kept})
        elif item.name not in FREE or (item.name == "cancel_at" and _is_over(old, state)):
            yield Problem(at, "fixed_after_arrival", shown, {"id": was.id, "old": kept})
        elif item.name == "cancel_at" and _is_over(new, state):
            yield Problem(at, "too_late", shown, {"low": to_shown(state.now, unit)})
        elif item.name == "output" and new <= (out := _emitted(state, index)):
            yield Problem(at, "already_out", new, {"id": was.id, "low": out + 1, "out": out})


def _is_over(time: int | None, state: State) -> bool:
    return time is not None and time < state.now


def _emitted(state: State, index: int) -> int:
    here = (*state.running, *state.waiting)
    return next((seq.emitted for seq in here if seq.index == index), 0)


def _shortages(state: State) -> Iterator[Problem]:
    """Of a server too small for what is under way."""
    setup = state.scenario.setup
    if setup.num_blocks is not None and state.used > setup.num_blocks:
        params = {"low": state.used}
        yield Problem(("setup", "num_blocks"), "blocks_in_use", setup.num_blocks, params)
    members = len(state.batch.members) if state.batch else 0
    if members > setup.budget:
        yield Problem(("setup", "budget"), "batch_under_way", setup.budget, {"low": members})
