"""The request table as text: every field of a request, and its way through an address."""

import zlib
from base64 import urlsafe_b64encode
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.i18n import LANGUAGES, words
from app.row_text import MOST_IN_A_CELL, packed, unpacked
from app.rows import ALWAYS, FIELDS, MOST, MOST_ROWS, names, plain_name, read, typed
from app.session import Session
from app.url import arguments_of, open_link, query
from sim import Scenario
from sim.files import builtin
from sim.setup import Request

FULL: dict[str, Any] = {
    "id": "A", "arrival": 1.5, "prompt": 8, "output": 4, "cached": 2, "max_output": 6,
    "priority": -3, "tenant": "big", "deadline": 90.25, "cancel_at": 70, "credits": 2,
    "read_every": 0.5,
}  # fmt: skip


def scenario(*requests: dict[str, Any]) -> Scenario:
    return Scenario.from_dict({"setup": {"budget": 4}, "requests": list(requests)})


def row(**cells: str) -> dict[str, str]:
    usual = {"id": "A", "arrival": "0", "prompt": "6", "output": "3"}
    return dict.fromkeys(FIELDS, "") | usual | cells


def reopened(session: Session) -> Session:
    again = Session()
    open_link(again, {name: [value.encode()] for name, value in query(session).items()})
    return again


def test_the_table_has_every_field_of_a_request() -> None:
    assert set(FIELDS) == {item.name for item in fields(Request)}
    assert FIELDS[: len(ALWAYS)] == ALWAYS
    for lang in LANGUAGES:
        table = words(lang, "editor")
        assert all(table[field] and table[f"about.{field}"] for field in FIELDS)


def test_every_field_is_typed_and_read_back() -> None:
    table = typed(scenario(FULL))
    assert table == [{field: str(FULL[field]) for field in FIELDS}]
    assert read(table[0]) == FULL


def test_what_is_at_its_default_is_an_empty_cell() -> None:
    (table,) = typed(scenario({"id": "A", "arrival": 0, "prompt": 1, "output": 1, "priority": 0}))
    assert {field for field in FIELDS if table[field]} == {"id", "arrival", "prompt", "output"}


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(
    ("cells", "field"),
    [
        ({"max_output": "2"}, "max_output"),
        ({"cached": "7"}, "cached"),
        ({"cancel_at": "1", "arrival": "4"}, "cancel_at"),
        ({"credits": "2"}, "read_every"),
        ({"read_every": "2"}, "credits"),
        ({"priority": "x"}, "priority"),
        ({"priority": "1.5"}, "priority"),
        ({"deadline": "-1"}, "deadline"),
        ({"deadline": "soon"}, "deadline"),
        *(({field: str(high + 1)}, field) for field, high in MOST.items()),
    ],
)
def test_a_wrong_cell_of_any_column_is_told_at_its_cell(
    lang: str, cells: dict[str, str], field: str
) -> None:
    session = Session(lang=lang)
    session.set_rows([row(**cells)])
    assert field in [problem["field"] for problem in session.problems]
    for problem in session.problems:
        assert problem["row"] == 0
        assert problem["text"] and "{" not in problem["text"]


def test_a_field_counts() -> None:
    session = Session()
    session.set_rows([row(cancel_at="5")])
    assert not session.problems
    assert session.last_good.requests[0].cancel_at == 5_000_000
    session.set_rows([row()])
    assert session.last_good.requests[0].cancel_at is None


# Heads of a spreadsheet.


@pytest.mark.parametrize(
    ("head", "field"),
    [
        ("arrival", "arrival"), ("Arrival (ms)", "arrival"), ("arrival_ms", "arrival"),
        ("MAX_OUTPUT", "max_output"), ("Max output", "max_output"), ("read_every", "read_every"),
        ("提示", "prompt"), ("到达（ms）", "arrival"), ("Prompt tokens", "prompt"),
        ("Leaves ms", "cancel_at"), ("id", "id"), ("Request", "id"), ("截止", "deadline"),
    ],
)  # fmt: skip
def test_heads_name_fields_in_any_language(head: str, field: str) -> None:
    assert names()[plain_name(head)] == field


