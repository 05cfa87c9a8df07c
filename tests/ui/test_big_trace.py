"""A trace as long as a public hour of traffic: opened, looked over, zoomed, dragged, compared.

The rows are drawn from the simulator's own distributions: 19,366 requests in some 58 minutes, which
make hundreds of thousands of rounds. No time is asserted but that everything comes to an end.
"""

from collections.abc import Callable
from functools import cache

from playwright.sync_api import Page, expect

from sim.workload import synthetic

Open = Callable[..., Page]
STAGE = "[data-testid=stage]"
NUM_ROWS = 19_366
OPEN_MS = 240_000
RATE = 5.53  # requests a second


@cache
def trace() -> bytes:
    """A request a line."""
    requests = synthetic(NUM_ROWS, RATE, seed=1)
    rows = [f"{one.arrival / 1e6:.6f},{one.prompt},{one.output}" for one in requests]
    return "\n".join(["arrival_ms,prompt,output", *rows]).encode()


def number(page: Page, name: str) -> float:
    return float(page.locator("[data-run]").get_attribute(f"data-{name}") or "nan")


def act_and_wait(page: Page, act: Callable[[], None]) -> None:
    """Do something that moves the cursor, maybe into another window."""
    before = page.locator("[data-run]").get_attribute("data-time") or ""
    act()
    expect(page.locator("[data-run]")).not_to_have_attribute("data-time", before, timeout=OPEN_MS)


def click_overview(page: Page, share: float) -> None:
    box = page.get_by_test_id("overview").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] * share, box["y"] + 8)


def click_bar(page: Page, share: float) -> None:
    box = page.locator(".rb-track").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] * share, box["y"] + box["height"] / 2)


def edit_of_another(page: Page, url: str) -> None:
    """Somebody else opens the page and changes a budget."""
    page.goto(url)
    player = page.locator("[data-run]")
    run = player.get_attribute("data-run") or ""
    page.locator("input.number").fill("6")
    page.locator("input.number").press("Enter")
    expect(player).not_to_have_attribute("data-run", run, timeout=OPEN_MS)


def test_an_hour_of_traffic_can_be_opened_and_looked_into(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a")
    page.locator("input[type=file]").set_input_files(
        {"name": "hour.csv", "mimeType": "", "buffer": trace()}
    )
    other = page.context.new_page()
    edit_of_another(other, page.url)
    other.close()
    expect(page.locator("h1")).to_have_text("Your trace", timeout=OPEN_MS)
    expect(page.locator(".notice")).to_contain_text("Read 19,366 rows, imported 19,366, dropped 0.")

    act_and_wait(page, lambda: click_overview(page, 0.3))
    assert number(page, "round") > 1000
    length = number(page, "to") - number(page, "from")
    closer = page.get_by_test_id("zoom-in")
    while closer.is_enabled():
        closer.click()
    assert number(page, "to") - number(page, "from") < length / 30
    expect(page.locator(".rb-pill:visible").first).to_contain_text("Round")

    page.keyboard.press("0")
    act_and_wait(page, lambda: click_bar(page, 0.8))
    expect(page.get_by_test_id("card-static")).to_be_visible()
    expect(page.get_by_test_id("card-continuous")).to_be_visible()
    times = []
    for view in ("static", "continuous"):
        page.get_by_test_id(f"view-{view}").click()
        act_and_wait(page, lambda: page.keyboard.press("End"))
        times.append(number(page, "time"))
        act_and_wait(page, lambda: page.keyboard.press("Home"))
    assert times[0] > times[1] > 3_000_000, "static takes longer, and an hour at least"
