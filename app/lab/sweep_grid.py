"""What a sweep runs: one control or two, their values as typed, and the points that makes.

A control is an option of a setup, or the rate of arrivals: times of requests are multiplied, as in
a cut of a trace. Text in, points or faults out; nothing is run or worded here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.setup_options import every_option, meaningless, number_of, shown, texts
from sim import Scenario
from sim.setup import Setup

RATE = "rate"
CONTROLS = (
    *("budget", "max_num_seqs", "num_blocks", "max_chunk", "max_prefill", "round_target"),
    *("max_decodes", "prefill_reserve", "watermark", "block_size", "batch_size"),
    *("queue_timeout", "max_queue", "concurrency"),
    *("cost.base", "cost.per_prefill", "cost.per_decode", "cost.per_kv_token"),
)
STEPS = ("factor", "even", "listed")
FIELDS = ("low", "high", "count", "listed", "second_listed")
MOST_POINTS = 60
MOST_CURVES = 4
RATES = (0.01, 100)

_OF_CHUNKS = ("max_chunk", "max_prefill", "round_target")
_OF_POOL = ("watermark", "block_size")
_NOT_VLLM = ("max_prefill", "round_target", "max_decodes", "prefill_reserve")
_NOT_IN_TICKS = (
    *("round_target", "queue_timeout"),
    *(name for name in CONTROLS if name.startswith("cost.")),
)


@dataclass(frozen=True, slots=True)
class Form:
    """What is typed, all text: the lane that is the base, a control and its values, maybe another.

    `steps` says which of the fields hold the values: `low`, `high` and `count`, or `listed`.
    """

    base: str
    control: str
    steps: str = "factor"
    low: str = ""
    high: str = ""
    count: str = ""
    listed: str = ""
    second: str = ""
    second_listed: str = ""


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a field: a rule and what its sentence needs."""

    field: str
    rule: str
    params: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Point:
    """One run: the values of its controls, by name; where it stands, and on which curve."""

    settings: Mapping[str, float]
    x: float
    curve: int = 0


def controls(setup: Setup) -> list[str]:
    """The controls that can change what a setup does."""
    silent = set(meaningless(setup.mode))
    silent |= set(_OF_POOL) if setup.num_blocks is None else set()
    silent |= set(_NOT_VLLM) if setup.mode == "vllm_v1" else set()
    silent |= set(_NOT_IN_TICKS) if setup.time == "tick" else set()
    silent |= set(_OF_CHUNKS) if not setup.chunked and setup.mode != "vllm_v1" else set()
    rate = [] if setup.concurrency else [RATE]
    return [name for name in CONTROLS if name not in silent] + rate


def first_range(control: str, scenario: Scenario) -> dict[str, str]:
    """The values that stand in the form before anything is typed."""
    low, high, steps, count = _range(control, scenario)
    return {"low": shown(low), "high": shown(high), "steps": steps, "count": str(count)}


