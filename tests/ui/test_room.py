"""Words, names and marks of the stage have room: none runs into another, none is too small."""

from collections.abc import Callable
from itertools import pairwise

import pytest
from playwright.sync_api import Page, expect

from app.i18n import say
from tests.ui.stage import PHONE, STAGE, drawn, legend, player, words

Open = Callable[..., Page]
HALL = {"viewport": {"width": 1920, "height": 1080}}
LEAST_IN_A_HALL = 18
LEAST_CELL = 14

SIZES = """limit => {
  const small = [];
  const look = (root) => {
    for (const el of root.querySelectorAll("*")) {
      if (el.shadowRoot) look(el.shadowRoot);
      const texts = [...el.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
      const { width, height } = el.getBoundingClientRect();
      if (!texts.some((node) => node.textContent.trim()) || width < 2 || height < 2) continue;
      if (!el.checkVisibility({ visibilityProperty: true })) continue;
      const size = parseFloat(getComputedStyle(el).fontSize);
      if (size < limit) small.push(`${size} ${el.textContent}`);
    }
  };
  look(document);
  return small;
}"""


@pytest.mark.parametrize("page", [HALL], indirect=True)
def test_thin_rows_carry_no_words(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=4c")
    cells = [cell for cell in drawn(page, "cells") if cell["bottom"] - cell["top"] < LEAST_CELL]
    assert len(cells) > 32
    assert words(page) == []
    expect(page.locator(".rb-gutter").filter(has_text="32 seats")).to_be_visible()


def test_names_in_an_overview_have_a_line_each(open_page: Open) -> None:
    page = open_page("[data-testid=overview]", "scenario=13b&step=3")
    names = page.locator(".rb-overview-name")
    expect(names).to_have_count(3)
    boxes = [name.bounding_box() for name in names.all()]
    for above, below in pairwise(boxes):
        assert above and below and above["y"] + above["height"] <= below["y"]
    assert names.nth(1).get_attribute("title") == "most prompt tokens 4096"
    assert names.nth(1).inner_text().endswith("4096")


def test_lanes_of_one_kind_are_told_apart_by_title_and_button(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=10c&show=all")
    titles = page.locator(".rb-lane-name b").all_inner_texts()
    assert [
        title.endswith(end)
        for title, end in zip(titles, ("whole prompt", "all output"), strict=True)
    ] == [True] * 2
    buttons = page.locator(".rb-views button").all_inner_texts()
    assert buttons[1].endswith("its whole prompt") and buttons[2].endswith("all output")


def test_the_legend_gives_no_guess_away(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=1a&step=2")
    sign = say("en", "player.legend_idle")
    expect(player(page)).to_have_attribute("data-future", "nothing")
    assert sign not in legend(page)
    page.keyboard.press("End")
    expect(page.locator(".rb-legend li").filter(has_text=sign)).to_be_visible()


def test_every_arrival_has_a_mark_on_the_axis_of_rounds(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=10c&show=all&axis=rounds")
    arrivals = page.locator(".rb-ticks i[title*='arrives']")
    expect(arrivals).to_have_count(2 * 6)


def test_marks_of_one_time_stay_near_it(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=4c")
    end = page.locator(".rb-ticks i[title*='217.2']")
    boxes = [mark.bounding_box() for mark in end.all()]
    left = min(box["x"] for box in boxes if box)
    right = max(box["x"] + box["width"] for box in boxes if box)
    assert len(boxes) > 8
    assert right - left < 120


@pytest.mark.parametrize("page", [HALL], indirect=True)
@pytest.mark.parametrize("scene", ["3a", "10c"])
def test_words_can_be_read_in_a_hall(open_page: Open, scene: str) -> None:
    page = open_page(STAGE, f"scenario={scene}&show=all")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("p")
    expect(player(page)).to_have_attribute("data-size", "presenter")
    assert page.evaluate(SIZES, LEAST_IN_A_HALL) == []
    sizes = {row["text_font_size"] for row in drawn(page, "plates")}
    assert all(float(size.removesuffix("px")) >= LEAST_IN_A_HALL for size in sizes)


@pytest.mark.parametrize("page", [{"viewport": PHONE}], indirect=True)
def test_names_of_lanes_are_whole_on_a_phone_beside_a_round_by_hand(open_page: Open) -> None:
    page = open_page(STAGE, "lang=zh&scenario=5a")
    page.get_by_test_id("lane-continuous").click()
    page.get_by_test_id("lane-hand").click()
    names = page.locator(".rb-views button")
    expect(names).to_have_text(["全部", "静态", "连续", "连续 · 手动"])
    assert all(name.evaluate("el => el.scrollWidth <= el.clientWidth") for name in names.all())


def test_a_fork_cuts_through_no_sentence(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a")
    page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="Change from here").click()
    expect(page.locator(".rb-fork-line")).to_have_count(1)
    page.keyboard.press("Escape")
    page.keyboard.press("End")
    expect(page.locator(".rb-fork-line ~ .rb-wait").first).to_be_visible()  # painted over it
