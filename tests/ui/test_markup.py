"""Markup from outside is text: in links, files, names, notices, tables and reports.

Each text would, as HTML, set `window.pwned` or make an element that nothing of ours makes.
"""

import json
from collections.abc import Callable
from urllib.parse import quote

import pytest
from playwright.sync_api import FilePayload, Page, expect

Open = Callable[..., Page]

IMAGE = "<img src=x onerror=window.pwned=1>"
VECTOR = '"><svg onload=window.pwned=1>'
SHORT = "<svg onload=pwned=1>"  # an id has 24 characters at most
SHORT_IMAGE = "<img src=x id=pwned>"
SCRIPT = "javascript:window.pwned=1"

# Elements with handlers, or of the texts above, in the page and in all shadow roots.
FOREIGN = """() => {
    const bad = (el) => el.getAttributeNames().some((name) => name.startsWith("on"))
        || el.id === "pwned" || el.getAttribute("src") === "x"
        || /^\\s*javascript:/i.test(el.getAttribute("href") ?? el.getAttribute("src") ?? "");
    const all = (root) => [...root.querySelectorAll("*")]
        .flatMap((el) => [el, ...(el.shadowRoot ? all(el.shadowRoot) : [])]);
    return all(document).filter(bad).map((el) => el.outerHTML.slice(0, 200));
}"""


def stays_text(page: Page) -> None:
    """Nothing of it ran, and nothing of it is an element."""
    page.wait_for_timeout(300)  # an image that cannot be loaded says so a little later
    assert page.evaluate("typeof window.pwned") == "undefined"
    assert page.evaluate(FOREIGN) == []


def drop(page: Page, name: str, text: str) -> None:
    file: FilePayload = {"name": name, "mimeType": "text/plain", "buffer": text.encode()}
    page.locator("input[type=file]").first.set_input_files(file)


def scenario(name: str) -> str:
    """A scenario file with markup wherever a text may stand."""
    row = {"arrival": 0, "prompt": 6, "output": 3}
    rows = [row | {"id": id_, "tenant": id_} for id_ in (SHORT, SHORT_IMAGE, '"><b id=pwned>')]
    note = f"{IMAGE}\n\n[x]({SCRIPT}) ![x](http://example.com/x.png)"
    return json.dumps({"name": name, "note": note, "setup": {"budget": 4}, "requests": rows})


def look_at_all(page: Page) -> None:
    """Open what shows names: the run's last round, tips, table, setup, log."""
    page.keyboard.press("End")
    for tab in page.get_by_role("tab").all():
        if tab.is_visible():
            tab.click()
    for name in ("Requests", "Setup"):
        button = page.get_by_role("button", name=name)
        if button.count() and button.first.is_visible():
            button.first.click()
            stays_text(page)
            page.keyboard.press("Escape")


def test_markup_in_a_link_is_text(open_page: Open) -> None:
    ids = "_".join(f"{quote(text, safe='')}-0-6-3" for text in (SHORT, SHORT_IMAGE, "<b id=pwned>"))
    lane = quote(quote(IMAGE[:40], safe=""), safe="")
    page = open_page("[data-run]", f"scenario=5a&rows={ids}&lanes=static/continuous*{lane}")
    expect(page.get_by_text(IMAGE).first).to_be_attached()
    page.keyboard.press("End")
    expect(page.get_by_text(f"…{SHORT[-3:]}").first).to_be_attached()  # names are cut in the middle
    look_at_all(page)
    stays_text(page)
    bad = {
        "setup": f"{IMAGE}:1",
        "lanes": VECTOR,
        "budget": SCRIPT,
        "scenario": IMAGE,
        "lang": IMAGE,
    }
    query = "&".join(f"{name}={quote(text, safe='')}" for name, text in bad.items())
    stays_text(open_page("[data-run]", query))


def test_markup_in_a_scenario_file_is_text(open_page: Open) -> None:
    page = open_page("[data-run]", "scenario=5a")
    drop(page, f"{IMAGE}.json", scenario(VECTOR))
    expect(page.get_by_text(IMAGE).first).to_be_attached()
    look_at_all(page)
    stays_text(page)
    drop(page, f"{VECTOR}.json", '{"setup": {"<b id=pwned>": 1}, "requests": [{"id": 1}]}')
    expect(page.get_by_text("cannot run").first).to_be_visible()
    stays_text(page)


def test_markup_in_a_trace_and_in_the_lab_is_text(open_page: Open) -> None:
    page = open_page("#lab-tab-traffic", "scenario=5a&face=lab")
    cells = "".join(f"{250 * n + n % 3},{IMAGE},{100 + n},30\n" for n in range(40))
    quoted = '"' + VECTOR.replace('"', '""') + '"'
    drop(page, f"{IMAGE}.csv", f"timestamp,{IMAGE},prompt,output\n{cells}")
    expect(page.locator(".file-rows")).to_contain_text(IMAGE)
    stays_text(page)
    drop(page, f"{VECTOR}.csv", f"{quoted},{SCRIPT}\n1,2\n")
    stays_text(page)


@pytest.mark.parametrize("page", [{"accept_downloads": True}], indirect=True)
def test_markup_in_a_report_is_text(open_page: Open) -> None:
    ids = f"{quote(SHORT, safe='')}-0-6-3_{quote(SHORT_IMAGE, safe='')}-0-6-3"
    lane = quote(quote(IMAGE[:40], safe=""), safe="")
    page = open_page(
        "#lab-tab-traffic", f"face=lab&scenario=5a&rows={ids}&lanes=static/continuous*{lane}"
    )
    with page.expect_download() as download:
        page.get_by_role("button", name="Report").click()
    page.goto("about:blank")
    page.set_content(download.value.path().read_text(encoding="utf-8"))
    expect(page.get_by_text(IMAGE[:20]).first).to_be_attached()
    stays_text(page)
