"""Rounds given by hand: what may be given, what is refused and why, and the policy beside it."""

import doctest
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim import (
    History,
    Reason,
    Round,
    Scenario,
    ScenarioError,
    Status,
    as_grant,
    by_hand,
    fork,
    run,
    unplayable,
)
from sim.check import check
from sim.export import to_json
from sim.metrics import Metrics
from sim.problems import RULES
from tests.sim.make import scenario, scenarios

PLAYABLE: dict[str, Any] = {
    "mode": st.sampled_from(["continuous", "vllm_v1"]),
    "on_full": st.sampled_from(["recompute", "swap", "queue"]),
    "speculation": None,
}


def read_at_once(subject: Scenario) -> Scenario:
    """The same with clients that are never too slow."""
    data = subject.to_dict()
    for row in data["requests"]:
        row.pop("credits", None)
        row.pop("read_every", None)
    return Scenario.from_dict(data)


def playable() -> st.SearchStrategy[Scenario]:
    return scenarios(**PLAYABLE).map(read_at_once)


def bare(record: Round) -> dict[str, Any]:
    """A round without its reasons: a hand has others than a policy."""
    names = set(Round.__dataclass_fields__) - {"refused", "rest", "cut"}
    return {name: getattr(record, name) for name in names}


def assert_same_but_for_reasons(one: History, other: History) -> None:
    assert [bare(record) for record in one] == [bare(record) for record in other]
    told, wanted = to_json(one), to_json(other)
    for record in (*told["rounds"], *wanted["rounds"]):
        record["why"] = sorted(record["why"])
    assert told == wanted
    assert one.states == other.states
    assert one.ended_at.tolist() == other.ended_at.tolist()


@settings(max_examples=60)
@given(playable())
def test_the_policys_own_rounds_by_hand_are_its_own_history(subject: Scenario) -> None:
    policy = run(subject)
    played = by_hand(subject, [as_grant(record) for record in policy])
    assert (played.done, played.problems, played.suggestion) == (True, (), {})
    assert_same_but_for_reasons(played.history, policy)
    assert check(played.history) == len(policy)


@settings(max_examples=40)
@given(playable())
def test_to_take_each_suggestion_is_to_be_the_policy(subject: Scenario) -> None:
    grants: list[dict[str, int]] = []
    while not (played := by_hand(subject, grants)).done:
        assert played.problems == ()
        grants.append(played.suggestion)
    assert_same_but_for_reasons(played.history, run(subject))


@settings(max_examples=60)
@given(playable(), st.data())
def test_what_is_not_legal_is_refused_and_changes_nothing(
    subject: Scenario, data: st.DataObject
) -> None:
    """Any grant: it is played, or refused in words and the history is as it was."""
    ids = st.sampled_from([*(request.id for request in subject.requests), "nobody"])
    grants: list[dict[str, int]] = []
    for _ in range(6):
        before = by_hand(subject, grants)
        grant = data.draw(st.dictionaries(ids, st.integers(-1, 9), max_size=4))
        after = by_hand(subject, [*grants, grant])
        if after.problems:
            assert all(problem.rule in RULES and str(problem) for problem in after.problems)
            assert all(p.place[:2] == ("grants", len(before.history)) for p in after.problems)
            assert list(after.history) == list(before.history)
            assert (after.present, after.suggestion) == (before.present, before.suggestion)
            grants.append(before.suggestion)
        else:
            (record,) = after.history[len(before.history) :]
            assert as_grant(record) == grant
            grants.append(grant)
        if before.done:
            return
    played = by_hand(subject, grants).history
    assert [played[k] for k in range(len(played))] == list(played)
    assert Metrics(played).overall()["rounds"] == len(played)
    rest = fork(played, len(played), subject)
    assert list(rest)[: len(played)] == list(played)
    assert check(rest) == len(rest)


@settings(max_examples=60)
@given(playable(), st.integers(0, 5))
def test_all_that_is_offered_is_legal_and_one_more_is_not(subject: Scenario, rounds: int) -> None:
    grants = [as_grant(record) for record in run(subject)[:rounds]]
    played = by_hand(subject, grants)
    for offer in played.present:
        if offer.reason is None:
            assert offer.least <= offer.most
            for n in (offer.least, offer.most):
                assert by_hand(subject, [*grants, {offer.id: n}]).problems == ()
        more = by_hand(subject, [*grants, {offer.id: offer.most + 1}])
        assert more.problems != ()


# Single rounds.

TICKS: dict[str, Any] = {"time": "tick", "budget": 8}
POOL: dict[str, Any] = {"block_size": 4, "num_blocks": 3, **TICKS}
TWO = (("A", 0, 4, 5), ("B", 0, 4, 5))


