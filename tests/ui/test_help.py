"""The help sheet, and the note that the text does not follow edits."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from app.help_view import help_view
from app.i18n import LANGUAGES

Open = Callable[..., Page]
STAGE = "[data-testid=stage]"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_help_says_how_to_begin_draws_every_sign_and_gives_the_words(
    open_page: Open, lang: str
) -> None:
    page = open_page(STAGE, f"scenario=5a&lang={lang}")
    page.keyboard.press("?")
    sheet, told = page.get_by_role("dialog"), help_view(lang)
    signs = sheet.locator(".signs li")
    expect(signs).to_have_count(len(told["signs"]))
    for sign in signs.all():
        expect(sign.locator("span")).not_to_be_empty()
        box = sign.locator("i > *").bounding_box()
        assert box is not None and box["width"] >= 10 and box["height"] >= 10
    for text in (*told["begin"], *(part for term in told["terms"] for part in term)):
        expect(sheet).to_contain_text(text)


def test_a_swatch_looks_alike_in_the_legend_and_in_help(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a")
    page.keyboard.press("?")
    looks = [
        page.locator(f"{place} .rb-sw-prefill").evaluate("el => getComputedStyle(el).background")
        for place in (".rb-legend", ".signs")
    ]
    assert "gradient" in looks[0] and looks[0] == looks[1]


def test_beside_an_edited_scene_the_text_says_that_it_is_older(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a&budget=6&step=5")
    note = page.locator(".changed")
    expect(note).to_contain_text("as it was before your changes")
    note.get_by_role("button").click()
    expect(note).to_be_hidden()
    expect(page.get_by_role("spinbutton", name="Budget")).to_have_value("4")


def test_cutting_prompts_compares_two_budgets(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=8a")
    for lane in ("14", "14", "14", "6", "all"):
        expect(page.get_by_test_id(f"view-{lane}")).to_have_attribute("aria-pressed", "true")
        page.keyboard.press("n")
    expect(page.get_by_test_id("view-14")).to_have_text("budget 14")
