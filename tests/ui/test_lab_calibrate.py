"""The lab's calibration in a browser: a measurement comes in, a cost comes out and is used."""

import re

import pytest
from playwright.sync_api import FilePayload, Page, expect

PROFILE = "prefill,decode,kv,ms\n0,4,100,4.1\n10,0,0,8\n20,2,50,13.55\n0,8,1000,6\n6,1,3,6.253\n"


def open_tab(open_page, query="scenario=5a"):
    page = open_page("#lab-tab-calibrate", f"{query}&face=lab")
    page.locator("#lab-tab-calibrate").click()
    expect(page.locator(".calibrate-zone")).to_be_visible()
    return page


def give(page: Page, name: str, content: str) -> None:
    file: FilePayload = {"name": name, "mimeType": "text/plain", "buffer": content.encode()}
    page.get_by_test_id("calibrate-file").set_input_files(file)


def test_the_sample_is_fitted_used_and_taken_back(open_page, shot):
    page = open_tab(open_page)
    page.locator("[data-word='calibrate.sample']").click()
    expect(page.locator(".calibrate-parts tbody tr")).to_have_count(4)
    expect(page.locator(".calibrate-errors tbody tr")).to_have_count(4)
    expect(page.locator(".lab-calibrate .plot:visible circle")).to_have_count(2 * 240)
    base = page.locator(".calibrate-parts td.value").first.inner_text()
    page.get_by_test_id("calibrate-use").click()
    expect(page).to_have_url(re.compile(re.escape(f"cost.base:{base}")))
    expect(page.locator(".lab-controls .cost")).to_contain_text(f"{base} ms")
    shot("lab-calibrate")
    page.locator("[data-word='calibrate.back']").click()
    expect(page).not_to_have_url(re.compile("cost"))
    expect(page.get_by_test_id("calibrate-use")).to_be_visible()


def test_a_table_of_rounds_shows_its_cost_and_residuals(open_page):
    page = open_tab(open_page)
    give(page, "rounds.csv", PROFILE)
    values = page.locator(".calibrate-parts td.value")
    expect(values).to_have_text(["3", "0.5", "0.25", "0.001"])
    picture = page.locator(".lab-calibrate .plot:visible")
    expect(picture.locator("circle")).to_have_count(5)
    ticks = picture.locator(".tick").all_text_contents()
    assert {"−0.01", "0", "0.01"} <= set(ticks)  # sizes can be read, of what is nearly 0 too
    assert "2" in ticks  # the first line of the file
    expect(page.get_by_test_id("calibrate-go")).to_be_hidden()


def test_a_file_that_is_no_measurement_is_told_and_leaves_the_traffic(open_page):
    page = open_tab(open_page)
    give(page, "trace.csv", "arrival_ms,prompt,output\n0,5,3\n")
    expect(page.locator(".calibrate-said")).to_contain_text("trace.csv is no measurement")
    expect(page.get_by_test_id("lab-traffic")).to_have_value("5a")


def test_a_dropped_file_is_taken_by_the_tab_and_not_as_a_trace(open_page):
    page = open_tab(open_page)
    transfer = page.evaluate_handle(
        """(text) => {
            const data = new DataTransfer();
            data.items.add(new File([text], "rounds.csv"));
            return data;
        }""",
        PROFILE,
    )
    for event in ("dragover", "drop"):
        page.locator(".calibrate-zone").dispatch_event(event, {"dataTransfer": transfer})
    expect(page.locator(".calibrate-parts tbody tr")).to_have_count(4)
    expect(page.get_by_test_id("lab-traffic")).to_have_value("5a")


@pytest.mark.parametrize("page", [{"viewport": {"width": 390, "height": 844}}], indirect=True)
def test_nothing_is_wider_than_a_phone_in_chinese(open_page, shot):
    page = open_tab(open_page, "scenario=5a&lang=zh")
    page.locator("[data-word='calibrate.sample']").click()
    expect(page.locator(".lab-calibrate .headline")).to_contain_text("没见过的 120 个请求")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    shot("lab-calibrate-phone-zh")
