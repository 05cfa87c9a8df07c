"""The lab's traffic in a browser: the form beside its pictures, and a file that is looked at."""

from collections.abc import Callable
from importlib.resources import files

import pytest
from playwright.sync_api import FilePayload, Page, expect

Open = Callable[..., Page]
GRAVE = ("serious", "critical")
BARE = "timestamp,model,prompt,output\n" + "".join(
    f"{250 * i + i % 3},<b>m</b>,{100 + i},{30 + i % 7}\n" for i in range(40)
)


def drop(page: Page, name: str, text: str) -> None:
    file: FilePayload = {"name": name, "mimeType": "text/csv", "buffer": text.encode()}
    page.locator("input[type=file]").first.set_input_files(file)


def grave(page: Page) -> list[str]:
    """What axe-core calls serious or critical."""
    page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8"))
    violations = page.evaluate("async () => (await axe.run(document)).violations")
    return [f"{one['id']}: {one['nodes']}" for one in violations if one["impact"] in GRAVE]


def test_traffic_is_drawn_while_it_is_typed_and_then_used(open_page: Open) -> None:
    page = open_page("#lab-tab-traffic", "scenario=synthetic&face=lab")
    page.locator("#lab-tab-traffic").click()
    tab = page.locator("#lab-traffic")
    expect(tab.locator(".headline")).to_contain_text("600 requests")
    tab.locator("#lab-generator-requests").fill("300")
    expect(tab.locator(".preview")).to_contain_text("300 requests")
    tab.locator("#lab-generator-tenants").fill("chat:3, batch:1:5")
    expect(tab.locator(".traffic-lines")).to_contain_text("batch")
    expect(tab.locator(".headline")).to_contain_text("600 requests")
    assert grave(page) == []
    tab.get_by_role("button", name="Run these").click()
    expect(tab.locator(".headline")).to_contain_text("300 requests")
    expect(page.locator(".pace")).to_contain_text("300 requests")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_file_is_looked_at_before_it_is_imported(open_page: Open, lang: str) -> None:
    page = open_page("#lab-tab-traffic", f"scenario=5a&face=lab&lang={lang}")
    drop(page, "bare.csv", BARE)
    rows = page.locator(".file-rows")
    expect(rows.locator("tbody tr")).to_have_count(8)
    expect(rows).to_contain_text("<b>m</b>")
    expect(page.locator("#lab-tab-traffic")).to_have_attribute("aria-selected", "true")
    expect(page.locator(".lab-main .notice")).to_be_hidden()
    expect(page.locator("[name=trace-unit][value=ms]")).to_be_checked()
    page.locator("[name=trace-unit][value=s]").check()
    expect(page.locator(".said-of-file")).to_contain_text("2.7 h")
    assert grave(page) == []
    page.locator(".file-chooser .primary").click()
    expect(page.locator(".lab-main .notice")).to_contain_text("2.7 h")
    expect(page.locator(".pace")).to_contain_text("40")
    page.locator(".lab-main .notice .link:visible").click()
    expect(rows).to_be_visible()
    page.locator(".file-chooser .link").click()
    expect(rows).to_be_hidden()


def test_a_refused_file_says_why_and_the_stage_leads_to_its_columns(open_page: Open) -> None:
    page = open_page("h1", "scenario=5a")
    drop(page, "odd.csv", "when,a,b\n0,10,2\n500,20,3\n")
    notice = page.locator(".notice:visible")
    expect(notice).to_contain_text("odd.csv")
    notice.get_by_role("button", name="Look at its columns in the lab").click()
    for column, role in (("when", "arrival"), ("a", "prompt"), ("b", "output")):
        select = page.get_by_label(f"What this column is: {column}", exact=True)
        select.select_option(role)
        expect(select).to_have_value(role)
    page.locator("[name=trace-unit][value=ms]").check()
    page.locator(".file-chooser .primary").click()
    expect(page.locator(".pace")).to_contain_text("2 requests in 500 ms")
