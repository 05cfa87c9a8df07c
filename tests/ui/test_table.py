"""The request table in a real browser: columns, blocks, order, undo, and the forms in its place."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

Open = Callable[..., Page]
PHONE = {"viewport": {"width": 390, "height": 844}}
PASTE = """(el, text) => {
  const data = new DataTransfer();
  data.setData("text/plain", text);
  const options = {clipboardData: data, bubbles: true, cancelable: true};
  return el.dispatchEvent(new ClipboardEvent("paste", options));
}"""
TRACE = "arrived_at,num_prefill_tokens,num_decode_tokens\n" + "".join(
    f"{i},{50 + i},{5 + i % 7}\n" for i in range(300)
)


@pytest.fixture
def table(open_page: Open) -> Callable[..., Page]:
    """The page with the drawer open: `table("scenario=5a")`."""

    def opened(query: str = "scenario=5a", name: str = "Requests") -> Page:
        page = open_page("h1", query)
        button = page.get_by_role("button", name=name, exact=True)
        page.wait_for_timeout(100)  # a link with wrong cells opens the drawer itself
        if button.get_attribute("aria-expanded") != "true":
            button.click()
        return page

    return opened


def cell(page: Page, label: str) -> Locator:
    return page.get_by_label(label, exact=True)


def edit(page: Page, label: str, text: str) -> None:
    cell(page, label).fill(text)
    cell(page, label).press("Enter")


def names(page: Page) -> list[str]:
    values: list[str] = page.locator("input.id").evaluate_all("cells => cells.map(c => c.value)")
    return values


def said(page: Page) -> Locator:
    return page.locator("#requests p.note")


# Columns.


def test_columns_come_when_they_hold_something_or_are_asked_for(table: Open) -> None:
    page = table("scenario=5a&rows=A-0-6-3--p2_B-2-2-2")
    heads = page.locator(".editor thead th")
    expect(heads).to_have_text(["Request", "Arrival ms", "Prompt", "Output", "Priority"])
    more = page.get_by_role("button", name="More columns")
    more.click()
    expect(heads).to_have_count(12)
    edit(page, "Cached of B", "1")
    page.get_by_role("button", name="Fewer columns").click()
    expect(heads).to_have_text(["Request", "Arrival ms", "Prompt", "Output", "Cached", "Priority"])
    expect(page).to_have_url(re.compile("rows=A-0-6-3--p2_B-2-2-2-1$"))
    page.reload()
    page.get_by_role("button", name="Requests", exact=True).click()
    expect(cell(page, "Priority of A")).to_have_value("2")


@pytest.mark.parametrize(
    ("lang", "button", "head", "sentence"),
    [
        ("en", "Requests", "Output", "Tokens it will really generate, 1 to 2,000."),
        ("zh", "请求", "输出", "实际会产出多少 token"),
    ],
)
def test_a_head_says_what_its_column_is(
    table: Open, lang: str, button: str, head: str, sentence: str
) -> None:
    page = table(f"scenario=5a&lang={lang}", button)
    word = page.locator(".editor thead span", has_text=head)
    word.hover()
    expect(page.locator(".about")).to_contain_text(sentence)
    page.mouse.move(0, 0)
    expect(page.locator(".about")).not_to_contain_text(sentence)
    word.focus()
    expect(page.locator(".about")).to_contain_text(sentence)
    assert sentence in (word.get_attribute("aria-description") or "")


def test_what_a_cell_lacks_opens_its_column(table: Open) -> None:
    page = table("scenario=5a&rows=A-0-6-3--c2_B-2-2-2")
    expect(cell(page, "Read every ms of A")).to_have_attribute("aria-invalid", "true")
    expect(page.locator("tr.problem:visible")).to_contain_text("needs credits and a reading pace")
    edit(page, "Read every ms of A", "4")
    expect(page.locator("tr.problem:visible")).to_have_count(0)
    expect(page).to_have_url(re.compile("rows=A-0-6-3--c2-r4_B"))


def test_a_wrong_cell_leaves_the_others_at_work(table: Open) -> None:
    page = table()
    edit(page, "Prompt of A", "x")
    expect(cell(page, "Prompt of A")).to_have_attribute("aria-invalid", "true")
    described = cell(page, "Prompt of A").get_attribute("aria-describedby")
    expect(page.locator(f"#{described}")).to_contain_text("must be a whole number, not “x”")
    edit(page, "Output of B", "0")
    expect(page.locator("tr.problem:visible")).to_have_count(2)
    edit(page, "Prompt of A", "6")
    edit(page, "Output of B", "1")
    expect(page.locator("tr.problem:visible")).to_have_count(0)
    expect(page).to_have_url(re.compile("rows=A-0-6-3_B-2-2-1_C"))


# Blocks.


@pytest.mark.parametrize(
    ("at", "block", "first", "rows"),
    [
        ("Arrival ms of B", "1\t8\t2\n3\t4\t1", "B-1-8-2_C-3-4-1", 3),
        (
            "Request of A",
            "X,0,5,2\nY,1,4,2\nZ,2,3,1\nW,3,2,1\n",
            "X-0-5-2_Y-1-4-2_Z-2-3-1_W-3-2",
            4,
        ),
        ("Prompt of A", 'prompt\tid\n7\tQ\n8\t"R"', "Q-0-7-3_R-2-8-2", 3),
        ("Request of A", "Output,Arrival (ms),Priority\n9,4,-1", "A-4-6-9--p%252D1", 3),
        ("Output of C", "1\n2", "C-6-3-1_A1-0--2", 4),
    ],
)
def test_a_block_lands_where_it_is_pasted(
    table: Open, at: str, block: str, first: str, rows: int
) -> None:
    page = table()
    page.get_by_role("button", name="More columns").click()
    cell(page, at).evaluate(PASTE, block)
    expect(page.locator("input.id")).to_have_count(rows)
    expect(said(page)).to_contain_text("Rows pasted:")
    if first != "C-6-3-1_A1-0--2":  # a prompt is missing there
        expect(page).to_have_url(re.compile(re.escape(first)))
    page.get_by_role("button", name="Undo").click()
    assert names(page) == ["A", "B", "C"]
    expect(page).not_to_have_url(re.compile("rows="))


def test_unknown_heads_and_too_many_rows_are_said(table: Open) -> None:
    page = table()
    block = "id,colour,prompt,arrival,output\n" + "".join(f"N{i},x,4,{i},1\n" for i in range(260))
    cell(page, "Request of A").evaluate(PASTE, block)
    expect(page.locator("input.id")).to_have_count(200)
    expect(said(page)).to_contain_text("holds 200 requests at most")
    expect(said(page)).to_contain_text("colour")
    expect(page.get_by_role("button", name="Add", exact=True)).to_be_disabled()
    expect(page.locator(".editor .count").first).to_have_text("200 of at most 200")


def test_a_single_value_is_pasted_as_text(table: Open) -> None:
    page = table()
    assert cell(page, "Prompt of A").evaluate(PASTE, "1,024")  # nobody took it over


# Undo and redo.


def test_any_number_of_steps_is_undone_and_redone(table: Open) -> None:
    page = table()
    box = cell(page, "Prompt of A")
    for value in range(10, 18):
        box.fill(str(value))
        box.press("Tab")
    box.focus()
    for _ in range(8):
        page.keyboard.press("Control+z")
    expect(box).to_have_value("6")
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()
    page.keyboard.press("Control+Shift+Z")
    page.keyboard.press("Control+y")
    expect(box).to_have_value("11")
    page.get_by_role("button", name="Redo").click()
    expect(box).to_have_value("12")
    box.fill("50")
    box.press("Tab")
    expect(page.get_by_role("button", name="Redo")).to_be_disabled()
    expect(page).to_have_url(re.compile("rows=A-0-50-3"))


def test_typing_is_taken_back_before_edits(table: Open) -> None:
    page = table()
    edit(page, "Prompt of A", "7")
    box = cell(page, "Output of A")
    box.focus()
    page.keyboard.type("55")
    page.keyboard.press("Control+z")
    expect(cell(page, "Prompt of A")).to_have_value("7")
    expect(page).to_have_url(re.compile("rows=A-0-7-3"))


# Rows.


def test_rows_change_places_by_key_and_keep_the_focus(table: Open) -> None:
    page = table()
    cell(page, "Prompt of A").focus()
    page.keyboard.press("Alt+ArrowDown")
    assert names(page) == ["B", "A", "C"]
    expect(cell(page, "Prompt of A")).to_be_focused()
    expect(said(page)).to_have_text("A is now in row 2 of 3.")
    page.keyboard.press("Alt+ArrowDown")
    page.keyboard.press("Alt+ArrowDown")
    assert names(page) == ["B", "C", "A"]
    expect(page).to_have_url(re.compile("rows=B-2-2-2_C-6-3-2_A-0-6-3"))
    page.keyboard.press("Alt+ArrowUp")
    assert names(page) == ["B", "A", "C"]


def test_what_is_typed_is_moved_with_its_row(table: Open) -> None:
    page = table()
    cell(page, "Prompt of A").fill("9")
    page.keyboard.press("Alt+ArrowDown")
    expect(cell(page, "Prompt of A")).to_have_value("9")
    expect(page).to_have_url(re.compile("rows=B-2-2-2_A-0-9-3"))


def test_rows_are_dragged_by_their_handle(table: Open) -> None:
    page = table()
    grip, target = page.locator(".grip").first, page.locator("input.id").nth(2)
    box, end = grip.bounding_box(), target.bounding_box()
    assert box and end
    page.mouse.move(box["x"] + 6, box["y"] + 12)
    page.mouse.down()
    page.mouse.move(box["x"] + 6, end["y"] + end["height"], steps=4)
    expect(page.locator("tr.drop-below")).to_have_count(1)
    page.mouse.up()
    assert names(page) == ["B", "C", "A"]
    expect(page).to_have_url(re.compile("rows=B-2-2-2_C-6-3-2_A-0-6-3"))


def test_adding_copying_and_removing_keep_the_focus_and_say_so(table: Open) -> None:
    page = table()
    page.get_by_role("button", name="Add", exact=True).click()
    expect(cell(page, "Arrival ms of D")).to_be_focused()
    expect(said(page)).to_have_text("D added in row 4.")
    page.get_by_role("button", name="Copy A").click()
    expect(cell(page, "Arrival ms of E")).to_be_focused()
    assert names(page) == ["A", "E", "B", "C", "D"]
    page.get_by_role("button", name="Remove E").click()
    expect(page.get_by_role("button", name="Remove B")).to_be_focused()
    expect(said(page)).to_have_text("E removed. Requests: 4.")


# Forms in place of the table.


def test_a_drawn_scene_is_changed_by_its_generator(table: Open) -> None:
    page = table("scenario=synthetic")
    preview = page.locator(".preview")
    expect(preview).to_contain_text("600 requests in")
    cell(page, "They come").select_option("gamma")
    cell(page, "Burstiness").fill("0.3")
    cell(page, "Requests").last.fill("300")
    cell(page, "Requests").last.press("Tab")
    expect(preview).to_contain_text("300 requests in")
    expect(page.locator("h1")).to_have_text("600 synthetic requests")
    page.get_by_role("button", name="Run these").click()
    expect(page.locator("h1")).to_have_text("300 synthetic requests")
    expect(page).to_have_url(re.compile("traffic=requests:300,kind:gamma,burstiness:0.3"))
    page.reload()
    expect(page.locator("h1")).to_have_text("300 synthetic requests")
    page.get_by_role("button", name="Requests", exact=True).click()
    expect(cell(page, "Burstiness")).to_have_value("0.3")
    page.get_by_role("button", name="As it was").click()
    expect(page).not_to_have_url(re.compile("traffic="))
    expect(page.locator("h1")).to_have_text("600 synthetic requests")


def test_a_wrong_box_says_why_and_nothing_runs(table: Open) -> None:
    page = table("scenario=synthetic")
    cell(page, "Rate (a second)").fill("x")
    cell(page, "Rate (a second)").press("Enter")
    expect(page.locator('[data-name="rate"]').get_by_role("alert")).to_contain_text("Rate must be")
    expect(cell(page, "Rate (a second)")).to_have_attribute("aria-invalid", "true")
    expect(page).not_to_have_url(re.compile("traffic="))
    cell(page, "Next request").select_option("closed")
    expect(page.locator('[data-name="concurrency"]').get_by_role("alert")).to_be_visible()
    cell(page, "Clients").fill("8")
    cell(page, "Rate (a second)").fill("6")
    cell(page, "Rate (a second)").press("Enter")
    expect(page.locator(".preview")).to_contain_text("from 8 clients in a loop")
    expect(page).to_have_url(re.compile("setup=concurrency:8"))


def test_a_table_is_filled_and_taken_back(table: Open) -> None:
    page = table()
    page.get_by_role("button", name="Generate…").click()
    expect(page.locator("#generator-requests")).to_be_focused()
    page.locator("#generator-requests").fill("20")
    page.keyboard.press("Enter")
    expect(page.locator("input.id")).to_have_count(20)
    expect(said(page)).to_have_text("20 requests generated.")
    page.get_by_role("button", name="Undo").click()
    assert names(page) == ["A", "B", "C"]
    page.get_by_role("button", name="Generate…").click()
    page.get_by_role("button", name="Back to the table").click()
    expect(page.get_by_role("button", name="Generate…")).to_be_focused()


def test_a_part_of_a_trace_runs(open_page: Open) -> None:
    page = open_page("h1", "scenario=5a")
    file: Any = {"name": "t.csv", "mimeType": "text/csv", "buffer": TRACE.encode()}
    page.locator("input[type=file]").first.set_input_files(file)
    expect(page.locator("h1")).to_have_text("Your trace")
    page.get_by_role("button", name="Requests", exact=True).click()
    cell(page, "Start (s)").fill("100")
    page.locator("#generator-most").fill("50")
    page.locator("#generator-most").press("Enter")
    expect(page.locator(".preview")).to_contain_text("50 requests in 49 s")
    expect(page.locator(".hook")).to_contain_text("50 in all")


@pytest.mark.parametrize("page", [PHONE], indirect=True)
@pytest.mark.parametrize(("lang", "button"), [("en", "Requests"), ("zh", "请求")])
def test_nothing_overflows_on_a_phone(open_page: Open, lang: str, button: str) -> None:
    for query in ("scenario=5a&rows=A-0-x-3--c2-d4", "scenario=synthetic"):
        page = open_page("h1", f"{query}&lang={lang}")
        page.wait_for_timeout(100)  # a link with wrong cells opens the drawer itself
        if page.locator("#inputs").is_hidden():
            page.locator(".folds button").last.click()
        if page.locator("#requests").is_hidden():
            page.get_by_role("button", name=button, exact=True).click()
        page.locator("#requests .editor").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_after_a_change_the_cursor_stands_as_near_as_a_round_ends(open_page: Open) -> None:
    page = open_page("[data-testid=stage]", "scenario=5a&lanes=continuous&time=4")
    run, budget = page.locator("[data-run]"), page.get_by_role("spinbutton", name="Budget")
    expect(run).to_have_attribute("data-time", "4")
    for tokens, end in (("5", "4.5"), ("6", "5"), ("4", "4")):
        budget.fill(tokens)  # the first round takes 2 ms and half a millisecond a token
        budget.press("Enter")
        expect(run).to_have_attribute("data-time", end)
