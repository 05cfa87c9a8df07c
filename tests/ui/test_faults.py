"""What goes wrong in a classroom: servers that stop, sockets that close, pages left alone, tabs.

The servers are the tests' own, so that they can be stopped. The page must go on playing without
one, say what does not work meanwhile, and come back to the very same state when it can.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.ui.conftest import Watch, page_of_its_own
from tests.ui.served import Server, free_port, serving

WAIT_MS = 60_000
RUN = "[data-run]"
AT_200_S = re.compile(r"^(1999|2000)\d\d")  # a boundary near 200 s, in ms
LANES = "lanes=static,continuous,sarathi@small:budget=3"


@pytest.fixture(scope="module")
def classroom(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server for the tests that leave it running."""
    with serving(tmp_path_factory.mktemp("classroom") / "log.txt") as running:
        yield running


@pytest.fixture
def tab(browser: Browser, watch: Watch) -> Iterator[Page]:
    """An empty page in a profile of its own; errors in its console fail."""
    watch.outside.clear()
    watch.errors.clear()
    with page_of_its_own(browser, watch, {}) as page:
        page.set_default_timeout(WAIT_MS)
        yield page
    assert not watch.outside, "requests to other hosts"
    assert not watch.errors, "errors in the browser"


def opened(page: Page, server: Server, query: str) -> Page:
    page.goto(f"{server.url}/app?{query}")
    page.locator(RUN).first.wait_for(state="visible")
    return page


def number(page: Page, name: str) -> float:
    return float(page.locator(RUN).get_attribute(f"data-{name}") or "nan")


def address(page: Page) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(page.url).query))


def set_budget(page: Page, value: int) -> None:
    """Type a budget and wait for its run."""
    run = page.locator(RUN).get_attribute("data-run") or ""
    page.locator("input.number").fill(str(value))
    page.locator("input.number").press("Enter")
    expect(page.locator(RUN)).not_to_have_attribute("data-run", run, timeout=WAIT_MS)


def play(page: Page) -> None:
    page.locator("[data-testid=stage]").focus()
    page.keyboard.press("Space")


def wait_until_it_moves(page: Page) -> None:
    time = page.locator(RUN).get_attribute("data-time") or ""
    expect(page.locator(RUN)).not_to_have_attribute("data-time", time, timeout=WAIT_MS)


def test_a_dead_server_stops_no_playing_and_one_click_brings_everything_back(
    tab: Page, watch: Watch, tmp_path: Path
) -> None:
    port = free_port()
    with serving(tmp_path / "first.txt", port=port) as first:
        page = opened(tab, first, f"scenario=5a&lang=zh&step=2&{LANES}")
        set_budget(page, 7)
        page.get_by_test_id("view-continuous").click()
        page.keyboard.press("End")
        page.keyboard.press("ArrowLeft")
        page.wait_for_url(lambda url: "time=" in url and "budget=7" in url)
        page.keyboard.press("Home")
        play(page)
        first.stop()
    banner = page.locator(".banner")
    expect(banner).to_be_visible(timeout=WAIT_MS)
    expect(banner).to_contain_text("连接")
    watch.errors.clear()  # the browser says itself that its socket is closed

    page.keyboard.press("Home")
    play(page)
    wait_until_it_moves(page)
    play(page)
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    page.wait_for_timeout(500)  # the address follows a moment after
    before = address(page)
    assert before["budget"] == "7"
    assert before["lang"] == "zh"
    assert "time" in before
    place = page.locator(RUN).get_attribute("data-time") or ""

    with serving(tmp_path / "second.txt", port=port):
        banner.locator("button").click()
        page.locator(RUN).first.wait_for(state="visible")
        expect(page.locator(RUN)).to_have_attribute("data-time", place, timeout=WAIT_MS)
        assert page.locator("input.number").input_value() == "7"
        page.wait_for_timeout(500)
        assert address(page) == before
        set_budget(page, 8)  # and it takes edits again


def test_of_two_quick_edits_while_playing_the_last_one_wins(tab: Page, classroom: Server) -> None:
    page = opened(tab, classroom, "scenario=5a")
    play(page)
    box = page.locator("input.number")
    for value in ("6", "9"):
        box.fill(value)
        box.press("Enter")
    page.wait_for_url(lambda url: "budget=9" in url)
    page.wait_for_timeout(500)  # no late answer to the first comes after it
    assert box.input_value() == address(page)["budget"] == "9"


