"""What the server's log leaves out, and what not."""

import logging
from importlib import import_module

import pytest
from tornado.websocket import WebSocketClosedError


@pytest.mark.parametrize(
    ("error", "is_told"), [(WebSocketClosedError(), False), (KeyError(), True)]
)
def test_a_page_that_was_closed_is_no_fault(
    caplog: pytest.LogCaptureFixture, error: Exception, is_told: bool
) -> None:
    import_module("app.background")  # puts the filter into the log
    with caplog.at_level(logging.ERROR, "asyncio"):
        logging.getLogger("asyncio").error("Task exception was never retrieved", exc_info=error)
    assert bool(caplog.records) == is_told
