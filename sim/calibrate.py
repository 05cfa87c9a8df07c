"""The cost of a round, fitted to measured rounds: base + per_prefill·P + per_decode·D + per_kv·K.

Least squares with no part below zero, since no work takes negative time. What is measured comes
from `profiles`.

The fit is exact. Counts are whole numbers and times whole picoseconds, so all sums are integers
and the equations are solved in fractions: no tolerance decides which parts are zero, which cannot
be told apart, or whether a residual is 0.

The active-set method of Lawson and Hanson (Solving Least Squares Problems, 1974, chapter 23) looks
for the set of parts that are above zero. Of four parts there are only 15 such sets, so here all
are tried: the best fit solves the plain equations of its own set, hence it is the best of those
solutions that have no part below zero. Sets whose columns depend on each other are left out, for
with fewer parts the same times are reached.

Parts that the table cannot tell apart are told as `Tie`s, with what to measure in addition. Of
several best fits the one with the fewest parts above zero is taken, and of those the one whose
parts come first in the formula; the others are 0.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import lcm
from operator import mul
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.clock import to_shown
from sim.profiles import PS_PER_MS, Profile, read_profile_file
from sim.setup import Cost
from sim.tables import table

PARTS = ("base", "per_prefill", "per_decode", "per_kv_token")
COLUMNS = ("one", "prefill", "decode", "kv")  # what each part is multiplied with
PS_PER_NS = 1000
MOST_ROWS_TOLD = 10

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Tie:
    """A column that is always the same sum of others, so that their parts cannot be told apart.

    `column` and the keys of `relation` are names in `COLUMNS`: `column` = Σ factor · other.
    """

    column: str
    relation: Mapping[str, Fraction]

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts that cannot be told apart; one alone cannot be told at all."""
        found = {self.column, *self.relation}
        return tuple(part for part, column in zip(PARTS, COLUMNS, strict=True) if column in found)

    @property
    def equation(self) -> str:
        """The relation as text, such as `kv = 100·decode`."""
        return f"{self.column} = {_sum(self.relation)}"

    def __str__(self) -> str:
        *others, last = self.parts
        who = (
            f"{', '.join(others)} and {last} cannot be told apart" if others else f"{last} is open"
        )
        return f"{who}: {self.equation} in every row; measure rounds with another {self.column} too"


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """A fitted cost.

    Attributes:
        profile: what was fitted.
        cost: the parts in whole ns, rounded half to even once.
        parts: the parts in ms by name, as fitted.
        residuals: measured − predicted of each row in ms, by `parts`.
        r2: share of the variance explained; None where all times are equal.
        mean_abs_error: mean size of a residual in ms.
        worst: index of the row with the largest residual, the first of equal ones.
        rounding: the most, in ms, by which `cost` predicts another time than `parts`.
        ties: what the table cannot tell.
    """

    profile: Profile
    cost: Cost
    parts: Mapping[str, float]
    residuals: Floats
    r2: float | None
    mean_abs_error: float
    worst: int
    rounding: float
    ties: tuple[Tie, ...]


# Fitting. Times are in ps here, so that rows, times and all their sums are integers.

Rows = Sequence[tuple[int, ...]]


def fit(profile: Profile) -> Fit:
    """The parts that come closest to the measured times, none below zero."""
    rows = [(1, *counts) for counts in profile.counts]
    columns = list(zip(*rows, strict=True))
    gram = [[Fraction(_dot(one, other)) for other in columns] for one in columns]
    target = [_dot(column, profile.times) for column in columns]
    parts = _least(gram, target)
    whole = [round(part / PS_PER_NS) for part in parts]
    residuals = _residuals(rows, profile.times, parts)
    by_cost = [_dot(row, whole) * PS_PER_NS for row in rows]
    return Fit(
        profile=profile,
        cost=Cost(*whole),
        parts={name: float(part / PS_PER_MS) for name, part in zip(PARTS, parts, strict=True)},
        residuals=residuals,
        r2=_r2(profile.times, _dot(target, parts)),
        mean_abs_error=float(np.abs(residuals).mean()),
        worst=int(np.abs(residuals).argmax()),
        rounding=float(np.abs(_residuals(rows, by_cost, parts)).max()),
        ties=_ties(gram),
    )


