"""Every figure that the course promises is told by its lesson, in both languages.

The figures stand here as they do on paper; the texts take theirs from the simulator.
"""

import re

import pytest

from lessons.catalogue import heading, lessons, scenes, text

PROMISED = {
    1: "18 12 6 4 2 10 7 1 30",
    2: "3 7 6 9 15 18 27",
    3: "2 6 3 11 5 1 8 1.375 37.5 4 7",
    4: "32 18 37.2 162 100 96 18.032 18.064",
    5: "4 8 13 16.5 19.5 6 10.5 358.97 24 2 7 5 8.5 17.5 400 21.5 1,008.5 1,011 1,011.5 12 19 "
    "23.5 1,509.5 1,000",
    6: "10 30 70 90 125 150 20 60 35 25 26.67 140",
    7: "8 5 3 2 12 7.5 6 10 7 10.5",
    8: "12 14 10 6 4 18",
    9: "6 7 8 3",
    10: "1,000 1,600 100 925 950 975 6 5 2 1 0 4 3 16 40 25 64 9 49",
    11: "20 25 5 4.98 16 0.75 12 4 500 110 410 90 412 88 30",
    12: "8 0 397 6 37 10 11.15 87 10.69 36 339 12 16 31 14 10.5 26.5 26",
    13: "512 4,096 900 1,050 35 130 700 430 80 60",
    14: "2 8 30.3 55.6 18 24 7 448.7 40",
    15: "5 8 3 2 4 7",
}


def told(lesson: int, lang: str) -> set[str]:
    """Every figure in the words of a lesson: steps, questions, hints and worked answers."""
    words = []
    for name, scene in scenes().items():
        if scene.lesson == lesson:
            words.append(heading(name, lang).hook)
            for step in text(name, lang).steps:
                words += [step.title, step.body]
                for card in step.cards:
                    hints = [hint.text for hint in card.hints]
                    words += [card.question, *card.options, card.hint, card.worked, *hints]
                    words += map(str, card.answer)
    return {found.rstrip(".,") for found in re.findall(r"\d[\d,]*(?:\.\d+)?", " ".join(words))}


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("lesson", list(PROMISED))
def test_a_lesson_tells_the_figures_that_are_promised(lesson: int, lang: str) -> None:
    assert [figure for figure in PROMISED[lesson].split() if figure not in told(lesson, lang)] == []


def test_every_planned_lesson_but_the_lab_promises_figures() -> None:
    assert [*PROMISED, 16] == list(lessons())[:16]
