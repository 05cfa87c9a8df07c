"""The setup in words: the form as the browser draws it, summaries, and what is wrong.

What options there are and how they read as text is `app.setup_options`; nothing is judged here.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from app.i18n import say, words
from app.setup_options import GROUPS, Option, every_option, options, texts
from sim import Problem
from sim.setup import Setup


@cache
def phrases(lang: str, table: str) -> Mapping[str, str]:
    """The words of a table, kept: a form needs them at every keystroke that counts."""
    return words(lang, table)


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


def summary(setup: Setup, lang: str, silent: Iterable[str] = ()) -> str:
    """A setup in one sentence: how it batches, the budget, and what is not at its default."""
    text = phrases(lang, "setup.says")["comma"].join(parts(setup, lang, silent))
    return say(lang, "setup.says.whole", text=text[:1].upper() + text[1:])


def parts(setup: Setup, lang: str, silent: Iterable[str] = ()) -> list[str]:
    """The parts of that sentence, without the options that are to stay silent."""
    known = phrases(lang, "setup.says")
    how = f"service.{setup.service}" if setup.mode == "continuous" else f"mode.{setup.mode}"
    said = [known[how], say(lang, "setup.says.budget", value=f"{setup.budget:,}")]
    unit = phrases(lang, "unit")[setup.time]
    silent = {"mode", "service", "budget", *silent}
    for name, typed in texts(setup).items():
        if name in silent or typed == every_option()[name].default:
            continue
        keys = (f"{name}.{typed}", f"{name}_{typed}", name)
        if key := next((key for key in keys if key in known), ""):
            said.append(say(lang, f"setup.says.{key}", value=typed.strip(","), unit=unit))
    if setup.cost != Setup(budget=1).cost:
        said.append(known["cost"])
    return said


def value_text(name: str, typed: str, lang: str) -> str:
    """A value of an option in words: its choice, on or off, or what was typed."""
    option = every_option()[name]
    if option.kind == "choice":
        return phrases(lang, "setup").get(f"choice.{name}.{typed}", typed)
    if option.kind == "bool":
        return phrases(lang, "setup").get({"true": "on", "false": "off"}.get(typed, ""), typed)
    if typed == "full":  # a static batch waits for as long as it takes
        return phrases(lang, "setup")["no_limit"]
    return typed.strip(",") or option.default or phrases(lang, "setup")["none"]


def form(
    own: Mapping[str, str],
    changes: Mapping[str, str],
    lang: str,
    *,
    first: Iterable[str] = (),
    known: Mapping[str, Option] | None = None,
) -> list[dict[str, Any]]:
    """The groups of the form with their fields, as the browser draws them.

    Args:
        own: all options as text, as they are without the changes.
        changes: as typed.
        lang: language of all words.
        first: options that stand in a group of their own, before the others.
        known: the options to show; those of the shared setup by default.
    """
    known = options() if known is None else known
    unit = phrases(lang, "unit").get(changes.get("time", own["time"]), "")
    groups = {
        name: [option for option in known.values() if option.group == name] for name in GROUPS
    }
    chosen = [known[name] for name in first if name in known]
    listed = {"first": chosen} if chosen else {}
    listed |= {name: [o for o in group if o not in chosen] for name, group in groups.items()}
    return [
        {
            "name": name,
            "title": say(lang, f"setup.group.{name}"),
            "fields": [_field(option, own[option.name], changes, unit, lang) for option in group],
        }
        for name, group in listed.items()
        if group
    ]


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
