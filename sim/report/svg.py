"""Pictures as inline SVG, drawn by hand: lines of steps over two axes.

Colours and dashes are classes `s0` to `s3`, a setup each, so that the page's style sheet gives
them in light and dark. Nothing here knows what is drawn; all text is escaped.
"""

from collections.abc import Callable, Sequence
from html import escape
from math import floor, log10
from typing import NamedTuple

from sim.curves import Curve

WIDTH, HEIGHT = 360, 210
LEFT, RIGHT, TOP, BOTTOM = 44, 14, 10, 40
TICKS = 5


class Axis(NamedTuple):
    """A range of values; logarithmic where it spans much."""

    low: float
    high: float
    is_log: bool = False

    def share(self, value: float) -> float:
        """Where a value lies, from 0 to 1."""
        scale = log10 if self.is_log else float
        low, high = scale(self.low), scale(self.high)
        return (scale(min(max(value, self.low), self.high)) - low) / (high - low)

    @property
    def ticks(self) -> list[float]:
        """Round values to write at the axis."""
        if self.is_log:
            first, last = floor(log10(self.low)), floor(log10(self.high))
            every = 1 + (last - first) // (TICKS + 1)
            powers = [10.0**power for power in range(first, last + 1, every)]
            return [power for power in powers if power >= self.low]
        step = _round_step((self.high - self.low) / TICKS)
        first = -floor(-self.low / step)
        return [number * step for number in range(first, floor(self.high / step + 1e-9) + 1)]


def _round_step(least: float) -> float:
    """The smallest of 1, 2, 5, 10, … that is at least so much."""
    power = 10.0 ** floor(log10(least))
    return next(power * digit for digit in (1, 2, 5, 10, 20) if power * digit >= least * 0.999999)


def value_axis(curves: Sequence[Curve]) -> Axis:
    """An axis for x values, logarithmic where the largest is over 100 times the smallest."""
    values = [float(x) for curve in curves for x in (curve.x.min(), curve.x.max())]
    low, high = min(values), max(values)
    if low > 0 and high > 100 * low:
        return Axis(low, high, is_log=True)
    return Axis(0, high or 1)


def picture(title: str, curves: Sequence[tuple[int, Curve]], x: Axis, y: Axis, x_title: str) -> str:
    """A picture of step lines.

    Args:
        title: said above it and to who cannot see it.
        curves: each with the number of its class, 0 to 3.
        x: the horizontal axis.
        y: the vertical axis.
        x_title: said below.
    """

    def across(value: float) -> float:
        return LEFT + x.share(value) * (WIDTH - LEFT - RIGHT)

    def down(value: float) -> float:
        return HEIGHT - BOTTOM - y.share(value) * (HEIGHT - TOP - BOTTOM)

    foot = HEIGHT - BOTTOM
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}">',
        f'<path class="axis" d="M{LEFT} {TOP}V{foot}H{WIDTH - RIGHT}"/>',
    ]
    for value in x.ticks:
        place = f"{across(value):.1f}"
        parts.append(f'<path class="rule" d="M{place} {TOP}V{foot}"/>')
        parts.append(f'<text class="across" x="{place}" y="{foot + 16}">{_number(value)}</text>')
    for value in y.ticks:
        place = f"{down(value):.1f}"
        parts.append(f'<path class="rule" d="M{LEFT} {place}H{WIDTH - RIGHT}"/>')
        parts.append(f'<text class="up" x="{LEFT - 6}" y="{place}">{_number(value)}</text>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<text class="across" x="{middle}" y="{HEIGHT - 6}">{escape(x_title)}</text>')
    for number, curve in curves:
        parts.append(f'<path class="line s{number}" d="{_steps(curve, across, down)}"/>')
    return "".join((*parts, "</svg>"))


def _steps(curve: Curve, across: Callable[[float], float], down: Callable[[float], float]) -> str:
    """A line that keeps each y until the next x."""
    points = [(across(float(x)), down(float(y))) for x, y in zip(*curve, strict=True)]
    first, *others = points
    rest = (f"H{x:.1f}V{y:.1f}" for x, y in others)
    return f"M{first[0]:.1f} {first[1]:.1f}" + "".join(rest)


def _number(value: float) -> str:
    """A tick as text: 0.5, 200, 10k."""
    for least, size, letter in ((1e6, 1e6, "M"), (1e4, 1e3, "k")):
        if value >= least:
            return f"{value / size:g}{letter}"
    return f"{value:.6g}"
