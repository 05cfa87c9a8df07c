"""The scenes' texts: there in both languages, filled, and without a figure typed by hand."""

import re

import pytest

from lessons.catalogue import heading, lessons, scenes, text
from lessons.check import LANGUAGES, typed_figures
from lessons.figures import figures, here
from lessons.steps import Step
from lessons.values import filled
from sim.files import LESSONS

SCENES = list(scenes())
EACH = [(name, lang) for name in SCENES for lang in LANGUAGES]
FEWEST_STEPS, MOST_STEPS = 2, 10


def source(name: str, lang: str) -> str:
    return (scenes()[name].folder / f"{name}.{lang}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("name", "lang"), EACH)
def test_every_scene_has_a_title_a_hook_and_steps(name: str, lang: str) -> None:
    written, steps = heading(name, lang), text(name, lang).steps
    assert written.title and "\n" not in written.title and not written.title.startswith("#")
    assert len(written.short) <= 20
    assert written.hook and "\n" not in written.hook
    assert FEWEST_STEPS <= len(steps) <= MOST_STEPS
    assert all(step.title and "\n" not in step.title for step in steps)
    assert all(len(step.body) > 10 for step in steps)


@pytest.mark.parametrize(("name", "lang"), EACH)
def test_no_brace_stays_unfilled(name: str, lang: str) -> None:
    own = heading(name, lang)
    words = [own.title, own.hook, *(part for step in text(name, lang).steps for part in
             (step.title, step.body))]  # fmt: skip
    assert not set("{}") & set("".join(words))


@pytest.mark.parametrize(("name", "lang"), EACH)
def test_no_figure_is_typed_by_hand(name: str, lang: str) -> None:
    assert typed_figures(source(name, lang)) == []


@pytest.mark.parametrize(("name", "lang"), EACH)
def test_chinese_has_a_space_between_its_own_and_other_letters(name: str, lang: str) -> None:
    if lang == "zh":
        words = "\n".join(f"{step.title}\n{step.body}" for step in text(name, lang).steps)
        bare = words.replace("*", "").replace("`", "")
        touching = re.findall(r"[\u4e00-\u9fff][A-Za-z0-9]|[A-Za-z0-9][\u4e00-\u9fff]", bare)
        assert touching == []


def test_scenes_stand_in_the_order_of_the_course() -> None:
    numbers = [scene.lesson for scene in scenes().values()]
    assert numbers == sorted(numbers)
    assert list(lessons()) == list(range(1, len(lessons()) + 1))


def test_no_text_is_left_without_a_scene() -> None:
    stems = {path.name.split(".")[0] for path in LESSONS.glob("*/*.md")}
    assert stems == {*SCENES, "lesson"}


def test_figures_in_the_by_hand_text_are_those_on_paper() -> None:
    told = "\n".join(step.body for step in text("5a", "en").steps)
    assert "**C** gets 2 of its 3 prompt tokens" in told
    assert "(TTFT) is 10.5 ms, against 8 for **A** and 6 for **B**" in told
    assert "7 tokens in 19.5 ms: 358.97 a second. The static lane needs 24 ms" in told


def test_the_budgets_told_in_5c_change_nothing_from_some_point_on() -> None:
    last = text("5c", "en").steps[-1].body
    assert "ends at 17.5 ms, 400 tokens a second. With 3 tokens" in last
    assert "at 21.5, with 5 at 17.5, with 8 at 17.5, with 12 at 17.5" in last


def test_the_pieces_told_in_8a_are_those_of_its_lane() -> None:
    body = text("8a", "en").steps[3].body
    assert "budget of 6" in body and "pieces of 4" in body
    assert "at 6, 12 and 18 ms; **P** has its first only at 18" in body


@pytest.mark.parametrize(
    ("step", "number"),
    [
        (Step(), None),
        (Step(round="end"), 5),
        (Step(round=3), 3),
        (Step(round=0), None),
        (Step(time=13), 3),
        (Step(time=12.9), 2),
        (Step(round="A arrival"), None),
        (Step(round="C arrival"), 2),  # at 6 ms, inside round 2
        (Step(round="C first"), 4),
        (Step(round="B finish"), 3),
        (Step(round="C first", lane="static"), 6),
    ],
)
def test_a_step_names_its_round_in_several_ways(step: Step, number: int | None) -> None:
    shown = here(figures("5a"), step)
    assert (shown and shown["round"]) == number


def test_a_lane_of_the_lesson_can_be_named_in_a_text_though_it_is_a_number() -> None:
    template = "{lane[3].overall.makespan} {continuous.round[2].end} {setup.budget}"
    assert filled(template, figures("5c"), "here") == "21.5 9 6"
