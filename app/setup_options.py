"""The options of a setup as text to type, and back in the form of files; what is wrong with them.

What a field may hold stands in its metadata (`sim.setup`); here are the groups, how a value reads
as text, and the tighter bounds of the page. A part of a table is an option of its own, called
`cost.base`. Values travel as typed text, like the cells of the request table, so that a wrong one
stays to be mended; an empty one is the default. Of the setup that all lanes share, the budget has
a slider and the mode is the lanes' own, so neither is among its `options`; a lane may change both.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache
from typing import Any

from sim import Problem, Scenario
from sim.clock import to_shown
from sim.presets import PRESETS, settings
from sim.reading import read, written
from sim.setup import Setup

GROUPS: Mapping[str, tuple[str, ...]] = {
    "batching": (
        *("mode", "service", "chunked", "granularity", "overtake", "first_token"),
        *("batch_size", "batch_wait"),
    ),
    "budget": (
        *("budget", "max_num_seqs", "max_chunk", "max_prefill", "round_target"),
        *("max_decodes", "prefill_reserve", "prefill_reserve_age"),
    ),
    "order": ("order", "aging_step", "tenant_quota"),
    "memory": ("block_size", "num_blocks", "reserve", "watermark", "on_full"),
    "life": ("queue_timeout", "max_queue", "concurrency", "think"),
    "extras": ("buckets", "price_padding", "speculation", "moe", "seed"),
    "cost": ("time", "cost"),
    "goals": ("slo", "window"),
}
ELSEWHERE = ("mode", "budget")  # of the shared setup
SHARED = ("time",)  # lanes stand on one clock
MOST_TIME = 1_000_000  # ms or ticks, as in the request table
MOST_TOTAL = 2**62  # ns a run may take: histories hold 64 bits
MOST_IN_A_BOX = 120

_LISTS = ("counts", "weights", "span")
_WHERE = {"cost": "cost.base", "slo": "slo.ttft", "speculation": "speculation.drafts"}
_WHERE["moe"] = "moe.weights"

Texts = dict[str, str]


@dataclass(frozen=True, slots=True)
class Option:
    """One line of the form: dotted name, group, rule and default as text."""

    name: str
    group: str
    rule: Mapping[str, Any]
    default: str

    @property
    def kind(self) -> str:
        return str(self.rule["kind"])

    @property
    def is_time(self) -> bool:
        return self.kind in ("time", "wait", "span")

    @property
    def high(self) -> int | None:
        high = self.rule.get("high")
        return min(high, MOST_TIME) if high is not None and self.is_time else high


@cache
def options() -> Mapping[str, Option]:
    """Every option of the shared setup by its dotted name, in the order of the form."""
    return {name: option for name, option in every_option().items() if name not in ELSEWHERE}


@cache
def lane_options() -> Mapping[str, Option]:
    """Every option that a lane may have of its own."""
    return {name: option for name, option in every_option().items() if name not in SHARED}


@cache
def every_option() -> Mapping[str, Option]:
    """All options by name: mode and budget too."""
    kept = {item.name: item for item in fields(Setup)}
    lines = (
        option
        for group, names in GROUPS.items()
        for name in names
        for option in _options(kept[name], group)
    )
    return {option.name: option for option in lines}


def _options(item: Any, group: str, prefix: str = "") -> Iterator[Option]:
    if item.metadata["kind"] == "table":
        for part in fields(item.metadata["record"]):
            yield from _options(part, group, f"{item.name}.")
        return
    value = None if item.default is MISSING else item.default
    if item.metadata["kind"] == "time" and value is not None:
        value = to_shown(value, "ms")
    yield Option(prefix + item.name, group, item.metadata, shown(value))


def shown(value: Any) -> str:
    """A value of a file as text to type into; a list of one keeps its comma."""
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case list() | tuple():
            return ", ".join(map(str, value)) + ("," if len(value) == 1 else "")
    return str(value)


def texts(setup: Setup) -> Texts:
    """All options of a setup as text, whether at their default or not."""
    table = _flat(written(setup, setup.time))
    return {
        name: shown(table[name]) if name in table else option.default
        for name, option in every_option().items()
    }


def merged(setup: Setup, changes: Mapping[str, str]) -> dict[str, Any]:
    """The table of a file: a setup with typed changes.

    Going over to ticks leaves the scene's own cost behind, since it has no meaning there.
    """
    table = _flat(written(setup, setup.time))
    if changes.get("time") == "tick":
        table = {name: v for name, v in table.items() if not name.startswith("cost.")}
    for name, typed in changes.items():
        if typed.strip():
            table[name] = parsed(every_option()[name].kind, typed)
        else:
            table.pop(name, None)
    nested: dict[str, Any] = {}
    for name, value in table.items():
        first, _, part = name.partition(".")
        if part:
            nested.setdefault(first, {})[part] = value
        else:
            nested[name] = value
    return nested


def _flat(table: Mapping[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in table.items():
        if isinstance(value, dict):
            flat |= {f"{name}.{part}": inner for part, inner in value.items()}
        else:
            flat[name] = value
    return flat


def parsed(kind: str, typed: str) -> Any:
    """What was typed as a value of a file; what cannot be read stays text, which is refused."""
    typed = typed.strip()
    if kind == "bool":
        return {"true": True, "false": False}.get(typed, typed)
    if kind in ("choice", "text"):
        return typed
    if kind in _LISTS or (kind == "accepted" and "," in typed):
        pieces = typed.removesuffix(",").split(",")
        return [number_of(piece.strip()) for piece in pieces]
    value = number_of(typed)
    if kind == "accepted" and isinstance(value, int) and value > 1:
        return [value]
    return value


def number_of(typed: str) -> int | float | str:
    """A number that was typed, whole if it can be (`1e9`); what cannot be read stays text."""
    try:
        return int(typed)
    except ValueError:
        pass
    try:
        value = float(typed)
    except ValueError:
        return typed
    return int(value) if value.is_integer() else value


def differing(setup: Setup, changes: Mapping[str, str]) -> Texts:
    """Known changes only, tidied, without those that say what the setup says."""
    own = texts(setup)
    tidy = {name: tidied(changes[name]) for name in options() if name in changes}
    return {name: typed for name, typed in tidy.items() if not same(name, typed, own[name])}


def tidied(typed: str) -> str:
    """Short, without blanks around it and with one blank after each comma."""
    return re.sub(r"\s*[,，、]\s*", ", ", typed.strip())[:MOST_IN_A_BOX].strip()


def same(name: str, one: str, other: str) -> bool:
    """Whether two texts mean the same value of an option."""
    option = every_option()[name]
    a, b = (parsed(option.kind, text or option.default) for text in (one, other))
    return bool(a == b and isinstance(a, bool) == isinstance(b, bool))


def difference(setup: Setup, other: Setup) -> Texts:
    """What must be typed to make the one setup the other."""
    old, new = texts(setup), texts(other)
    return {name: new[name] for name in options() if new[name] != old[name]}


# What is wrong.


def page_problems(setup: Setup, changes: Mapping[str, str]) -> list[Problem]:
    """The tighter bounds of the page, and rules of one field, for what was typed."""
    table = merged(setup, changes)
    found = []
    for name in changes:
        option, value = every_option()[name], _flat(table).get(name)
        values = value if isinstance(value, list) else [value]
        high = option.high
        numbers = [v for v in values if isinstance(v, (int, float)) and not isinstance(v, bool)]
        if option.is_time and high is not None and any(v > high for v in numbers):
            place = ("setup", *name.split("."))
            found.append(Problem(place, "too_large", max(numbers), {"high": high}))
    return found


def too_long(scenario: Scenario) -> list[Problem]:
    """A run whose clock might leave 64 bits: a bound of rounds times a bound of a round's cost."""
    setup = scenario.setup
    cost, rounds = setup.cost, scenario.most_rounds
    tokens = sum(request.prompt + request.output for request in scenario.requests)
    each = cost.per_prefill + cost.per_decode + cost.per_draft + cost.per_expert_token
    each *= max(setup.budget, *(setup.buckets or (0,)))
    total = rounds * (cost.base + each + (cost.per_kv_token + cost.per_swap_block) * tokens)
    waits = setup.think * len(scenario.requests)
    if total + waits <= MOST_TOTAL:
        return []
    return [Problem(("setup", "cost"), "too_long")]


