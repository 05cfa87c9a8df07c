"""Every figure of lesson 15's scenarios: what a real scheduler must solve beside."""

import pytest

from sim.metrics import Metrics
from tests.sim.worked import column, evictions, figures, given, history, of, overall, times


def test_15a_a_client_leaves_and_its_blocks_come_back_at_the_next_boundary() -> None:
    result = figures("15a/b-leaves-at-20")
    assert of(result, "state", "A", "B", "C") == ["finished", "cancelled", "finished"]
    assert (result["requests"]["B"]["generated"], result["requests"]["B"]["sent"]) == (4, 3)
    with_b = [r for r in result["rounds"] if "B" in r["blocks"]]
    assert with_b[-1]["end"] == 22
    assert [r["start"] for r in result["rounds"] if "C" in r["admitted"]] == [22]


@pytest.mark.parametrize(("lane", "ttft", "total"), [("stays", 42, 53), ("b-leaves-at-20", 27, 41)])
def test_15a_c_starts_earlier_when_b_leaves(lane: str, ttft: float, total: float) -> None:
    result = figures(f"15a/{lane}")
    assert result["requests"]["C"]["ttft"] == ttft
    assert overall(f"15a/{lane}", "makespan", "preemptions") == (total, 0)


@pytest.mark.parametrize(
    ("lane", "e2e", "recomputed"),
    [("fifo", [34, 54, 57.5], 19), ("priority", [70.5, 55, 34], 25)],
)
def test_15b_priority_turns_the_order_of_ends_around(
    lane: str, e2e: list[float], recomputed: int
) -> None:
    assert column(figures(f"15b/{lane}"), "e2e") == e2e
    assert overall(f"15b/{lane}", "recomputed") == (recomputed,)


def test_15b_the_most_urgent_evicts_nobody_on_arrival_but_by_growing() -> None:
    result = figures("15b/priority")
    assert result["requests"]["C"]["queue"] == 18
    assert evictions(result) == {6: ["A"], 8: ["B"]}


def test_15b_an_inversion_is_named_the_most_urgent_waits_for_blocks_of_the_less_urgent() -> None:
    result = figures("15b/priority")
    waits = [r for r in result["rounds"] if "C" in r["why"] and "C" in r["waiting"]]
    assert [(r["start"], r["why"]["C"]) for r in waits][:1] == [(13, "no_blocks")]
    assert all(set(r["running"]) <= {"A", "B"} for r in waits)
    assert Metrics(history("15b/priority")).longest_wait == 18


@pytest.mark.parametrize(("lane", "total"), [("counted", 28), ("priced", 31)])
def test_15c_five_decodes_fill_a_graph_of_eight(lane: str, total: float) -> None:
    records = history(f"15c/{lane}")
    assert [(r.decode, r.bucket_padding, r.is_eager) for r in records] == [
        (9, 0, True),
        (5, 3, False),
        (4, 0, False),
        (2, 0, False),
    ]
    assert [r["padding"] for r in figures(f"15c/{lane}")["rounds"]] == [0, 3, 0, 0]
    assert overall(f"15c/{lane}", "makespan") == (total,)


@pytest.mark.parametrize(("lane", "count", "total"), [("plain", 9, 35), ("drafts", 4, 24.5)])
def test_15d_drafts_that_are_right_save_rounds(lane: str, count: int, total: float) -> None:
    assert overall(f"15d/{lane}", "rounds", "makespan") == (count, total)


def test_15d_drafts_use_positions_and_come_out_together() -> None:
    result = figures("15d/drafts")
    assert given(result) == ["A:4 B:4", "A:4 B:4", "A:4 B:4", "A:1 B:2"]
    assert result["requests"]["A"]["outputs"] == [6, 13, 13, 13, 20, 20, 20, 20, 24.5]
    assert result["requests"]["B"]["outputs"] == [6, 13, 20, 20, 24.5, 24.5]


@pytest.mark.parametrize(("lane", "durations"), [("even", [4, 4]), ("skewed", [7, 7])])
def test_15e_the_fullest_expert_sets_the_time(lane: str, durations: list[float]) -> None:
    result = figures(f"15e/{lane}")
    assert times(result) == durations
    assert [sum(r["given"].values()) for r in result["rounds"]] == [8, 8]


def test_15f_a_slow_reader_is_paused_and_keeps_its_blocks() -> None:
    result = figures("15f")
    assert result["requests"]["S"]["outputs"] == [6, 10, 14, 30, 49, 69, 89, 109]
    assert result["requests"]["F"]["outputs"] == [6, 10, 14, 17, 20, 23, 26, 30]
    paused = [r for r in result["rounds"] if r["why"].get("S") == "paused"]
    assert [r["round"] for r in paused] == [4, 5, 6, 7]
    assert [r["blocks"]["S"] for r in paused] == [2, 2, 2, 2]
