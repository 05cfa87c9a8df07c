"""The form of a generator: its fields, what is wrong with them, and a preview, in words.

Fields without a meaning are not asked: which ones stand there depends on what is typed in the
others, so the whole form is made anew for each answer and the browser keeps the boxes it has.
"""

from collections.abc import Mapping
from typing import Any

from app.generator import (
    MOST_DRAWN,
    Mode,
    Texts,
    asked,
    drawn,
    kinds,
    left_out,
    loop_problems,
    told_in_short,
)
from app.i18n import join, say, words
from app.messages import plain, trace_notes
from app.rows import MOST_ROWS
from app.setup_options import merged
from sim import Problem, Scenario
from sim.clock import TimeUnit
from sim.reading import read
from sim.setup import Request

Found = tuple[tuple[Request, ...], list[Problem]]

_CHOICES = {"loop": ("open", "closed"), "too_long": ("cut", "drop")}
_LENGTHS = ("prompt", "output")
_TEXTS = (*_LENGTHS, "tenants")
_SIZES = dict.fromkeys((*_TEXTS, "loop", "too_long"), "wide") | {"kind": "two"}


def form(
    mode: Mode, values: Texts, scenario: Scenario, lang: str, found: Found | None = None
) -> dict[str, Any]:
    """Everything the browser draws: groups of fields, problems by name, the preview.

    `found` is what `drawn` gives for these values, if it is known.
    """
    requests, problems = found or drawn(mode, values, scenario)
    problems = list(problems)
    if mode == "draw":
        problems += loop_problems(values, scenario.setup)
    unit = scenario.setup.time
    return {
        "mode": mode,
        "head": say(lang, f"generator.head_{mode}"),
        "lead": say(lang, f"generator.lead_{mode}", limit=_limit(mode), rows=MOST_ROWS),
        "action": say(lang, f"generator.do_{mode}"),
        "groups": [
            {
                "name": group,
                "title": say(lang, f"generator.group.{group}"),
                "fields": [_field(name, values[name], unit, lang) for name in names],
            }
            for group, names in asked(mode, values).items()
        ],
        "problems": dict(told(problem, lang) for problem in reversed(problems)),
        "preview": "" if problems else _preview(mode, scenario, requests, values, lang),
    }


def _limit(mode: Mode) -> str:
    return f"{MOST_ROWS if mode == 'fill' else MOST_DRAWN:,}"


def _preview(
    mode: Mode, scenario: Scenario, requests: Any, values: Mapping[str, str], lang: str
) -> str:
    """The sentence about the requests, in the loop that is typed; and what a part leaves out."""
    if not requests:
        return say(lang, "generator.drawing")
    loop = {"concurrency": values["concurrency"]} if values.get("loop") == "closed" else {}
    found, problems = read({"setup": merged(scenario.setup, loop), "requests": []})
    setup = scenario.setup if problems else found["setup"]
    short = told_in_short(Scenario(setup, requests), lang)
    notes = left_out(values, scenario) if mode == "cut" else ()
    return join(lang, [short, trace_notes(notes, lang)]) if notes else short


def _field(name: str, value: str, unit: TimeUnit, lang: str) -> dict[str, Any]:
    table = words(lang, "generator")
    of_unit = words(lang, "unit")[unit]
    choices = kinds(unit) if name == "kind" else _CHOICES.get(name, ())
    return {
        "name": name,
        "label": table[f"label.{name}"].format(unit=of_unit),
        "help": table[f"help.{name}"].format(unit=of_unit),
        "value": value,
        "size": _SIZES.get(name, ""),
        "text": name in _TEXTS,
        "choices": [[choice, table[f"choice.{name}.{choice}"]] for choice in choices],
    }


def told(problem: Problem, lang: str) -> tuple[str, str]:
    """A problem as the name of its field and a sentence."""
    name = str(problem.place[1]) if len(problem.place) > 1 else "requests"
    table = words(lang, "generator")
    label = table[f"label.{name}"].partition(" (")[0].partition("（")[0]
    if name == "tenants" and problem.rule != "no_weight":
        return name, say(lang, "generator.bad_tenants", field=label)
    if name in _LENGTHS and problem.rule not in ("required", "too_small", "too_large", "not_whole"):
        return name, say(lang, "generator.bad_lengths", field=label)
    if name in _LENGTHS and len(problem.place) > 2:
        return name, say(lang, "generator.bad_points", field=label)
    if f"problem.{problem.rule}" in table:
        return name, say(lang, f"generator.problem.{problem.rule}", field=label)
    known = words(lang, "setup.problem")
    rule = problem.rule if problem.rule in known else "other"
    blank = {"low": "", "high": "", "choices": "", "other": ""}
    params = blank | {key: plain(value) for key, value in problem.params.items()}
    text = say(lang, f"setup.problem.{rule}", **params, field=label, value=plain(problem.value))
    return name, text
