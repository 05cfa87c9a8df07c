"""Every figure of the course's scenarios, worked out by hand or by another simulator.

The expected values are typed in, never recorded from this simulator: a wrong rule cannot bless
itself. Scenes of the course come from their files, the rest is built here.
"""

from dataclasses import replace
from typing import Any

import pytest

from sim import Scenario, run
from sim.check import check
from sim.export import to_json
from sim.files import builtin
from sim.history import simulate
from sim.metrics import Metrics
from sim.workload import synthetic
from tests.sim.make import BY_HAND, Row, by_hand, scenario


def figures(subject: Scenario | str, mode: str = "continuous", **setup: Any) -> dict[str, Any]:
    """A run as its JSON says it; the laws hold in every worked example too."""
    if isinstance(subject, str):
        subject = builtin(subject)
    history = run(subject.with_setup(mode=mode, **setup))
    check(history)
    return to_json(history)


def column(result: dict[str, Any], name: str) -> list[Any]:
    """One figure of every request, in list order."""
    return [request[name] for request in result["requests"].values()]


def ends(result: dict[str, Any]) -> list[float]:
    """When each request's last token came."""
    return [outputs[-1] for outputs in column(result, "outputs")]


def rounds(result: dict[str, Any]) -> list[tuple[float, float, int, int]]:
    """Each round as (start, end, P, D)."""
    return [(r["start"], r["end"], r["P"], r["D"]) for r in result["rounds"]]


def given(result: dict[str, Any]) -> list[str]:
    """Each round as `A:4 B:2`, by name."""
    return [" ".join(f"{i}:{n}" for i, n in sorted(r["given"].items())) for r in result["rounds"]]


def busy_seats(result: dict[str, Any]) -> int:
    """Seat-rounds in which a request got a position."""
    return sum(len(r["given"]) for r in result["rounds"])


# 1: a static batch holds its seats.


def test_1a_finished_requests_hold_their_seats() -> None:
    static = figures("1a", "static")
    assert static["overall"]["rounds"] == 6
    assert busy_seats(static) == 12
    assert static["overall"]["idle"] == 6
    assert ends(static) == [2, 4, 6]
    assert [r["idle"] for r in static["rounds"]] == [0, 0, 1, 1, 2, 2]


WAITS_TO_FILL: tuple[Row, ...] = (
    ("A", 0, 4, 2, {"cached": 4}),
    ("B", 3, 4, 2, {"cached": 4}),
    ("C", 9, 4, 2, {"cached": 4}),
)


@pytest.mark.parametrize(
    ("setup", "ttft"),
    [
        ({"mode": "static", "batch_size": 3, "batch_wait": "full"}, [10, 7, 1]),
        ({"mode": "static", "batch_size": 3, "batch_wait": 5}, [6, 3, 1]),
        ({"mode": "static", "batch_size": 3}, [1, 1, 1]),
        ({"mode": "continuous"}, [1, 1, 1]),
    ],
    ids=["full", "limit 5", "at once", "continuous"],
)
def test_1b_a_batch_that_waits_to_fill_delays_its_first_members(
    setup: dict[str, Any], ttft: list[int]
) -> None:
    mode = setup.pop("mode")
    result = figures(scenario(*WAITS_TO_FILL, time="tick", budget=8, **setup), mode)
    assert column(result, "ttft") == ttft


def test_1_exercise_outputs_of_1_1_and_10() -> None:
    rows = [(name, 0, 4, output, {"cached": 4}) for name, output in (("A", 1), ("B", 1), ("C", 10))]
    static = figures(scenario(*rows, time="tick", budget=8, batch_size=3), "static")
    assert static["overall"]["rounds"] == 10
    assert busy_seats(static) == 12
    assert static["overall"]["idle"] == 18


# 2: every round is a chance to regroup.


