"""The stage itself: strips of levels, the card beside the pointer, zoom and pan.

A scenario with a pool of KV blocks is made in the browser, of the payload that is there.
"""

import re
from collections.abc import Callable
from itertools import pairwise

import pytest
from playwright.sync_api import FloatRect, Locator, Page, expect

from app.lane_specs import Fork, LaneSpec
from app.packing import packed_lanes
from lessons.figures import Figures, here
from lessons.steps import Step
from tests.sim.make import Row, scenario
from tests.ui.stage import PLAYER_DATA, at_rest, choose, drawn, give

Open = Callable[..., Page]
PLAYER = "[data-run]"
STAGE = "[data-testid=stage]"
BY_HAND = "scenario=5a&show=all"
LARGE = "scenario=synthetic"
TOUCH = {"viewport": {"width": 390, "height": 844}, "has_touch": True}

# Gives every lane of the payload shown a pool, in the browser alone.
GIVE_POOL = f"""pool => {{
  const data = {PLAYER_DATA};
  const payload = JSON.parse(data.payload);
  for (const lane of payload.lanes) {{
    lane.pool = pool;
    lane.rounds.used = lane.rounds.number.map((n) => Math.min(pool, n * 3));
  }}
  data.setv({{ payload: JSON.stringify(payload) }}, {{ sync: false }});
}}"""


def player(page: Page) -> Locator:
    return page.locator(PLAYER)


def tip(page: Page) -> Locator:
    return page.get_by_test_id("tip")


def box_of(found: Locator) -> FloatRect:
    box = found.bounding_box()
    assert box is not None
    return box


def time_of(page: Page) -> float:
    return float(player(page).get_attribute("data-time") or "nan")


def range_of(page: Page) -> tuple[float, float]:
    """The part of the clock on the stage."""
    found = player(page)
    return float(found.get_attribute("data-from") or ""), float(
        found.get_attribute("data-to") or ""
    )


def step_to(page: Page, time: float) -> None:
    while time_of(page) < time:
        page.keyboard.press("ArrowRight")
    expect(player(page)).to_have_attribute("data-time", f"{time:g}")


def only(page: Page, lane: str) -> Page:
    page.get_by_test_id(f"view-{lane}").click()
    expect(player(page)).to_have_attribute("data-lanes", "1")
    return page


def point(page: Page, time: float, row: str) -> tuple[float, float]:
    """Where a time stands in the row whose gutter has this text."""
    track, name = box_of(page.locator(".rb-track")), box_of(page.locator(row))
    since, until = range_of(page)
    x = track["x"] + track["width"] * (time - since) / (until - since)
    return x, name["y"] + name["height"] / 2


def row(letter: str) -> str:
    return f".rb-row-name:has-text('{letter}')"


def wheel(page: Page, x: float, y: float, *, deep: float = 0, across: float = 0) -> None:
    """Turn the wheel: `deep` with ctrl, which zooms, or `across`."""
    before = player(page).get_attribute("data-to") or ""
    page.mouse.move(x, y)
    if deep:
        page.keyboard.down("Control")
    page.mouse.wheel(across, -deep)
    if deep:
        page.keyboard.up("Control")
    expect(player(page)).not_to_have_attribute("data-to", before)


def test_a_pool_shows_how_much_of_it_is_used(open_page: Open, shot: Callable[[str], None]) -> None:
    page = only(open_page(STAGE, BY_HAND), "continuous")
    expect(page.locator(".rb-gutter", has_text="KV blocks")).to_have_count(0)
    height = box_of(page.locator(STAGE))["height"]
    page.evaluate(GIVE_POOL, 12)
    expect(page.locator(".rb-gutter", has_text="KV blocks")).to_be_visible()
    expect(page.get_by_text("0 of 12")).to_be_visible()
    assert box_of(page.locator(STAGE))["height"] > height
    step_to(page, 8)
    expect(page.get_by_text("6 of 12")).to_be_visible()
    shot("stage-pool")
    page.get_by_test_id("view-all").click()
    for used in (
        "KV 6/12",
        "KV 9/12",
    ):  # eight ms end round 2 of one lane, inside round 3 of the other
        expect(page.get_by_text(used)).to_be_visible()


