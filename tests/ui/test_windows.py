"""A run too long to be sent whole: its windows follow each other without the person noticing.

Stepping, playing and jumping must see one run, not windows; and edits must not move the cursor.
"""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from app.session import Session
from lessons.catalogue import steps
from lessons.figures import figures, here
from tests.ui.stage import drawn

Open = Callable[..., Page]
PLAYER = "[data-run]"
STAGE = "[data-testid=stage]"
LARGE = "scenario=synthetic"
PALE = 0.25 * 255
VIEWS = ["all", "static", "continuous"]


def player(page: Page) -> Locator:
    return page.locator(PLAYER)


def time_of(page: Page) -> float:
    return float(player(page).get_attribute("data-time") or "nan")


def expect_time(page: Page, time: float) -> None:
    expect(player(page)).to_have_attribute("data-time", f"{time:g}")


def step(page: Page, key: str) -> float:
    """Press a key and wait until the cursor has moved."""
    before = player(page).get_attribute("data-time") or ""
    page.keyboard.press(key)
    expect(player(page)).not_to_have_attribute("data-time", before)
    return time_of(page)


def brush(page: Page) -> float:
    """Where the overview says that the window shown begins."""
    box = page.locator(".rb-brush").bounding_box()
    assert box is not None
    return box["x"]


def click_bar(page: Page, share: float) -> None:
    """Click the bar at a share of its length; it has the focus then."""
    box = page.locator(".rb-track").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] * share, box["y"] + box["height"] / 2)


def views(page: Page) -> Iterator[str]:
    """The large run in one view after another, each from its start."""
    for view in VIEWS:
        page.get_by_test_id(f"view-{view}").click()
        page.keyboard.press("Home")
        expect_time(page, 0)
        yield view


def step_into_next_window(page: Page) -> list[float]:
    """Step on from near the right edge; the times passed, the last one in the next window."""
    click_bar(page, 0.985)
    before = brush(page)
    times = [time_of(page)]
    while brush(page) == before:
        assert len(times) < 40, "the edge is never crossed"
        times.append(step(page, "ArrowRight"))
    return times


def test_steps_cross_edges_and_go_back_the_same_way(open_page: Open) -> None:
    page = open_page(STAGE, LARGE)
    for _ in views(page):
        for _ in range(3):
            there = step_into_next_window(page)
            assert there == sorted(set(there))
            back = [step(page, "ArrowLeft") for _ in there[1:]]
            assert back == there[-2::-1]
            step(page, "ArrowRight")


def test_steps_back_over_the_left_edge_return_the_same_way(open_page: Open) -> None:
    page = open_page(STAGE, LARGE)
    for _ in views(page):
        step_into_next_window(page)
        click_bar(page, 0)
        start = time_of(page)
        back = [step(page, "ArrowLeft") for _ in range(4)]
        assert back == sorted(back, reverse=True) and back[0] < start
        assert [step(page, "ArrowRight") for _ in range(4)] == [*back[-2::-1], start]


def test_playing_crosses_edges(open_page: Open) -> None:
    page = open_page(STAGE, LARGE)
    for _ in views(page):
        page.get_by_test_id("speed").select_option("8")
        for _ in range(3):
            click_bar(page, 0.97)
            before, time = brush(page), time_of(page)
            page.keyboard.press("Space")
            page.wait_for_function(
                "x => { const find = (root) => root.querySelector('.rb-brush') ??"
                " [...root.querySelectorAll('*')].map((el) => el.shadowRoot && find(el.shadowRoot))"
                ".find(Boolean); return find(document).getBoundingClientRect().x !== x; }",
                arg=before,
            )
            expect(player(page)).to_have_attribute("data-playing", "true")
            page.keyboard.press("Space")
            expect(player(page)).to_have_attribute("data-playing", "false")
            assert time_of(page) > time


def test_home_and_end_are_those_of_the_run(open_page: Open) -> None:
    page = open_page(STAGE, LARGE)
    for _ in views(page):
        click_bar(page, 0.5)
        end = step(page, "End")
        page.keyboard.press("ArrowRight")
        expect_time_stays(page, end)
        assert step(page, "ArrowLeft") < end
        step(page, "Home")
        assert time_of(page) == 0
        page.keyboard.press("ArrowLeft")
        expect_time_stays(page, 0)


def expect_time_stays(page: Page, time: float) -> None:
    page.wait_for_timeout(300)
    assert time_of(page) == time