def _range(control: str, scenario: Scenario) -> tuple[float, float, str, int]:
    setup = scenario.setup
    if control == RATE:
        return 0.5, 2, "even", 7
    if control in ("prefill_reserve", "watermark"):
        most = setup.budget if control == "prefill_reserve" else (setup.num_blocks or 100)
        return 0, max(1, most // 4), "even", 5
    own = number_of(texts(setup)[control] or "0")
    value = own if isinstance(own, (int, float)) else 0
    value = value or _usual(control, scenario)
    bottom, top = bounds(control)
    low, high = value / 8, value * 2
    if control in ("budget", "num_blocks") and value < 16:
        low, high = 1, 16
    if every_option()[control].kind == "count":
        low, high = max(1, round(low)), max(2, round(high))
    else:
        low, high = _neat(low), _neat(high)
    return max(low, bottom), min(high, top), "factor", 5


def _usual(control: str, scenario: Scenario) -> float:
    """A value of an option that the setup leaves open."""
    setup = scenario.setup
    longest = max((r.prompt + r.allowed_output for r in scenario.requests), default=1)
    return {
        "num_blocks": setup.blocks(longest) * 8,
        "max_chunk": setup.budget // 2,
        "max_prefill": setup.budget // 2,
        "round_target": 80,
        "batch_size": min(setup.budget, setup.max_num_seqs),
        "max_decodes": setup.max_num_seqs // 2,
        "queue_timeout": 1000,
        "max_queue": 32,
        "concurrency": 16,
    }.get(control, 1)


def bounds(control: str) -> tuple[float, float]:
    """The least and the most of a control."""
    if control == RATE:
        return RATES
    option = every_option()[control]
    return option.rule["low"], option.high or MOST_POINTS


# From text to points.


def points_of(form: Form) -> tuple[list[Point], list[Fault]]:
    """The points of a form in order of curves, or all that is wrong."""
    faults: list[Fault] = []
    firsts = _values(form, faults)
    seconds: list[float] = []
    if form.second:
        seconds = _listed(form.second, "second_listed", form.second_listed, faults)
        if len(seconds) > MOST_CURVES:
            faults.append(Fault("second_listed", "curves", {"most": MOST_CURVES}))
    total = len(firsts) * max(1, len(seconds))
    if not faults and total > MOST_POINTS:
        field = "listed" if form.steps == "listed" else "count"
        faults.append(Fault(field, "points", {"n": total, "most": MOST_POINTS}))
    if faults:
        return [], faults
    first = [({form.control: value}, value) for value in firsts]
    if not seconds:
        return [Point(settings, x) for settings, x in first], []
    return [
        Point({**settings, form.second: other}, x, curve)
        for curve, other in enumerate(seconds)
        for settings, x in first
    ], []


def _values(form: Form, faults: list[Fault]) -> list[float]:
    """The values of the first control, rising."""
    if form.steps == "listed":
        return sorted(_listed(form.control, "listed", form.listed, faults))
    low = _number(form.control, "low", form.low, faults)
    high = _number(form.control, "high", form.high, faults)
    count = number_of(form.count)
    if not isinstance(count, int) or not 2 <= count <= MOST_POINTS:
        faults.append(Fault("count", "count", {"low": 2, "high": MOST_POINTS}))
        return []
    if low is None or high is None:
        return []
    if high <= low:
        faults.append(Fault("high", "order", {}))
        return []
    if form.steps == "factor" and low == 0:
        faults.append(Fault("low", "from_zero", {}))
        return []
    shares = [place / (count - 1) for place in range(count)]
    if form.steps == "factor":
        found = [low * (high / low) ** share for share in shares]
    else:
        found = [low + (high - low) * share for share in shares]
    return list(dict.fromkeys(_rounded(form.control, value) for value in found))


def _listed(control: str, field: str, typed: str, faults: list[Fault]) -> list[float]:
    """Values with commas between them, each once."""
    pieces = typed.replace("，", ",").replace("、", ",").split(",")
    found = [_number(control, field, one, faults) for one in pieces if one.strip()]
    if not found:
        faults.append(Fault(field, "empty", {}))
    return list(dict.fromkeys(value for value in found if value is not None))


def _number(control: str, field: str, typed: str, faults: list[Fault]) -> float | None:
    """A value of a control, or a fault more."""
    value = number_of(typed.strip())
    low, high = bounds(control)
    if isinstance(value, str) or value != value:
        faults.append(Fault(field, "not_number", {"value": typed.strip()}))
    elif _is_whole(control) and not isinstance(value, int):
        faults.append(Fault(field, "not_whole", {"value": typed.strip()}))
    elif not low <= value <= high:
        rule = "too_small" if value < low else "too_large"
        faults.append(Fault(field, rule, {"value": typed.strip(), "low": low, "high": high}))
    else:
        return value
    return None


def _is_whole(control: str) -> bool:
    return control != RATE and every_option()[control].kind == "count"


def _rounded(control: str, value: float) -> float:
    return round(value) if _is_whole(control) else _neat(value)


def _neat(value: float) -> float:
    """Four digits, as one would type it."""
    return float(f"{value:.4g}")