def test_the_examples_in_its_words_are_true() -> None:
    assert doctest.testmod(sys.modules["sim.hand"]).failed == 0


def test_a_round_says_that_the_hand_left_somebody_out_or_gave_less() -> None:
    subject = scenario(("A", 0, 6, 2), ("B", 0, 4, 2), ("C", 0, 1, 1), max_num_seqs=2, **TICKS)
    first = by_hand(subject, [{"B": 2}]).history[0]
    assert first.cut == {"B": Reason.BY_HAND}
    assert first.why == {"A": Reason.BY_HAND, "C": Reason.BY_HAND}
    full = by_hand(subject, [{"B": 4, "A": 4}]).history[0]
    assert full.cut == {"A": Reason.BUDGET_SPENT}
    assert full.why == {"C": Reason.BUDGET_SPENT}
    seated = by_hand(subject, [{"B": 1, "A": 1}]).history[0]
    assert seated.why == {"C": Reason.NO_SEAT}


def test_the_table_says_what_may_be_given_next() -> None:
    subject = scenario(*TWO, ("C", 9, 1, 1), **POOL)
    start = by_hand(subject)
    assert len(start.history) == 0
    assert (start.now, start.budget, start.seats, start.blocks) == (0, 8, 128, 3)
    assert [(o.id, o.status, o.least, o.most) for o in start.present] == [
        ("A", Status.WAITING, 1, 4),
        ("B", Status.WAITING, 1, 4),
    ]
    assert start.history.states == (Status.WAITING,) * 3
    assert start.history.ended_at.tolist() == [0, 0, 9]
    both = by_hand(subject, [{"A": 4, "B": 4}, {"A": 1}])
    assert [(o.id, o.most, o.reason) for o in both.present] == [
        ("A", 1, None),
        ("B", 0, Reason.NO_BLOCKS),
    ]
    assert (both.seats, both.blocks) == (126, 0)
    assert both.suggestion == {"B": 0, "A": 1}
    assert Metrics(both.history).states() == {"decode": 2, "waiting": 1}


def test_a_seat_taken_back_makes_room_for_another() -> None:
    subject = scenario(*TWO, **POOL)
    grants = [{"A": 4, "B": 4}, {"A": 1}, {"A": 0, "B": 1}]
    third = by_hand(subject, grants).history[2]
    assert (third.preempted, third.given, third.running) == (("A",), {"B": 1}, ("B",))
    one_seat = scenario(*TWO, max_num_seqs=1, **TICKS)
    swapped = by_hand(one_seat, [{"A": 4}, {"B": 4, "A": 0}]).history[1]
    assert (swapped.preempted, swapped.admitted) == (("A",), ("B",))


def test_a_prompt_that_fits_no_round_comes_back_in_parts() -> None:
    """Evicted with more known tokens than the budget, where prompts must go whole."""
    subject = scenario(("A", 0, 8, 4), ("B", 0, 4, 9), chunked=False, **TICKS)
    grants = [{"A": 8}, {"A": 1, "B": 4}, {"A": 0, "B": 1}]
    played = by_hand(subject, grants)
    assert [(o.id, o.least, o.most) for o in played.present] == [("B", 1, 1), ("A", 1, 8)]
    assert by_hand(subject, [*grants, {"A": 5}]).problems == ()
    assert by_hand(subject, [{"A": 8}, {"A": 1}, {"A": 0}]).problems[0].rule == "gives_nothing"


def test_a_whole_prompt_that_found_too_little_left_says_so() -> None:
    subject = scenario(("A", 0, 6, 2), ("B", 0, 4, 2), chunked=False, **TICKS)
    assert by_hand(subject, [{"A": 6}]).history[0].why == {"B": Reason.WHOLE_PROMPT}


def test_nobody_here_lets_time_go_on_to_the_next() -> None:
    subject = scenario(("A", 5, 1, 1), ("B", 20, 1, 1), **TICKS)
    assert by_hand(subject).now == 5
    assert by_hand(subject, [{"A": 1}]).now == 20
    done = by_hand(subject, [{"A": 1}, {"B": 1}])
    assert (done.now, done.done, done.present) == (21, True, ())
    assert [record.start for record in done.history] == [5, 20]


def test_grants_are_tables_or_pairs_which_a_link_can_carry() -> None:
    pairs = ((("B", 4), ("A", 4)), (("A", 1),))
    subject = scenario(*TWO, **TICKS)
    one, other = by_hand(subject, pairs), by_hand(subject, [dict(grant) for grant in pairs])
    assert list(one.history) == list(other.history)
    assert one.history.grants == ({"B": 4, "A": 4}, {"A": 1})


