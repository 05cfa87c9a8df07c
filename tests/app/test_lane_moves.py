"""What a round moves: seats, queue, blocks and the terms of its cost."""

from collections import Counter
from typing import Any

from hypothesis import given, settings

from app.lane_moves import FREE, moves, pool, prices
from sim import Scenario, run
from sim.blocks import tables
from tests.sim.make import scenario, scenarios

ROWS = [("A", 0, 6, 8), ("B", 0, 6, 8), ("C", 2, 5, 6)]
SMALL_POOL = {"budget": 8, "num_blocks": 7, "block_size": 4, "reserve": "none"}


def places(subject: Scenario) -> dict[str, int]:
    return {request.id: i for i, request in enumerate(subject.requests)}


def unfolded(told: dict[str, Any], nothing: int) -> list[dict[int, int]]:
    """What is held after each round's plan, as the browser makes it."""
    rows, now = [], dict[int, int]()
    for pairs in told["changes"]:
        now = {**now, **dict(zip(pairs[::2], pairs[1::2], strict=True))}
        now = {key: value for key, value in now.items() if value != nothing}
        rows.append(now)
    return rows


def test_an_eviction_gives_a_seat_back() -> None:
    subject = scenario(*ROWS, **SMALL_POOL)
    told = moves(list(run(subject)), places(subject))
    assert told[0] == {"in": [0, 1], "queue": [2, 0], "seats": [0, 2]}
    assert told[4] == {"out": [2], "queue": [0, 1], "seats": [3, 2]}
    assert [row["again"] for row in told if "again" in row] == [[2]]


@settings(max_examples=30)
@given(scenarios(num_blocks=30))
def test_blocks_are_those_of_the_block_tables(subject: Scenario) -> None:
    records, place = list(run(subject)), places(subject)
    for is_whole in (True, False):
        told = pool(records, subject.setup, place, whole=is_whole)
        assert told is not None and told["tiled"] is is_whole
        rows = unfolded(told, FREE if is_whole else 0)
        for held, table in zip(rows, tables(records, 30), strict=True):
            wanted = {place[id_]: len(blocks) for id_, blocks in table.items()}
            assert (dict(Counter(held.values())) if is_whole else held) == wanted


def test_the_terms_of_the_cost_are_all_of_it() -> None:
    cost = {"per_kv_token": 0.25, "per_swap_block": 3}
    subject = scenario(*ROWS, **SMALL_POOL, on_full="swap", cost=cost)
    records = list(run(subject))
    (told,) = prices(records, [subject.setup] * len(records))
    assert told["first"] == 0 and told["rest_of"] == "swap"
    assert any(told["rest"])
    for record, kv_read, rest in zip(records, told["kv_read"], told["rest"], strict=True):
        terms = told["base"] + told["per_prefill"] * record.prefill
        terms += told["per_decode"] * record.decode + told["per_kv_token"] * kv_read + rest
        assert terms == (record.end - record.start) / 1_000_000


def test_a_tick_has_no_price() -> None:
    subject = scenario(*ROWS, budget=8, time="tick")
    records = list(run(subject))
    assert prices(records, [subject.setup] * len(records)) == []
    assert pool(list(run(subject)), subject.setup, places(subject), whole=True) is None