def test_2b_d_takes_the_seat_of_a() -> None:
    static, continuous = figures("2b", "static"), figures("2b")
    assert static["requests"]["D"]["ttft"] == 7
    assert continuous["requests"]["D"]["ttft"] == 3
    assert (static["overall"]["rounds"], continuous["overall"]["rounds"]) == (9, 6)
    assert (busy_seats(static), busy_seats(continuous)) == (15, 15)
    assert (static["overall"]["idle"], continuous["overall"]["idle"]) == (6, 0)


# 3: one trace under two schedulers.


def test_3a_static_lane_of_the_tick_example() -> None:
    static = figures("3a", "static")
    assert ends(static) == [6, 3, 11]
    assert static["overall"]["makespan"] == 11
    assert (static["overall"]["padding"], static["overall"]["idle"]) == (2, 3)
    assert static["overall"]["output_tps"] == 1
    assert column(static, "ttft") == [2, 2, 5]
    assert column(static, "tpot") == [1, 1, 1]
    assert static["overall"]["tokens"] == 11


def test_3a_continuous_lane_of_the_tick_example() -> None:
    continuous = figures("3a")
    assert ends(continuous) == [6, 3, 8]
    assert continuous["overall"]["makespan"] == 8
    assert continuous["overall"]["waste"] == 0
    assert continuous["overall"]["output_tps"] == 1.375
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
def test_3_exercise_c_arrives_at_another_time(
    c: int, makespans: tuple[int, int], waste: int, ttfts: tuple[int, int]
) -> None:
    subject = scenario(
        *(("A", 0, 4, 5), ("B", 0, 2, 2), ("C", c, 3, 4)),
        time="tick",
        budget=8,
        first_token="next_round",
        chunked=False,
        overtake=True,
    )
    static, continuous = figures(subject, "static"), figures(subject)
    both = (static, continuous)
    assert tuple(result["overall"]["makespan"] for result in both) == makespans
    assert static["overall"]["waste"] == waste
    assert tuple(result["requests"]["C"]["ttft"] for result in both) == ttfts


# 4: what a round costs.


def decodes(history: int) -> list[Row]:
    return [(f"D{i}", 0, history, 1, {"cached": history}) for i in range(1, 33)]


@pytest.mark.parametrize(
    ("rows", "durations"),
    [
        ([("A", 0, 32, 1)], [18]),
        (decodes(100), [37.2]),
        (decodes(4000), [162]),
        ([("A", 0, 96, 1)], [18, 18.032, 18.064]),
    ],
    ids=["one prompt", "short histories", "long histories", "later chunks"],
)
def test_4b_32_budget_tokens_cost_by_what_they_read(
    rows: list[Row], durations: list[float]
) -> None:
    history = run(scenario(*rows, budget=32, cost={"per_kv_token": 0.001}))
    assert [r.end - r.start for r in history] == [round(ms * 1_000_000) for ms in durations]


# 5: by hand.


def test_5a_rounds_by_hand() -> None:
    result = figures("5a")
    assert rounds(result) == [
        (0, 4, 4, 0),
        (4, 8, 4, 0),
        (8, 13, 2, 2),
        (13, 16.5, 1, 1),
        (16.5, 19.5, 0, 1),
    ]
    assert given(result) == ["A:4", "A:2 B:2", "A:1 B:1 C:2", "A:1 C:1", "C:1"]


def test_5a_latencies_by_hand() -> None:
    result = figures("5a")
    assert column(result, "outputs") == [[8, 13, 16.5], [8, 13], [16.5, 19.5]]
    assert column(result, "ttft") == [8, 6, 10.5]
    assert column(result, "itl") == [[5, 3.5], [5], [3]]
    assert column(result, "queue") == [0, 2, 2]
    assert result["overall"]["makespan"] == 19.5
    assert result["overall"]["tokens"] == 7
    assert round(result["overall"]["output_tps"], 2) == 358.97


