"""Processes that run what takes long, shared by all visitors of the server.

They are started anew, not forked, since the server has threads; when it ends they end too.
"""

import multiprocessing
import os
import signal
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from threading import Thread

NUM_WORKERS = 2


@cache
def workers() -> ProcessPoolExecutor:
    """The pool, made when it is first needed."""
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(NUM_WORKERS, mp_context=context, initializer=_begin)


def lose_workers() -> None:
    """After one of them has died: the next to ask gets a new pool."""
    workers.cache_clear()


def _begin() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None, "runs in a worker only"
    parent.join()
    os._exit(0)  # nobody is left to take a result
