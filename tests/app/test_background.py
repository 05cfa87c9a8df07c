"""What the server's log leaves out, and what not; what is loaded is settled once."""

import gc
import logging

import pytest
from tornado.websocket import WebSocketClosedError

from app.background import settle  # which also puts the filter into the log


@pytest.mark.parametrize(
    ("error", "is_told"), [(WebSocketClosedError(), False), (KeyError(), True)]
)
def test_a_page_that_was_closed_is_no_fault(
    caplog: pytest.LogCaptureFixture, error: Exception, is_told: bool
) -> None:
    with caplog.at_level(logging.ERROR, "asyncio"):
        logging.getLogger("asyncio").error("Task exception was never retrieved", exc_info=error)
    assert bool(caplog.records) == is_told


def test_what_is_loaded_is_taken_out_of_the_garbage_collectors_rounds_once() -> None:
    settle()
    settled = gc.get_freeze_count()
    settle()
    assert gc.get_freeze_count() == settled > 0
    gc.unfreeze()  # other tools of this process look through what is there
