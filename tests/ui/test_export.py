"""Lessons saved as pages, opened from a folder in a real browser, without a server."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from app import export
from app.export_data import lesson_data
from app.i18n import LANGUAGES, words
from app.lesson_view import scene_steps
from lessons.catalogue import lessons
from tests.ui.conftest import OPTIONS, WAIT_MS, Watch
from tests.ui.test_course import scenes_of, walk

PLAYER = "[data-run]"
LESSONS = (5, 7)  # one with a run of several windows, one with many draws of its exercise
saved = cache(lesson_data)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the pages of two lessons and the index."""
    path = tmp_path_factory.mktemp("saved")
    for lesson in LESSONS:
        for lang, here in saved(lesson).items():
            page = export.lesson_page(lesson, lang, here)
            (path / export.file_name(lesson, lang)).write_text(page, encoding="utf-8")
    (path / export.INDEX).write_text(export.index_page(), encoding="utf-8")
    return path


@pytest.fixture
def open_saved(browser: Browser, folder: Path) -> Iterator[Callable[..., Page]]:
    """Open a page of the folder; an error in it, or a request for anything else, fails the test."""
    watch = Watch()
    context = browser.new_context(**OPTIONS | {"color_scheme": "dark"})
    watch.attach(context)

    def open_and_wait(lesson: int, lang: str, place: str = "") -> Page:
        page = context.new_page()
        page.goto(f"{(folder / export.file_name(lesson, lang)).as_uri()}{place}")
        page.locator(PLAYER).wait_for(timeout=WAIT_MS)  # it has a run, which was unpacked first
        return page

    yield open_and_wait
    context.close()
    own = folder.as_uri()
    assert [url for url in watch.outside if not url.startswith(own)] == []
    assert watch.errors == []


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("lesson", LESSONS)
def test_a_saved_lesson_is_walked_and_its_exercises_answered(
    open_saved: Callable[..., Page], lesson: int, lang: str
) -> None:
    first, *others = scenes_of(lesson)
    page = open_saved(lesson, lang)
    assert page.locator("html").get_attribute("data-theme") == "dark"
    walk(page, first, lang)
    for scene in others:
        before = page.locator(PLAYER).get_attribute("data-run") or ""
        page.locator(".steps-nav .next").click()
        expect(page.locator(PLAYER)).not_to_have_attribute("data-run", before)
        walk(page, scene, lang)
    place = page.evaluate("location.hash")
    assert (
        place
        == f"#{others[-1] if others else first}/{len(scene_steps(scenes_of(lesson)[-1], lang))}"
    )
    other = next(code for code in LANGUAGES if code != lang)
    title = page.locator("h1").inner_text()
    page.locator(".segments [aria-pressed=false]").click()
    expect(page.locator("h1")).not_to_have_text(title)
    assert page.url.endswith(f"{export.file_name(lesson, other)}{place}")


def test_the_stage_plays_scrubs_and_rewinds(open_saved: Callable[..., Page]) -> None:
    page = open_saved(5, "en")
    player = page.locator(PLAYER)
    page.keyboard.press(" ")
    expect(player).to_have_attribute("data-playing", "true")
    expect(player).not_to_have_attribute("data-time", "0")
    page.keyboard.press(" ")
    expect(player).to_have_attribute("data-playing", "false")
    bar = page.locator(".rb-range")
    bar.focus()
    bar.fill(bar.get_attribute("max") or "")
    expect(player).to_have_attribute("data-time", "19.5")
    page.keyboard.press("Home")
    expect(player).to_have_attribute("data-time", "0")


def test_what_needs_the_server_is_not_there_and_the_page_says_so(
    open_saved: Callable[..., Page],
) -> None:
    for lang in LANGUAGES:
        page = open_saved(7, lang)
        expect(page.locator(".saved-note")).to_have_text(words(lang, "export")["saved_note"])
        assert page.locator(".bar, .drawer, .rb-lane-more").count() == 0
        expect(page.get_by_test_id("add-lane")).to_be_hidden()


def test_all_of_a_long_run_is_shown_window_by_window(open_saved: Callable[..., Page]) -> None:
    page = open_saved(5, "en", "#5-lab")
    first, *_, last = saved(5)["en"]["5-lab"]["runs"][""]["windows"]
    player = page.locator(PLAYER)
    page.keyboard.press("0")  # both lanes: one alone is over earlier
    page.keyboard.press("End")
    expect(player).to_have_attribute("data-time", str(last["t1"]))
    assert last["t1"] > first["t1"]
    page.keyboard.press("Home")
    expect(player).to_have_attribute("data-time", "0")


def test_another_draw_of_an_exercise_is_shown_and_taken_back(
    open_saved: Callable[..., Page],
) -> None:
    (scene,) = [name for name in scenes_of(7) if name == "7-exercise"]
    shown = scene_steps(scene, "en")
    number, card = next(
        (number, i)
        for number, step in enumerate(shown, 1)
        if step["exercise"]
        for i, card in enumerate(step["exercise"]["cards"])
        if card["search"]
    )
    page = open_saved(7, "en", f"#{scene}/{number}")
    task = page.locator(".exercise")
    player = page.locator(PLAYER)
    expect(task).to_be_visible()
    own = player.get_attribute("data-run") or ""
    for _ in range(card):
        task.get_by_role("button", name=words("en", "page")["exercise_another"]).click()
    task.get_by_role("button", name=words("en", "page")["exercise_reveal"]).click()
    task.locator(".play-it").click()
    expect(player).not_to_have_attribute("data-run", own)
    expect(player).to_have_attribute("data-playing", "true")
    page.locator(".edited").click()
    expect(player).to_have_attribute("data-run", own)


def test_the_index_opens_a_lesson(open_saved: Callable[..., Page]) -> None:
    page = open_saved(5, "zh")
    page.locator("a.name").click()
    page.locator("section:lang(zh) a").nth(list(lessons()).index(7)).click()
    page.locator(".rb-transport").wait_for(timeout=WAIT_MS)
    assert page.url.endswith(f"{export.file_name(7, 'zh')}#{scenes_of(7)[0]}")
