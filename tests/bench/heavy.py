"""What one visitor's heavy work costs another: `python -m tests.bench.heavy [--watch]`.

A second visitor, in a process of its own, asks the server every 20 ms for something that costs it
nothing, while the first one does all that is heavy on an hour of traffic. An answer that comes late
is a loop that was busy with something else. `--watch` prints what that was (`tests.bench.watch`).
"""

import argparse
import asyncio
import multiprocessing
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO, Any

from sim.workload import synthetic
from tests.bench.visitor import Visitor
from tests.ui.served import Server, serving

LIMIT = 100  # ms
EVERY = 0.02  # seconds between two questions
NUM_ROWS = 19_366
RATE = 5.53  # a second
HOUR = "scenario=synthetic&traffic=requests:19000"
SAVED = "13c"  # nearly as long as a run may be that is saved
COLD = ("11a", "12a", "13b", "14a-burst")  # scenes whose first visitor has most to wait for
SETTLED = 1.0  # seconds after an action, in which what follows it is done
TOLD = ("BLOCKED", "HELD", "COLLECTED", "  ")  # begin the lines of `tests.bench.watch`
WATCH = ("--setup", str(Path(__file__).with_name("watch.py")))

Shown = dict[str, Any]
SWEPT = {"control": "budget", "low": "512", "high": "4096", "count": "12"}


def trace_file() -> bytes:
    """An hour of made-up conversations."""
    rows = synthetic(NUM_ROWS, RATE, seed=3)
    lines = (f"{row.arrival / 1e9:.6f},{row.prompt},{row.output}" for row in rows)
    return "\n".join(["arrival_s,prompt_tokens,output_tokens", *lines]).encode()


# The second visitor.


def witness(url: str, pipe: Connection) -> None:
    """In a process: how long each question took, handed over when asked."""
    asyncio.run(_ask_on(url, pipe))


async def _ask_on(url: str, pipe: Connection) -> None:
    waits: list[float] = []
    async with Visitor(url, "scenario=5a") as visitor:
        pipe.send(None)
        while True:
            start = time.perf_counter()
            await visitor.ping()
            waits.append((time.perf_counter() - start) * 1000)
            if pipe.poll():
                if pipe.recv() is None:
                    return
                pipe.send(waits)
                waits = []
            await asyncio.sleep(EVERY)


class Watch:
    """Prints what the witness has waited while something was done, and why if the log tells."""

    def __init__(self, pipe: Connection, log: IO[str]) -> None:
        self._pipe, self._log = pipe, log

    async def __call__(self, what: str, job: Awaitable[Any]) -> None:
        await self._take()
        self._log.read()
        start = time.perf_counter()
        await job
        took = time.perf_counter() - start
        await asyncio.sleep(SETTLED)
        waits = await self._take()
        median, worst = statistics.median(waits), max(waits)
        verdict = "OK" if worst <= LIMIT else "over"
        load = f"(load {os.getloadavg()[0]:.1f})"
        print(
            f"{what:<46}{took:7.1f} s, another waits{median:6.1f}, at worst{worst:7.1f} ms"
            f"  ≤ {LIMIT}  {verdict:<4} {load}"
        )
        told = (f"    {line}" for line in self._log if line.startswith(TOLD))
        print("".join(told), end="", flush=True)

    async def _take(self) -> list[float]:
        self._pipe.send("take")
        waits: list[float] = await asyncio.to_thread(self._pipe.recv)
        return waits


@asynccontextmanager
async def watching(server: Server) -> AsyncIterator[Watch]:
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=witness, args=(server.url, there), daemon=True)
    process.start()
    try:
        await asyncio.to_thread(here.recv)
        with server.log_file.open(encoding="utf-8") as log:
            yield Watch(here, log)
    finally:
        here.send(None)
        await asyncio.to_thread(process.join)


# The first visitor.