def test_the_length_of_the_queue_is_a_line_where_somebody_waits(open_page: Open) -> None:
    page = only(open_page(STAGE, BY_HAND), "static")
    label = page.get_by_text(re.compile(r"^Waiting \d+$"))
    expect(label).to_have_text("Waiting 0")
    step_to(page, 13)
    expect(label).to_have_text("Waiting 2")
    only(page, "continuous")
    expect(label).to_have_count(0)


@pytest.mark.parametrize(
    ("budget", "names", "used"),
    [(1, ["Budget 1"], "1 of 1 token,"), (2, ["Budget", "2 tokens"], "2 of 2 tokens,")],
)
def test_a_small_budget_has_room_for_its_name(
    open_page: Open, budget: int, names: list[str], used: str
) -> None:
    page = only(open_page(STAGE, f"{BY_HAND}&budget={budget}"), "continuous")
    step_to(page, 2.5 if budget == 1 else 3)
    expect(page.get_by_text(used)).to_be_visible()
    labels = sorted(page.locator(".rb-gutter").all(), key=lambda one: box_of(one)["y"])
    assert [label.inner_text() for label in labels] == ["Request", *names, "Waiting 1"]
    boxes = [box_of(label) for label in labels]
    assert all(above["y"] + above["height"] <= below["y"] for above, below in pairwise(boxes))


def test_the_card_tells_what_a_cell_got_and_why(open_page: Open) -> None:
    page = only(open_page(STAGE, BY_HAND), "continuous")
    step_to(page, 13)
    page.mouse.move(*point(page, 10, row("C")))
    for text in (
        "Round 3", "8 to 13 ms", "prefill 2 of a prompt of 3", "budget spent",
        "gets 2 of its 3 prompt tokens: A and B had taken 2 of the 4.",
    ):  # fmt: skip
        expect(tip(page)).to_contain_text(text)
    page.mouse.move(*point(page, 10, row("A")))
    expect(tip(page)).to_contain_text("decode · output 2 of 3")
    page.keyboard.press("Escape")
    expect(tip(page)).to_be_hidden()
    page.mouse.move(*point(page, 9, row("A")))
    expect(tip(page)).to_be_visible()
    page.mouse.move(5, 5)
    expect(tip(page)).to_be_hidden()


def test_the_card_tells_nothing_of_what_lies_ahead(open_page: Open) -> None:
    page = only(open_page(STAGE, BY_HAND), "continuous")
    step_to(page, 8)
    page.mouse.move(*point(page, 10, row("C")))
    expect(tip(page)).to_contain_text("Not yet")
    expect(tip(page)).not_to_contain_text("prefill")
    page.keyboard.press("ArrowRight")
    expect(tip(page)).to_contain_text("prefill 2 of a prompt of 3")


def test_a_round_tells_its_blocks(open_page: Open) -> None:
    page = only(open_page(STAGE, BY_HAND), "continuous")
    page.evaluate(GIVE_POOL, 12)
    step_to(page, 8)
    page.mouse.move(*point(page, 6, ".rb-gutter:has-text('KV blocks')"))
    expect(tip(page)).to_contain_text("KV: 6 of 12 blocks used in this round")


def test_the_card_stands_beside_the_pointer_inside_the_window(open_page: Open) -> None:
    page = open_page(STAGE, BY_HAND)
    page.keyboard.press("End")
    stage = box_of(page.locator(STAGE))
    for across in range(2, 20):
        for down in (0.2, 0.5, 0.9):
            x = stage["x"] + stage["width"] * across / 20
            y = stage["y"] + stage["height"] * down
            page.mouse.move(x, y)
            if tip(page).is_visible():
                assert_beside(page, x, y)


def assert_beside(page: Page, x: float, y: float) -> None:
    card = box_of(tip(page))
    right, bottom = card["x"] + card["width"], card["y"] + card["height"]
    assert not (card["x"] <= x <= right and card["y"] <= y <= bottom)
    assert card["x"] >= 0 and card["y"] >= 0
    assert right <= page.evaluate("innerWidth") and bottom <= page.evaluate("innerHeight")


def test_keys_walk_through_the_rows_of_the_round(open_page: Open) -> None:
    page = only(open_page(STAGE, BY_HAND), "continuous")
    step_to(page, 13)
    page.locator(STAGE).focus()
    expect(tip(page)).to_contain_text("decode · output 2 of 3")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(tip(page)).to_contain_text("prefill 2 of a prompt of 3")
    page.keyboard.press("ArrowLeft")
    expect(tip(page)).to_contain_text("Round 2")
    page.keyboard.press("Escape")
    expect(tip(page)).to_be_hidden()


