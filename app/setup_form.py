"""The setup as a form: its options by group, as text to type into, and back in the form of files.

What a field may hold stands in its metadata (`sim.setup`); here are the groups, how a value reads
as text, and the tighter bounds of the page. A part of a table is an option of its own, called
`cost.base`. Values travel as typed text, like the cells of the request table, so that a wrong one
stays to be mended; an empty one is the default. The budget has a slider and the mode is the
lane's, so neither is here.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache
from typing import Any

from app.i18n import say, words
from sim import Problem, Scenario
from sim.clock import to_shown
from sim.presets import PRESETS, settings
from sim.reading import read, written
from sim.setup import Setup

GROUPS: Mapping[str, tuple[str, ...]] = {
    "budget": (
        *("max_num_seqs", "first_token", "chunked", "overtake", "max_chunk", "max_prefill"),
        *("round_target", "max_decodes", "prefill_reserve", "prefill_reserve_age"),
    ),
    "order": ("service", "order", "aging_step", "tenant_quota", "granularity"),
    "memory": ("block_size", "num_blocks", "reserve", "watermark", "on_full"),
    "life": ("queue_timeout", "max_queue", "concurrency", "think"),
    "static": ("batch_size", "batch_wait"),
    "extras": ("buckets", "price_padding", "speculation", "moe", "seed"),
    "cost": ("time", "cost"),
    "goals": ("slo", "window"),
}
ELSEWHERE = ("budget", "mode")
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
    """Every option by its dotted name, in the order of the form."""
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


@cache
def phrases(lang: str, table: str) -> Mapping[str, str]:
    """The words of a table, kept: a form needs them at every keystroke that counts."""
    return words(lang, table)


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
        for name, option in options().items()
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
            table[name] = parsed(options()[name].kind, typed)
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
    if kind == "choice":
        return typed
    if kind in _LISTS or (kind == "accepted" and "," in typed):
        pieces = typed.removesuffix(",").split(",")
        return [_number(piece.strip()) for piece in pieces]
    value = _number(typed)
    if kind == "accepted" and isinstance(value, int) and value > 1:
        return [value]
    return value


def _number(typed: str) -> int | float | str:
    for read_ in (int, float):
        try:
            return read_(typed)
        except ValueError:
            pass
    return typed


def differing(setup: Setup, changes: Mapping[str, str]) -> Texts:
    """Known changes only, tidied, without those that say what the setup says."""
    own = texts(setup)
    tidy = {name: tidied(changes[name]) for name in options() if name in changes}
    return {name: typed for name, typed in tidy.items() if not _same(name, typed, own[name])}


def tidied(typed: str) -> str:
    """Short, without blanks around it and with one blank after each comma."""
    return re.sub(r"\s*[,，、]\s*", ", ", typed.strip())[:MOST_IN_A_BOX].strip()


def _same(name: str, one: str, other: str) -> bool:
    option = options()[name]
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
        option, value = options()[name], _flat(table).get(name)
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
    places = {where(problem) for problem in problems}
    return [name for name in changes if name in places]


def where(problem: Problem) -> str | None:
    """The option a problem belongs to, if it is one of the setup."""
    if problem.place[:1] != ("setup",):
        return None
    name = ".".join(str(part) for part in problem.place[1:])
    return name if name in options() else _WHERE.get(name)


def told(problem: Problem, name: str, lang: str) -> str:
    """A problem of the setup in words."""
    known = phrases(lang, "setup.problem")
    key = problem.rule if problem.rule in known else "other"
    value = problem.value
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        value = f"{value:,}" if abs(value) < 1e15 else f"{float(value):.3g}"
    params = {k: f"{v:,}" if isinstance(v, (int, float)) else v for k, v in problem.params.items()}
    return say(
        lang,
        f"setup.problem.{key}",
        **{"low": "", "high": "", "choices": "", "other": ""} | params,
        field=say(lang, f"setup.label.{name}"),
        value=str(value)[:40],
    )


# Presets and words.


def presets() -> dict[str, Texts]:
    """Schedulers by name that can be put on the continuous lane: its mode is not theirs to set."""
    every = {name: settings(name) for name in PRESETS}
    return {
        name: {key: shown(value) for key, value in table.items() if key != "mode"}
        for name, table in every.items()
        if table["mode"] == "continuous"
    }


def preset_of(current: Mapping[str, str]) -> str:
    """The preset whose settings all hold, or none."""
    for name, table in presets().items():
        if all(current[key] == value for key, value in table.items()):
            return name
    return ""


def summary(setup: Setup, lang: str) -> str:
    """A setup in one sentence: who is served first, the budget, and what is not at its default."""
    known = phrases(lang, "setup.says")
    parts = [known[f"service.{setup.service}"]]
    parts.append(known["budget"].format(value=f"{setup.budget:,}"))
    unit = phrases(lang, "unit")[setup.time]
    for name, typed in texts(setup).items():
        if name == "service" or typed == options()[name].default:
            continue
        keys = (f"{name}.{typed}", f"{name}_{typed}", name)
        if key := next((key for key in keys if key in known), ""):
            parts.append(known[key].format(value=typed.strip(","), unit=unit))
    if setup.cost != Setup(budget=1).cost:
        parts.append(known["cost"])
    text = known["comma"].join(parts)
    return known["whole"].format(text=text[:1].upper() + text[1:])


def form(setup: Setup, changes: Mapping[str, str], lang: str) -> list[dict[str, Any]]:
    """The groups of the form with their fields, as the browser draws them."""
    own = texts(setup)
    unit = phrases(lang, "unit").get(changes.get("time", setup.time), "")
    groups = []
    for group in GROUPS:
        lines = [
            _field(option, own[option.name], changes, unit, lang)
            for option in options().values()
            if option.group == group
        ]
        groups.append(
            {
                "name": group,
                "title": say(lang, f"setup.group.{group}"),
                "fields": lines,
            }
        )
    return groups


def _field(
    option: Option, own: str, changes: Mapping[str, str], unit: str, lang: str
) -> dict[str, Any]:
    name = option.name
    control = {"choice": "select", "bool": "switch", "count": "number", "time": "number"}
    choices = option.rule.get("choices", ())
    return {
        "name": name,
        "control": control.get(option.kind, "text"),
        "label": say(lang, f"setup.label.{name}"),
        "help": say(lang, f"setup.help.{name}"),
        "bounds": _bounds(option, unit, lang),
        "value": changes.get(name, own),
        "own": own,
        "empty": option.default or say(lang, "setup.none"),
        "is_changed": name in changes,
        "choices": [[choice, say(lang, f"setup.choice.{name}.{choice}")] for choice in choices],
    }


def _bounds(option: Option, unit: str, lang: str) -> str:
    """What may be typed: a range, the unit, or how a list is written."""
    if option.kind in ("choice", "bool"):
        return ""
    key = option.kind if option.kind in ("counts", "weights", "accepted", "span", "wait") else ""
    range_ = {"low": f"{option.rule['low']:,}", "high": f"{option.high:,}", "unit": unit}
    if key:
        return say(lang, f"setup.bounds.{key}", **range_)
    return say(lang, "setup.bounds.time" if option.is_time else "setup.bounds.count", **range_)
