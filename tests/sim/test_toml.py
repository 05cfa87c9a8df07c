"""Tables as TOML: what is written is read as the same, and reads well."""

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim import Scenario
from sim.toml import to_toml
from tests.sim.make import by_hand, scenarios

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
PLAIN = st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS
VALUES = st.recursive(
    PLAIN,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(TEXTS, VALUES))
def test_what_is_written_is_read_as_the_same(table: dict[str, Any]) -> None:
    assert tomllib.loads(to_toml(table)) == table


@given(scenarios())
def test_a_scenario_comes_back(subject: Scenario) -> None:
    assert Scenario.from_dict(tomllib.loads(to_toml(subject.to_dict()))) == subject


def test_a_scenario_looks_like_those_of_the_lessons() -> None:
    text = to_toml(by_hand().to_dict())
    assert text.startswith(
        '[setup]\nbudget = 4\nservice = "decode_first"\n\n'
        '[[requests]]\nid = "A"\narrival = 0\nprompt = 6\noutput = 3\n\n[[requests]]\nid = "B"\n'
    )


def test_signs_without_a_picture_are_written_by_number() -> None:
    assert to_toml({"a b": 'x"\\\n\t\r\x00\x7fé轮'}) == (
        '"a b" = "x\\"\\\\\\n\\t\\r\\u0000\\u007fé轮"\n'
    )


def test_true_is_no_number_and_tables_in_mixed_lists_stay_on_the_line() -> None:
    assert to_toml({"a": True, "b": [1, {"c": 1e-7}], "d": [], "e": (1, 2)}) == (
        "a = true\nb = [1, {c = 1e-07}]\nd = []\ne = [1, 2]\n"
    )


def test_an_empty_table_is_an_empty_text() -> None:
    assert tomllib.loads(to_toml({})) == {}


def test_what_toml_does_not_have_is_refused() -> None:
    with pytest.raises(TypeError, match="NoneType"):
        to_toml({"a": None})
    with pytest.raises(ValueError, match="surrogates"):
        to_toml({"a": "\ud800"})
