"""Block tables: which blocks of the pool belong to whom."""

from sim import run
from sim.blocks import tables
from tests.sim.make import scenario

PAIR = (("A", 0, 8, 6), ("B", 0, 8, 6))


def test_the_lowest_free_blocks_are_taken_in_the_order_served() -> None:
    history = run(scenario(*PAIR, budget=16, block_size=4, num_blocks=5))
    shown = list(tables(history[:3], 5))
    assert shown[0] == {"A": (0, 1), "B": (2, 3)}
    assert shown[1] == {"A": (0, 1, 2)}  # B was evicted: its first block went to A
    assert shown[2] == {"A": (0, 1, 2)}


def test_who_comes_back_gets_other_blocks() -> None:
    history = run(scenario(*PAIR, budget=16, block_size=4, num_blocks=5))
    last = list(tables(history, 5))[-1]
    assert last == {"B": (0, 1, 2, 3)}


def test_blocks_of_dropped_drafts_come_back_from_the_end() -> None:
    drafts = {"drafts": 3, "accepted": [0]}
    subject = scenario(("A", 0, 4, 6), budget=8, block_size=2, num_blocks=8, speculation=drafts)
    shown = [len(table["A"]) for table in tables(run(subject), 8)]
    assert shown == [2, 4, 5, 5, 5, 5]  # 4, 8, then 9 tokens with the drafts still allowed
    used = [record.used for record in run(subject)]
    assert used == shown


def test_a_static_batch_holds_all_its_blocks_until_it_ends() -> None:
    rows = (("A", 0, 4, 1), ("B", 0, 4, 3))
    subject = scenario(*rows, mode="static", budget=16, block_size=4, num_blocks=8)
    assert list(tables(run(subject), 8)) == [{"A": (0,), "B": (1, 2)}] * 3
