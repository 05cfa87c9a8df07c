"""A comparison for the terminal and for spreadsheets: plain tables, and CSV files."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from sim.compare import Comparison
from sim.curves import Curve
from sim.report import cells
from sim.tables import table


def text(comparison: Comparison) -> str:
    """All metrics with the best marked, then objectives and groups."""
    rows = [
        (
            cells.metric_name(row.metric, "en"),
            *cells.row_cells(row),
            cells.unit_name(row.metric, comparison, "en"),
        )
        for row in comparison.rows
    ]
    names = comparison.names
    parts = [table(("", *names, ""), rows, left=(0, len(names) + 1))]
    if comparison.slo:
        verdicts = [cells.verdict(outcome, "en") for outcome in comparison.outcomes]
        told = [*cells.objective_cells(comparison, "en"), ("all of them", verdicts)]
        objectives = [(name, *row) for name, row in told]
        parts.append(table(("objective", *names), objectives, left=range(len(names) + 1)))
    if comparison.groups:
        head = "meets all objectives" if comparison.slo else f"TTFT P99 ({comparison.unit})"
        groups = [
            (cells.group_name(row.kind, row.name, "en"), *cells.group_cells(row, "en"))
            for row in comparison.groups
        ]
        parts.append(table((head, *names), groups))
    return "\n".join(parts)


def csv_texts(comparison: Comparison) -> dict[str, str]:
    """metrics.csv, slo.csv, groups.csv and curves.csv, by file name; empty ones are left out."""
    files = {
        "metrics.csv": (
            ("metric", "unit", "better", *comparison.names),
            (
                (row.metric.name, row.metric.unit, row.metric.better, *row.values)
                for row in comparison.rows
            ),
        ),
        "slo.csv": (("setup", "objective", "limit", "missed", "passed"), _slo(comparison)),
        "groups.csv": (
            ("setup", "kind", "group", "requests", "good", "attainment_of_all", "ttft_p99"),
            _groups(comparison),
        ),
        "curves.csv": (("setup", "curve", "x", "y"), _curves(comparison)),
    }
    texts = {name: _csv(head, list(rows)) for name, (head, rows) in files.items()}
    return {name: text for name, text in texts.items() if text}


def _slo(comparison: Comparison) -> Iterator[tuple[Any, ...]]:
    for row in comparison.slo:
        told = zip(comparison.names, row.limits, row.missed, row.passed, strict=True)
        yield from ((name, row.name, *cell) for name, *cell in told)


def _groups(comparison: Comparison) -> Iterator[tuple[Any, ...]]:
    for row in comparison.groups:
        for name, group in zip(comparison.names, row.groups, strict=True):
            if group is not None:
                counts = (group.count, group.good, group.attainment_of_all)
                yield name, row.kind, row.name, *counts, group.latencies["ttft"]["p99"]


def _curves(comparison: Comparison) -> Iterator[tuple[Any, ...]]:
    for outcome in comparison.outcomes:
        found = outcome.curves
        named = {f"ecdf_{name}": curve for name, curve in found.ecdfs.items()}
        named["queue"] = found.queue
        if found.kv is not None:
            named["kv"] = found.kv
        named["longest_gap"] = Curve(found.spikes.end, found.spikes.longest)
        named["prefill_of_it"] = Curve(found.spikes.end, found.spikes.prefill.astype(np.float64))
        for name, curve in named.items():
            for x, y in zip(curve.x.tolist(), curve.y.tolist(), strict=True):
                yield outcome.name, name, x, y


def _csv(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    if not rows:
        return ""
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow(head)
    writer.writerows(rows)
    return file.getvalue()
