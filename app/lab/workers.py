"""Processes that run what takes long, shared by all visitors of the server.

They are started anew, not forked, since the server has threads; when it ends they end too. They
need the simulator only, so they are kept from loading the server's main module with its toolkit.
"""

import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import cache
from threading import Lock, Thread
from types import ModuleType

from sim import History, Scenario, run

NUM_WORKERS = 2
QUICK_ROUNDS = 20_000  # are simulated sooner than they are brought to another process

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


def run_aside(scenario: Scenario) -> History:
    """The history of a scenario: a long one comes from a worker, which leaves this process free."""
    if scenario.most_rounds <= QUICK_ROUNDS:
        return run(scenario)
    try:
        return workers("run").submit(run, scenario).result()
    except BrokenProcessPool:  # the next has a new pool; this one is as good here, and slower
        lose_workers()
        return run(scenario)


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
    """First of all in a new process: let the server alone decide when it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None, "runs in a worker only"
    parent.join()
    os._exit(0)  # nobody is left to take a result
