"""The setup drawer: options change the picture, links restore them, wrong ones say why."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

Open = Callable[..., Page]
PHONE = {"viewport": {"width": 390, "height": 844}}
WORDS = {
    "en": ("Setup", "Seats", "Seats must be a whole number, not “x”."),
    "zh": ("设置", "座位数", "座位数要填整数，不能是“x”。"),
}


def drawer(page: Page, name: str = "Setup") -> Page:
    page.get_by_role("button", name=name, exact=True).click()
    page.locator("#setup-max_num_seqs").wait_for()
    return page


def type_into(page: Page, option: str, text: str) -> None:
    box = page.locator(f'[id="setup-{option}"]')
    box.fill(text)
    box.press("Enter")


def figures(page: Page) -> Locator:
    return page.get_by_test_id("overall")


def test_an_option_changes_the_picture_and_the_address(open_page: Open) -> None:
    page = drawer(open_page("h1", "scenario=5a&show=all"))
    page.get_by_role("button", name="To the end").click()
    expect(figures(page)).to_contain_text("19.5")
    type_into(page, "max_num_seqs", "1")
    expect(figures(page)).not_to_contain_text("19.5")
    expect(page).to_have_url(re.compile(r"setup=max_num_seqs:1"))
    expect(page.locator(".summary")).to_have_text("Decodes first, 4 tokens a round, seats for 1.")
    expect(page.get_by_role("button", name="edited · Reset")).to_be_visible()


@pytest.mark.parametrize("lang", WORDS)
def test_a_wrong_value_is_told_at_its_field_and_the_picture_stays(
    open_page: Open, lang: str
) -> None:
    setup, label, said = WORDS[lang]
    page = drawer(open_page("h1", f"scenario=5a&show=all&lang={lang}"), setup)
    type_into(page, "max_num_seqs", "2")
    expect(page).to_have_url(re.compile("setup=max_num_seqs:2"))
    before = figures(page).inner_text()
    page.get_by_label(label, exact=True).fill("x")
    page.get_by_label(label, exact=True).press("Enter")
    line = page.locator('[data-name="max_num_seqs"]')
    expect(line.get_by_role("alert")).to_contain_text(said)
    expect(page.get_by_label(label, exact=True)).to_have_attribute("aria-invalid", "true")
    assert figures(page).inner_text() == before
    expect(page).to_have_url(re.compile("setup=max_num_seqs:2"))
    type_into(page, "max_num_seqs", "3")
    expect(line.get_by_role("alert")).to_be_hidden()
    expect(page).to_have_url(re.compile("setup=max_num_seqs:3"))
    page.locator('details:has([id="setup-num_blocks"]) > summary').click()
    type_into(page, "block_size", "2")
    expect(page.locator("#setup-block_size")).not_to_have_attribute("aria-invalid", "true")
    type_into(page, "num_blocks", "1")
    expect(page.locator("#setup-num_blocks")).to_have_attribute("aria-invalid", "true")


def test_reloading_keeps_the_setup(open_page: Open) -> None:
    page = drawer(
        open_page("h1", "scenario=5a&show=all&setup=max_num_seqs:2,buckets:1~2~4,chunked:true")
    )
    expect(page.locator("#setup-max_num_seqs")).to_have_value("2")
    expect(page.locator("#setup-buckets")).to_have_value("1, 2, 4")
    page.reload()
    page.locator("h1").wait_for()
    drawer(page)
    expect(page.locator("#setup-max_num_seqs")).to_have_value("2")
    expect(page.locator("#setup-buckets")).to_have_value("1, 2, 4")
    page.locator("#setup").get_by_role("button", name="Reset").click()
    expect(page).not_to_have_url(re.compile("setup="))
    expect(page.locator("#setup-max_num_seqs")).to_have_value("128")


def test_a_changed_field_is_marked_and_taken_back(open_page: Open) -> None:
    page = drawer(open_page("h1", "scenario=5a&show=all"))
    page.locator('[data-group="batching"] summary').click()
    page.get_by_label("Prompts in chunks").uncheck()
    expect(page.locator("#setup .general")).to_contain_text("A can never run")
    line = page.locator('[data-name="chunked"]')
    expect(line).to_have_class(re.compile("changed"))
    line.get_by_role("button", name="Take back").click()
    expect(line).not_to_have_class(re.compile("changed"))
    expect(page.get_by_label("Prompts in chunks")).to_be_checked()
    expect(page.locator("#setup .general")).to_be_hidden()


def test_a_scheduler_by_name_settles_its_options(open_page: Open) -> None:
    page = drawer(open_page("h1", "scenario=5a&show=all&budget=8"))
    scheduler = page.get_by_label("Scheduler", exact=True)
    expect(scheduler).to_have_value("sarathi")
    scheduler.select_option("orca")
    expect(page).to_have_url(re.compile("setup=service:running_first,chunked:false"))
    expect(page.locator(".summary")).to_contain_text("prompts whole")
    expect(scheduler).to_have_value("orca")


def test_a_link_with_a_setup_that_cannot_run_opens_at_the_fault(open_page: Open) -> None:
    page = open_page("h1", "scenario=5a&show=all&setup=think:4,foo:1")
    expect(page.locator('[data-name="think"]').get_by_role("alert")).to_be_visible()
    expect(page.locator(".notice")).to_contain_text("foo")


@pytest.mark.parametrize("page", [PHONE], indirect=True)
@pytest.mark.parametrize("lang", WORDS)
def test_nothing_overflows_on_a_phone(open_page: Open, lang: str) -> None:
    page = open_page("h1", f"scenario=5a&show=all&lang={lang}")
    page.locator(".folds button").last.click()
    drawer(page, WORDS[lang][0])
    for group in page.locator("#setup summary").all()[1:]:
        group.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    width = "el => [...el.querySelectorAll('.option')].every(o => o.scrollWidth <= o.clientWidth)"
    assert page.locator("#setup .setup").evaluate(width)
