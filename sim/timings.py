"""Measured requests of a real server: when each was queued, got its first token and its last one.

They come from a trace that holds them (`sim.traces`): vLLM's own counters, or what a benchmark's
client saw. All requests must have been measured, for a server is judged by all that it had to do.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sim.clock import NS_PER_MS
from sim.files import FileError
from sim.history import Ints
from sim.metrics import Floats
from sim.setup import MAX_TIME, Request
from sim.traces import Timing

MIN_REQUESTS = 8  # four to fit, as many as the cost has parts, and four to judge


class TimingsError(FileError):
    """Measured requests that cannot be fitted; the message says what would be right."""


@dataclass(frozen=True, slots=True, eq=False)
class Timings:
    """Measured requests in order of arrival, which is when they were queued.

    `ttft` and `e2e` are from there to the first and to the last token, in ns.
    """

    name: str
    requests: tuple[Request, ...]
    ttft: Ints
    e2e: Ints

    @property
    def tpot(self) -> Floats:
        """TPOT of each in ns; 0 of a single token."""
        gaps = np.array([request.output - 1 for request in self.requests])
        found: Floats = (self.e2e - self.ttft) / np.maximum(gaps, 1)
        return found


def timings_of(
    name: str, requests: Sequence[Request], measured: Sequence[Timing | None]
) -> Timings:
    """Requests of a trace with what was measured of each, beside them.

    Raises:
        TimingsError: too few, not all measured, or too far apart.
    """
    there = [times for times in measured if times is not None]
    if not there:
        raise TimingsError(
            f"{name}: holds no measured times; they are the columns queued_ts, first_token_ts and "
            "last_token_ts beside input_toks and output_toks, or those of vllm bench serve"
        )
    if len(there) < len(requests):
        raise TimingsError(
            f"{name}: {len(requests) - len(there):,} of {len(requests):,} requests have no "
            "measured times; a server is judged by all that it had to do"
        )
    if len(requests) < MIN_REQUESTS:
        raise TimingsError(
            f"{name}: has {len(requests)} measured requests; at least {MIN_REQUESTS} are needed, "
            "half of them to judge the fit"
        )
    start = min(times.queued for times in there)
    pairs = sorted(zip(requests, there, strict=True), key=lambda pair: pair[1].queued)
    if pairs[-1][1].queued - start > MAX_TIME * NS_PER_MS:
        raise TimingsError(f"{name}: the requests are more than {MAX_TIME:,} ms apart")
    return Timings(
        name,
        tuple(replace(request, arrival=times.queued - start) for request, times in pairs),
        np.array([times.ttft for _, times in pairs], dtype=np.int64),
        np.array([times.e2e for _, times in pairs], dtype=np.int64),
    )
