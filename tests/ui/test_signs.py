"""Signs of what can happen to a request: every way to leave, evictions, pauses, drafts."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from sim import Scenario
from tests.sim.make import scenario
from tests.ui.stage import BY_HAND, STAGE, choose, drawn, give, legend, numbers, words

Open = Callable[..., Page]


def leaving() -> Scenario:
    """B is cancelled while it runs, D while it waits; C waits too long; E finds the queue full."""
    rows = [
        ("A", 0, 6, 6), ("B", 1, 4, 8, {"cancel_at": 16}), ("C", 2, 6, 3),
        ("D", 3, 5, 3, {"cancel_at": 9}), ("E", 4, 3, 2), ("F", 5, 2, 2),
    ]  # fmt: skip
    return scenario(*rows, budget=4, max_num_seqs=2, queue_timeout=14, max_queue=3)


def crowded(**setup: Any) -> Scenario:
    """Three requests in a pool that holds less than two of them."""
    rows = [("A", 0, 8, 8), ("B", 1, 8, 8), ("C", 2, 6, 4)]
    pool = {"block_size": 4, "num_blocks": 6, "reserve": "none"}
    return scenario(*rows, budget=8, max_num_seqs=3, **pool, **setup)


def markers(page: Page) -> list[str]:
    return [mark["marker"] for mark in drawn(page, "marks")]


def test_every_way_to_leave_has_its_own_mark_tick_and_word(
    open_page: Open, shot: Callable[[str], None]
) -> None:
    page = open_page(STAGE, BY_HAND)
    assert not {"cancelled", "rejected", "timed out"} & set(legend(page))
    payload = give(page, leaving())
    assert {"cancelled", "rejected", "timed out"} <= set(legend(page))
    assert markers(page).count("x") == 2
    for kind in ("cancelled", "rejected", "timed_out", "finish"):
        wanted = sum(event["kind"] == kind for event in payload["events"])
        expect(page.locator(f".rb-ticks [data-kind={kind}]")).to_have_count(wanted)
    expect(page.locator(".rb-ticks i[title^='C · timed out'][title$='16 ms']")).to_have_count(1)
    page.keyboard.press("End")
    shot("stage-leaving")


def test_who_is_turned_away_at_once_has_a_triangle_and_the_mark_beside_it(open_page: Open) -> None:
    page = open_page(STAGE, BY_HAND)
    give(page, leaving())
    marks = drawn(page, "marks")
    signs = [mark for mark in marks if mark["marker"] == "dash" and not mark["angle"]]
    at = min(signs, key=lambda mark: mark["x"])  # the bar of the rejected E comes first
    beside = [m for m in marks if m["marker"] == "inverted_triangle" and m["y"] - at["y"] == -0.5]
    assert [triangle["x"] < at["x"] for triangle in beside] == [True]


def test_an_eviction_leaves_an_outlined_gap_and_work_to_do_again(open_page: Open) -> None:
    page = open_page(STAGE, BY_HAND)
    give(page, crowded())
    gaps = [c for c in drawn(page, "cells") if c["line_dash"] == "6 3" and c["line_width"] == 1.5]
    assert len(gaps) == 3
    assert markers(page).count("triangle") == 3
    assert any(word.startswith("again") for word in words(page))
    assert len(drawn(page, "hatch_again")) == 4
    assert {"preempted", "prefill again"} <= set(legend(page))
    expect(page.locator(".rb-ticks [data-kind=preempted]")).to_have_count(3)


def test_who_is_swapped_out_is_dotted_and_computes_nothing_again(open_page: Open) -> None:
    page = open_page(STAGE, BY_HAND)
    give(page, crowded(on_full="swap"))
    assert len(drawn(page, "hatch_swapped")) == 2
    assert "swapped out" in words(page)
    assert not drawn(page, "hatch_again")
    assert "swapped out" in legend(page) and "prefill again" not in legend(page)


def test_the_card_tells_of_a_gap(open_page: Open) -> None:
    page = open_page(STAGE, BY_HAND)
    give(page, crowded(on_full="swap"))
    page.keyboard.press("End")
    track = page.locator(".rb-track").bounding_box()
    name = page.locator(".rb-row-name:has-text('B')").bounding_box()
    assert track is not None and name is not None
    page.mouse.move(track["x"] + track["width"] * 29 / 56, name["y"] + name["height"] / 2)
    expect(page.get_by_test_id("tip")).to_contain_text("swapped out")


def test_a_pause_is_hatched_and_what_was_not_sent_is_grey(open_page: Open) -> None:
    page = open_page(STAGE, BY_HAND)
    slow = {"credits": 2, "read_every": 9}
    rows = [("S", 0, 4, 8, slow), ("B", 1, 4, 12, {"cancel_at": 29.5})]
    (lane,) = give(page, scenario(*rows, budget=8))["lanes"]
    between = [gap for gap in lane["gaps"] if gap["kind"] == "paused"]
    assert between and len(drawn(page, "hatch_paused")) == 3 + len(between)
    assert {"paused", "not sent"} <= set(legend(page))
    choose(page, "axis-rounds")  # where the cells have room for words and rings
    assert "paused" in words(page)
    hollow = [m for m in drawn(page, "marks") if m["marker"] == "circle" and not m["fill_color"]]
    assert len(hollow) == 1


def test_several_tokens_of_a_round_are_one_ring_and_drafts_have_bricks(open_page: Open) -> None:
    page = open_page(STAGE, BY_HAND)
    drafts = {"drafts": 3, "accepted": [2, 0, 3, 1]}
    give(page, scenario(("A", 0, 4, 9), ("B", 3, 3, 6), budget=8, speculation=drafts))
    assert {"2–4", "2–5", "6–7", "8–9"} <= set(numbers(page))
    assert len(drawn(page, "rings")) == 4
    assert "draft" in legend(page)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_run_without_a_round_shows_who_came_and_left(open_page: Open, lang: str) -> None:
    page = open_page(STAGE, BY_HAND)
    gone = [("A", 0, 4, 9, {"cancel_at": 0}), ("B", 3, 3, 6, {"cancel_at": 3})]
    payload = give(page, scenario(*gone, budget=8), lang=lang)
    expect(page.locator(STAGE)).to_be_visible()
    assert markers(page).count("x") == 2
    page.keyboard.press("End")
    expect(page.get_by_text(payload["lanes"][0]["after"]["more"]).first).to_be_visible()


def test_the_clock_goes_on_until_the_last_one_has_left(open_page: Open) -> None:
    page = open_page(STAGE, BY_HAND)
    reader = {"credits": 2, "read_every": 30, "cancel_at": 70}
    lane = give(page, scenario(("A", 0, 4, 1), ("S", 0, 4, 6, reader), budget=8))["lanes"][0]
    assert lane["end"] > lane["rounds"]["end"][-1]
    page.keyboard.press("End")
    expect(page.locator("[data-run]")).to_have_attribute("data-time", f"{lane['end']:g}")