def test_what_the_browser_undoes_in_the_budget_box_is_run(tab: Page, classroom: Server) -> None:
    page = opened(tab, classroom, "scenario=5a")
    page.locator("input.number").click()
    page.keyboard.press("Control+a")
    page.keyboard.type("5")
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: "budget=5" in url)
    page.locator("h1").first.click()
    page.keyboard.press("Control+z")
    page.wait_for_url(lambda url: "budget=4" in url)
    expect(page.locator("input.number")).to_have_value("4")


def test_edits_during_a_sweep_are_taken_and_the_sweep_ends(tab: Page, classroom: Server) -> None:
    page = tab
    page.goto(f"{classroom.url}/app?scenario=5a&face=lab")
    page.locator("#lab-tab-sweep").click()
    page.get_by_test_id("sweep-go").click()
    page.locator("#lab-tab-compare").click()
    expect(page.locator("#lab-compare")).to_be_visible()
    page.locator("#lab-tab-sweep").click()
    expect(page.locator(".sweep-bar")).to_be_hidden(timeout=WAIT_MS)
    expect(page.locator(".lab-sweep tbody tr")).to_have_count(5)


def test_a_reload_in_a_lesson_comes_back_to_its_step_and_edits(
    tab: Page, classroom: Server
) -> None:
    page = opened(tab, classroom, "scenario=5a")
    set_budget(page, 7)
    page.locator("[data-testid=stage]").focus()
    page.keyboard.press("n")
    page.wait_for_url(lambda url: "step=2" in url and "budget=7" in url)
    before, place = address(page), page.locator(RUN).get_attribute("data-time") or ""
    page.reload()
    page.locator(RUN).first.wait_for(state="visible")
    expect(page.locator(RUN)).to_have_attribute("data-time", place, timeout=WAIT_MS)
    page.wait_for_timeout(500)
    assert address(page) == before


def test_back_and_forward_bring_scenes_with_their_edits(tab: Page, classroom: Server) -> None:
    page = opened(tab, classroom, "scenario=5a")
    set_budget(page, 7)
    page.wait_for_url(lambda url: "budget=7" in url)
    page.goto(f"{classroom.url}/app?scenario=3a")
    page.locator(RUN).first.wait_for(state="visible")
    page.go_back()
    page.locator(RUN).first.wait_for(state="visible")
    expect(page.locator("input.number")).to_have_value("7", timeout=WAIT_MS)
    page.go_forward()
    page.wait_for_url(lambda url: "scenario=3a" in url)


def test_two_tabs_know_nothing_of_one_another(tab: Page, classroom: Server) -> None:
    first = opened(tab, classroom, "scenario=5a")
    second = opened(tab.context.new_page(), classroom, "scenario=5a")
    set_budget(first, 7)
    set_budget(second, 9)
    assert first.locator("input.number").input_value() == "7"
    assert address(second)["scenario"] == address(first)["scenario"] == "5a"


def test_a_page_whose_session_is_gone_says_so_and_comes_back(
    tab: Page, watch: Watch, tmp_path: Path
) -> None:
    """The socket breaks, as in a laptop that sleeps, and the server forgets the session."""
    short = ("--unused-session-lifetime", "500", "--check-unused-sessions", "500")
    tab.add_init_script(
        "const Old = WebSocket; window.sockets = [];"
        "window.WebSocket = class extends Old {"
        " constructor(...all) { super(...all); window.sockets.push(this); } };"
    )
    with serving(tmp_path / "log.txt", *short) as server:
        page = opened(tab, server, "scenario=5a")
        set_budget(page, 7)
        page.wait_for_url(lambda url: "budget=7" in url)
        page.wait_for_timeout(3000)  # a page that is open is kept, however long it does nothing
        set_budget(page, 6)
        page.wait_for_url(lambda url: "budget=6" in url)
        page.evaluate("for (const one of window.sockets) { one.close(); }")
        banner = page.locator(".banner")
        expect(banner).to_be_visible(timeout=WAIT_MS)
        banner.locator("button").click()
        expect(banner).to_be_hidden(timeout=WAIT_MS)
        page.locator(RUN).first.wait_for(state="visible")
        watch.errors.clear()  # of the broken socket, on the page that is left
        assert page.locator("input.number").input_value() == "6"
        set_budget(page, 8)


def test_a_link_to_a_long_run_opens_at_its_time(tab: Page, classroom: Server) -> None:
    """Its run is made aside after the page has come; until then the address stays as it was."""
    page = tab
    page.goto(f"{classroom.url}/app?scenario=synthetic&traffic=requests:1500&time=200000")
    expect(page.locator("h1")).to_contain_text("1,500", timeout=WAIT_MS)
    expect(page.locator(RUN)).to_have_attribute("data-time", AT_200_S, timeout=WAIT_MS)
    assert "requests:1500" in page.url