@pytest.mark.parametrize("page", [TOUCH], indirect=True)
def test_a_tap_shows_the_card_and_a_tap_elsewhere_takes_it_away(open_page: Open) -> None:
    page = only(open_page(STAGE, BY_HAND), "continuous")
    page.keyboard.press("End")
    x, y = point(page, 6, row("A"))
    page.touchscreen.tap(x, y)
    expect(tip(page)).to_contain_text("Round 2")
    assert_beside(page, x, y)
    heading = box_of(page.locator(".rb-card h3").first)
    page.touchscreen.tap(heading["x"] + 2, heading["y"] + 2)
    expect(tip(page)).to_be_hidden()


def test_a_click_focuses_the_stage_and_nothing_inside_of_it(open_page: Open) -> None:
    page = open_page(STAGE, BY_HAND)
    page.locator(STAGE).click()
    expect(page.locator(STAGE)).to_be_focused()


def test_the_wheel_with_ctrl_zooms_around_the_pointer(open_page: Open) -> None:
    page = open_page(STAGE, BY_HAND)
    step_to(page, 8)
    since, until = range_of(page)
    track = box_of(page.locator(".rb-track"))
    x, y = track["x"] + track["width"] * 0.25, box_of(page.locator(STAGE))["y"] + 60
    at = since + (until - since) * 0.25
    wheel(page, x, y, deep=200)
    closer = range_of(page)
    assert closer[1] - closer[0] < (until - since) * 0.7
    assert closer[0] + (closer[1] - closer[0]) * 0.25 == pytest.approx(at, abs=0.05)
    assert time_of(page) == 8
    page.keyboard.press("0")
    assert range_of(page) == (since, until)


def test_lanes_stay_in_step_while_zoomed(open_page: Open) -> None:
    page = open_page(STAGE, BY_HAND)
    page.keyboard.press("End")
    stage = box_of(page.locator(STAGE))
    wheel(page, stage["x"] + stage["width"] / 2, stage["y"] + 60, deep=200)
    since, until = range_of(page)
    track = box_of(page.locator(".rb-track"))
    for share in (0.1, 0.4, 0.7):
        time = since + (until - since) * share
        told = 0
        for down in range(10, int(stage["height"]), 12):
            page.mouse.move(track["x"] + track["width"] * share, stage["y"] + down)
            if not tip(page).is_visible():
                continue
            span = re.search(r"([\d.]+) to ([\d.]+) ms", tip(page).inner_text())
            if span is None:
                continue
            assert float(span[1]) <= time <= float(span[2])
            told += 1
        assert told > 1


def test_drag_and_sideways_wheel_pan_and_a_step_comes_back(open_page: Open) -> None:
    page = open_page(STAGE, BY_HAND)
    step_to(page, 4)
    stage = box_of(page.locator(STAGE))
    x, y = stage["x"] + stage["width"] * 0.4, stage["y"] + 60
    wheel(page, x, y, deep=200)
    wheel(page, x, y, deep=200)
    before = range_of(page)
    page.mouse.down()
    page.mouse.move(x - 90, y, steps=6)
    page.mouse.up()
    expect(player(page)).not_to_have_attribute("data-from", str(before[0]))
    dragged = range_of(page)
    assert dragged[0] > before[0]
    assert dragged[1] - dragged[0] == pytest.approx(before[1] - before[0])
    wheel(page, x, y, across=4000)
    assert range_of(page)[1] == pytest.approx(24)
    assert time_of(page) == 4
    expect(page.locator(".rb-cursor")).to_be_hidden()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".rb-cursor")).to_be_visible()
    since, until = range_of(page)
    assert since <= time_of(page) <= until
    page.mouse.dblclick(x, y)
    assert range_of(page) == (0, 24)


def test_zoom_acts_within_the_window_of_a_long_run(open_page: Open) -> None:
    page = open_page(STAGE, LARGE)
    window = range_of(page)
    stage = box_of(page.locator(STAGE))
    wheel(page, stage["x"] + stage["width"] * 0.6, stage["y"] + 60, deep=300)
    closer = range_of(page)
    assert window[0] <= closer[0] and closer[1] <= window[1]
    page.get_by_role("button", name="Zoom in").click()
    nearer = range_of(page)
    assert nearer[1] - nearer[0] == pytest.approx((closer[1] - closer[0]) / 2)
    assert nearer[0] <= time_of(page) <= nearer[1]
    page.keyboard.press("0")
    assert range_of(page) == window


