"""A workload as data: the `[workload]` table of a scenario file, in place of its requests.

| name | meaning | bounds |
|---|---|---|
| kind | uniform, groups, poisson, gamma, on_off | required |
| requests | how many | required, 1 to `MAX_REQUESTS` |
| gap | ms or ticks from a request (uniform) or a group to the next | required there |
| size | requests that come at once (groups) | required there, from 1 |
| rate | requests a second (the random kinds), while it is on (on_off) | required there |
| burstiness | shape of the gaps (gamma): below 1 bursts, 1 Poisson, above 1 evenly | default 1 |
| on, off | seconds of a burst and of the silence after it (on_off) | required there |
| start | ms or ticks before everything | default 0 |
| prompt, output | tokens: a number, "conversation", or points [percent, tokens] | required |
| max_prompt | longer prompts are cut to this | optional |
| max_total | most of prompt + output: cuts the prompt, down to 1, then the output | optional |
| prefix, first | ids are prefix + number, counted from `first` | default R, 1 |
| seed | of everything drawn | default 0 |
| tenants | a list of {name, weight = 1, priority}, drawn by weight | optional |
| priority | of all requests, and of tenants that have none of their own | default 0 |
| long_prompt, long_output | one request more, called L, which no cap cuts | optional, together |
| long_at | when it comes, in front of those of the same time | default 0 |

Points lie between 0 and 100 percent, both included; neither number of a point falls, and a percent
that comes twice is a jump. Whole ticks suit uniform and groups; the random kinds need milliseconds.
"""

from bisect import bisect_right
from collections.abc import Mapping
from typing import Any

from sim.clock import TimeUnit, scale_of
from sim.problems import Problem
from sim.setup import MAX_REQUESTS, MAX_TIME, MAX_TOKENS, Request
from sim.workload.arrivals import Gamma, Groups, OnOff, Poisson, Process
from sim.workload.drawing import Tenant, Workload, draw
from sim.workload.fields import Fields, Place

LONG_ID = "L"

# What each kind has beside the fields of all kinds.
KINDS: Mapping[str, tuple[str, ...]] = {
    "uniform": ("gap",),
    "groups": ("gap", "size"),
    "poisson": ("rate",),
    "gamma": ("rate", "burstiness"),
    "on_off": ("rate", "on", "off"),
}
REGULAR = ("uniform", "groups")
OF_KINDS = tuple(dict.fromkeys(name for names in KINDS.values() for name in names))
LENGTHS = ("prompt", "output", "max_prompt", "max_total")
LONG = ("long_prompt", "long_output", "long_at")
SENDERS = ("prefix", "first", "seed", "tenants", "priority")
KNOWN = ("kind", "requests", *OF_KINDS, "start", *LENGTHS, *SENDERS, *LONG)
MAX_PRIORITY = 1_000_000


def generate(
    table: Any, unit: TimeUnit, place: Place = ("workload",)
) -> tuple[tuple[Request, ...], list[Problem]]:
    """The requests that a table describes, or everything that is wrong with it.

    Args:
        table: as read from TOML or JSON, such as `{"kind": "poisson", "requests": 600, "rate": 14,
            "seed": 1, "prompt": "conversation", "output": "conversation"}`.
        unit: of its times.
        place: where the table stands, for the problems.

    Returns:
        Requests in order of arrival and no problem, or no request and the problems.
    """
    if not isinstance(table, Mapping):
        return (), [Problem(place, "not_a_table", table)]
    fields = Fields(table, unit, place)
    workload = _read(fields)
    if fields.problems:
        return (), fields.problems
    requests = draw(workload)
    arrivals = [request.arrival for request in requests if request is not workload.long]
    in_time = bisect_right(arrivals, MAX_TIME * scale_of(unit))
    if in_time < len(arrivals):
        fields.add("requests", "too_large", len(arrivals), high=in_time)
        return (), fields.problems
    return requests, []


def _read(fields: Fields) -> Workload:
    fields.refuse_unknown(KNOWN)
    priority = _priority(fields, 0)
    workload = Workload(
        arrivals=_arrivals(fields),
        num_requests=fields.count("requests", 1, MAX_REQUESTS - fields.has("long_prompt")),
        prompt=fields.lengths("prompt"),
        output=fields.lengths("output"),
        start=fields.time("start", 0),
        seed=fields.count("seed", 0, 2**63, 0),
        prefix=fields.text("prefix", "R"),
        first=fields.count("first", 0, 1_000_000, 1),
        max_prompt=fields.optional_count("max_prompt", 1, MAX_TOKENS),
        max_total=fields.optional_count("max_total", 2, 2 * MAX_TOKENS),
        tenants=_tenants(fields, priority),
        everybody=Tenant(priority=priority),
        long=_long(fields),
    )
    last = f"{workload.prefix}{workload.first + workload.num_requests - 1}"
    if len(last) > 24 or not last.isprintable():
        fields.add("prefix", "bad_id", last)
    return workload


def _arrivals(fields: Fields) -> Process:
    kind = fields.choice("kind", tuple(KINDS))
    for name in OF_KINDS:
        if kind in KINDS and name not in KINDS[kind] and fields.has(name):
            fields.add(name, "meaningless_with", fields.table[name], other=f"kind = {kind}")
    if kind in KINDS and kind not in REGULAR and fields.unit == "tick":
        fields.add("kind", "meaningless_with", kind, other="time = tick")
    match kind:
        case "uniform":
            return Groups(fields.time("gap"))
        case "groups":
            return Groups(fields.time("gap"), fields.count("size", 1, MAX_REQUESTS))
        case "poisson":
            return Poisson(_rate(fields))
        case "gamma":
            return Gamma(_rate(fields), fields.number("burstiness", 0.1, 1_000, 1))
        case "on_off":
            on, off = (fields.number(name, low, 10**7) for name, low in (("on", 0.001), ("off", 0)))
            return OnOff(_rate(fields), on, off)
    return Groups(0)


def _rate(fields: Fields) -> float:
    return fields.number("rate", 0.001, 1_000_000)


def _tenants(fields: Fields, priority: int) -> tuple[Tenant, ...]:
    found = len(fields.problems)
    tenants = []
    for row in fields.rows("tenants"):
        row.refuse_unknown(("name", "weight", "priority"))
        name, weight = row.text("name"), row.number("weight", 0, 1_000_000, 1)
        tenants.append(Tenant(name, weight, _priority(row, priority)))
    weights = [tenant.weight for tenant in tenants]
    if weights and not sum(weights) and len(fields.problems) == found:
        fields.add("tenants", "no_weight", weights)
    return tuple(tenants)


def _priority(fields: Fields, default: int) -> int:
    return fields.count("priority", -MAX_PRIORITY, MAX_PRIORITY, default)


def _long(fields: Fields) -> Request | None:
    """The long prompt; its other fields without it are a slip."""
    if not any(fields.has(name) for name in LONG):
        return None
    prompt, output = (fields.count(name, 1, MAX_TOKENS) for name in LONG[:2])
    return Request(LONG_ID, fields.time("long_at", 0), prompt, output)
