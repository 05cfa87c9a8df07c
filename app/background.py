"""Long work off the event loop, so that one visitor's large trace keeps nobody else waiting.

A few threads for the whole process. The visitor's own document stays locked until the result is
in, which keeps its edits in order; playing goes on, as that happens in the browser.
"""

import asyncio
import gc
import logging
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import panel as pn
from tornado.iostream import StreamClosedError
from tornado.websocket import WebSocketClosedError

MOST_AT_ONCE = 2
SWITCH_SECONDS = (
    0.001  # an answer gives way to these threads some ten times: Python's 5 ms are long
)


class _Gone(logging.Filter):
    """Leaves out of the log that a page was closed while something was being sent to it."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        return not isinstance(error, (WebSocketClosedError, StreamClosedError))


logging.getLogger("asyncio").addFilter(_Gone())


@cache
def settle() -> None:
    """Take all that is loaded out of the garbage collector's rounds, once: it stays anyway.

    Building a page makes so many objects that each visitor would wait for a whole round.
    """
    gc.collect()
    gc.freeze()


@cache
def _threads() -> ThreadPoolExecutor:
    sys.setswitchinterval(SWITCH_SECONDS)
    return ThreadPoolExecutor(MOST_AT_ONCE, thread_name_prefix="simulate")


def in_background(
    job: Callable[[], Any], then: Callable[[Any], None], failed: Callable[[Exception], None]
) -> None:
    """Run `job` in a thread, then `then` (or `failed`) with its outcome in this visitor's page."""

    async def work() -> None:
        try:
            then(await asyncio.get_running_loop().run_in_executor(_threads(), job))
        except Exception as error:  # whatever it is, the page must hear of it
            failed(error)

    pn.state.curdoc.add_next_tick_callback(work)
