"""Processes that run what takes long, shared by all visitors of the server.

They are started anew, not forked, since the server has threads; when it ends they end too. They
need the simulator only, so they are kept from loading the server's main module with its toolkit.
What comes back has the requests left out that went there: to read thousands of them takes long, and
each run on the screen would have its own.
"""

import io
import multiprocessing
import os
import pickle
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import cache
from threading import Lock, Thread
from types import ModuleType
from typing import IO, Any

from sim import History, Request, Scenario

NUM_WORKERS = 2
ALL = -1  # in place of all requests
STEPS_BACK = 5  # of priority: where cores are few, the server answers before they go on

_ONE_AT_A_TIME = Lock()


@cache
def workers(use: str = "sweep") -> ProcessPoolExecutor:
    """The pool for a use, made when it is first needed: a long sweep holds up no other run."""
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(NUM_WORKERS, mp_context=context, initializer=begin)
    with no_main_module():
        for _ in range(NUM_WORKERS):
            pool.submit(os.getpid)  # a process is started for each
    return pool


def lose_workers() -> None:
    """After one of them has died: the next to ask gets a new pool."""
    workers.cache_clear()


def away(job: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function in a worker, which leaves this process free.

    Args:
        job: a function of a module that needs no toolkit.
        *arguments: scenarios, histories, and what is plain.

    Raises:
        Exception: whatever the job raises.
    """
    requests = _requests(arguments)
    try:
        content = workers("run").submit(_packed, job, arguments).result()
    except BrokenProcessPool:  # the next has a new pool; this one is as good here, and slower
        lose_workers()
        return job(*arguments)
    return _Unpickler(io.BytesIO(content), requests).load()


def _packed(job: Callable[..., Any], arguments: Sequence[Any]) -> bytes:
    """In a worker: do the job, and write what comes of it."""
    content = io.BytesIO()
    _Pickler(content, _requests(arguments)).dump(job(*arguments))
    return content.getvalue()


def _requests(arguments: Sequence[Any]) -> tuple[Request, ...]:
    """Those of the first scenario or history, which the others share."""
    for one in arguments:
        scenario = one.scenario if isinstance(one, History) else one
        if isinstance(scenario, Scenario):
            return scenario.requests
    return ()


class _Pickler(pickle.Pickler):
    """Writes known requests, and the tuple of them, as their places."""

    def __init__(self, file: IO[bytes], requests: tuple[Request, ...]) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._places = {id(request): place for place, request in enumerate(requests)}
        self._places[id(requests)] = ALL

    def persistent_id(self, thing: Any) -> int | None:
        return self._places.get(id(thing))


class _Unpickler(pickle.Unpickler):
    """Reads them as those that are here."""

    def __init__(self, file: IO[bytes], requests: tuple[Request, ...]) -> None:
        super().__init__(file)
        self._requests = requests

    def persistent_load(self, place: int) -> Any:
        return self._requests if place == ALL else self._requests[place]


@contextmanager
def no_main_module() -> Iterator[None]:
    """A new process loads the main module of its parent again; for a moment there is none."""
    with _ONE_AT_A_TIME:
        main = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            yield
        finally:
            sys.modules["__main__"] = main


def begin() -> None:
    """First of all in a new process: let the server alone decide when it ends, and go first."""
    if hasattr(os, "nice"):
        os.nice(STEPS_BACK)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None, "runs in a worker only"
    parent.join()
    os._exit(0)  # nobody is left to take a result
