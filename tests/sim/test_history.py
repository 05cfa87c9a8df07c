"""The sequence of rounds: indices, reasons, what is kept and what is made again."""

import pickle
from array import array
from unittest.mock import patch

import pytest

from sim import Reason, Request, Scenario, Status, run
from sim.check import check
from sim.files import builtin
from sim.history import simulate
from sim.metrics import Metrics
from sim.record import Queue, next_round
from sim.scheduler import plan
from sim.sequence import Sequence
from sim.setup import Slo
from sim.state import State
from sim.workload import synthetic
from tests.sim.make import by_hand, scenario


def test_a_queue_is_read_like_a_row_of_requests() -> None:
    requests = tuple(Request(id_, 0, 6, 1) for id_ in "ABC")
    queue = Queue(requests, array("i", [2, 0, 1]))
    assert list(queue) == [requests[2], requests[0], requests[1]]
    assert queue[-1] == requests[1]
    assert queue[1:] == Queue(requests, array("i", [0, 1])) != queue
    assert queue[:1] == Queue(requests[2:], array("i", [0]))  # whatever their places are
    assert str(queue) == "Queue(C, A, B)"
    assert queue != requests


def test_a_round_says_what_was_decided_and_how_all_stand_afterwards() -> None:
    third = run(by_hand())[2]
    assert (third.number, third.start, third.end) == (3, 8_000_000, 13_000_000)
    assert (third.prefill, third.decode, third.positions, third.kv_read) == (2, 2, 4, 8)
    assert third.given == {"A": 1, "B": 1, "C": 2}
    assert third.prefilling == {"C"}
    assert third.cut == {"C": Reason.BUDGET_SPENT}
    assert third.admitted == ("C",)
    assert third.running == ("A", "B", "C")
    assert (third.emitted, third.finished) == (("A", "B"), ("B",))
    assert (third.waiting, third.why) == ((), {})
    assert {id_: now.status for id_, now in third.after.items()} == {
        "A": Status.DECODE,
        "B": Status.FINISHED,
        "C": Status.PREFILL,
    }


@pytest.mark.parametrize("index", [5, -6, 100])
def test_an_index_beyond_the_run_is_refused(index: int) -> None:
    with pytest.raises(IndexError, match=f"round {index} of 5"):
        run(by_hand())[index]


def test_indices_and_slices_behave_as_in_a_list() -> None:
    history = run(by_hand())
    rounds = list(history)
    assert history[-1] == rounds[4]
    assert history[1:3] == rounds[1:3]
    assert history[::-1] == rounds[::-1]
    assert history[3:1] == []
    assert history[9:] == []


def reasons(subject: Scenario, index: int = 0) -> dict[str, Reason]:
    return run(subject)[index].why


def test_each_reason_for_getting_nothing() -> None:
    two, three = (("A", 0, 4, 2), ("B", 0, 4, 2)), ("C", 0, 1, 2)
    assert reasons(scenario(*two, budget=4)) == {"B": Reason.BUDGET_SPENT}
    assert reasons(scenario(*two, three, budget=4)) == {
        "B": Reason.BUDGET_SPENT,
        "C": Reason.BEHIND_HEAD,
    }
    assert reasons(scenario(*two, budget=8, max_num_seqs=1)) == {"B": Reason.NO_SEAT}
    assert reasons(scenario(*two, three, budget=6, chunked=False)) == {
        "B": Reason.WHOLE_PROMPT,
        "C": Reason.BEHIND_HEAD,
    }
    assert reasons(scenario(*two, three, budget=6, chunked=False, overtake=True)) == {
        "B": Reason.WHOLE_PROMPT
    }
    assert reasons(scenario(*two, budget=4, mode="static", batch_size=1)) == {
        "B": Reason.BATCH_CLOSED
    }
    assert reasons(scenario(*two, budget=4, mode="static")) == {"B": Reason.BATCH_TURN}
    pool = {"block_size": 4, "num_blocks": 2}
    assert reasons(scenario(*two, budget=8, **pool)) == {}
    assert reasons(scenario(*two, budget=8, **pool), 1) == {"B": Reason.PREEMPTED}
    assert reasons(scenario(("A", 0, 5, 1), *two[1:], budget=9, **pool)) == {"B": Reason.NO_BLOCKS}


def running(index: int, request: Request, computed: int, emitted: int) -> Sequence:
    sequence = Sequence(index, request)
    sequence.computed, sequence.emitted, sequence.admitted = computed, emitted, True
    return sequence


def test_a_running_request_that_finds_the_budget_spent_says_so() -> None:
    """No plain setup leads here (who was let in finds its share again), so the state is made."""
    state = State.start(scenario(("A", 0, 4, 3), ("B", 0, 4, 3), budget=1))
    a, b = (running(i, request, 4, 1) for i, request in enumerate(state.arrivals))
    state.running, state.arrived = [a, b], 2
    made = plan(state)
    assert made is not None
    assert (made.given, made.refused) == ({a: 1}, {b: Reason.BUDGET_SPENT})


