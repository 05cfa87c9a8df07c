"""A fitted cost in words and figures: its parts, how far off it is, and pictures of that."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from app.i18n import join, say, words
from app.lab.fit_run import FitRun
from app.sentences import number
from sim.calibrate import PARTS, Fit, Floats, Tie, cost_in_ms
from sim.fit_timings import NEARLY, Judged, Pairs, TimingsFit
from sim.metrics.outputs import Mask
from sim.profiles import PS_PER_MS
from sim.setup import Cost

MOST_POINTS = 1_500  # of a picture
AIM = 0.1  # an error up to here is good
POOR = 0.25  # and above this, the cost is no model of that server
LEAST = 0.001  # an error that is told
FEW = 200  # requests, below which a P99 hangs on one or two of them
LONG = 10_000  # ms, above which a time is told in seconds

Shown = dict[str, Any]


def cost_texts(cost: Cost) -> dict[str, str]:
    """The four parts as they are typed, in ms."""
    return {f"cost.{part}": plain_ms(value) for part, value in cost_in_ms(cost).items()}


def plain_ms(value: float) -> str:
    """To the nanosecond, without an exponent."""
    text = f"{value:.6f}"
    return text.rstrip("0").rstrip(".")


def run_told(run: FitRun, lang: str) -> Shown:
    """How a fit stands."""
    return {
        "state": run.state,
        "done": run.done,
        "of": run.of,
        "note": say(lang, f"lab.calibrate.is_{run.state}"),
    }


# Measured requests.


def of_timings(fit: TimingsFit, truth: Cost | None, lang: str) -> Shown:
    """A cost fitted to measured requests, judged on those that it has not seen."""
    unseen, table = int(fit.unseen.sum()), words(lang, "lab.calibrate")
    notes = ["line", *(["few"] if unseen < FEW else []), *(["simulated"] if truth else [])]
    return {
        "kind": "timings",
        "headline": _headline(fit, lang),
        "parts": _parts(fit.cost, fit.nearly, truth, lang),
        "range_note": say(lang, "lab.calibrate.range_note", percent=f"{100 * (NEARLY - 1):.0f}%"),
        "errors": [
            {
                "name": table[f"row_{one.name}"],
                "unseen": _cells(one, lang),
                "seen": _cells(other, lang),
            }
            for one, other in zip(fit.figures, fit.seen_figures, strict=True)
        ],
        "over": say(lang, "lab.calibrate.over", aim=f"{100 * AIM:.0f}%"),
        "counts": [f"{unseen:,}", f"{len(fit.unseen) - unseen:,}"],
        "pictures": {"ttft": _points(fit.ttft, fit), "e2e": _points(fit.e2e, fit)},
        "notes": [
            *_of_seen(fit, lang),
            *(say(lang, f"lab.calibrate.note_{name}", n=f"{unseen:,}") for name in notes),
        ],
    }


def _headline(fit: TimingsFit, lang: str) -> str:
    error = _worst(fit.figures)
    key = "head_poor" if error > POOR else "head_fair" if error > AIM else "head_good"
    return say(lang, f"lab.calibrate.{key}", **_miss(fit.figures, fit.unseen, lang))


def _of_seen(fit: TimingsFit, lang: str) -> list[str]:
    """That the fitted half is missed by more than the aim, where it is."""
    if _worst(fit.seen_figures) <= AIM:
        return []
    return [say(lang, "lab.calibrate.note_seen", **_miss(fit.seen_figures, ~fit.unseen, lang))]


def _worst(figures: Sequence[Judged]) -> float:
    return max(abs(one.error or 0) for one in figures)


def _miss(figures: Sequence[Judged], who: Mask, lang: str) -> dict[str, str]:
    """Of how many requests which figure is furthest off, and by how much."""
    error = _worst(figures)
    worst = next(one for one in figures if abs(one.error or 0) == error)
    return {
        "n": f"{int(who.sum()):,}",
        "error": f"{number(100 * error, 1)}%" if error >= LEAST else f"< {100 * LEAST}%",
        "figure": words(lang, "lab.calibrate")[worst.name],
    }


def _parts(
    cost: Cost, nearly: Mapping[str, tuple[float, float]], truth: Cost | None, lang: str
) -> list[Shown]:
    """The parts of a cost in ms, the range of those that fit nearly as well, and the true ones."""
    true = cost_in_ms(truth) if truth else {}
    return [
        {
            "name": say(lang, f"setup.label.cost.{part}"),
            "value": plain_ms(value),
            "range": _range(nearly[part], lang) if part in nearly else "",
            "truth": plain_ms(true[part]) if truth else "",
        }
        for part, value in cost_in_ms(cost).items()
    ]


def _range(ends: tuple[float, float], lang: str) -> str:
    low, high = (f"{end:.3g}" if end >= 1e-4 or not end else plain_ms(end) for end in ends)
    return low if low == high else say(lang, "lab.calibrate.range", low=low, high=high)


def _cells(one: Judged, lang: str) -> Shown:
    error = one.error
    return {
        "measured": _time(one.measured, lang),
        "predicted": _time(one.predicted, lang),
        "error": "–" if error is None else _signed(error),
        "is_over": error is not None and abs(error) > AIM,
    }


def _signed(error: float) -> str:
    """An error in percent with its sign, of which a 0 has none."""
    if abs(error) < LEAST / 2:
        return "0.0%"
    return f"{100 * error:+.1f}%".replace("-", "−")


def _time(ms: float, lang: str) -> str:
    if ms >= LONG:
        return f"{number(ms / 1000, 2)} s"
    return f"{number(ms, 1)} {words(lang, 'unit')['ms']}"


def _points(pairs: Pairs, fit: TimingsFit) -> Shown:
    """Measured and predicted times of requests, in ms: of some of them, where there are many."""
    kept = np.zeros(len(fit.unseen), dtype=bool)
    kept[:: -(-len(kept) // MOST_POINTS)] = True
    halves = {"seen": kept & ~fit.unseen, "unseen": kept & fit.unseen}
    return {
        name: [_rounded(pairs.measured[who]), _rounded(pairs.predicted[who])]
        for name, who in halves.items()
    }


def _rounded(values: Floats) -> list[float]:
    return [float(value) for value in np.round(values, 4)]


# Measured rounds.


def of_profile(fit: Fit, lang: str) -> Shown:
    """A cost fitted to measured rounds; nothing is held back to judge it."""
    times = np.array(fit.profile.times) / PS_PER_MS
    table = words(lang, "lab.calibrate")
    values = {
        "n": f"{len(times):,}",
        "error": number(fit.mean_abs_error, 3),
        "percent": f"{number(100 * fit.mean_abs_error / float(times.mean()), 1)}%",
    }
    lines = [say(lang, "lab.calibrate.head_rounds", **values)]
    if fit.r2 is not None:
        lines.append(say(lang, "lab.calibrate.head_r2", r2=f"{fit.r2:.4f}"))
    worst = fit.worst
    notes = [
        say(
            lang,
            "lab.calibrate.note_worst",
            line=f"{fit.profile.lines[worst]:,}",
            measured=_time(float(times[worst]), lang),
            predicted=_time(float(times[worst] - fit.residuals[worst]), lang),
        ),
        table["note_rounds"],
        *(_tie(tie, lang) for tie in fit.ties),
    ]
    return {
        "kind": "profile",
        "headline": join(lang, lines),
        "parts": _parts(fit.cost, {}, None, lang),
        "range_note": "",
        "residuals": _residuals(fit),
        "notes": notes,
    }


def _residuals(fit: Fit) -> Shown:
    """Line of the file and residual in ms; of many rows the worst and some of the others."""
    count = len(fit.residuals)
    places: Sequence[int] = range(count)
    if count > MOST_POINTS:
        worst = np.argsort(-np.abs(fit.residuals), kind="stable")[: MOST_POINTS // 2]
        others = np.arange(0, count, -(-2 * count // MOST_POINTS))
        places = np.union1d(worst, others).tolist()
    return {
        "lines": [fit.profile.lines[place] for place in places],
        "ms": _rounded(fit.residuals[list(places)]),
    }


def _tie(tie: Tie, lang: str) -> str:
    """Parts that the table cannot tell apart, and what to measure in addition."""
    table = words(lang, "lab.calibrate")
    names = [say(lang, f"setup.label.cost.{part}") for part in PARTS if part in tie.parts]
    key = "tie" if len(names) > 1 else "tie_alone"
    values = {"parts": table["comma"].join(names), "equation": tie.equation, "column": tie.column}
    return say(lang, f"lab.calibrate.{key}", **values)
