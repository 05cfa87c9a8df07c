"""Who comes and who leaves: cancellation, timeouts, a bounded queue, slow readers, closed loops."""

from typing import Any

import pytest

from sim import History, Reason, Scenario, Status, run
from sim.check import check
from tests.sim.make import scenario

MS = 1_000_000


def checked(subject: Scenario) -> History:
    """A run whose laws hold."""
    history = run(subject)
    check(history)
    return history


def states(history: History) -> dict[str, tuple[str, float]]:
    """How and when each left, in ms."""
    ends = zip(history.states, history.ended_at, strict=True)
    requests = history.scenario.requests
    return {r.id: (str(how), at / MS) for r, (how, at) in zip(requests, ends, strict=True)}


def arrivals(history: History) -> list[float]:
    return [int(time) / MS for time in history.arrivals]


def tokens(history: History, index: int) -> list[float]:
    return [int(time) / MS for time in history.token_times(index)]


# Cancellation.

AB = (("A", 0, 4, 4), ("B", 0, 4, 4))


def test_a_cancellation_takes_effect_at_the_next_boundary() -> None:
    """Rounds 0–6 (both prompts), 6–10, 10–14: B's client leaves at 11, B is gone at 14."""
    history = checked(scenario(AB[0], ("B", 0, 4, 4, {"cancel_at": 11}), budget=8))
    assert states(history) == {"A": ("finished", 17), "B": ("cancelled", 14)}
    assert tokens(history, 1) == [6, 10, 14]
    assert history[3].departed == {"B": Status.CANCELLED}
    assert history[3].running == ("A",)


def test_one_who_leaves_while_waiting_never_runs() -> None:
    history = checked(scenario(AB[0], ("B", 0, 4, 4, {"cancel_at": 5}), budget=8, max_num_seqs=1))
    assert states(history)["B"] == ("cancelled", 7)
    assert history.first_rounds.tolist() == [0, -1]


def test_a_client_who_leaves_before_the_last_token_makes_it_a_cancellation() -> None:
    """A's only token comes at 4; who left at 4 has it, who left at 3.5 has not."""
    for leaves, how in ((4, "finished"), (3.5, "cancelled")):
        history = checked(scenario(("A", 0, 4, 1, {"cancel_at": leaves}), budget=8))
        assert states(history) == {"A": (how, 4)}
        assert history[0].emitted == ("A",)
        assert history[0].finished == (("A",) if how == "finished" else ())


def test_blocks_of_one_who_left_are_free_at_that_boundary() -> None:
    rows = (("A", 0, 8, 8), ("B", 0, 8, 8, {"cancel_at": 12}), ("C", 2, 8, 1))
    history = checked(scenario(*rows, budget=16, block_size=4, num_blocks=4, reserve="none"))
    assert [record.used for record in history][:2] == [4, 3]  # round 2: A alone, B evicted
    assert states(history)["B"][0] == "cancelled"


def test_somebody_may_come_and_leave_at_one_time() -> None:
    history = checked(scenario(("A", 3, 4, 1, {"cancel_at": 3}), AB[1], budget=8))
    assert states(history)["A"] == ("cancelled", 4)


def test_a_run_in_which_nobody_is_served_has_no_rounds() -> None:
    history = checked(scenario(("A", 3, 4, 1, {"cancel_at": 3}), budget=8))
    assert len(history) == 0 and list(history) == [] and history[0:3] == []
    assert states(history) == {"A": ("cancelled", 3)}


def test_a_static_batch_keeps_the_seat_of_one_who_left() -> None:
    """Prompts 0–6; B leaves at 7: its seat is idle from 10 on."""
    rows = (("A", 0, 4, 4), ("B", 0, 4, 4, {"cancel_at": 7}))
    history = checked(scenario(*rows, mode="static", budget=8))
    assert [record.decode for record in history] == [0, 2, 2, 2]
    assert [record.idle for record in history] == [(), (), ("B",), ("B",)]


