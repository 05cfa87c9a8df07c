"""What moves with the cursor: by itself while playing, first of all while it is dragged."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

Open = Callable[..., Page]
STAGE = "[data-testid=stage]"
CURSOR = ".rb-stage .rb-cursor"
MANY = "scenario=5a&show=continuous&rows=" + "_".join(f"R{i}-0-4-6" for i in range(20))

# Where the cursor, the edge of what is computed and that of what is not are, in px of the window.
EDGES = """cursor => {
  const [ghost, full] = [...cursor.parentElement.querySelectorAll(".rb-window")];
  const box = (el) => el.getBoundingClientRect();
  return [box(cursor).left + 1, box(full).right, box(ghost).left, box(full.firstElementChild).left];
}"""
# The animations of the cursor's stage, stopped; where the edges are at each boundary of the plan.
PLANNED = f"""cursor => {{
  const all = cursor.getRootNode().getAnimations();
  all.forEach((animation) => animation.pause());
  const [own] = cursor.getAnimations();
  const {{ duration }} = own.effect.getTiming();
  return own.effect.getKeyframes().map(({{ offset }}) => {{
    all.forEach((animation) => {{ animation.currentTime = offset * duration * 0.999999; }});
    return ({EDGES})(cursor);
  }});
}}"""
NEXT_FRAME = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
# The last row of the state table in the very task in which the cursor steps.
STEPPED = """body => {
  const key = new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true, composed: true});
  body.getRootNode().querySelector("[data-testid=stage]").dispatchEvent(key);
  return body.rows[body.rows.length - 1].innerText;
}"""


def test_a_playing_cursor_passes_each_boundary_where_a_step_puts_it(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a&show=continuous")
    page.emulate_media(reduced_motion="reduce")  # steps do not slide
    stops = []
    for key in ["Home", *["ArrowRight"] * 5]:
        page.keyboard.press(key)
        stops.append(page.locator(CURSOR).evaluate(EDGES)[0])
    page.keyboard.press("Home")
    page.emulate_media(reduced_motion="no-preference")
    page.get_by_test_id("speed").select_option("0.25")
    page.locator(STAGE).focus()
    page.keyboard.press("Space")
    page.wait_for_function(
        "cursor => cursor.getAnimations().length", arg=page.query_selector(CURSOR)
    )
    planned = page.locator(CURSOR).evaluate(PLANNED)
    page.keyboard.press("Space")
    assert len(planned) == len(stops)
    for stop, (cursor, full, ghost, layer) in zip(stops[1:], planned[1:], strict=True):
        assert abs(cursor - stop) < 0.5
        assert abs(full - cursor) < 0.5  # what is computed is open up to the cursor
        assert abs(ghost - cursor) < 0.5  # and what is not from there on
        assert abs(layer - planned[0][3]) < 0.5  # while the picture itself stays in its place


def test_all_of_a_long_table_follows_the_cursor(open_page: Open) -> None:
    page = open_page(STAGE, MANY)
    body = page.locator("[data-testid=state-continuous] tbody")
    expect(body.locator("tr")).to_have_count(20)
    last = body.locator("tr").last
    page.keyboard.press("End")
    expect(last).to_contain_text("6 / 6")  # below those that are seen: filled at rest
    page.keyboard.press("ArrowLeft")
    expect(last).to_contain_text("5 / 6")
    last.scroll_into_view_if_needed()
    page.evaluate(NEXT_FRAME)  # a page hears of scrolling with the next frame
    assert "6 / 6" in body.evaluate(STEPPED)  # seen: filled at once


def test_cards_and_tables_follow_a_dragged_cursor(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a&show=continuous")
    box = page.locator(".rb-track").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 2, box["y"] + 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 1, box["y"] + 2)
    expect(page.locator("[data-run]")).to_have_attribute("data-time", "19.5")
    state = page.get_by_test_id("state-continuous")
    expect(state).to_contain_text("2 / 2")  # still held
    page.mouse.move(box["x"] + 2, box["y"] + 2)
    page.mouse.up()
    assert "2 / 2" not in state.inner_text()  # let go: nothing is late
