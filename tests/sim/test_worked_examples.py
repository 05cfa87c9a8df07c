"""Every figure of the course's scenarios, lessons 1 to 9; the others stand in files of their own.

The expected values are typed in, worked out by hand or by another simulator, never recorded from
this one: a wrong rule cannot bless itself. Requests and setups come from the scenario files.
"""

from collections import Counter

import pytest

from tests.sim.worked import (
    busy_seats,
    column,
    ends,
    evictions,
    figures,
    given,
    history,
    of,
    overall,
    rounds,
    times,
)

# 1: a static batch holds its seats.


def test_1a_finished_requests_hold_their_seats() -> None:
    static = figures("1a/static")
    assert static["overall"]["rounds"] == 6
    assert busy_seats(static) == 12
    assert static["overall"]["idle"] == 6
    assert ends(static) == [2, 4, 6]
    assert [r["idle"] for r in static["rounds"]] == [0, 0, 1, 1, 2, 2]
    assert Counter(id_ for r in history("1a/static") for id_ in r.idle) == {"A": 4, "B": 2}


@pytest.mark.parametrize(
    ("lane", "ttft"),
    [
        ("full", [10, 7, 1]),
        ("limit-5", [6, 3, 1]),
        ("at-once", [1, 1, 1]),
        ("continuous", [1, 1, 1]),
    ],
)
def test_1b_a_batch_that_waits_to_fill_delays_its_first_members(lane: str, ttft: list[int]) -> None:
    assert column(figures(f"1b/{lane}"), "ttft") == ttft


def test_1_exercise_outputs_of_1_1_and_10_leave_18_of_30_seats_idle() -> None:
    static = figures("1-exercise/static")
    assert static["overall"]["rounds"] == 10
    assert busy_seats(static) == 12
    assert static["overall"]["idle"] == 18


# 2: every round is a chance to regroup.


@pytest.mark.parametrize(
    ("lane", "first", "count", "used", "idle"),
    [("static", 7, 9, 15, 6), ("continuous", 3, 6, 15, 0)],
)
def test_2b_d_takes_the_seat_of_a_as_soon_as_it_may(
    lane: str, first: int, count: int, used: int, idle: int
) -> None:
    result = figures(f"2b/{lane}")
    assert next(r["round"] for r in result["rounds"] if "D" in r["emitted"]) == first
    assert result["requests"]["D"]["outputs"][0] == first
    assert result["overall"]["rounds"] == count
    assert busy_seats(result) == used
    assert result["overall"]["idle"] == idle


# 3: one trace under two schedulers.


def test_3a_static_lane_of_the_tick_example() -> None:
    static = figures("3a/static")
    assert ends(static) == [6, 3, 11]
    assert overall("3a/static", "makespan", "padding", "idle", "output_tps") == (11, 2, 3, 1)
    assert column(static, "ttft") == [2, 2, 5]
    assert column(static, "tpot") == [1, 1, 1]
    assert static["overall"]["tokens"] == 11


def test_3a_continuous_lane_of_the_tick_example() -> None:
    continuous = figures("3a/continuous")
    assert ends(continuous) == [6, 3, 8]
    assert overall("3a/continuous", "makespan", "waste", "output_tps") == (8, 0, 1.375)
    assert column(continuous, "ttft") == [2, 2, 2]
    assert column(continuous, "tpot") == [1, 1, 1]
    assert continuous["overall"]["tokens"] == 11
    assert rounds(continuous) == [
        (0, 1, 6, 0),
        (1, 2, 0, 2),
        (2, 3, 0, 2),
        (3, 4, 3, 1),
        (4, 5, 0, 2),
        (5, 6, 0, 2),
        (6, 7, 0, 1),
        (7, 8, 0, 1),
    ]


