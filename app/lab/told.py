"""Figures of a comparison in words: heads, cells, names of groups, and the sentence over all."""

import math
from collections.abc import Sequence
from typing import Any

from app.i18n import join, say, words
from app.sentences import number
from sim.compare import Comparison, Metric, Row
from sim.metrics import PERCENTILES
from sim.report.cells import metric_name, unit_name
from sim.report.words import Language

MAIN = (
    *("goodput", "output_tps", "ttft_p50", "ttft_p95", "itl_p50", "itl_p99", "itl_max"),
    "peak_blocks",
)
PARTS = ("mean", *PERCENTILES)
LATE_PARTS = ("p99", "max")  # figures of a latency that are held against its goal
GOAL_OF = {"ttft": "ttft", "tpot": "tpot", "itl": "max_itl", "e2e": "e2e"}


def report_language(lang: str) -> Language:
    """The language that a report has for one of the page."""
    return "zh" if lang == "zh" else "en"


def figure(value: float | None, kind: str, unit: str, lang: str) -> str:
    """A figure with its unit, as a sentence has it."""
    if value is None:
        return "–"
    if kind == "share":
        return f"{number(100 * value, 1)}%"
    if kind == "time":
        return f"{number(value, 1)} {words(lang, 'unit')[unit]}"
    return number(value, 2 if value < 100 else 0)


def plain(value: float | None, metric: Metric) -> str:
    """A figure without its unit, as a table has it."""
    if value is None:
        return "–"
    if metric.unit == "share":
        return f"{number(100 * value, 1)}%"
    if metric.unit == "rate":
        return number(value, 2 if value < 100 else 0)
    if metric.unit == "time":
        return number(value, 1 if value < 1_000 else 0)
    return f"{value:,}"


def latency_and_part(name: str) -> tuple[str, str]:
    """`ttft_p95` as its latency and what of it; empty for any other metric."""
    latency, _, part = name.rpartition("_")
    return (latency, part) if part in PARTS else ("", "")


def metric_head(metric: Metric, comparison: Comparison, lang: Language) -> dict[str, Any]:
    """The name and unit of a metric, as a report has them."""
    name = metric_name(metric, lang)
    return {
        "name": name[:1].upper() + name[1:],
        "unit": unit_name(metric, comparison, lang),
        "is_main": metric.name in MAIN,
    }


def cell(row: Row, place: int, comparison: Comparison, lang: str) -> dict[str, Any]:
    """One figure of the table, and whether it is the best or misses a goal."""
    value = row.values[place]
    latency, part = latency_and_part(row.metric.name)
    goal = GOAL_OF.get(latency) if part in LATE_PARTS else None
    limits = [slo.limits[place] for slo in comparison.slo if slo.name == goal]
    is_over = bool(limits and limits[0] is not None and value is not None and value > limits[0])
    return {"text": plain(value, row.metric), "is_best": row.best[place], "is_over": is_over}


def headline(comparison: Comparison, titles: Sequence[str], lang: str) -> str:
    """What the comparison comes to, in two sentences; `**` stands around figures."""
    titles = [title[:1].upper() + title[1:] for title in titles]
    figures = {row.metric.name: row.values for row in comparison.rows}
    tokens = figures.get("output_tps")
    if not tokens or all(value is None for value in tokens):
        return say(lang, "lab.head_nothing")
    per = "second" if comparison.unit == "ms" else "tick"
    if "goodput" in figures:
        return _of_goodput(comparison, figures, titles, lang, per)
    most = _best(tokens)
    lines = [_say("head_tokens", lang, titles[most], tokens[most], per)]
    if len(titles) == 1:
        return join(lang, [*lines, say(lang, "lab.head_alone")])
    if "ttft_p95" in figures:
        fast = _best([None if v is None else -v for v in figures["ttft_p95"]])
        gap = figure(figures["ttft_p95"][fast], "time", comparison.unit, lang)
        key = "lab.head_fast_too" if fast == most else "lab.head_fast"
        lines.append(say(lang, key, setup=titles[fast], value=gap))
    return join(lang, lines)


def _of_goodput(
    comparison: Comparison, figures: Any, titles: Sequence[str], lang: str, per: str
) -> str:
    goodput, tokens, longest = figures["goodput"], figures["output_tps"], figures.get("itl_max")
    best, most = _best(goodput), _best(tokens)
    if not goodput[best]:
        return say(lang, "lab.head_none_good")
    key = "head_good" if len(titles) > 1 else "head_good_alone"
    lines = [_say(key, lang, titles[best], goodput[best], per)]
    if most != best and longest and longest[most] is not None and tokens[best]:
        more = tokens[most] / tokens[best] - 1
        values = {
            "setup": titles[most],
            "percent": figure(more, "share", "", lang),
            "gap": figure(longest[most], "time", comparison.unit, lang),
        }
        lines.append(say(lang, "lab.head_but", **values))
    return join(lang, lines)


def _say(key: str, lang: str, setup: str, value: float | None, per: str) -> str:
    values = {"setup": setup, "value": figure(value, "rate", "", lang)}
    return say(lang, f"lab.{key}", per=say(lang, f"lab.per_{per}"), **values)


def _best(values: Sequence[float | None]) -> int:
    """The place of the largest value, the first of equal ones."""
    known = [-math.inf if value is None else value for value in values]
    return known.index(max(known))
