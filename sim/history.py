"""What happened: a sequence of rounds, and per request what it got and when.

Kept run-length: rounds of one plan are one row of `columns`, so 300,000 rounds stay small. A
full `Round` with its reasons is made on demand: the scheduler goes on again from the nearest
checkpoint, so there is one account of every rule and no second one to keep in step.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, lru_cache
from operator import attrgetter
from typing import Any, overload

import numpy as np

from sim.block_runs import taken_by_chunks, taken_by_decodes
from sim.engine import idle, stretches
from sim.express import Lane
from sim.past import Past
from sim.record import Round, next_round
from sim.recorder import NEVER, Recorder
from sim.rides import Rides
from sim.runs import Ints as Ints
from sim.runs import by_owner, joined
from sim.scenario import Scenario
from sim.sequence import Status
from sim.setup import Setup
from sim.state import State

_MOST_CACHED_ROUNDS = 20_000


class History:
    """All rounds of a run, as a sequence of `Round`, with columns for metrics and drawing.

    `columns` have an entry a stretch (equal rounds in a row), and say how things stand in its first
    round; `per_round` has an entry a round. `work[i]` lists the runs of request
    i as rows (first round, rounds, positions a round, 1 for prefill or 0 for decode); `tokens[i]`
    as rows (first round, rounds, tokens at each round's end); `first_rounds[i]` is the round it was
    admitted in (-1: never), `arrivals[i]` when it came, `states[i]` how it left, and `ended_at[i]`
    when; `preemptions[i]` and `recomputed[i]` count its evictions and the positions
    computed again for them. Rounds count from 0 here.

    Of a run by hand that is not over, `states[i]` also says how those stand who have not left, and
    `ended_at[i]` is then no earlier than its last round. The rounds of a fork before it are `past`.
    """

    def __init__(
        self,
        scenario: Scenario,
        recorder: Recorder,
        end: State,
        rides: Rides | None = None,
        past: Past | None = None,
    ) -> None:
        self.scenario = scenario
        self.past = past
        self._recorder, self._rides = recorder, rides
        self._length = end.round
        self.preemptions, self.recomputed = recorder.preemptions, recorder.recomputed
        self.arrivals = self.of_requests("arrival")
        if scenario.setup.concurrency:
            came = (end.entered.get(i, -1) for i in range(len(self.arrivals)))
            self.arrivals = np.fromiter(came, np.int64, len(self.arrivals))
        self._now = end.now
        self._ended = np.array([(i, time) for i, _, time in end.ended], np.int64).reshape(-1, 2)
        self._going = {seq.index: seq.status for seq in (*end.waiting, *end.running)}
        self._going |= dict.fromkeys(end.to_come, Status.WAITING)
        states = [Status.FINISHED] * len(scenario.requests)
        for index, how in self._going.items():
            states[index] = how
        for index, how, _ in end.ended:
            states[index] = how
        self.states = tuple(states)
        self._start = end.blank()
        self._checkpoints = recorder.checkpoints
        self._rounds_at = [checkpoint.round for checkpoint in recorder.checkpoints]

    def __getstate__(self) -> dict[str, Any]:
        """Without what follows from the rest: it goes to other processes and back."""
        own = vars(type(self))
        derived = {name for name, what in own.items() if isinstance(what, cached_property)}
        return {name: value for name, value in vars(self).items() if name not in derived}

    def under_goals(self, scenario: Scenario) -> "History":
        """The same rounds with other objectives or another window of load.

        Args:
            scenario: that of this history but for these two.

        Raises:
            ValueError: it differs in something that could change a round.
        """
        if scenario.without_goals != self.scenario.without_goals:
            raise ValueError("only objectives and window can change without another run")
        other = object.__new__(type(self))
        vars(other).update(vars(self), scenario=scenario)
        return other

    def of_requests(self, field: str) -> Ints:
        """A whole-number field of every request, in the order of the scenario."""
        requests = self.scenario.requests
        return np.fromiter(map(attrgetter(field), requests), np.int64, len(requests))

    # What was written down becomes columns when it is first asked for.

    @property
    def _others(self) -> Past | Rides | None:
        """The rounds that are not the recorder's."""
        return self.past or self._rides

    @cached_property
    def columns(self) -> dict[str, Ints]:
        """Figures of each stretch in its first round, by name."""
        return self._recorder.columns(self._others)

    @cached_property
    def first_rounds(self) -> Ints:
        """The round each request was admitted in, -1: never."""
        first = self._recorder.first_rounds
        if self._rides:
            first = self._rides.first_rounds(first)
        return np.where(first == NEVER, -1, first)

    @cached_property
    def ended_at(self) -> Ints:
        """When each request left: with its last token, or before."""
        owner, first, count, _ = self.token_runs
        times = np.zeros(len(self.states), dtype=np.int64)
        times[owner] = self.ends[first + count - 1]  # of several runs the last one stays
        times[self._ended[:, 0]] = self._ended[:, 1]
        for index in self._going:
            times[index] = max(self._now, self.arrivals[index])
        return times

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, key: int) -> Round: ...
    @overload
    def __getitem__(self, key: slice) -> list[Round]: ...
    def __getitem__(self, key: int | slice) -> Round | list[Round]:
        """Round `key`, from 0; negative indices and slices as in a list."""
        if isinstance(key, slice):
            wanted = range(*key.indices(len(self)))
            if not wanted:
                return []
            low, high = min(wanted[0], wanted[-1]), max(wanted[0], wanted[-1])
            rounds = list(self._replay(low, high + 1))
            return [rounds[k - low] for k in wanted]
        if not -len(self) <= key < len(self):
            raise IndexError(f"round {key} of {len(self)}")
        key %= len(self)
        return next(self._replay(key, key + 1))

    def __iter__(self) -> Iterator[Round]:
        return self._replay(0, len(self))

    def _replay(self, first: int, past: int) -> Iterator[Round]:
        if self.past:
            yield from self.past.history[first : min(past, len(self.past))]
            first = max(first, len(self.past))
        if first >= past:
            return
        state = self._state_by(first)
        for _ in stretches(state, limit=first - state.round):
            pass
        for index in range(first, past):
            state.collect()
            while (record := next_round(state)) is None:
                assert idle(state), f"replay found nothing to run in round {index}"
                state.collect()
            yield record

    def _state_by(self, first: int) -> State:
        """A state to go on from: before that round, or the latest one known before it."""
        number = bisect_right(self._rounds_at, first) - 1
        noted = self._rounds_at[number] if number >= 0 else -1
        ride = self._rides.ride_before(first) if self._rides else None
        if self._rides and ride and ride.past > noted:
            at = min(first, ride.past)
            return self._rides.state_before(at, int(self.starts[at]))
        return self._checkpoints[number].restore(self._start)

    # The setup, which is another one before and after a fork.

    def scenario_of(self, key: int) -> Scenario:
        """The scenario under which round `key` was scheduled, from 0."""
        if self.past and key < len(self.past):
            return self.past.history.scenario_of(key)
        return self.scenario

    def setting(self, wanted: Callable[[Setup], int]) -> Ints:
        """A figure of the setup with one entry a round.

        >>> from sim import Request, Setup
        >>> history = run(Scenario(Setup(budget=4), (Request("A", 0, 6, 1),)))
        >>> history.setting(lambda setup: setup.budget)
        array([4, 4])
        """
        values = np.full(len(self), wanted(self.scenario.setup), dtype=np.int64)
        if self.past:
            values[: len(self.past)] = self.past.history.setting(wanted)
        return values

    @property
    def pool(self) -> int | None:
        """KV blocks of the pool, the most it had in any round; None: it never had a limit."""
        pools = [self.scenario.setup.num_blocks, self.past.history.pool if self.past else None]
        return max((pool for pool in pools if pool is not None), default=None)

    @property
    def grants(self) -> tuple[Mapping[str, int], ...] | None:
        """What a hand gave in each round; None where a policy decided."""
        return self._start.grants

    # Runs, by owner and then round.

    @cached_property
    def work_runs(self) -> tuple[Ints, Ints, Ints, Ints, Ints]:
        """All of `work` at once: owner, first round, rounds, positions a round, 1 for prefill."""
        driven = self._others.work_rows() if self._others else None
        owner, first, count, amount, kind = joined(self._recorder.work.rows(), driven).T.copy()
        return owner, first, count, amount, kind

    @cached_property
    def token_runs(self) -> tuple[Ints, Ints, Ints, Ints]:
        """All of `tokens` at once: owner, first round, rounds, tokens a round."""
        driven = self._others.token_rows() if self._others else None
        owner, first, count, amount, _ = joined(self._recorder.tokens.rows(), driven).T.copy()
        return owner, first, count, amount

    @cached_property
    def work(self) -> list[Ints]:
        """Per request its rows (first round, rounds, positions a round, 1 for prefill)."""
        owner, *columns = self.work_runs
        return by_owner(owner, tuple(columns), len(self.scenario.requests))

    @cached_property
    def tokens(self) -> list[Ints]:
        """Per request its rows (first round, rounds, tokens at each round's end)."""
        owner, *columns = self.token_runs
        return by_owner(owner, tuple(columns), len(self.scenario.requests))

    # Columns of one entry a round. Times in internal units.

    def per_round(self, name: str) -> Ints:
        """A column of `columns` with one entry a round."""
        if name == "used":
            return self.used.copy()
        values = np.repeat(self.columns[name], self.columns["count"])
        if name == "waiting":  # nobody comes in during a stretch, but some may come
            arrivals = np.sort(self.arrivals)
            begun = np.repeat(self.columns["start"], self.columns["count"])
            values += np.searchsorted(arrivals, self.starts, "right")
            values -= np.searchsorted(arrivals, begun, "right")
        return values

    @cached_property
    def used(self) -> Ints:
        """KV blocks taken in each round, as scheduled; 0 without a pool.

        The column has those of a stretch's first round; more are taken until it ends. In the
        express lane they are counted from the runs alone.
        """
        used = np.repeat(self.columns["used"], self.columns["count"])
        if self.past:
            used += self.past.used(len(self))
        if self.scenario.setup.num_blocks is None:
            return used
        size, block = len(self), self.scenario.setup.block_size
        if self._recorder.growing:
            growing = np.frombuffer(self._recorder.growing, dtype=np.int64)
            first, count, amount, tokens = growing.reshape(-1, 4).T
            one, more = amount == 1, amount > 1
            taken = taken_by_decodes(first[one], count[one], tokens[one], block, size)
            more_than_one = (first[more], count[more], amount[more], tokens[more])
            taken += taken_by_chunks(*more_than_one, block, size)
            total: Ints = np.cumsum(taken)
            used += total - total[self.per_round("first")]
        return used + self._rides.used(size) if self._rides else used

    @cached_property
    def ends(self) -> Ints:
        """When each round ends."""
        columns = self.columns
        within = np.arange(1, len(self) + 1) - self.per_round("first")
        ends: Ints = within * (within - 1)
        ends >>= 1
        ends *= self.per_round("growth")
        within *= self.per_round("duration")
        ends += within
        ends += np.repeat(columns["start"], columns["count"])
        return ends

    @cached_property
    def slots(self) -> Ints:
        """Tokens that have their KV in the pool's blocks in each round, as scheduled."""
        within = np.arange(len(self)) - self.per_round("first")
        return self.per_round("slots") + within * self.per_round("slot_growth")

    @cached_property
    def starts(self) -> Ints:
        """When each round starts."""
        starts = np.empty_like(self.ends)
        starts[1:] = self.ends[:-1]
        starts[self.columns["first"]] = self.columns["start"]
        return starts

    @cached_property
    def token_rounds(self) -> tuple[Ints, Ints]:
        """The round of every token, request by request, and where each request begins in it.

        The second array has one entry more than there are requests.
        """
        owner, first, count, amount = self.token_runs
        before = np.cumsum(count) - count
        rounds = np.arange(count.sum()) + np.repeat(first - before, count)
        if (amount > 1).any():  # drafts that were right
            rounds = np.repeat(rounds, np.repeat(amount, count))
        sizes = np.bincount(owner, count * amount, minlength=len(self.scenario.requests))
        return rounds, np.concatenate([[0], np.cumsum(sizes.astype(np.int64))])

    def token_times(self, index: int) -> Ints:
        """When the tokens of request `index` came out."""
        rounds, offsets = self.token_rounds
        return self.ends[rounds[offsets[index] : offsets[index + 1]]]


@lru_cache(maxsize=64)
def _run_cached(scenario: Scenario) -> History:
    return simulate(scenario)


def run(scenario: Scenario) -> History:
    """The history of a scenario. Those of small scenarios are kept, as they are asked for again."""
    if scenario.most_rounds > _MOST_CACHED_ROUNDS or len(scenario.requests) > 1000:
        return simulate(scenario)
    return _run_cached(scenario)


def simulate(scenario: Scenario, *, jump: bool = True) -> History:
    """Run a scenario from start to end.

    Args:
        scenario: a checked scenario.
        jump: take equal rounds at once; off only to prove that it changes nothing.
    """
    state = State.start(scenario)
    recorder = Recorder(scenario)
    lane = Lane.of(state) if jump else None
    if lane:
        lane.take(state)
    for stretch in stretches(state, jump=jump, before=recorder.before):
        recorder.after(stretch, state)
        if lane and lane.take(state):
            recorder.pause(stretch.first + stretch.count)
    recorder.pause(state.round)
    return History(scenario, recorder, state, lane.read(state.blank()) if lane else None)