def test_5a_static_lane_of_the_same_requests() -> None:
    static = figures("5a", "static")
    assert static["overall"]["makespan"] == 24
    assert round(static["overall"]["output_tps"], 2) == 291.67
    assert static["overall"]["padding"] == 1
    assert column(static, "ttft") == [7, 18, 14]


def test_5c_budget_of_6() -> None:
    result = figures("5c")
    assert rounds(result) == [(0, 5, 6, 0), (5, 9, 2, 1), (9, 14.5, 3, 2), (14.5, 17.5, 0, 1)]
    assert column(result, "ttft") == [5, 7, 8.5]
    assert result["overall"]["makespan"] == 17.5
    assert result["overall"]["output_tps"] == 400


@pytest.mark.parametrize(
    ("budget", "total"), [(3, 21.5), (4, 19.5), (5, 17.5), (6, 17.5), (8, 17.5), (12, 17.5)]
)
def test_5c_total_at_other_budgets(budget: int, total: float) -> None:
    assert figures("5c", budget=budget)["overall"]["makespan"] == total


def test_5c_ttft_at_a_budget_of_5() -> None:
    assert column(figures("5c", budget=5), "ttft") == [8, 6, 7.5]


BURST: tuple[Row, ...] = (("L", 0, 1000, 2), *BY_HAND)


@pytest.mark.parametrize(
    ("setup", "ttft", "total"),
    [
        ({"budget": 4}, [1000, 1008.5, 1011, 1011.5], 1020.5),
        ({"budget": 4, "max_chunk": 2}, [1509.5, 12, 19, 23.5], 1512.5),
        ({"budget": 32}, [569.5, 569.5, 567.5, 563.5], 578.5),
        ({"budget": 32, "max_chunk": 16}, [635.5, 13, 24.5, 20.5], 638.5),
    ],
    ids=["4", "4, chunk 2", "32", "32, chunk 16"],
)
def test_5_lab_a_prompt_of_1000_bursts_in(
    setup: dict[str, int], ttft: list[float], total: float
) -> None:
    result = figures(scenario(*BURST, service="decode_first", **setup))
    assert column(result, "ttft") == ttft
    assert result["overall"]["makespan"] == total


def test_5_lab_a_chunk_limit_without_the_burst() -> None:
    result = figures(by_hand(max_chunk=2))
    assert column(result, "ttft") == [11.5, 5, 9.5]
    assert result["overall"]["makespan"] == 19.5


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


def test_7_exercise_12_positions_5_decodes_and_prompts_of_10_and_6() -> None:
    rows = [(f"D{i}", 0, 4, 4, {"cached": 4}) for i in range(1, 6)]
    result = figures(
        scenario(*rows, ("A", 0, 10, 2), ("B", 0, 6, 2), budget=12, service="decode_first")
    )
    assert rounds(result)[0] == (0, 10.5, 7, 5)
    assert result["rounds"][0]["given"] == {"D1": 1, "D2": 1, "D3": 1, "D4": 1, "D5": 1, "A": 7}


# 8: whole or in pieces.


def test_8a_a_whole_prompt_makes_the_others_wait() -> None:
    result = figures("8a")
    assert rounds(result)[0] == (0, 10, 12, 2)
    assert result["requests"]["P"]["outputs"][0] == 10
    assert result["requests"]["A"]["outputs"][0] == 10


def test_8a_three_pieces_let_the_others_hear_in_between() -> None:
    result = figures("8a", budget=6)
    assert rounds(result)[:3] == [(0, 6, 4, 2), (6, 12, 4, 2), (12, 18, 4, 2)]
    assert result["requests"]["P"]["outputs"][0] == 18
    assert result["requests"]["A"]["outputs"][:3] == [6, 12, 18]


# 9: KV blocks.


