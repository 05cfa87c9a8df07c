"""What makes a server answer in time, done once in a process."""

import asyncio
import gc
from unittest.mock import ANY, AsyncMock, Mock

import pytest
from panel.io.resources import Bundle, Resources

from app.background import under_way
from app.settle import MOST_ADDRESSES, MOST_TRIES, _remembered, _sent_at_once, _when_idle, settle


def test_an_answer_is_kept_back_by_nothing() -> None:
    send, socket = AsyncMock(), Mock()
    asyncio.run(_sent_at_once(send)(socket, "message"))
    socket.set_nodelay.assert_called_once_with(True)
    send.assert_awaited_once_with(socket, "message")


def test_the_style_sheets_and_scripts_of_a_page_are_looked_for_once() -> None:
    make = Mock(side_effect=lambda roots, resources: Bundle(css_files=[resources.mode]))
    remembered = _remembered(make)
    first = remembered([], Resources(mode="server"))
    first.css_files.append("more.css")
    assert remembered([], Resources(mode="server")).css_files == ["server"]
    make.assert_called_once()
    assert remembered([], Resources(mode="cdn")).css_files == ["cdn"]


def test_not_every_address_that_a_link_names_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    make = Mock(side_effect=lambda roots, resources: Bundle(css_files=["one"]))
    remembered, resources = _remembered(make), Resources(mode="server")
    for number in range(2 * MOST_ADDRESSES):
        monkeypatch.setattr("app.settle.pn.state", Mock(rel_path=str(number)))
        assert remembered([], resources).css_files == remembered([], resources).css_files == ["one"]
    assert make.call_count == 3 * MOST_ADDRESSES


def test_rounds_of_the_garbage_collector_wait_while_a_job_is_under_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loop, collect = Mock(), Mock()
    monkeypatch.setattr("asyncio.get_running_loop", lambda: loop)
    when_idle = _when_idle(collect)
    under_way.add(collect)
    when_idle()
    for tries in range(MOST_TRIES - 1, -1, -1):
        collect.assert_not_called()
        loop.call_later.assert_called_with(ANY, when_idle, tries)
        when_idle(tries)
    collect.assert_called_once()
    when_idle()
    under_way.clear()
    when_idle()  # for another page that was closed
    loop.call_later.return_value.cancel.assert_called()
    assert collect.call_count == 2


def test_what_is_loaded_is_taken_out_of_the_garbage_collectors_rounds_once() -> None:
    settle()
    settled = gc.get_freeze_count()
    settle()
    assert gc.get_freeze_count() == settled > 0
    gc.unfreeze()  # other tools of this process look through what is there
