"""Links are typed by strangers: what does not fit becomes the nearest good value, and is said."""

import pytest

from app.editor import FIELDS, ROW_LIMIT, clean
from app.session import Session
from app.url import open_link, query


def opened(**arguments: str) -> Session:
    session = Session()
    open_link(session, {name: [value.encode()] for name, value in arguments.items()})
    return session


def test_a_good_link_restores_the_state_it_was_made_from() -> None:
    state = {"lang": "zh", "scenario": "3a", "budget": "6"}
    session = opened(**state)
    assert query(session) == state
    assert session.notice == ""


def test_no_link_changes_nothing() -> None:
    assert query(opened()) == query(Session())


@pytest.mark.parametrize(("asked", "used"), [("9999", 16), ("0", 1), ("-3", 1)])
def test_a_budget_out_of_range_is_clamped_and_said(asked: str, used: int) -> None:
    session = opened(scenario="5a", budget=asked)
    assert session.budget == used
    assert str(used) in session.notice


@pytest.mark.parametrize("budget", ["", "x", "--5", "4.5", "1e3", "٤", "<img src=x>"])
def test_a_budget_that_is_no_number_is_left_out(budget: str) -> None:
    session = opened(budget=budget)
    assert session.budget == Session().budget
    assert session.notice


def test_an_unknown_language_or_scene_is_left_out_and_said() -> None:
    session = opened(lang="xx", scenario="no-such-scene")
    assert (session.lang, session.scenario_name) == ("en", Session().scenario_name)
    assert session.notice.count(".") >= 2


def test_bytes_that_are_no_text_do_no_harm() -> None:
    session = Session()
    open_link(session, {"lang": [b"\xff\xfe"], "scenario": [b"\xff" * 1000]})
    assert session.notice


def test_rows_from_the_browser_are_text_of_known_fields_and_bounded() -> None:
    rows = clean([{"id": "A" * 500, "prompt": 4, "evil": "x"}, "no row", None] + [{}] * 500)
    assert len(rows) <= ROW_LIMIT
    assert set(rows[0]) == set(FIELDS)
    assert rows[0]["prompt"] == "4"
    assert len(rows[0]["id"]) == 40
