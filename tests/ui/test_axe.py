"""Accessibility as axe-core sees it, shadow roots included: nothing serious or critical anywhere.

One page a language and theme goes through all states, as starting pages is what costs time.
"""

from collections.abc import Callable, Iterator
from importlib.resources import files

import pytest
from playwright.sync_api import Page, expect

Open = Callable[..., Page]
STAGE = "[data-testid=stage]"
GRAVE = ("serious", "critical")
WORDS = {"en": ("Setup", "Requests"), "zh": ("设置", "请求")}
RUN = """
    async () => (await axe.run(document, {resultTypes: ["violations"]})).violations.map(
        ({id, impact, nodes}) => ({id, impact, where: nodes.map(({target, failureSummary}) =>
            target.flat().join(" ") + ": " + failureSummary.split("\\n").slice(1).join(" "))}))
"""


@pytest.fixture(scope="module")
def axe() -> str:
    """The script of axe-core, as the package for Playwright has it: nothing is downloaded."""
    return files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")


def toggle(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def states(page: Page, lang: str) -> Iterator[str]:
    """Brings the page into one state after another, and names each."""
    setup, requests = WORDS[lang]
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    yield "a lesson, two rounds on"
    toggle(page, setup)
    yield "the setup"
    toggle(page, requests)
    yield "the requests"
    cell = page.locator("table input").nth(1)
    cell.fill("-1")
    cell.press("Enter")
    expect(page.locator("table [aria-invalid=true]").first).to_be_visible()
    yield "a wrong cell"
    page.locator("input.number").fill("9999999")
    page.locator("input.number").press("Enter")
    yield "a wrong budget"
    page.locator("button.share").click()
    yield "the share menu"
    page.keyboard.press("Escape")
    page.locator("button.help").click()
    yield "help"
    page.keyboard.press("Escape")


def check(page: Page, state: str, found: list[str]) -> None:
    for violation in page.evaluate(RUN):
        if violation["impact"] in GRAVE:
            found += [f"{state}: {violation['id']}: {where}" for where in violation["where"]]


@pytest.mark.parametrize(("lang", "theme"), [("en", "light"), ("zh", "dark")])
def test_nothing_serious_or_critical(open_page: Open, axe: str, lang: str, theme: str) -> None:
    found: list[str] = []
    page = open_page(STAGE, f"scenario=5a&show=all&lang={lang}&theme={theme}")
    page.evaluate(axe)
    for state in states(page, lang):
        check(page, state, found)
    page.set_viewport_size({"width": 390, "height": 844})
    check(page, "a phone", found)
    open_page(STAGE, f"scenario=synthetic&lang={lang}&theme={theme}")
    page.evaluate(axe)
    check(page, "a large trace on a phone", found)
    page.set_viewport_size({"width": 1280, "height": 800})
    check(page, "a large trace", found)
    assert found == []


def test_it_looks_into_shadow_roots(open_page: Open, axe: str) -> None:
    page = open_page(STAGE, "scenario=5a&show=all")
    page.locator("input.number").evaluate("el => el.removeAttribute('aria-label')")
    page.evaluate(axe)
    found: list[str] = []
    check(page, "a box without a name", found)
    assert any("label" in violation for violation in found)
