"""The frame of the page: words, colours, scenes, the request table, links."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

Open = Callable[..., Page]
PASTE = """(cell, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    const options = {clipboardData, bubbles: true, cancelable: true};
    cell.dispatchEvent(new ClipboardEvent("paste", options));
}"""
TRACE = b"arrived_at,num_prefill_tokens,num_decode_tokens\n0,50,5\n1,60,6\n"
PHONE = {"viewport": {"width": 390, "height": 844}}


def html(page: Page, attribute: str) -> str | None:
    return page.locator("html").get_attribute(attribute)


def edit(page: Page, cell: str, text: str) -> None:
    page.get_by_label(cell, exact=True).fill(text)
    page.get_by_label(cell, exact=True).press("Enter")


def test_the_page_has_a_title_one_heading_and_a_language(open_page: Open) -> None:
    page = open_page("h1")
    assert page.title() == "Rebatch"
    expect(page.get_by_role("heading", level=1)).to_have_count(1)
    assert html(page, "lang") == "en"


def test_language_changes_words_and_address(open_page: Open) -> None:
    page = open_page("h1")
    page.get_by_role("button", name="中文").click()
    expect(page.get_by_role("button", name="请求", exact=True)).to_be_visible()
    assert html(page, "lang") == "zh-CN"
    expect(page).to_have_url(re.compile("lang=zh"))


def test_colours_change_and_are_kept(open_page: Open) -> None:
    page = open_page("h1", "theme=light")
    page.get_by_role("button", name="Dark colours").click()
    assert html(page, "data-theme") == "dark"
    page.goto(page.url.split("?")[0])
    page.locator("h1").wait_for()
    assert html(page, "data-theme") == "dark"


def reload(page: Page) -> None:
    page.reload()
    page.locator("h1").wait_for()


def choose(page: Page, scene: str) -> None:
    lesson = re.match(r"\d+", scene)
    assert lesson, "a scene begins with the number of its lesson, and here is the first in it"
    page.get_by_role("button", name=f"Lesson {lesson[0]}:").click()
    expect(page).to_have_url(re.compile(f"scenario={scene}&"))


def test_reloading_keeps_scene_language_budget_colours_and_rows(open_page: Open) -> None:
    page = open_page("h1", "theme=light")
    choose(page, "3a")
    page.get_by_role("button", name="Dark colours").click()
    box = page.get_by_role("spinbutton", name="Budget")
    box.fill("6")
    box.press("Enter")
    page.get_by_role("button", name="Requests", exact=True).click()
    edit(page, "Arrival ticks of A", "1")
    page.get_by_role("button", name="中文").click()
    expect(page).to_have_url(re.compile("lang=zh&scenario=3a&budget=6&rows=A-1-.*&theme=dark"))
    address = page.url
    page.evaluate("localStorage.clear()")
    reload(page)
    assert (html(page, "lang"), html(page, "data-theme")) == ("zh-CN", "dark")
    expect(page.get_by_role("spinbutton", name="预算")).to_have_value("6")
    page.get_by_role("button", name="请求", exact=True).click()
    expect(page.locator("input.arrival").first).to_have_value("1")
    assert page.url == address


def test_back_and_forward_show_what_the_address_names(open_page: Open) -> None:
    page = open_page("h1", "scenario=5a")
    entries = page.evaluate("history.length")
    box = page.get_by_role("spinbutton", name="Budget")
    box.fill("7")
    box.press("Enter")
    expect(page).to_have_url(re.compile("budget=7"))
    choose(page, "2b")
    choose(page, "3a")
    assert page.evaluate("history.length") == entries + 2
    page.go_back()
    expect(page.locator(".number").first).to_have_text("Lesson 2")
    page.go_back()
    expect(page.locator(".number").first).to_have_text("Lesson 5")
    expect(box).to_have_value("7")
    expect(page).to_have_url(re.compile("scenario=5a&budget=7"))
    page.go_forward()
    page.go_forward()
    expect(page.locator(".number").first).to_have_text("Lesson 3")
    expect(page).to_have_url(re.compile("scenario=3a"))
    assert page.evaluate("history.length") == entries + 2


def test_a_trace_can_be_returned_to(open_page: Open) -> None:
    page = open_page("h1", "scenario=5a")
    page.locator("input[type=file]").set_input_files(
        {"name": "mine.csv", "mimeType": "text/csv", "buffer": TRACE}
    )
    expect(page).to_have_url(re.compile("scenario=trace"))
    expect(page.locator(".notice")).to_contain_text("mine.csv")
    page.go_back()
    expect(page.locator("h1")).to_have_text("Be the scheduler")
    page.go_forward()
    expect(page.locator("h1")).to_have_text("Your trace")
    reload(page)
    expect(page.locator(".notice")).to_contain_text("open it again")
    expect(page).to_have_url(re.compile("scenario=5a"))


def test_the_list_of_scenes_stays_folded(open_page: Open) -> None:
    page = open_page("h1")
    page.get_by_role("button", name="Collapse").click()
    expect(page.locator(".app")).to_have_attribute("data-rail", "folded")
    reload(page)
    expect(page.locator(".app")).to_have_attribute("data-rail", "folded")
    page.get_by_role("button", name="Expand").click()
    reload(page)
    expect(page.locator(".app")).to_have_attribute("data-rail", "open")


def test_a_scene_is_chosen_from_the_list(open_page: Open) -> None:
    page = open_page("h1")
    lesson = page.get_by_role("button", name="Lesson 5:")
    lesson.click()
    expect(lesson).to_have_attribute("aria-current", "true")
    page.get_by_role("button", name="A larger budget").click()
    expect(page).to_have_url(re.compile("scenario=5c&"))
    page.get_by_role("button", name="Lesson 3:").click()
    expect(page.locator(".number").first).to_have_text("Lesson 3")


def test_what_is_being_typed_is_not_undone_by_the_answer_to_the_edit_before(
    open_page: Open,
) -> None:
    page = open_page("h1", "scenario=5a")
    box = page.get_by_role("spinbutton", name="Budget")
    box.fill("6")
    box.press("Enter")
    box.fill("5")
    expect(page.get_by_role("slider", name="Budget")).to_have_value("6")
    page.wait_for_timeout(300)  # the rest of the answer
    expect(box).to_have_value("5")
    box.press("Enter")
    expect(page.get_by_role("slider", name="Budget")).to_have_value("5")


def test_the_budget_box_and_the_slider_agree(open_page: Open) -> None:
    page = open_page("h1", "scenario=5a")
    box = page.get_by_role("spinbutton", name="Budget")
    box.fill("6")
    box.press("Enter")
    expect(page.get_by_role("slider", name="Budget")).to_have_value("6")
    box.fill("\N{FULLWIDTH DIGIT EIGHT}")
    box.press("Enter")
    expect(box).to_have_value("8")
    box.press("ArrowUp")
    expect(page.get_by_role("slider", name="Budget")).to_have_value("9")
    box.fill("600")
    box.press("Enter")
    expect(box).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_text("a whole number, 1 to 16")).to_be_visible()


def test_a_wrong_cell_says_why_and_undo_mends_it(open_page: Open) -> None:
    page = open_page("h1", "scenario=5a")
    page.get_by_role("button", name="Requests", exact=True).click()
    edit(page, "Prompt of B", "0")
    expect(page.get_by_label("Prompt of B")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_text("The last good run stays on screen.")).to_be_visible()
    expect(page.get_by_label("Prompt of C")).to_be_focused()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_label("Prompt of B")).to_have_value("2")
    expect(page.get_by_text("The last good run stays on screen.")).to_be_hidden()


def test_full_width_digits_are_plain_ones(open_page: Open) -> None:
    page = open_page("h1", "scenario=5a")
    page.get_by_role("button", name="Requests", exact=True).click()
    edit(page, "Arrival ms of B", "1\N{FULLWIDTH FULL STOP}\N{FULLWIDTH DIGIT FIVE}")
    expect(page.get_by_label("Arrival ms of B")).to_have_value("1.5")
    expect(page).to_have_url(re.compile("rows=A-0-6-3_B-1.5-"))


def test_a_link_with_wrong_cells_shows_them(open_page: Open) -> None:
    page = open_page("h1", "scenario=5a&rows=A-0-x-3")
    expect(page.get_by_label("Prompt of A")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_text("The last good run stays on screen.")).to_be_visible()


def test_an_edited_scene_says_so_and_is_taken_back_at_a_click(open_page: Open) -> None:
    page = open_page("h1", "scenario=5a&budget=5&rows=request1-0.12345-5-2")
    mark = page.get_by_role("button", name="edited · Reset")
    page.get_by_role("button", name="Requests", exact=True).click()
    for cell in ("Request of request1", "Arrival ms of request1"):
        box = page.get_by_label(cell, exact=True)
        assert box.evaluate("el => el.scrollWidth <= el.clientWidth")
    mark.click()
    expect(mark).to_be_hidden()
    expect(page.get_by_label("Prompt of B")).to_have_value("2")
    expect(page).to_have_url(re.compile("budget=4$"))
    page.get_by_role("button", name="Undo").click()
    expect(mark).to_be_visible()


def test_another_scene_starts_at_its_top(open_page: Open) -> None:
    page = open_page(".rb-stage", "scenario=5a")
    stage = page.locator(".stage").first
    stage.evaluate("el => { el.scrollTop = 100; }")
    assert stage.evaluate("el => el.scrollTop") == 100
    choose(page, "3a")
    expect(page.locator("h1")).not_to_have_text("Be the scheduler")
    expect(page.locator(".rb-title")).not_to_have_text("Be the scheduler")
    assert stage.evaluate("el => el.scrollTop") == 0


def test_an_emptied_table_offers_the_requests_of_the_lesson(open_page: Open) -> None:
    page = open_page("h1", "scenario=5a&step=5")
    chips = page.locator(".text .chip:text-is('C')").first
    colour = chips.evaluate("el => getComputedStyle(el).backgroundColor")
    page.get_by_role("button", name="Requests", exact=True).click()
    for request in "ABC":
        page.get_by_role("button", name=f"Remove {request}").click()
        expect(page.get_by_role("button", name=f"Remove {request}")).to_have_count(0)
    assert chips.evaluate("el => getComputedStyle(el).backgroundColor") == colour
    expect(page).to_have_url(re.compile("rows=C-"))
    page.get_by_role("button", name="Use the lesson’s requests").click()
    expect(page.get_by_label("Prompt of B")).to_have_value("2")
    expect(page).not_to_have_url(re.compile("rows="))


def test_cells_pasted_from_a_sheet_fill_rows(open_page: Open) -> None:
    page = open_page("h1", "scenario=5a")
    page.get_by_role("button", name="Requests", exact=True).click()
    page.get_by_label("Arrival ms of A").evaluate(PASTE, "0\t8\t2\r\n1\t4\t1\r\n2\t2\t2\r\n3\t9\t9")
    expect(page.get_by_label("Prompt of A")).to_have_value("8")
    expect(page.get_by_label("Output of D")).to_have_value("9")


def test_names_are_text_and_never_markup(open_page: Open) -> None:
    page = open_page("h1", "scenario=5a")
    page.get_by_role("button", name="Requests", exact=True).click()
    edit(page, "Request of A", '<img src=x onerror="window.bad=1">')
    expect(page.locator("input.id").first).to_have_value('<img src=x onerror="window.bad=1">')
    page.wait_for_timeout(500)
    assert page.evaluate("window.bad") is None


def test_a_file_that_is_no_trace_is_refused_by_name(open_page: Open) -> None:
    page = open_page("h1")
    page.locator("input[type=file]").set_input_files(
        {"name": "<b>x</b>.csv", "mimeType": "text/csv", "buffer": b"a,b\n1,2\n"}
    )
    expect(page.locator(".notice")).to_contain_text("<b>x</b>.csv")


def test_the_unit_of_a_trace_is_chosen_where_it_is_missed(open_page: Open) -> None:
    page = open_page("h1")
    data = b"timestamp,prompt,output\n0,120,30\n250,64,12\n"
    page.locator("input[type=file]").set_input_files(
        {"name": "x.csv", "mimeType": "text/csv", "buffer": data}
    )
    units = page.get_by_role("group", name="What the arrivals count")
    units.get_by_role("button", name="ms").click()
    expect(page.locator("h1")).to_have_text("Your trace")
    expect(page.locator(".notice")).to_contain_text("250 ms")
    expect(units).to_be_hidden()


def test_opening_a_trace_first_says_what_it_may_be(open_page: Open) -> None:
    page = open_page("h1")
    button = page.get_by_role("button", name="Open a trace", exact=True)
    button.click()
    panel = page.get_by_role("region", name="Open a trace")
    for words in ("Azure", "Mooncake", "Vidur", "BurstGPT", "arrival_ms", "50,000", "32 MB"):
        expect(panel).to_contain_text(words)
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    expect(button).to_be_focused()
    button.click()
    with page.expect_file_chooser() as chooser:
        panel.get_by_role("button", name="Choose a file").click()
    chooser.value.set_files({"name": "mine.csv", "mimeType": "text/csv", "buffer": TRACE})
    expect(page.locator("h1")).to_have_text("Your trace")
    expect(panel).to_be_hidden()


def test_the_sample_of_a_trace_is_one(open_page: Open) -> None:
    page = open_page("h1")
    sample = page.locator("#open_trace pre").text_content() or ""
    page.locator("input[type=file]").set_input_files(
        {"name": "sample.csv", "mimeType": "text/csv", "buffer": sample.encode()}
    )
    expect(page.locator("h1")).to_have_text("Your trace")


def test_a_long_run_is_told_while_it_lasts(open_page: Open) -> None:
    page = open_page("h1", "scenario=5a")
    page.get_by_role("button", name="≈").click()
    expect(page.locator(".progress")).to_be_visible()
    expect(page.get_by_role("button", name="Dismiss")).to_be_hidden()
    expect(page.get_by_role("spinbutton", name="Budget")).to_be_enabled()
    expect(page).to_have_url(re.compile("scenario=synthetic"))
    expect(page.locator(".notice")).to_be_hidden()


def test_a_bad_link_is_rewritten_and_says_all_that_was_dropped(open_page: Open) -> None:
    page = open_page("h1", "lang=xx&scenario=zzz&budget=-5&theme=pink")
    for words in ("a language", "a scene", "left out", "colours"):
        expect(page.locator(".notice")).to_contain_text(words)
    expect(page).to_have_url(re.compile(r"\?lang=en&scenario=5a&budget=4$"))
    page.get_by_role("button", name="More", exact=True).click()
    expect(page.get_by_role("button", name="Less", exact=True)).to_be_visible()
    page.get_by_role("button", name="Dismiss").click()
    expect(page.locator(".notice")).to_be_hidden()


def test_a_bad_link_is_mended_and_says_so(open_page: Open) -> None:
    page = open_page("h1", "lang=zh&scenario=5a&budget=9999")
    expect(page.locator(".notice")).to_contain_text("9,999")
    expect(page.get_by_role("spinbutton", name="预算")).to_have_value("16")


def test_the_keys_are_listed(open_page: Open) -> None:
    page = open_page("h1")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("play or pause")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_a_lost_connection_is_told(open_page: Open) -> None:
    page = open_page("h1")
    page.evaluate('window.dispatchEvent(new CustomEvent("rb-connection-lost"))')
    expect(page.get_by_role("alert").filter(has_text="The connection is gone.")).to_be_visible()


@pytest.mark.parametrize("page", [PHONE], indirect=True)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_nothing_overflows_on_a_phone(open_page: Open, lang: str) -> None:
    page = open_page("h1", f"lang={lang}")
    page.wait_for_timeout(500)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    work = page.locator(".work")
    assert work.evaluate("el => el.scrollWidth <= el.clientWidth")


@pytest.mark.parametrize("page", [PHONE], indirect=True)
def test_text_inputs_and_keys_are_in_reach_on_a_phone(open_page: Open) -> None:
    page = open_page("h1")
    text = page.locator(".step > .text").first
    expect(text).to_be_hidden()
    page.get_by_role("button", name="Read on").click()
    expect(text).to_be_visible()
    page.get_by_role("button", name="Budget 4, requests").click()
    page.get_by_role("button", name="Requests", exact=True).click()
    expect(page.get_by_label("Prompt of B")).to_be_visible()
    page.get_by_role("button", name="Keys and help").click()
    expect(page.get_by_role("dialog")).to_be_visible()


@pytest.mark.parametrize(
    "page", [{"viewport": {"width": w, "height": 844}} for w in (390, 1280)], indirect=True
)
def test_all_buttons_of_the_top_bar_stand_in_it(open_page: Open) -> None:
    page = open_page("h1", "lang=zh&scenario=7a")
    bar = page.locator(".top").bounding_box()
    assert bar is not None
    for button in page.locator(
        ".top > button, .top .right > * > button, .top .right > button"
    ).all():
        box = button.bounding_box()
        if box is not None:  # hidden at this width
            assert bar["y"] <= box["y"] and box["y"] + box["height"] <= bar["y"] + bar["height"]