@pytest.mark.parametrize("prompt", [8, 9], ids=["at the end of its prompt", "inside its prompt"])
def test_who_is_evicted_after_it_was_served_gives_everything_back(prompt: int) -> None:
    """A stands first in running, is less urgent, and has its chunk when B lacks a block."""
    rows = (("A", 0, prompt, 1, {"priority": 5}), ("B", 1, 2, 6))
    pool = {"block_size": 1, "num_blocks": 11, "reserve": "none"}
    history = run(scenario(*rows, time="tick", budget=8, max_chunk=2, order="priority", **pool))
    fourth = history[3]
    assert fourth.preempted == ("A",)
    assert (fourth.given, fourth.emitted) == ({"B": 1}, ("B",))
    assert (fourth.prefill, fourth.decode, fourth.kv_read, fourth.cut) == (0, 1, 3, {})
    assert (fourth.used, fourth.blocks) == (4, {"B": 4})
    assert fourth.why == {"A": Reason.PREEMPTED}
    assert check(history) == len(history)


def test_who_was_never_admitted_waits() -> None:
    assert Sequence(0, Request("A", 0, 1, 1)).status is Status.WAITING


def test_a_chunk_cut_by_the_limit_says_so() -> None:
    first = run(by_hand(max_chunk=2))[0]
    assert first.cut == {"A": Reason.CHUNK_LIMIT}


def test_planning_changes_nothing() -> None:
    state = State.start(by_hand())
    state.collect()
    assert plan(state) is not None
    assert (list(state.running), len(state.waiting), state.now, state.round) == ([], 1, 0, 0)
    first, second = next_round(state), run(by_hand())[0]
    assert first == second


def test_nothing_to_run_is_no_round() -> None:
    assert next_round(State.start(scenario(("A", 5, 1, 1), budget=1))) is None


def test_small_scenarios_are_run_once_and_large_ones_each_time() -> None:
    assert run(by_hand()) is run(by_hand())
    large = scenario(("A", 0, 1, 1_000_000), budget=1)
    assert run(large) is not run(large)
    assert len(run(large)) == len(run(large))


def test_a_run_of_many_equal_rounds_stays_small() -> None:
    history = run(scenario(("A", 0, 1, 1_000_000), budget=1))
    assert len(history) == 1_000_000
    assert len(history.columns["first"]) <= 3
    assert history[999_999].finished == ("A",)
    assert history[500_000].after["A"].emitted == 500_001


def test_any_round_of_a_large_run_is_made_again_from_a_checkpoint() -> None:
    subject = Scenario(builtin("synthetic").setup, synthetic(300, 5.53, seed=2))
    subject = subject.with_setup(max_chunk=400)  # too much to decide for the express lane
    history = simulate(subject)
    with patch("sim.recorder._MOST_NOTED", 500):
        thinned = simulate(subject)
    wanted = {0, 1, len(history) // 3, len(history) - 1}
    for k, record in enumerate(history):
        if k in wanted:
            assert history[k] == thinned[k] == record


def test_checkpoints_hold_static_batches_and_evicted_requests_too() -> None:
    pool = {"block_size": 2, "num_blocks": 12}
    rows = [(f"R{i}", i, 5, 9 + i % 4, {"cached": i % 3}) for i in range(120)]
    static, continuous = (
        simulate(scenario(*rows, budget=8, mode=mode, **pool)) for mode in ("static", "continuous")
    )
    assert continuous.preemptions.sum() > 0
    for history in (static, continuous):
        assert [history[k] for k in range(0, len(history), 97)] == list(history)[::97]


@pytest.mark.parametrize("order", ["fifo", "priority"])
def test_ties_go_by_arrival_and_then_by_place_in_the_list(order: str) -> None:
    rows = (("late", 2, 1, 1), ("first", 0, 1, 4), ("b", 1, 1, 1), ("a", 1, 1, 1))
    history = run(scenario(*rows, time="tick", budget=4, max_num_seqs=1, order=order))
    admitted = [id_ for record in history for id_ in record.admitted]
    assert admitted == ["first", "b", "a", "late"]


def test_other_objectives_are_told_of_the_same_rounds() -> None:
    history = run(builtin("13b"))
    loose = history.scenario.with_setup(slo=Slo(ttft=10**12), window=(0, 10**9))
    other = history.under_goals(loose)
    assert list(other.ends) == list(history.ends)
    assert other[5] == history[5]
    assert Metrics(other).overall() == Metrics(run(loose)).overall()
    assert history.scenario == builtin("13b")


def test_a_setup_that_changes_rounds_is_refused() -> None:
    small = builtin("5a")
    with pytest.raises(ValueError, match="without another run"):
        run(small).under_goals(small.with_setup(budget=6))


def test_a_history_travels_without_what_follows_from_it() -> None:
    subject = scenario(*((f"R{i}", i, 20, 30) for i in range(12)), budget=16, num_blocks=40)
    plain, read = run(subject), run(subject)
    assert len(read.columns) and len(read.ends) and list(read)  # what is derived is there
    assert len(pickle.dumps(read)) == len(pickle.dumps(plain))
    arrived = pickle.loads(pickle.dumps(read))
    assert list(arrived) == list(plain)
    assert arrived.states == plain.states and (arrived.ends == plain.ends).all()
