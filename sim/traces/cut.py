"""A part of a trace: from when on, how long, how many, at what pace, and what of the long ones.

It works on requests and not on the file, so that a trace can be cut again without being read again.
The settings are a table like that of a workload; nothing is drawn, and a row that is left out is
left out by one of its rules, which `told` counts.

| name | meaning | default |
|---|---|---|
| start | seconds after the first arrival; what came before is left out | 0 |
| duration | seconds from then on; what comes later is left out | to the end |
| most | at most so many requests | all |
| scale | times are multiplied by this: 0.5 is twice the rate | 1 |
| max_prompt, max_output | tokens; what is longer is cut, or dropped | no limit |
| max_total | prompt + output; cuts the prompt, down to 1, then the output | no limit |
| too_long | cut or drop | cut |

`start` and `duration` are seconds of the trace, before `scale`.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from sim.clock import TimeUnit, scale_of
from sim.problems import Problem
from sim.setup import MAX_REQUESTS, MAX_TIME, MAX_TOKENS, Request
from sim.traces.report import Note
from sim.workload.fields import Fields, Place

PART = ("start", "duration", "most", "scale")
LIMITS = ("max_prompt", "max_output", "max_total", "too_long")
KNOWN = (*PART, *LIMITS)

# What becomes of a request; the order of the report.
Fate = Literal["before", "after", "too_long", "beyond_most", "shortened", "kept"]
LEFT_OUT: tuple[Fate, ...] = ("before", "after", "too_long", "beyond_most")


@dataclass(frozen=True, slots=True)
class _Cut:
    """A checked table; times in the requests' unit."""

    start: int
    end: int | None
    most: int | None
    pace: float
    limits: tuple[int | None, int | None, int | None]
    drops: bool

    def fates(self, requests: Sequence[Request]) -> Iterator[tuple[Request, Fate]]:
        """Each request, shortened if that is its fate, and what becomes of it."""
        taken = 0
        for request in requests:
            short = _shortened(request, *self.limits)
            fate: Fate = "kept" if short is request else "shortened"
            if request.arrival < self.start:
                fate = "before"
            elif self.end is not None and request.arrival >= self.end:
                fate = "after"
            elif self.drops and short is not request:
                fate = "too_long"
            elif self.most is not None and taken >= self.most:
                fate = "beyond_most"
            else:
                taken += 1
            yield short, fate


def cut(
    requests: Sequence[Request],
    table: Mapping[str, Any],
    unit: TimeUnit = "ms",
    place: Place = ("cut",),
) -> tuple[tuple[Request, ...], list[Problem]]:
    """The part of some requests that a table describes, or everything that is wrong with it.

    Args:
        requests: in order of arrival.
        table: such as `{"start": 60, "most": 500, "scale": 0.5, "max_prompt": 4096}`.
        unit: of the requests' times; a second has a thousand ticks.
        place: where the table stands, for the problems.
    """
    asked, fields = _read(table, unit, place)
    if fields.problems:
        return (), fields.problems
    found = [one for one, fate in asked.fates(requests) if fate not in LEFT_OUT]
    part = tuple(_moved(request, asked.start, asked.pace) for request in found)
    if not part:
        fields.add("start", "no_requests", table.get("start"))
    elif (last := part[-1].arrival) > MAX_TIME * scale_of(unit):
        high = asked.pace * MAX_TIME * scale_of(unit) / last
        fields.add("scale", "too_large", asked.pace, high=high)
    return (() if fields.problems else part), fields.problems


def told(
    requests: Sequence[Request], table: Mapping[str, Any], unit: TimeUnit = "ms"
) -> tuple[Note, ...]:
    """What `cut` leaves out and shortens, a sentence for each reason; none for all as it was.

    The counts of what is left out and what is taken add up to all requests.
    """
    asked, fields = _read(table, unit, ("cut",))
    if fields.problems:
        return ()
    counts = Counter(fate for _, fate in asked.fates(requests))
    if counts["kept"] == len(requests) and asked.pace == 1:
        return ()
    kept = counts["kept"] + counts["shortened"]
    values: dict[str, str | int] = {
        "requests": len(requests),
        "kept": kept,
        "scale": f"{asked.pace:g}",
    }
    fates = (*LEFT_OUT, "shortened")
    notes = [Note(f"cut_{fate}", {"count": counts[fate]}) for fate in fates if counts[fate]]
    return (Note("cut_kept", values), *notes)


def _read(table: Mapping[str, Any], unit: TimeUnit, place: Place) -> tuple[_Cut, Fields]:
    """The table, and its fields with what is wrong with them."""
    fields = Fields(table, unit, place)
    fields.refuse_unknown(KNOWN)
    second = 1_000 * scale_of(unit)
    start = round(fields.number("start", 0, MAX_TIME // 1_000, 0) * second)
    end = None
    if fields.has("duration"):
        end = start + round(fields.number("duration", 0.001, MAX_TIME // 1_000) * second)
    max_prompt, max_output = (
        fields.optional_count(name, 1, MAX_TOKENS) for name in ("max_prompt", "max_output")
    )
    asked = _Cut(
        start,
        end,
        fields.optional_count("most", 1, MAX_REQUESTS),
        fields.number("scale", 0.001, 1_000, 1),
        (max_prompt, max_output, fields.optional_count("max_total", 2, 2 * MAX_TOKENS)),
        fields.has("too_long") and fields.choice("too_long", ("cut", "drop")) == "drop",
    )
    return asked, fields


def _shortened(
    request: Request, max_prompt: int | None, max_output: int | None, max_total: int | None
) -> Request:
    """The request within the limits, or itself; a token of its prompt is left to compute."""
    prompt = min(request.prompt, max_prompt or request.prompt)
    output = min(request.output, max_output or request.output)
    if max_total is not None:
        prompt = max(1, min(prompt, max_total - output))
        output = min(output, max_total - prompt)
    if (prompt, output) == (request.prompt, request.output):
        return request
    allowed = request.max_output
    if allowed is not None:
        room = MAX_TOKENS if max_total is None else max_total - prompt
        allowed = max(output, min(allowed, max_output or MAX_TOKENS, room))
    cached = min(request.cached, max(prompt - 1, 0))
    return replace(request, prompt=prompt, output=output, max_output=allowed, cached=cached)


def _moved(request: Request, start: int, pace: float) -> Request:
    """Every moment of its life counted from `start` and at another pace."""
    if not start and pace == 1:
        return request
    moments = (request.arrival, request.deadline, request.cancel_at)
    arrival, deadline, cancel_at = (
        None if time is None else max(0, round((time - start) * pace)) for time in moments
    )
    assert arrival is not None
    return replace(request, arrival=arrival, deadline=deadline, cancel_at=cancel_at)