class Busy:
    """Does what is heavy; each returns when its outcome is there."""

    def __init__(self, visitor: Visitor) -> None:
        self.visitor = visitor
        self.seen = visitor.seen

    @property
    def keys(self) -> list[str]:
        return [lane["key"] for lane in self.seen["payload"]["lanes"]]

    async def shown(self, is_true: Callable[[], bool]) -> None:
        await self.visitor.wait(lambda: is_true() and not self.seen["view"]["working"])

    async def another_run(self, job: Awaitable[Any]) -> None:
        run = self.seen["payload"]["run"]
        await job
        await self.shown(lambda: self.seen["payload"]["run"] != run)

    async def trace(self) -> None:
        await self.visitor.send_file("hour.csv", trace_file())
        await self.shown(lambda: self.seen["payload"]["title"] == "Your trace")

    async def budget(self, value: int) -> None:
        await self.another_run(self.visitor.send({"type": "budget", "value": value}))

    async def command(self, **wish: Any) -> None:
        await self.another_run(self.visitor.wish("command", wish))

    async def option(self, name: str, value: str, lane: str = "") -> None:
        message = {"type": "set", "lane": lane, "seq": 1, "name": name, "value": value}
        await self.another_run(self.visitor.send(message, "SetupPanel"))

    async def windows(self, count: int = 10) -> None:
        for _ in range(count):
            before = self.seen["payload"]
            wish = {"t": random.uniform(0, before["overview"]["t1"]), "run": before["run"]}
            await self.visitor.wish("window_request", wish)
            await self.visitor.wait(lambda before=before: self.seen["payload"] is not before)

    async def lab(self) -> None:
        await self.visitor.send({"type": "choice", "what": "face", "value": "lab"})
        await self.shown(lambda: self.seen["lab"].get("is_late") is False)

    async def stretches(self) -> None:
        for span in ([1_000, 60_000], [100_000, 900_000], None):
            await self.visitor.send({"type": "look", "span": span}, "Lab")
            await self.visitor.wait(lambda: self.seen["lab"]["is_late"] is False)

    async def tab(self, name: str, is_there: Callable[[Shown], Any]) -> None:
        await self.visitor.send({"type": "tab", "name": name}, "Lab")
        await self._part(name, is_there)

    async def ask(self, tab: str, is_there: Callable[[Shown], Any], *messages: Shown) -> None:
        for message in messages:
            await self.visitor.send({"type": "part", "part": tab} | message, "Lab")
        await self._part(tab, is_there)

    async def _part(self, tab: str, is_there: Callable[[Shown], Any]) -> None:
        def is_true() -> bool:
            part = self.seen["part"]
            return part.get("name") == tab and bool(is_there(part["shown"]))

        await self.visitor.wait(is_true)

    async def fit(self) -> None:
        await self.tab("calibrate", lambda shown: "source" in shown)
        await self.ask("calibrate", is_done, {"do": "sample"})

    async def saved(self, what: str) -> None:
        count = len(self.visitor.saved)
        await self.visitor.send({"type": "save", "what": what})
        await self.visitor.wait(lambda: len(self.visitor.saved) > count)


def is_done(shown: Shown) -> bool:
    return bool(shown["run"]) and shown["run"]["state"] == "done"


async def of_heavy(server: Server) -> None:
    """Everything heavy, one after the other."""
    url = server.url
    async with watching(server) as watch:
        await watch("nothing", asyncio.sleep(3))
        for scene in COLD:
            await watch(f"scene {scene} is opened for the first time", _opened(url, scene))
        await watch("the synthetic hour, 19,000 requests", _hour(url))
        async with Visitor(url, "scenario=5a") as visitor:
            await _on_stage(watch, Busy(visitor))
            await _in_lab(watch, Busy(visitor))
        async with Visitor(url, f"scenario={SAVED}") as visitor:
            busy = Busy(visitor)
            await busy.shown(lambda: visitor.seen["view"]["scenario"] == SAVED)
            for what in ("csv", "json", "chrome", "scenario"):
                await watch(f"a run of 11,000 rounds saved: {what}", busy.saved(what))


async def _opened(url: str, scene: str) -> None:
    async with Visitor(url, f"scenario={scene}") as visitor:
        await Busy(visitor).shown(lambda: visitor.seen["view"]["scenario"] == scene)


async def _hour(url: str) -> None:
    async with Visitor(url, HOUR) as visitor:
        await Busy(visitor).shown(lambda: visitor.seen["payload"]["title"].startswith("19,000"))


async def _on_stage(watch: Watch, busy: Busy) -> None:
    await watch("a trace of 19,366 rows opens", busy.trace())
    await watch("ten windows of it", busy.windows())
    await watch("one lane less", busy.command(do="remove_lane", key=busy.keys[0]))
    await watch("one lane more", busy.command(do="add_lane", base="sarathi"))
    await watch("another budget", busy.budget(1024))
    await watch("another option", busy.option("max_num_seqs", "96"))
    await watch("a goal", busy.option("slo.ttft", "500"))
    await watch("a fork", busy.command(do="fork_lane", key=busy.keys[0], round=9000))
    await watch("a change in the fork", busy.option("budget", "900", busy.keys[1]))
    await watch("ten windows of three lanes", busy.windows())
    await watch("the fork goes", busy.command(do="remove_lane", key=busy.keys[1]))


async def _in_lab(watch: Watch, busy: Busy) -> None:
    typed = [{"do": "type", "name": name, "value": value} for name, value in SWEPT.items()]
    part = {"do": "form", "what": "try", "values": {"most": "18000"}}
    await watch("Compare", busy.lab())
    await watch("Compare: three stretches of time", busy.stretches())
    await watch("Traffic", busy.tab("traffic", lambda shown: shown["now"].get("prompt")))
    await watch("Traffic: another part is typed", busy.ask("traffic", lambda s: s["draft"], part))
    await watch("Load", busy.tab("load", lambda shown: shown["lanes"]))
    await watch("Sweep", busy.tab("sweep", lambda shown: shown["form"]))
    await watch("Sweep: 12 budgets", busy.ask("sweep", is_done, *typed, {"do": "start"}))
    await watch("Calibrate: a fit", busy.fit())
    for what in ("report", "compare_csv", "compare_json"):
        await watch(f"the comparison saved: {what}", busy.saved(what))
    await watch("the trace saved as a scenario", busy.saved("scenario"))


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.heavy", description=__doc__)
    parser.add_argument("--watch", action="store_true", help="print what held up the server")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.txt"
        with serving(log, *(WATCH if options.watch else ())) as server:
            asyncio.run(of_heavy(server))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
