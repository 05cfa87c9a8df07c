"""What the server's log leaves out, and what not."""

import logging

import pytest
from tornado.websocket import WebSocketClosedError

import app.background  # noqa: F401 - puts the filter into the log


@pytest.mark.parametrize(
    ("error", "is_told"), [(WebSocketClosedError(), False), (KeyError(), True)]
)
def test_a_page_that_was_closed_is_no_fault(
    caplog: pytest.LogCaptureFixture, error: Exception, is_told: bool
) -> None:
    with caplog.at_level(logging.ERROR, "asyncio"):
        logging.getLogger("asyncio").error("Task exception was never retrieved", exc_info=error)
    assert bool(caplog.records) == is_told
