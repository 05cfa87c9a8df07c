"""Names and figures of a comparison as short text, for a report and for the terminal."""

from collections.abc import Iterator

from sim.calibrate import PARTS
from sim.clock import to_shown
from sim.compare import LATENCIES, Comparison, GroupRow, Metric, Outcome, Row
from sim.metrics import Kind, Number
from sim.reading import written
from sim.report.words import WORDS, say
from sim.tables import figure
from sim.what import written as value_text


def metric_name(metric: Metric, language: str) -> str:
    """`TTFT P99`, `goodput`."""
    latency, _, part = metric.name.partition("_")
    if latency in LATENCIES:
        return f"{say(language, latency)} {say(language, part)}"
    return say(language, metric.name)


def unit_name(metric: Metric, comparison: Comparison, language: str) -> str:
    """`ms`, `requests/s`; counts and shares have none."""
    if metric.unit == "time":
        return say(language, comparison.unit)
    return say(language, f"{metric.of}_{comparison.unit}") if metric.unit == "rate" else ""


def shown(metric: Metric, value: Number | None) -> str:
    """A value with as many digits as one reads."""
    if value is None:
        return "–"
    if metric.unit == "share":
        return percent(value)
    return figure(value) if value >= 10 or metric.unit != "rate" else f"{value:.4g}"


def percent(share: float) -> str:
    """`99.5%`, never rounded up to all."""
    return f"{int(share * 1000 + 1e-9) / 10:g}%"


def row_cells(row: Row) -> list[str]:
    """A metric's values, the best marked."""
    cells = zip(row.values, row.best, strict=True)
    return [shown(row.metric, value) + (" ★" if best else "") for value, best in cells]


def group_name(kind: Kind, name: str, language: str) -> str:
    """`prompts of 1–200 tokens`."""
    key = f"{kind}_{name}" if kind == "cache" else kind
    return say(language, key, name=name or "–")


def group_cells(row: GroupRow, language: str) -> list[str]:
    """In each setup the share of a group that meets all objectives, or its TTFT P99 without any."""
    cells = []
    for group, passed in zip(row.groups, row.passed, strict=True):
        if group is None:
            cells.append("–")
        elif passed is None:
            cells.append(figure(group.latencies["ttft"]["p99"]))
        else:
            share = percent(group.attainment_of_all or 0)
            cell = say(language, "group_cell", share=share, count=f"{group.count:,}")
            cells.append(f"{cell} {'✓' if passed else '✗'}")
    return cells


def verdict(outcome: Outcome, language: str) -> str:
    """Whether a setup meets its objectives, and how many requests do."""
    if outcome.passed is None:
        return say(language, "no_slo")
    share = percent(outcome.figures["attainment_of_all"] or 0)
    return say(language, "passes" if outcome.passed else "fails", share=share)


def objective_cells(comparison: Comparison, language: str) -> Iterator[tuple[str, list[str]]]:
    """Each objective with its cells: limit, who missed it, and whether enough met it."""
    unit = say(language, comparison.unit)
    for row in comparison.slo:
        cells = []
        for limit, missed, passed in zip(row.limits, row.missed, row.passed, strict=True):
            if missed is None:
                cells.append("–")
            else:
                told = say(language, "missed", missed=f"{missed:,}")
                cells.append(f"≤ {figure(limit)} {unit}: {told} {'✓' if passed else '✗'}")
        yield say(language, row.name), cells


def phrases(outcome: Outcome, language: str) -> list[str]:
    """A setup in words: batching, budget, and whatever is not as usual."""
    setup = outcome.scenario.setup
    table = {"mode": setup.mode, **written(setup, setup.time)}
    told_elsewhere = ("time", "cost", "slo")
    found = [
        _phrase(name, value, language)
        for name, value in table.items()
        if name not in told_elsewhere
    ]
    if setup.time == "ms":
        parts = {part: f"{to_shown(getattr(setup.cost, part), 'ms'):f}" for part in PARTS}
        short = {part: text.rstrip("0").rstrip(".") for part, text in parts.items()}
        found.append(say(language, "phrase.cost", **short))
    return found


def _phrase(name: str, value: object, language: str) -> str:
    text = value_text(value)
    for key in (f"phrase.{name}.{text}", f"phrase.{name}"):
        if key in WORDS[language]:
            return say(language, key, value=figure(value))
    return f"{name} = {text}"
