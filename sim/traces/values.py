"""From the text of a cell to an exact integer: nanoseconds and token counts.

Floats never take part. A decimal keeps all its digits and is rounded half to even to whole
nanoseconds, once; so `5.8926549999999995` s, the noise of somebody else's float, is
5,892,655,000 ns. Values may be text (CSV) or numbers (JSON, read with `Decimal`).
"""

import re
from collections.abc import Callable
from datetime import date
from decimal import ROUND_HALF_EVEN, Context, Decimal

from sim.setup import MAX_TOKENS

# Powers of ten from one unit to a nanosecond.
UNIT_DIGITS = {"s": 9, "ms": 6, "us": 3, "ns": 0}
# About 126 years either side of zero: a difference of two still fits a 64-bit integer.
MAX_NS = 4 * 10**18

_NUMBER = re.compile(r"[+-]?(\d{1,40}(\.\d{0,40})?|\.\d{1,40})(e[+-]?\d{1,3})?", re.ASCII | re.I)
_CALENDAR = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,30}))?"
    r" ?(Z|UTC|[+-]\d\d:?\d\d)?",
    re.ASCII | re.I,
)
_EPOCH = date(1970, 1, 1).toordinal()
_CONTEXT = Context(prec=120, rounding=ROUND_HALF_EVEN)


class BadValueError(ValueError):
    """A value that breaks a rule; `rule` is its id."""

    def __init__(self, rule: str) -> None:
        super().__init__(rule)
        self.rule = rule


def arrival_reader(unit: str) -> Callable[[object], int]:
    """The function that reads arrivals of a unit ("calendar" for dates) as nanoseconds."""
    if unit == "calendar":
        return calendar_ns
    digits = UNIT_DIGITS[unit]
    return lambda value: number_ns(value, digits)


def number_ns(value: object, digits: int) -> int:
    """A number of units, `digits` powers of ten above the nanosecond, as nanoseconds."""
    number = decimal_of(value, "not_a_number")
    if number and number.adjusted() + digits > 18:
        raise BadValueError("time_range")
    ns = int(number.scaleb(digits, _CONTEXT).to_integral_value(ROUND_HALF_EVEN, _CONTEXT))
    return _in_range(ns)


def calendar_ns(value: object) -> int:
    """A date and time of day as nanoseconds since 1970; without a time zone it counts as UTC."""
    match = _CALENDAR.fullmatch(_text(value))
    if match is None:
        raise BadValueError("bad_time")
    year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])
    try:
        days = date(year, month, day).toordinal() - _EPOCH
    except ValueError:
        raise BadValueError("bad_time") from None
    if hour > 23 or minute > 59 or second > 59:
        raise BadValueError("bad_time")
    minutes = (days * 24 + hour) * 60 + minute - _zone_minutes(match[8])
    return _in_range((minutes * 60 + second) * 10**9 + _fraction_ns(match[7] or "0"))


def is_calendar(value: object) -> bool:
    """Whether a value looks like a date and time of day."""
    return isinstance(value, str) and _CALENDAR.fullmatch(value.strip()) is not None


def has_zone(value: object) -> bool:
    """Whether a date says its time zone."""
    match = _CALENDAR.fullmatch(str(value).strip())
    return match is not None and match[8] is not None


def token_count(value: object, zero_rule: str | None = "below_one") -> int:
    """A number of tokens, from 1 to the most a request may have; "374.0" is whole too.

    `zero_rule` is the id of the rule that 0 breaks; with None it breaks none.
    """
    negative = "below_zero" if zero_rule is None else "below_one"
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 9:
        count = int(value)
    else:
        number = decimal_of(value, "not_whole")
        if number.adjusted() > 18:
            raise BadValueError("too_many_tokens" if number > 0 else negative)
        count = int(number)
        if count != number:
            raise BadValueError("not_whole")
    if count < 0:
        raise BadValueError(negative)
    if count == 0 and zero_rule is not None:
        raise BadValueError(zero_rule)
    if count > MAX_TOKENS:
        raise BadValueError("too_many_tokens")
    return count


def is_number(text: str) -> bool:
    """Whether a cell reads as a number."""
    return _NUMBER.fullmatch(text.strip()) is not None


def decimal_of(value: object, rule: str) -> Decimal:
    """A number with all its digits; `rule` is the id of what a text that is none breaks."""
    text = _text(value)
    if _NUMBER.fullmatch(text) is None:
        raise BadValueError(rule)
    return Decimal(text)


def _text(value: object) -> str:
    text = "" if value is None else str(value).strip()
    if not text:
        raise BadValueError("missing")
    return text


def _in_range(ns: int) -> int:
    if abs(ns) > MAX_NS:
        raise BadValueError("time_range")
    return ns


def _fraction_ns(digits: str) -> int:
    """The digits after the second's point; the tenth and later ones round half to even."""
    if len(digits) <= 9:
        return int(digits.ljust(9, "0"))
    number = Decimal(f"{digits[:9]}.{digits[9:]}")
    return int(number.to_integral_value(ROUND_HALF_EVEN, _CONTEXT))


def _zone_minutes(zone: str | None) -> int:
    if zone is None or zone.upper() in ("Z", "UTC"):
        return 0
    minutes = int(zone[1:3]) * 60 + int(zone[-2:])
    return -minutes if zone[0] == "-" else minutes
