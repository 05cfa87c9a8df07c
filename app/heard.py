"""What the browser says, made harmless: short text, finite numbers, spans with a beginning.

Messages come from whoever can open the page. JSON holds whole numbers of any length, which are no
float, and lists as deep as it likes, which cannot be written as text.
"""

import math


def short(value: object, most: int) -> str:
    """What was typed, cut at `most` characters; what is no text or small number is nothing."""
    if isinstance(value, str):
        return value[:most]
    return "" if finite(value) is None else str(value)[:most]


def finite(value: object) -> int | float | None:
    """A number that a float can hold, or None."""
    if not isinstance(value, (int, float)):
        return None
    try:
        return value if math.isfinite(value) else None
    except OverflowError:
        return None


def span(value: object) -> tuple[float, float] | None:
    """Two finite numbers, the lower one first; anything else is none."""
    match value:
        case [float() | int() as low, float() | int() as high]:
            if finite(low) is not None and finite(high) is not None and low < high:
                return float(low), float(high)
    return None
