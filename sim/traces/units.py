"""What a column of arrivals counts where nothing says it, and whether the rate can be right."""

from collections.abc import Iterable
from contextlib import suppress
from decimal import Decimal
from typing import NamedTuple

from sim.traces.report import NS_PER_S, Note, rate_text, span_text
from sim.traces.values import UNIT_DIGITS, BadValueError, decimal_of

LIKELY = (0.001, 1_000)  # requests/s; beyond, the unit is doubted
MOST_DIGITS = 24  # before the point; longer numbers are no stamps
FEW = 10  # requests; of fewer a rate says little
USUAL_RATE = Decimal(3)  # requests/s: a guessed unit comes nearest to it
SINCE_1970 = (12 * 10**8, 22 * 10**8)  # seconds: the years 2008 to 2039


class Stamps(NamedTuple):
    """The numbers in a column of arrivals: how many, the least, the greatest."""

    num: int
    low: Decimal
    high: Decimal


def stamps_of(values: Iterable[object]) -> Stamps:
    """What a unit is guessed from; values that are no numbers are passed over."""
    numbers = []
    for value in values:
        with suppress(BadValueError):
            number = decimal_of(value, "not_a_number")
            if number.adjusted() <= MOST_DIGITS:
                numbers.append(number)
    return Stamps(len(numbers), min(numbers, default=Decimal()), max(numbers, default=Decimal()))


def guess_unit(stamps: Stamps) -> str | None:
    """The likeliest unit: that of a clock since 1970, else that of the most usual rate.

    None if all stamps are one.
    """
    count, low, high = stamps
    if low == high:
        return None
    for unit, digits in UNIT_DIGITS.items():
        least, most = (Decimal(second).scaleb(9 - digits) for second in SINCE_1970)
        if least <= low and high <= most:
            return unit

    def strangeness(unit: str) -> Decimal:
        rate = (count / (high - low)).scaleb(9 - UNIT_DIGITS[unit])
        return abs(rate.log10() - USUAL_RATE.log10())

    return min(UNIT_DIGITS, key=strangeness)


def rate_note(stamps: Stamps, unit: str) -> Note:
    """The rate if the stamps count a unit: "5.53 requests/s over 58.4 min"."""
    if stamps.low == stamps.high:
        return Note("no_rate")
    span = int((stamps.high - stamps.low).scaleb(UNIT_DIGITS[unit]))
    return Note("rate", _rate(stamps.num, max(span, 1)))


def _rate(count: int, span: int) -> dict[str, str]:
    return {"rate": rate_text(count * NS_PER_S / span), "span": span_text(span)}


def unit_notes(count: int, span: int, unit: str, guessed: str) -> list[Note]:
    """The question whether a unit is right: if it was guessed, or no service has such a rate.

    Args:
        count: requests.
        span: from the first to the last, ns.
        unit: what their arrivals were taken to count.
        guessed: the column whose unit was guessed, else "".
    """
    if not span:
        return []
    values: dict[str, str | int] = {"unit": unit, **_rate(count, span)}
    if guessed:
        return [Note("unit_guessed", {"field": guessed, **values})]
    if count < FEW or LIKELY[0] <= count * NS_PER_S / span <= LIKELY[1]:
        return []
    return [Note("rate_doubt" if unit != "calendar" else "rate_doubt_dates", values)]
