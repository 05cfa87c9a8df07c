"""Who is next, who takes turns, who is held back: single rules on cases small enough to see."""

from typing import Any

import pytest

from sim import Reason, Scenario, run
from sim.check import check
from sim.history import simulate
from sim.order import NEVER, urgency
from sim.sequence import Sequence
from sim.setup import Request, Setup
from tests.sim.make import Row, by_hand, scenario

THREE: tuple[Row, ...] = (("A", 0, 1, 5), ("B", 0, 1, 5), ("C", 0, 1, 5))
D_AND_N: tuple[Row, ...] = (("D", 0, 1, 6), ("N", 1, 8, 1))


def given(subject: Scenario) -> list[str]:
    """Each round as `A:4 B:2`, in the order in which the budget was spent."""
    history = run(subject)
    check(history)
    assert list(history) == list(simulate(subject, jump=False))
    return [" ".join(f"{id_}:{n}" for id_, n in record.given.items()) for record in history]


# Turns among decodes.


def test_decodes_left_out_take_turns_in_a_ring() -> None:
    assert given(scenario(*THREE, budget=8, max_decodes=2))[:5] == [
        "A:1 B:1 C:1",
        "A:1 B:1",
        "C:1 A:1",
        "B:1 C:1",
        "A:1 B:1",
    ]


def test_a_newcomer_to_the_ring_is_behind_those_who_still_wait_for_their_turn() -> None:
    rows = (*THREE, ("N", 3, 2, 3))
    assert given(scenario(*rows, budget=8, max_decodes=2, service="decode_first"))[:5] == [
        "A:1 B:1 C:1",
        "A:1 B:1 N:2",
        "C:1 A:1",
        "B:1 N:1",
        "C:1 A:1",
    ]


def test_without_a_limit_nobody_takes_turns() -> None:
    assert given(scenario(*THREE, budget=8))[1:] == ["A:1 B:1 C:1"] * 4


def test_a_reserve_takes_no_more_than_prompts_can_use() -> None:
    rows = (*THREE, ("N", 1, 2, 2))
    assert given(scenario(*rows, budget=4, prefill_reserve=3, service="decode_first"))[:3] == [
        "A:1 B:1 C:1",
        "A:1 B:1 N:2",
        "A:1 B:1 C:1 N:1",
    ]


def test_a_reserve_waits_until_a_prompt_is_old_enough() -> None:
    rows = (*THREE, ("N", 1, 2, 2))
    old = scenario(*rows, budget=3, prefill_reserve=2, prefill_reserve_age=5)
    assert given(old)[:4] == ["A:1 B:1 C:1", "A:1 B:1 C:1", "A:1 N:2", "B:1 C:1 A:1"]


def test_a_reserve_that_no_prompt_can_use_goes_back_to_decodes() -> None:
    """N finds blocks free, but not above the watermark: an empty round would help nobody."""
    pool = {"block_size": 4, "num_blocks": 4, "watermark": 2}
    subject = scenario(*D_AND_N, budget=4, prefill_reserve=4, **pool)
    assert given(subject) == ["D:1"] * 6 + ["N:4"] * 2
    assert run(subject)[1].why == {"N": Reason.NO_BLOCKS}


def test_a_reserve_counts_no_prompt_without_a_seat_or_blocks() -> None:
    no_seat = scenario(*D_AND_N, budget=4, prefill_reserve=4, max_num_seqs=1)
    no_blocks = scenario(*D_AND_N, budget=4, prefill_reserve=4, block_size=4, num_blocks=2)
    for subject in (no_seat, no_blocks):
        assert given(subject)[:6] == ["D:1"] * 6


def test_a_position_taken_back_from_an_evicted_decode_can_be_given_again() -> None:
    rows = (("A", 0, 4, 6, {"priority": 2}), ("B", 1, 4, 6), ("C", 1, 4, 6))
    pool = {"block_size": 4, "num_blocks": 4}
    history = run(scenario(*rows, budget=16, max_decodes=2, order="priority", **pool))
    check(history)
    evicts = next(r for r in history if r.preempted)
    assert evicts.preempted == ("A",)
    assert list(evicts.given) == ["B", "C"]


# Tenants.


