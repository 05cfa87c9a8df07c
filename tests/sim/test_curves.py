"""Curves: ECDFs against NumPy, and thinning that keeps what the eye looks for."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim import Scenario, run
from sim.clock import scale_of
from sim.curves import Curve, curves, ecdf, ecdfs, kv, longest_gaps, queue, spikes, thinned
from sim.files import traffic
from sim.metrics import Metrics
from sim.workload import synthetic
from tests.sim.make import by_hand, scenario, scenarios

LARGE = run(traffic(synthetic(300, 20, seed=2), "").with_setup(budget=256, num_blocks=2000))

samples = st.lists(st.tuples(st.integers(0, 50), st.integers(0, 4)), min_size=1, max_size=60)


def written_out(sample: list[tuple[int, int]]) -> list[int]:
    return [value for value, count in sample for _ in range(count)]


@given(samples)
def test_an_ecdf_is_the_share_at_most_each_value(sample: list[tuple[int, int]]) -> None:
    values, counts = (np.array(column) for column in zip(*sample, strict=True))
    x, y = ecdf(values, counts, scale=2)
    plain = np.array(written_out(sample))
    assert x.tolist() == (np.unique(plain) / 2).tolist()
    assert y.tolist() == [float((plain <= 2 * value).mean()) for value in x]


def test_an_ecdf_without_weights_counts_each_value_once() -> None:
    assert [part.tolist() for part in ecdf(np.array([3, 1, 3, 2]))] == [[1, 2, 3], [0.25, 0.5, 1]]


def test_an_ecdf_of_nothing_is_empty() -> None:
    assert [len(part) for part in ecdf(np.array([], dtype=np.int64))] == [0, 0]


@pytest.mark.parametrize("seed", range(5))
def test_a_thinned_ecdf_keeps_true_points_and_its_shape(seed: int) -> None:
    """It is off by a step of its grid at most: 1/199 of all, or 1/199 of the range."""
    values = np.random.default_rng(seed).lognormal(8, 2, 20_000)
    whole, thin = ecdf(values, most=10**9), ecdf(values, most=400)
    assert len(thin.x) <= 400
    places = np.searchsorted(whole.x, thin.x)
    assert (whole.x[places] == thin.x).all() and (whole.y[places] == thin.y).all()
    assert thin.y[-1] == 1 and thin.x[0] == whole.x[0]
    assert np.diff(thin.y).max() <= 1 / 199 + 1 / 20_000


def test_the_curves_of_the_by_hand_example() -> None:
    found = curves(run(by_hand()))
    assert found.ecdfs["ttft"].x.tolist() == [6, 8, 10.5]
    assert found.ecdfs["itl"].x.tolist() == [3, 3.5, 5]
    assert found.ecdfs["itl"].y.tolist() == [0.25, 0.5, 1]  # A and B share the gap of 5
    assert found.queue.x.tolist() == [0, 2, 4, 6, 8, 13, 16.5, 19.5]
    assert found.queue.y.tolist() == [0, 1, 0, 1, 0, 0, 0, 0]  # B and C arrive inside a round
    assert (found.kv, found.pool) == (None, None)
    spiked = [part.tolist() for part in found.spikes]
    assert spiked == [
        [0, 4, 8, 13, 16.5],
        [4, 8, 13, 16.5, 19.5],
        [4, 4, 2, 1, 0],
        [0, 0, 2, 1, 1],
        [0, 0, 5, 3.5, 3],
    ]


def test_latencies_that_nobody_has_have_no_ecdf() -> None:
    assert set(ecdfs(run(scenario(("A", 0, 3, 1), budget=4)))) == {"queue", "ttft", "e2e"}


def test_a_pool_gives_the_blocks_taken() -> None:
    history = run(by_hand(block_size=2, num_blocks=9))
    found = kv(history)
    assert found is not None
    assert found.y.tolist() == [*history.used, history.used[-1]]
    assert curves(history).pool == 9


def longest_by_hand(history: Any) -> dict[float, float]:
    """The longest gap that ends at each time, request by request."""
    known = Metrics(history)
    longest: dict[float, float] = {}
    for index in range(len(history.scenario.requests)):
        times = sorted(set(known.request(index).outputs))
        for before, after in pairwise(times):
            longest[after] = max(longest.get(after, 0), after - before)
    return longest


@given(scenarios())
def test_spikes_are_the_longest_gaps_of_their_rounds(subject: Scenario) -> None:
    found = spikes(run(subject))
    gaps = {end: gap for end, gap in zip(found.end, found.longest, strict=True) if gap}
    assert gaps == pytest.approx(longest_by_hand(run(subject)))
    assert len(found.end) == len(run(subject))


def test_spikes_of_a_stretch_of_time_are_those_under_way_in_it() -> None:
    history = run(by_hand())
    assert spikes(history, span=(9, 14)).start.tolist() == [8, 13]
    known = spikes(history, longest=longest_gaps(history))
    assert known.longest.tolist() == spikes(history).longest.tolist()


def test_thinned_spikes_keep_the_longest_gap_of_every_window() -> None:
    whole, thin = spikes(LARGE, 10**9), spikes(LARGE, 50)
    assert len(thin.end) <= 50 < len(whole.end)
    assert thin.longest.max() == whole.longest.max()
    edges = np.linspace(whole.end[0], whole.end[-1], 51)
    for low, high in pairwise(edges):
        inside = (whole.end >= low) & (whole.end < high)
        if inside.any():
            here = (thin.end >= low) & (thin.end < high)
            assert thin.longest[here].max() == whole.longest[inside].max()
    rows = set(zip(*(part.tolist() for part in whole), strict=True))
    assert set(zip(*(part.tolist() for part in thin), strict=True)) <= rows


@given(scenarios())
def test_the_queue_is_that_of_each_round_as_it_begins(subject: Scenario) -> None:
    history = run(subject)
    x, y = queue(history)
    at_starts = np.searchsorted(x, history.starts / scale_of(subject.setup.time), "right") - 1
    assert y[at_starts].tolist() == history.per_round("waiting").tolist()
    assert (y >= 0).all()


@pytest.mark.parametrize("curve_of", [queue, kv])
def test_a_thinned_curve_keeps_its_ends_and_extremes(curve_of: Any) -> None:
    whole, thin = curve_of(LARGE, 10**9), curve_of(LARGE, 100)
    assert len(thin.x) <= 100 < len(whole.x)
    for part in (np.min, np.max):
        assert part(thin.y) == part(whole.y)
    assert (thin.x[0], thin.x[-1]) == (whole.x[0], whole.x[-1])
    assert (np.diff(thin.x) >= 0).all()


def test_each_window_keeps_first_lowest_highest_and_last() -> None:
    y = np.array([5, 1, 9, 4, 7, 7, 2, 8, 3, 3, 3, 3], dtype=float)
    found = thinned(Curve(np.arange(12.0), y), most=8)
    assert found.x.tolist() == [0, 1, 2, 5, 6, 7, 11]
    assert found.y.tolist() == [5, 1, 9, 7, 2, 8, 3]
