"""Playing a run in the browser: to the end, back, by bar and keys; and what edits do to it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

Open = Callable[..., Page]
PLAYER = "[data-run]"
STAGE = "[data-testid=stage]"
PHONE = {"viewport": {"width": 390, "height": 844}}
PROJECTOR = {"viewport": {"width": 1920, "height": 1080}, "color_scheme": "dark"}


def player(page: Page) -> Locator:
    return page.locator(PLAYER)


def expect_time(page: Page, time: str) -> None:
    expect(player(page)).to_have_attribute("data-time", time)


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def card(page: Page, lane: str) -> Locator:
    return page.get_by_test_id(f"card-{lane}")


def expect_row(page: Page, label: str, *figures: str) -> None:
    """Wait until a row of the table of all requests ends in these figures."""
    found = page.get_by_test_id("overall").get_by_role("row").filter(has_text=label).first
    expect(found.get_by_role("cell")).to_have_text(list(figures))


@pytest.mark.parametrize("name", ["1a", "2b", "3a", "5a", "5c", "7a", "8a", "synthetic"])
def test_every_scene_opens_and_steps_to_its_first_round(open_page: Open, name: str) -> None:
    page = open_page(STAGE, f"scenario={name}")
    press(page, "ArrowRight")
    expect(player(page)).not_to_have_attribute("data-time", "0")
    expect(page.locator("[data-testid^=card-] ul li").first).to_be_visible()


def test_keys_step_go_to_the_ends_and_to_events(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a&show=all")
    expect_time(page, "0")
    press(page, "ArrowRight", "ArrowRight", "ArrowRight")
    expect_time(page, "8")
    press(page, "ArrowLeft")
    expect_time(page, "7")
    press(page, "End")
    expect_time(page, "24")
    press(page, "Home")
    expect_time(page, "0")
    press(page, "]")
    expect(player(page)).not_to_have_attribute("data-time", "0")
    press(page, "[")
    expect_time(page, "0")


def test_play_runs_to_the_end_and_stops_there(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a&show=all")
    page.get_by_test_id("speed").select_option("8")
    press(page, "Space")
    expect(player(page)).to_have_attribute("data-playing", "true")
    expect_time(page, "24")
    expect(player(page)).to_have_attribute("data-playing", "false")
    press(page, "Space")
    expect(player(page)).to_have_attribute("data-playing", "true")
    press(page, "Space")
    expect(player(page)).to_have_attribute("data-playing", "false")


def test_the_scrub_bar_goes_to_boundaries_only(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a&show=all")
    bar = page.get_by_role("slider", name="Round")
    box = bar.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] * 0.52, box["y"] + box["height"] / 2)
    expect_time(page, "13")
    page.get_by_role("button", name="To the start").click()
    expect_time(page, "0")


def test_the_round_in_which_c_must_wait_says_why(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a&show=all")
    while player(page).get_attribute("data-time") != "13":
        press(page, "ArrowRight")
    text = card(page, "continuous").inner_text()
    assert "gets 2 of its 3 prompt tokens: A and B had taken 2 of the 4." in text
    assert "budget spent" in text
    assert "5 ms" in text


def test_a_larger_budget_changes_the_metrics_at_once(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a&show=all")
    press(page, "End")
    expect_row(page, "makespan", "24", "19.5", "−4.5")
    expect_row(page, "throughput", "291.67", "358.97", "+67.31")
    box = page.get_by_role("spinbutton", name="Budget")
    box.fill("6")
    box.press("Enter")
    expect(page.get_by_test_id("overall")).to_contain_text("17.5")
    expect(page.get_by_test_id("overall")).to_contain_text("400")


def test_an_edit_of_the_table_gives_the_right_figures(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=3a")
    press(page, "End")
    expect_row(page, "makespan", "11", "8", "−3")
    expect_row(page, "throughput", "1", "1.375", "+0.375")
    expect_row(page, "padding", "5", "0", "−5")
    page.get_by_role("button", name="Requests", exact=True).click()
    cell = page.get_by_label("Arrival ticks of C", exact=True)
    cell.fill("6")
    cell.press("Enter")
    expect_row(page, "makespan", "11", "11", "=")


def test_a_bad_cell_keeps_the_last_good_run(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=3a")
    run = player(page).get_attribute("data-run")
    page.get_by_role("button", name="Requests", exact=True).click()
    cell = page.get_by_label("Prompt of A", exact=True)
    cell.fill("9")
    cell.press("Enter")
    expect(page.get_by_text("A can never run")).to_be_visible()
    assert player(page).get_attribute("data-run") == run
    cell.fill("4")
    cell.press("Enter")
    expect(page.get_by_text("A can never run")).to_be_hidden()


def test_the_other_language_speaks_everywhere(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a&show=all")
    press(page, "End")
    page.get_by_role("button", name="中文").click()
    expect(page.get_by_test_id("overall")).to_contain_text("总时长")
    expect(page.locator("h1")).to_have_text("你来当调度器")
    expect_time(page, "24")
    page.get_by_role("button", name="EN", exact=True).click()
    expect(page.get_by_test_id("overall")).to_contain_text("makespan")


def test_a_request_called_like_markup_stays_text_on_the_stage(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a&show=all")
    page.get_by_role("button", name="Requests", exact=True).click()
    cell = page.get_by_label("Request of A", exact=True)
    cell.fill("<img src=x onerror=a>")
    cell.press("Enter")
    press(page, "Escape")
    page.locator("h1").click()
    press(page, "ArrowRight")
    expect(card(page, "continuous").locator("ul li").first).to_be_visible()
    assert page.locator("img[src=x]").count() == 0


def test_a_trace_opens_with_its_report_and_is_shown_as_a_window(open_page: Open) -> None:
    page = open_page(STAGE)
    rows = "\n".join(f"{i / 3:.3f},{200 + i % 700},{20 + i % 90}" for i in range(900))
    text = "arrived_at,num_prefill_tokens,num_decode_tokens\n" + rows
    page.locator("input[type=file]").set_input_files(
        {"name": "busy.csv", "mimeType": "text/csv", "buffer": text.encode()}
    )
    expect(page.locator(".notice")).to_contain_text("900")
    expect(page.get_by_test_id("overview")).to_be_visible()
    before = float(player(page).get_attribute("data-time") or 0)
    press(page, "End")
    expect(player(page)).not_to_have_attribute("data-time", str(before))
    press(page, "ArrowLeft")
    press(page, "Home")
    expect_time(page, "0")


def test_the_azure_hour_opens_in_the_page(open_page: Open, shared: Path) -> None:
    page = open_page(STAGE)
    page.locator("input[type=file]").set_input_files(
        shared / "data/traces/AzureLLMInferenceTrace_conv.csv"
    )
    expect(page.locator(".notice")).to_contain_text("19,366", timeout=60_000)
    expect(page.get_by_test_id("overview")).to_be_visible(timeout=120_000)
    press(page, "ArrowRight", "ArrowRight")
    expect(card(page, "continuous").locator("ul li").first).to_be_visible()


@pytest.mark.parametrize("page", [PHONE, PROJECTOR], indirect=True)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_other_screens_show_the_whole_stage(
    open_page: Open, shot: Callable[[str], None], lang: str
) -> None:
    page = open_page(STAGE, f"scenario=5a&show=all&lang={lang}")
    press(page, "ArrowRight", "ArrowRight", "ArrowRight")
    expect_time(page, "8")
    width = page.evaluate("innerWidth")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    box = page.locator(STAGE).bounding_box()
    assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= width
    shot(f"5a-{width}-{lang}")
