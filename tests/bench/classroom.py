"""A classroom on one server: `python -m tests.bench.classroom [--quick]`.

Prints what was measured beside what it should keep to, with one process and with two: how long an
edit takes until its payload is there, while everybody edits and plays now and then; what a session
costs, and whether its memory comes back; whether memory stays flat when visitors come and go; and
what one visitor's heavy work costs another (`tests.bench.heavy`). Not a test: a busy machine is
slow, so how busy it was is printed too.
"""

import argparse
import asyncio
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from tests.bench.heavy import of_heavy
from tests.bench.page import Figure, resident_mib
from tests.bench.visitor import Visitor
from tests.ui.served import Server, serving

SCENES = (*("3a", "5a", "10b") * 3, "11b")  # the last one is longer than a window
OTHERS = (1, 2, 3)  # tokens more in the budget: each is another run
QUICKLY_FORGOTTEN = ("--unused-session-lifetime", "1000", "--check-unused-sessions", "1000")
FORGOTTEN_AFTER = 12  # seconds: forgotten, and collected


@dataclass(frozen=True)
class Effort:
    """How much is measured."""

    visitors: int
    earlier: int
    edits: int
    cycles: int
    heavy: bool


FULL = Effort(visitors=50, earlier=40, edits=6, cycles=200, heavy=True)
QUICK = Effort(visitors=5, earlier=10, edits=3, cycles=20, heavy=False)


def memory(server: Server) -> float:
    """MiB of the server and its children; 0 where the system does not tell."""
    main = server.process.pid
    listed = Path(f"/proc/{main}/task/{main}/children")
    children = map(int, listed.read_text("ascii").split()) if listed.is_file() else ()
    return sum(resident_mib(pid) or 0 for pid in (main, *children))


async def edit(visitor: Visitor, count: int, pause: float) -> list[float]:
    """Edits with pauses between them, and playing; ms of each edit. A lost one fails."""
    times = []
    own = visitor.seen["view"]["budget"]["value"]
    values = [own + OTHERS[i % len(OTHERS)] for i in range(count)]
    for value in values:
        await asyncio.sleep(random.uniform(0, 2 * pause))
        start = time.perf_counter()
        await visitor.set_budget(value)
        times.append((time.perf_counter() - start) * 1000)
        await visitor.play()
    await visitor.wait(lambda: visitor.seen["view"]["budget"]["value"] == values[-1])
    return times


async def of_room(server: Server, effort: Effort, label: str) -> list[Figure]:
    """All visitors at once, each with edits of its own; then all leave.

    Others have been there, so that what all share is loaded, in each of two processes, too.
    """
    before = await come_and_go(server, effort.earlier)
    async with AsyncExitStack() as room:
        start = time.perf_counter()
        visitors = [Visitor(server.url, f"scenario={scene}") for scene in _scenes(effort.visitors)]
        await asyncio.gather(*(room.enter_async_context(one) for one in visitors))
        opened = time.perf_counter() - start
        size = (memory(server) - before) / effort.visitors
        done = await asyncio.gather(*(edit(one, effort.edits, 5) for one in visitors))
        used = (memory(server) - before) / effort.visitors
    await asyncio.sleep(FORGOTTEN_AFTER)
    times = sorted(ms for one in done for ms in one)
    p95 = times[int(0.95 * (len(times) - 1))]
    return [
        Figure(f"{label}: {effort.visitors} open at once, all served after", opened, "s", 30),
        Figure(f"{label}: memory a session, opened", size, "MiB", 2),
        Figure(f"{label}: memory a session, after its edits", used, "MiB", 2),
        Figure(f"{label}: edit → payload, median", statistics.median(times), "ms", 100),
        Figure(f"{label}: edit → payload, P95", p95, "ms", 400),
        Figure(f"{label}: edit → payload, longest", times[-1], "ms", 1000),
        Figure(f"{label}: edits, none of them lost", len(times), ""),
        Figure(f"{label}: memory before they came", before, "MiB"),
        Figure(f"{label}: memory when all have left", memory(server), "MiB"),
    ]


def _scenes(count: int) -> Iterator[str]:
    for i in range(count):
        yield SCENES[i % len(SCENES)]


async def come_and_go(server: Server, number: int) -> float:
    """Visitors who come, edit, and go, one after another; MiB when they are forgotten."""
    for i in range(number):
        async with Visitor(server.url, f"scenario={SCENES[i % len(SCENES)]}") as visitor:
            await edit(visitor, 1, 0)
    await asyncio.sleep(FORGOTTEN_AFTER)
    return memory(server)


async def of_leaving(server: Server, cycles: int) -> list[Figure]:
    """What stays of visitors who have gone."""
    first = await come_and_go(server, cycles // 4)  # everything has been loaded by then
    half = await come_and_go(server, cycles // 2)
    whole = await come_and_go(server, cycles // 2)
    return [
        Figure("memory when the first have come and gone", first, "MiB"),
        Figure(f"memory after {cycles // 2} visits more", half, "MiB"),
        Figure(f"memory after {cycles} visits more", whole, "MiB"),
        Figure(f"grown in the last {cycles // 2} visits", whole - half, "MiB", 5),
    ]


async def measure(folder: Path, effort: Effort) -> None:
    for number in (1, 2):
        options = QUICKLY_FORGOTTEN + (() if number == 1 else ("--num-procs", "2"))
        with serving(folder / f"room{number}.txt", *options) as server:
            tell(await of_room(server, effort, "1 process" if number == 1 else "2 processes"))
    with serving(folder / "leaving.txt", *QUICKLY_FORGOTTEN) as server:
        tell(await of_leaving(server, effort.cycles))
    if effort.heavy:
        with serving(folder / "heavy.txt", *QUICKLY_FORGOTTEN) as server:
            await of_heavy(server)


def tell(figures: list[Figure]) -> None:
    for figure in figures:
        print(figure.line(), flush=True)
    print(
        f"  (load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores)", flush=True
    )


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.classroom", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a small class, to try it out")
    effort = QUICK if parser.parse_args(arguments).quick else FULL
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure(Path(folder), effort))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
