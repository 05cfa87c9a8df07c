"""The lesson as it is sent to the page: all steps of a scene, each with its text as HTML."""

import pytest

from app.lesson_view import html, lesson_view, scene_steps
from app.session import Session
from lessons.catalogue import scenes, steps


def test_a_scene_is_sent_with_all_its_steps() -> None:
    lesson = lesson_view(Session(scenario_name="5a"))
    assert (lesson["number"], lesson["title"]) == ("5", "Be the scheduler")
    assert [step["round"] for step in lesson["steps"]] == [one.round for one in steps("5a")]
    assert lesson["steps"][4]["title"] == "Two talk, one comes in"
    assert lesson["steps"][4]["highlight"] == ("C",)


def test_requests_have_the_colours_of_the_scene() -> None:
    assert '<span class="chip chip-2">C</span> gets 2' in scene_steps("5a", "en")[4]["html"]


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("scene", list(scenes()))
def test_every_step_is_a_text(scene: str, lang: str) -> None:
    for step in scene_steps(scene, lang):
        shown = step["html"] or step["exercise"]["cards"][0]["html"]
        assert shown.startswith(("<p>", "<ul>", "<pre>", "<table>")) and "**" not in shown


def test_what_is_no_scene_has_one_text_and_no_steps() -> None:
    session = Session()
    session.choose("synthetic")
    (only,) = lesson_view(session)["steps"]
    assert only["title"] == "" and "window of the run" in only["html"]


def test_markup_in_a_text_stays_text() -> None:
    assert html("<img src=x onerror=a> `<b>`", "5a") == (
        "<p>&lt;img src=x onerror=a&gt; <code>&lt;b&gt;</code></p>\n"
    )
    assert "<a" not in html("[x](javascript:alert(1))", "5a")
