"""Figures of a comparison in words: heads, cells, names of groups, and the sentence over all."""

from collections.abc import Mapping, Sequence
from typing import Any

from app.i18n import join, say, words
from app.sentences import number
from sim.compare import Comparison, Metric, Row
from sim.metrics import PERCENTILES
from sim.report.cells import metric_name, unit_name

MAIN = (
    *("goodput", "attainment_of_all", "output_tps", "ttft_p50", "ttft_p95", "tpot_p95"),
    *("itl_p99", "itl_max", "peak_blocks"),
)
PARTS = ("mean", *PERCENTILES)
LEAST_MORE = 0.001  # of the tokens; less is no difference
GOAL_OF = {"ttft": "ttft", "tpot": "tpot", "itl": "max_itl", "e2e": "e2e"}


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


def metric_head(metric: Metric, comparison: Comparison, lang: str) -> dict[str, Any]:
    """The name and unit of a metric, as a report has them."""
    name = metric_name(metric, lang)
    return {
        "name": name[:1].upper() + name[1:],
        "unit": unit_name(metric, comparison, lang),
        "is_main": metric.name in MAIN,
    }


def cells(row: Row, comparison: Comparison) -> list[dict[str, Any]]:
    """The figures of a row of the table: which is the best, and which miss a goal.

    Figures that read alike are alike: none of them is the best alone. One that misses its goal is
    not called best either, however the others are.
    """
    texts = [plain(value, row.metric) for value in row.values]
    best = {text for text, is_best in zip(texts, row.best, strict=True) if is_best}
    found = []
    for place, (text, value) in enumerate(zip(texts, row.values, strict=True)):
        is_over = _is_over(row.metric.name, value, place, comparison)
        is_best = text in best and len(set(texts)) > 1 and not is_over
        found.append({"text": text, "is_best": is_best, "is_over": is_over})
    return found


def _is_over(name: str, value: float | None, place: int, comparison: Comparison) -> bool:
    goal = GOAL_OF.get(latency_and_part(name)[0])
    limits = [slo.limits[place] for slo in comparison.slo if slo.name == goal]
    return bool(limits and limits[0] is not None and value is not None and value > limits[0])


def headline(comparison: Comparison, titles: Sequence[str], lang: str) -> str:
    """What the comparison comes to, in two sentences; `**` stands around figures."""
    rows = {row.metric.name: row for row in comparison.rows}
    tokens = rows.get("output_tps")
    if tokens is None:
        return say(lang, "lab.head_nothing")
    if "goodput" in rows:
        return _of_goals(comparison, rows, titles, lang)
    lines = [_leader("tokens", tokens, comparison, titles, lang)]
    if len(titles) == 1:
        lines.append(say(lang, "lab.head_alone"))
    elif "ttft_p95" in rows:
        lines.append(_leader("fast", rows["ttft_p95"], comparison, titles, lang))
    return join(lang, lines)


def _leader(what: str, row: Row, comparison: Comparison, titles: Sequence[str], lang: str) -> str:
    """Who has the best figure of a row: one setup, several that read alike, or all of them."""
    places, text = _leaders(row, comparison, lang)
    key = what
    if len(places) > 1:
        key += "_all" if len(places) == len(titles) else "_some"
    setup = _listed([titles[place] for place in places], lang)
    values = {"setup": setup, "value": text, "per": _per(comparison, lang)}
    return _capital(say(lang, f"lab.head_{key}", **values))


def _leaders(row: Row, comparison: Comparison, lang: str) -> tuple[list[int], str]:
    """The places of the setups whose figure reads like the best one, and how it reads."""
    texts = [figure(value, row.metric.unit, comparison.unit, lang) for value in row.values]
    best = texts[row.best.index(True) if True in row.best else 0]
    return [place for place, text in enumerate(texts) if text == best], best


def _listed(names: Sequence[str], lang: str) -> str:
    """Names as the subject of a sentence."""
    if len(names) == 1:
        return names[0]
    first = say(lang, "lab.named_comma").join(names[:-1])
    return say(lang, "lab.named_two", first=first, last=names[-1])


def _capital(sentence: str) -> str:
    """It begins with a capital, but for a name like vLLM."""
    return sentence if sentence[1:2].isupper() else sentence[:1].upper() + sentence[1:]


def _of_goals(
    comparison: Comparison, rows: Mapping[str, Row], titles: Sequence[str], lang: str
) -> str:
    """Who serves most within the goals, and whether that is nearly everybody."""
    goodput, met = rows["goodput"], rows["attainment_of_all"]
    if not any(goodput.values):
        return say(lang, "lab.head_none_good")
    what = "good" if len(titles) > 1 else "good_alone"
    lines = [_leader(what, goodput, comparison, titles, lang)]
    if not any(comparison.passed):
        key = "nobody" if len(titles) > 1 else "nobody_alone"
        lines.append(_leader(key, met, comparison, titles, lang))
    else:
        lines += _but(comparison, rows, titles, lang)
    return join(lang, lines)


def _but(
    comparison: Comparison, rows: Mapping[str, Row], titles: Sequence[str], lang: str
) -> list[str]:
    """Who makes more tokens at the price of longer gaps, if one does and one serves most."""
    tokens, longest = rows["output_tps"], rows.get("itl_max")
    leaders = [_leaders(row, comparison, lang)[0] for row in (rows["goodput"], tokens)]
    if longest is None or any(len(places) > 1 for places in leaders):
        return []
    best, most = (places[0] for places in leaders)
    own, other = tokens.values[best], tokens.values[most]
    gaps = longest.values[best], longest.values[most]
    if not own or not other or None in gaps or (gaps[1] or 0) <= (gaps[0] or 0):
        return []
    if other / own - 1 < LEAST_MORE:
        return []
    more = figure(other / own - 1, "share", "", lang)
    gap = figure(gaps[1], "time", comparison.unit, lang)
    return [_capital(say(lang, "lab.head_but", setup=titles[most], percent=more, gap=gap))]


def _per(comparison: Comparison, lang: str) -> str:
    return say(lang, f"lab.per_{'second' if comparison.unit == 'ms' else 'tick'}")