def test_the_row_of_one_who_left_is_padding() -> None:
    """Rounds of 4 positions: A's row 0–4, then B's, whose client leaves at 2."""
    rows = (("A", 0, 4, 2), ("B", 0, 4, 2, {"cancel_at": 2}))
    history = checked(scenario(*rows, mode="static", budget=4))
    assert [record.padding for record in history] == [0, 4, 0]
    assert history[1].emitted == ("A",)


def test_a_static_batch_ends_when_all_have_left() -> None:
    rows = (("A", 0, 4, 9, {"cancel_at": 5}), ("B", 6, 4, 1))
    pool = {"block_size": 4, "num_blocks": 3}
    history = checked(scenario(*rows, mode="static", budget=4, **pool))
    assert states(history) == {"A": ("cancelled", 7), "B": ("finished", 11)}
    assert [record.used for record in history] == [3, 3, 1]


# Timeouts and the bounded queue.


def test_who_waits_too_long_times_out_and_who_ran_once_never_does() -> None:
    rows = (("A", 0, 4, 4), ("B", 1, 4, 4), ("C", 2, 4, 4))
    history = checked(scenario(*rows, budget=8, max_num_seqs=1, queue_timeout=12))
    assert states(history) == {
        "A": ("finished", 13),
        "B": ("timed_out", 13),
        "C": ("finished", 26),
    }


def test_a_timeout_due_at_the_boundary_comes_before_the_plan() -> None:
    rows = (("A", 0, 4, 4), ("B", 1, 4, 4))
    history = checked(scenario(*rows, budget=8, max_num_seqs=1, queue_timeout=12))
    assert states(history)["B"] == ("timed_out", 13)


def test_an_evicted_request_does_not_time_out() -> None:
    rows = (("A", 0, 8, 6), ("B", 0, 8, 6))
    pool = {"block_size": 4, "num_blocks": 5}
    history = checked(scenario(*rows, budget=16, queue_timeout=5, **pool))
    assert [how for how, _ in states(history).values()] == ["finished", "finished"]


def test_a_full_queue_turns_arrivals_away() -> None:
    rows = (("A", 0, 4, 4), ("B", 1, 4, 1), ("C", 2, 4, 1), ("D", 3, 4, 1))
    history = checked(scenario(*rows, budget=8, max_num_seqs=1, max_queue=2))
    assert states(history)["D"] == ("rejected", 4)
    assert [how for how, _ in states(history).values()].count("finished") == 3


def test_places_in_the_queue_are_free_at_the_time_of_leaving() -> None:
    """B leaves at 2.5, inside the first round, so C finds a place at 3 and D, at 2, none."""
    rows = (
        ("A", 0, 4, 1),
        ("B", 1, 4, 1, {"cancel_at": 2.5}),
        ("D", 2, 4, 1),
        ("C", 3, 4, 1),
    )
    history = checked(scenario(*rows, budget=8, max_queue=1))
    assert [how for how, _ in states(history).values()] == [
        "finished",
        "cancelled",
        "rejected",
        "finished",
    ]


# Slow readers.


def test_a_reader_takes_a_token_as_soon_as_it_may() -> None:
    """Tokens at 4, 7 … and a read each 10 ms: 4, 14, 24 … with two unread at most."""
    slow = {"credits": 2, "read_every": 10}
    history = checked(scenario(("S", 0, 4, 5, slow), budget=8))
    assert tokens(history, 0) == [4, 7, 10, 17, 27]


def test_a_paused_request_keeps_seat_and_blocks_while_others_run() -> None:
    rows = (("S", 0, 4, 4, {"credits": 1, "read_every": 9}), ("F", 0, 4, 5))
    pool = {"block_size": 4, "num_blocks": 8}
    history = checked(scenario(*rows, budget=8, max_num_seqs=2, **pool))
    third = history[2]
    assert third.why == {"S": Reason.PAUSED}
    assert third.running == ("S", "F") and third.blocks["S"] == 2
    assert third.after["S"].status is Status.PAUSED


