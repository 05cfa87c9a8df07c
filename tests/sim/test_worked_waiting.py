"""Every figure of lesson 12's scenarios: who waits, who is next, and what a prompt may hold."""

from typing import Any

import pytest

from tests.sim.worked import column, ends, figures, given, of, overall, rounded

DECODES = [f"D{i}" for i in range(1, 9)]
NEWCOMERS = [f"N{i}" for i in range(1, 5)]


def gaps_of_decodes(result: dict[str, Any]) -> tuple[float, float, float]:
    """Mean and longest gap of the eight, and when the last of them ends."""
    gaps = [gap for itl in of(result, "itl", *DECODES) for gap in itl]
    last = max(outputs[-1] for outputs in of(result, "outputs", *DECODES))
    return round(sum(gaps) / len(gaps), 2), max(gaps), last


def test_12a_eight_decodes_leave_nothing_of_a_budget_of_8() -> None:
    result = figures("12a")
    for record in result["rounds"][1:40]:
        assert not set(NEWCOMERS) & set(record["given"])
    waiting = {r["start"]: len(r["waiting"]) for r in result["rounds"]}
    assert [waiting[start] for start in (6, 106, 206, 306)] == [1, 2, 3, 4]
    assert of(result, "ttft", *NEWCOMERS) == [397, 309.5, 216, 120]
    assert gaps_of_decodes(result) == (10, 10, 396)


@pytest.mark.parametrize(
    ("lane", "ttft", "gaps"),
    [
        ("max-decodes-6", [37, 37, 37, 37], (11.15, 18, 444)),
        ("reserve-2", [37, 43, 39, 45], (10.69, 20, 426)),
        ("reserve-2-after-50-ms", [87, 93, 89, 95], (10.69, 20, 426)),
        ("reserve-1-after-50-ms", [127, 133, 129, 120], (10.65, 20, 425)),
        ("quota-6", [36, 37, 38, 34], (7.35, 9, 496)),
    ],
)
def test_12b_decodes_a_way_in_for_prompts_and_its_price(
    lane: str, ttft: list[float], gaps: tuple[float, float, float]
) -> None:
    result = figures(f"12b-decodes/{lane}")
    assert of(result, "ttft", *NEWCOMERS) == ttft
    assert gaps_of_decodes(result) == gaps


def test_12b_decodes_a_quota_holds_two_of_its_own_tenant_back() -> None:
    result = figures("12b-decodes/quota-6")
    late = [out[0] for out in of(result, "outputs", *DECODES) if out[0] > 100]
    assert late == [339, 339]


@pytest.mark.parametrize(
    ("lane", "ttft", "mean"),
    [
        ("fifo", 19, 24.17),
        ("priority", 195, 9.5),
        ("aging-20", 115, 16.17),
        ("aging-10", 67, 20.17),
    ],
)
def test_12b_aging_lets_an_old_request_pass_urgent_ones(
    lane: str, ttft: float, mean: float
) -> None:
    *urgent, old = column(figures(f"12b-aging/{lane}"), "ttft")
    assert old == ttft
    assert rounded([sum(urgent) / len(urgent)]) == [mean]


@pytest.mark.parametrize(
    ("lane", "small", "big", "total"),
    [
        ("fifo", [71, 71], [10, 54], 84),
        ("rotation", [29, 49], [10, 72], 84),
        ("quota-1", [10, 30], [26, 91], 100),
    ],
)
def test_12b_tenants_take_turns(
    lane: str, small: list[float], big: list[float], total: float
) -> None:
    result = figures(f"12b-tenants/{lane}")
    assert of(result, "ttft", "B1", "B2") == small
    assert of(result, "ttft", "A2", "A6") == big
    assert result["overall"]["makespan"] == total


@pytest.mark.parametrize(
    ("lane", "ttft", "total"),
    [("no-limit", [40, 48, 48, 48], 64), ("chunk-4", [79, 13, 13, 13], 82)],
)
def test_12b_big_a_limit_on_what_one_big_prompt_may_hold(
    lane: str, ttft: list[float], total: float
) -> None:
    result = figures(f"12b-big/{lane}")
    assert column(result, "ttft") == ttft
    assert result["overall"]["makespan"] == total


@pytest.mark.parametrize(
    ("lane", "ttft", "expected"),
    [
        ("request", [12, 12, 16], ["A:8", "A:4 B:4", "C:4"]),
        ("chunk", [16, 6, 12], ["A:4 B:4", "A:4 C:4", "A:4"]),
        ("token", [16, 12, 12], ["A:3 B:3 C:2", "A:5 B:1 C:2", "A:4"]),
    ],
)
def test_12c_first_come_first_served_by_what(
    lane: str, ttft: list[float], expected: list[str]
) -> None:
    result = figures(f"12c/{lane}")
    assert column(result, "ttft") == ttft
    assert given(result) == expected


def test_12c_who_had_a_chunk_joins_again_behind_the_others() -> None:
    assert list(figures("12c/chunk")["rounds"][1]["given"]) == ["C", "A"]


@pytest.mark.parametrize(
    ("lane", "expected"),
    [
        ("fifo", [15, 30, 45, 52, 59]),
        ("priority", [15, 37, 52, 22, 59]),
        ("deadline", [15, 59, 44, 29, 22]),
    ],
)
def test_12_orders_who_is_next(lane: str, expected: list[float]) -> None:
    assert ends(figures(f"12-orders/{lane}")) == expected


@pytest.mark.parametrize(
    ("lane", "gap", "ttft", "total"),
    [
        ("chunked", 10.5, [12, 26.5, 26], 69),
        ("prefill-first", 31, [10, 12, 14], 75),
        ("whole-prompts-no-chunking", 10, [12, 21, 30], 69),
    ],
)
def test_12d_prompts_first_or_decodes_first(
    lane: str, gap: float, ttft: list[float], total: float
) -> None:
    result = figures(f"12d/{lane}")
    assert max(result["requests"]["D1"]["itl"]) == gap
    assert of(result, "ttft", "L1", "L2", "L3") == ttft
    assert overall(f"12d/{lane}", "makespan") == (total,)
