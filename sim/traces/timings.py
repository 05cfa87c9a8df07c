"""Measured timings that a trace holds beside its requests, for comparing a simulation with them.

Two sources, each on one clock of its own: vLLM's record of a request (`queued_ts`, `scheduled_ts`,
`first_token_ts`, `last_token_ts`, seconds of the engine's clock) and the lists of a benchmark's
client (`ttfts` and `itls`, seconds after `start_times`). Only differences on that clock are
latencies; `arrival_time` beside `queued_ts` is of another one.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Self

from sim.traces.row import Table
from sim.traces.values import BadValueError, number_ns

SECOND_DIGITS = 9


@dataclass(frozen=True, slots=True)
class Timing:
    """The moments of a measured request, ns, counted from the earliest `queued` of the file.

    `scheduled` is None where only the client's side was measured; `itls` are the gaps between
    outputs as that client saw them.
    """

    queued: int
    scheduled: int | None
    first_token: int
    last_token: int
    itls: tuple[int, ...] = ()

    @property
    def wait(self) -> int | None:
        """From queued to first scheduled."""
        return None if self.scheduled is None else self.scheduled - self.queued

    @property
    def ttft(self) -> int:
        """From queued to the first output token."""
        return self.first_token - self.queued

    @property
    def e2e(self) -> int:
        """From queued to the last output token."""
        return self.last_token - self.queued

    @property
    def decode(self) -> int:
        """From the first output token to the last one."""
        return self.last_token - self.first_token

    def counted_from(self, start: int) -> Self:
        """The same on a clock that is 0 at `start`."""
        scheduled = None if self.scheduled is None else self.scheduled - start
        moments = (self.queued - start, scheduled, self.first_token - start)
        return replace(
            self,
            queued=moments[0],
            scheduled=moments[1],
            first_token=moments[2],
            last_token=self.last_token - start,
        )

    @property
    def is_in_order(self) -> bool:
        """Whether no moment comes before the one that must precede it."""
        between = self.queued if self.scheduled is None else self.scheduled
        return self.queued <= between <= self.first_token <= self.last_token


Reader = Callable[[Mapping[str, object], int], Timing | None]


def timing_reader(table: Table, arrival: str | None) -> Reader | None:
    """The function that takes a row and its arrival to its timing; None if nothing is measured.

    That function gives None for a row whose timings are missing or contradict each other.
    """
    if {"queued_ts", "first_token_ts", "last_token_ts"} <= set(table.names):
        return _sound(_engine)
    if "ttfts" in table.names and arrival == "start_times":
        return _sound(_client)
    return None


def _sound(read: Callable[[Mapping[str, object], int], Timing]) -> Reader:
    def reader(values: Mapping[str, object], arrival: int) -> Timing | None:
        try:
            timing = read(values, arrival)
        except BadValueError:
            return None
        return timing if timing.is_in_order else None

    return reader


def _engine(values: Mapping[str, object], _: int) -> Timing:
    queued, first, last = (
        number_ns(values.get(f"{name}_ts"), SECOND_DIGITS)
        for name in ("queued", "first_token", "last_token")
    )
    scheduled = values.get("scheduled_ts")
    is_missing = scheduled is None or not str(scheduled).strip()
    return Timing(queued, None if is_missing else number_ns(scheduled, SECOND_DIGITS), first, last)


def _client(values: Mapping[str, object], arrival: int) -> Timing:
    ttft = number_ns(values.get("ttfts"), SECOND_DIGITS)
    gaps = values.get("itls", [])
    if ttft <= 0 or not isinstance(gaps, list):
        raise BadValueError("missing")
    itls = tuple(number_ns(gap, SECOND_DIGITS) for gap in gaps)
    if any(gap < 0 for gap in itls):
        raise BadValueError("missing")
    return Timing(arrival, None, arrival + ttft, arrival + ttft + sum(itls), itls)


def from_the_first(timings: list[Timing | None]) -> tuple[Timing | None, ...]:
    """Timings counted from the earliest `queued`; none at all if nothing was measured."""
    measured = [timing.queued for timing in timings if timing is not None]
    if not measured:
        return ()
    start = min(measured)
    return tuple(None if timing is None else timing.counted_from(start) for timing in timings)
