"""A stage with any run on it: payloads are made here and handed to the page as the server does."""

import re
from collections.abc import Iterator
from typing import Any

from playwright.sync_api import Locator, Page, ViewportSize, expect

from app.lanes import Lane
from app.payload import make_payload
from sim import Scenario, run

STAGE = "[data-testid=stage]"
BY_HAND = "scenario=5a&show=all"
PHONE: ViewportSize = {"width": 390, "height": 844}
LARGER: list[ViewportSize] = [{"width": 1280, "height": 800}, {"width": 1920, "height": 1080}]

PLAYER_DATA = """
  Bokeh.documents.flatMap((document) => [...document._all_models.values()])
    .find((model) => typeof model.data?.payload === "string").data"""
GIVE = f"""payload => {{
  const data = {PLAYER_DATA};
  data.setv({{ payload: JSON.stringify(payload) }}, {{ sync: false }});
}}"""
DRAWN = """([figure, part]) => {
  const models = Bokeh.documents.flatMap((document) => [...document._all_models.values()]);
  const { renderers } = models.find((model) => model.name === figure && model.renderers);
  const { data } = renderers.find((renderer) => renderer.name === part).data_source;
  const names = Object.keys(data);
  return Array.from(data[names[0]], (_, i) =>
    Object.fromEntries(names.map((name) => [name, data[name][i]])));
}"""
_RUN = 1_000_000  # higher than any of the page's own


def in_all_sizes(page: Page) -> Iterator[int]:
    """Make a page that was opened on a phone as large as other screens in turn; gives each width.

    To open it in each size would take several times as long.
    """
    assert page.viewport_size == PHONE
    yield PHONE["width"]
    for size in LARGER:
        page.set_viewport_size(size)
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        yield size["width"]


def player(page: Page) -> Locator:
    return page.locator("[data-run]")


def at_rest(page: Page) -> None:
    """Wait until nothing slides any more, before a place is measured."""
    expect(player(page)).not_to_have_class(re.compile("rb-ease"))


def give(page: Page, *subjects: Scenario, lang: str = "en") -> dict[str, Any]:
    """Put runs on the stage: one alone as the continuous lane, else the first as the static one."""
    keys = ("static", "continuous", "third", "fourth")[len(subjects) == 1 :]
    lanes = [Lane(key, run(subject)) for key, subject in zip(keys, subjects, strict=False)]
    global _RUN
    _RUN += 1
    payload = make_payload(lanes, lang, title="T") | {"run": _RUN, "reset": True}
    page.evaluate(GIVE, payload)
    expect(player(page)).to_have_attribute("data-run", str(_RUN))
    return payload


def drawn(page: Page, part: str, figure: str = "stage-full") -> list[dict[str, Any]]:
    """The rows of one part of a figure; blank texts left out."""
    rows: list[dict[str, Any]] = page.evaluate(DRAWN, [figure, part])
    return [row for row in rows if row.get("text", "-")]


def words(page: Page) -> list[str]:
    """What stands in the cells."""
    return [row["text"] for row in drawn(page, "plates")]


def numbers(page: Page) -> list[str]:
    """What stands in the marks and on the bricks."""
    return [row["text"] for row in drawn(page, "numbers")]


def legend(page: Page) -> list[str]:
    return page.locator(".rb-legend li").all_inner_texts()


def choose(page: Page, *choices: str) -> None:
    """Take choices of the stage's view: `choose(page, "rows-seats")`."""
    page.get_by_test_id("view").click()
    for choice in choices:
        page.get_by_test_id(choice).click()
        expect(page.get_by_test_id(choice)).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Escape")
    expect(page.get_by_test_id(choices[0])).to_be_hidden()
