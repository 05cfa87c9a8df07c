"""Laws that every run obeys, whatever the setup. `--check` and the tests ask for them.

The one file where `assert` is the way to speak: a broken law is a fault of the simulator, never
of its input.
"""

from collections import Counter
from itertools import pairwise

from sim.history import History
from sim.record import Round
from sim.scenario import Scenario
from sim.sequence import Status
from sim.setup import Request

_LEGAL = {
    Status.WAITING: {Status.WAITING, Status.PREFILL, Status.DECODE, Status.FINISHED},
    Status.PREFILL: {Status.PREFILL, Status.DECODE, Status.PREEMPTED, Status.FINISHED},
    Status.DECODE: {Status.DECODE, Status.PREEMPTED, Status.FINISHED},
    Status.PREEMPTED: {Status.PREEMPTED, Status.PREFILL, Status.DECODE, Status.FINISHED},
    Status.FINISHED: set(),
}


def check(history: History) -> int:
    """Prove every law on every round; the number of rounds looked at.

    Raises:
        AssertionError: names the law, the round and the request.
    """
    watch = _Watch(history.scenario)
    for record in history:
        _check_round(record, history.scenario)
        watch.see(record)
    watch.end()
    _check_columns(history)
    return len(history)


def _check_round(record: Round, scenario: Scenario) -> None:
    setup, at = scenario.setup, f"round {record.number}"
    assert record.positions > 0, f"{at} has no position"
    assert record.positions <= setup.budget, f"{at} is above the budget"
    seats = len(record.running) + len(record.idle)
    assert seats <= setup.seats, f"{at} has {seats} requests in {setup.seats} seats"
    given = sum(record.given.values())
    assert given + record.padding + len(record.idle) == record.positions, f"{at} loses positions"
    assert record.padding == sum(record.pads.values()), f"{at} miscounts its padding"
    places = Counter([*record.running, *record.waiting, *record.idle])
    assert max(places.values()) == 1, f"{at} has a request in two places: {places}"
    assert set(record.given) <= set(record.running), f"{at} gives to somebody who does not run"
    idle_ones = {*record.running, *record.waiting} - set(record.given)
    assert set(record.why) == idle_ones, f"{at} names the wrong ones as left out"
    assert set(record.finished) <= set(record.emitted), f"{at} ends somebody without a token"
    assert record.end > record.start, f"{at} takes no time"
    if setup.num_blocks is not None and record.used is not None:
        assert record.used <= setup.num_blocks, f"{at} uses {record.used} blocks of the pool"
        if setup.mode != "static":
            held = sum(record.blocks.values())
            assert held == record.used, f"{at} has {record.used} blocks taken, {held} held"


class _Watch:
    """Follows each request from round to round."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.requests: dict[str, Request] = {r.id: r for r in scenario.requests}
        self.status = dict.fromkeys(self.requests, Status.WAITING)
        self.computed = {r.id: r.cached for r in scenario.requests}
        self.emitted = dict.fromkeys(self.requests, 0)
        self.preempted: set[str] = set()
        self.rereads = scenario.setup.first_token == "next_round"
        self.end_of_last = 0

    def see(self, record: Round) -> None:
        at = f"round {record.number}"
        self._check_idle(record)
        self.preempted.update(record.preempted)
        for id_, now in record.after.items():
            assert now.status in _LEGAL[self.status[id_]], f"{at}: {id_} became {now.status}"
            self._check_tokens(record, id_)
            if now.status is Status.DECODE and now.emitted:
                due = self.requests[id_].prompt + now.emitted - 1
                ahead = int(self.rereads and id_ in self.preempted)  # computed again, not sampled
                assert now.computed - due in (0, ahead), f"{at}: {id_} computed {now.computed}"
            self.status[id_], self.emitted[id_] = now.status, now.emitted
            self.computed[id_] = now.computed
        for request in record.queue:
            assert request.arrival <= record.start, f"{at}: {request.id} waits before it arrived"
        self.end_of_last = record.end

    def _check_tokens(self, record: Round, id_: str) -> None:
        at, now = f"round {record.number}: {id_}", record.after[id_]
        sampled = now.emitted - self.emitted[id_]
        assert sampled == int(id_ in record.emitted), f"{at} sampled {sampled} tokens"
        if id_ in record.preempted:
            assert now.computed == 0, f"{at} lost its blocks and still has computed tokens"
            return
        grown = now.computed - self.computed[id_]
        reread = self.computed[id_] == self.requests[id_].prompt + self.emitted[id_]
        expected = 0 if reread else record.given.get(id_, 0)
        assert grown == expected, f"{at} computed {grown} of {expected}"

    def _check_idle(self, record: Round) -> None:
        """Continuous batching never rests while somebody is there."""
        if record.start == self.end_of_last or self.scenario.setup.mode == "static":
            return
        unfinished = [
            id_
            for id_, request in self.requests.items()
            if request.arrival < record.start and self.status[id_] is not Status.FINISHED
        ]
        assert not unfinished, f"nothing ran before round {record.number}, yet {unfinished} waited"

    def end(self) -> None:
        for id_, request in self.requests.items():
            out = self.emitted[id_]
            assert out == request.output, f"{id_} emitted {out} of {request.output} tokens"
            due = request.prompt + request.output - 1
            assert self.computed[id_] == due, f"{id_} computed {self.computed[id_]}, not {due}"


def _check_columns(history: History) -> None:
    """The columns tell the same as the rounds: sums, and times of tokens that increase."""
    requests = history.scenario.requests
    emitted = int(history.per_round("emitted").sum())
    assert emitted == sum(r.output for r in requests), f"columns count {emitted} tokens"
    for index, request in enumerate(requests):
        times = [int(t) for t in history.token_times(index)]
        assert all(a < b for a, b in pairwise(times)), f"{request.id}: token times do not increase"
        work = history.work[index]
        prefilled = int((work[:, 1] * work[:, 2] * work[:, 3]).sum())
        due = request.prompt - request.cached
        if not history.preemptions[index]:
            assert prefilled == due, f"{request.id} prefilled {prefilled} of {due} tokens"
