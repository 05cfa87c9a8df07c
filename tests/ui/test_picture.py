"""Pictures of the stage: what is saved is what is seen, and needs nothing from anywhere."""

import io
import re
from collections.abc import Callable
from itertools import product
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

Open = Callable[..., Page]
STAGE = "[data-testid=stage]"
SVG = "{http://www.w3.org/2000/svg}"
ALIKE = 2.5  # one round further it is 5 and more
SHARP = {"viewport": {"width": 1280, "height": 800}, "device_scale_factor": 2}
TOUCHY = """
[setup]
budget = 4
[[requests]]
id = '<&"'
arrival = 0
prompt = 3
output = 2
[[requests]]
id = "]]>x"
arrival = 1
prompt = 2
output = 2
"""
NEVER = """
[setup]
budget = 4
[[requests]]
id = "A"
arrival = 0
prompt = 3
output = 2
cancel_at = 0
"""


def saved(page: Page, kind: str, name: str) -> bytes:
    """The picture that the menu gives, under the name it should have."""
    page.locator("button.share").click()
    with page.expect_download() as waiting:
        page.locator(f"[data-word=export_{kind}]").click()
    assert waiting.value.suggested_filename == f"{name}.{kind}"
    return Path(waiting.value.path()).read_bytes()


def drawn(page: Page, name: str) -> ElementTree.Element:
    """The SVG file, parsed; it refers to nothing but itself."""
    text = saved(page, "svg", name).decode()
    assert not re.search(r"href|@import|<script|<image|url\((?!#)", text)
    assert set(re.findall(r"https?://[^\"]*", text)) == {"http://www.w3.org/2000/svg"}
    root = ElementTree.fromstring(text)
    used = set(re.findall(r"url\(#([^)]*)\)", text))
    assert used and used <= {el.get("id") for el in root.iter()}
    return root


def texts(root: ElementTree.Element) -> list[str]:
    return [el.text or "" for el in root.iter(f"{SVG}text")]


def go(page: Page, rounds: int) -> None:
    for _ in range(rounds):
        page.keyboard.press("ArrowRight")
    page.wait_for_timeout(300)  # the cursor glides to its place


def difference(page: Page, picture: bytes, root: ElementTree.Element) -> float:
    """Mean difference of brightness, 0 to 255, of the stage on the page and in its picture.

    Both a quarter as large and at the best of a few offsets, as the stage may begin at a
    fraction of a pixel.
    """
    box = page.locator(STAGE).bounding_box()
    assert box is not None
    seen = Image.open(io.BytesIO(page.screenshot(clip=box))).convert("L")
    place = root.find(".//*[@id='rb-stage']")
    assert place is not None
    left, top = map(float, re.findall(r"[\d.]+", place.get("transform", "")))
    file = Image.open(io.BytesIO(picture)).convert("L")
    page_part = np.asarray(seen.reduce(4), float)
    differences = []
    for dx, dy in product(range(-2, 3), repeat=2):
        x, y = round(2 * left) + dx, round(2 * top) + dy
        part = file.crop((x, y, x + seen.width, y + seen.height)).reduce(4)
        differences.append(np.abs(np.asarray(part, float) - page_part).mean())
    return float(min(differences))


@pytest.mark.parametrize("page", [SHARP], indirect=True)
@pytest.mark.parametrize(
    ("query", "name", "view"),
    [
        ("scenario=5a&show=all", "rebatch-5a-round-3", "continuous"),
        ("scenario=3a&lang=zh&theme=dark", "rebatch-3a-round-3", "all"),
    ],
)
def test_the_picture_is_what_is_seen(open_page: Open, query: str, name: str, view: str) -> None:
    page = open_page(STAGE, query)
    page.get_by_test_id(f"view-{view}").click()
    go(page, 3)
    page.mouse.move(10, 10)
    picture, root = saved(page, "png", name), drawn(page, name)
    size = Image.open(io.BytesIO(picture)).size
    assert size == (2 * int(root.get("width", "")), 2 * int(root.get("height", "")))
    assert difference(page, picture, root) < ALIKE
    page.keyboard.press("ArrowLeft")
    page.wait_for_timeout(300)
    assert difference(page, picture, root) > ALIKE


def test_title_heads_tokens_and_hatches_are_in_the_picture(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a&show=all")
    go(page, 3)
    root = drawn(page, "rebatch-5a-round-3")
    words = texts(root)
    for word in (
        "Be the scheduler",
        "Static batching",
        "Round 7",
        "A prefill 4",
        "8 ms",
        "padding",
    ):
        assert word in words, word
    assert "Round 3 of 7 · 1 of 7 tokens" in words
    assert len(root.findall(f".//{SVG}pattern")) >= 2
    assert len(root.findall(f".//{SVG}clipPath")) == 2


def test_a_name_with_the_signs_of_xml_stays_a_name(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a&show=all")
    page.locator("input[type=file]").set_input_files(
        {"name": "a&b.toml", "mimeType": "", "buffer": TOUCHY.encode()}
    )
    expect(page.locator("h1")).to_have_text("Your scenario")
    page.get_by_test_id("view-continuous").click()
    page.keyboard.press("End")
    words = texts(drawn(page, "rebatch-a-b-round-3"))
    assert '<&"' in words and "]]>x" in words


def test_a_zoomed_part_of_a_large_run_can_be_saved(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=synthetic&lang=zh&theme=dark")
    page.get_by_test_id("zoom-in").click()
    page.keyboard.press("]")
    page.wait_for_timeout(400)
    number = page.locator("[data-round]").get_attribute("data-round")
    root = drawn(page, f"rebatch-synthetic-round-{number}")
    assert "600 个合成请求" in texts(root)
    assert root.get("{http://www.w3.org/XML/1998/namespace}lang") == "zh"


def test_without_a_round_there_is_a_sentence_and_no_file(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a&show=all")
    page.locator("input[type=file]").set_input_files(
        {"name": "x.toml", "mimeType": "", "buffer": NEVER.encode()}
    )
    expect(page.locator("h1")).to_have_text("Your scenario")
    page.locator("button.share").click()
    page.locator("[data-word=export_png]").click()
    expect(page.get_by_text("There is no round to draw.")).to_be_visible()


def test_the_times_stand_below_all_lanes_however_the_page_is_scrolled(open_page: Open) -> None:
    page = open_page(STAGE, "scenario=5a")
    page.set_viewport_size({"width": 1280, "height": 500})
    root = drawn(page, "rebatch-5a-round-0")
    height = page.locator(STAGE).evaluate("el => el.offsetHeight")
    below = [
        el for el in root.iter(f"{SVG}text") if el.text == "8" and float(el.get("y", 0)) > height
    ]
    assert below
