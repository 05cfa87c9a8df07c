"""How the stage is looked at: rows, axis, the future; and three or four lanes on one clock."""

import itertools
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.sim.make import by_hand
from tests.ui.stage import (
    BY_HAND,
    PHONE,
    STAGE,
    at_rest,
    choose,
    drawn,
    give,
    in_all_sizes,
    legend,
    player,
    words,
)

Open = Callable[..., Page]


def only(page: Page, lane: str) -> Page:
    page.get_by_test_id(f"view-{lane}").click()
    expect(player(page)).to_have_attribute("data-lanes", "1")
    return page


def test_rows_are_requests_or_seats_whatever_the_lanes(open_page: Open) -> None:
    page = open_page(STAGE, BY_HAND)
    names = page.locator(".rb-row-name")
    expect(names).to_have_count(0)
    choose(page, "rows-requests")
    expect(names).to_have_count(6)
    assert "prefill 4" in words(page)
    only(page, "continuous")
    expect(names).to_have_count(3)
    choose(page, "rows-seats")
    expect(names).to_have_count(0)
    expect(page.get_by_text("Seat 3")).to_be_visible()
    assert "C prefill 2" in words(page)
    only(page, "static")
    expect(page.get_by_text("batch 1")).to_be_visible()


def test_on_the_round_axis_all_rounds_are_equally_wide(open_page: Open) -> None:
    page = only(open_page(STAGE, BY_HAND), "continuous")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    choose(page, "axis-rounds")
    expect(player(page)).to_have_attribute("data-round", "2")
    expect(player(page)).to_have_attribute("data-time", "8")
    expect(page.locator(".rb-tag")).to_have_text("8 ms")
    heads = [head.bounding_box() for head in page.locator(".rb-head").all()]
    middles = [box["x"] + box["width"] / 2 for box in heads if box is not None]
    steps = [b - a for a, b in itertools.pairwise(middles)]
    assert len(steps) == 4 and max(steps) - min(steps) < 2
    page.keyboard.press("ArrowRight")
    expect(player(page)).to_have_attribute("data-time", "13")
    choose(page, "axis-time")
    expect(player(page)).to_have_attribute("data-time", "13")


def test_round_k_of_all_lanes_is_one_place_on_the_round_axis(open_page: Open) -> None:
    page = open_page(STAGE, BY_HAND)
    choose(page, "axis-rounds")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(page.get_by_test_id("transport")).to_contain_text("Round 3 of 7")
    expect(page.locator(".rb-tag")).to_have_text("round 3")
    at_rest(page)
    lits = [lit.bounding_box() for lit in page.locator(".rb-lit:visible").all()]
    assert len({(round(box["x"]), round(box["width"])) for box in lits if box}) == 1
    assert len(lits) == 2
    page.mouse.move(*centre(page, 2.5))
    expect(page.get_by_test_id("tip")).to_contain_text("7 to 10 ms")  # the lane's own time
    page.keyboard.press("End")
    expect(page.get_by_text("done 2 rounds earlier")).to_be_visible()


def centre(page: Page, place: float) -> tuple[float, float]:
    """A point of the first seat of the first lane, by a place on an axis of seven rounds."""
    track = page.locator(".rb-track").bounding_box()
    seat = page.get_by_text("Seat 1", exact=True).first.bounding_box()
    assert track is not None and seat is not None
    return track["x"] + track["width"] * place / 7, seat["y"] + 6


def test_to_predict_nothing_ahead_is_drawn(open_page: Open, shot: Callable[[str], None]) -> None:
    page = only(open_page(STAGE, BY_HAND), "continuous")
    page.keyboard.press("ArrowRight")
    assert drawn(page, "cells", "stage-ghost")
    choose(page, "future-nothing")
    shot("stage-predict")
    assert not drawn(page, "cells", "stage-ghost") and not drawn(page, "boxes", "stage-ghost")
    assert all(row["y0"] == row["y1"] for row in drawn(page, "rules", "stage-ghost"))
    assert page.locator(".rb-time:visible").all_inner_texts() == ["0 ms"]
    expect(page.get_by_text("Round 2", exact=True)).to_be_hidden()
    expect(page.locator(".rb-ticks i:visible")).to_have_count(2)
    expect(page.get_by_test_id("transport")).not_to_contain_text("of 5")
    assert "not yet" not in legend(page)
    page.mouse.move(*ahead(page))
    expect(page.get_by_test_id("tip")).to_be_hidden()
    page.keyboard.press("End")
    expect(page.locator(".rb-ticks i:visible")).to_have_count(9)
    choose(page, "future-ghost")
    assert "not yet" in legend(page)


