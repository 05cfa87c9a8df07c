"""Reading and showing times."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.clock import scale_of, to_internal, to_shown


@pytest.mark.parametrize(
    ("value", "unit", "internal"),
    [
        (2, "ms", 2_000_000),
        (0.5, "ms", 500_000),
        ("0.1", "ms", 100_000),
        (Decimal("0.0000005"), "ms", 0),
        (Decimal("0.0000015"), "ms", 2),
        (7, "tick", 7),
        (7.0, "tick", 7),
        ("-3", "tick", -3),
    ],
)
def test_a_shown_time_is_read_exactly(value: Any, unit: Any, internal: int) -> None:
    read = to_internal(value, unit)
    assert read == internal
    assert type(read) is int


@pytest.mark.parametrize(
    ("value", "unit", "words"),
    [
        ("soon", "ms", "not a number"),
        ("", "tick", "not a number"),
        (float("nan"), "ms", "not a number"),
        (float("inf"), "tick", "not a number"),
        ("1e19", "ms", "too large"),
        (1.5, "tick", "not a whole number of ticks"),
    ],
)
def test_what_is_no_time_is_refused(value: Any, unit: Any, words: str) -> None:
    with pytest.raises(ValueError, match=f"^{words}$"):
        to_internal(value, unit)


@pytest.mark.parametrize(
    ("internal", "unit", "shown"),
    [(19_500_000, "ms", 19.5), (19_000_000, "ms", 19), (1, "ms", 0.000001), (8, "tick", 8)],
)
def test_a_time_is_shown_as_a_whole_number_where_it_is_one(
    internal: int, unit: Any, shown: float
) -> None:
    assert to_shown(internal, unit) == shown
    assert type(to_shown(internal, unit)) is type(shown)


@given(st.integers(-(10**15), 10**15))
def test_showing_and_reading_loses_nothing(internal: int) -> None:
    assert to_internal(to_shown(internal, "ms"), "ms") == internal
    assert to_internal(to_shown(internal, "tick"), "tick") == internal


def test_a_millisecond_has_a_million_units_and_a_tick_is_one() -> None:
    assert (scale_of("ms"), scale_of("tick")) == (1_000_000, 1)