def tenants(**setup: Any) -> Scenario:
    rows: list[Row] = [(f"A{i}", 0, 2, 3, {"tenant": "a"}) for i in (1, 2, 3)]
    rows += [("B1", 0, 2, 3, {"tenant": "b"}), ("C1", 0, 2, 3, {"tenant": "c"})]
    return scenario(*rows, budget=16, order="tenant", **setup)


def test_tenants_are_let_in_by_turns() -> None:
    first = run(tenants())[0]
    assert first.admitted == ("A1", "B1", "C1", "A2", "A3")


def test_the_turn_goes_on_where_it_stood() -> None:
    history = run(tenants(max_num_seqs=2))
    assert [r.admitted for r in history if r.admitted] == [("A1", "B1"), ("C1", "A2"), ("A3",)]


def test_a_tenant_with_a_full_quota_is_passed_over() -> None:
    history = run(tenants(tenant_quota=1))
    assert history[0].admitted == ("A1", "B1", "C1")
    assert history[0].why == {"A2": Reason.TENANT_QUOTA, "A3": Reason.TENANT_QUOTA}
    assert [r.admitted for r in history if r.admitted][1:] == [("A2",), ("A3",)]


def test_who_is_turned_away_ends_no_turn() -> None:
    history = run(tenants(block_size=8, num_blocks=2, on_full="reject"))
    assert history[0].admitted == ("A1", "B1")
    assert [str(state) for state in history.states] == [
        "finished", "rejected", "rejected", "finished", "rejected",
    ]  # fmt: skip


def test_a_quota_binds_only_in_the_order_of_tenants() -> None:
    assert run(tenants(tenant_quota=1).with_setup(order="fifo"))[0].admitted[1] == "A2"


# Orders.


def test_no_deadline_comes_last_and_ties_go_by_arrival() -> None:
    setup = Setup(4, order="deadline")
    rows = [Request("A", 3, 1, 1), Request("B", 2, 1, 1), Request("C", 9, 1, 1, deadline=50)]
    keys = {row.id: urgency(Sequence(i, row), setup) for i, row in enumerate(rows)}
    assert sorted(keys, key=keys.__getitem__) == ["C", "B", "A"]
    assert keys["A"] == (NEVER, 3, 0)


def test_a_step_of_waiting_is_worth_one_level() -> None:
    setup = Setup(4, order="aging", aging_step=10)
    old = urgency(Sequence(0, Request("A", 0, 1, 1, priority=2)), setup)
    young = urgency(Sequence(1, Request("B", 20, 1, 1, priority=0)), setup)
    later = urgency(Sequence(2, Request("C", 1, 1, 1, priority=2)), setup)
    assert old == (20, 0, 0)
    assert old < young < later  # the first two are equal, so by arrival


@pytest.mark.parametrize("order", ["fifo", "deadline", "aging", "tenant"])
def test_only_under_priority_the_least_urgent_is_the_victim(order: str) -> None:
    rows = (("A", 0, 4, 2, {"priority": 1, "deadline": 99}), ("B", 0, 4, 2, {"deadline": 9}))
    pool = {"block_size": 4, "num_blocks": 2, "aging_step": 0}
    subject = scenario(*rows, budget=8, order=order, **pool)
    evicted = [r.preempted for r in run(subject) if r.preempted]
    last_in = run(subject)[0].admitted[-1]
    assert evicted == [(last_in,)]
    assert [r.preempted for r in run(subject.with_setup(order="priority")) if r.preempted] == [
        ("A",)
    ]


# Reasons.

TWO: tuple[Row, ...] = (("A", 0, 4, 3), ("B", 0, 4, 3))


