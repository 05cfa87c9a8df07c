"""A sweep in words and figures: the form, what is wrong with it, points, and what they come to."""

from collections.abc import Mapping, Sequence
from typing import Any

from app.i18n import join, say, words
from app.lab.sweep_grid import FIELDS, RATE, STEPS, Fault, Form, controls, points_of
from app.lab.sweep_run import Run
from app.lab.told import (
    GOAL_OF,
    figure,
    latency_and_part,
    metric_head,
    plain,
)
from app.lane_names import change_text, heads
from app.lanes import Lane
from app.messages import named, told
from app.sentences import number
from app.session import Session
from app.setup_options import every_option, shown
from sim import Problem
from sim.clock import to_shown
from sim.compare import METRICS, Comparison, Metric
from sim.sweep import SHARE, Figures

MAIN = (
    *("goodput", "attainment_of_all", "output_tps"),
    *("ttft_p50", "ttft_p95", "itl_p50", "itl_p99", "itl_max"),
)
CHARTED = (
    *("goodput", "attainment_of_all", "good_tps", "output_tps", "request_rate"),
    *("queue_p95", "ttft_p50", "ttft_p95", "ttft_p99", "tpot_p50", "tpot_p99"),
    *("itl_p50", "itl_p99", "itl_max", "e2e_p50", "e2e_p99"),
    *("makespan", "peak_running", "peak_blocks", "budget_use", "preemptions"),
)
MOST_NAMED = 6  # values in a sentence


# The form.


def form_told(form: Form, lane: Lane, bases: Sequence[Lane], session: Session) -> dict[str, Any]:
    """The form as typed, with choices, faults, and the points it makes."""
    lang = session.lang
    setup = lane.history.scenario.setup
    titles = heads([one.spec for one in bases], [one.history.scenario for one in bases], lang)
    known = [[name, control_label(name, lang)] for name in controls(setup)]
    points, faults = points_of(form)
    told_faults = dict.fromkeys(FIELDS, "")
    for fault in reversed(faults):
        told_faults[fault.field] = _fault(fault, form, lang)
    return {
        "base": form.base,
        "bases": [[one.key, head["short"]] for one, head in zip(bases, titles, strict=True)],
        "control": form.control,
        "controls": known,
        "second": form.second,
        "seconds": [
            ["", say(lang, "lab.sweep.no_second")],
            *(choice for choice in known if choice[0] != form.control),
        ],
        "steps": form.steps,
        "ways": [[name, say(lang, f"lab.sweep.steps_{name}")] for name in STEPS],
        "values": {field: getattr(form, field) for field in FIELDS},
        "faults": told_faults,
        "unit": _unit(form.control, setup.time, lang),
        "plan": _plan(form, [point.x for point in points if not point.curve], len(points), lang),
        "can_start": bool(points),
    }


def control_label(name: str, lang: str) -> str:
    return say(lang, "lab.sweep.rate") if name == RATE else say(lang, f"setup.label.{name}")


def _unit(control: str, time: str, lang: str) -> str:
    if control == RATE:
        return "×"
    return words(lang, "unit")[time] if every_option()[control].is_time else ""


def _plan(form: Form, values: Sequence[float], total: int, lang: str) -> str:
    if not values:
        return ""
    listed = [number(value, 4) for value in values]
    if len(listed) > MOST_NAMED:
        listed = [*listed[: MOST_NAMED - 1], "…", listed[-1]]
    return say(lang, "lab.sweep.plan", n=total, values=say(lang, "names.comma").join(listed))


def _fault(fault: Fault, form: Form, lang: str) -> str:
    control = form.second if fault.field == "second_listed" else form.control
    values = {
        name: number(value) if isinstance(value, (int, float)) else value
        for name, value in fault.params.items()
    }
    if fault.rule in ("not_number", "not_whole", "too_small", "too_large"):
        values = {"field": control_label(control, lang)} | values
        return say(lang, f"setup.problem.{fault.rule}", **values)
    return say(lang, f"lab.sweep.fault_{fault.rule}", **values)


# The sweep.


def run_told(run: Run, lang: str, *, is_other: bool = False) -> dict[str, Any]:
    """How a sweep stands: its points so far, with what each metric is called and its goals.

    `is_other`: it is over, and the form has been changed since.
    """
    is_other = is_other and run.state in ("done", "stopped")
    time = run.shared.setup.time
    found = {place: one for place, one in sorted(run.found.items()) if not isinstance(one, Problem)}
    metrics = [
        metric
        for name in CHARTED
        for metric in METRICS
        if metric.name == name and any(value(one, name) is not None for one in found.values())
    ]
    limits = {metric.name: _limit(run, metric.name) for metric in metrics}
    mains = [metric for metric in metrics if metric.name in MAIN]
    best = {metric.name: _best(found, metric) for metric in mains}
    form, head = run.form, Comparison((), time, SHARE)  # metrics are called as in a comparison
    return {
        "number": run.number,
        "state": run.state,
        "done": len(run.found),
        "of": len(run.points),
        "note": _note(run, lang, is_other=is_other),
        "is_old": run.is_old or is_other,
        "names": [form.control, form.second] if form.second else [form.control],
        "control": control_label(form.control, lang),
        "unit": _unit(form.control, time, lang),
        "is_log": form.steps == "factor",
        "second": control_label(form.second, lang) if form.second else "",
        "curves": [
            setting_text(form.second, point.settings[form.second], lang)
            for point in run.points
            if form.second and point.x == run.points[0].x
        ],
        "headline": _headline(run, found, lang),
        "metrics": [
            metric_head(metric, head, lang)
            | {"key": metric.name, "kind": metric.unit, "limit": limits[metric.name]}
            for metric in metrics
        ],
        "main": [metric.name for metric in mains],
        "points": [_point(run, place, mains, best, limits, lang) for place in sorted(run.found)],
    }


