"""Time as integers: nanoseconds in millisecond scenarios, ticks in tick scenarios.

Everything inside the simulator adds and compares integers, so a run is the same on every
machine and never drifts. People write and read decimals; this module is the only door
between the two. Finer inputs than one nanosecond are rounded half to even, once, here.
"""

from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation
from typing import Literal

TimeUnit = Literal["ms", "tick"]

NS_PER_MS = 1_000_000


def scale_of(unit: TimeUnit) -> int:
    """How many internal units one shown unit has: 1,000,000 for ms, 1 for ticks."""
    return NS_PER_MS if unit == "ms" else 1


def to_internal(value: int | float | str | Decimal, unit: TimeUnit) -> int:
    """Read a shown time (ms or ticks) as internal units.

    Raises:
        ValueError: the value is no finite number, or no whole number of ticks.
    """
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        raise ValueError("not a number") from None
    if not number.is_finite():
        raise ValueError("not a number")
    if number.adjusted() > 18:
        raise ValueError("too large")
    if unit == "tick":
        if number != number.to_integral_value():
            raise ValueError("not a whole number of ticks")
        return int(number)
    return int((number * NS_PER_MS).to_integral_value(ROUND_HALF_EVEN))


def to_shown(time: int, unit: TimeUnit) -> int | float:
    """Internal time as a number in ms or ticks; an `int` where it is whole."""
    whole, rest = divmod(time, scale_of(unit))
    return whole if rest == 0 else time / scale_of(unit)
