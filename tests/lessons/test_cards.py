"""Exercises: what they ask, how they are marked, and what is wrong with those that cannot be."""

from collections.abc import Mapping

import pytest

from lessons.cards import NUM_CARDS, cards, margin, parts_of
from lessons.catalogue import lessons, scenes, steps, text
from lessons.exercises import read_exercise
from lessons.faults import LessonError
from lessons.figures import figures
from lessons.questions import place_of, questions
from lessons.steps import Step
from lessons.values import evaluate, filled, names_in, written

BODY = "How long?\n\n### Hint\nCount.\n\n### Answer\n{answer} ms\n"
NUMBER = {"kind": "number", "answer": "continuous.requests.C.ttft", "unit": "ms"}
OPTIONS = BODY.replace("How long?", "Which?\n\n- one\n- two")


def asked(
    table: Mapping[str, object], body: str = BODY, round_: int | str = "start"
) -> list[object]:
    exercise = read_exercise(table, "here")
    step = Step(round=round_, exercise=exercise)
    return [card.answer for card in cards("5a", step, body, "here")]


def test_a_number_is_that_of_the_run() -> None:
    assert asked(NUMBER) == [(10.5,)]


def test_a_change_and_draws_make_other_cards() -> None:
    assert asked(NUMBER | {"change": {"budget": 6}}) == [(8.5,)]
    drawn = asked(NUMBER | {"draw": {"budget": [3, 4, 5, 6, 8], "C.arrival": [4, 5, 7]}})
    assert drawn[0] == (10.5,) and 2 <= len(drawn) <= NUM_CARDS
    assert drawn == asked(NUMBER | {"draw": {"budget": [3, 4, 5, 6, 8], "C.arrival": [4, 5, 7]}})


def test_a_list_has_a_value_a_box() -> None:
    each = [f"continuous.requests.{id_}.ttft" for id_ in "ABC"]
    table = {"kind": "list", "answer": each, "labels": ["A", "B", "C"]}
    assert asked(table) == [(8, 6, 10.5)]


def test_options_are_right_or_wrong_by_the_run() -> None:
    table = {"kind": "choice", "right": ["setup.budget == 4", "setup.budget > 4"]}
    assert asked(table, OPTIONS) == [(1,)]
    with pytest.raises(LessonError, match="no option is right"):
        asked({"kind": "choice", "right": ["setup.budget > 9"] * 2}, OPTIONS)


def test_a_round_to_fill_is_what_the_policy_gives() -> None:
    assert asked({"kind": "grants"}, round_=2) == [(1, 1, 2)]
    assert asked({"kind": "grants", "at": 1}) == [(4, 0, 0)]
    with pytest.raises(LessonError, match="no round 9 to fill"):
        asked({"kind": "grants", "at": 9})


def test_a_hint_that_is_right_by_chance_is_left_out() -> None:
    mistakes = {"clock": "continuous.requests.A.outputs[0]"}  # A arrives at 0
    table = NUMBER | {"answer": "continuous.requests.A.ttft", "mistakes": mistakes}
    body = BODY.replace("### Hint\n", "### Hint: clock\nNo.\n\n### Hint\n")
    (card,) = cards("5a", Step(exercise=read_exercise(table, "here")), body, "here")
    assert card.hints == ()


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"kind": "riddle"}, "kind is 'riddle'; known: number, list, choice, grants"),
        (NUMBER | {"answre": 1}, "answre is no field; did you mean answer?"),
        (NUMBER | {"answer": 10.5}, "must be a list, not 10.5"),
        (NUMBER | {"answer": "10.5"}, "10.5 names no result; figures are not typed"),
        (NUMBER | {"answer": "1 +"}, "answer: 1 \\+: invalid syntax"),
        (NUMBER | {"unit": "parsec"}, "unit is 'parsec'"),
        ({"kind": "number"}, "a number needs answer"),
        ({"kind": "list", "answer": ["setup.budget"]}, "labels must be as many as answers"),
        (NUMBER | {"draw": {"budget": []}}, "draw.budget has nothing to draw from"),
        (NUMBER | {"mistakes": {"x": ["here.P", "here.D"]}}, "as many values as answer"),
        (NUMBER | {"change": 3}, "change: must be a table, not 3"),
        ("now", "must be a table, not 'now'"),
    ],
)
def test_an_exercise_that_cannot_be_asked_is_told(table: object, said: str) -> None:
    with pytest.raises(LessonError, match=said):
        read_exercise(table, "here")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("How?\n\n### Answer\nSo.", "has no '### Hint'"),
        (BODY + "\n### Hitn: x\nNo.", "is no part; known: Hint, Hint: name, Answer"),
    ],
)
def test_a_section_without_its_parts_is_told(body: str, said: str) -> None:
    with pytest.raises(LessonError, match=said):
        parts_of(body, "here")


def test_a_change_that_cannot_run_is_told() -> None:
    with pytest.raises(LessonError, match="budget"):
        asked(NUMBER | {"change": {"budget": 0}})


def test_whole_numbers_are_exact_and_others_may_be_rounded() -> None:
    assert margin(3) == 0
    assert abs(26.67 - 80 / 3) <= margin(80 / 3)
    assert abs(26 - 80 / 3) > margin(80 / 3)


def test_an_expression_can_compute_and_nothing_else() -> None:
    assert evaluate("max(a.b) + len(a.b)", {"a": {"b": [3, 4]}}, "here") == 6
    assert names_in("mean([x.y for x in a.b]) + c") == {"a", "c"}
    for bad in ("__import__('os')", "open('x')", "a.__class__", "nobody", "1 / 0"):
        with pytest.raises(LessonError):
            evaluate(bad, {"a": 1}, "here")


def test_a_value_is_written_for_readers() -> None:
    assert [written(v) for v in (8.0, 358.974, 19366, "A")] == ["8", "358.97", "19,366", "A"]
    assert filled("{setup.budget:.1f}", figures("5a"), "here") == "4.0"
    with pytest.raises(LessonError, match="has no value in this run"):
        filled("{continuous.overall.goodput}", figures("5a"), "here")


def test_a_question_leads_to_its_step() -> None:
    assert place_of("5a#worst") == ("5a", 6)
    for bad in ("99z#worst", "5a#wurst", "5a"):
        with pytest.raises(LessonError):
            place_of(bad)
    for lang in ("en", "zh"):
        assert len({question.text for question in questions(lang)}) == 18


def test_the_course_asks_in_every_way() -> None:
    own: dict[int, list[Step]] = {number: [] for number in lessons()}
    for name, scene in scenes().items():
        own[scene.lesson] += steps(name)
    kinds = {step.exercise.kind for each in own.values() for step in each if step.exercise}
    assert kinds == {"number", "list", "choice", "grants"}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_card_has_words(lang: str) -> None:
    for name in scenes():
        for step in text(name, lang).steps:
            for card in step.cards:
                assert card.question and card.hint and card.worked


def test_another_draw_is_the_same_in_every_language() -> None:
    for name in scenes():
        drawn = [
            [[card.changes for card in step.cards] for step in text(name, lang).steps]
            for lang in ("en", "zh")
        ]
        assert drawn[0] == drawn[1]
