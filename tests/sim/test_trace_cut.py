"""A part of a trace: from when on, how many, at what pace, and the long ones."""

from typing import Any

import pytest

from sim.clock import NS_PER_MS
from sim.setup import MAX_TIME, Request
from sim.traces.cut import cut, told

SECOND = 1_000 * NS_PER_MS
REQUESTS = tuple(
    Request(f"R{i}", i * SECOND, 100 * (i + 1), 10 * (i + 1), cached=90, deadline=(i + 5) * SECOND)
    for i in range(10)
)


def part(**table: Any) -> tuple[Request, ...]:
    requests, problems = cut(REQUESTS, table)
    assert not problems
    return requests


def test_nothing_asked_is_everything() -> None:
    assert part() == REQUESTS


def test_it_begins_at_start_and_ends_after_most() -> None:
    requests = part(start=2.5, most=3)
    assert [request.id for request in requests] == ["R3", "R4", "R5"]
    assert [request.arrival for request in requests] == [SECOND // 2 + i * SECOND for i in range(3)]
    assert requests[0].deadline == 5.5 * SECOND


def test_times_are_stretched_and_lengths_are_not() -> None:
    requests = part(scale=0.5)
    assert [request.arrival for request in requests] == [i * SECOND // 2 for i in range(10)]
    assert [request.prompt for request in requests] == [request.prompt for request in REQUESTS]


def test_long_ones_are_cut_and_leave_a_token_to_compute() -> None:
    requests = part(max_prompt=80, max_output=25)
    assert {request.prompt for request in requests} == {80}
    assert {request.cached for request in requests} == {79}
    assert max(request.output for request in requests) == 25
    assert len(requests) == 10


def test_long_ones_are_left_out_before_they_are_counted() -> None:
    requests = part(max_prompt=500, max_output=30, too_long="drop", most=5)
    assert [request.id for request in requests] == ["R0", "R1", "R2"]
    assert requests == REQUESTS[:3]


def test_what_may_be_generated_is_cut_with_the_output() -> None:
    long = Request("L", 0, 5, 50, max_output=80)
    ((request,), problems) = cut([long], {"max_output": 20})
    assert not problems
    assert (request.output, request.max_output) == (20, 20)


@pytest.mark.parametrize(
    ("table", "name", "rule"),
    [
        ({"start": -1}, "start", "too_small"),
        ({"start": 60}, "start", "no_requests"),
        ({"max_prompt": 1, "too_long": "drop"}, "start", "no_requests"),
        ({"most": 0}, "most", "too_small"),
        ({"most": 1.5}, "most", "not_whole"),
        ({"scale": 0}, "scale", "too_small"),
        ({"scale": "x"}, "scale", "not_number"),
        ({"too_long": "keep"}, "too_long", "not_choice"),
        ({"pace": 1}, "pace", "unknown_key"),
    ],
)
def test_what_is_wrong_is_told_at_its_field(table: dict[str, Any], name: str, rule: str) -> None:
    requests, problems = cut(REQUESTS, table)
    assert requests == ()
    assert [(problem.place, problem.rule) for problem in problems] == [(("cut", name), rule)]


def test_a_pace_that_leaves_the_clock_is_refused() -> None:
    late = [Request("A", 0, 1, 1), Request("B", MAX_TIME * NS_PER_MS // 2, 1, 1)]
    _, (problem,) = cut(late, {"scale": 4})
    assert (problem.rule, problem.params["high"]) == ("too_large", 2)


def test_it_ends_after_its_duration_and_before_the_pace_changes() -> None:
    requests = part(start=2, duration=3, scale=2)
    assert [(r.id, r.arrival) for r in requests] == [
        ("R2", 0),
        ("R3", 2 * SECOND),
        ("R4", 4 * SECOND),
    ]


def test_all_in_all_cuts_the_prompt_first_and_then_the_output() -> None:
    requests = part(max_total=105)
    assert [(r.prompt, r.output) for r in requests[:3]] == [(95, 10), (85, 20), (75, 30)]
    ((request,), _) = cut([Request("L", 0, 5, 50, max_output=80)], {"max_total": 20})
    assert (request.prompt, request.output, request.max_output) == (1, 19, 19)
    ((roomy,), _) = cut([Request("L", 0, 50, 10, max_output=80)], {"max_total": 40})
    assert (roomy.prompt, roomy.output, roomy.max_output) == (30, 10, 10)


def total(request: Request) -> int:
    return request.prompt + request.output


@pytest.mark.parametrize(
    "table",
    [
        {"start": 3, "duration": 4, "most": 2, "max_prompt": 450, "too_long": "drop"},
        {"start": 1.5, "most": 3, "max_output": 35, "scale": 2},
        {"max_total": 500},
    ],
)
def test_what_is_left_out_and_what_is_taken_make_all(table: dict[str, Any]) -> None:
    kept, *others = told(REQUESTS, table)
    counts = {note.rule: note.params["count"] for note in others}
    left_out = sum(int(n) for rule, n in counts.items() if rule != "cut_shortened")
    assert kept.params["requests"] == len(REQUESTS)
    assert kept.params["kept"] == len(part(**table)) == len(REQUESTS) - left_out
    whole = {request.id: request for request in REQUESTS}
    shortened = [r for r in part(**table) if total(r) < total(whole[r.id])]
    assert counts.get("cut_shortened", 0) == len(shortened)


def test_where_nothing_is_asked_nothing_is_told() -> None:
    assert told(REQUESTS, {}) == ()
    assert told(REQUESTS, {"start": -1}) == ()
    assert [note.rule for note in told(REQUESTS, {"scale": 2})] == ["cut_kept"]