def test_9b_sampled_and_computed_are_two_counts() -> None:
    history = run(scenario(("A", 0, 6, 3), budget=8, block_size=4, num_blocks=4))
    assert [(r.prefill, r.decode) for r in history] == [(6, 0), (0, 1), (0, 1)]
    assert [r.after["A"].computed for r in history] == [6, 7, 8]
    assert [r.after["A"].emitted for r in history] == [1, 2, 3]
    assert [r.used for r in history] == [2, 2, 2]
    assert [r.blocks for r in history] == [{"A": 2}] * 3


def test_9c_a_round_that_cannot_get_its_block_evicts() -> None:
    subject = scenario(("A", 0, 8, 6), ("B", 0, 8, 6), budget=16, block_size=4, num_blocks=5)
    result = figures(subject)
    first, second = result["rounds"][:2]
    assert (first["P"], first["used"]) == (16, 4)
    assert (second["D"], second["used"], second["preempted"]) == (1, 3, ["B"])
    assert result["requests"]["B"]["outputs"][1] == 31.5
    assert result["requests"]["B"]["recomputed"] == 8
    assert result["overall"]["recomputed"] == 8
    assert result["overall"]["makespan"] == 43.5


# 10: running out of blocks.

NEAR_THE_EDGE: tuple[Row, ...] = (
    *((f"R{i}", 0, 1597, 40, {"cached": 1597}) for i in range(1, 10)),
    ("N", 0, 1600, 8),
)


def near_the_edge(budget: int) -> dict[str, Any]:
    pool = {"block_size": 16, "num_blocks": 1000, "max_num_seqs": 16}
    return figures(scenario(*NEAR_THE_EDGE, budget=budget, **pool))


def test_10b_900_of_1000_blocks_in_use_and_a_prompt_in_chunks() -> None:
    result = near_the_edge(409)
    assert [r["used"] for r in result["rounds"][:4]] == [925, 950, 975, 1000]
    assert (result["rounds"][4]["preempted"], result["rounds"][4]["used"]) == (["N"], 909)
    assert [r["round"] for r in result["rounds"] if "N" in r["resumed"]] == [41]
    assert result["requests"]["N"]["recomputed"] == 1600
    assert result["requests"]["N"]["outputs"][:2] == [844, 2048.5]


def test_10b_900_of_1000_blocks_in_use_and_a_whole_prompt() -> None:
    first, second = near_the_edge(1609)["rounds"][:2]
    assert first["used"] == 1000
    assert second["preempted"] == ["N"]


@pytest.mark.parametrize(
    ("setup", "peak", "preemptions", "recomputed", "total"),
    [
        ({}, 6, 2, 24, 143.5),
        ({"watermark": 6}, 5, 1, 13, 148),
        ({"reserve": "max_output"}, 2, 0, 0, 164),
    ],
    ids=["optimistic", "watermark 6", "conservative"],
)
def test_10c_optimistic_admission_a_watermark_and_a_conservative_one(
    setup: dict[str, Any], peak: int, preemptions: int, recomputed: int, total: float
) -> None:
    rows = [(name, 2 * i, 8, 12, {"max_output": 24}) for i, name in enumerate("ABCDEF")]
    result = figures(
        scenario(*rows, budget=16, block_size=4, num_blocks=20, max_num_seqs=8, **setup)
    )["overall"]
    assert result["peak_running"] == peak
    assert (result["preemptions"], result["recomputed"]) == (preemptions, recomputed)
    assert result["makespan"] == total


def test_15a_without_a_cancellation_blocks_set_aside_keep_c_waiting() -> None:
    rows = (("A", 0, 8, 8), ("B", 0, 8, 8), ("C", 2, 8, 4))
    pool = {"block_size": 4, "num_blocks": 8, "reserve": "max_output"}
    result = figures(scenario(*rows, budget=16, **pool))
    assert result["requests"]["C"]["ttft"] == 42
    assert result["overall"]["makespan"] == 53
    assert result["overall"]["preemptions"] == 0


