"""Synthetic workloads: the only random code of the simulator, drawn before a run begins.

The lengths follow a published shape (percentiles of a public conversation trace) without being
anybody's rows: between two percentiles the length is interpolated, prompt and output are
independent. Arrivals are a Poisson process. A seed gives the same requests on every machine:
the generator is `random.Random`, each request draws its gap, its prompt and its output in this
order, and times are rounded to whole microseconds, far above any difference in the last digit
of a logarithm. Show such a workload as synthetic, never as a trace.
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from random import Random

from sim.setup import Request

PERCENTILES = (0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99, 100)
PROMPT_TOKENS = (2, 207, 387, 403, 703, 1020, 1071, 1130, 1315, 2734, 4083, 4142, 14050)
OUTPUT_TOKENS = (7, 54, 77, 91, 103, 129, 177, 384, 400, 424, 451, 601, 1000)

NS_PER_US = 1_000


def synthetic(
    num_requests: int, rate: float, seed: int, *, max_prompt: int | None = None
) -> tuple[Request, ...]:
    """Requests of a conversation service, such as `synthetic(600, 14, seed=1)`.

    Args:
        num_requests: how many, at least 1.
        rate: arrivals per second; the first one comes a random gap after 0.
        seed: of the generator.
        max_prompt: longer prompts are cut to this length.
    """
    _check(num_requests, rate, least=1)
    random = Random(seed)
    time = 0.0
    requests = []
    for number in range(1, num_requests + 1):
        time += random.expovariate(rate)
        prompt = length_at(random.random(), PROMPT_TOKENS)
        output = length_at(random.random(), OUTPUT_TOKENS)
        if max_prompt is not None:
            prompt = min(prompt, max_prompt)
        requests.append(Request(f"R{number}", _whole_us(time), prompt, output))
    return tuple(requests)


def poisson_arrivals(num_requests: int, rate: float, seed: int) -> tuple[int, ...]:
    """Arrivals of a Poisson process in nanoseconds, for a file that has lengths only."""
    _check(num_requests, rate, least=0)
    random = Random(seed)
    times = accumulate(random.expovariate(rate) for _ in range(num_requests))
    return tuple(_whole_us(time) for time in times)


def length_at(share: float, lengths: Sequence[int]) -> int:
    """The length at a share (0 to 1) of a distribution given at `PERCENTILES`, rounded."""
    percent = share * 100
    right = min(bisect_right(PERCENTILES, percent), len(PERCENTILES) - 1)
    low, high = PERCENTILES[right - 1], PERCENTILES[right]
    part = (percent - low) / (high - low)
    return round(lengths[right - 1] + part * (lengths[right] - lengths[right - 1]))


def _whole_us(seconds: float) -> int:
    return round(seconds * 1e6) * NS_PER_US


def _check(num_requests: int, rate: float, least: int) -> None:
    if num_requests < least:
        raise ValueError(f"num_requests must be at least {least}, not {num_requests}")
    if not 0 < rate < float("inf"):
        raise ValueError(f"rate must be a number of requests per second above 0, not {rate}")
