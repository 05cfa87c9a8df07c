"""Lanes on the page: added, copied, changed, removed, and restored by the address."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.ui.stage import PHONE, in_all_sizes

Open = Callable[..., Page]
Shot = Callable[[str], None]
WORDS = {
    "en": {
        "add": "Add lane",
        "change": "Change its setup…",
        "title": "Continuous batching · budget 6",
        "differs": "Differs: budget 4 (static, continuous) / 6 (continuous · budget 6)",
        "shared": "As shared again",
        "all": "All lanes",
    },
    "zh": {
        "add": "加泳道",
        "change": "改它的设置…",
        "title": "连续批处理 · 预算 6",
        "differs": "不同之处：预算 4（静态、连续） / 6（连续 · 预算 6）",
        "shared": "改回共用的",
        "all": "所有泳道",
    },
}


def titles(page: Page) -> Locator:
    return page.locator(".rb-lane-title b")


def add(page: Page, what: str) -> None:
    page.get_by_test_id("add-lane").click()
    page.get_by_test_id(f"add-{what}").click()


def tool(page: Page, lane: str, what: str) -> None:
    page.get_by_test_id(f"lane-{lane}").click()
    page.get_by_test_id(f"lane-{what}").click()


def change(page: Page, lane: str, name: str) -> None:
    """Open the setup of one lane."""
    tool(page, lane, "change")
    of = page.get_by_role("group", name="Setup of").get_by_role("button", name=name)
    expect(of).to_have_attribute("aria-pressed", "true")


@pytest.mark.parametrize("lang", WORDS)
def test_a_lane_is_added_copied_changed_removed_and_restored(open_page: Open, lang: str) -> None:
    words = WORDS[lang]
    page = open_page("[data-testid=stage]", f"scenario=5a&show=all&lang={lang}")
    expect(titles(page)).to_have_count(2)
    expect(page.get_by_role("button", name=words["add"])).to_be_visible()
    add(page, "copy-continuous")
    expect(titles(page)).to_have_count(3)
    expect(page).to_have_url(re.compile(r"lanes=static/continuous/continuous(&show=all)?$"))
    page.get_by_test_id("lane-continuous-2").click()
    page.get_by_role("menuitem", name=words["change"]).click()
    budget = page.locator("#setup-budget")
    budget.fill("6")
    budget.press("Enter")
    expect(titles(page).nth(2)).to_have_text(words["title"])
    expect(page.get_by_test_id("lane-line")).to_have_text(words["differs"])
    expect(page).to_have_url(
        re.compile(r"lanes=static/continuous/continuous:budget=6(&show=all)?$")
    )
    tool(page, "static", "remove")
    expect(titles(page)).to_have_count(2)
    expect(page).to_have_url(re.compile(r"lanes=continuous/continuous:budget=6(&show=all)?$"))
    page.reload()
    expect(titles(page)).to_have_count(2)
    expect(titles(page).nth(1)).to_have_text(words["title"])
    page.get_by_test_id("lane-continuous-2").click()
    page.get_by_role("menuitem", name=words["change"]).click()
    line = page.locator('[data-name="budget"]')
    expect(line).to_have_class(re.compile("changed"))
    line.get_by_role("button", name=words["shared"]).click()
    expect(line).not_to_have_class(re.compile("changed"))
    expect(page).to_have_url(re.compile(r"lanes=continuous/continuous(&show=all)?$"))
    page.get_by_role("button", name=words["all"], exact=True).click()
    expect(page.locator("#setup-budget")).to_have_count(0)
    expect(page.locator("#setup-max_num_seqs")).to_be_attached()


def test_there_are_one_to_four_lanes_and_the_buttons_say_why(open_page: Open) -> None:
    page = open_page("[data-testid=stage]", "scenario=5a&show=all")
    for what in ("vllm_v1", "conservative"):
        add(page, what)
        expect(page.get_by_test_id(f"lane-{what}")).to_be_visible()
    expect(titles(page).last).to_be_in_viewport()
    expect(page.get_by_test_id("add-lane")).to_be_disabled()
    expect(page.get_by_test_id("add-lane")).to_have_attribute(
        "title", re.compile("4 lanes already")
    )
    page.get_by_test_id("lane-static").click()
    copy = page.get_by_test_id("lane-copy")
    expect(copy).to_have_attribute("aria-disabled", "true")
    expect(copy).to_contain_text("4 lanes already")
    page.keyboard.press("Escape")
    for lane in ("static", "vllm_v1", "conservative"):
        tool(page, lane, "remove")
        expect(page.get_by_test_id(f"lane-{lane}")).to_have_count(0)
    expect(page.get_by_test_id("lane-line")).to_contain_text("Continuous batching")
    page.get_by_test_id("lane-continuous").click()
    expect(page.get_by_test_id("lane-remove")).to_contain_text("It is the only lane")
    page.get_by_test_id("lane-remove").click(force=True)
    expect(page.get_by_test_id("lane-continuous")).to_be_visible()
    expect(page).to_have_url(re.compile(r"lanes=continuous(&show=all)?$"))


def test_a_view_shows_one_lane_with_its_own_requests(open_page: Open) -> None:
    query = "scenario=5a&show=all&lanes=static/continuous:requests.A.prompt=4"
    page = open_page("[data-testid=stage]", query)
    page.get_by_test_id("view-continuous").click()
    expect(page.locator(".rb-row-name").first).to_contain_text("4 → 3")
    page.get_by_test_id("view-static").click()
    expect(page.locator(".rb-row-name").first).to_contain_text("6 → 3")
    expect(page.get_by_test_id("lane-line")).to_contain_text("in together, out together")


def test_a_lane_that_cannot_run_is_named_and_the_picture_stays(open_page: Open) -> None:
    page = open_page("[data-testid=stage]", "scenario=5a&show=all")
    page.get_by_test_id("add-lane").click()
    orca = page.get_by_test_id("add-orca")
    expect(orca).to_have_attribute("aria-disabled", "true")
    expect(orca).to_contain_text("A can never run: its prompt of 6 must fit whole")
    page.keyboard.press("Escape")
    expect(titles(page)).to_have_count(2)
    change(page, "continuous", "Continuous batching")
    chunk = page.locator("#setup-max_chunk")
    chunk.fill("0")
    chunk.press("Enter")
    alert = page.locator('[data-name="max_chunk"]').get_by_role("alert")
    expect(alert).to_contain_text("Largest chunk must be at least 1")
    expect(titles(page).nth(1)).to_have_text("Continuous batching")
    page.get_by_role("button", name="All lanes", exact=True).click()
    expect(page.locator("#setup .general")).to_contain_text("Continuous batching · largest chunk 0")
    expect(page).not_to_have_url(re.compile("lanes="))


def test_a_lane_moves_up_and_down(open_page: Open) -> None:
    page = open_page("[data-testid=stage]", "scenario=5a&show=all")
    page.get_by_test_id("lane-static").click()
    expect(page.get_by_test_id("lane-up")).to_have_count(0)
    page.get_by_test_id("lane-down").click()
    expect(titles(page)).to_have_text(["Continuous batching", "Static batching"])


def test_the_menu_works_from_the_keyboard(open_page: Open) -> None:
    page = open_page("[data-testid=stage]", "scenario=5a&show=all")
    page.get_by_test_id("add-lane").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("menuitem", name="Static batching", exact=True)).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("menuitem", name="vLLM V1")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("add-lane")).to_be_focused()
    expect(page.locator(".rb-menu")).to_be_hidden()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(titles(page)).to_have_count(3)


def test_options_of_the_lesson_come_first_and_all_can_be_found(open_page: Open) -> None:
    page = open_page("[data-testid=stage]", "scenario=5a&show=all")
    page.get_by_role("button", name="Setup", exact=True).click()
    first = page.locator('[data-group="first"]')
    expect(first.get_by_label("Largest chunk")).to_be_visible()
    expect(page.get_by_label("Blocks in the pool")).to_be_hidden()
    for name in ("block size", "num_blocks", "pool"):
        page.get_by_label("Find an option").fill(name)
        expect(page.get_by_label("Tokens in a block")).to_be_visible(visible=name == "block size")
        expect(page.get_by_label("Blocks in the pool")).to_be_visible(visible=name != "block size")
    expect(first).to_be_hidden()
    page.get_by_label("Find an option").fill("no such thing")
    expect(page.get_by_text("No option is called that.")).to_be_visible()
    page.get_by_label("Find an option").fill("")
    expect(first).to_be_visible()


@pytest.mark.parametrize("page", [{"viewport": PHONE}], indirect=True)
@pytest.mark.parametrize("lang", WORDS)
def test_four_lanes_fit_the_page(open_page: Open, shot: Callable[[str], None], lang: str) -> None:
    lanes = "static/continuous/continuous:budget=6,max_chunk=2,max_num_seqs=2/vllm_v1"
    page = open_page("[data-testid=stage]", f"scenario=5a&show=all&lang={lang}&lanes={lanes}")
    player = page.locator(".rb-player")
    for width in in_all_sizes(page):
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert player.evaluate("el => el.scrollWidth <= el.clientWidth")
        for bar in page.locator(".rb-bar > *:visible").all():
            box = bar.bounding_box()
            assert box is not None
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width
        shot(f"four-lanes-{width}-{lang}")


@pytest.mark.parametrize("lang", WORDS)
def test_a_lane_gets_a_name_and_gives_it_back(open_page: Open, shot: Shot, lang: str) -> None:
    page = open_page("[data-testid=stage]", f"scenario=5a&show=all&lang={lang}")
    automatic = titles(page).first.text_content() or ""
    tool(page, "static", "rename")
    line = page.get_by_test_id("menu-text")
    expect(line).to_be_focused()
    line.fill("<b>Yesterday</b> & 好")
    shot(f"rename-{lang}")
    line.press("Enter")
    expect(titles(page).first).to_have_text("<b>Yesterday</b> & 好")
    expect(page.get_by_test_id("view-static")).to_have_text("<b>Yesterday</b> & 好")
    expect(page.locator(".rb-grid").first).to_contain_text("<b>Yesterday</b> & 好")
    expect(page).to_have_url(re.compile("lanes=static\\*"))
    page.reload()
    expect(titles(page).first).to_have_text("<b>Yesterday</b> & 好")
    tool(page, "static", "rename")
    expect(line).to_have_value("<b>Yesterday</b> & 好")
    line.press("Escape")
    expect(line).to_be_hidden()
    tool(page, "static", "rename")
    line.fill(" ")
    line.press("Enter")
    expect(titles(page).first).to_have_text(automatic)
    expect(page).not_to_have_url(re.compile("lanes="))


def type_at_once(page: Page, before: str, field: str, text: str) -> None:
    """Do something that the server answers, and type before the answer can come."""
    page.locator(".editor.setup").evaluate(
        """(form, [before, field, text]) => {
          new Function("form", before)(form);
          const input = form.querySelector(field);
          input.focus();
          input.value = text;
        }""",
        [before, field, text],
    )


def test_what_is_typed_before_the_answer_goes_to_the_lane_that_was_chosen(open_page: Open) -> None:
    page = open_page("[data-testid=stage]", "scenario=5a&show=all")
    change(page, "static", "Static batching")
    choose = "[...form.querySelectorAll('.lanes button')].at(-1).click()"
    type_at_once(page, choose, "#setup-budget", "7")
    of = page.get_by_role("group", name="Setup of").get_by_role("button").last
    expect(of).to_have_attribute("aria-pressed", "true")
    budget = page.locator("#setup-budget")
    expect(budget).to_be_focused()
    expect(budget).to_have_value("7")
    budget.press("Enter")
    expect(page).to_have_url(re.compile(r"lanes=static/continuous:budget=7$"))


def test_what_is_typed_in_a_fork_stays_when_another_cell_is_answered(open_page: Open) -> None:
    page = open_page("[data-testid=stage]", "scenario=5a&lanes=continuous/continuous@2")
    change(page, "continuous-2", "from round 2")
    commit = """const cell = form.querySelector("[data-cell='requests.C.prompt']");
      cell.value = "5"; cell.dispatchEvent(new Event("change"))"""
    type_at_once(page, commit, "[data-cell='requests.C.output']", "4")
    output = page.locator('[data-cell="requests.C.output"]')
    expect(page.locator('[data-cell="requests.C.prompt"].own')).to_have_value("5")
    expect(output).to_be_focused()
    expect(output).to_have_value("4")
    page.locator("#find").focus()
    expect(page).to_have_url(re.compile("C.prompt=5,requests.C.output=4$"))
