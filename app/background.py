"""Long work off the event loop, so that one visitor's large trace keeps nobody else waiting.

A few threads for the whole process. The visitor's own document stays locked until the result is
in, which keeps its edits in order; playing goes on, as that happens in the browser.
"""

import asyncio
import ctypes
import gc
import logging
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from typing import Any

import panel as pn
from bokeh.server.views.ws import WSHandler
from panel.config import panel_extension
from panel.io import document
from panel.io.resources import Resources
from tornado.iostream import StreamClosedError
from tornado.websocket import WebSocketClosedError

MOST_AT_ONCE = 2
M_MMAP_THRESHOLD = -3  # of <malloc.h>
LARGE_BYTES = 256 * 1024
SELDOM = 50  # rounds through what is younger
SWITCH_SECONDS = (
    0.001  # an answer gives way to these threads some ten times: Python's 5 ms are long
)
NEXT_TRY_SECONDS, MOST_TRIES = 5, 12

_under_way: set[Callable[..., Any]] = set()  # jobs


class _Gone(logging.Filter):
    """Leaves out of the log that a page was closed while something was being sent to it."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        return not isinstance(error, (WebSocketClosedError, StreamClosedError))


logging.getLogger("asyncio").addFilter(_Gone())


@cache
def settle() -> None:
    """What makes a server of this process answer in time, once.

    All that is loaded leaves the garbage collector's rounds, as it stays anyway: building a page
    makes so many objects that each visitor would wait for a whole round. A round through all that
    visitors have is rare: Panel asks for one whenever a page has been closed.
    """
    gc.collect()
    gc.freeze()
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(young, middle, SELDOM)
    WSHandler.send_message = _sent_at_once(WSHandler.send_message)
    Resources.extra_resources = _remembered(Resources.extra_resources)
    document._garbage_collect = _when_idle(document._garbage_collect)
    panel_extension._apply_signatures = lambda _: None  # done once: what notebooks show as hints
    if sys.platform == "linux":
        _give_memory_back()


def _give_memory_back() -> None:
    """Let the arrays of long runs go back to the system with the visitor who has left.

    The C library (glibc; others do so anyway) would keep their place for more of the kind.
    """
    with suppress(AttributeError):
        ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, LARGE_BYTES)


def _sent_at_once(send: Callable[..., Any]) -> Callable[..., Any]:
    """Bokeh's sending on a socket that keeps nothing back.

    A message is three writes. The network would hold the second until the browser has confirmed the
    first, which browsers put off for up to 40 ms.
    """

    async def send_message(socket: WSHandler, message: Any) -> None:
        if socket.ws_connection:
            socket.set_nodelay(True)
        await send(socket, message)

    return send_message


def _remembered(look: Callable[..., None]) -> Callable[..., None]:
    """Panel's search of all components for style sheets and scripts of their own.

    It finds the same for every visitor, and takes nearly as long as to build the page.
    """
    known: dict[tuple[str, ...], list[str]] = {}

    def extra_resources(resources: Resources, files: list[str], kind: str) -> None:
        key = (str(resources.mode), str(pn.state.rel_path), kind)
        if key not in known:
            known[key] = []
            look(resources, known[key], kind)
        files += [file for file in known[key] if file not in files]

    return extra_resources


def _when_idle(collect: Callable[[], None]) -> Callable[..., None]:
    """Panel's round of the garbage collector after pages have closed, not in the midst of a job.

    What a job has under way makes the round several times as long.
    """
    waiting: asyncio.TimerHandle | None = None

    def collect_when_idle(tries: int = MOST_TRIES) -> None:
        nonlocal waiting
        if waiting:
            waiting.cancel()
            waiting = None
        if _under_way and tries:
            later = asyncio.get_running_loop().call_later
            waiting = later(NEXT_TRY_SECONDS, collect_when_idle, tries - 1)
        else:
            collect()

    return collect_when_idle


@cache
def _threads() -> ThreadPoolExecutor:
    sys.setswitchinterval(SWITCH_SECONDS)
    return ThreadPoolExecutor(MOST_AT_ONCE, thread_name_prefix="simulate")


def in_background(
    job: Callable[[], Any], then: Callable[[Any], None], failed: Callable[[Exception], None]
) -> None:
    """Run `job` in a thread, then `then` (or `failed`) with its outcome in this visitor's page."""

    async def work() -> None:
        _under_way.add(work)
        try:
            then(await asyncio.get_running_loop().run_in_executor(_threads(), job))
        except Exception as error:  # whatever it is, the page must hear of it
            failed(error)
        finally:
            _under_way.discard(work)

    pn.state.curdoc.add_next_tick_callback(work)
