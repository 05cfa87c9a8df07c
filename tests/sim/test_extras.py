"""Graph buckets, drafts, experts, and blocks that move out and in."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim import History, Scenario, run
from sim.check import check
from sim.extras import bucket_padding, is_eager, split
from sim.setup import Experts
from tests.sim.make import scenario

MS = 1_000_000


def times(history: History, index: int = 0) -> list[float]:
    return [int(time) / MS for time in history.token_times(index)]


def durations(subject: Scenario) -> list[float]:
    check(run(subject))
    return [(record.end - record.start) / MS for record in run(subject)]


@pytest.mark.parametrize(
    ("decodes", "padding", "eager"),
    [(0, 0, False), (1, 0, False), (3, 1, False), (4, 0, False), (5, 3, False), (9, 0, True)],
)
def test_decodes_are_padded_to_the_next_bucket(decodes: int, padding: int, eager: bool) -> None:
    buckets = (1, 2, 4, 8)
    assert (bucket_padding(decodes, buckets), is_eager(decodes, buckets)) == (padding, eager)


def test_without_buckets_nothing_is_padded() -> None:
    assert (bucket_padding(3, None), is_eager(3, None)) == (0, False)


# Drafts.


def drafting(output: int, drafts: int, accepted: object, **setup: object) -> Scenario:
    speculation = {"drafts": drafts, "accepted": accepted}
    return scenario(("A", 0, 4, output), budget=8, speculation=speculation, **setup)


def test_a_prompt_beside_drafts_takes_none_of_the_accepted() -> None:
    rows = (("A", 0, 4, 9), ("B", 4, 4, 2))
    subject = scenario(*rows, budget=8, speculation={"drafts": 3, "accepted": [2, 0]})
    assert [record.tokens for record in run(subject)[:3]] == [
        {"A": 1},
        {"A": 3, "B": 1},
        {"A": 1, "B": 1},
    ]


def test_accepted_drafts_come_with_the_token_of_the_round() -> None:
    """4 ms for the prompt, then 2 + 1 + 3 · 0.5 = 4.5 ms a round of four positions."""
    assert times(run(drafting(9, 3, [3]))) == [4, 8.5, 8.5, 8.5, 8.5, 13, 13, 13, 13]


def test_no_draft_is_tried_beyond_what_is_allowed() -> None:
    history = run(drafting(2, 5, [5]))
    assert [record.given["A"] for record in history] == [4, 1]


def test_more_may_be_allowed_than_comes_out() -> None:
    speculation = {"drafts": 3, "accepted": [3]}
    subject = scenario(("A", 0, 4, 2, {"max_output": 9}), budget=8, speculation=speculation)
    check(run(subject))
    assert [record.given["A"] for record in run(subject)] == [4, 4]
    assert times(run(subject)) == [4, 8.5]


def test_the_budget_cuts_drafts_first() -> None:
    rows = (("A", 0, 2, 5), ("B", 0, 2, 5))
    subject = scenario(*rows, budget=4, speculation={"drafts": 4, "accepted": [0]})
    assert run(subject)[1].given == {"A": 4}
    assert run(subject)[1].drafts == 3


def test_chance_is_drawn_a_draft_until_the_first_miss() -> None:
    history = run(drafting(40, 3, 0.6, seed=5))
    random = Random(5)
    for record in list(history)[1:-1]:
        right = 0
        while right < record.drafts and random.random() < 0.6:
            right += 1
        assert record.tokens["A"] == right + 1


def test_the_seed_of_the_file_serves_where_the_setup_has_none() -> None:
    by_setup = run(drafting(30, 3, 0.6, seed=5))
    data = drafting(30, 3, 0.6).to_dict()
    assert list(run(Scenario.from_dict({**data, "seed": 5}))) == list(by_setup)
    assert list(run(Scenario.from_dict({**data, "seed": 6}))) != list(by_setup)


def test_a_request_with_drafts_must_find_blocks_for_all_it_may_say() -> None:
    with pytest.raises(ValueError, match="A: needs 4 KV blocks in the end, the pool has 3"):
        scenario(
            ("A", 0, 4, 2, {"max_output": 12}),
            budget=8,
            block_size=4,
            num_blocks=3,
            speculation={"drafts": 1, "accepted": [1]},
        )


# Experts.


def test_remainders_go_to_the_largest_first() -> None:
    assert split(10, Experts((5, 1, 1, 1))) == [7, 1, 1, 1]  # 6.25 and 1.25: a tie, so to the first
    assert split(6, Experts((1, 3))) == [2, 4]  # 1.5 and 4.5: a tie again
    assert split(8, Experts((5, 1, 1, 1))) == [5, 1, 1, 1]
    assert split(7, Experts((0.5, 0.5))) == [4, 3]


@given(
    st.integers(1, 300),
    st.lists(st.integers(0, 9) | st.floats(0.01, 5), min_size=1, max_size=6).filter(any),
)
def test_a_split_is_within_one_of_the_exact_share(positions: int, weights: list[float]) -> None:
    parts = split(positions, Experts(tuple(weights)))
    assert sum(parts) == positions
    for part, weight in zip(parts, weights, strict=True):
        assert abs(part - positions * weight / sum(weights)) < 1 + 1e-9


def test_drawn_experts_follow_the_seed_position_by_position() -> None:
    rows = [(f"D{i}", 0, 4, 3, {"cached": 4}) for i in range(8)]
    cost = {"per_decode": 0, "per_expert_token": 1}
    moe = {"weights": [3, 1], "draw": True}
    found = durations(scenario(*rows, budget=8, cost=cost, moe=moe, seed=7))
    random = Random(7)
    for duration in found:
        picked = [random.choices([0, 1], weights=[3, 1])[0] for _ in range(8)]
        assert duration == 2 + max(Counter(picked).values())


def test_a_time_target_counts_experts_that_are_known_before() -> None:
    cost = {"per_expert_token": 1}
    subject = scenario(("A", 0, 9, 1), budget=9, cost=cost, moe={"weights": [1, 1]}, round_target=6)
    assert [record.prefill for record in run(subject)] == [4, 4, 1]  # 2 + 4/2 + 2 = 6


# Swap.

PAIR = (("A", 0, 8, 6), ("B", 0, 8, 6))
POOL = {"budget": 16, "block_size": 4, "num_blocks": 5, "on_full": "swap"}


def test_blocks_that_move_cost_both_ways_and_nothing_is_computed_again() -> None:
    subject = scenario(*PAIR, **POOL, cost={"per_swap_block": 10})
    found = durations(subject)
    assert found[1] == 3 + 20  # B's two blocks go out
    assert found[6] == 3 + 20  # and come in, with its next decode
    assert run(subject).recomputed.tolist() == [0, 0]


def test_swapped_out_by_a_plan_of_no_round_is_paid_in_the_next() -> None:
    """A, admitted last, finds no block while P, who is paused, holds some: it moves out."""
    rows = (
        ("P", 0, 4, 3, {"credits": 1, "read_every": 100}),
        ("A", 0, 4, 9),
    )
    pool = {"block_size": 4, "num_blocks": 3, "on_full": "swap", "reserve": "none"}
    subject = scenario(*rows, budget=16, cost={"per_swap_block": 10}, **pool)
    history = run(subject)
    check(history)
    assert sum(history.preemptions) >= 1


def test_a_queue_that_stands_evicts_the_last_admitted() -> None:
    rows = (("A", 0, 8, 6, {"priority": 9}), ("B", 0, 8, 6))
    pool = {"budget": 16, "block_size": 4, "num_blocks": 4, "on_full": "queue"}
    history = run(scenario(*rows, order="priority", **pool))
    check(history)
    assert history[1].preempted == ("A",)  # B, the more urgent, was let in first


def test_a_waiting_head_without_blocks_is_rejected_and_the_next_looked_at() -> None:
    rows = (("A", 0, 8, 2), ("B", 0, 12, 2), ("C", 0, 2, 1))
    pool = {"budget": 32, "block_size": 4, "num_blocks": 4, "on_full": "reject"}
    history = run(scenario(*rows, **pool))
    check(history)
    assert [str(how) for how in history.states] == ["finished", "rejected", "finished"]
    assert history[0].given == {"A": 8, "C": 2}


def test_a_time_target_ends_the_deal_of_single_positions() -> None:
    """2 + 0.5 a position: six fit into 5 ms, dealt in turn to the two prompts."""
    rows = (("A", 0, 9, 1), ("B", 0, 2, 1))
    subject = scenario(*rows, budget=9, granularity="token", round_target=5)
    assert [dict(record.given) for record in run(subject)] == [{"A": 4, "B": 2}, {"A": 5}]
    short = scenario(*rows, budget=9, granularity="token", round_target=1, max_prefill=4)
    assert run(short)[0].given == {"A": 1}  # no target is so short that nothing runs


def test_who_was_evicted_with_more_than_a_budget_comes_back_in_chunks() -> None:
    """Whole prompts only; B has 8 + 3 tokens when it goes, more than the 10 of any round."""
    rows = (("A", 0, 8, 9), ("B", 0, 8, 9))
    pool = {"budget": 16, "block_size": 1, "num_blocks": 22, "chunked": False}
    history = run(scenario(*rows, **pool))
    check(history)
    assert sum(history.preemptions) == 1
    smaller = run(scenario(("A", 0, 8, 9), ("B", 1, 8, 9), **{**pool, "budget": 10}))
    check(smaller)
    back = [n for record in smaller for n in record.given.values() if 1 < n < 8 or n > 8]
    assert max(smaller[0].given.values()) == 8 and back
