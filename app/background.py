"""Long work off the event loop, so that one visitor's large trace keeps nobody else waiting.

A few threads for the whole process. The visitor's own document stays locked until the result is
in, which keeps its edits in order; playing goes on, as that happens in the browser.
"""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import cache
from typing import Any

import panel as pn
from tornado.iostream import StreamClosedError
from tornado.websocket import WebSocketClosedError

MOST_AT_ONCE = 2

under_way: set[Callable[..., Any]] = set()  # jobs


class _Gone(logging.Filter):
    """Leaves out of the log that a page was closed while something was being sent to it."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        return not isinstance(error, (WebSocketClosedError, StreamClosedError))


logging.getLogger("asyncio").addFilter(_Gone())


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(MOST_AT_ONCE, thread_name_prefix="simulate")


def in_background(
    job: Callable[[], Any],
    then: Callable[[Any], None],
    failed: Callable[[Exception], None],
    threads: Executor | None = None,
) -> None:
    """Run `job` in a thread, then `then` (or `failed`) with its outcome in this visitor's page."""

    async def work() -> None:
        under_way.add(work)
        try:
            then(await asyncio.get_running_loop().run_in_executor(threads or _threads(), job))
        except Exception as error:  # whatever it is, the page must hear of it
            failed(error)
        finally:
            under_way.discard(work)

    pn.state.curdoc.add_next_tick_callback(work)
