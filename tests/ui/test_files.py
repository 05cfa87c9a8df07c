"""The menu of links and files: the link is copied, scenarios go out and come in, runs are saved."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Download, Page, expect

Open = Callable[..., Page]
MENU = "Share and files"
CLIPBOARD = {"permissions": ["clipboard-read", "clipboard-write"]}
PHONE = {"viewport": {"width": 390, "height": 844}}
NO_CLIPBOARD = """
    Object.defineProperty(navigator, "clipboard", {value: undefined});
    document.execCommand = () => false;
"""


def open_menu(page: Page, name: str = MENU) -> None:
    page.get_by_role("button", name=name, exact=True).click()
    expect(page.get_by_role("group", name=name, exact=True)).to_be_visible()


def saved(page: Page, item: str) -> Download:
    open_menu(page)
    with page.expect_download() as waiting:
        page.get_by_role("button", name=item).click()
    return waiting.value


def figures(page: Page) -> list[str]:
    """Every cell of the tables at the end of the run."""
    page.keyboard.press("End")
    return page.locator("td").all_inner_texts()


def budget(page: Page, value: int) -> None:
    box = page.get_by_role("spinbutton", name="Budget")
    box.fill(str(value))
    box.press("Enter")
    expect(page).to_have_url(re.compile(f"budget={value}"))
    box.blur()


def test_the_menu_opens_and_closes(open_page: Open) -> None:
    page = open_page("h1")
    open_menu(page)
    button = page.get_by_role("button", name=MENU, exact=True)
    assert button.get_attribute("aria-expanded") == "true"
    page.keyboard.press("Escape")
    expect(page.get_by_role("group", name=MENU)).to_be_hidden()
    expect(button).to_be_focused()
    open_menu(page)
    page.locator("h1").click()
    expect(page.get_by_role("group", name=MENU)).to_be_hidden()


@pytest.mark.parametrize("page", [CLIPBOARD], indirect=True)
def test_copying_the_link_gives_the_address(open_page: Open) -> None:
    page = open_page("h1", "scenario=5a&theme=dark")
    budget(page, 7)
    open_menu(page)
    expect(page.get_by_label("Link to this page as it is now")).to_have_value(page.url)
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.url
    assert "budget=7" in copied
    expect(page.get_by_role("button", name="Copy link")).to_be_visible()


def test_without_a_clipboard_the_link_is_selected(open_page: Open) -> None:
    page = open_page("h1")
    page.evaluate(NO_CLIPBOARD)
    open_menu(page)
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_text("Ctrl+C")).to_be_visible()
    box = page.get_by_label("Link to this page as it is now")
    selected = box.evaluate("el => el.value.slice(el.selectionStart, el.selectionEnd)")
    assert selected == page.url


def test_a_saved_scenario_opened_again_gives_the_same_picture(
    open_page: Open, tmp_path: Path
) -> None:
    page = open_page("[data-testid=stage]", "scenario=5a&show=all")
    budget(page, 6)
    file = saved(page, "Save scenario")
    assert file.suggested_filename == "rebatch-5a.toml"
    path = tmp_path / "mine.toml"
    file.save_as(path)
    before = figures(page)
    assert len(before) > 20
    page = open_page("[data-testid=stage]", "scenario=3a")
    page.locator("input[type=file]").set_input_files(path)
    expect(page.locator("h1")).to_have_text("Your scenario")
    expect(page.get_by_role("spinbutton", name="Budget")).to_have_value("6")
    assert figures(page) == before
    open_menu(page)
    expect(page.get_by_text("A link cannot carry your file.")).to_be_visible()


def test_an_opened_scenario_can_be_edited(open_page: Open, tmp_path: Path) -> None:
    page = open_page("[data-testid=stage]", "scenario=5a&show=all")
    path = tmp_path / "mine.toml"
    saved(page, "Save scenario").save_as(path)
    page.locator("input[type=file]").set_input_files(path)
    expect(page.locator("h1")).to_have_text("Your scenario")
    page.get_by_role("button", name="Requests", exact=True).click()
    cell = page.get_by_label("Prompt of A", exact=True)
    cell.fill("9")
    cell.press("Enter")
    expect(page.locator(".which .edited")).to_be_visible()


def test_a_broken_scenario_is_told_and_leaves_the_picture(open_page: Open) -> None:
    page = open_page("[data-testid=stage]", "scenario=5a&lang=zh")
    page.locator("input[type=file]").set_input_files(
        {"name": "x.toml", "mimeType": "", "buffer": b"[setup]\nbudget = <img>"}
    )
    expect(page.locator(".notice")).to_contain_text("x.toml 读不成 TOML，请看第 2 行。")
    expect(page.locator("h1")).to_have_text("你来当调度器")


def test_the_timeline_is_downloaded_and_parses(open_page: Open) -> None:
    page = open_page("[data-testid=stage]", "scenario=5a&show=all")
    file = saved(page, "Timeline")
    assert file.suggested_filename == "rebatch-5a-trace.json"
    events = json.loads(file.path().read_bytes())["traceEvents"]
    assert sum(event["name"].startswith("round ") for event in events) == 12


def test_a_long_run_is_saved_while_the_page_says_so(open_page: Open) -> None:
    page = open_page("[data-testid=stage]", "scenario=synthetic")
    file = saved(page, "Tables")
    assert file.suggested_filename == "rebatch-synthetic-csv.zip"
    assert file.path().read_bytes()[:2] == b"PK"
    expect(page.get_by_text("Writing the file…")).to_be_hidden()


@pytest.mark.parametrize("page", [PHONE], indirect=True)
def test_the_menu_fits_a_phone(open_page: Open, shot: Callable[[str], None]) -> None:
    page = open_page("[data-testid=stage]", "lang=zh")
    open_menu(page, "分享与文件")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    low = page.locator(".menu .item").evaluate_all(
        "els => Math.min(...els.map(el => el.offsetHeight))"
    )
    assert low >= 44
    shot("files-390-zh")