def test_the_step_before_a_guess_does_not_show_the_answer(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a&step=2")
    hidden = page.locator("[data-future=nothing]")
    on, back = page.locator(".steps-nav .next"), page.locator(".steps-nav .back")
    expect(hidden).to_have_count(0)
    on.click()
    expect(hidden).to_have_count(1)  # the guess is the step after this one
    on.click()
    page.get_by_role("button", name="Show the worked answer").click()
    expect(hidden).to_have_count(0)
    back.click()
    expect(page.locator(".step-title")).to_be_visible()
    expect(hidden).to_have_count(0)


def test_what_is_typed_into_an_exercise_stays_when_the_page_changes(open_page: Open) -> None:
    page = open_page(".exercise .box", "scenario=5a&step=4")
    box = page.locator(".exercise .box").first
    box.fill("3")
    page.get_by_role("button", name="中文").click()
    expect(page.locator("html")).to_have_attribute("lang", re.compile("^zh"))
    expect(box).to_have_value("3")
    budget = page.get_by_role("spinbutton", name="预算")
    budget.fill("6")
    budget.press("Enter")
    expect(page).to_have_url(re.compile("budget=6"))
    expect(box).to_have_value("3")


def ahead(page: Page) -> tuple[float, float]:
    box = page.locator(STAGE).bounding_box()
    assert box is not None
    return box["x"] + box["width"] * 0.6, box["y"] + 60


def test_the_choices_stay_for_the_next_run(open_page: Open) -> None:
    page = open_page(STAGE, BY_HAND)
    choose(page, "rows-requests", "axis-rounds", "future-nothing")
    give(page, by_hand(budget=6))
    for name, value in {"rows": "requests", "axis": "rounds", "future": "nothing"}.items():
        expect(player(page)).to_have_attribute(f"data-{name}", value)
    expect(page.locator(".rb-row-name")).to_have_count(3)


def test_a_window_of_a_long_run_has_no_round_axis(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=synthetic")
    page.get_by_test_id("view").click()
    expect(page.get_by_test_id("future-nothing")).to_be_visible()
    expect(page.get_by_test_id("axis-rounds")).to_be_hidden()


@pytest.mark.parametrize("page", [{"viewport": PHONE}], indirect=True)
@pytest.mark.parametrize("lanes", [3, 4])
def test_three_and_four_lanes_can_be_read(
    open_page: Open, lanes: int, shot: Callable[[str], None]
) -> None:
    page = open_page(STAGE, BY_HAND)
    subject = by_hand()
    others = [subject, by_hand(budget=6), by_hand(service="prefill_first")]
    give(page, subject.with_setup(mode="static"), *others[: lanes - 1])
    expect(player(page)).to_have_attribute("data-lanes", str(lanes))
    page.keyboard.press("End")
    for width in in_all_sizes(page):
        tops = [title.bounding_box() for title in page.locator(".rb-lane-title").all()]
        ys = [box["y"] for box in tops if box is not None]
        assert len(ys) == lanes and min(b - a for a, b in itertools.pairwise(ys)) > 130
        heights = [cell["bottom"] - cell["top"] for cell in drawn(page, "hatch_prefill")]
        assert max(heights) >= 14
        seats = page.locator(".rb-gutter").filter(has_text=re.compile(r"^(Seat )?1$"))
        expect(seats).to_have_count(lanes)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        shot(f"stage-{lanes}-lanes-{width}")


def test_the_address_keeps_how_the_stage_is_looked_at(open_page: Open) -> None:
    link = "scenario=3a&time=5&by=requests&axis=rounds&ahead=nothing"
    page = open_page(STAGE, link)
    for name, value in {"rows": "requests", "axis": "rounds", "future": "nothing"}.items():
        expect(player(page)).to_have_attribute(f"data-{name}", value)
    expect(page).to_have_url(re.compile("time=5&by=requests&axis=rounds&ahead=nothing$"))
    choose(page, "axis-time", "future-ghost")
    expect(page).to_have_url(re.compile("time=5&by=requests$"))


def test_a_link_to_a_view_that_is_not_there_says_so(open_page: Open) -> None:
    page = open_page(STAGE, f"{BY_HAND}&axis=sideways")
    expect(page.locator(".notice")).to_contain_text("a view that is not here")
    expect(page).not_to_have_url(re.compile("axis="))


@pytest.mark.parametrize("page", [{"viewport": PHONE}], indirect=True)
def test_the_legend_leaves_no_sign_out(open_page: Open) -> None:
    page = open_page(STAGE, f"{BY_HAND}&lanes=static/continuous/vllm_v1")
    signs = {"prefill", "decode", "first token", "padding", "finished", "not yet"}
    for width in in_all_sizes(page):
        assert signs <= set(legend(page))
        assert page.evaluate("document.documentElement.scrollWidth") <= width