def test_all_keys_work_while_the_bar_has_the_focus(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a&show=all")
    click_bar(page, 0.52)
    expect_time(page, 13)
    for key, time in [("ArrowRight", 16.5), ("ArrowLeft", 13), ("End", 24), ("Home", 0)]:
        page.keyboard.press(key)
        expect_time(page, time)
    step(page, "]")
    step(page, "[")
    page.keyboard.press("+")
    expect(page.get_by_test_id("speed")).to_have_value("2")
    page.keyboard.press("Space")
    expect(player(page)).to_have_attribute("data-playing", "true")


def test_the_overview_can_be_clicked_dragged_and_zoomed(open_page: Open) -> None:
    page = open_page(STAGE, LARGE)
    box = page.get_by_test_id("overview").bounding_box()
    assert box is not None
    y = box["y"] + 10
    page.mouse.click(box["x"] + box["width"] * 0.5, y)
    expect(player(page)).not_to_have_attribute("data-time", "0")
    middle = time_of(page)
    page.mouse.move(box["x"] + box["width"] * 0.5, y)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.8, y, steps=5)
    page.mouse.up()
    expect(player(page)).not_to_have_attribute("data-time", f"{middle:g}")
    page.get_by_test_id("zoom-in").click()
    page.get_by_test_id("zoom-in").click()
    for _ in range(3):
        step(page, "ArrowRight")
    page.get_by_test_id("zoom-out").click()
    step(page, "ArrowLeft")


def test_the_time_chosen_survives_edits_and_the_language(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a&show=all")
    while time_of(page) < 10:
        step(page, "ArrowRight")
    expect_time(page, 10)
    box = page.get_by_role("spinbutton", name="Budget")
    for budget in ("6", "4", "7", "4"):
        run = player(page).get_attribute("data-run") or ""
        box.fill(budget)
        box.press("Enter")
        expect(player(page)).not_to_have_attribute("data-run", run)
        assert time_of(page) <= 10
    expect_time(page, 10)
    page.get_by_role("button", name="中文").click()
    expect(page.get_by_test_id("overall")).to_contain_text("总时长")
    expect_time(page, 10)


def test_another_language_does_not_move_the_cursor_in_a_large_run(open_page: Open) -> None:
    page = open_page(STAGE, LARGE)
    time = step_into_next_window(page)[-1]
    page.get_by_role("button", name="中文").click()
    expect(page.get_by_test_id("overall")).to_contain_text("总时长")
    assert time_of(page) == time


def test_steps_of_a_lesson_find_their_place_in_other_windows(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5-lab")
    go_on = page.locator(".steps-nav .next")
    go_on.click()
    expect_time(page, 1000)  # L has its first token after 250 rounds of 4 ms
    for _ in range(2):
        go_on.click()
    expect_time(page, 29.5)  # before that window, in the lane with a limit
    for _ in range(3):
        go_on.click()
    expect_time(page, 1512.5)  # the closing step stands at the end of the run


@pytest.mark.parametrize("scene", ["11a", "11b"])
def test_steps_forth_and_back_stand_where_the_text_says(open_page: Open, scene: str) -> None:
    """Also where that is in another window, and when the page is opened there."""
    rounds = [here(figures(scene), step) for step in steps(scene)]
    times = [one["end"] for one in rounds if one is not None]
    assert len(times) == len(rounds) and max(times) > first_window(scene) > min(times)
    page = open_page(STAGE, f"scenario={scene}&step={len(times)}")
    expect_exactly(page, times[-1])
    for number in range(len(times) - 1, 0, -1):
        page.keyboard.press("b")
        expect_exactly(page, times[number - 1])
    page.keyboard.press("n")
    expect_exactly(page, times[1])
    expect(page).to_have_url(re.compile("step=2$"))


def first_window(scene: str) -> float:
    """Where the window ends that is sent first."""
    session = Session()
    session.choose(scene)
    return float(session.payload["t1"])


def expect_exactly(page: Page, time: float) -> None:
    expect(player(page)).to_have_attribute("data-time", repr(float(time)).removesuffix(".0"))


@pytest.mark.parametrize("page", [{"viewport": {"width": 1440, "height": 900}}], indirect=True)
def test_three_lanes_of_many_seats_fit_the_screen_and_idle_ones_stay_pale(open_page: Open) -> None:
    page = open_page(STAGE, f"{LARGE}&budget=2048&lanes=static/continuous/vllm_v1&show=all")
    page.keyboard.press("End")
    expect(page.locator(".rb-lane-title")).to_have_count(3)
    expect(page.locator(".rb-batch")).to_be_visible()
    stage, dock = page.locator(".rb-stage").bounding_box(), page.locator(".rb-dock").bounding_box()
    assert stage and dock and stage["y"] + stage["height"] <= dock["y"] + 1
    fills = [cell["fill_color"] for cell in drawn(page, "cells")]
    alphas = {int(fill[7:], 16) for fill in fills if fill and len(fill) == 9}
    assert alphas and max(alphas) < PALE