def _dot(one: Iterable[Any], other: Iterable[Any]) -> Any:
    return sum(map(mul, one, other))


def _least(gram: list[list[Fraction]], target: list[int]) -> list[Fraction]:
    """The best of all sets of parts above zero; the first of equally good ones.

    A set's own least squares take Σ part · target off the sum of squares of the times.
    """
    best, most = [Fraction(0)] * len(PARTS), Fraction(0)
    for size in range(1, len(PARTS) + 1):
        for active in combinations(range(len(PARTS)), size):
            solution = _solution(gram, target, active)
            if solution is None or min(solution) < 0:
                continue
            parts = dict(zip(active, solution, strict=True))
            found = [parts.get(place, Fraction(0)) for place in range(len(PARTS))]
            if (gain := _dot(found, target)) > most:
                best, most = found, gain
    return best


def _solution(
    gram: list[list[Fraction]], target: list[int], active: Sequence[int]
) -> list[Fraction] | None:
    """Least squares with these parts alone; None where their columns depend on each other."""
    matrix = [[*(gram[i][j] for j in active), Fraction(target[i])] for i in active]
    pivots = _reduce(matrix, len(active))
    return [row[-1] for row in matrix] if len(pivots) == len(active) else None


def _reduce(matrix: list[list[Fraction]], width: int) -> list[int]:
    """Bring the first `width` columns to reduced row echelon form, in place; the pivots."""
    pivots: list[int] = []
    for column in range(width):
        top = len(pivots)
        found = next((r for r in range(top, len(matrix)) if matrix[r][column]), None)
        if found is None:
            continue
        matrix[top], matrix[found] = matrix[found], matrix[top]
        lead = matrix[top][column]
        matrix[top] = [value / lead for value in matrix[top]]
        for r, row in enumerate(matrix):
            if r != top:
                factor = row[column]
                matrix[r] = [a - factor * b for a, b in zip(row, matrix[top], strict=True)]
        pivots.append(column)
    return pivots


def _ties(gram: list[list[Fraction]]) -> tuple[Tie, ...]:
    """Columns that depend on those before them; AᵀA has the same dependencies as A."""
    matrix = [list(row) for row in gram]
    pivots = _reduce(matrix, len(PARTS))
    ties = []
    for free in (place for place in range(len(PARTS)) if place not in pivots):
        factors = {COLUMNS[p]: row[free] for p, row in zip(pivots, matrix, strict=False)}
        ties.append(Tie(COLUMNS[free], {name: f for name, f in factors.items() if f}))
    return tuple(ties)


def _residuals(rows: Rows, times: Sequence[int], parts: Sequence[Fraction]) -> Floats:
    """Times − predictions in ms, each rounded once: from an exact fraction to a float."""
    scale = lcm(*(part.denominator for part in parts))
    whole = [int(part * scale) for part in parts]
    exact = (
        (ps * scale - _dot(row, whole)) / (scale * PS_PER_MS)
        for row, ps in zip(rows, times, strict=True)
    )
    return np.fromiter(exact, dtype=np.float64, count=len(rows))


def _r2(times: Sequence[int], explained: Fraction) -> float | None:
    """1 − Σ residual² / Σ (time − mean)²; `explained` is Σ time² − Σ residual²."""
    squares = _dot(times, times)
    around_mean = squares - Fraction(sum(times) ** 2, len(times))
    return float(1 - (squares - explained) / around_mean) if around_mean else None


# Telling.


