"""Comparisons: the best is the best, objectives and groups are counted as by hand."""

import csv
import io
import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim import Scenario, run
from sim.compare import LATENCIES, METRICS, Comparison, Metric, best, compare
from sim.compare_told import csv_texts, text
from sim.metrics import PERCENTILES, Metrics
from sim.sweep import Stopped
from tests.sim.make import by_hand, scenario, scenarios


def compared(*setups: dict[str, Any], share: float = 0.99, **both: Any) -> Comparison:
    return compare(
        {f"S{i}": by_hand(**both, **setup) for i, setup in enumerate(setups)}, share=share
    )


def row(comparison: Comparison, name: str) -> Any:
    return next(row for row in comparison.rows if row.metric.name == name)


def test_figures_stand_beside_each_other_and_the_best_is_marked() -> None:
    found = compared({}, {"budget": 6}, {"budget": 3})
    assert found.names == ("S0", "S1", "S2")
    assert row(found, "makespan").values == (19.5, 17.5, 21.5)
    assert row(found, "makespan").best == (False, True, False)
    assert row(found, "output_tps").best == (False, True, False)
    assert row(found, "finished").best == (False, False, False)  # all alike
    assert row(found, "rounds").best == (False, False, False)  # no direction is better


numbers = st.lists(st.none() | st.integers(0, 3) | st.floats(0, 9), min_size=1, max_size=4)


@given(numbers, st.sampled_from(["less", "more", None]))
def test_nothing_is_better_than_what_is_marked(values: list[Any], better: Any) -> None:
    marks = best(Metric("x", better, "time"), tuple(values))
    there = [value for value in values if value is not None]
    chosen = {value for value, mark in zip(values, marks, strict=True) if mark}
    if better is None or len(set(there)) < 2:
        assert not chosen
    else:
        assert chosen == {min(there) if better == "less" else max(there)}
        assert [value in chosen for value in values] == list(marks)


@given(scenarios())
def test_every_figure_is_that_of_the_run(subject: Scenario) -> None:
    (outcome,) = compare({"A": subject}).outcomes
    known = Metrics(run(subject))
    overall: dict[str, Any] = known.overall()
    for metric in METRICS:
        latency, _, part = metric.name.partition("_")
        if latency in LATENCIES and part in ("mean", *PERCENTILES):
            expected = overall[latency][part]
        elif metric.name in overall:
            expected = overall[metric.name]
        else:
            expected = getattr(known, metric.name)
        assert outcome.figures[metric.name] == expected


def test_what_no_setup_has_is_left_out() -> None:
    names = {row.metric.name for row in compared({}).rows}
    assert not names & {"goodput", "attainment", "peak_blocks"}
    with_slo = {row.metric.name for row in compared({}, {"slo": {"ttft": 9}}).rows}
    assert with_slo >= {"goodput", "attainment"}


# Objectives and groups.


def test_a_setup_passes_when_enough_of_all_requests_meet_every_objective() -> None:
    """TTFTs by hand: 8, 6, 10.5 ms."""
    setups: Any = ({"slo": {"ttft": 8}}, {"slo": {"ttft": 11}}, {})
    found = compared(*setups)
    assert found.passed == (False, True, None)
    assert compared(*setups, share=2 / 3).passed == (True, True, None)
    (slo,) = found.slo
    assert (slo.name, slo.limits, slo.missed) == ("ttft", (8, 11, None), (1, 0, None))
    assert slo.passed == (False, True, None)


def test_who_left_counts_against_an_objective() -> None:
    setup = {"max_queue": 1, "max_num_seqs": 1, "slo": {"ttft": 100}}
    found = compared(setup)
    assert (found.outcomes[0].count, found.outcomes[0].finished) == (3, 2)
    assert found.slo[0].missed == (0,)
    assert found.slo[0].passed == (False,) and found.passed == (False,)
    assert compared(setup, share=2 / 3).slo[0].passed == (True,)


def test_groups_say_who_fails() -> None:
    found = compared({}, {"budget": 6}, slo={"ttft": 8})
    assert [(row.kind, row.name) for row in found.groups] == [
        ("length", "1–2"),
        ("length", "3–3"),
        ("length", "> 3"),
    ]
    assert [row.passed for row in found.groups] == [(True, True), (False, False), (True, True)]
    assert [row.groups[0].missed["ttft"] for row in found.groups if row.groups[0]] == [0, 1, 0]


def test_a_group_that_a_setup_lacks_has_no_entry_there() -> None:
    found = compared({}, {"budget": 6}, slo={"ttft": 8})
    first, second = found.outcomes
    lacking = replace(found, outcomes=(first, replace(second, groups={})))
    assert [row.groups[1] for row in lacking.groups] == [None, None, None]
    assert [row.passed for row in lacking.groups] == [(True, None), (False, None), (True, None)]
    assert "0% of 1 ✗ – " in " ".join(text(lacking).split())
    assert "S1" not in csv_texts(lacking)["groups.csv"]


