"""Requests that nobody types: drawn by a generator, or a part of those that were opened.

A generator is the workload table of `sim.workload`, a part that of `sim.traces.cut`; here is what
the page asks of either, as typed text by the names of those tables. A scene with more requests than
the table holds is edited through them, and a smaller one can be filled by a generator. A closed
loop belongs to the setup (`concurrency`, `think`), and stands here beside the arrivals that it
replaces.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from app.i18n import say
from app.rows import MOST_ROWS
from app.sentences import number
from app.setup_options import merged, number_of
from sim import Problem, Scenario
from sim.clock import TimeUnit, to_shown
from sim.files import SYNTHETIC
from sim.metrics import spread
from sim.reading import read
from sim.setup import Request, Setup
from sim.traces import Note
from sim.traces.cut import LIMITS, PART, cut, told
from sim.workload import generate
from sim.workload.table import KINDS, LENGTHS, LONG, OF_KINDS, REGULAR

Mode = Literal["draw", "fill", "cut"]  # a drawn scene, a table to be filled, an opened file
Texts = dict[str, str]

LOOP = ("concurrency", "think")
GROUPS: Mapping[str, tuple[str, ...]] = {
    "arrivals": ("requests", "kind", *OF_KINDS),
    "loop": ("loop", *LOOP),
    "lengths": LENGTHS,
    "long": LONG,
    "senders": ("tenants",),
    "chance": ("seed",),
}
CUT_GROUPS: Mapping[str, tuple[str, ...]] = {"part": PART, "limits": LIMITS}
MOST_DRAWN = 20_000
ENOUGH = 500  # requests, to judge what they are drawn from
PLACE = ("workload",)
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*%\s*(\d+)(?:\s*[-–]\s*(\d+))?")  # 80% 40-200

_EMPTY = dict.fromkeys(("max_prompt", "max_total", *LONG, "tenants", *LOOP), "")
_KIND = {"gap": "100", "size": "8", "burstiness": "1", "on": "5", "off": "5"}
_DRAWN: Texts = {
    "requests": "600", "kind": "poisson", **_KIND, "rate": "5.53", "loop": "open", **_EMPTY,
    "prompt": "conversation", "output": "conversation", "seed": "1",
}  # fmt: skip
_FILLED: Texts = _DRAWN | {
    "requests": "12", "rate": "80", "gap": "10", "size": "4", "on": "0.1", "off": "0.1",
    "prompt": "0:2, 50:6, 100:16", "output": "0:1, 50:3, 100:8",
}  # fmt: skip
_CUT: Texts = {
    "start": "0", "duration": "", "most": "", "scale": "1",
    "max_prompt": "", "max_output": "", "max_total": "", "too_long": "cut",
}  # fmt: skip


# What is asked.


def own(mode: Mode, unit: TimeUnit) -> Texts:
    """What stands in the form before anything is typed."""
    match mode:
        case "draw":
            return dict(_DRAWN)
        case "cut":
            return dict(_CUT)
    in_ticks = {"kind": "uniform", "gap": "1", "size": "2", "prompt": "0:1, 50:4, 100:8"}
    return _FILLED | (in_ticks if unit == "tick" else {})


def asked(mode: Mode, values: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """The names that have a meaning with what is typed so far, by group."""
    if mode == "cut":
        return dict(CUT_GROUPS)
    others = set(OF_KINDS) - set(KINDS.get(values["kind"], ()))
    others |= set() if values["loop"] == "closed" else set(LOOP)
    groups = {key: [n for n in names if n not in others] for key, names in GROUPS.items()}
    if mode == "fill":
        del groups["loop"]
    return {key: tuple(names) for key, names in groups.items()}


def kinds(unit: TimeUnit) -> Sequence[str]:
    """The processes of arrival that suit a clock."""
    return REGULAR if unit == "tick" else tuple(KINDS)


def differing(mode: Mode, values: Mapping[str, str]) -> Texts:
    """What is typed otherwise than the scene has it, of the names that have a meaning."""
    base = own(mode, "ms")
    names = [name for group in asked(mode, {**base, **values}).values() for name in group]
    kept = {name: values.get(name, "").strip() for name in names if name not in ("loop", *LOOP)}
    return {name: typed for name, typed in kept.items() if typed != base[name]}


# What comes of it.


def drawn(
    mode: Mode, values: Mapping[str, str], scenario: Scenario
) -> tuple[tuple[Request, ...], list[Problem]]:
    """The requests that are asked for, or everything that is wrong."""
    unit, table = scenario.setup.time, _table(mode, values)
    if mode == "cut":
        return cut(scenario.requests, table, unit, PLACE)
    most = MOST_ROWS if mode == "fill" else MOST_DRAWN
    if "long_prompt" in table:
        most -= 1
    if isinstance(count := table.get("requests"), int) and count > most:
        return (), [Problem((*PLACE, "requests"), "too_large", count, {"high": most})]
    return generate(table, unit, PLACE)


def left_out(values: Mapping[str, str], scenario: Scenario) -> Sequence[Note]:
    """What a part of a file leaves out and shortens, a sentence for each reason."""
    return told(scenario.requests, _table("cut", values), scenario.setup.time)


def loop_problems(values: Mapping[str, str], setup: Setup) -> list[Problem]:
    """What is wrong with a closed loop; an open one has nothing to be wrong."""
    if values.get("loop") != "closed":
        return []
    if not values["concurrency"].strip():
        return [Problem((*PLACE, "concurrency"), "required")]
    _, problems = read({"setup": merged(setup, looped(values)), "requests": []})
    return [
        replace(problem, place=(*PLACE, problem.place[1]))
        for problem in problems
        if problem.place[1:2] and problem.place[1] in LOOP
    ]


def looped(values: Mapping[str, str]) -> Texts:
    """The options of the setup that a loop is made of."""
    is_closed = values.get("loop") == "closed"
    return {name: values.get(name, "").strip() if is_closed else "" for name in LOOP}


def mode_of(scene: str) -> Mode:
    """How a scene with more requests than the table holds is edited."""
    return "draw" if scene == SYNTHETIC else "cut"


def redrawn(scene: str, scenario: Scenario, traffic: Mapping[str, str]) -> Scenario:
    """A scene with its requests drawn or cut as `traffic` says; one that cannot be stays."""
    if not traffic:
        return scenario
    mode = mode_of(scene)
    requests, problems = drawn(mode, {**own(mode, "ms"), **traffic}, scenario)
    return scenario if problems else replace(scenario, requests=requests)


def known(mode: Mode, traffic: Mapping[str, str], scenario: Scenario) -> tuple[Texts, list[str]]:
    """The good part of what a link says of the traffic, and the names of the rest."""
    base = own(mode, "ms")
    good = {name: typed for name, typed in traffic.items() if name in base}
    problems = _judged(mode, base | good, scenario)
    bad = [name for name in traffic if name not in base]
    bad += list(dict.fromkeys(str(problem.place[1]) for problem in problems))
    good = {name: typed for name, typed in good.items() if name not in bad}
    if _judged(mode, base | good, scenario):
        good = {}  # what is left does not go together
    return differing(mode, base | good), bad


def _judged(mode: Mode, values: Texts, scenario: Scenario) -> list[Problem]:
    """What is wrong with what is typed; of many good requests a few are drawn to know it."""
    count = number_of(values["requests"].strip()) if mode == "draw" else None
    if isinstance(count, int) and ENOUGH < count <= MOST_DRAWN:
        values = values | {"requests": str(ENOUGH)}
    return drawn(mode, values, scenario)[1]


def _table(mode: Mode, values: Mapping[str, str]) -> dict[str, Any]:
    """What is typed as a table of the simulator's; empty boxes are left out."""
    names = [name for group in asked(mode, values).values() for name in group]
    return {
        name: _value(name, values[name])
        for name in names
        if name not in ("loop", *LOOP) and values[name].strip()
    }


