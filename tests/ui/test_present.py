"""Steps of a lesson, presenter mode, keys and the course list, in a real browser."""

import re
from collections.abc import Callable
from itertools import pairwise

import pytest
from playwright.sync_api import Locator, Page, expect

from app.i18n import say

Open = Callable[..., Page]
STAGE = "[data-testid=stage]"
TOLD = "Two talk, one comes in"
PHONE = {"viewport": {"width": 390, "height": 844}}
HALL = {"viewport": {"width": 1920, "height": 1080}}
LAPTOP = {"viewport": {"width": 1280, "height": 800}}
FOUR_LANES = "static/continuous/vllm_v1/sarathi"
FITS = "el => el.scrollHeight <= el.clientHeight && el.scrollTop === 0"


def player(page: Page) -> Locator:
    return page.locator("[data-run]")


def expect_time(page: Page, time: str) -> None:
    expect(player(page)).to_have_attribute("data-time", time)


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def step_title(page: Page) -> Locator:
    return page.locator(".step-title")


def height(locator: Locator) -> float:
    box = locator.bounding_box()
    assert box
    return box["height"]


def bottom(locator: Locator) -> float:
    box = locator.bounding_box()
    assert box
    return box["y"] + box["height"]


def stage_frames(page: Page) -> int:
    return page.locator(".rb-marks > i").count()


def expect_step(page: Page, number: int, of: int = 9) -> None:
    expect(page.locator(".progress-row .count")).to_have_text(f"Step {number} of {of}")


# Steps


