"""Random scenarios of every option at once, held against every law, until enough rounds are seen.

`python -m tests.sim.self_check 100000 7` looks at 100,000 rounds, drawn with seed 7. Each scenario
is run with and without the jump over equal rounds, and both must tell the same.
"""

import sys
from dataclasses import dataclass

from hypothesis import HealthCheck, given, seed, settings

from sim import Scenario
from sim.check import check
from sim.history import History, simulate
from tests.sim.make import plain_servers, scenarios

EXAMPLES = 500  # of one batch; the next one has the next seed


@dataclass(slots=True)
class Seen:
    """How much was looked at."""

    scenarios: int = 0
    rounds: int = 0


def self_check(rounds: int, first_seed: int) -> Seen:
    """Draw scenarios until `rounds` rounds have been checked.

    Raises:
        AssertionError: a law was broken; Hypothesis tells the smallest scenario it found.
    """
    seen = Seen()
    batch = first_seed
    while seen.rounds < rounds:
        _check_batch(batch, seen)
        batch += 1
    return seen


def _check_batch(batch: int, seen: Seen) -> None:
    @seed(batch)
    @settings(
        max_examples=EXAMPLES,
        derandomize=False,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(scenarios() | plain_servers())
    def look(subject: Scenario) -> None:
        fast, plain = simulate(subject), simulate(subject, jump=False)
        seen.scenarios += 1
        seen.rounds += check(plain)
        assert same(fast, plain), "the jump over equal rounds changed something"

    look()


def same(one: History, other: History) -> bool:
    """Whether two histories tell the same: every round, and when everybody left."""
    return (
        list(one) == list(other)
        and one.ends.tolist() == other.ends.tolist()
        and one.states == other.states
        and one.ended_at.tolist() == other.ended_at.tolist()
    )


if __name__ == "__main__":
    wanted, start = [int(text) for text in sys.argv[1:]] or [100_000, 1]
    result = self_check(wanted, start)
    sys.stdout.write(
        f"{result.rounds:,} rounds of {result.scenarios:,} scenarios, seeds from {start}: "
        "no law is broken\n"
    )
