"""What makes a server of this process answer in time: done once, when the first page is built.

Panel and Bokeh do for every page what comes out the same each time; here it is done once. The
garbage collector is kept from what stays anyway, and waits until nobody runs anything long.
"""

import asyncio
import copy
import ctypes
import gc
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any

import panel as pn
from bokeh.server.views.ws import WSHandler
from bokeh.settings import settings
from panel.config import panel_extension
from panel.io import document, server
from panel.io.resources import Bundle, Resources

from app.background import under_way

M_MMAP_THRESHOLD = -3  # of <malloc.h>
LARGE_BYTES = 256 * 1024
SELDOM = 50  # rounds through what is younger
SWITCH_SECONDS = 0.001  # the loop gives way to a thread some ten times: Python's 5 ms are long
NEXT_TRY_SECONDS, MOST_TRIES = 5, 4
MOST_ADDRESSES = 8

Make = Callable[[list[Any], Resources], Bundle]


@cache
def settle() -> None:
    """Once in a process.

    All that is loaded leaves the garbage collector's rounds, as it stays anyway: building a page
    makes so many objects that each visitor would wait for a whole round. A round through all that
    visitors have is rare: Panel asks for one whenever a page has been closed.
    """
    gc.collect()
    gc.freeze()
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(young, middle, SELDOM)
    sys.setswitchinterval(SWITCH_SECONDS)
    settings.perform_error_diagnostics = False  # of what calls back: tests have seen them all
    settings.perform_document_validation = False
    WSHandler.send_message = _sent_at_once(WSHandler.send_message)
    server.bundle_resources = _remembered(server.bundle_resources)
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


def _remembered(make: Make) -> Make:
    """Panel's list of the style sheets and scripts of a page.

    It is the same for every visitor, and takes a fifth of the time of building the page. A link can
    name any address for it (`bokeh-absolute-url`); not all of them are kept.
    """
    known: dict[tuple[str, str], Bundle] = {}

    def bundle_resources(roots: list[Any], resources: Resources) -> Bundle:
        key = (str(resources.mode), str(pn.state.rel_path))
        if key not in known and len(known) < MOST_ADDRESSES:
            known[key] = make(roots, resources)
        found = known.get(key)
        return copy.deepcopy(found) if found else make(roots, resources)  # Panel may add to it

    return bundle_resources


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
        if under_way and tries:
            later = asyncio.get_running_loop().call_later
            waiting = later(NEXT_TRY_SECONDS, collect_when_idle, tries - 1)
        else:
            collect()

    return collect_when_idle
