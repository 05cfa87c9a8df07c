"""A classroom on one server: `python -m tests.bench.classroom [--quick]`.

Prints what was measured beside what it should keep to, with one process and with two: how long an
edit takes until its payload is there, while everybody edits now and then; how long the server is
busy with others; what a session costs; whether memory stays flat when visitors come and go; and how
long a very long run of one visitor keeps another waiting. Not a test: a busy machine is slow.
"""

import argparse
import asyncio
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from tests.bench.page import Figure, resident_mib
from tests.bench.visitor import Visitor
from tests.ui.served import Server, serving

SCENES = ("3a", "5a", "10b")
LONG = "scenario=synthetic&traffic=requests:19000"
BUDGETS = (11, 12, 13)  # none is a scene's own: each is another run
QUICKLY_FORGOTTEN = ("--unused-session-lifetime", "1000", "--check-unused-sessions", "1000")
FORGOTTEN_AFTER = 4  # seconds


@dataclass(frozen=True)
class Effort:
    """How much is measured."""

    visitors: int
    edits: int
    cycles: int
    long: bool


FULL = Effort(visitors=50, edits=10, cycles=200, long=True)
QUICK = Effort(visitors=5, edits=3, cycles=20, long=False)


def memory(server: Server) -> float:
    """MiB of the server and its children; 0 where the system does not tell."""
    main = server.process.pid
    listed = Path(f"/proc/{main}/task/{main}/children")
    children = map(int, listed.read_text("ascii").split()) if listed.is_file() else ()
    return sum(resident_mib(pid) or 0 for pid in (main, *children))


async def edit(visitor: Visitor, count: int, pause: float) -> list[float]:
    """Edits with pauses between them; ms of each. One that is lost is waited for until it fails."""
    times = []
    for i in range(count):
        await asyncio.sleep(random.uniform(0, 2 * pause))
        start = time.perf_counter()
        await visitor.set_budget(BUDGETS[i % len(BUDGETS)])
        times.append((time.perf_counter() - start) * 1000)
    last = BUDGETS[(count - 1) % len(BUDGETS)]
    await visitor.wait(lambda: visitor.seen["view"]["budget"]["value"] == last)
    return times


async def of_room(server: Server, effort: Effort, label: str) -> list[Figure]:
    """All visitors at once, each with edits of its own."""
    before = memory(server)
    async with AsyncExitStack() as room:
        start = time.perf_counter()
        visitors = [Visitor(server.url, f"scenario={scene}") for scene in _scenes(effort.visitors)]
        await asyncio.gather(*(room.enter_async_context(one) for one in visitors))
        opened = time.perf_counter() - start
        size = (memory(server) - before) / effort.visitors
        done = await asyncio.gather(*(edit(one, effort.edits, 5) for one in visitors))
    times = sorted(ms for one in done for ms in one)
    p95 = times[int(0.95 * (len(times) - 1))]
    return [
        Figure(f"{label}: all {effort.visitors} open, one after the other", opened, "s", 30),
        Figure(f"{label}: memory a session", size, "MiB", 3),
        Figure(f"{label}: edit → payload, median", statistics.median(times), "ms", 100),
        Figure(f"{label}: edit → payload, P95", p95, "ms", 400),
        Figure(f"{label}: edit → payload, longest", times[-1], "ms", 1000),
        Figure(f"{label}: edits, none of them lost", len(times), ""),
    ]


def _scenes(count: int) -> Iterator[str]:
    for i in range(count):
        yield SCENES[i % len(SCENES)]


async def of_leaving(server: Server, cycles: int) -> list[Figure]:
    """Visitors who come, edit, and go: what stays of them when they are forgotten."""

    async def visit(number: int) -> None:
        for i in range(number):
            async with Visitor(server.url, f"scenario={SCENES[i % len(SCENES)]}") as visitor:
                await visitor.set_budget(BUDGETS[0])
        await asyncio.sleep(FORGOTTEN_AFTER)

    await visit(cycles // 4)
    before = memory(server)
    await visit(cycles)
    grown = memory(server) - before
    return [Figure(f"memory after {cycles} visits more", grown, "MiB", 20)]


async def of_long_run(server: Server) -> list[Figure]:
    """How long another visitor's messages wait while one opens and edits a very long run."""
    waits: list[float] = []

    async def beat(visitor: Visitor) -> None:
        while True:
            start = time.perf_counter()
            await visitor.ping()
            waits.append((time.perf_counter() - start) * 1000)
            await asyncio.sleep(0.02)

    figures = []
    async with Visitor(server.url, "scenario=5a") as other, asyncio.TaskGroup() as group:
        beating = group.create_task(beat(other))
        await asyncio.sleep(2)
        figures.append(Figure("another's wait while nobody works", max(waits), "ms"))
        async with Visitor(server.url, LONG) as visitor:
            waits.clear()  # building a session is measured above
            await visitor.wait(lambda: visitor.seen["payload"]["title"].startswith("19,000"))
            figures.append(Figure("another's wait while a long run opens", max(waits), "ms", 100))
            waits.clear()
            await visitor.set_budget(1024)
            figures.append(Figure("another's wait while it is edited", max(waits), "ms", 100))
        beating.cancel()
    return figures


async def measure(folder: Path, effort: Effort) -> None:
    for number in (1, 2):
        options = () if number == 1 else ("--num-procs", "2")
        with serving(folder / f"room{number}.txt", *options) as server:
            tell(await of_room(server, effort, "1 process" if number == 1 else "2 processes"))
    with serving(folder / "leaving.txt", *QUICKLY_FORGOTTEN) as server:
        tell(await of_leaving(server, effort.cycles))
    if effort.long:
        with serving(folder / "long.txt") as server:
            tell(await of_long_run(server))


def tell(figures: list[Figure]) -> None:
    for figure in figures:
        print(figure.line(), flush=True)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.classroom", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a small class, to try it out")
    effort = QUICK if parser.parse_args(arguments).quick else FULL
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure(Path(folder), effort))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
