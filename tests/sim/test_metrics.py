"""Metrics by hand; over random runs they are held against plain formulas in `test_laws`."""

import pytest

from sim import Status, run
from sim.metrics import Metrics, metrics
from sim.progress import Progress
from tests.sim.make import by_hand, scenario


def test_latencies_of_the_by_hand_run() -> None:
    spread = metrics(run(by_hand())).distributions()
    assert spread["ttft"] == pytest.approx(
        {"mean": 24.5 / 3, "p50": 8, "p95": 10.25, "p99": 10.45, "max": 10.5}
    )
    # gaps 5, 3.5, 5, 3 pooled over requests, not a mean of means
    assert spread["itl"] == pytest.approx(
        {"mean": 4.125, "p50": 4.25, "p95": 5, "p99": 5, "max": 5}
    )
    # one TPOT a request: 4.25, 5, 3
    assert spread["tpot"]["mean"] == pytest.approx(12.25 / 3)
    assert spread["queue"]["max"] == 2
    assert spread["e2e"]["p50"] == 13.5


def test_throughputs_divide_by_the_makespan() -> None:
    overall = metrics(run(by_hand())).overall()
    assert overall["output_tps"] == pytest.approx(7 / 0.0195)
    assert overall["input_tps"] == pytest.approx(11 / 0.0195)
    assert overall["request_rate"] == pytest.approx(3 / 0.0195)
    assert overall["budget_use"] == 15 / 20
    assert overall["peak_running"] == 3


def test_the_makespan_begins_with_the_first_arrival() -> None:
    shifted = scenario(("A", 100, 6, 3), ("B", 102, 2, 2), budget=8)
    assert (
        metrics(run(shifted)).makespan
        == metrics(run(scenario(("A", 0, 6, 3), ("B", 2, 2, 2), budget=8))).makespan
    )


def test_one_output_has_no_tpot_and_no_gap() -> None:
    own = metrics(run(scenario(("A", 0, 3, 1), budget=4))).request(0)
    assert (own.ttft, own.tpot, own.itl, own.max_itl, own.e2e) == (3.5, None, (), None, 3.5)


def test_before_the_first_round_ends_nothing_is_known() -> None:
    known = metrics(run(by_hand()), until=3_999_999)
    overall = known.overall()
    assert (known.rounds, overall["tokens"], overall["makespan"]) == (0, 0, None)
    assert (overall["output_tps"], overall["budget_use"]) == (None, None)
    assert overall["states"] == {"waiting": 2}  # as of the last round over
    assert known.request(0).queue == 0
    assert known.request(1).queue is None
    assert {value for values in known.distributions().values() for value in values.values()} >= {
        None
    }


def test_as_of_a_round_only_what_was_out_counts() -> None:
    history = run(by_hand())
    known = metrics(history, int(history.ends[2]))
    a, b, c = (known.request(i) for i in range(3))
    assert (a.outputs, a.state, a.e2e) == ((8, 13), Status.DECODE, None)
    assert (b.outputs, b.state, b.e2e) == ((8, 13), Status.FINISHED, 11)
    assert (c.outputs, c.state, c.ttft, c.queue) == ((), Status.PREFILL, None, 2)
    assert known.overall()["makespan"] == 13
    assert known.output_tps == pytest.approx(4 / 0.013)
    assert known.total("prefill") == 10


def test_ticks_count_tokens_a_tick() -> None:
    assert metrics(run(scenario(("A", 0, 1, 4), budget=1, time="tick"))).output_tps == 1


def test_metrics_without_a_time_are_those_at_the_end() -> None:
    history = run(by_hand())
    assert metrics(history).overall() == Metrics(history, int(history.ends[-1])).overall()


def test_progress_has_a_value_a_round() -> None:
    progress = Progress(run(by_hand()))
    assert progress.tokens.tolist() == [0, 2, 4, 6, 7]
    assert progress.finished.tolist() == [0, 0, 1, 2, 3]
    assert progress.makespan.tolist() == [4, 8, 13, 16.5, 19.5]
    assert progress.mean_ttft[1:].tolist() == pytest.approx([7, 7, 24.5 / 3, 24.5 / 3])
    assert progress.max_itl[2:].tolist() == [5, 5, 5]
    assert progress.mean_itl[3] == pytest.approx(4.5)


def test_the_columns_of_progress_go_by_the_names_of_the_figures() -> None:
    progress = Progress(run(by_hand()))
    columns = progress.columns
    assert columns["tokens"].tolist() == progress.tokens.tolist()
    assert {"makespan", "output_tps", "finished", "waste", "mean_ttft", "max_itl"} <= set(columns)
    assert {len(column) for column in columns.values()} == {5}
