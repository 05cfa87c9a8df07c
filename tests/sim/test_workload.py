"""Synthetic workloads: the same everywhere, and of the shape they claim to have."""

import math
from statistics import quantiles

import pytest

from sim.workload import (
    OUTPUT_TOKENS,
    PERCENTILES,
    PROMPT_TOKENS,
    length_at,
    poisson_arrivals,
    synthetic,
)


def test_a_seed_gives_the_same_requests_and_another_seed_gives_others():
    assert synthetic(50, 14, seed=1) == synthetic(50, 14, seed=1)
    assert synthetic(50, 14, seed=1) != synthetic(50, 14, seed=2)
    assert synthetic(50, 14, seed=1)[:20] == synthetic(20, 14, seed=1)


def test_first_draws_are_those_worked_out_by_hand():
    """Random(7) starts 0.32383, 0.15085, 0.65093, 0.07244, 0.53588, 0.36569.

    At 2 a second the first gap is -ln(1 - 0.32383) / 2 = 0.195657 s. The prompt lies at 15.085 %:
    207 + 0.5085 · 180 = 298.5; the output at 65.093 %: 177 + 0.5093 · 207 = 282.4. The second
    gap is -ln(1 - 0.07244) / 2 = 0.037597 s, its lengths 1020 + 0.3588 · 51 and 91 + 0.6569 · 12.
    """
    first, second = synthetic(2, 2, seed=7)
    assert (first.id, first.prompt, first.output) == ("R1", 299, 282)
    assert (second.id, second.prompt, second.output) == ("R2", 1038, 99)
    assert first.arrival / 1e9 == pytest.approx(0.195657, abs=2e-6)
    assert second.arrival / 1e9 == pytest.approx(0.195657 + 0.037597, abs=2e-6)


def test_arrivals_are_whole_microseconds_in_order_and_not_counted_from_the_first():
    arrivals = [request.arrival for request in synthetic(500, 14, seed=3)]
    assert arrivals == sorted(arrivals)
    assert arrivals[0] > 0
    assert all(arrival % 1000 == 0 for arrival in arrivals)


def test_rate_is_close_to_the_one_asked_for():
    requests = synthetic(20_000, 5, seed=4)
    assert len(requests) * 1e9 / requests[-1].arrival == pytest.approx(5, rel=0.03)


@pytest.mark.parametrize(
    ("field", "lengths"), [("prompt", PROMPT_TOKENS), ("output", OUTPUT_TOKENS)]
)
def test_percentiles_are_close_to_the_table(field, lengths):
    drawn = [getattr(request, field) for request in synthetic(20_000, 5, seed=5)]
    cuts = quantiles(drawn, n=100, method="inclusive")
    for percent in PERCENTILES[1:-1]:
        below, above = (length_at((percent + off) / 100, lengths) for off in (-1, 1))
        assert below <= cuts[percent - 1] <= above
    assert lengths[0] <= min(drawn) and max(drawn) <= lengths[-1]


def test_prompt_and_output_lengths_are_independent():
    requests = synthetic(20_000, 5, seed=6)
    long = [request.output for request in requests if request.prompt > 1020]
    short = [request.output for request in requests if request.prompt <= 1020]
    assert sum(long) / len(long) == pytest.approx(sum(short) / len(short), rel=0.05)


def test_table_is_hit_at_its_percentiles_and_halved_between_them():
    for percent, length in zip(PERCENTILES, OUTPUT_TOKENS, strict=True):
        assert length_at(percent / 100, OUTPUT_TOKENS) == length
    assert length_at(0.97, PROMPT_TOKENS) == round((4083 + 4142) / 2)


def test_cap_cuts_long_prompts_and_changes_no_other_draw():
    free = synthetic(2_000, 14, seed=1)
    capped = synthetic(2_000, 14, seed=1, max_prompt=1_000)
    assert any(request.prompt > 1_000 for request in free)
    for with_cap, without in zip(capped, free, strict=True):
        assert with_cap.prompt == min(without.prompt, 1_000)
        assert (with_cap.arrival, with_cap.output) == (without.arrival, without.output)


def test_poisson_arrivals_repeat_and_may_be_none_at_all():
    assert poisson_arrivals(100, 3, seed=1) == poisson_arrivals(100, 3, seed=1)
    assert poisson_arrivals(0, 3, seed=1) == ()


@pytest.mark.parametrize("rate", [0, -1, math.inf, math.nan])
def test_a_rate_that_is_none_is_refused(rate):
    with pytest.raises(ValueError, match="rate must be a number"):
        synthetic(1, rate, seed=1)


def test_a_workload_of_nobody_is_refused():
    with pytest.raises(ValueError, match="at least 1, not 0"):
        synthetic(0, 1, seed=1)
