"""The lab's sweeps in a browser: from a range to curves, and from a point to a setup."""

import re

import pytest
from playwright.sync_api import Page, expect


def open_sweep(open_page, query="scenario=16a&setup=slo.ttft:100"):
    page = open_page("#lab-tab-sweep", f"{query}&face=lab")
    page.locator("#lab-tab-sweep").click()
    return page


def fill(page: Page, name: str, text: str) -> None:
    box = page.get_by_test_id(f"sweep-{name}")
    box.fill(text)
    box.press("Tab")


def start(page: Page, num_points: int) -> None:
    page.get_by_test_id("sweep-go").click()
    expect(page.locator(".lab-sweep tbody tr")).to_have_count(num_points)
    expect(page.locator(".sweep-bar")).to_be_hidden()


def test_a_range_becomes_curves_and_a_table(open_page, shot):
    page = open_sweep(open_page)
    page.get_by_test_id("sweep-steps").select_option("listed")
    fill(page, "listed", "4, 16, 64")
    start(page, 3)
    for picture in page.locator(".sweep-plots .plot").all():
        expect(picture.locator(".dot")).to_have_count(3)
    expect(page.locator(".sweep-form")).to_contain_text("All 3 runs done.")
    shot("lab-sweep")


def test_a_wrong_value_is_explained_and_mended(open_page):
    page = open_sweep(open_page)
    fill(page, "low", "many")
    expect(page.get_by_test_id("sweep-low")).to_have_attribute("aria-invalid", "true")
    expect(page.locator(".sweep-field [role=alert]").first).to_contain_text("many")
    fill(page, "low", "64")
    expect(page.get_by_test_id("sweep-low")).to_have_attribute("aria-invalid", "false")


def test_enter_on_a_dot_makes_it_a_setup_and_shows_the_comparison(open_page):
    page = open_sweep(open_page, "scenario=5a")
    start(page, 5)
    dots = page.locator(".sweep-plots .plot").first.locator(".dot")
    dots.first.focus()
    page.keyboard.press("ArrowRight")
    expect(dots.nth(1)).to_be_focused()
    name = dots.nth(1).get_attribute("aria-label")
    page.keyboard.press("Enter")
    expect(page.locator("#lab-compare")).to_be_visible()
    expect(page.locator(".setups .setup")).to_have_count(3)
    expect(page.locator(".setups .setup").last).to_contain_text(name)
    page.locator("#lab-tab-sweep").click()
    expect(page.locator(".lab-sweep tbody tr")).to_have_count(5)


@pytest.mark.parametrize("page", [{"viewport": {"width": 390, "height": 844}}], indirect=True)
def test_nothing_is_wider_than_a_phone_in_chinese(open_page, shot):
    page = open_sweep(open_page, "scenario=5a&lang=zh")
    start(page, 5)
    expect(page.locator(".lab-sweep .headline")).to_contain_text(re.compile("预算"))
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    shot("lab-sweep-phone-zh")


def test_a_link_keeps_the_tab(open_page):
    page = open_sweep(open_page)
    expect(page).to_have_url(re.compile("tab=sweep"))
    page.reload()
    expect(page.locator("#lab-sweep")).to_be_visible()
    expect(page.locator("#lab-tab-sweep")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_test_id("sweep-go")).to_be_visible()
    page.locator("#lab-tab-compare").click()
    expect(page).not_to_have_url(re.compile("tab="))