def test_an_arrival_in_seconds_is_not_taken_for_milliseconds() -> None:
    assert plain_name("arrival_s") not in names()


# In an address.


def test_extra_fields_are_in_the_address_and_come_back() -> None:
    session = Session()
    session.set_rows([{field: str(FULL[field]) for field in FIELDS}, row(id="B", tenant="a-b_~%")])
    assert query(session)["rows"] == (
        "A-1.5-8-4-2-m6-p%2D3-tbig-d90.25-x70-c2-r0.5_B-0-6-3--ta%2Db%5F%7E%25"
    )
    again = reopened(session)
    assert again.rows == session.rows
    assert again.notice == ""


def test_old_links_keep_what_they_never_named() -> None:
    own = scenario({"id": "A", "arrival": 0, "prompt": 6, "output": 3, "priority": 2})
    assert unpacked("A-0-7-3", own) == [row(prompt="7", priority="2")]
    assert unpacked("B-0-7-3", own) == [row(id="B", prompt="7")]
    assert unpacked("A-0-7-3-1", own) == [row(prompt="7", cached="1", priority="2")]


def test_a_cleared_cell_stays_cleared() -> None:
    own = scenario({"id": "A", "arrival": 0, "prompt": 6, "output": 3, "priority": 2})
    cleared = [row()]
    assert unpacked(packed(cleared, own), own) == cleared
    assert packed(cleared) == "A-0-6-3"
    assert packed(typed(own), own) == "A-0-6-3--p2"


@pytest.mark.parametrize(
    "damaged",
    ["A-0-6-3--q1", "A-0-6-3--p1-p2", "A-0-6-3--p" + 41 * "1", "~A", "~", "~eNoDAAAAAAE"],
)
def test_damaged_cells_are_refused_whole(damaged: str) -> None:
    assert unpacked(damaged) is None
    session = Session()
    open_link(session, {"rows": [damaged.encode()]})
    assert session.rows == typed(builtin("5a"))
    assert "cannot be read" in session.notice


def test_a_full_table_fits_into_an_address() -> None:
    session = Session()
    session.set_rows(
        [
            row(
                id=f"R{i}", arrival=f"{137.219 * i:.3f}", prompt=str(2 + i * 37 % 997), priority="1"
            )
            for i in range(MOST_ROWS)
        ]
    )
    word = query(session)["rows"]
    assert word.startswith("~") and len(word) < 8_000
    assert reopened(session).rows == session.rows


def test_a_name_that_begins_like_a_pressed_table_is_a_name() -> None:
    session = Session()
    session.set_rows([row(id="~A")])
    assert reopened(session).rows == session.rows
    assert unpacked("~A-0-6-3") == [row(id="~A")]


cells = st.text(max_size=MOST_IN_A_CELL).filter(
    lambda cell: cell == cell.encode(errors="replace").decode()
)


@given(st.lists(st.fixed_dictionaries(dict.fromkeys(FIELDS, cells)), max_size=3))
def test_any_full_rows_are_read_as_they_were_written(rows: list[dict[str, str]]) -> None:
    read_back = unpacked(packed(rows))
    assert read_back == rows or (read_back is None and len(packed(rows)) * 3 > 4_000)


def test_a_bomb_of_zeros_is_not_unpacked() -> None:
    bomb = urlsafe_b64encode(zlib.compress(b"0" * 5_000_000, 9)).decode().rstrip("=")
    assert len(bomb) < 8_000
    assert unpacked("~" + bomb) is None


def test_the_query_of_a_link_is_read_as_the_server_reads_it() -> None:
    session = Session()
    open_link(session, arguments_of("?rows=A-0-6-3--p%252D3"))
    assert session.rows[0]["priority"] == "-3"