@pytest.mark.parametrize(
    ("reason", "index", "subject"),
    [
        (Reason.DECODE_LIMIT, 1, scenario(*TWO, budget=8, max_decodes=1)),
        (Reason.DECODE_LIMIT, 1, scenario(*TWO, ("C", 1, 9, 1), budget=8, prefill_reserve=7)),
        (Reason.PREFILL_LIMIT, 0, scenario(*TWO, budget=8, max_prefill=4)),
        (Reason.TIME_TARGET, 0, scenario(*TWO, budget=8, round_target=4)),
        (
            Reason.TENANT_QUOTA,
            0,
            scenario(*TWO, budget=8, order="tenant", tenant_quota=1),
        ),
        (
            Reason.NO_SEAT,
            0,
            scenario(*TWO, budget=8, granularity="chunk", max_chunk=4, max_num_seqs=1),
        ),
    ],
    ids=["max_decodes", "reserve", "max_prefill", "round_target", "quota", "seat"],
)
def test_the_reason_names_the_limit(reason: Reason, index: int, subject: Scenario) -> None:
    assert run(subject)[index].why["B"] is reason


def test_prompts_first_holds_decodes_back_and_says_so() -> None:
    subject = scenario(("A", 0, 4, 3), ("B", 1, 9, 2), budget=6, service="prefill_first")
    assert given(subject) == ["A:4", "B:6", "B:3", "A:1 B:1", "A:1"]
    assert [run(subject)[k].why for k in (1, 2)] == [{"A": Reason.PROMPTS_FIRST}] * 2


def test_prompts_first_lets_one_without_a_prompt_to_compute_in_among_decodes() -> None:
    rows = (("A", 0, 4, 3), ("B", 1, 4, 2, {"cached": 4}))
    subject = scenario(*rows, budget=6, service="prefill_first")
    assert given(subject) == ["A:4", "A:1 B:1", "A:1 B:1"]


@pytest.mark.parametrize(
    ("setup", "n", "reason"),
    [
        ({"max_prefill": 3}, 3, Reason.PREFILL_LIMIT),
        ({"round_target": 3.5}, 3, Reason.TIME_TARGET),
        ({"round_target": 0}, 1, Reason.TIME_TARGET),
        ({"round_target": 3.5, "max_chunk": 2}, 2, Reason.CHUNK_LIMIT),
        ({"granularity": "token"}, 4, Reason.BUDGET_SPENT),
    ],
)
def test_a_prompt_cut_short_knows_by_what(setup: dict[str, Any], n: int, reason: Reason) -> None:
    first = run(by_hand(**setup))[0]
    assert (first.given["A"], first.cut["A"]) == (n, reason)


@pytest.mark.parametrize(("target", "n"), [(2, 6), (1, 1)], ids=["met", "past"])
def test_a_target_cannot_cut_prompts_that_cost_nothing(target: int, n: int) -> None:
    subject = by_hand(budget=8, round_target=target, cost={"per_prefill": 0})
    assert run(subject)[0].given == {"A": n}


# Prompts by chunk or by token.


def test_a_newcomer_joins_the_rotation_before_who_had_a_chunk() -> None:
    rows = (("A", 0, 12, 1), ("B", 1, 8, 1), ("C", 2, 4, 1))
    subject = scenario(*rows, budget=4, granularity="chunk", max_chunk=4)
    assert given(subject) == ["A:4", "B:4", "C:4", "A:4", "B:4", "A:4"]


def test_tokens_are_dealt_to_as_many_as_there_are_seats() -> None:
    rows = (("A", 0, 4, 1), ("B", 0, 2, 1), ("C", 0, 2, 1))
    subject = scenario(*rows, budget=5, granularity="token", max_num_seqs=2)
    assert given(subject) == ["A:3 B:2", "A:1 C:2"]
    assert run(subject)[0].waiting == ("C",)


def test_decodes_come_before_prompts_dealt_by_token() -> None:
    rows = (("D", 0, 1, 4), ("A", 1, 4, 1), ("B", 1, 4, 1))
    assert given(scenario(*rows, budget=4, granularity="token")) == [
        "D:1",
        "D:1 A:2 B:1",
        "D:1 A:2 B:1",
        "D:1 B:2",
    ]


def test_an_eviction_keeps_the_waiting_out_when_prompts_are_dealt() -> None:
    rows = (("A", 0, 4, 4), ("B", 0, 4, 4), ("C", 5, 2, 1))
    pool = {"block_size": 4, "num_blocks": 2}
    history = run(scenario(*rows, budget=8, granularity="token", **pool))
    check(history)
    evicts = next(r for r in history if r.preempted)
    assert (evicts.preempted, evicts.admitted) == (("B",), ())
