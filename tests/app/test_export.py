"""The course saved as pages: their sizes, what they hold, and that they ask nobody for anything."""

import base64
import json
import re
import zlib
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from app import export
from app.export_data import MOST_ROUNDS, lesson_data
from app.i18n import LANGUAGES
from app.lesson_view import lesson_titles, scene_steps
from app.session import Session
from app.url import arguments_of, is_edited, open_link
from lessons.catalogue import lessons, scenes

MOST_BYTES = 4_000_000
LESSONS = (9, 11)  # a usual one, and one with long runs
LONG = "11c"


class Loads(HTMLParser):
    """Collects what a browser would load of a page: everything but links to go to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        names = ("src", "srcset", "data", "poster") + (("href",) if tag != "a" else ())
        self.found += [value or "" for name, value in attributes if name in names]


def unpacked(window: dict[str, Any]) -> dict[str, Any]:
    return dict(json.loads(zlib.decompress(base64.b64decode(window["packed"]))))


def data_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    assert found
    return dict(json.loads(found[1]))


saved = cache(lesson_data)


@pytest.fixture(scope="module", params=LESSONS)
def pages(request: pytest.FixtureRequest) -> dict[str, str]:
    lesson = request.param
    data = saved(lesson)
    return {lang: export.lesson_page(lesson, lang, data[lang]) for lang in LANGUAGES}


def test_a_page_is_small_and_loads_nothing(pages: dict[str, str]) -> None:
    for page in pages.values():
        assert len(page.encode()) <= MOST_BYTES
        assert Loads(page).found == ["data:,"]
        assert "default-src 'none'" in page
        assert not re.search(r"@import|url\(\s*['\"]?https?:", page)


def test_a_page_has_every_scene_step_and_run_of_its_lesson(pages: dict[str, str]) -> None:
    for lang, page in pages.items():
        data = data_of(page)
        lesson = scenes()[next(iter(data["here"]))].lesson
        assert list(data["here"]) == [n for n, one in scenes().items() if one.lesson == lesson]
        for name, scene in data["here"].items():
            shown = scene_steps(name, lang)
            assert [step["html"] for step in scene["lesson"]["steps"]] == [s["html"] for s in shown]
            cards = [card for s in shown if s["exercise"] for card in s["exercise"]["cards"]]
            assert set(scene["runs"]) <= {"", *(card["search"] for card in cards)}
            assert "" in scene["runs"]


def test_windows_lie_close_or_the_page_says_that_some_are_left_out(pages: dict[str, str]) -> None:
    for scene in data_of(pages["en"])["here"].values():
        for found in scene["runs"].values():
            windows = found["windows"]
            assert windows[0]["whole"] or len(windows) > 1
            if not found["is_part"]:
                pairs = pairwise(windows)
                assert all(one["t0"] < other["t0"] <= one["t1"] for one, other in pairs)


def test_a_card_that_shows_the_scene_changed_has_its_run() -> None:
    session = Session()
    for name, scene in saved(LESSONS[0])["en"].items():
        exercises = [step["exercise"] for step in scene["lesson"]["steps"] if step["exercise"]]
        for card in (card for exercise in exercises for card in exercise["cards"]):
            open_link(session, arguments_of(card["search"] or f"scenario={name}"))
            kept = scene["runs"][card["search"] if is_edited(session) else ""]["windows"][0]
            assert unpacked(kept)["lanes"] == json.loads(json.dumps(session.payload["lanes"]))


def test_a_step_of_a_run_left_out_in_part_stands_in_a_window() -> None:
    windows = saved(scenes()[LONG].lesson)["en"][LONG]["runs"][""]["windows"]
    session = Session(scenario_name=LONG)
    assert sum(lane["num_rounds"] for lane in session.payload["lanes"]) > MOST_ROUNDS
    for step in scene_steps(LONG, "en"):
        time = step.get("usual") or 0
        assert any(one["t0"] <= time <= one["t1"] for one in windows)
    assert windows[-1]["t1"] == session.payload["overview"]["t1"]


def test_index_leads_to_every_lesson_in_each_language() -> None:
    page = export.index_page()
    assert Loads(page).found == ["data:,"]
    found = re.findall(r'<a href="([^"]+)">', page)
    assert found == [export.file_name(n, lang) for lang in LANGUAGES for n in lessons()]
    for lang in LANGUAGES:
        assert all(lesson["title"] in page for lesson in lesson_titles(lang))


@pytest.mark.parametrize("arguments", [[], ["a", "b"], ["--help"]])
def test_wrong_arguments_are_answered_with_the_usage(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert export.main(arguments) == 2
    assert capsys.readouterr().out.strip() == export.USAGE


def test_a_folder_that_cannot_be_written_is_told_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "file"
    file.write_text("")
    assert export.main([str(file)]) == 2
    assert capsys.readouterr().out.splitlines() == [f"rebatch: {file}: File exists"]
