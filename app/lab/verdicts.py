"""Who keeps to the goals: how many miss each, and how much of each group met all of them."""

from typing import Any

from app.i18n import say, words
from app.lab.told import figure
from sim.compare import Comparison, GroupRow, SloRow
from sim.metrics import Group
from sim.report.cells import group_name

Cell = dict[str, Any]


def verdicts(comparison: Comparison, lang: str) -> list[dict[str, Any]]:
    """The rows of the table, with a cell a setup; nothing without goals."""
    if all(passed is None for passed in comparison.passed):
        return []
    rows = [(_goal(row, comparison, lang), _missed(row, lang)) for row in comparison.slo]
    rows.append((say(lang, "lab.group_all"), _of_all(comparison, lang)))
    for row in comparison.groups:
        rows.append((group_name(row.kind, row.name, lang), _of_group(row, lang)))
    return [{"name": name, "cells": cells} for name, cells in rows]


def _goal(row: SloRow, comparison: Comparison, lang: str) -> str:
    limit = next(limit for limit in row.limits if limit is not None)
    name = say(lang, f"lab.goal_{row.name}")
    return f"{name} ≤ {figure(limit, 'time', comparison.unit, lang)}"


def _missed(row: SloRow, lang: str) -> list[Cell]:
    texts = ["–" if n is None else say(lang, "lab.missed", n=f"{n:,}") for n in row.missed]
    return [_cell(text, passed) for text, passed in zip(texts, row.passed, strict=True)]


def _of_all(comparison: Comparison, lang: str) -> list[Cell]:
    return [
        _cell(figure(outcome.figures["attainment_of_all"], "share", "", lang), outcome.passed)
        for outcome in comparison.outcomes
    ]


def _of_group(row: GroupRow, lang: str) -> list[Cell]:
    return [
        _cell(
            figure(group.attainment_of_all if group else None, "share", "", lang),
            passed,
            _tip(group, lang) if group else "",
        )
        for group, passed in zip(row.groups, row.passed, strict=True)
    ]


def _cell(text: str, passed: bool | None, tip: str = "") -> Cell:
    return {"text": text, "is_over": passed is False, "tip": tip}


def _tip(group: Group, lang: str) -> str:
    """Which goals a group misses, and how often."""
    table = words(lang, "lab")
    missed = [f"{table[f'goal_{name}']} {n:,}" for name, n in group.missed.items() if n]
    values = {"n": f"{group.count:,}", "missed": ", ".join(missed) or "–"}
    return say(lang, "lab.group_tip", **values)