@pytest.mark.parametrize(
    ("subject", "path", "words"),
    [
        (scenario(*TWO, mode="static", **TICKS), "setup.mode", "with static"),
        (scenario(*TWO, on_full="reject", **TICKS), "setup.on_full", "with reject"),
        (
            scenario(*TWO, speculation={"drafts": 1, "accepted": 0.5}, **TICKS),
            "setup.speculation",
            "with on",
        ),
        (
            scenario(TWO[0], ("B", 0, 1, 3, {"credits": 2, "read_every": 1}), **TICKS),
            "requests[1].credits",
            "with 2",
        ),
    ],
)
def test_where_a_hand_has_nothing_to_decide_it_says_so(
    subject: Scenario, path: str, words: str
) -> None:
    (problem,) = unplayable(subject)
    assert str(problem).startswith(f"{path} cannot be played by hand {words}")
    with pytest.raises(ScenarioError) as caught:
        by_hand(subject)
    assert caught.value.problems == (problem,)


LATE = (*TWO, ("C", 3, 1, 1))
WHOLE: dict[str, Any] = {"chunked": False, **TICKS}
BOTH = {"A": 4, "B": 4}
BROKEN: list[tuple[str, Scenario, list[Any], str, str]] = [
    ("not_by_hand", scenario(*TWO, mode="static", **TICKS), [], "", ""),
    (
        "over_budget",
        scenario(*TWO, budget=4),
        [BOTH],
        "grants[0]",
        "gives 8 tokens in all, and the budget is 4",
    ),
    (
        "gives_nothing",
        scenario(*TWO, **TICKS),
        [{}],
        "grants[0]",
        "gives nothing, though somebody is here: A, B",
    ),
    ("not_whole", scenario(*TWO, **TICKS), [{"A": 1.5}], "grants[0].A", "must be a whole number"),
    ("not_whole", scenario(*TWO, **TICKS), [{"A": True}], "grants[0].A", "must be a whole number"),
    ("too_small", scenario(*TWO, **TICKS), [{"A": -1}], "grants[0].A", "must be at least 0"),
    ("unknown_request", scenario(*TWO, **TICKS), [{"X": 1}], "grants[0].X", "names no request"),
    (
        "not_here_yet",
        scenario(*LATE, **TICKS),
        [BOTH, {"C": 1}],
        "grants[1].C",
        "cannot get 1: it has not arrived at 1",
    ),
    (
        "has_left",
        scenario(("A", 0, 1, 1), TWO[1], **TICKS),
        [{"A": 1}, {"A": 1}],
        "grants[1].A",
        "cannot get 1: it has left (finished)",
    ),
    (
        "has_left",
        scenario(("A", 0, 1, 9, {"cancel_at": 1}), TWO[1], **TICKS),
        [{"A": 1}, {"A": 1}],
        "grants[1].A",
        "cannot get 1: it has left (cancelled)",
    ),
    (
        "holds_no_seat",
        scenario(*TWO, **TICKS),
        [{"A": 1, "B": 0}],
        "grants[0].B",
        "gives back a seat it does not hold",
    ),
    (
        "decode_takes_one",
        scenario(*TWO, **TICKS),
        [BOTH, {"A": 2}],
        "grants[1].A",
        "takes exactly 1 token in a decode, not 2",
    ),
    (
        "more_than_left",
        scenario(*TWO, **TICKS),
        [{"A": 3}, {"A": 2}],
        "grants[1].A",
        "has 1 of its prompt left to compute, not 2",
    ),
    (
        "whole_prompt",
        scenario(*TWO, **WHOLE),
        [{"A": 3}],
        "grants[0].A",
        "must get its prompt whole, 4 tokens and not 3",
    ),
    (
        "no_seat",
        scenario(*TWO, max_num_seqs=1, **TICKS),
        [{"A": 4}, {"B": 4}],
        "grants[1].B",
        "cannot join: all 1 seats are taken",
    ),
    (
        "no_blocks",
        scenario(*TWO, **POOL),
        [BOTH, {"A": 1, "B": 1}],
        "grants[1].B",
        "finds no KV blocks for 1 tokens, 0 are free",
    ),
    (
        "run_is_over",
        scenario(("A", 0, 1, 1), **TICKS),
        [{"A": 1}, {"A": 1}],
        "grants[1]",
        "comes after the end",
    ),
]


@pytest.mark.parametrize(
    ("rule", "subject", "grants", "path", "words"),
    BROKEN[1:],
    ids=[f"{rule} at {path}" for rule, _, _, path, _ in BROKEN[1:]],
)
def test_a_round_that_is_not_legal_is_refused_with_its_reason(
    rule: str, subject: Scenario, grants: list[Any], path: str, words: str
) -> None:
    played = by_hand(subject, grants)
    (problem,) = [found for found in played.problems if found.rule == rule]
    assert str(problem).startswith(f"{path} {words}")
    assert list(played.history) == list(by_hand(subject, grants[:-1]).history)
