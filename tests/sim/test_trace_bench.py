"""Results of `vllm bench serve` and the timings that a trace holds beside its requests."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.traces import Dropped, Timing, read_trace, read_trace_file
from tests.sim.trace_files import csv, jsonl, refused, rules, said

S = 10**9
RUN = "request_id,input_toks,output_toks,arrival_time,queued_ts,scheduled_ts,first_token_ts"


def result(**changes: Any) -> dict[str, Any]:
    """A detailed result of four requests, of which the third failed."""
    return {
        "date": "20300101-000000",
        "backend": "vllm",
        "duration": 3.5,
        "completed": 3,
        "failed": 1,
        "total_input_tokens": 70,
        "input_lens": [10, 20, 30, 40],
        "output_lens": [3, 1, 0, 2],
        "ttfts": [0.5, 0.25, 0.0, 1.0],
        "itls": [[0.125, 0.0625], [], [], [0.5]],
        "start_times": [1000.5, 1001.0, 1001.25, 1002.0],
        "generated_texts": ["a", "b", "", "d"],
        "errors": ["", "", "Traceback: refused", ""],
        "mean_ttft_ms": 580.0,
    } | changes


@pytest.mark.parametrize("indent", [None, 2])
def test_a_detailed_result_becomes_requests_with_their_timings(indent: int | None) -> None:
    imported = read_trace("bench.json", json.dumps(result(), indent=indent))
    assert [(r.id, r.arrival, r.prompt, r.output) for r in imported.requests] == [
        ("R1", 0, 10, 3),
        ("R2", S // 2, 20, 1),
        ("R4", 3 * S // 2, 40, 2),
    ]
    assert imported.timings == (
        Timing(0, None, S // 2, 687_500_000, (125_000_000, 62_500_000)),
        Timing(S // 2, None, 3 * S // 4, 3 * S // 4),
        Timing(3 * S // 2, None, 5 * S // 2, 3 * S, (S // 2,)),
    )
    assert imported.report.format == "bench"
    assert imported.report.dropped == (Dropped("failed_request", 1, 3),)
    assert "dropped 1, first as number 3 of the lists: failed request" in said(imported.report)


def test_what_was_measured_is_found_by_request_and_tells_latencies() -> None:
    measured = read_trace("bench.json", json.dumps(result())).measured
    assert measured.keys() == {"R1", "R2", "R4"}
    last = measured["R4"]
    assert (last.ttft, last.e2e, last.decode, last.wait) == (S, 3 * S // 2, S // 2, None)


def test_failed_requests_are_counted_by_what_says_so() -> None:
    without = result(errors=[""] * 4)
    report = read_trace("bench.json", json.dumps(without)).report
    assert report.dropped == (Dropped("failed_call", 1, 3),)
    marked = result(errors=[""] * 4, success=[True, False, True, True])
    report = read_trace("bench.json", json.dumps(marked)).report
    assert report.dropped == (Dropped("failed_request", 1, 2), Dropped("failed_call", 1, 3))
    assert (report.read, report.imported, report.first_bad) == (4, 2, None)


def test_a_bad_value_in_a_list_is_named_by_its_place() -> None:
    report = read_trace("b.json", json.dumps(result(input_lens=[10, 2.5, 30, 40]))).report
    assert "first bad value: number 2 of input_lens, '2.5'" in said(report)
    nothing = refused(json.dumps(result(input_lens=[0.5] * 4, errors=[""] * 4)), "b.json")
    assert (nothing.rule, nothing.line, nothing.field) == ("nothing_imported", None, "input_lens")


def test_lists_of_different_length_are_refused_with_their_lengths() -> None:
    error = refused(json.dumps(result(ttfts=[0.5], itls=[[]] * 4)), "b.json")
    assert error.rule == "uneven_lists"
    assert "input_lens 4, output_lens 4" in str(error) and "ttfts 1" in str(error)


@pytest.mark.parametrize("gone", [["input_lens", "output_lens", "ttfts", "itls"], ["output_lens"]])
def test_a_summary_is_refused_and_says_how_to_get_the_details(gone: list[str]) -> None:
    summary = {key: value for key, value in result().items() if key not in gone}
    error = refused(json.dumps(summary), "b.json")
    assert error.rule == "bench_summary"
    assert "output_lens" in str(error) and "--save-detailed" in str(error)


def test_an_older_result_without_start_times_needs_a_rate() -> None:
    older = result()
    del older["start_times"]
    assert refused(json.dumps(older), "b.json").rule == "no_arrivals"
    imported = read_trace("b.json", json.dumps(older), rate=2)
    assert imported.report.format == "bench"
    assert [r.id for r in imported.requests] == ["R1", "R2", "R4"]
    assert imported.timings == ()


def test_several_runs_in_a_file_and_empty_lists_are_refused() -> None:
    error = refused(jsonl(result(), result()), "b.json")
    assert (error.rule, error.line) == ("many_runs", 2)
    empty = result(**{key: [] for key, value in result().items() if isinstance(value, list)})
    assert refused(json.dumps(empty), "b.json").rule == "no_rows"


def test_timings_that_are_no_timings_are_left_out_and_the_request_stays() -> None:
    odd = result(
        ttfts=[0.5, None, 0.0, 0.5],
        itls=[[0.25], [], [0.5], [1.5, -0.5]],
        output_lens=[3, 1, 4, 2],
        errors=[""] * 4,
    )
    imported = read_trace("b.json", json.dumps(odd))
    assert [timing is not None for timing in imported.timings] == [True, False, False, False]
    assert "1 requests have measured timings, 3 do not" in said(imported.report)


NUMBERS = st.sampled_from([0, 1, 7, 2.5, -3, None, "x", 1e9])


@given(st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS, st.sampled_from(["", "no"]))))
def test_no_entry_of_the_lists_vanishes(rows: list[tuple[Any, ...]]) -> None:
    keys = ("start_times", "input_lens", "output_lens", "ttfts", "errors")
    columns = zip(*[(0, 5, 6, 0.5, ""), *rows], strict=True)
    document = {key: list(column) for key, column in zip(keys, columns, strict=True)}
    imported = read_trace("b.json", json.dumps(document))
    report = imported.report
    assert report.read == len(rows) + 1 == report.imported + report.num_dropped
    assert len(imported.timings) == len(imported.requests) == report.imported


# vLLM's own record of a request


def test_engine_timings_stay_beside_their_requests_on_their_own_clock() -> None:
    text = csv(
        f"{RUN},last_token_ts",
        "b,20,5,1700000001.5,502.5,503,504,508.25",
        "a,10,3,1700000000.0,501.0,501.5,502,503",
    )
    imported = read_trace("run.csv", text)
    assert [r.id for r in imported.requests] == ["R2", "R1"]
    assert imported.timings == (
        Timing(0, S // 2, S, 2 * S),
        Timing(3 * S // 2, 2 * S, 3 * S, 29 * S // 4),
    )
    assert imported.measured["R1"].wait == S // 2
    assert rules(imported.report) == ["sorted", "far_from_zero", "two_clocks", "measured"]


def test_engine_timings_need_no_other_clock() -> None:
    names = "num_prompt_tokens,num_generation_tokens,queued_ts,first_token_ts,last_token_ts"
    imported = read_trace("run.csv", csv(names, "10,3,5.0,5.5,6", "11,4,7.0,,9", "12,5,8,9,8.5"))
    assert [r.arrival for r in imported.requests] == [0, 2 * S, 3 * S]
    assert imported.timings == (Timing(0, None, S // 2, S), None, None)
    assert rules(imported.report) == ["measured"]


def test_the_public_run_has_timings_for_all_requests(shared: Path) -> None:
    folder = shared / "data" / "traces"
    imported = read_trace_file(next(folder.glob("llmservingsim*.requests.jsonl")))
    assert len(imported.measured) == 300 == len(imported.timings)
    ttfts = sorted(timing.ttft for timing in imported.measured.values())
    assert 0 < ttfts[0] < ttfts[-1]
    assert "two_clocks" in rules(imported.report)