def test_10_exercise_a_prompt_of_40_and_an_output_of_25() -> None:
    history = run(scenario(("A", 0, 40, 25), budget=64, block_size=16, num_blocks=4))
    used = [r.used for r in history]
    assert (used[0], used[-1]) == (3, 4)
    takes_the_fourth = used.index(4)  # the first round is the prompt, so this counts decodes
    assert takes_the_fourth == 9
    assert history[takes_the_fourth].after["A"].emitted == 10


# 12: who is next, and what a prompt may hold.

EIGHT_DECODES: tuple[Row, ...] = (
    *((f"D{i}", 0, 1, 40, {"tenant": "chat"}) for i in range(1, 9)),
    *((f"N{i}", 100 * i - 95, 8, 2, {"tenant": "new"}) for i in range(1, 5)),
)


def beside_decodes(**setup: Any) -> dict[str, Any]:
    """Eight decodes fill the budget of 8; four newcomers want in."""
    base = {"budget": 8, "max_num_seqs": 16, "service": "decode_first"}
    return figures(scenario(*EIGHT_DECODES, **base, **setup))


def gaps_of_decodes(result: dict[str, Any]) -> tuple[float, float, float]:
    """Mean and longest gap of the eight, and when the last of them ends."""
    gaps = [gap for itl in column(result, "itl")[:8] for gap in itl]
    return round(sum(gaps) / len(gaps), 2), max(gaps), max(ends(result)[:8])


def test_12a_eight_decodes_leave_nothing_of_a_budget_of_8() -> None:
    result = beside_decodes()
    for record in result["rounds"][1:40]:
        assert not {"N1", "N2", "N3", "N4"} & set(record["given"])
    waiting = {r["start"]: len(r["waiting"]) for r in result["rounds"]}
    assert [waiting[start] for start in (6, 106, 206, 306)] == [1, 2, 3, 4]
    assert column(result, "ttft")[8:] == [397, 309.5, 216, 120]
    assert gaps_of_decodes(result) == (10, 10, 396)


@pytest.mark.parametrize(
    ("setup", "ttft", "gaps"),
    [
        ({"max_decodes": 6}, [37, 37, 37, 37], (11.15, 18, 444)),
        ({"prefill_reserve": 2}, [37, 43, 39, 45], (10.69, 20, 426)),
        (
            {"prefill_reserve": 2, "prefill_reserve_age": 50},
            [87, 93, 89, 95],
            (10.69, 20, 426),
        ),
        (
            {"prefill_reserve": 1, "prefill_reserve_age": 50},
            [127, 133, 129, 120],
            (10.65, 20, 425),
        ),
        ({"order": "tenant", "tenant_quota": 6}, [36, 37, 38, 34], (7.35, 9, 496)),
    ],
    ids=["max_decodes 6", "reserve 2", "2 after 50 ms", "1 after 50 ms", "quota 6"],
)
def test_12b_decodes_a_way_in_for_prompts(
    setup: dict[str, Any], ttft: list[float], gaps: tuple[float, float, float]
) -> None:
    result = beside_decodes(**setup)
    assert column(result, "ttft")[8:] == ttft
    assert gaps_of_decodes(result) == gaps


def test_12b_decodes_a_quota_holds_two_of_its_own_tenant_back() -> None:
    result = beside_decodes(order="tenant", tenant_quota=6)
    late = [out[0] for out in column(result, "outputs")[:8] if out[0] > 100]
    assert late == [339, 339]


@pytest.mark.parametrize(
    ("setup", "ttft", "mean"),
    [
        ({"order": "fifo"}, 19, 24.17),
        ({"order": "priority"}, 195, 9.5),
        ({"order": "aging", "aging_step": 20}, 115, 16.17),
        ({"order": "aging", "aging_step": 10}, 67, 20.17),
    ],
    ids=["fifo", "priority", "aging 20", "aging 10"],
)
def test_12b_aging_an_old_request_among_urgent_ones(
    setup: dict[str, Any], ttft: float, mean: float
) -> None:
    urgent = [(f"U{i}", 15 * (i - 1), 4, 5) for i in range(1, 13)]
    late = ("L", 1, 4, 5, {"priority": 5})
    result = figures(scenario(*urgent, late, budget=8, max_num_seqs=1, **setup))
    *others, last = column(result, "ttft")
    assert last == ttft
    assert round(sum(others) / 12, 2) == mean


