"""Writes down what the engine does, stretch by stretch, as a history will want to read it."""

from array import array

import numpy as np

from sim.checkpoint import Checkpoint
from sim.engine import Stretch
from sim.past import Past
from sim.rides import Rides
from sim.runs import Ints, Runs
from sim.scenario import Scenario
from sim.state import State

COLUMNS = (
    "first",
    "count",
    "start",
    "duration",
    "growth",
    "prefill",
    "decode",
    "drafts",
    "padding",
    "idle",
    "running",
    "waiting",
    "emitted",
    "used",
    "slots",
    "slot_growth",
    "preempted",
    "recomputed",
)
NEVER = 2**62
_MOST_NOTED = 2**16  # requests in all checkpoints together, those who only wait counted low


class Recorder:
    """Writes down columns, per-request runs and checkpoints while a scenario runs."""

    def __init__(self, scenario: Scenario) -> None:
        self.rows = array("q")  # the columns side by side, an entry each a stretch
        self.stretches = 0
        self.growing = array("q")  # runs that take blocks: first round, rounds, positions, tokens
        setup = scenario.setup
        self._takes_blocks = setup.mode != "static" and setup.reserve != "max_output"
        self.work = Runs()
        self.tokens = Runs()
        self.first_rounds = np.full(len(scenario.requests), NEVER)
        self.preemptions = np.zeros(len(scenario.requests), dtype=np.int64)
        self.recomputed = np.zeros(len(scenario.requests), dtype=np.int64)
        self.checkpoints: list[Checkpoint] = []
        self._every = 4  # stretches
        self._noted = 0

    def before(self, state: State) -> None:
        """Now and then keep a checkpoint: evenly spread over the stretches, so many as memory."""
        if self.stretches % self._every:
            return
        self.checkpoints.append(Checkpoint.of(state))
        self._noted += self.checkpoints[-1].weight
        if self._noted > _MOST_NOTED and len(self.checkpoints) > 1:
            self._every *= 2
            del self.checkpoints[1::2]
            self._noted = sum(checkpoint.weight for checkpoint in self.checkpoints)

    def after(self, stretch: Stretch, state: State) -> None:
        """One stretch, `state` standing at its end."""
        made, done = stretch.plan, stretch.commit
        evicted = stretch.ejected + made.preempted
        again = self._computed_again(stretch) // stretch.count if made.prefilling else 0
        row = (
            *(stretch.first, stretch.count, stretch.start, stretch.duration, stretch.growth),
            *(made.prefill, made.decode, made.drafts, made.padding, made.idle),
            *(len(state.running) + len(done.finished), len(state.waiting)),
            *(sum(done.emitted.values()), made.used, stretch.slots),
            *(sum(made.given.values()) if stretch.slots else 0, len(evicted), again),
        )
        self.rows.extend(row)
        self.stretches += 1
        for seq in made.admitted:
            self.first_rounds[seq.index] = min(self.first_rounds[seq.index], stretch.first)
        for seq in evicted:
            self.preemptions[seq.index] += 1
        if stretch.count > 1 and stretch.slots and self._takes_blocks:
            for seq, n in made.given.items():
                tokens = seq.computed - n * (stretch.count - 1)
                self.growing.extend((stretch.first + 1, stretch.count - 1, n, tokens))
        self.work.see(stretch.first, made.given, made.prefilling)
        self.tokens.see(stretch.first, done.emitted)

    def pause(self, at: int) -> None:
        """Round `at` is not the scheduler's: what is under way ends for now."""
        self.work.see(at, {})
        self.tokens.see(at, {})

    def columns(self, rides: Rides | Past | None) -> dict[str, Ints]:
        """All columns in order of the rounds, those made elsewhere too."""
        table = np.frombuffer(self.rows, dtype=np.int64).reshape(-1, len(COLUMNS))
        columns = dict(zip(COLUMNS, table.T, strict=True))
        if rides is None:
            return columns
        driven = rides.columns()
        own = np.searchsorted(driven["first"], columns["first"]) + np.arange(len(columns["first"]))
        others = np.ones(len(own) + len(driven["first"]), dtype=bool)
        others[own] = False
        merged = {}
        for name, values in columns.items():
            merged[name] = np.zeros(len(others), dtype=np.int64)
            if name in driven:
                merged[name][others] = driven[name]
            merged[name][own] = values
        return merged

    def _computed_again(self, stretch: Stretch) -> int:
        """Positions of a round that had been computed before an eviction."""
        total, made = 0, stretch.plan
        for seq in made.prefilling:
            if seq.peak:
                done = seq.computed - made.given[seq] * stretch.count
                again = max(0, min(seq.computed, seq.peak) - done)
                self.recomputed[seq.index] += again
                total += again
        return total
