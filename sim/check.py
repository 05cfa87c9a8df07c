"""Laws that every run obeys, whatever the setup. `--check` and the tests ask for them.

The one file where `assert` is the way to speak: a broken law is a fault of the simulator, never
of its input.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise, repeat, tee

from sim.blocks import Tables, tables
from sim.history import History
from sim.record import Round
from sim.scenario import Scenario
from sim.sequence import Reason, Status
from sim.setup import Request

_ALIVE = {
    Status.WAITING: {Status.WAITING},
    Status.PREFILL: {Status.PREFILL, Status.PREEMPTED},
    Status.DECODE: {Status.DECODE, Status.PAUSED, Status.PREEMPTED},
    Status.PAUSED: {Status.PAUSED, Status.DECODE, Status.PREEMPTED},
    Status.PREEMPTED: {Status.PREEMPTED},
}
_DECODED = {Status.DECODE, Status.PAUSED, Status.FINISHED, Status.CANCELLED}
_SERVED = {
    Status.WAITING: {Status.PREFILL, *_DECODED},
    Status.PREFILL: {Status.PREFILL, *_DECODED},
    Status.DECODE: _DECODED,
    Status.PREEMPTED: {Status.PREFILL, *_DECODED},
}


def check(history: History) -> int:
    """Prove every law on every round; the number of rounds looked at.

    Raises:
        AssertionError: names the law, the round and the request.
    """
    watch = _Watch(history)
    for record, held in _with_tables(history):
        _check_round(record, history.scenario_of(record.number - 1), history.past is not None)
        watch.see(record)
        if held is not None:
            _check_tables(record, held, history.pool or 0)
    watch.end()
    _check_columns(history)
    return len(history)


def _check_round(record: Round, scenario: Scenario, is_fork: bool) -> None:
    setup, at = scenario.setup, f"round {record.number}"
    assert record.positions > 0, f"{at} has no position"
    assert record.positions <= setup.budget, f"{at} is above the budget"
    seats = len({*record.running, *record.idle})
    joined = record.admitted or record.resumed
    if joined or not is_fork:  # with fewer seats than before nobody is thrown out
        assert seats <= setup.seats, f"{at} has {seats} requests in {setup.seats} seats"
    given = sum(record.given.values())
    assert given + record.padding + len(record.idle) == record.positions, f"{at} loses positions"
    assert record.padding == sum(record.pads.values()), f"{at} miscounts its padding"
    idle = [id_ for id_ in record.idle if id_ not in record.running]  # others are paused
    places = Counter([*record.running, *record.waiting, *idle])
    assert max(places.values()) == 1, f"{at} has a request in two places: {places}"
    assert set(record.given) <= set(record.running), f"{at} gives to somebody who does not run"
    idle_ones = {*record.running, *record.waiting} - set(record.given)
    assert set(record.why) == idle_ones, f"{at} names the wrong ones as left out"
    assert set(record.finished) <= set(record.emitted), f"{at} ends somebody without a token"
    assert record.end > record.start, f"{at} takes no time"
    if setup.num_blocks is not None and record.used is not None:
        assert record.used <= setup.num_blocks, f"{at} uses {record.used} blocks of the pool"
        held = sum(record.blocks.values())
        assert held == record.used, f"{at} has {record.used} blocks taken, {held} held"


class _Watch:
    """Follows each request from round to round."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.setup = history.scenario.setup
        requests = history.scenario.requests
        self.requests: dict[str, Request] = {r.id: r for r in requests}
        self.arrivals = {r.id: int(t) for r, t in zip(requests, history.arrivals, strict=True)}
        self.status = dict.fromkeys(self.requests, Status.WAITING)
        self.computed = {r.id: r.cached for r in requests}
        self.emitted = dict.fromkeys(self.requests, 0)
        self.preempted: set[str] = set()
        self.end_of_last = 0

    def see(self, record: Round) -> None:
        self._check_idle(record)
        self.preempted.update(record.preempted)
        for id_, how in record.departed.items():
            self._check_departure(record, id_, how)
        for id_ in record.after:
            if id_ in record.departed:  # evicted, and then gone
                continue
            self._check_state(record, id_)
            self._check_tokens(record, id_)
            now = record.after[id_]
            self.status[id_], self.emitted[id_] = now.status, now.emitted
            self.computed[id_] = now.computed
        for id_ in record.waiting:
            arrival = self.arrivals[id_]
            assert arrival <= record.start, f"round {record.number}: {id_} waits before it arrived"
        self.end_of_last = record.end

    def _check_departure(self, record: Round, id_: str, how: Status) -> None:
        at, was = f"round {record.number}: {id_}", self.status[id_]
        assert how in (Status.CANCELLED, Status.REJECTED, Status.TIMED_OUT), f"{at} is {how}"
        assert was in _ALIVE, f"{at} left as {how} after it had {was}"
        assert how is not Status.TIMED_OUT or was is Status.WAITING, f"{at} timed out as {was}"
        assert id_ not in record.given, f"{at} was served after it had left"
        self.status[id_] = how

    def _check_state(self, record: Round, id_: str) -> None:
        """From one state only to those that can follow it."""
        was, now = self.status[id_], record.after[id_].status
        was = Status.DECODE if self._may_go_on(record, id_) else was
        was = Status.PREEMPTED if id_ in record.preempted and id_ in record.given else was
        legal = _ALIVE.get(was, set())
        if id_ in record.given or (self.setup.mode == "static" and was is not Status.PAUSED):
            legal = _SERVED.get(was, set())
        assert now in legal, f"round {record.number}: {id_} became {now}, was {was}"

    def _may_go_on(self, record: Round, id_: str) -> bool:
        """Whether a paused one's reader had taken a token by the start of the round."""
        return self.status[id_] is Status.PAUSED and record.why.get(id_) is not Reason.PAUSED

    def _check_tokens(self, record: Round, id_: str) -> None:
        at, now = f"round {record.number}: {id_}", record.after[id_]
        sampled = now.emitted - self.emitted[id_]
        assert sampled == record.tokens.get(id_, 0), f"{at} sampled {sampled} tokens"
        given = record.given.get(id_, 0)
        assert sampled <= max(given, 1), f"{at} sampled {sampled} tokens in {given} positions"
        setup = self.history.scenario_of(record.number - 1).setup
        if id_ in record.preempted and setup.on_full != "swap":
            self.computed[id_] = 0
        if id_ in record.preempted and not given:
            kept = self.computed[id_]
            assert now.computed == kept, f"{at} was evicted with {now.computed} tokens computed"
        elif id_ in record.given and id_ not in record.prefilling:
            due = self.requests[id_].prompt + now.emitted - 1
            assert now.computed == due, f"{at} computed {now.computed}, due {due}"
        else:
            grown = now.computed - self.computed[id_]
            assert grown == given, f"{at} computed {grown} of {given}"

    def _check_idle(self, record: Round) -> None:
        """Continuous batching never rests while somebody is there who could run."""
        if record.start == self.end_of_last or self.setup.mode == "static":
            return
        here = [
            id_
            for id_, status in self.status.items()
            if status in _ALIVE and 0 <= self.arrivals[id_] < record.start
        ]
        if any(self.requests[id_].credits is not None for id_ in here):
            return  # a paused one may hold what the others need
        left = set(record.departed)
        stayed = [id_ for id_ in here if id_ not in left]
        assert not stayed, f"nothing ran before round {record.number}, yet {stayed} waited"

    def end(self) -> None:
        for (id_, request), how in zip(self.requests.items(), self.history.states, strict=True):
            out = self.emitted[id_]
            if how is not Status.FINISHED:
                assert how not in _ALIVE, f"{id_} is still {how} at the end"
                assert out <= request.output, f"{id_} emitted {out} of {request.output} tokens"
                continue
            assert out == request.output, f"{id_} emitted {out} of {request.output} tokens"
            due = request.prompt + request.output - 1
            assert self.computed[id_] == due, f"{id_} computed {self.computed[id_]}, not {due}"


