"""Sweeps: the same figures whoever does the work, told on the way, and stopped when asked."""

from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import pytest

from sim import Scenario, run
from sim import sweep as module
from sim.metrics import Metrics
from sim.sweep import Stopped, grid, meets, sweep
from tests.sim.make import by_hand


def scenarios(*budgets: int, **setup: Any) -> list[Scenario]:
    return [by_hand(budget=budget, **setup) for budget in budgets]


def test_a_grid_of_two_settings_has_all_pairs_the_last_changing_fastest() -> None:
    assert grid({"budget": [4, 6], "mode": ["static", "continuous"]}) == [
        {"budget": 4, "mode": "static"},
        {"budget": 4, "mode": "continuous"},
        {"budget": 6, "mode": "static"},
        {"budget": 6, "mode": "continuous"},
    ]


def test_figures_are_those_of_each_run_and_say_what_is_feasible() -> None:
    subjects = scenarios(4, 6, slo={"ttft": 8})
    for subject, row in zip(subjects, sweep(subjects, share=2 / 3), strict=True):
        known = Metrics(run(subject))
        assert row.items() >= known.overall().items()
        assert row["attainment_of_all"] == known.attainment_of_all
        good = sum(known.request(i).ttft <= 8 for i in range(3))  # type: ignore[operator] # all finish
        assert row["feasible"] is (good >= 2)
    assert next(sweep(scenarios(4)))["feasible"] is None


@pytest.mark.parametrize(
    ("good", "count", "share", "told"),
    [(99, 100, 0.99, True), (98, 100, 0.99, False), (7, 100, 0.07, True), (3, 3, 1, True)],
)
def test_a_share_is_met_without_rounding(good: int, count: int, share: float, told: bool) -> None:
    """0.07 · 100 is 7.000000000000001 in floats."""
    assert meets(good, count, share) is told


@pytest.mark.parametrize("pool", [ProcessPoolExecutor, ThreadPoolExecutor])
def test_any_executor_gives_the_same_rows_in_order(pool: Callable[[int], Executor]) -> None:
    subjects = [*scenarios(3, 4, 5, 6, 8, slo={"ttft": 9}), by_hand(seed=3)]
    with pool(2) as executor:
        assert list(sweep(subjects, executor)) == list(sweep(subjects))


def test_a_cluster_gives_the_same_rows() -> None:
    """Dask's executor is a `concurrent.futures` one, its workers threads of this process here."""
    import distributed  # of the extra [cluster]; it takes a while

    subjects = scenarios(3, 4, 5, 6, 8, slo={"ttft": 9})
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
        client.get_executor() as executor,
    ):
        assert list(sweep(subjects, executor)) == list(sweep(subjects))


def test_requests_of_all_runs_travel_as_one_parcel() -> None:
    """What is packed anew for every run would cost more than the runs."""
    base = by_hand()
    subjects = [base.with_setup(budget=budget) for budget in (4, 5, 6)]
    first, *others = [packed for packed, *_ in module._packed(subjects, 1)]
    assert all(packed is first for packed in others)
    assert module._unpacked(first) == base.requests


# Progress and stopping.


class Slow(Executor):
    """Hands out futures that are run when their result is asked for."""

    def __init__(self) -> None:
        self.given: list[Future[Any]] = []
        self.most_open = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.given.append(future)
        plain = future.result

        def result(timeout: float | None = None) -> Any:
            self.most_open = max(self.most_open, sum(not one.done() for one in self.given))
            future.set_result(fn(*args, **kwargs))
            return plain(timeout)

        future.result = result  # type: ignore[method-assign] # the test's own clockwork
        return future


def test_only_a_few_runs_are_handed_out_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "IN_FLIGHT", 3)
    executor = Slow()
    rows = sweep(scenarios(*range(3, 13)), executor)
    assert [len(executor.given) for _ in rows] == [3, 4, 5, 6, 7, 8, 9, 10, 10, 10]
    assert executor.most_open == 3


@pytest.mark.parametrize("executor", [None, Slow()])
def test_progress_counts_every_result(executor: Executor | None) -> None:
    told: list[tuple[int, int]] = []
    assert len(list(sweep(scenarios(4, 5, 6), executor, progress=lambda *at: told.append(at)))) == 3
    assert told == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize("executor", [None, Slow()])
def test_a_stopped_sweep_ends_and_cancels_what_has_not_begun(executor: Slow | None) -> None:
    seen: list[Any] = []
    rows = sweep(scenarios(4, 5, 6, 8), executor, stop=lambda: len(seen) == 2)
    with pytest.raises(Stopped):
        for row in rows:
            seen.append(row)
    assert len(seen) == 2
    if executor:
        assert [future.cancelled() for future in executor.given] == [False, False, True, True]


def test_leaving_a_sweep_early_cancels_the_rest_too() -> None:
    executor = Slow()
    rows = sweep(scenarios(4, 5, 6), executor)
    next(rows)
    rows.close()  # type: ignore[attr-defined] # a generator
    assert [future.cancelled() for future in executor.given] == [False, True, True]