@pytest.mark.parametrize(
    ("c", "makespans", "waste", "ttfts"),
    [
        (0, (7, 6), 7, (3, 3)),
        (1, (11, 6), 5, (7, 2)),
        (2, (11, 7), 5, (6, 2)),
        (5, (11, 10), 5, (3, 2)),
        (6, (11, 11), 5, (2, 2)),
        (9, (14, 14), 5, (2, 2)),
    ],
)
def test_3_exercise_static_does_as_well_once_c_comes_late_enough(
    c: int, makespans: tuple[int, int], waste: int, ttfts: tuple[int, int]
) -> None:
    static, continuous = both = (
        figures(f"3-exercise/static-{c}"),
        figures(f"3-exercise/continuous-{c}"),
    )
    assert tuple(result["overall"]["makespan"] for result in both) == makespans
    assert (static["overall"]["waste"], continuous["overall"]["waste"]) == (waste, 0)
    assert tuple(result["requests"]["C"]["ttft"] for result in both) == ttfts
    assert column(static, "arrival") == column(continuous, "arrival") == [0, 0, c]


# 4: what a round costs.


@pytest.mark.parametrize(
    ("lane", "durations"),
    [
        ("one-prompt", [18]),
        ("short-histories", [37.2]),
        ("long-histories", [162]),
        ("later-chunks", [18, 18.032, 18.064]),
    ],
)
def test_4b_32_budget_tokens_cost_by_what_they_read(lane: str, durations: list[float]) -> None:
    result = figures(f"4b/{lane}")
    assert times(result) == durations
    assert [r["P"] + r["D"] for r in result["rounds"]] == [32] * len(durations)


# 5: by hand.


def test_5a_rounds_by_hand() -> None:
    result = figures("5a/hand")
    assert rounds(result) == [
        (0, 4, 4, 0),
        (4, 8, 4, 0),
        (8, 13, 2, 2),
        (13, 16.5, 1, 1),
        (16.5, 19.5, 0, 1),
    ]
    assert given(result) == ["A:4", "A:2 B:2", "A:1 B:1 C:2", "A:1 C:1", "C:1"]


def test_5a_latencies_by_hand() -> None:
    result = figures("5a/hand")
    assert column(result, "outputs") == [[8, 13, 16.5], [8, 13], [16.5, 19.5]]
    assert column(result, "ttft") == [8, 6, 10.5]
    assert column(result, "itl") == [[5, 3.5], [5], [3]]
    assert column(result, "queue") == [0, 2, 2]
    assert overall("5a/hand", "makespan", "tokens") == (19.5, 7)
    assert round(result["overall"]["output_tps"], 2) == 358.97


def test_5a_static_lane_of_the_same_requests() -> None:
    static = figures("5a/static")
    assert static["overall"]["makespan"] == 24
    assert round(static["overall"]["output_tps"], 2) == 291.67
    assert static["overall"]["padding"] == 1
    assert column(static, "ttft") == [7, 18, 14]


def test_5c_budget_of_6() -> None:
    result = figures("5c/6")
    assert rounds(result) == [(0, 5, 6, 0), (5, 9, 2, 1), (9, 14.5, 3, 2), (14.5, 17.5, 0, 1)]
    assert column(result, "ttft") == [5, 7, 8.5]
    assert overall("5c/6", "makespan", "output_tps") == (17.5, 400)


@pytest.mark.parametrize(
    ("budget", "total"), [(3, 21.5), (4, 19.5), (5, 17.5), (6, 17.5), (8, 17.5), (12, 17.5)]
)
def test_5c_more_than_5_tokens_a_round_gain_nothing_in_all(budget: int, total: float) -> None:
    assert overall(f"5c/{budget}", "makespan") == (total,)


def test_5c_ttft_at_a_budget_of_5() -> None:
    assert column(figures("5c/5"), "ttft") == [8, 6, 7.5]


@pytest.mark.parametrize(
    ("lane", "ttft", "total"),
    [
        ("4", [1000, 1008.5, 1011, 1011.5], 1020.5),
        ("4-chunk-2", [1509.5, 12, 19, 23.5], 1512.5),
        ("32", [569.5, 569.5, 567.5, 563.5], 578.5),
        ("32-chunk-16", [635.5, 13, 24.5, 20.5], 638.5),
        ("no-burst-4-chunk-2", [11.5, 5, 9.5], 19.5),
    ],
)
def test_5_lab_a_chunk_limit_lets_short_prompts_pass_one_of_1000(
    lane: str, ttft: list[float], total: float
) -> None:
    result = figures(f"5-lab/{lane}")
    assert column(result, "ttft") == ttft
    assert result["overall"]["makespan"] == total