# Refusals, executors, progress.


ALONE = ("A", 0, 2, 1)


@pytest.mark.parametrize(
    ("setups", "told"),
    [
        ({}, "1 to 4 setups, not 0"),
        ({str(n): by_hand() for n in range(5)}, "1 to 4 setups, not 5"),
        ({"A": by_hand(), "B": scenario(ALONE, budget=4)}, "serve the same requests"),
        ({"A": scenario(ALONE, budget=4), "B": scenario(ALONE, budget=4, time="tick")}, "alike"),
    ],
)
def test_what_cannot_be_compared_is_refused(setups: Any, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        compare(setups)


def test_any_executor_gives_the_same_comparison_and_outcomes_travel() -> None:
    setups = {"A": by_hand(), "B": by_hand(budget=6)}
    told: list[tuple[int, int]] = []
    with ThreadPoolExecutor(2) as executor:
        found = compare(setups, executor=executor, progress=lambda *at: told.append(at))
    assert told == [(1, 2), (2, 2)]
    assert found.as_dict() == compare(setups).as_dict()
    outcome = found.outcomes[0]
    assert pickle.loads(pickle.dumps(outcome)).figures == outcome.figures


def test_a_comparison_can_be_stopped() -> None:
    with pytest.raises(Stopped):
        compare({"A": by_hand()}, stop=lambda: True)


# Telling.


def test_the_text_marks_best_values_objectives_and_groups() -> None:
    lines = text(compared({}, {"budget": 6}, slo={"ttft": 8})).splitlines()
    words = [" ".join(line.split()) for line in lines]
    assert "makespan 19.5 17.5 ★ ms" in words
    assert "TTFT ≤ 8 ms: 1 miss it ✗ ≤ 8 ms: 1 miss it ✗" in words
    assert "prompts, 3–3 tokens 0% of 1 ✗ 0% of 1 ✗" in words
    plain = text(compared({}))
    assert "TTFT P99 (ms)" in plain and "objective" not in plain


def test_what_only_one_setup_has_is_a_dash_for_the_other() -> None:
    lines = text(compared({"slo": {"ttft": 8}}, {})).splitlines()
    words = [" ".join(line.split()) for line in lines]
    assert "good requests 2 –" in words
    assert "TTFT ≤ 8 ms: 1 miss it ✗ –" in words
    assert "all of them fail: 66.6% of all requests meet them none set" in words


def test_the_text_leaves_out_groups_that_part_nobody() -> None:
    found = compare({"A": scenario(ALONE, budget=4)})
    assert found.groups == ()
    assert "groups.csv" not in csv_texts(found) and text(found)


def test_csv_holds_metrics_objectives_groups_and_curves() -> None:
    found = compared({"block_size": 2, "num_blocks": 9}, {"slo": {"ttft": 8}})
    tables = {
        name: list(csv.DictReader(io.StringIO(told, newline="")))
        for name, told in csv_texts(found).items()
    }
    assert set(tables) == {"metrics.csv", "slo.csv", "groups.csv", "curves.csv"}
    makespan = next(row for row in tables["metrics.csv"] if row["metric"] == "makespan")
    assert (makespan["S0"], makespan["S1"], makespan["better"]) == ("19.5", "19.5", "less")
    assert tables["slo.csv"][1] == {
        "setup": "S1",
        "objective": "ttft",
        "limit": "8",
        "missed": "1",
        "passed": "False",
    }
    points = [row for row in tables["curves.csv"] if row["setup"] == "S0"]
    kinds = {row["curve"] for row in points}
    assert kinds >= {"ecdf_ttft", "queue", "kv", "longest_gap", "prefill_of_it"}
    assert len(tables["groups.csv"]) == 6


def test_json_says_all_but_the_curves() -> None:
    found = json.loads(json.dumps(compared({}, {"budget": 6}, slo={"ttft": 8}).as_dict()))
    assert found["unit"] == "ms" and found["share"] == 0.99
    assert found["setups"][1]["setup"]["budget"] == 6
    assert found["metrics"][0]["name"] == "goodput"
    assert found["slo"][0] == {
        "name": "ttft",
        "limits": [8, 8],
        "missed": [1, 1],
        "passed": [False, False],
    }
    assert found["groups"][0]["groups"][0]["count"] == 1


def test_a_run_in_which_nobody_gets_in_can_be_told() -> None:
    found = compared({"max_queue": 0}, slo={"ttft": 8})
    assert row(found, "finished").values == (0,) and found.passed == (False,)
    assert "fail: 0% of all requests" in text(found)
    assert "metrics.csv" in csv_texts(found)
