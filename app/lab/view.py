"""What the lab shows of a session: setups, goals and what came of them, as one dictionary.

A function of the session and of the stretch of time that is looked at; the figures are those of
`sim.compare`, the pictures those of `sim.curves`, in the shown unit of time.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from app.draft import form_words
from app.i18n import say, words
from app.lab.fields import GOALS, cost, inputs, traffic
from app.lab.prefills import prefills
from app.lab.told import cells, figure, headline, metric_head
from app.lab.verdicts import verdicts
from app.lane_names import heads
from app.lane_offers import offers
from app.lane_specs import MOST_LANES
from app.lanes import Lane
from app.sentences import number
from app.session import Session
from sim.clock import scale_of, to_shown
from sim.compare import Comparison
from sim.curves import Curve, Spikes, spikes
from sim.history import Ints

MOST_SPIKES = 900  # rounds of a setup drawn at once
SHARE = 0.99  # of all requests, which must meet every goal for a setup or a group to pass
Span = tuple[float, float] | None


def lab_view(session: Session, span: Span = None) -> dict[str, Any]:
    """Everything the lab shows; `span` is the stretch of time whose rounds are drawn, None: all."""
    lanes, lang = session.played, session.lang
    scenario = session.last_good
    unit = scenario.setup.time
    names = heads([lane.spec for lane in lanes], [lane.history.scenario for lane in lanes], lang)
    comparison = Comparison(tuple(lane.outcome for lane in lanes), unit, SHARE)
    curves = [lane.outcome.curves for lane in lanes]
    setups = [_setup(session, lane, head) for lane, head in zip(lanes, names, strict=True)]
    titles = [head["short"] for head in names]
    pools = [lane.history.pool for lane in lanes if lane.history.pool]
    return {
        "lang": lang,
        "tag": say(lang, "language.tag"),
        "unit": unit,
        "words": words(lang, "lab") | form_words(lang) | {"space": say(lang, "language.space")},
        "is_late": False,
        "traffic": traffic(session),
        "setups": setups,
        "most": MOST_LANES,
        "bases": [
            [name, title] for name, title, fault in offers(session.last_good, lang) if not fault
        ],
        "cost": cost(session),
        "headline": headline(comparison, titles, lang),
        "metrics": _metrics(comparison, lanes, lang),
        "limits": {name: _limit(comparison, name) for name in GOALS}
        | {"itl": _limit(comparison, "max_itl")},
        "ecdfs": {
            name: [points(one.ecdfs.get(name)) for one in curves]
            for name in ("ttft", "itl", "e2e", "queue", "tpot")
        },
        "queue": [points(one.queue) for one in curves],
        "kv": [points(one.kv) for one in curves],
        "pool": max(pools, default=None),
        "spikes": _spikes(lanes, span, _limit(comparison, "max_itl"), lang),
        "groups": verdicts(comparison, lang),
        **inputs(session),
    }


def _setup(session: Session, lane: Lane, head: Mapping[str, str]) -> dict[str, Any]:
    setup, lang = lane.history.scenario.setup, session.lang
    longest = lane.longest_gaps
    limit = setup.slo.max_itl if setup.slo else None
    late = 0 if limit is None else int((longest > limit).sum())
    most = to_shown(int(longest.max(initial=0)), setup.time)
    over = "lab.rounds_over" if late else "lab.longest_gap" if limit is None else "lab.none_over"
    unit = words(lang, "unit")[setup.time]
    return {
        "key": lane.key,
        "title": head["short"],
        "budget": say(lang, "lab.with_budget", value=f"{setup.budget:,}"),
        "summary": head["rule_full"],
        "short_rule": f"{setup.budget:,}",
        "num_over": late,
        "over": say(lang, over, n=f"{late:,}", gap=f"{number(most, 1)} {unit}"),
    }


# Results.


def _metrics(comparison: Comparison, lanes: Sequence[Lane], lang: str) -> list[dict[str, Any]]:
    """The rows of the table; the setups' budgets come first."""
    budgets = [f"{lane.history.scenario.setup.budget:,}" for lane in lanes]
    plain = [{"text": text, "is_best": False, "is_over": False} for text in budgets]
    first = {"name": say(lang, "setup.label.budget"), "unit": "", "is_main": True, "cells": plain}
    rows = [
        metric_head(row.metric, comparison, lang) | {"cells": cells(row, comparison)}
        for row in comparison.rows
    ]
    return [first, *rows]


def _limit(comparison: Comparison, name: str) -> float | None:
    """A goal, where there is one."""
    limits = [row.limits[0] for row in comparison.slo if row.name == name]
    return limits[0] if limits else None


def points(curve: Curve | None) -> list[list[float]] | None:
    if curve is None:
        return None
    return [[round(float(v), 4) for v in axis] for axis in curve]


def _spikes(
    lanes: Sequence[Lane], span: Span, goal: float | None, lang: str
) -> dict[str, Any] | None:
    """Rounds of a stretch of time, with the highest gap and the most prefill of the whole run."""
    found = [spikes(lane.history, MOST_SPIKES, span, lane.longest_gaps) for lane in lanes]
    ends = [lane.outcome.curves.queue.x[-1] for lane in lanes if len(lane.history)]
    if not ends:
        return None
    unit = lanes[0].history.scenario.setup.time
    highest = [to_shown(int(lane.longest_gaps.max(initial=0)), unit) for lane in lanes]
    deepest = [int(lane.history.per_round("prefill").max(initial=0)) for lane in lanes]
    low, high = span or (0, max(map(float, ends)))
    return {
        "from": low,
        "to": high,
        "whole": span is None,
        "most_gap": max(*highest, 1),
        "most_p": max(*deepest, 1),
        "goal": goal,
        "goal_text": "" if goal is None else f"SLO {figure(goal, 'time', unit, lang)}",
        "lanes": [
            {
                "is_whole": len(one.start) < MOST_SPIKES,
                "t0": [round(float(t), 4) for t in one.start],
                "t1": [round(float(t), 4) for t in one.end],
                "p": [int(p) for p in one.prefill],
                "gap": [round(float(gap), 4) if gap else None for gap in one.longest],
                "who": prefills(lane.history, _rounds_of(lane, one)),
            }
            for lane, one in zip(lanes, found, strict=True)
        ],
    }


def _rounds_of(lane: Lane, found: Spikes) -> Ints:
    """The rounds that are drawn, counted from 0."""
    scale = scale_of(lane.history.scenario.setup.time)
    starts = np.rint(found.start * scale).astype(np.int64)
    return np.searchsorted(lane.history.starts, starts)