def value(figures: Figures, name: str) -> float | None:
    """A figure by the name of its metric, to six digits."""
    latency, part = latency_and_part(name)
    found = (figures.get(latency) or {}).get(part) if latency else figures.get(name)
    return None if found is None else float(f"{found:.6g}")


def setting_text(name: str, setting: float, lang: str) -> str:
    """`budget 512`, `rate ×1.5`."""
    if name == RATE:
        return say(lang, "lab.sweep.rate_value", value=number(setting, 4))
    return change_text(name, shown(setting), lang)


def _point(
    run: Run,
    place: int,
    mains: Sequence[Metric],
    best: Mapping[str, float | None],
    limits: Mapping[str, float | None],
    lang: str,
) -> dict[str, Any]:
    point, found = run.points[place], run.found[place]
    comma = say(lang, "names.comma")
    told_ = {
        "place": place,
        "x": point.x,
        "curve": point.curve,
        "settings": dict(point.settings),
        "short": number(point.x, 4),
        "name": comma.join(setting_text(*item, lang) for item in point.settings.items()),
        "values": {},
        "cells": [],
        "feasible": None,
        "fault": "",
    }
    if isinstance(found, Problem):
        rows = named(run.shared.requests)
        return told_ | {"fault": told(found, lang, rows, in_lane=True)["text"]}
    cells = []
    for metric in mains:
        own, limit = value(found, metric.name), limits[metric.name]
        is_over = limit is not None and own is not None and own > limit
        is_best = own is not None and own == best[metric.name] and not is_over
        cells.append({"text": plain(own, metric), "is_best": is_best, "is_over": is_over})
    values = {name: value(found, name) for name in CHARTED}
    return told_ | {
        "values": {name: one for name, one in values.items() if one is not None},
        "cells": cells,
        "feasible": found["feasible"],
    }


def _best(found: Mapping[int, Figures], metric: Metric) -> float | None:
    """The best value, if not all read alike."""
    values = [one for each in found.values() if (one := value(each, metric.name)) is not None]
    if metric.better is None or len({plain(one, metric) for one in values}) < 2:
        return None
    return min(values) if metric.better == "less" else max(values)


def _limit(run: Run, name: str) -> float | None:
    """The goal that a metric is held against, if there is one."""
    latency, _ = latency_and_part(name)
    slo = run.shared.setup.slo
    goal = getattr(slo, GOAL_OF[latency]) if slo and latency in GOAL_OF else None
    return None if goal is None else to_shown(goal, run.shared.setup.time)


# Sentences.


def _note(run: Run, lang: str, *, is_other: bool) -> str:
    """How it ended, or that it goes on; and whether it is of old, or of another form."""
    names = [name for name in (run.form.control, run.form.second) if name]
    values = {
        "done": f"{len(run.found):,}",
        "of": f"{len(run.points):,}",
        "what": say(lang, "names.comma").join(control_label(name, lang) for name in names),
    }
    key: str = "other" if is_other else run.state
    if run.is_old and key != "void":
        key = "old_goals" if run.by_goals else "old"
    return say(lang, f"lab.sweep.note_{key}", **values)


def _headline(run: Run, found: Mapping[int, Figures], lang: str) -> str:
    """The best point, and where nearly all requests meet the goals."""
    if not found:
        return ""
    known = {place: value(one, "goodput") for place, one in found.items()}
    has_goals = any(one is not None for one in known.values())
    name = "goodput" if has_goals else "output_tps"
    rates = {place: value(one, name) or 0 for place, one in found.items()}
    most = max(rates, key=lambda place: rates[place])
    if has_goals and not rates[most]:
        return say(lang, "lab.sweep.head_none_good")
    per = "second" if run.shared.setup.time == "ms" else "tick"
    comma = say(lang, "names.comma")
    values = {
        "point": comma.join(setting_text(*one, lang) for one in run.points[most].settings.items()),
        "value": figure(rates[most], "rate", "", lang),
        "per": say(lang, f"lab.per_{per}"),
    }
    lines = [say(lang, f"lab.sweep.head_{name}", **values)]
    if has_goals:
        met = [place for place, one in found.items() if one["feasible"]]
        key = "head_met" if met else "head_not_met"
        lines.append(say(lang, f"lab.sweep.{key}", n=len(met), of=len(found)))
    return join(lang, lines)
