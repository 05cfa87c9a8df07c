"""The laws can fail: each one is broken here, and says so."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sim import History, Reason, Request, Round, Scenario, Status, run
from sim.check import check
from sim.history import simulate
from sim.record import Snapshot
from tests.sim.make import by_hand, scenario


class Tampered(History):
    """A history whose rounds were changed behind the simulator's back."""

    def __init__(self, honest: History, rounds: list[Round]) -> None:
        self.__dict__.update(honest.__dict__)
        self.rounds = rounds

    def __iter__(self) -> Any:
        return iter(self.rounds)


def tampered(subject: Scenario, index: int, **changes: Any) -> History:
    """A run in which one round was changed."""
    honest = simulate(subject)
    rounds = list(honest)
    rounds[index] = replace(rounds[index], **changes)
    return Tampered(honest, rounds)


def after(subject: Scenario, index: int, id_: str, **changes: Any) -> dict[str, Snapshot]:
    """How everyone stands after a round, with one request changed."""
    record = run(subject)[index]
    return {**record.after, id_: replace(record.after[id_], **changes)}


HAND = by_hand()
STATIC = by_hand(mode="static")
LONE = scenario(("A", 0, 4, 1), budget=2)
POOL = scenario(("A", 0, 8, 6), ("B", 0, 8, 6), budget=16, block_size=4, num_blocks=5)
C = Request("C", 6_000_000, 3, 2)


def test_honest_runs_pass() -> None:
    assert [check(run(subject)) for subject in (HAND, LONE, POOL)] == [5, 2, len(run(POOL))]
    assert check(run(STATIC)) == len(run(STATIC))


BROKEN: list[tuple[str, Scenario, int, dict[str, Any]]] = [
    ("round 1 has no position", HAND, 0, {"prefill": 0}),
    ("round 1 is above the budget", HAND, 0, {"prefill": 5}),
    (
        "round 1 has 3 requests in 2 seats",
        by_hand(max_num_seqs=2),
        0,
        {"running": ("A", "B", "C")},
    ),
    ("round 2 loses positions", HAND, 1, {"prefill": 3}),
    ("round 1 miscounts its padding", STATIC, 0, {"pads": {"A": 1}}),
    ("round 1 has a request in two places", HAND, 0, {"running": ("A", "A")}),
    ("round 1 gives to somebody who does not run", HAND, 0, {"given": {"B": 4}}),
    ("round 1 names the wrong ones as left out", HAND, 0, {"refused": {"C": Reason.NO_SEAT}}),
    ("round 1 ends somebody without a token", HAND, 0, {"finished": ("A",)}),
    ("round 1 takes no time", HAND, 0, {"end": 0}),
    (
        "round 3: B became prefill",
        HAND,
        2,
        {"after": after(HAND, 2, "B", status=Status.PREFILL)},
    ),
    ("round 3: A sampled 0 tokens", HAND, 2, {"after": after(HAND, 2, "A", emitted=1)}),
    ("round 3: A computed 8, due 7", HAND, 2, {"after": after(HAND, 2, "A", computed=8)}),
    (
        "round 1: A computed 3 of 4",
        HAND,
        0,
        {"after": {"A": Snapshot(Status.PREFILL, computed=3, emitted=0)}},
    ),
    ("round 1: C waits before it arrived", HAND, 0, {"queue": (C,)}),
    ("nothing ran before round 2, yet ['A', 'B'] waited", HAND, 1, {"start": 4_000_001}),
    ("round 1 uses 6 blocks of the pool", POOL, 0, {"used": 6}),
    ("round 1 has 3 blocks taken, 4 held", POOL, 0, {"used": 3}),
    (
        "round 2: B was evicted with 8 tokens computed",
        POOL,
        1,
        {"after": after(POOL, 1, "B", computed=8)},
    ),
]


@pytest.mark.parametrize(
    ("law", "subject", "index", "changes"), BROKEN, ids=[law for law, *_ in BROKEN]
)
def test_a_broken_round_breaks_its_law(
    law: str, subject: Scenario, index: int, changes: dict[str, Any]
) -> None:
    with pytest.raises(AssertionError) as caught:
        check(tampered(subject, index, **changes))
    assert str(caught.value).startswith(law)


def test_a_request_that_never_ends_breaks_the_law_of_outputs() -> None:
    honest = simulate(HAND)
    with pytest.raises(AssertionError, match="C emitted 1 of 2 tokens"):
        check(Tampered(honest, list(honest)[:-1]))


def test_a_request_that_skips_its_prompt_breaks_the_law_of_work() -> None:
    honest = simulate(LONE)
    second = replace(
        honest[1], start=0, after={"A": Snapshot(Status.FINISHED, computed=2, emitted=1)}
    )
    with pytest.raises(AssertionError, match="A computed 2, not 4"):
        check(Tampered(honest, [second]))


def spoil_emitted(history: History) -> None:
    history.columns["emitted"] = history.columns["emitted"] + 1


def spoil_tokens(history: History) -> None:
    first, count, ones = np.array([1, 1]), np.array([2, 1]), np.array([1, 1])
    history.token_runs = np.array([0, 0]), first, count, ones


def spoil_work(history: History) -> None:
    history.work[1] = history.work[1][1:]


@pytest.mark.parametrize(
    ("spoil", "law"),
    [
        (spoil_emitted, "columns count 12 tokens"),
        (spoil_tokens, "A: token times do not increase"),
        (spoil_work, "B prefilled 0 of 2 tokens"),
    ],
)
def test_columns_that_tell_another_story_break_the_law(
    spoil: Callable[[History], None], law: str
) -> None:
    history = simulate(HAND)
    spoil(history)
    with pytest.raises(AssertionError, match=law):
        check(history)
