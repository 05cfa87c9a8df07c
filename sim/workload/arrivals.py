"""When requests come: regular groups, Poisson, gamma as a benchmark sends it, on and off.

A process is asked twice: for a random gap a request (in seconds, while everything is drawn),
then for all times at once, because the gamma process stretches its gaps to a given length.
Times count from the start of the workload, in internal units.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from random import Random
from typing import Protocol

NS_PER_US = 1_000


class Process(Protocol):
    """What arrivals of any kind can do."""

    def gap(self, random: Random) -> float:
        """Draw the seconds between a request and the one before it."""
        ...

    def times(self, gaps: Sequence[float]) -> Iterable[int]:
        """The arrivals that follow from the gaps, one each, in order."""
        ...


@dataclass(frozen=True, slots=True)
class Groups:
    """So many at once every `every` units, the first ones at 0; size 1 is a constant gap."""

    every: int
    size: int = 1

    def gap(self, random: Random) -> float:
        """Nothing is drawn."""
        return 0.0

    def times(self, gaps: Sequence[float]) -> Iterable[int]:
        """Group after group; the last one may be smaller."""
        return (i // self.size * self.every for i in range(len(gaps)))


@dataclass(frozen=True, slots=True)
class Poisson:
    """Independent arrivals, `rate` a second; the first one comes a random gap after 0."""

    rate: float

    def gap(self, random: Random) -> float:
        """Exponential with mean 1 / rate."""
        return random.expovariate(self.rate)

    def times(self, gaps: Sequence[float]) -> Iterable[int]:
        """The gaps added up."""
        return map(_whole_us, accumulate(gaps))


@dataclass(frozen=True, slots=True)
class Gamma:
    """Arrivals as `vllm bench serve` draws them (`get_request` in `vllm/benchmarks/serve.py`).

    Each gap, also the one before the first request, follows a gamma distribution of shape
    `burstiness` and scale 1 / (rate · burstiness): mean 1 / rate, variance mean² / burstiness.
    Below 1 requests come in bursts, 1 is a Poisson process, above 1 they come evenly. Then all
    times are multiplied by (n / rate) / (sum of the n gaps), so that the last of n requests comes
    exactly n / rate seconds after 0, whatever the seed.
    """

    rate: float
    burstiness: float

    def gap(self, random: Random) -> float:
        """Gamma with mean 1 / rate, before the stretching."""
        return random.gammavariate(self.burstiness, 1 / (self.rate * self.burstiness))

    def times(self, gaps: Sequence[float]) -> Iterable[int]:
        """The gaps added up and stretched or shrunk to n / rate seconds."""
        sums = list(accumulate(gaps))
        span = len(gaps) / self.rate
        # Parts of the whole come first: the last is 1, and no digit of `span` is lost on it.
        return (_whole_us(span * (time / sums[-1])) for time in sums)


@dataclass(frozen=True, slots=True)
class OnOff:
    """Bursts: a Poisson process of `rate` for `on` seconds, silence for `off`, and again."""

    rate: float
    on: float
    off: float

    def gap(self, random: Random) -> float:
        """A gap on a clock that stands still during silence."""
        return random.expovariate(self.rate)

    def times(self, gaps: Sequence[float]) -> Iterable[int]:
        """The gaps added up, with the silences put in."""
        for time in accumulate(gaps):
            bursts, inside = divmod(time, self.on)
            yield _whole_us(bursts * (self.on + self.off) + inside)


def poisson_arrivals(num_requests: int, rate: float, seed: int) -> tuple[int, ...]:
    """Arrivals of a Poisson process in nanoseconds, for a file that has lengths only."""
    check(num_requests, rate, least=0)
    random, process = Random(seed), Poisson(rate)
    return tuple(process.times([process.gap(random) for _ in range(num_requests)]))


def check(num_requests: int, rate: float, least: int) -> None:
    """Refuse a number of requests or a rate that is none.

    Raises:
        ValueError: which of the two, and what it must be.
    """
    if num_requests < least:
        raise ValueError(f"num_requests must be at least {least}, not {num_requests}")
    if not 0 < rate < float("inf"):
        raise ValueError(f"rate must be a number of requests per second above 0, not {rate}")


def _whole_us(seconds: float) -> int:
    return round(seconds * 1e6) * NS_PER_US