def test_a_paused_member_of_a_static_batch_is_an_idle_seat() -> None:
    rows = (("S", 0, 4, 3, {"credits": 1, "read_every": 9}), ("F", 0, 4, 5))
    history = checked(scenario(*rows, mode="static", budget=8))
    assert [record.idle for record in history] == [(), (), ("S",), ("S",), ()]
    assert tokens(history, 0) == [6, 10, 22]


def test_a_static_batch_whose_only_member_is_paused_waits() -> None:
    alone = ("S", 0, 4, 3, {"credits": 1, "read_every": 9})  # reads at 4 and 13 ms
    assert tokens(checked(scenario(alone, mode="static", budget=8)), 0) == [4, 7, 16]


def test_an_evicted_reader_who_is_paused_lets_the_others_pass() -> None:
    rows = (
        ("A", 0, 7, 9),
        ("S", 0, 8, 6, {"credits": 1, "read_every": 400}),
        ("B", 1, 1, 2),
    )
    pool = {"block_size": 4, "num_blocks": 5}
    history = checked(scenario(*rows, budget=16, max_num_seqs=2, **pool))
    assert "S" in {id_ for record in history for id_ in record.preempted}
    passed = [record for record in history if "B" in record.given]
    assert passed and passed[0].why == {"S": Reason.PAUSED}


def test_nobody_is_served_while_all_readers_are_slow() -> None:
    """The one who runs finds no block and is the last admitted: it goes, and time goes on."""
    rows = (
        ("P", 0, 4, 9, {"credits": 1, "read_every": 100}),
        ("A", 0, 8, 2),
    )
    pool = {"block_size": 4, "num_blocks": 3, "reserve": "none"}
    history = checked(scenario(*rows, budget=16, **pool))
    assert sum(history.preemptions) >= 1
    assert [how for how, _ in states(history).values()] == ["finished", "finished"]


def test_one_evicted_while_nobody_could_run_may_leave_before_the_next_round() -> None:
    """A outgrows the pool at 19 ms beside P, who is paused till 106 ms; A's client goes at 50."""
    rows = (
        ("P", 0, 4, 3, {"credits": 1, "read_every": 100}),
        ("A", 0, 4, 9, {"cancel_at": 50}),
    )
    pool = {"block_size": 4, "num_blocks": 4, "reserve": "none"}
    history = checked(scenario(*rows, budget=16, **pool))
    last = history[-1]
    assert (last.start / MS, last.preempted) == (106, ("A",))
    assert last.departed == {"A": Status.CANCELLED}
    assert states(history)["A"] == ("cancelled", 50)


# Closed loops.


def test_a_closed_loop_sends_the_next_when_one_ends() -> None:
    rows = [(f"R{i}", 1000 * i, 4, 1) for i in range(5)]
    history = checked(scenario(*rows, budget=8, concurrency=2))
    assert arrivals(history) == [0, 0, 6, 6, 12]


def test_thinking_delays_the_next() -> None:
    rows = [(f"R{i}", 0, 4, 1) for i in range(3)]
    history = checked(scenario(*rows, budget=8, concurrency=1, think=5))
    assert arrivals(history) == [0, 9, 18]
    assert [record.start / MS for record in history] == [0, 9, 18]


def test_who_leaves_makes_room_in_the_loop_too() -> None:
    rows: tuple[Any, ...] = (("A", 0, 4, 9, {"cancel_at": 1}), ("B", 50, 4, 1))
    history = checked(scenario(*rows, budget=8, concurrency=1))
    assert states(history) == {"A": ("cancelled", 4), "B": ("finished", 8)}


def test_a_loop_ignores_when_somebody_would_have_left_before_coming() -> None:
    rows: tuple[Any, ...] = (("A", 0, 4, 1), ("B", 0, 4, 1, {"cancel_at": 2}))
    history = checked(scenario(*rows, budget=8, concurrency=1))
    assert states(history)["B"] == ("cancelled", 4)


@pytest.mark.parametrize("mode", ["continuous", "static", "vllm_v1"])
def test_a_loop_larger_than_the_list_is_a_burst(mode: str) -> None:
    history = checked(scenario(*AB, budget=8, concurrency=9, mode=mode))
    assert arrivals(history) == [0, 0]
