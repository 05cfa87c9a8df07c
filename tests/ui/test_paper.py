"""A lesson on paper, the index of questions, and the script of the lab, in a real browser."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

Open = Callable[..., Page]
STAGE = "[data-testid=stage]"


def test_a_lesson_becomes_a_page_to_print(open_page: Open) -> None:
    page = open_page(".tools", "lang=zh&scenario=7a&theme=light&paper=1")
    expect(page.locator("h1")).to_have_text("先保住下一个字，余下的给提示")
    expect(page.locator("section.scene")).to_have_count(2)
    assert page.locator("figure svg").count() >= 6
    answers = page.locator(".answer")
    expect(answers.first).to_be_visible()
    page.get_by_role("checkbox").uncheck()
    expect(answers.first).to_be_hidden()
    assert page.evaluate("localStorage.getItem('rb-seen')") is None  # nobody has walked it
    page.wait_for_timeout(500)  # longer than an address takes to be written
    assert page.url.endswith("lang=zh&scenario=7a&theme=light&paper=1")


def test_a_question_leads_to_the_step_that_answers_it(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a")
    page.get_by_role("button", name="What people ask").click()
    page.get_by_role("button", name=re.compile("batch size")).click()
    expect(page).to_have_url(re.compile("scenario=2-size&.*step="))
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_the_script_of_the_lab_can_be_downloaded(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5-lab&step=6")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download lab.py").click()
    assert "argparse" in download.value.path().read_text(encoding="utf-8")
