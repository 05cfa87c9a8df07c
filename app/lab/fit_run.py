"""A fit of measured requests under way, or what came of it.

It runs the simulator a hundred times over, so it has a process of its own: the page stays free, and
to stop it is to end that process. At most `MOST_AT_ONCE` of a server run at the same time.
"""

import multiprocessing
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from threading import BoundedSemaphore, Event
from typing import Literal

from app.lab.workers import begin, no_main_module
from sim.fit_timings import TimingsFit, fit_timings
from sim.setup import Cost, Setup
from sim.sweep import Stopped
from sim.timings import Timings, TimingsError

MOST_AT_ONCE = 2
LOOK_EVERY = 0.1  # seconds between two looks at whether it was stopped

State = Literal["running", "done", "stopped", "unserved", "failed"]
Step = tuple[int, int] | TimingsFit | None  # how far it is, the fit, or that there can be none

_ROOM = BoundedSemaphore(MOST_AT_ONCE)


@dataclass(slots=True)
class FitRun:
    """One fit. `truth`: the cost that it should find, where that is known."""

    timings: Timings
    setup: Setup
    truth: Cost | None = None
    state: State = "running"
    done: int = 0
    of: int = 1
    fit: TimingsFit | None = None
    stop: Event = field(default_factory=Event)

    def take(self, step: Step) -> None:
        """What has come from the process."""
        match step:
            case (int(done), int(of)):
                self.done, self.of = done, of
            case TimingsFit():
                self.fit = step
            case None:
                self.end("unserved")

    def end(self, state: State) -> None:
        """Say how it ended, and end it; an ended one stays as it is."""
        if self.state == "running":
            self.state = state
            self.stop.set()

    def steps(self) -> Iterator[Step]:
        """What comes from the process, until it has ended.

        Raises:
            Stopped: when asked to stop.
            EOFError: the process has ended without a result.
        """
        while not _ROOM.acquire(timeout=LOOK_EVERY):
            self._look()
        try:
            yield from self._from_process()
        finally:
            _ROOM.release()

    def _from_process(self) -> Iterator[Step]:
        context = multiprocessing.get_context("spawn")  # not forked: the server has threads
        here, there = context.Pipe(duplex=False)
        process = context.Process(target=_fit, args=(self.timings, self.setup, there), daemon=True)
        with no_main_module():
            process.start()
        there.close()
        try:
            step: Step = (0, 1)
            while isinstance(step, tuple):
                self._look()
                if not here.poll(LOOK_EVERY):
                    continue
                step = here.recv()
                yield step
        finally:
            process.kill()
            process.join()
            here.close()

    def _look(self) -> None:
        if self.stop.is_set():
            raise Stopped


def _fit(timings: Timings, setup: Setup, out: Connection) -> None:
    """In the process: fit, and send how far it is and what comes of it."""
    begin()
    try:
        found = fit_timings(timings, setup, progress=lambda done, of: out.send((done, of)))
    except TimingsError:  # the setup, which was checked, does not serve them all
        out.send(None)
    else:
        out.send(found)
