"""Text tables: lines that a run has nothing to say about are not there."""

from typing import Any

from sim import Scenario, run
from sim.tables import overall
from tests.sim.make import by_hand, scenario

PLAIN = [
    *("makespan", "rounds", "requests finished", "output tokens", "output throughput"),
    *("input throughput", "request throughput", "padding + idle seats", "budget used"),
    *("most running", "longest wait"),
]


def lines(subject: Scenario) -> dict[str, str]:
    """The rest of each line of totals by its name."""
    told = {}
    for line in overall(run(subject)).split("\n\n")[0].splitlines()[1:]:
        name, _, rest = line.partition("  ")
        told[name] = " ".join(rest.split())
    return told


def test_a_plain_run_has_plain_lines() -> None:
    assert list(lines(by_hand())) == PLAIN
    assert lines(by_hand())["longest wait"] == "2 ms"


def test_where_nobody_waited_no_wait_is_told() -> None:
    assert "longest wait" not in lines(scenario(("A", 0, 2, 2), budget=4))


def test_objectives_have_lines_of_their_own() -> None:
    told = lines(by_hand(slo={"ttft": 7, "max_itl": 4}))
    assert told["requests good"] == "0 = 0.0% of all"
    assert told["objectives missed"] == "4 ttft 2, max_itl 2"
    told = lines(by_hand(slo={"ttft": 7}))
    assert told["requests good"] == "1 = 33.3% of all"
    assert told["goodput"] == "51.28 request/s"
    assert told["goodput in tokens"] == "102.56 token/s"


def test_a_pool_has_lines_of_its_own() -> None:
    rows = (("A", 0, 8, 6), ("B", 0, 8, 6))
    told = lines(scenario(*rows, budget=16, block_size=4, num_blocks=5))
    assert told["most KV blocks"] == "4 of 5"
    assert (told["preemptions"], told["recomputed"]) == ("1", "8 positions")
    assert {"KV blocks on average", "empty slots on average"} <= set(told)


def test_a_window_has_lines_of_its_own() -> None:
    told = lines(by_hand(window=[0, 20]))
    assert told["λ in the window"] == "150 request/s"
    assert (told["W"], told["L"]) == ("0.014 s", "2.05 requests")
    assert told["L − λW"] == "0 requests"
    assert told["queue growth"] == "– request/s"


def test_who_left_otherwise_is_told() -> None:
    rows: list[Any] = [("A", 0, 4, 3, {"cancel_at": 6}), ("B", 0, 4, 9)]
    told = lines(scenario(*rows, budget=4, max_num_seqs=1, queue_timeout=3))
    assert told["requests finished"] == "0"
    assert (told["requests timed out"], told["requests cancelled"]) == ("1", "1")
    assert (told["output tokens"], told["generated"]) == ("1", "2")


def test_a_run_without_a_round_has_dashes() -> None:
    told = lines(scenario(("A", 5, 3, 2, {"cancel_at": 5}), budget=4, slo={"ttft": 1}))
    assert (told["makespan"], told["output throughput"]) == ("– ms", "– token/s")
    assert told["requests good"] == "0 = 0.0% of all"
