"""What the server's log leaves out, and what not; what is loaded is settled once."""

import gc
import logging
from unittest.mock import ANY, Mock

import pytest
from tornado.websocket import WebSocketClosedError

from app.background import (  # which also puts the filter into the log
    MOST_TRIES,
    _under_way,
    _when_idle,
    settle,
)


@pytest.mark.parametrize(
    ("error", "is_told"), [(WebSocketClosedError(), False), (KeyError(), True)]
)
def test_a_page_that_was_closed_is_no_fault(
    caplog: pytest.LogCaptureFixture, error: Exception, is_told: bool
) -> None:
    with caplog.at_level(logging.ERROR, "asyncio"):
        logging.getLogger("asyncio").error("Task exception was never retrieved", exc_info=error)
    assert bool(caplog.records) == is_told


def test_rounds_of_the_garbage_collector_wait_while_a_job_is_under_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loop, collect = Mock(), Mock()
    monkeypatch.setattr("asyncio.get_running_loop", lambda: loop)
    when_idle = _when_idle(collect)
    _under_way.add(collect)
    when_idle()
    for tries in range(MOST_TRIES - 1, -1, -1):
        collect.assert_not_called()
        loop.call_later.assert_called_with(ANY, when_idle, tries)
        when_idle(tries)
    collect.assert_called_once()
    when_idle()
    _under_way.clear()
    when_idle()  # for another page that was closed
    loop.call_later.return_value.cancel.assert_called()
    assert collect.call_count == 2


def test_what_is_loaded_is_taken_out_of_the_garbage_collectors_rounds_once() -> None:
    settle()
    settled = gc.get_freeze_count()
    settle()
    assert gc.get_freeze_count() == settled > 0
    gc.unfreeze()  # other tools of this process look through what is there
