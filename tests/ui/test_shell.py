"""The frame of the page: words, colours, scenes, the request table, links."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

Open = Callable[..., Page]
PASTE = """(cell, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    const options = {clipboardData, bubbles: true, cancelable: true};
    cell.dispatchEvent(new ClipboardEvent("paste", options));
}"""
PHONE = {"viewport": {"width": 390, "height": 844}}


def html(page: Page, attribute: str) -> str | None:
    return page.locator("html").get_attribute(attribute)


def edit(page: Page, cell: str, text: str) -> None:
    page.get_by_label(cell, exact=True).fill(text)
    page.get_by_label(cell, exact=True).press("Enter")


def test_the_page_has_a_title_one_heading_and_a_language(open_page: Open) -> None:
    page = open_page("h1")
    assert page.title() == "Rebatch"
    expect(page.get_by_role("heading", level=1)).to_have_count(1)
    assert html(page, "lang") == "en"


def test_language_changes_words_and_address(open_page: Open) -> None:
    page = open_page("h1")
    page.get_by_role("button", name="中文").click()
    expect(page.get_by_role("button", name="请求", exact=True)).to_be_visible()
    assert html(page, "lang") == "zh-CN"
    expect(page).to_have_url(re.compile("lang=zh"))


def test_colours_change_and_are_kept(open_page: Open) -> None:
    page = open_page("h1", "theme=light")
    page.get_by_role("button", name="Dark colours").click()
    assert html(page, "data-theme") == "dark"
    page.goto(page.url.split("?")[0])
    page.locator("h1").wait_for()
    assert html(page, "data-theme") == "dark"


def test_a_scene_is_chosen_from_the_list(open_page: Open) -> None:
    page = open_page("h1")
    scene = page.get_by_role("button", name="3a")
    scene.click()
    expect(scene).to_have_attribute("aria-current", "true")
    expect(page.locator(".number").first).to_have_text("Lesson 3")


def test_the_budget_box_and_the_slider_agree(open_page: Open) -> None:
    page = open_page("h1", "scenario=5a")
    box = page.get_by_role("spinbutton", name="Budget")
    box.fill("6")
    box.press("Enter")
    expect(page.get_by_role("slider", name="Budget")).to_have_value("6")
    box.fill("600")
    box.press("Enter")
    expect(box).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_text("a whole number from 1 to 16")).to_be_visible()


def test_a_wrong_cell_says_why_and_undo_mends_it(open_page: Open) -> None:
    page = open_page("h1", "scenario=5a")
    page.get_by_role("button", name="Requests", exact=True).click()
    edit(page, "Prompt of B", "0")
    expect(page.get_by_label("Prompt of B")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_text("The last good run stays on screen.")).to_be_visible()
    expect(page.get_by_label("Prompt of C")).to_be_focused()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_label("Prompt of B")).to_have_value("2")
    expect(page.get_by_text("The last good run stays on screen.")).to_be_hidden()


def test_cells_pasted_from_a_sheet_fill_rows(open_page: Open) -> None:
    page = open_page("h1", "scenario=5a")
    page.get_by_role("button", name="Requests", exact=True).click()
    page.get_by_label("Arrival ms of A").evaluate(PASTE, "0\t8\t2\r\n1\t4\t1\r\n2\t2\t2\r\n3\t9\t9")
    expect(page.get_by_label("Prompt of A")).to_have_value("8")
    expect(page.get_by_label("Output of D")).to_have_value("9")


def test_names_are_text_and_never_markup(open_page: Open) -> None:
    page = open_page("h1", "scenario=5a")
    page.get_by_role("button", name="Requests", exact=True).click()
    edit(page, "Request of A", '<img src=x onerror="window.bad=1">')
    expect(page.locator("input.id").first).to_have_value('<img src=x onerror="window.bad=1">')
    page.wait_for_timeout(500)
    assert page.evaluate("window.bad") is None


def test_a_file_that_is_no_trace_is_refused_by_name(open_page: Open) -> None:
    page = open_page("h1")
    page.locator("input[type=file]").set_input_files(
        {"name": "<b>x</b>.csv", "mimeType": "text/csv", "buffer": b"a,b\n1,2\n"}
    )
    expect(page.locator(".notice")).to_contain_text("<b>x</b>.csv")


def test_a_bad_link_is_mended_and_says_so(open_page: Open) -> None:
    page = open_page("h1", "lang=zh&scenario=5a&budget=9999")
    expect(page.locator(".notice")).to_contain_text("9,999")
    expect(page.get_by_role("spinbutton", name="预算")).to_have_value("16")


def test_the_keys_are_listed(open_page: Open) -> None:
    page = open_page("h1")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("play or pause")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_a_lost_connection_is_told(open_page: Open) -> None:
    page = open_page("h1")
    page.evaluate('window.dispatchEvent(new CustomEvent("rb-connection-lost"))')
    expect(page.get_by_role("alert").filter(has_text="The connection is gone.")).to_be_visible()


@pytest.mark.parametrize("page", [PHONE], indirect=True)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_nothing_overflows_on_a_phone(open_page: Open, lang: str) -> None:
    page = open_page("h1", f"lang={lang}")
    page.wait_for_timeout(500)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    work = page.locator(".work")
    assert work.evaluate("el => el.scrollWidth <= el.clientWidth")
