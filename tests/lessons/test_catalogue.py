"""The scenes' texts: there in both languages, filled, and without a figure typed by hand."""

import re
from pathlib import Path
from string import Formatter

import pytest

from lessons.catalogue import figures, scenes, text
from sim.files import builtin

LANGUAGES = ("en", "zh")
SCENES = list(scenes())
EACH = [(name, lang) for name in SCENES for lang in LANGUAGES]

# Digits that may stand in a text as typed, a scene: budgets the reader is asked to try, the round
# to go to, and what follows at once from such a budget (8a: the round time at a budget of 6).
# Everything else must be a named value, so that no text can lie when a scenario changes.
ALLOWED = {"5a": {"3"}, "5c": {"1", "3", "5", "8", "12"}, "8a": {"6"}}


def source(name: str, lang: str) -> str:
    return (scenes()[name].folder / f"{name}.{lang}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("name", "lang"), EACH)
def test_every_scene_has_a_title_a_hook_and_a_text(name: str, lang: str) -> None:
    written = text(name, lang)
    assert written.title and "\n" not in written.title and not written.title.startswith("#")
    assert written.hook and "\n" not in written.hook
    assert len(written.body) > 80


@pytest.mark.parametrize(("name", "lang"), EACH)
def test_no_brace_stays_unfilled(name: str, lang: str) -> None:
    written = text(name, lang)
    assert not set("{}") & set(written.title + written.hook + written.body)
    assert "None" not in written.body


@pytest.mark.parametrize(("name", "lang"), EACH)
def test_no_figure_is_typed_by_hand(name: str, lang: str) -> None:
    bare = re.sub(r"`[^`]*`", "", source(name, lang))  # code such as `vllm_v1` is a name
    bare = re.sub(r"\{[^}]*\}", "", bare)
    assert set(re.findall(r"\d+(?:\.\d+)?", bare)) <= ALLOWED.get(name, set())


def test_the_time_typed_in_8a_is_the_round_time_at_that_budget() -> None:
    """`every 6 ms` is typed, because its budget of 6 is not the scenario's."""
    outputs = figures(builtin("8a").with_setup(budget=6))["continuous"]["requests"]["A"]["outputs"]
    assert outputs[:3] == [6, 12, 18]


def test_the_budgets_to_try_in_5c_change_nothing_from_some_point_on() -> None:
    spans = [
        figures(builtin("5c").with_setup(budget=budget))["continuous"]["overall"]["makespan"]
        for budget in (3, 5, 8, 12)
    ]
    assert spans == [21.5, 17.5, 17.5, 17.5]


def names_in(raw: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(raw) if name}


@pytest.mark.parametrize("name", SCENES)
def test_both_languages_name_the_same_values(name: str) -> None:
    english, chinese = (names_in(source(name, lang)) for lang in LANGUAGES)
    assert english == chinese


@pytest.mark.parametrize("name", SCENES)
def test_both_languages_mark_the_same_requests(name: str) -> None:
    english, chinese = (
        set(re.findall(r"\*\*([A-Z]\d?)\*\*", source(name, lang))) for lang in LANGUAGES
    )
    assert english == chinese
    assert english <= {request.id for request in builtin(name).requests}


@pytest.mark.parametrize("name", SCENES)
def test_every_named_value_is_a_plain_figure(name: str) -> None:
    values = figures(builtin(name))
    for field in names_in(source(name, "en")):
        value, _ = Formatter().get_field(field, (), values)
        assert isinstance(value, int | float) and not isinstance(value, bool), field


def test_scenes_stand_in_the_order_of_the_course() -> None:
    assert [(scene.name, scene.lesson) for scene in scenes().values()] == [
        ("1a", 1),
        ("2b", 2),
        ("3a", 3),
        ("5a", 5),
        ("5c", 5),
        ("7a", 7),
        ("8a", 8),
    ]


def test_no_text_is_left_without_a_scene() -> None:
    folder = Path(next(iter(scenes().values())).folder).parent
    stems = {path.name.split(".")[0] for path in folder.glob("*/*.md")}
    assert stems == set(SCENES)


def test_figures_in_the_by_hand_text_are_those_on_paper() -> None:
    body = text("5a", "en").body
    assert "10.5 ms after it arrived, against 8 for **A** and 6 for **B**" in body
