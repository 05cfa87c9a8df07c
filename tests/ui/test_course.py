"""The whole course in a real browser: every scene, step and exercise, in both languages."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from app.i18n import LANGUAGES, words
from app.lesson_view import scene_steps
from lessons.catalogue import heading, lessons, scenes

Open = Callable[..., Page]
STAGE = "[data-testid=stage]"


def scenes_of(lesson: int) -> list[str]:
    return [name for name, scene in scenes().items() if scene.lesson == lesson]


def fill(page: Page, kind: str, values: list[Any]) -> None:
    """Put values into the boxes of the exercise, or choose the options of these numbers."""
    card = page.locator(".exercise")
    if kind == "choice":
        for number, option in enumerate(card.locator(".option input").all(), 1):
            if option.get_attribute("type") == "checkbox":
                option.set_checked(number in values)
            elif number in values:
                option.check()
        return
    for box, value in zip(card.locator(".box").all(), values, strict=True):
        box.fill(str(value))


def verdict(page: Page, kind: str, values: list[Any]) -> Locator:
    fill(page, kind, values)
    page.locator(".exercise [type=submit]").click()
    return page.locator(".exercise")


def wrong_answer(exercise: dict[str, Any], card: dict[str, Any]) -> list[Any]:
    """An answer with a hint of its own where there is one, else just another one."""
    if exercise["kind"] == "choice":
        return [next(n for n in range(1, len(card["options"]) + 1) if n not in card["answer"])]
    if exercise["kind"] == "grants":
        return [share["most"] + 1 for share in card["shares"]]
    if card["hints"]:
        return list(card["hints"][0]["values"])
    return [value + 1000 if isinstance(value, int | float) else "?" for value in card["answer"]]


def answer_exercise(page: Page, exercise: dict[str, Any], lang: str) -> None:
    """Wrong, with a hint; then right; then the worked answer; then another question."""
    kind, card = exercise["kind"], exercise["cards"][0]
    if kind != "choice" or len(card["answer"]) < len(card["options"]):
        found = verdict(page, kind, wrong_answer(exercise, card))
        expect(found).to_have_attribute("data-verdict", "wrong")
        expect(found.locator(".verdict .text")).not_to_be_empty()
    found = verdict(page, kind, card["answer"])
    expect(found).to_have_attribute("data-verdict", "right")
    found.get_by_role("button", name=words(lang, "page")["exercise_reveal"]).click()
    expect(found.locator(".worked")).not_to_be_empty()
    if len(exercise["cards"]) > 1:
        found.get_by_role("button", name=words(lang, "page")["exercise_another"]).click()
        expect(found).to_have_attribute("data-verdict", "")
        found = verdict(page, kind, exercise["cards"][1]["answer"])
        expect(found).to_have_attribute("data-verdict", "right")


def walk(page: Page, scene: str, lang: str) -> None:
    """All steps of the scene that is shown; the stage follows, and no exercise is too hard."""
    page.emulate_media(reduced_motion="reduce")  # what slides is drawn again and again on its way
    expect(page.locator("h1")).to_have_text(heading(scene, lang).title)
    shown = scene_steps(scene, lang)
    for number, step in enumerate(shown, 1):
        expect(page.locator(".step-title")).to_have_text(step["title"])
        assert "{" not in page.locator(".step").inner_text()
        if step["exercise"]:
            answer_exercise(page, step["exercise"], lang)
        if number < len(shown):
            page.locator(".steps-nav .next").click()
    expect(page.locator("[data-run]")).not_to_have_attribute("data-time", "")


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("lesson", list(lessons()))
def test_every_lesson_can_be_walked_and_every_exercise_answered(
    open_page: Open, lesson: int, lang: str, shot: Callable[[str], None]
) -> None:
    first, *others = scenes_of(lesson)
    page = open_page(STAGE, f"lang={lang}&scenario={first}")
    box = page.locator(".rb-transport").bounding_box()
    hook = page.locator(".hook").bounding_box()
    assert box and hook and box["y"] + box["height"] <= 800 and hook["y"] + hook["height"] <= 800
    walk(page, first, lang)
    for scene in others:
        page.locator(".steps-nav .next").click()
        walk(page, scene, lang)
    shot(f"lesson-{lesson}-{lang}")
    assert page.locator(".scene .part").nth(lesson - 1).inner_text() == ""