def _with_tables(history: History) -> Iterator[tuple[Round, Tables | None]]:
    """Every round once, with the block tables of a pool."""
    pool = history.pool
    if pool is None:
        return zip(history, repeat(None))
    records, again = tee(history)
    return zip(records, tables(again, pool), strict=True)


def _check_tables(record: Round, held: Tables, pool: int) -> None:
    """Every table has as many blocks as were counted, and no block is in two of them."""
    at = f"round {record.number}"
    counts = {id_: len(table) for id_, table in held.items()}
    wanted = {id_: n for id_, n in record.blocks.items() if n}
    assert counts == wanted, f"{at} has tables of {counts}, not {wanted} blocks"
    blocks = [block for table in held.values() for block in table]
    assert len(set(blocks)) == len(blocks), f"{at} has a block in two tables"
    assert all(block in range(pool) for block in blocks), f"{at} has a block outside the pool"


def _check_columns(history: History) -> None:
    """The columns tell the same as the rounds: sums, and times of tokens that never go back."""
    emitted, drafted = int(history.per_round("emitted").sum()), history.per_round("drafts").any()
    total = 0
    for index, request in enumerate(history.scenario.requests):
        times = [int(t) for t in history.token_times(index)]
        total += len(times)
        for a, b in pairwise(times):
            assert a < b or (a == b and drafted), f"{request.id}: token times do not increase"
        work = history.work[index]
        prefilled = int((work[:, 1] * work[:, 2] * work[:, 3]).sum())
        due = request.prompt - request.cached
        if history.states[index] is Status.FINISHED and not history.preemptions[index]:
            assert prefilled == due, f"{request.id} prefilled {prefilled} of {due} tokens"
        if history.states[index] is Status.FINISHED:
            out = len(times)
            assert out == request.output, f"columns give {request.id} {out} tokens"
    assert emitted == total, f"columns count {emitted} tokens, the requests have {total}"
