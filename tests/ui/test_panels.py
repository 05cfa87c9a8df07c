"""What stands under the stage: slow motion, KV pool, curves, log, definitions of metrics."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import FloatRect, Locator, Page, expect

from tests.ui.stage import at_rest

Open = Callable[..., Page]
STAGE = "[data-testid=stage]"
BY_HAND = "scenario=5a&show=all"
POOL = (
    "scenario=5a&budget=8&rows=A-0-6-8_B-0-6-8_C-2-5-6&setup=num_blocks:7,block_size:4,reserve:none"
)
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}


def player(page: Page) -> Locator:
    return page.locator("[data-run]")


def only(page: Page, lane: str) -> Page:
    page.get_by_test_id(f"view-{lane}").click()
    expect(player(page)).to_have_attribute("data-lanes", "2" if lane == "all" else "1")
    return page


def step_to(page: Page, time: float) -> None:
    while float(player(page).get_attribute("data-time") or "nan") < time:
        page.keyboard.press("ArrowRight")
    expect(player(page)).to_have_attribute("data-time", f"{time:g}")


def card(page: Page) -> Locator:
    return page.get_by_test_id("card-continuous")


def phase(page: Page, name: str) -> None:
    card(page).get_by_role("button", name=name).click()


def tab(page: Page, name: str) -> None:
    page.locator(f"[data-tab={name}]").click()


def state_row(page: Page, letter: str) -> Locator:
    table = page.get_by_test_id("state-continuous")
    return table.get_by_role("row").filter(has=page.get_by_role("rowheader", name=letter))


def box_of(found: Locator) -> FloatRect:
    box = found.bounding_box()
    assert box is not None
    return box


# Slow motion.


def test_the_phases_of_a_round_one_by_one(open_page: Open, shot: Callable[[str], None]) -> None:
    page = only(open_page(STAGE, BY_HAND), "continuous")
    step_to(page, 8)
    phase(page, "plan")
    expect(card(page)).to_contain_text("gets 2 tokens of this round for its prompt.")
    expect(card(page)).to_contain_text("4 of 4 tokens planned")
    expect(state_row(page, "B")).to_contain_text("waiting")
    phase(page, "reserve")
    expect(card(page)).to_contain_text("takes a seat.")
    expect(card(page)).to_contain_text("queue 1 → 0 · seats 1 → 2")
    expect(state_row(page, "B")).to_contain_text("prefill")
    expect(state_row(page, "B")).to_contain_text("0 / 2")
    shot("panels-reserve")
    phase(page, "execute")
    expect(card(page)).to_contain_text("the round itself 2 + prompt 4 × 0.5 = 4 ms")
    expect(card(page)).to_contain_text("arrives at 6 ms, inside this round.")
    phase(page, "commit")
    expect(player(page)).to_have_attribute("data-time", "8")
    expect(card(page)).to_contain_text("computes its whole prompt, 2 tokens")
    expect(state_row(page, "B")).to_contain_text("1 / 2")


def test_slow_motion_does_not_move_the_page(open_page: Open) -> None:
    page = only(open_page(STAGE, BY_HAND), "continuous")
    step_to(page, 13)
    tabs = box_of(page.locator(".rb-tabs"))
    for name in ("plan", "reserve", "execute", "commit"):
        phase(page, name)
        assert box_of(page.locator(".rb-tabs")) == tabs


def test_a_phase_draws_nothing_that_is_not_computed_yet(open_page: Open) -> None:
    page = only(open_page(STAGE, BY_HAND), "continuous")
    step_to(page, 8)
    at_rest(page)
    begin = box_of(page.locator(".rb-cursor"))["x"]
    step_to(page, 13)
    done = page.locator(".rb-layer").nth(1)
    for name in ("plan", "reserve"):
        phase(page, name)
        expect(done).to_have_css("clip-path", re.compile("^polygon"))
        edges = re.findall(r"([-\d.]+)px [-\d.]+px", done.evaluate("el => el.style.clipPath"))
        assert max(map(float, edges)) + box_of(done)["x"] == pytest.approx(begin + 1, abs=1)
    phase(page, "execute")
    expect(done).to_have_css("clip-path", "none")  # a window that moves shows it


def test_a_step_ends_slow_motion(open_page: Open) -> None:
    page = only(open_page(STAGE, BY_HAND), "continuous")
    step_to(page, 8)
    phase(page, "execute")
    page.keyboard.press("ArrowRight")
    expect(player(page)).to_have_attribute("data-time", "8")
    expect(card(page).locator("[aria-current=step]")).to_have_text("commit")


def test_reserving_moves_blocks(open_page: Open) -> None:
    page = only(open_page(STAGE, POOL), "continuous")
    step_to(page, 26.5)
    phase(page, "reserve")
    expect(card(page)).to_contain_text("gives its seat back and waits again and gives 2 KV blocks")
    expect(card(page)).to_contain_text("seats 3 → 2 · blocks 7 → 6")
    expect(state_row(page, "C")).to_contain_text("preempted")


# KV pool.


def test_the_pool_has_a_tile_a_block(open_page: Open, shot: Callable[[str], None]) -> None:
    page = only(open_page(STAGE, POOL), "continuous")
    step_to(page, 22.5)
    tab(page, "kv")
    tiles = page.locator(".rb-tile")
    expect(tiles).to_have_text(["A", "A", "B", "B", "C", "C", "A"])
    expect(page.get_by_test_id("kv-continuous")).to_contain_text("7 of 7 taken · Round 4")
    expect(tiles.nth(6)).to_have_attribute("title", "Block 6: A, 1 of 4 written")
    assert box_of(tiles.nth(0))["width"] == box_of(tiles.nth(0))["height"] == 30
    shot("panels-kv")
    page.keyboard.press("End")
    expect(page.locator(".rb-tile.rb-taken")).to_have_text(["C"] * 3)  # as scheduled


def test_a_large_pool_is_one_bar(open_page: Open) -> None:
    page = only(open_page(STAGE, POOL.replace("blocks:7", "blocks:900")), "continuous")
    step_to(page, 6)
    tab(page, "kv")
    expect(page.locator(".rb-tile")).to_have_count(0)
    expect(page.locator(".rb-shares span")).to_have_count(2)


def test_without_a_pool_there_is_no_tab_of_it(open_page: Open) -> None:
    page = open_page(STAGE, BY_HAND)
    expect(page.locator("[data-tab=log]")).to_be_visible()
    expect(page.locator("[data-tab=kv]")).to_be_hidden()


# Curves.


def test_curves_follow_the_cursor_on_the_axis_of_the_stage(open_page: Open) -> None:
    page = only(open_page(STAGE, BY_HAND), "continuous")
    expect(page.get_by_test_id("curves")).to_have_count(0)
    step_to(page, 13)
    tab(page, "curves")
    curves = page.get_by_test_id("curves")
    expect(curves).to_contain_text(re.compile("Running *3.*Throughput so far *307.7 token/s"))
    at_rest(page)
    cursors = [page.locator(".rb-stage .rb-cursor"), curves.locator(".rb-cursor")]
    assert box_of(cursors[0])["x"] == pytest.approx(box_of(cursors[1])["x"], abs=1)
    page.keyboard.press("End")
    expect(curves).to_contain_text(re.compile("Running *1"))


# Log.


def test_the_log_has_every_round_and_finds_words(
    open_page: Open, shot: Callable[[str], None]
) -> None:
    page = only(open_page(STAGE, BY_HAND), "continuous")
    tab(page, "log")
    rounds = page.get_by_test_id("log").get_by_role("heading")
    expect(rounds).to_have_text([f"Round {n}" for n in range(1, 6)])
    expect(page.get_by_test_id("log")).to_contain_text("A gets 4 of its 6 prompt tokens")
    page.get_by_test_id("log-find").fill("LEAVES")
    expect(page.get_by_test_id("log-hits")).to_have_text("Hits: 3, in rounds: 3")
    expect(page.locator("mark")).to_have_text(["leaves"] * 3)
    shot("panels-log")
    rounds.filter(has_text="Round 4").get_by_role("button").click()
    expect(player(page)).to_have_attribute("data-time", "16.5")
    page.get_by_test_id("log-find").fill("zebra")
    expect(page.get_by_text("Nothing in the log has “zebra”.")).to_be_visible()


def test_the_log_marks_the_round_of_the_cursor(open_page: Open) -> None:
    page = only(open_page(STAGE, BY_HAND), "continuous")
    tab(page, "log")
    step_to(page, 13)
    expect(page.locator(".rb-log-list > li[aria-current]")).to_contain_text("Round 3")


def test_the_log_can_be_copied(open_page: Open, page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    only(open_page(STAGE, BY_HAND), "continuous")
    tab(page, "log")
    page.get_by_test_id("log-copy").click()
    expect(page.get_by_text("Copied", exact=True)).to_be_visible()
    text = page.evaluate("navigator.clipboard.readText()")
    assert "Round 3 · 8 to 13 ms" in text
    assert "  C gets 2 of its 3 prompt tokens: A and B had taken 2 of the 4." in text


def test_the_log_of_a_large_run_is_a_part_and_says_so(open_page: Open) -> None:
    page = only(open_page(STAGE, "scenario=synthetic"), "continuous")
    tab(page, "log")
    expect(page.get_by_text(re.compile("Rounds 1 to 2.. of .* are loaded"))).to_be_visible()
    items = page.locator(".rb-log-list > li")
    expect(items).to_have_count(60)
    page.get_by_role("button", name="Later rounds").click()
    expect(items.first).to_contain_text("Round 61")


# Metrics.


def test_a_metric_says_what_it_is(open_page: Open, shot: Callable[[str], None]) -> None:
    page = only(open_page(STAGE, BY_HAND), "continuous")
    name = page.get_by_test_id("per-request-continuous").get_by_role("button", name="TTFT").first
    name.click()
    told = page.get_by_test_id("definition")
    expect(told).to_contain_text("TTFT = time of the first output − arrival")
    expect(told).to_contain_text("vllm bench serve")
    shot("panels-definition")
    page.keyboard.press("Escape")
    expect(told).to_have_count(0)
    expect(name).to_be_focused()
    name.click()
    page.locator(".rb-transport").click(position={"x": 5, "y": 5})
    expect(told).to_have_count(0)


def test_more_metrics_are_one_click_away(open_page: Open) -> None:
    page = open_page(STAGE, BY_HAND)
    page.keyboard.press("End")
    table = page.get_by_test_id("overall")
    expect(table).not_to_contain_text("mean queue time")
    page.get_by_test_id("metrics-more").click()
    row = table.get_by_role("row").filter(has_text="mean queue time")
    expect(row.get_by_role("cell").last).to_have_text(re.compile("^−"))
    expect(table).not_to_contain_text("KV blocks")
    expect(page.get_by_test_id("per-request")).to_contain_text("TPOT")
    page.get_by_test_id("metrics-more").click()
    expect(table).not_to_contain_text("mean queue time")


@pytest.mark.parametrize("page", [PHONE], indirect=True)
def test_the_phone_has_a_row_of_tabs(open_page: Open) -> None:
    page = only(open_page(STAGE, f"lang=zh&{POOL}"), "continuous")
    tab(page, "metrics")
    expect(page.get_by_test_id("overall-continuous")).to_be_visible()
    expect(page.get_by_test_id("state-continuous")).to_be_hidden()
    for name in ("kv", "curves", "log"):
        tab(page, name)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
    expect(page.get_by_test_id("log")).to_contain_text("第 1 轮")


def test_one_lane_and_its_tables_are_on_the_first_screen(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a&step=5")
    total = page.get_by_test_id("per-request-continuous").locator("tfoot tr")
    expect(total).to_have_text("all4 tokens, 307.7/s7 tokens, 359/s")
    box, bar = total.bounding_box(), page.locator(".bar").bounding_box()
    assert box is not None and bar is not None
    assert box["y"] + box["height"] <= bar["y"]


def test_curves_count_who_waits_from_the_arrival_on(open_page: Open) -> None:
    page = only(open_page(STAGE, BY_HAND), "continuous")
    tab(page, "curves")
    waiting = page.locator(".rb-curve-name", has_text="Waiting")
    for time, n in ((4, 1), (8, 1), (13, 0)):
        step_to(page, time)
        expect(waiting.locator("b")).to_have_text(str(n))


def test_curves_have_a_time_axis_and_a_lane_that_has_ended_runs_nothing(open_page: Open) -> None:
    page = only(open_page(STAGE, BY_HAND), "all")
    tab(page, "curves")
    times = page.get_by_test_id("curves").locator(".rb-time")
    expect(times.first).to_have_text("0 ms")
    expect(times.last).to_have_text("24")
    running = page.locator(".rb-curve-name", has_text="Running")
    step_to(page, 19.5)
    expect(running.locator("b")).to_have_text(["2", "1"])
    page.keyboard.press("End")
    expect(running.locator("b")).to_have_text(["2", "0"])


def test_means_over_unequally_many_have_no_difference(open_page: Open) -> None:
    page = only(open_page(STAGE, BY_HAND), "all")
    row = page.get_by_test_id("overall").get_by_role("row").filter(has_text="mean TTFT")
    step_to(page, 8)
    expect(row.get_by_role("cell").last).to_have_text("–")
    page.keyboard.press("End")
    expect(row.get_by_role("cell").last).to_have_text(re.compile(r"^[−+]\d"))
