"""A part of a trace: from when on, how many, at what pace, and what becomes of the long ones.

It works on requests and not on the file, so that a trace can be cut again without being read again.
The settings are a table like that of a workload; nothing is drawn, and a row that is left out is
left out by one of its rules.

| name | meaning | default |
|---|---|---|
| start | seconds after the first arrival; what came before is left out | 0 |
| most | at most so many requests | all |
| scale | times are multiplied by this: 0.5 is twice the rate | 1 |
| max_prompt, max_output | tokens; what is longer is cut, or dropped | no limit |
| too_long | cut or drop | cut |
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sim.clock import TimeUnit, scale_of
from sim.problems import Problem
from sim.setup import MAX_REQUESTS, MAX_TIME, MAX_TOKENS, Request
from sim.workload.fields import Fields, Place

KNOWN = ("start", "most", "scale", "max_prompt", "max_output", "too_long")


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
    fields = Fields(table, unit, place)
    fields.refuse_unknown(KNOWN)
    start = round(fields.number("start", 0, MAX_TIME // 1_000, 0) * 1_000 * scale_of(unit))
    most = fields.optional_count("most", 1, MAX_REQUESTS)
    pace = fields.number("scale", 0.001, 1_000, 1)
    limits = [fields.optional_count(name, 1, MAX_TOKENS) for name in ("max_prompt", "max_output")]
    drops = fields.has("too_long") and fields.choice("too_long", ("cut", "drop")) == "drop"
    if fields.problems:
        return (), fields.problems
    found = [request for request in requests if request.arrival >= start]
    if drops:
        found = [request for request in found if _shortened(request, *limits) is request]
    part = [_shortened(_moved(request, start, pace), *limits) for request in found[:most]]
    if not part:
        fields.add("start", "no_requests", table.get("start"))
    elif (last := part[-1].arrival) > MAX_TIME * scale_of(unit):
        fields.add("scale", "too_large", pace, high=pace * MAX_TIME * scale_of(unit) / last)
    return (() if fields.problems else tuple(part)), fields.problems


def _shortened(request: Request, max_prompt: int | None, max_output: int | None) -> Request:
    """The request within the limits, or itself; a token of its prompt is left to compute."""
    prompt = min(request.prompt, max_prompt or request.prompt)
    output = min(request.output, max_output or request.output)
    if (prompt, output) == (request.prompt, request.output):
        return request
    allowed = request.max_output and max(output, min(request.max_output, max_output or MAX_TOKENS))
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