@pytest.mark.parametrize(
    ("setup", "small", "big", "total"),
    [
        ({"order": "fifo"}, [71, 71], [10, 54], 84),
        ({"order": "tenant"}, [29, 49], [10, 72], 84),
        ({"order": "tenant", "tenant_quota": 1}, [10, 30], [26, 91], 100),
    ],
    ids=["fifo", "rotation", "quota 1"],
)
def test_12b_tenants_take_turns(
    setup: dict[str, Any], small: list[float], big: list[float], total: float
) -> None:
    rows: list[Row] = [(f"A{i}", 0, 8, 4, {"tenant": "big"}) for i in range(1, 7)]
    rows += [(f"B{i}", 1, 4, 4, {"tenant": "small"}) for i in (1, 2)]
    result = figures(scenario(*rows, budget=16, max_num_seqs=2, **setup))
    assert column(result, "ttft")[6:] == small
    assert [result["requests"][name]["ttft"] for name in ("A2", "A6")] == big
    assert result["overall"]["makespan"] == total


@pytest.mark.parametrize(
    ("setup", "ttft", "total"),
    [({}, [40, 48, 48, 48], 64), ({"max_chunk": 4}, [79, 13, 13, 13], 82)],
    ids=["no limit", "chunk 4"],
)
def test_12b_big_what_one_big_prompt_may_hold(
    setup: dict[str, int], ttft: list[float], total: float
) -> None:
    small = [(f"S{i}", 1, 4, 4) for i in range(1, 4)]
    result = figures(scenario(("L", 0, 64, 2), *small, budget=16, max_num_seqs=8, **setup))
    assert column(result, "ttft") == ttft
    assert result["overall"]["makespan"] == total


@pytest.mark.parametrize(
    ("setup", "ttft", "expected"),
    [
        ({}, [12, 12, 16], ["A:8", "A:4 B:4", "C:4"]),
        (
            {"granularity": "chunk", "max_chunk": 4},
            [16, 6, 12],
            ["A:4 B:4", "A:4 C:4", "A:4"],
        ),
        ({"granularity": "token"}, [16, 12, 12], ["A:3 B:3 C:2", "A:5 B:1 C:2", "A:4"]),
    ],
    ids=["request", "chunk", "token"],
)
def test_12c_first_come_first_served_by_what(
    setup: dict[str, Any], ttft: list[float], expected: list[str]
) -> None:
    result = figures(scenario(("A", 0, 12, 1), ("B", 0, 4, 1), ("C", 0, 4, 1), budget=8, **setup))
    assert column(result, "ttft") == ttft
    assert given(result) == expected


def test_12c_who_had_a_chunk_joins_again_behind_the_others() -> None:
    subject = scenario(
        *(("A", 0, 12, 1), ("B", 0, 4, 1), ("C", 0, 4, 1)),
        budget=8,
        granularity="chunk",
        max_chunk=4,
    )
    assert list(figures(subject)["rounds"][1]["given"]) == ["C", "A"]


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("fifo", [15, 30, 45, 52, 59]),
        ("priority", [15, 37, 52, 22, 59]),
        ("deadline", [15, 59, 44, 29, 22]),
    ],
)
def test_12_orders_who_is_next(order: str, expected: list[float]) -> None:
    rows: list[Row] = [
        ("A", 0, 8, 4, {"priority": 1, "deadline": 100}),
        ("B", 0, 8, 4, {"priority": 1, "deadline": 100}),
        ("C", 1, 8, 4, {"priority": 1, "deadline": 90}),
        ("D", 2, 4, 2, {"priority": 0, "deadline": 60}),
        ("E", 3, 4, 2, {"priority": 2, "deadline": 40}),
    ]
    assert ends(figures(scenario(*rows, budget=8, max_num_seqs=1, order=order))) == expected