def told(fit: Fit) -> str:
    """The parts, how well they fit, the rows that fit worst, and what the table cannot tell."""
    shown, profile = cost_in_ms(fit.cost), fit.profile
    rows = [(part, _ms(shown[part]), f"{fit.parts[part]:.9g}", _EACH[part]) for part in PARTS]
    r2 = "–" if fit.r2 is None else f"{fit.r2:.9g}"
    worst = np.argsort(-np.abs(fit.residuals), kind="stable")[:MOST_ROWS_TOLD]
    lines = [
        f"{len(profile.times):,} rounds of {profile.name}",
        table(("part", "ms", "as fitted", ""), rows, left=(0, 3)),
        f"R² {r2}, mean absolute error {_ms(fit.mean_abs_error)} ms",
        "",
        f"largest residuals (measured − predicted, ms), {len(worst)} of {len(profile.times):,}",
        table(("line", *COLUMNS[1:], "ms", "predicted", "residual"), _row_cells(fit, worst)),
        "for the command line: " + " ".join(f"--set cost.{p}={_ms(shown[p])}" for p in PARTS),
    ]
    if fit.rounding >= 1e-6:
        lines.append(f"in whole ns the cost predicts up to {_ms(fit.rounding)} ms another time")
    if fit.ties:
        lines += [*map(str, fit.ties), "of equally good fits this is one with fewest parts above 0"]
    return "\n".join(lines) + "\n"


_EACH = {
    "base": "a round",
    "per_prefill": "a prefill token",
    "per_decode": "a decode",
    "per_kv_token": "a KV token read",
}


def _row_cells(fit: Fit, places: Iterable[int]) -> Iterator[tuple[Any, ...]]:
    for place in places:
        measured, residual = fit.profile.times[place] / PS_PER_MS, float(fit.residuals[place])
        times = (measured, measured - residual, residual)
        yield str(fit.profile.lines[place]), *fit.profile.counts[place], *map(_ms, times)


def _ms(value: float) -> str:
    """Six decimals, to the nanosecond, without zeros at the end."""
    text = f"{value:.6f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _sum(relation: Mapping[str, Fraction]) -> str:
    """`4`, `100·decode`, `10 − prefill`; nothing at all as 0."""
    text = ""
    for name, factor in relation.items():
        size = f"{float(abs(factor)):.6g}"
        term = size if name == "one" else name if size == "1" else f"{size}·{name}"
        sign = ("−" if factor < 0 else "") if not text else " − " if factor < 0 else " + "
        text += sign + term
    return text or "0"


def cost_in_ms(cost: Cost) -> dict[str, int | float]:
    """The parts of a cost as a scenario file has them."""
    return {part: to_shown(getattr(cost, part), "ms") for part in PARTS}


def as_dict(fit: Fit) -> dict[str, Any]:
    """The fit for a program, times in ms; `cost` is as in a scenario file."""
    line, (prefill, decode, kv) = fit.profile.lines[fit.worst], fit.profile.counts[fit.worst]
    return {
        "rows": len(fit.profile.times),
        "cost": cost_in_ms(fit.cost),
        "fitted": dict(fit.parts),
        "r2": fit.r2,
        "mean_abs_error": fit.mean_abs_error,
        "worst": {
            "line": line,
            "prefill": prefill,
            "decode": decode,
            "kv": kv,
            "ms": fit.profile.times[fit.worst] / PS_PER_MS,
            "residual": float(fit.residuals[fit.worst]),
        },
        "rounding": fit.rounding,
        "ties": [
            {"parts": list(tie.parts), "relation": tie.equation, "told": str(tie)}
            for tie in fit.ties
        ],
        "residuals": fit.residuals.tolist(),
    }


def report(path: str | Path, *, as_json: bool = False) -> str:
    """Read a profile, fit it, and tell the fit as text or as one JSON object.

    Raises:
        ProfileError: the file cannot be read or is no profile.
    """
    found = fit(read_profile_file(path))
    return json.dumps(as_dict(found)) + "\n" if as_json else told(found)
