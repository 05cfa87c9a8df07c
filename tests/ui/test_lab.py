"""The lab in the browser: from the course and back, setups, goals, rounds, pictures, files."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.ui.stage import PHONE, in_all_sizes

Open = Callable[..., Page]
ROUNDS = ".spike-row"
STALLS = "scenario=13b&face=lab"


def in_lab(open_page: Open, query: str = STALLS) -> Page:
    page = open_page(ROUNDS, query)
    expect(page.locator(".lab-table tbody tr").first).to_be_visible()
    return page


def type_in(page: Page, box: str, text: str) -> None:
    page.locator(box).first.fill(text)
    page.locator(box).first.press("Enter")


def test_the_lab_is_entered_from_the_course_and_left_to_it(open_page: Open) -> None:
    page = open_page("[data-testid=stage]", "scenario=13b")
    page.get_by_test_id("to-lab").click()
    expect(page.locator(ROUNDS)).to_have_count(3)
    expect(page).to_have_url(re.compile("face=lab"))
    page.locator(".rail .scene").first.click()
    expect(page.get_by_test_id("stage")).to_be_visible()
    expect(page).not_to_have_url(re.compile("face=lab"))


def test_of_the_lab_and_a_lesson_in_quick_succession_the_last_one_is_shown(
    open_page: Open,
) -> None:
    page = open_page("[data-testid=stage]", "scenario=13b")
    page.locator(".rail").evaluate(
        "rail => { for (const name of ['.lab-entry', '.scene']) rail.querySelector(name).click(); }"
    )
    expect(page).to_have_url(re.compile("scenario=1a"))
    expect(page.get_by_test_id("stage")).to_be_visible()
    expect(page).not_to_have_url(re.compile("face=lab"))


def test_goals_mark_who_misses_them_and_stay_in_the_link(open_page: Open) -> None:
    page = in_lab(open_page)
    over = page.locator(".lab-table td.bad")
    before = over.count()
    type_in(page, ".goals input[type=text]", "200")  # TTFT
    expect(page).to_have_url(re.compile("slo.ttft:200"))
    expect(page.locator(".plot .limit-text").first).to_contain_text("SLO")
    type_in(page, ".goals input[type=text] >> nth=2", "")  # the longest gap
    expect(over).not_to_have_count(before)


def test_a_setup_is_added_changed_and_removed(open_page: Open) -> None:
    page = in_lab(open_page)
    page.get_by_role("button", name="Copy").click()
    expect(page.locator(ROUNDS)).to_have_count(4)
    page.locator(".setups .setup").nth(3).click()
    type_in(page, ".own input[type=text]", "none at all")
    expect(page.locator(".own .bad").first).not_to_be_empty()
    type_in(page, ".own input[type=text]", "1024")
    expect(page.locator(".own .bad").first).to_be_empty()
    expect(page.locator(".lab-table tbody tr").nth(3)).to_contain_text("1,024")
    page.get_by_role("button", name="Remove").click()
    expect(page.locator(ROUNDS)).to_have_count(3)


def test_a_round_of_the_picture_opens_on_the_stage(open_page: Open) -> None:
    page = in_lab(open_page)
    box = page.locator(".spikes-box").bounding_box()
    assert box
    page.mouse.move(box["x"] + 500, box["y"] + 60)
    now = page.locator(".spike-now").first
    expect(now).to_contain_text("P 512")
    told = page.locator(".spike-cursor b").inner_text()
    page.mouse.click(box["x"] + 500, box["y"] + 60)
    stage = page.locator("[data-run]")
    expect(page.get_by_test_id("stage")).to_be_visible()
    expect(stage).not_to_have_attribute("data-time", "0")
    near = float(told.removesuffix(" s")) * 1000
    assert abs(float(stage.get_attribute("data-time") or 0) - near) < 200  # a round or two


def test_dragging_zooms_and_the_whole_run_comes_back(open_page: Open) -> None:
    page = in_lab(open_page)
    box = page.locator(".spikes-box").bounding_box()
    assert box
    last = page.locator(".spike-axis text").last
    whole = last.text_content() or ""
    page.mouse.move(box["x"] + 400, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + 500, box["y"] + 60, steps=4)
    page.mouse.up()
    expect(last).not_to_have_text(whole)
    page.get_by_role("button", name="Whole run").click()
    expect(last).to_have_text(whole)


def test_all_metrics_and_the_files(open_page: Open, tmp_path: Path) -> None:
    page = in_lab(open_page)
    page.get_by_role("button", name="All metrics").click()
    expect(page.locator(".lab-table tbody tr").nth(20)).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Report").click()
    download.value.save_as(tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<table" in text and "<svg" in text and "http" not in text.replace("http-equiv", "")


def test_load_shows_the_queue_that_grows_and_the_closed_loop(open_page: Open) -> None:
    page = in_lab(open_page, "scenario=11c&face=lab")
    page.get_by_role("tab", name="Load").click()
    law = page.locator(".lab-load tbody").first
    expect(law.locator("tr")).to_have_count(2)
    expect(law.locator("tr").first.locator("td").last).to_contain_text("+4.98")
    page.get_by_role("button", name="Same server, closed loop").first.click()
    expect(law.locator("tr")).to_have_count(3)
    expect(page.locator(".lab-load .headline")).to_contain_text("4.98")


@pytest.mark.parametrize("page", [{"viewport": PHONE}], indirect=True)
@pytest.mark.parametrize("query", ["lang=zh&theme=dark", "lang=en&theme=light"])
def test_the_lab_fits_every_window(
    open_page: Open, query: str, shot: Callable[[str], None]
) -> None:
    page = in_lab(open_page, f"{STALLS}&{query}")
    for width in in_all_sizes(page):
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        hidden = page.locator(".lab-main").evaluate("(el) => el.scrollWidth > el.clientWidth + 1")
        assert not hidden
        shot(f"lab-{re.sub('[=&]', '-', query)}-{width}")
