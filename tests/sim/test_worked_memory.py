"""Every figure of lesson 10's scenarios: blocks run out."""

from typing import Any

import pytest

from tests.sim.worked import evictions, figures, history, overall


@pytest.mark.parametrize("lane", ["chunks", "whole"])
def test_10b_nine_hundred_of_1000_blocks_are_in_use(lane: str) -> None:
    first = figures(f"10b/{lane}")["rounds"][0]
    held = [n for id_, n in first["blocks"].items() if id_ != "N"]
    assert held == [100] * 9


def test_10b_chunks_take_the_last_blocks_step_by_step_and_the_newcomer_goes() -> None:
    result = figures("10b/chunks")
    assert [r["given"]["N"] for r in result["rounds"][:4]] == [400] * 4
    assert [r["used"] for r in result["rounds"][:4]] == [925, 950, 975, 1000]
    assert (result["rounds"][4]["preempted"], result["rounds"][4]["used"]) == (["N"], 909)


def test_10b_the_newcomer_comes_back_when_the_others_are_gone() -> None:
    result = figures("10b/chunks")
    assert [r["round"] for r in result["rounds"] if "N" in r["resumed"]] == [41]
    assert result["requests"]["N"]["recomputed"] == 1600
    assert result["requests"]["N"]["outputs"][:2] == [844, 2048.5]


def test_10b_a_whole_prompt_takes_all_and_its_own_next_token_has_no_block() -> None:
    first, second = figures("10b/whole")["rounds"][:2]
    assert first["used"] == 1000
    assert second["preempted"] == ["N"]


@pytest.mark.parametrize(
    ("lane", "peak", "preemptions", "recomputed", "total"),
    [
        ("optimistic", 6, 2, 24, 143.5),
        ("watermark-6", 5, 1, 13, 148),
        ("conservative", 2, 0, 0, 164),
    ],
)
def test_10c_who_lets_in_more_evicts_more(
    lane: str, peak: int, preemptions: int, recomputed: int, total: float
) -> None:
    names = ("peak_running", "preemptions", "recomputed", "makespan")
    assert overall(f"10c/{lane}", *names) == (peak, preemptions, recomputed, total)


@pytest.mark.parametrize(
    ("lane", "good", "goodput"),
    [("optimistic", 4, 27.87), ("watermark-6", 5, 33.78), ("conservative", 3, 18.29)],
)
def test_10c_the_watermark_keeps_most_within_the_slo(lane: str, good: int, goodput: float) -> None:
    result = figures(f"10c/{lane}")
    assert result["overall"]["good"] == good
    assert round(result["overall"]["goodput"], 2) == goodput
    within = [
        r["ttft"] <= 60 and max(r["itl"], default=0) <= 40 for r in result["requests"].values()
    ]
    assert sum(within) == good


@pytest.mark.parametrize(
    ("lane", "figure", "count", "total"),
    [
        ("swap", "recomputed", 0, 139),
        ("queue", "preemptions", 1, 135.5),
        ("reject", "states", {"finished": 4, "rejected": 2}, 110),
    ],
)
def test_10c_other_ways_out_of_a_full_pool(
    lane: str, figure: str, count: Any, total: float
) -> None:
    assert overall(f"10c/{lane}", figure, "makespan") == (count, total)


def test_10c_a_queue_evicts_only_when_nobody_could_move() -> None:
    result = figures("10c/queue")
    (forced,) = evictions(result)
    before = result["rounds"][forced - 2]
    assert set(before["given"]) < set(before["running"])  # some already stood still


def test_10_exercise_the_9th_decode_takes_the_fourth_block() -> None:
    records = list(history("10-exercise"))
    used = [r.used for r in records]
    assert (used[0], used[-1]) == (3, 4)
    takes_the_fourth = used.index(4)  # the first round is the prompt, so this counts decodes
    assert takes_the_fourth == 9
    assert records[takes_the_fourth].after["A"].emitted == 10
