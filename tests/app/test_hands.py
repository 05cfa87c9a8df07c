"""Rounds given by hand: judged, executed, taken back, handed over, compared, carried along."""

from typing import Any

import pytest

from app import lane_edits
from app.commands import run_command
from app.lane_specs import MOST_LANES, Fork
from app.session import Session
from app.url import address, arguments_of, open_link
from sim import as_grant, run
from sim.chrome import to_chrome
from sim.files import builtin

SCENE = builtin("5a")
ROUNDS = [{"A": 3}, {"A": 2, "B": 2}, {"A": 1, "B": 1, "C": 2}, {"A": 1, "C": 1}, {"A": 1, "C": 1}]


@pytest.fixture
def session() -> Session:
    result = Session()
    result.choose("5a")
    run_command(result, {"do": "hand_begin", "key": "continuous"})
    return result


def key(session: Session) -> str:
    return session.lanes[-1].key


def give(session: Session, *grants: dict[str, int]) -> None:
    for grant in grants:
        run_command(session, {"do": "hand_give", "key": key(session), "grant": grant})


def hand(session: Session) -> dict[str, Any]:
    shown: dict[str, Any] = session.payload["lanes"][-1]["hand"]
    return shown


def test_it_begins_with_nothing_given(session: Session) -> None:
    assert session.lanes[-1].hand == ()
    assert len(session.histories[-1]) == 0
    assert [one["id"] for one in hand(session)["present"]] == ["A"]
    assert hand(session)["round"] == 1
    assert session.payload["lanes"][-1]["title"] == "Continuous batching · by hand"


def test_before_its_first_round_nobody_waits_who_has_not_arrived(session: Session) -> None:
    state = session.payload["lanes"][-1]["state"]
    assert [row[2] for row in state["start"]] == ["waiting", "absent", "absent"]


@pytest.mark.parametrize(
    ("grant", "id_", "words"),
    [
        ({"A": 5}, "", "5 tokens in all, and the budget is 4"),
        ({"B": 1}, "B", "B has not arrived yet"),
        ({"Z": 1}, "Z", "There is no request Z"),
        ({}, "", "Nobody gets anything, and A could run"),
    ],
)
def test_an_illegal_round_changes_nothing_and_is_explained(
    session: Session, grant: dict[str, int], id_: str, words: str
) -> None:
    before = session.payload["run"]
    give(session, grant)
    (problem,) = hand(session)["problems"]
    assert problem["id"] == id_
    assert words in problem["text"]
    assert (session.lanes[-1].hand, session.payload["run"]) == ((), before)
    session.lang = "zh"
    assert hand(session)["problems"][0]["text"] != problem["text"]
    give(session, ROUNDS[0])
    assert hand(session)["problems"] == []


def test_rounds_are_executed_as_given(session: Session) -> None:
    give(session, *ROUNDS)
    assert [as_grant(record) for record in session.histories[-1]] == ROUNDS
    assert hand(session)["is_done"]


def test_a_round_unlike_the_policys_is_noted_when_it_is_over(session: Session) -> None:
    give(session, ROUNDS[0])
    assert hand(session)["note"] == "Round 1 was legal. The policy would have given A 4."
    run_command(session, {"do": "hand_undo", "key": key(session)})
    give(session, {"A": 4})
    assert hand(session)["note"] == "Round 1: the policy would have given the same."


def test_the_end_is_compared_with_the_policy(session: Session) -> None:
    give(session, *ROUNDS)
    first, *others = hand(session)["outcome"]
    assert first == "All is served. You took 19.5 ms in all, the policy takes 19.5 ms."
    assert "A’s first token came 4 ms later than with the policy (after 12 ms, not 8 ms)." in others
    assert "More latencies differ: 3." in others


def test_whoever_plays_like_the_policy_hears_so(session: Session) -> None:
    give(session, *[as_grant(record) for record in run(SCENE)])
    assert hand(session)["outcome"][1:] == [
        "Every first token and every longest gap is the policy’s too."
    ]


