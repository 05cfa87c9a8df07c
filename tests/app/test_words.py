"""Catalogues, chips and the joining of browser code: small functions of the page."""

import pytest

from app.chips import mark
from app.i18n import LANGUAGES, differences, join, placeholders, say, words
from app.script import module


def test_a_sentence_gets_its_values() -> None:
    assert say("en", "page.lesson", number=5) == "Lesson 5"
    assert say("zh", "page.lesson", number=5) == "第 5 课"


def test_a_missing_key_or_value_is_an_error() -> None:
    with pytest.raises(KeyError):
        say("en", "page.no_such_key")
    with pytest.raises(KeyError):
        say("en", "page.lesson")


def test_a_number_has_the_form_it_asks_for() -> None:
    assert say("en", "card.more_idle", count=1) == "1 more is done and holds its seat."
    assert say("en", "card.more_idle", count=21) == "21 more are done and hold their seats."
    used = say("en", "card.used_waste", used=0, budget=1, waste="[1|2]")
    assert used == "0 of 1 token and [1|2] for nobody"


def test_a_table_leaves_its_name_out() -> None:
    assert words("en", "unit") == {"ms": "ms", "tick": "ticks"}


def test_sentences_are_joined_as_the_language_does() -> None:
    assert join("en", ["One.", "Two."]) == "One. Two."
    assert join("zh", ["一。", "二。"]) == "一。二。"


def test_a_chinese_time_has_no_space_beside_it_and_a_unit_has() -> None:
    assert "在第 3 拍到达" in say("zh", "round.arrives", time="第 3 拍", end="第 4 拍")
    assert "在 3 ms 到达" in say("zh", "round.arrives", time="3 ms", end="4 ms")
    assert say("zh", "lane.leaves", id="A", time="2 拍") == "A 等了 2 拍后离开"


def test_differences_between_catalogues_are_named() -> None:
    found = differences({"en": {"a": "{x}", "b": "B"}, "zh": {"a": "{y}"}})
    assert found == ["zh.toml lacks b", "a has different placeholders"]
    assert placeholders("{a} of {b:,}") == {"a", "b"}


def test_the_real_catalogues_agree() -> None:
    assert differences({lang: words(lang) for lang in LANGUAGES}) == []


def test_only_requests_of_the_scenario_become_chips() -> None:
    text = "**A** waits, **P** and **one** do not; **Z** is nobody."
    marked = "`chip 0 A` waits, `chip 3 P` and **one** do not; **Z** is nobody."
    assert mark(text, {"A": 0, "P": 3}) == marked


@pytest.mark.parametrize("last", [("dom.js", "editor.js"), ("dom.js", "shell/rail.js")])
def test_joined_browser_code_has_no_relative_import_left(last: tuple[str, str]) -> None:
    source = module(*last)
    assert "import " not in source.split("/**")[0]
    assert 'from "./' not in source
    assert 'from "../' not in source
    assert source.count("\nexport ") == 1
