"""Change from here, and be the scheduler: in a real browser, both languages, and on a phone."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

Open = Callable[..., Page]
Shot = Callable[[str], None]
PHONE = {"viewport": {"width": 390, "height": 844}}
LONE = "scenario=5a&lanes=continuous"
WORDS = {
    "en": {
        "title": "Continuous batching · from round 3: budget 6",
        "added": "Continuous batching · from round 3: D added",
        "too_late": "D: arrival must be at least 8, the time of the change, not 7.",
        "fixed": "A has arrived: its prompt stays 6.",
        "too_much": "B has 2 of its prompt left, not 3. Give it at most 2.",
        "note": "Round 1 was legal. The policy would have given A 4.",
        "end": "All is served. You took 19.5 ms in all, the policy takes 19.5 ms.",
        "later": "A’s first token came 4 ms later",
    },
    "zh": {
        "title": "连续批处理 · 第 3 轮起：预算 6",
        "added": "连续批处理 · 第 3 轮起：新增 D",
        "too_late": "D 的到达时间不能早于改动的时刻 8，现在是 7。",
        "fixed": "A 已经到了",
        "too_much": "B 的提示只剩 2 个 token，给不了 3 个，最多给 2 个。",
        "note": "第 1 轮合法。换成策略，会这样分：A 4 个。",
        "end": "全部做完。你一共用了 19.5 ms，策略要用 19.5 ms。",
        "later": "A 的首个 token 比策略晚 4 ms",
    },
}


def titles(page: Page) -> Locator:
    return page.locator(".rb-lane-title b")


def lanes(page: Page, text: str) -> None:
    expect(page).to_have_url(re.compile(re.escape(f"lanes={text}") + "(&|$)"))


def box(page: Page, id_: str) -> Locator:
    return page.locator(f'.rb-hand-row input[data-id="{id_}"]')


def begin(page: Page) -> None:
    page.get_by_test_id("lane-continuous").click()
    page.get_by_test_id("lane-hand").click()
    expect(page.get_by_test_id("hand")).to_be_visible()


def give(page: Page, number: int, **tokens: int) -> None:
    """Fill the column of a round and run it."""
    expect(page.locator(".rb-hand-head")).to_contain_text(str(number))
    for id_, n in tokens.items():
        box(page, id_).fill(str(n))
    page.get_by_test_id("hand-run").click()


# Change from here.


@pytest.mark.parametrize("lang", WORDS)
def test_a_lane_parts_from_round_3_on(open_page: Open, shot: Shot, lang: str) -> None:
    page = open_page("[data-testid=stage]", f"{LONE}&lang={lang}")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.get_by_test_id("fork").click()
    expect(titles(page)).to_have_count(2)
    budget = page.locator("#setup-budget")
    expect(budget).to_be_visible()
    lanes(page, "continuous/continuous@3")
    budget.fill("6")
    budget.press("Enter")
    expect(titles(page).nth(1)).to_have_text(WORDS[lang]["title"])
    lanes(page, "continuous/continuous@3:budget=6")
    expect(page.locator(".rb-fork-line")).to_have_count(1)
    shot(f"fork-{lang}")
    page.reload()
    expect(titles(page).nth(1)).to_have_text(WORDS[lang]["title"])
    page.get_by_test_id("view-continuous-2").click()
    page.keyboard.press("End")
    expect(page.locator(".rb-where b")).to_contain_text("4")  # a round less
    expect(page.locator(".rb-where")).to_contain_text("17.5 ms")


@pytest.mark.parametrize("lang", WORDS)
def test_what_has_happened_stays_and_the_rest_can_change(open_page: Open, lang: str) -> None:
    page = open_page("[data-testid=stage]", f"{LONE}&lang={lang}")
    page.keyboard.press("End")
    page.get_by_test_id("lane-continuous").click()
    page.get_by_test_id("lane-fork").click()
    cells = page.locator(".fork td input")
    expect(cells).to_have_count(2)  # in round 5 only C is here: its output, and when it leaves
    cells.first.fill("4")
    cells.first.press("Enter")
    lanes(page, "continuous/continuous@5:requests.C.output=4")
    cells.first.fill("1")
    cells.first.press("Enter")
    wrong = page.locator(".fork td[role=alert]")
    expect(wrong).to_be_visible()
    expect(wrong).to_contain_text("C")
    expect(cells.first).to_have_value("1")  # what was typed stays
    cells.first.fill("2")
    cells.first.press("Enter")
    expect(wrong).to_have_count(0)
    lanes(page, "continuous/continuous@5")


@pytest.mark.parametrize("lang", WORDS)
def test_a_request_is_added_from_the_shown_round_on(open_page: Open, shot: Shot, lang: str) -> None:
    page = open_page("[data-testid=stage]", f"{LONE}&lang={lang}")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.get_by_test_id("fork").click()
    page.get_by_test_id("add-request").click()
    arrival = page.locator('[data-cell="new.D.arrival"]')
    expect(arrival).to_be_focused()
    lanes(page, "continuous/continuous@3:new.D.arrival=8,new.D.prompt=4,new.D.output=2")
    expect(titles(page).nth(1)).to_have_text(WORDS[lang]["added"])
    shot(f"fork-added-{lang}")
    arrival.fill("7")
    arrival.press("Enter")
    wrong = page.locator(".fork [role=alert]:visible")
    expect(wrong).to_contain_text(WORDS[lang]["too_late"])
    expect(arrival).to_have_value("7")
    arrival.fill("9")
    arrival.press("Enter")
    expect(wrong).to_have_count(0)
    page.locator("#new-request").fill("A")
    page.get_by_test_id("add-request").click()
    expect(wrong).to_contain_text("A")
    page.locator("#new-request").fill("late")
    page.locator("#new-request").press("Enter")
    expect(page.locator(".fork tbody tr")).to_have_count(5)
    page.reload()
    page.get_by_test_id("view-continuous-2").click()
    page.keyboard.press("End")
    expect(page.get_by_test_id("state-continuous-2").locator("tbody tr")).to_have_count(5)
    expect(page.get_by_test_id("state-continuous-2")).to_contain_text("late")


def test_a_link_that_changes_the_past_says_why(open_page: Open) -> None:
    page = open_page("h1", "scenario=5a&lanes=continuous@3:requests.A.prompt=9")
    expect(page.get_by_text(WORDS["en"]["fixed"])).to_be_attached()


# Be the scheduler.


@pytest.mark.parametrize("lang", WORDS)
def test_a_run_by_hand_from_start_to_end(open_page: Open, shot: Shot, lang: str) -> None:
    words = WORDS[lang]
    page = open_page("[data-testid=stage]", f"{LONE}&lang={lang}")
    begin(page)
    expect(page.locator(".rb-row-name")).to_have_count(3)
    expect(page.locator(".rb-hand-row")).to_have_count(1)
    give(page, 1, A=3)
    expect(page.get_by_test_id("hand-bar")).to_contain_text(words["note"])
    give(page, 2, A=1, B=3)
    expect(page.locator(".rb-hand-fault")).to_have_text(words["too_much"])
    expect(box(page, "B")).to_have_attribute("aria-invalid", "true")
    expect(box(page, "A")).to_have_value("1")  # nothing typed is lost
    lanes(page, "continuous/continuous!A=3;")
    shot(f"hand-fault-{lang}")
    give(page, 2, A=2, B=2)
    expect(page.locator(".rb-hand-fault")).to_have_count(0)
    give(page, 3, A=1, B=1, C=2)
    lanes(page, "continuous/continuous!A=3;A=2,B=2;A=1,B=1,C=2;")
    page.reload()
    expect(page.locator(".rb-where")).to_contain_text("12 ms")
    give(page, 4, A=1, C=1)
    give(page, 5, A=1, C=1)
    bar = page.get_by_test_id("hand-bar")
    expect(bar).to_contain_text(words["end"])
    expect(bar).to_contain_text(words["later"])
    expect(page.get_by_test_id("hand")).to_be_hidden()
    shot(f"hand-end-{lang}")
    page.get_by_test_id("hand-compare").click()
    expect(titles(page)).to_have_count(2)


def test_the_policys_run_is_not_shown_before_it_is_asked_for(open_page: Open) -> None:
    page = open_page("[data-testid=stage]", LONE)
    page.get_by_test_id("add-lane").click()
    page.get_by_test_id("lane-hand").click()
    expect(page.get_by_test_id("hand")).to_be_visible()
    expect(titles(page)).to_have_count(0)  # one lane alone, without a title row
    expect(page.locator(".rb-ticks i")).to_have_count(1)  # A; nobody else has come
    expect(page.locator(".rb-hand-coming")).to_have_count(2)


def test_the_keyboard_is_enough(open_page: Open) -> None:
    page = open_page("[data-testid=stage]", LONE)
    begin(page)
    box(page, "A").focus()
    for _ in range(5):
        page.keyboard.press("ArrowUp")
    expect(page.get_by_test_id("hand-bar").locator("b")).to_have_text("Over the budget by 1")
    page.keyboard.press("ArrowDown")
    expect(page.locator(".rb-hand-bricks .rb-full")).to_have_count(4)
    page.keyboard.press("Enter")
    expect(page.locator(".rb-hand-head")).to_contain_text("Round 2")
    expect(box(page, "A")).to_be_focused()
    page.keyboard.type("2")
    expect(box(page, "A")).to_have_value("2")


def test_policy_undo_finish_and_stop(open_page: Open) -> None:
    page = open_page("[data-testid=stage]", LONE)
    begin(page)
    page.get_by_test_id("hand-policy").click()
    expect(box(page, "A")).to_have_value("4")
    page.get_by_test_id("hand-run").click()
    lanes(page, "continuous/continuous!A=4;")
    page.get_by_test_id("hand-undo").click()
    lanes(page, "continuous/continuous!")
    give(page, 1, A=2)
    expect(page.locator(".rb-hand-head")).to_contain_text("Round 2")
    page.get_by_test_id("hand-finish").click()
    lanes(page, "continuous/continuous!A=2;@2")
    expect(page.get_by_test_id("hand")).to_be_hidden()
    expect(page.locator("[data-run]")).to_have_attribute(
        "data-lanes", "2"
    )  # the policy's own run beside
    page.get_by_test_id("lane-continuous-2").click()
    page.get_by_test_id("lane-remove").click()
    lanes(page, "continuous")
    begin(page)
    page.get_by_test_id("hand-stop").click()
    lanes(page, "continuous")


@pytest.mark.parametrize("page", [PHONE], indirect=True)
def test_a_thumb_hits_every_button(open_page: Open, shot: Shot) -> None:
    query = "scenario=5a&show=all&lanes=continuous/continuous!A=4;A=2,B=2;"
    page = open_page("[data-testid=stage]", query)
    page.get_by_test_id("hand-go-on").click()
    expect(page.get_by_test_id("hand")).to_be_visible()
    boxes = [
        button.bounding_box() for button in page.locator(".rb-stepper button, .rb-hand-do").all()
    ]
    assert len(boxes) == 11
    assert all(one and min(one["height"], one["width"]) >= 44 for one in boxes)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_test_id("hand_more-C").click()
    expect(box(page, "C")).to_have_value("1")
    shot("hand-phone")


def test_what_was_wrong_with_a_round_is_not_said_of_the_next_try(open_page: Open) -> None:
    page = open_page("[data-testid=stage]", LONE)
    begin(page)
    page.get_by_test_id("hand-run").click()
    said = page.get_by_test_id("hand-bar")
    expect(said).to_contain_text("Nobody gets anything")
    page.get_by_test_id("hand_more-A").click()
    expect(said).not_to_contain_text("Nobody gets anything")


def test_what_is_no_number_of_tokens_is_nothing_and_stays_to_be_mended(open_page: Open) -> None:
    page = open_page("[data-testid=stage]", LONE)
    begin(page)
    box(page, "A").fill("1.5")
    expect(page.locator(".rb-hand-fault")).to_have_text("A whole number, please: 0 to 6.")
    expect(box(page, "A")).to_have_value("1.5")
    expect(page.get_by_test_id("hand-bar")).to_contain_text("4 of 4 tokens left")
    box(page, "A").fill("\uff12")  # full-width
    expect(page.locator(".rb-hand-fault")).to_have_count(0)
    expect(page.get_by_test_id("hand-bar")).to_contain_text("2 of 4 tokens left")


def test_a_run_by_hand_has_no_final_figures_before_its_end(open_page: Open) -> None:
    page = open_page("[data-testid=stage]", LONE)
    begin(page)
    give(page, 1, A=4)
    expect(page.locator(".rb-hand-head")).to_contain_text("2")
    final = page.locator("tr:has(.rb-final)").last
    expect(final).to_contain_text("–")
    expect(final).not_to_contain_text(re.compile(r"\d"))