def test_the_first_step_leaves_the_stage_at_the_start(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a")
    expect_step(page, 1)
    expect_time(page, "0")
    expect(page.get_by_role("button", name="Back", exact=True)).to_be_disabled()


def test_a_step_moves_the_stage_to_what_it_speaks_of(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a")
    for time in ("4", "8", "8", "13"):
        page.get_by_role("button", name="Next step").click()
        expect_time(page, time)
    expect(step_title(page)).to_have_text(TOLD)
    expect(page.get_by_test_id("view-continuous")).to_have_attribute("aria-pressed", "true")
    assert stage_frames(page) == 1
    page.get_by_role("button", name="Back", exact=True).click()
    page.get_by_role("button", name="Back", exact=True).click()
    expect_time(page, "8")
    assert stage_frames(page) == 2
    page.get_by_role("button", name=re.compile("^Step 8: ")).click()
    expect_time(page, "24")
    expect(page.get_by_test_id("view-all")).to_have_attribute("aria-pressed", "true")
    assert stage_frames(page) == 0


def test_going_from_step_to_step_asks_no_server(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a")
    page.evaluate(
        """() => { window.sent = 0; const send = WebSocket.prototype.send;
        WebSocket.prototype.send = function (...data) {
            window.sent += 1; return send.apply(this, data); }; }"""
    )
    press(page, "n", "n", "n", "n", "b", "N")
    expect(step_title(page)).to_have_text(TOLD)
    expect_time(page, "13")
    assert page.evaluate("window.sent") == 0


def test_the_last_step_leads_to_the_next_scene(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a&step=9")
    page.get_by_role("button", name="Next scene").click()
    expect(page.locator("h1")).to_have_text("The same three, a larger budget")
    expect_step(page, 1, 6)
    expect_time(page, "0")
    expect(page).to_have_url(re.compile(r"scenario=5c&budget=6$"))


def test_a_step_follows_what_a_learner_changes(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a&budget=6&step=6")
    expect_time(page, "14.5")  # C's first token, with a budget of 6


def test_the_other_language_keeps_step_and_time(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a&step=5")
    expect_time(page, "13")
    press(page, "ArrowLeft", "l")
    expect(step_title(page)).to_have_text("两个在说话，一个刚进门")
    expect_time(page, "8")
    press(page, "l")
    expect(step_title(page)).to_have_text(TOLD)


def test_controls_that_a_step_asks_for_are_marked(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5c&step=6")
    expect(page.locator(".bar .asked")).to_have_text("Budget")
    press(page, "b")
    expect(page.locator(".bar .asked")).to_have_count(0)


@pytest.mark.parametrize("page", [PHONE], indirect=True)
def test_steps_are_in_reach_on_a_phone(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a")
    page.get_by_role("button", name="Read on").click()
    page.get_by_role("button", name="Next step").click()
    expect_step(page, 2)
    expect_time(page, "4")
    assert page.evaluate("document.documentElement.scrollWidth") == 390


@pytest.mark.parametrize("page", [PHONE], indirect=True)
def test_a_link_to_a_step_shows_its_words_on_a_phone(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a&step=5")
    expect(step_title(page)).to_be_in_viewport()
    expect(page.get_by_role("button", name="Next step")).to_be_in_viewport()


@pytest.mark.parametrize("page", [PHONE], indirect=True)
def test_the_course_over_the_page_has_the_keys_and_escape_closes_it(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a")
    page.get_by_role("button", name="Menu", exact=True).click()
    expect(page.get_by_role("button", name="Be the scheduler", exact=True)).to_be_focused()
    press(page, "ArrowRight")
    expect_time(page, "0")
    press(page, "Escape")
    expect(page.locator(".rail")).to_be_hidden()
    expect(page.get_by_role("button", name="Menu", exact=True)).to_be_focused()
    press(page, "ArrowRight")
    expect_time(page, "4")


# The address


def test_a_link_to_an_unknown_scene_has_no_place_in_another(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=nope&step=99&time=4")
    expect(page.locator(".notice")).to_contain_text("What else it said of that scene was left out")
    expect_step(page, 1)
    expect_time(page, "0")


def test_a_link_restores_step_time_and_lanes(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a")
    press(page, "n", "n", "n", "n")
    expect(page).to_have_url(re.compile(r"budget=4&step=5$"))
    press(page, "1", "ArrowRight")
    expect(page).to_have_url(re.compile(r"&step=5&time=17&show=static$"))
    page.reload()
    expect_time(page, "17")
    expect(step_title(page)).to_have_text(TOLD)
    expect(page.get_by_test_id("view-static")).to_have_attribute("aria-pressed", "true")
    expect(page).to_have_url(re.compile(r"&step=5&time=17&show=static$"))


@pytest.mark.parametrize("scene", ["5a", "5c", "7a", "8a"])
def test_a_link_with_lanes_shows_all_of_them(open_page: Open, scene: str) -> None:
    link = f"scenario={scene}&lanes=continuous/continuous:budget=7"
    page = open_page(STAGE, link)
    expect(page.get_by_test_id("view-all")).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".rb-lane-title b")).to_have_count(2)
    expect(page).to_have_url(re.compile("budget=7$"))
    press(page, "1")
    expect(page).to_have_url(re.compile("budget=7&show=continuous$"))
    page.reload()
    expect(page.get_by_test_id("view-continuous")).to_have_attribute("aria-pressed", "true")


def test_a_time_is_written_in_few_digits_and_leads_back(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a&setup=cost.base:2.123457")
    for time, text in (("4.123457", "4.2"), ("8.246914", "8.3"), ("13.370371", "13.4")):
        press(page, "ArrowRight")
        expect_time(page, time)
        expect(page).to_have_url(re.compile(f"&time={re.escape(text)}$"))
        page.reload()
        expect_time(page, time)
    press(page, "End")
    expect(page).to_have_url(re.compile(r"&time=\d+\.\d{6}$"))
    end = page.locator("[data-run]").get_attribute("data-time") or ""
    page.reload()
    expect_time(page, end)
    expect(page.locator(".notice")).to_be_hidden()


def test_back_brings_step_and_time_back(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a&step=5")
    press(page, "ArrowRight")
    expect(page).to_have_url(re.compile("step=5&time=16.5"))
    page.get_by_role("button", name="Lesson 3:").click()
    expect_step(page, 1, 7)
    expect_time(page, "0")
    page.go_back()
    expect(step_title(page)).to_have_text(TOLD)
    expect_time(page, "16.5")
    expect(page).to_have_url(re.compile("scenario=5a&budget=4&step=5&time=16.5$"))
    page.go_forward()
    expect_step(page, 1, 7)
    expect_time(page, "0")


@pytest.mark.parametrize("query", ["step=99", "step=-1", "time=soon", "time=1e9", "show=nobody"])
def test_a_damaged_link_gives_the_nearest_and_says_so(open_page: Open, query: str) -> None:
    page = open_page(STAGE, f"scenario=5a&{query}")
    expect(page.locator(".notice")).to_contain_text("the nearest is shown")
    expect(page).not_to_have_url(re.compile(query))


# Presenter mode


def test_presenter_mode_shows_stage_step_and_round_alone(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a&step=5")
    page.get_by_role("button", name="Presenter mode").click()
    expect(page.locator(".rail")).to_be_hidden()
    expect(page.locator(".bar")).to_be_hidden()
    expect(page.get_by_test_id("overall")).to_be_hidden()
    expect(step_title(page)).to_be_visible()
    expect(page.locator(".present-head")).to_contain_text("Step 5 of 9")
    expect(page.locator(".present-hints")).to_contain_text("leave")
    expect(player(page)).to_have_attribute("data-size", "presenter")
    press(page, "Escape")
    expect(page.locator(".rail")).to_be_visible()
    expect(player(page)).to_have_attribute("data-size", "normal")
    expect_time(page, "13")


def walk(page: Page, path: list[tuple[str, str, int]]) -> None:
    """Press keys, each of which leads to a time and a step."""
    press(page, "p")
    expect(player(page)).to_have_attribute("data-size", "presenter")
    for key, time, step in path:
        press(page, key)
        expect_time(page, time)
        expect(page.locator(".present-head")).to_contain_text(f"Step {step} of 7")


def test_steps_and_rounds_are_one_path_when_presenting(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=1a&step=4")
    expect_time(page, "4")
    walk(page, [
        ("ArrowRight", "5", 4), ("ArrowRight", "6", 5), ("ArrowLeft", "5", 4),
        ("ArrowLeft", "4", 4), ("ArrowLeft", "3", 3), ("ArrowLeft", "2", 3),
        ("ArrowLeft", "1", 2), ("ArrowLeft", "0", 2), ("ArrowLeft", "0", 1),
        ("ArrowLeft", "0", 1), ("ArrowRight", "0", 2), ("ArrowRight", "1", 2),
        ("ArrowRight", "2", 3),
    ])  # fmt: skip


def test_two_steps_at_one_time_are_two_of_the_path(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=8a&step=6")
    expect_time(page, "18")
    walk(page, [("ArrowRight", "18", 7), ("ArrowLeft", "18", 6)])


def expect_all_in_sight(page: Page) -> None:
    """Step and round stand side by side, and nothing of them is cut or under the last line."""
    page.wait_for_timeout(300)
    width, height = page.evaluate("[innerWidth, innerHeight]")
    foot = page.locator(".present-hints").bounding_box()
    step = page.locator(".step").bounding_box()
    card = page.get_by_test_id("card-continuous").bounding_box()
    lines = page.locator(".rb-lines li").last.bounding_box()
    assert foot and step and card and lines
    assert foot["y"] + foot["height"] <= height
    assert step["x"] + step["width"] <= card["x"] and card["x"] + card["width"] <= width
    assert abs(step["y"] - card["y"]) < 40
    assert lines["y"] + lines["height"] <= foot["y"] + 1
    assert page.locator(".step").evaluate("el => el.scrollHeight <= el.clientHeight")


def test_what_is_presented_fits_the_screen(open_page: Open, shot: Callable[[str], None]) -> None:
    page = open_page(STAGE, "lang=en&scenario=5a&step=5&theme=light")
    press(page, "p")
    expect(player(page)).to_have_attribute("data-size", "presenter")
    for width, height in ((1280, 720), (1920, 1080)):
        page.set_viewport_size({"width": width, "height": height})
        for lang in ("en", "zh"):
            expect(player(page)).to_have_attribute("lang", lang)
            expect_all_in_sight(page)
            shot(f"present-{width}-{lang}")
            press(page, "t")
            shot(f"present-{width}-{lang}-other-colours")
            press(page, "l")
            expect(player(page)).not_to_have_attribute("lang", lang)


@pytest.mark.parametrize("page", [HALL, LAPTOP], indirect=True)
@pytest.mark.parametrize("lanes", ["static/continuous/vllm_v1", FOUR_LANES])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_many_lanes_fit_the_screen_with_step_and_rounds(
    open_page: Open, lanes: str, lang: str, shot: Callable[[str], None]
) -> None:
    page = open_page(STAGE, f"lang={lang}&scenario=5a&budget=4&lanes={lanes}&step=3")
    page.locator(".stage").evaluate("el => { el.scrollTop = 400; }")
    press(page, "p")
    expect(player(page)).to_have_attribute("data-size", "presenter")
    shot(f"present-{lanes.count('/') + 1}-{lang}")
    assert page.locator(".stage").evaluate(FITS)
    assert page.locator(".step").evaluate(FITS)
    foot = bottom(page.locator(".present-hints")) - height(page.locator(".present-hints"))
    assert bottom(page.locator(".rb-scrub")) < foot
    for lines in page.locator(".rb-lines").all():
        assert bottom(lines.locator("li").first) <= foot
    first = page.locator(".rb-lane-title").first
    assert bottom(first) - height(first) >= bottom(page.locator(".present-head"))


@pytest.mark.parametrize("page", [HALL], indirect=True)
def test_what_is_below_is_told_and_can_be_scrolled_to(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=10b&show=all")
    press(page, "ArrowRight", "p")
    cards = page.locator(".rb-cards")
    expect(cards).to_have_attribute("data-more", "")
    last = page.locator(".rb-lines li").last
    expect(last).not_to_be_in_viewport()
    cards.hover()
    page.mouse.wheel(0, 5000)
    expect(last).to_be_in_viewport(ratio=1)
    expect(cards).not_to_have_attribute("data-more", "")


def test_the_budget_is_in_reach_when_presenting(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a&step=8")
    press(page, "ArrowUp")
    press(page, "p")
    budget = page.locator(".present-budget b")
    expect(budget).to_have_text("4")
    press(page, "ArrowUp")
    expect(budget).to_have_text("5")
    page.get_by_role("button", name="Budget one less").click()
    expect(budget).to_have_text("4")


def test_the_end_of_a_scene_is_told_when_presenting(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a&step=9")
    press(page, "p", "End", "ArrowRight")
    expect(page.locator(".present-end")).to_have_text("End of the scene. N: A larger budget")
    press(page, "ArrowLeft")
    expect(page.locator(".present-end")).not_to_contain_text("End of the scene")


def test_a_step_that_needs_the_page_says_how_to_leave(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a&step=9")
    press(page, "p")
    end = page.locator(".present-end")
    expect(end).to_have_text(say("en", "page.present_try"))
    press(page, "b")
    expect(end).to_have_text("")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_budget_says_which_lanes_do_not_share_it(open_page: Open, lang: str) -> None:
    page = open_page(STAGE, f"lang={lang}&scenario=10b")
    press(page, "p")
    label = page.locator(".present-budget span")
    expect(label).to_contain_text("1609")
    expect(page.locator(".present-budget b")).to_have_text("409")
    press(page, "Escape")
    page = open_page(STAGE, f"lang={lang}&scenario=5a")
    press(page, "p")
    expect(label).to_have_text(say(lang, "page.budget"))


# Keys


def test_every_key_on_the_sheet_is_told_in_both_languages(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a")
    press(page, "?")
    sheet = page.get_by_role("dialog")
    for words in ("Play", "Lesson", "Page", "next step of the lesson", "light or dark"):
        expect(sheet).to_contain_text(words)
    press(page, "ArrowRight", "Escape")
    expect(sheet).to_be_hidden()
    expect_time(page, "0")
    press(page, "l", "?")
    expect(sheet).to_contain_text("课文下一步")
    assert not re.search(r"[a-z]{4,}[A-Z]", sheet.inner_text()), "an action without words"


def test_a_sheet_that_has_just_closed_keeps_no_key(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a&theme=light")
    press(page, "?")
    page.get_by_role("dialog").evaluate("""(sheet) => {
      sheet.close();  // the focus is in it until the next frame
      sheet.dispatchEvent(new KeyboardEvent("keydown", {key: "t", bubbles: true, composed: true}));
    }""")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_keys_open_the_drawers_and_change_colours_and_lanes(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a&theme=light")
    press(page, "t")
    assert page.locator("html").get_attribute("data-theme") == "dark"
    press(page, "2")
    expect(page.get_by_test_id("view-continuous")).to_have_attribute("aria-pressed", "true")
    press(page, "0")
    expect(page.get_by_test_id("view-all")).to_have_attribute("aria-pressed", "true")
    press(page, "r")
    expect(page.get_by_label("Prompt of B")).to_be_visible()
    press(page, "s")
    expect(page.locator("#setup")).to_be_visible()
    press(page, "s")
    expect(page.locator("#setup")).to_be_hidden()


def test_no_key_acts_while_typing(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a")
    press(page, "r")
    cell = page.get_by_label("Request of A", exact=True)
    cell.click()
    press(page, "End", "n", "p", "t")
    expect(cell).to_have_value("Anpt")
    expect_step(page, 1)
    expect(page.locator(".rail")).to_be_visible()


def test_tips_on_buttons_name_their_keys(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a")
    for name, tip in (
        ("Presenter mode", "Presenter mode (P)"),
        ("Keys and help", "Keys and help (?)"),
        ("One round on", "One round on (→)"),
        ("Play", "Play (Space)"),
        ("Requests", "Requests (R)"),
    ):
        expect(page.get_by_role("button", name=name, exact=True)).to_have_attribute("title", tip)


# The course, and what is said


def test_progress_is_kept_and_can_be_forgotten(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=7-exercise&step=4")
    lesson = page.locator(".scene .part").nth(6)
    expect(lesson).to_be_empty()
    press(page, "n", "n")
    expect(lesson).to_have_text(re.compile("^1 of "))
    page.get_by_role("button", name="Decode first", exact=True).click()
    expect(page.locator(".parts .done")).to_have_text("Twelve positions")
    page.reload()
    expect(lesson).to_have_text(re.compile("^1 of "))
    page.get_by_role("button", name="Forget progress").click()
    expect(lesson).to_be_empty()
    expect(page.get_by_role("button", name="Forget progress")).to_be_hidden()


def test_the_round_is_said_once_when_stepping_and_not_while_playing_fast(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a&step=2")
    voice = page.get_by_test_id("voice")
    press(page, "ArrowRight", "ArrowRight")
    expect(voice).to_contain_text("gets 2 of its 3 prompt tokens")
    expect(voice).to_contain_text("Round 3 of 5, 13 ms")
    press(page, "Home")
    expect(voice).not_to_contain_text("Round 3")
    before = voice.inner_text()
    page.get_by_test_id("speed").select_option("8")
    page.get_by_test_id("play").click()
    expect(player(page)).to_have_attribute("data-playing", "true")
    assert voice.inner_text() == before
    expect(voice).to_contain_text("19.5 ms")


def test_the_first_tab_stop_leads_to_the_stage(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a")
    press(page, "Tab")
    skip = page.get_by_role("button", name="Skip to the stage")
    expect(skip).to_be_focused()
    press(page, "Enter", "Tab")
    assert page.evaluate(
        """() => { let el = document.activeElement;
        while (el?.shadowRoot?.activeElement) el = el.shadowRoot.activeElement;
        return el.closest('.rb-player') !== null; }"""
    )


def test_headings_stand_in_order(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a&step=5")
    levels = [
        int(heading.evaluate("el => el.tagName[1]"))
        for heading in page.locator(".lesson :is(h1, h2, h3), .stage :is(h2, h3)").all()
        if heading.is_visible()
    ]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_an_exercise_and_the_help_sheet_are_whole_in_presenter_mode(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a&step=7&lang=zh")
    page.set_viewport_size({"width": 1920, "height": 1080})
    press(page, "p")
    expect(page.locator(".exercise .button[type=submit]")).to_be_in_viewport(ratio=1)
    is_whole = "el => el.scrollHeight <= el.clientHeight"
    assert page.locator(".step").evaluate(is_whole)
    press(page, "?")
    expect(page.get_by_role("dialog", name="帮助")).to_be_visible()