def test_the_frame_of_a_step_ends_where_its_request_is_to_be_guessed(open_page: Open) -> None:
    page = open_page(STAGE, f"{BY_HAND}&step=5")
    page.get_by_test_id("view-all").click()
    marks = page.locator(".rb-marks")
    expect(marks.locator(".rb-frame")).to_have_count(2)
    expect(marks).to_have_css("clip-path", "none")
    choose(page, "future-nothing")
    expect(marks).to_have_css("clip-path", re.compile("inset"))
    at_rest(page)
    end = re.search(r"calc\(100% - ([\d.]+)px\)", marks.evaluate("el => el.style.clipPath"))
    cursor, box = box_of(page.locator(".rb-cursor")), box_of(marks)
    assert end and box["x"] + float(end[1]) < cursor["x"]


def test_the_word_of_who_waits_stands_inside_one_round(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=7a")
    page.get_by_test_id("view-all").click()
    expect(player(page)).to_have_attribute("data-lanes", "2")
    placed = {row["text"]: row["x"] for row in drawn(page, "plates")}
    assert placed["A waits"] == pytest.approx(3, abs=0.1)  # its first round is 0 to 6
    assert 16 < placed["idle seat"] < 22


def test_a_short_wait_has_its_words_above_where_the_next_arrival_is_near(open_page: Open) -> None:
    page = open_page(STAGE, BY_HAND)
    page.get_by_test_id("view-all").click()
    step_to(page, 13)
    for words in ("B waits 2 ms", "C waits 2 ms"):
        expect(page.locator(".rb-wait", has_text=words)).to_be_visible()


def test_play_stays_in_sight_while_four_lanes_scroll(open_page: Open) -> None:
    page = open_page(STAGE, f"{BY_HAND}&lanes=static/continuous/vllm_v1/sarathi")
    page.get_by_test_id("view-all").click()
    expect(player(page)).to_have_attribute("data-lanes", "4")
    bar = box_of(page.locator(".bar"))
    for found in (page.get_by_test_id("play"), page.locator(".rb-track")):
        box = box_of(found)
        assert box["y"] > 0 and box["y"] + box["height"] <= bar["y"]


def test_the_round_axis_begins_at_the_start(open_page: Open) -> None:
    page = open_page(STAGE, BY_HAND)
    page.get_by_test_id("view-all").click()
    choose(page, "axis-rounds")
    step_to(page, 2)
    expect(page.locator(".rb-times .rb-time").first).to_have_text("start")


def test_the_pale_past_of_a_fork_leaves_the_cursor_as_it_is(open_page: Open) -> None:
    lane = LaneSpec("x", {"mode": "continuous"}, (Fork(3, {"budget": "6"}),))
    page = open_page(STAGE, f"{BY_HAND}&lanes={packed_lanes([lane])}")
    expect(page.locator(".rb-fork-past")).to_have_count(1)
    page.keyboard.press("ArrowRight")
    at_rest(page)
    cursor = box_of(page.locator(".rb-cursor"))
    past = box_of(page.locator(".rb-fork-past"))
    assert past["x"] < cursor["x"] < past["x"] + past["width"]
    expect(page.locator(".rb-cursor")).to_have_css("z-index", "1")


@pytest.mark.parametrize("event", ["A first", "B preempt", "A cancel", "B finish", "C arrival"])
def test_a_step_stands_where_the_event_of_its_round_is_over(open_page: Open, event: str) -> None:
    """On the stage as in the figures of the text."""
    rows: list[Row] = [("A", 0, 4, 6, {"cancel_at": 22}), ("B", 0, 4, 6), ("C", 15, 1, 1)]
    subject = scenario(*rows, budget=8, block_size=1, num_blocks=12)
    told = here(Figures(subject, {"continuous": subject}), Step(round=event))
    assert told is not None
    page = open_page(STAGE, BY_HAND)
    give(page, subject)
    page.evaluate(
        """round => {
          const show = ({detail: handle}) => handle.showStep({round, lane: "continuous"});
          window.addEventListener("rb-moved", show, {once: true});
          window.dispatchEvent(new Event("rb-who"));
        }""",
        event,
    )
    expect(player(page)).to_have_attribute("data-time", f"{told['end']:g}")
    expect(player(page)).to_have_attribute("data-round", str(told["round"]))