@pytest.mark.parametrize(
    ("setup", "gap", "ttft", "total"),
    [
        ({"service": "decode_first"}, 10.5, [12, 26.5, 26], 69),
        ({"service": "prefill_first", "chunked": False}, 31, [10, 12, 14], 75),
        ({"chunked": False}, 10, [12, 21, 30], 69),
    ],
    ids=["chunked", "prefill_first", "whole prompts, no chunking"],
)
def test_12d_prompts_first_or_decodes_first(
    setup: dict[str, Any], gap: float, ttft: list[float], total: float
) -> None:
    rows: list[Row] = [("D1", 0, 2, 12), ("D2", 0, 2, 12)]
    rows += [(f"L{i}", 6 * i, 12, 2) for i in (1, 2, 3)]
    result = figures(scenario(*rows, budget=14, **setup))
    assert max(result["requests"]["D1"]["itl"]) == gap
    assert column(result, "ttft")[2:] == ttft
    assert result["overall"]["makespan"] == total


# 13: how much prompt a round should hold.


@pytest.mark.parametrize(
    ("setup", "tps", "p99", "p95", "calm"),
    [
        ({"max_prefill": 512}, 2229.86, 38.57, 4559.72, 600),
        ({"max_prefill": 4096}, 2299.84, 151.82, 336.59, 7),
        ({"round_target": 60}, 2293.57, 60, 914.79, 600),
    ],
    ids=["512", "4096", "60 ms"],
)
def test_13b_a_limit_on_prompts_or_a_target_for_the_round(
    setup: dict[str, int], tps: float, p99: float, p95: float, calm: int
) -> None:
    cost = {"base": 6, "per_prefill": 0.03, "per_decode": 0.03, "per_kv_token": 0.0001}
    alone = scenario(
        ("R", 0, 1, 1),
        budget=8192,
        max_num_seqs=256,
        service="decode_first",
        cost=cost,
        **setup,
    )
    drawn = synthetic(600, 14, 1, max_prompt=8192)
    known = Metrics(simulate(replace(alone, requests=drawn)))
    overall: dict[str, Any] = known.overall()
    assert round(overall["output_tps"], 2) == tps
    assert round(overall["itl"]["p99"], 2) == p99
    assert round(overall["ttft"]["p95"], 2) == p95
    longest = [known.request(i).max_itl for i in range(600)]
    assert sum(gap is None or gap <= 80 for gap in longest) == calm


# 15: priority and preemption.


@pytest.mark.parametrize(
    ("order", "e2e", "queue_of_c", "evicted", "recomputed"),
    [
        ("fifo", [34, 54, 57.5], None, None, 19),
        ("priority", [70.5, 55, 34], 18, {6: ["A"], 8: ["B"]}, 25),
    ],
)
def test_15b_under_priority_the_least_urgent_is_evicted(
    order: str,
    e2e: list[float],
    queue_of_c: float | None,
    evicted: dict[int, list[str]] | None,
    recomputed: int,
) -> None:
    rows = (("A", 0, 8, 8, {"priority": 2}), ("B", 1, 8, 8, {"priority": 1}), ("C", 10, 8, 4))
    result = figures(
        scenario(*rows, budget=16, block_size=4, num_blocks=6, max_num_seqs=4, order=order)
    )
    assert column(result, "e2e") == e2e
    assert result["overall"]["recomputed"] == recomputed
    if evicted is not None:
        assert result["requests"]["C"]["queue"] == queue_of_c
        assert {r["round"]: r["preempted"] for r in result["rounds"] if r["preempted"]} == evicted