# 7: decodes first, the rest to prompts.


def test_7a_the_rest_of_the_budget_goes_to_the_prompt() -> None:
    result = figures("7a")
    assert rounds(result) == [
        (0, 7.5, 5, 3),
        (7.5, 15, 5, 3),
        (15, 21, 2, 3),
        (21, 27, 0, 4),
        (27, 32, 0, 3),
    ]
    assert result["requests"]["P"]["ttft"] == 21


def test_7_exercise_5_decodes_leave_7_of_12_positions_to_the_first_prompt() -> None:
    result = figures("7-exercise")
    assert rounds(result)[0] == (0, 10.5, 7, 5)
    assert result["rounds"][0]["given"] == {"D1": 1, "D2": 1, "D3": 1, "D4": 1, "D5": 1, "A": 7}


# 8: whole or in pieces.


def test_8a_a_whole_prompt_makes_the_others_wait() -> None:
    result = figures("8a/14")
    assert rounds(result)[0] == (0, 10, 12, 2)
    assert result["requests"]["P"]["outputs"][0] == 10
    assert result["requests"]["A"]["outputs"][0] == 10


def test_8a_three_pieces_let_the_others_hear_in_between() -> None:
    result = figures("8a/6")
    assert rounds(result)[:3] == [(0, 6, 4, 2), (6, 12, 4, 2), (12, 18, 4, 2)]
    assert result["requests"]["P"]["outputs"][0] == 18
    assert result["requests"]["A"]["outputs"][:3] == [6, 12, 18]


# 9: two counts, and a round that cannot get its block.


def test_9b_sampled_and_computed_are_two_counts() -> None:
    records = list(history("9b"))
    assert [(r.prefill, r.decode) for r in records] == [(6, 0), (0, 1), (0, 1)]
    assert [r.after["A"].computed for r in records] == [6, 7, 8]
    assert [r.after["A"].emitted for r in records] == [1, 2, 3]
    assert [r.used for r in records] == [2, 2, 2]
    assert [r.blocks for r in records] == [{"A": 2}] * 3


@pytest.mark.parametrize("lane", ["recompute", "swap", "queue", "reject"])
def test_9c_both_prompts_take_4_of_5_blocks_in_the_first_round(lane: str) -> None:
    first = figures(f"9c/{lane}")["rounds"][0]
    assert (first["P"], first["used"]) == (16, 4)


@pytest.mark.parametrize("lane", ["recompute", "swap"])
def test_9c_a_round_that_cannot_get_its_block_drops_a_token_and_evicts(lane: str) -> None:
    second = figures(f"9c/{lane}")["rounds"][1]
    assert (second["D"], second["used"], second["preempted"]) == (1, 3, ["B"])


def test_9c_recompute_starts_b_again_with_its_first_output_known() -> None:
    result = figures("9c/recompute")
    b = result["requests"]["B"]
    back = next(r for r in result["rounds"] if "B" in r["resumed"])
    assert (back["given"]["B"], back["end"], b["outputs"][1]) == (9, 31.5, 31.5)
    assert (b["recomputed"], result["overall"]["recomputed"]) == (8, 8)
    assert result["overall"]["makespan"] == 43.5


def test_9c_swap_moves_blocks_out_and_in_and_computes_nothing_again() -> None:
    result = figures("9c/swap")
    assert result["requests"]["B"]["outputs"][1] == 32
    assert overall("9c/swap", "makespan", "recomputed") == (44, 0)


def test_9c_queue_keeps_bs_blocks_until_nobody_can_move() -> None:
    result = figures("9c/queue")
    assert "B" not in result["rounds"][1]["given"]
    assert result["rounds"][1]["blocks"] == {"A": 3, "B": 2}
    assert evictions(result) == {6: ["B"]}
    assert result["overall"]["makespan"] == 43.5


def test_9c_reject_ends_b() -> None:
    assert overall("9c/reject", "states", "makespan") == ({"finished": 1, "rejected": 1}, 25)
    assert of(figures("9c/reject"), "state", "A", "B") == ["finished", "rejected"]