def bad_names(setup: Setup, changes: Mapping[str, str]) -> list[str]:
    """Options whose typed value breaks a rule by itself, whatever the others are."""
    _, problems = read({"setup": merged(setup, changes), "requests": []})
    problems += page_problems(setup, changes)
    places = {where(problem, in_lane=True) for problem in problems}
    return [name for name in changes if name in places]


def bad_lane_names(setup: Setup, changes: Mapping[str, str]) -> list[str]:
    """The same of what a lane changes; what it changes in requests is not looked at."""
    return bad_names(setup, {name: v for name, v in changes.items() if name in lane_options()})


def where(problem: Problem, *, in_lane: bool = False) -> str | None:
    """The option a problem belongs to, if it is one of the setup that is shared, or of a lane."""
    known = every_option() if in_lane else options()
    if problem.place[:1] != ("setup",):
        return None
    name = ".".join(str(part) for part in problem.place[1:])
    return name if name in known else _WHERE.get(name)


# Presets.


@cache
def presets() -> Mapping[str, Texts]:
    """Schedulers by name, all settings as text, those that a preset takes off included."""
    return {name: {key: shown(value) for key, value in settings(name).items()} for name in PRESETS}


def shared_presets() -> dict[str, Texts]:
    """Those that can be put on all lanes at once: their mode is not theirs to set."""
    return {
        name: {key: typed for key, typed in table.items() if key != "mode"}
        for name, table in presets().items()
        if table["mode"] == "continuous"
    }


def preset_of(current: Mapping[str, str], tables: Mapping[str, Texts]) -> str:
    """The preset whose settings all hold, or none."""
    for name, table in tables.items():
        if all(current[key] == value for key, value in table.items()):
            return name
    return ""


_NOT_STATIC = (
    *("service", "chunked", "granularity", "overtake", "max_chunk", "max_prefill"),
    *("round_target", "max_decodes", "prefill_reserve", "prefill_reserve_age", "tenant_quota"),
    *("reserve", "watermark", "on_full"),
)
_ONLY_STATIC = ("batch_size", "batch_wait")


def meaningless(mode: str) -> tuple[str, ...]:
    """Options that change nothing in a lane of this mode."""
    return _NOT_STATIC if mode == "static" else _ONLY_STATIC
