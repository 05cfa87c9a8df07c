"""What the first visitor of a scene waits for is worked out before anybody else has to wait."""

import asyncio
from unittest.mock import Mock

import pytest
from bokeh.application import Application
from bokeh.document import Document

from app import ahead
from app.ahead import Ahead, is_ready, look_ahead, make_ready, once_ready
from app.session import Session
from app.url import asked_scene
from sim.files import BY_HAND


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody has opened a scene yet."""
    monkeypatch.setattr(ahead, "_ready", set())
    monkeypatch.setattr("app.picture._KEPT", {})


def never(*_: object, **__: object) -> None:
    raise AssertionError("not asked for")


def test_what_is_ready_is_not_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session(lang="zh")
    make_ready("12a", "zh")
    assert is_ready("12a", "zh")
    assert not is_ready("12a", "en")
    monkeypatch.setattr("app.picture.make_payload", never)
    make_ready("12a", "zh")
    session.choose("12a")
    assert session.payload["title"] == session.lesson()["title"]


def test_a_scene_that_takes_long_is_run_when_it_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead, "simulated", never)
    make_ready("13b", "en")
    assert is_ready("13b", "en")


def test_a_trace_has_nothing_to_wait_for() -> None:
    assert is_ready("trace", "en")


@pytest.mark.parametrize(
    ("link", "scene"),
    [
        ({"scenario": [b"12a"], "lang": [b"zh"]}, ("12a", "zh")),
        ({"scenario": [b"<b>"], "lang": [b"xx"]}, (BY_HAND, "en")),
        ({"scenario": [b"synthetic"]}, (BY_HAND, "en")),
        ({}, (BY_HAND, "en")),
    ],
)
def test_a_link_says_which_scene_it_asks_for(
    link: dict[str, list[bytes]], scene: tuple[str, str]
) -> None:
    assert asked_scene(link) == scene


def test_a_link_without_a_language_keeps_the_one_that_is_spoken() -> None:
    assert asked_scene({"scenario": [b"12a"]}, "zh") == ("12a", "zh")


def test_a_page_is_built_when_its_scene_is_ready() -> None:
    context = Mock()
    context.request.arguments = {"scenario": [b"12a"]}
    asyncio.run(Ahead().on_session_created(context))
    assert is_ready("12a", "en")


def test_a_server_looks_ahead_once() -> None:
    server, document = Mock(), Mock()
    server.application_context.application = application = Application()
    document.session_context.server_context = server
    look_ahead(document)
    look_ahead(document)
    assert [type(handler) for handler in application.handlers] == [Ahead]


def test_a_page_before_the_server_runs_is_built_as_it_is() -> None:
    look_ahead(Document())
    document = Mock()
    document.session_context.server_context = None
    look_ahead(document)


def test_a_scene_is_chosen_when_it_is_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    then, aside = Mock(), Mock()
    monkeypatch.setattr(ahead, "in_background", aside)
    once_ready("12a", "en", then, never)
    then.assert_called_once()  # without a browser there is nobody else
    monkeypatch.setattr("app.ahead.pn.state", Mock())
    once_ready("12a", "en", then, never)
    then.assert_called_once()
    job, go_on, *_ = aside.call_args.args
    job()
    go_on(None)
    assert then.call_count == 2
    once_ready("12a", "en", then, never)
    assert then.call_count == 3
    aside.assert_called_once()