def test_nothing_to_come_is_told_while_it_is_played(session: Session) -> None:
    give(session, ROUNDS[0])
    lane = session.payload["lanes"][-1]
    assert hand(session)["outcome"] == []
    assert {wait["req"] for wait in lane["waits"]} == {1}  # C has not arrived
    own = [event for event in session.payload["events"] if event["lane"] == 2]
    assert own == []
    assert session.played[-1].departures == []
    assert "Your turn" in lane["after"]["more"]


def test_an_unfinished_run_can_be_saved(session: Session) -> None:
    give(session, ROUNDS[0])
    events = to_chrome(session.histories[-1])["traceEvents"]
    assert not {"waiting", "prefill"} & {event["name"] for event in events if event["ph"] == "i"}


def test_a_round_is_taken_back(session: Session) -> None:
    give(session, *ROUNDS[:2])
    run_command(session, {"do": "hand_undo", "key": key(session)})
    assert session.lanes[-1].hand == ((("A", 3),),)
    for _ in range(3):
        run_command(session, {"do": "hand_undo", "key": key(session)})
    assert session.lanes[-1].hand == ()


def test_the_policy_can_finish(session: Session) -> None:
    give(session, *ROUNDS[:2])
    run_command(session, {"do": "hand_finish", "key": key(session)})
    assert session.lanes[-1].forks == (Fork(3, {}),)
    assert [as_grant(record) for record in session.histories[-1]][:2] == ROUNDS[:2]
    assert "hand" not in session.payload["lanes"][-1]
    assert session.payload["lanes"][-1]["title"].endswith("by the policy from round 3")


def test_the_policys_own_run_can_be_shown_once(session: Session) -> None:
    lane_edits.remove(session, "continuous")
    for _ in range(2):
        run_command(session, {"do": "hand_compare", "key": "continuous-2"})
    assert [(lane.key, lane.hand) for lane in session.lanes] == [
        ("static", None), ("continuous-2", ()), ("continuous", None),
    ]  # fmt: skip


def test_a_setup_that_leaves_nothing_to_decide_is_told(session: Session) -> None:
    run_command(session, {"do": "hand_begin", "key": "static"})
    assert len(session.lanes) == 3
    assert "By hand there is no" in session.notice


def test_there_are_no_more_than_the_most_lanes(session: Session) -> None:
    for _ in range(MOST_LANES):
        run_command(session, {"do": "hand_begin", "key": "continuous"})
    assert len(session.lanes) == MOST_LANES
    assert "4 lanes" in session.notice


@pytest.mark.parametrize(
    "wish",
    [
        {"do": "hand_give", "grant": {"A": "4"}},
        {"do": "hand_give", "grant": {"A": True}},
        {"do": "hand_give", "grant": [1]},
        {"do": "hand_give"},
        {"do": "hand_nothing"},
    ],
)
def test_a_wish_that_is_none_changes_nothing(session: Session, wish: dict[str, Any]) -> None:
    lanes = list(session.lanes)
    run_command(session, wish | {"key": key(session)})
    assert session.lanes == lanes


# The address.


def test_it_travels_in_the_address(session: Session) -> None:
    give(session, *ROUNDS[:2])
    link = address(session)
    assert link.endswith("lanes=static/continuous/continuous!A=3;A=2,B=2;")
    other = Session()
    open_link(other, arguments_of(link))
    assert other.lanes == session.lanes
    assert (other.notice, hand(other)["round"], address(other)) == ("", 3, link)


def test_a_damaged_round_ends_it_there() -> None:
    other = Session()
    open_link(other, arguments_of("scenario=5a&lanes=continuous!A=3;A=x;A=1;"))
    assert other.lanes[0].hand == ((("A", 3),),)
    assert "!A=x" in other.notice


def test_rounds_that_are_not_legal_any_more_are_left_out_and_told(session: Session) -> None:
    give(session, *ROUNDS[:2])
    session.budget = 3
    assert len(session.histories[-1]) == 1
    assert "the budget is 3" in hand(session)["problems"][0]["text"]
    give(session, {"A": 1, "B": 2})
    assert len(session.histories[-1]) == 2
    assert hand(session)["problems"] == []