def _value(name: str, typed: str) -> Any:
    """What was typed as a value of the table; what cannot be read stays text."""
    typed = typed.strip()
    pieces = [piece.strip() for piece in typed.split(",") if piece.strip()]
    if name == "tenants":
        return [_tenant(piece) for piece in pieces]
    if name in ("prompt", "output") and "%" in typed:
        return _mixture(pieces) or typed
    if name not in ("prompt", "output") or ":" not in typed:
        return number_of(typed)
    return [[number_of(half.strip()) for half in piece.split(":")] for piece in pieces]


def _tenant(piece: str) -> dict[str, Any] | str:
    """A tenant as name:weight:priority, of which the name is enough; else the text."""
    name, *numbers = (part.strip() for part in piece.split(":"))
    if not name or len(numbers) > 2:
        return piece
    known = zip(("weight", "priority"), numbers, strict=False)
    return {"name": name} | {key: number_of(number) for key, number in known}


def _mixture(pieces: Sequence[str]) -> list[list[float]]:
    """A mixture of even ranges (`80% 40-200`) as points of percent and tokens; else nothing.

    Its percentiles are linear between the ends of the ranges, so these points say all of it.
    """
    found = [_PART.fullmatch(piece) for piece in pieces]
    parts = [(float(m[1]), int(m[2]), int(m[3] or m[2])) for m in found if m]
    is_whole = len(parts) == len(pieces) and abs(sum(share for share, *_ in parts) - 100) < 1e-6
    if not is_whole or any(low > high for _, low, high in parts):
        return []
    points: list[list[float]] = []
    for tokens in sorted({end for _, *ends in parts for end in ends}):
        below, upto = 0.0, 0.0  # the percent that is shorter, and that is not longer
        for share, low, high in parts:
            part = (tokens - low) / (high - low) if low < high else tokens > low
            below += share * min(max(part, 0), 1)
            upto += share * (tokens >= low) if low == high else share * min(max(part, 0), 1)
        points += [[percent, tokens] for percent in sorted({round(below, 6), round(upto, 6)})]
    points[0][0], points[-1][0] = 0, 100
    return points


# In words.


def told_in_short(scenario: Scenario, lang: str) -> str:
    """Requests in one sentence: how many, how fast, how long."""
    requests, setup = scenario.requests, scenario.setup
    prompt, output = (
        spread(np.array([getattr(request, name) for request in requests], dtype=np.int64))
        for name in ("prompt", "output")
    )
    lengths = {
        f"{name}_{key}": number(figure, 0)
        for name, figures in (("prompt", prompt), ("output", output))
        for key in ("p50", "p99")
        if (figure := figures[key]) is not None
    }
    return say(lang, "generator.short", pace=_pace(requests, setup, lang), **lengths)


def _pace(requests: Sequence[Request], setup: Setup, lang: str) -> str:
    count = f"{len(requests):,}"
    if setup.concurrency is not None:
        return say(lang, "generator.clients", count=count, clients=f"{setup.concurrency:,}")
    span = to_shown(max(request.arrival for request in requests), setup.time)
    if not span:
        return say(lang, "generator.at_once", count=count)
    if setup.time == "tick":
        return say(lang, "generator.in_ticks", count=count, span=f"{span:,}")
    rate = len(requests) * 1_000 / span
    digits = 1 if rate >= 1 else 3
    key = "in_s" if span >= 2_000 else "in_ms"
    shown = number(span / 1_000 if key == "in_s" else span, 1)
    return say(lang, f"generator.{key}", count=count, span=shown, rate=number(rate, digits))
