"""What one visitor's heavy work costs another: `python -m tests.bench.heavy [--watch]`.

A second visitor, in a process of its own, asks the server for something that costs it nothing, every
20 ms, while the first one does all that is heavy on an hour of traffic. An answer that comes late
is a loop that was busy with something else. `--watch` tells in the log what that was.
"""

import argparse
import asyncio
import multiprocessing
import random
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from sim.workload import synthetic
from tests.bench.visitor import Visitor
from tests.ui.served import Server, serving

LIMIT = 100  # ms
EVERY = 0.02  # seconds between two questions
NUM_ROWS = 19_366
RATE = 5.53  # a second
HOUR = "scenario=synthetic&traffic=requests:19000"
FILE_RUN = "scenario=synthetic&traffic=requests:1200"  # as long as a run may be that is saved
SETTLED = 1.0  # seconds after an action, in which what follows it is done
WATCH = ("--setup", str(Path(__file__).with_name("watch.py")))


def trace_file() -> bytes:
    """An hour of made-up conversations, in the columns of Azure's traces."""
    rows = synthetic(NUM_ROWS, RATE, seed=3)
    lines = ["arrival_s,prompt_tokens,output_tokens"]
    lines += [f"{row.arrival / 1e9:.6f},{row.prompt},{row.output}" for row in rows]
    return "\n".join(lines).encode()


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
    """Prints what the witness has waited while something was done."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe

    async def __call__(self, what: str, job: Awaitable[Any]) -> Any:
        print(f"--- {what}", flush=True) if SHOW else None
        await self._take()
        start = time.perf_counter()
        result = await job
        took = time.perf_counter() - start
        await asyncio.sleep(SETTLED)
        waits = await self._take()
        median, worst = statistics.median(waits), max(waits)
        verdict = "OK" if worst <= LIMIT else "over"
        print(
            f"{what:<52}{took:6.1f} s{median:7.1f}{worst:8.1f} ms  ≤ {LIMIT} {verdict}", flush=True
        )
        return result

    async def _take(self) -> list[float]:
        self._pipe.send("take")
        waits: list[float] = await asyncio.to_thread(self._pipe.recv)
        return waits


SHOW = False


@asynccontextmanager
async def watching(url: str) -> AsyncIterator[Watch]:
    here, there = multiprocessing.get_context("spawn").Pipe()
    process = multiprocessing.get_context("spawn").Process(target=witness, args=(url, there))
    process.start()
    try:
        await asyncio.to_thread(here.recv)
        yield Watch(here)
    finally:
        here.send(None)
        await asyncio.to_thread(process.join)


async def shown(visitor: Visitor, is_true: Callable[[], bool]) -> None:
    """Until the picture is there and nothing is under way."""
    await visitor.wait(lambda: is_true() and not visitor.seen["view"]["working"])


async def on_stage(watch: Watch, visitor: Visitor) -> None:
    """A trace is opened, given a second lane, edited, forked and looked at."""

    def payload() -> dict[str, Any]:
        return visitor.seen["payload"]

    def lanes(number: int) -> Callable[[], bool]:
        return lambda: len(payload()["lanes"]) == number

    async def another_run(job: Awaitable[Any]) -> None:
        run = payload()["run"]
        await job
        await shown(visitor, lambda: payload()["run"] != run)

    async def opened() -> None:
        await visitor.send_file("hour.csv", trace_file())
        await shown(visitor, lambda: payload()["title"] == "Your trace")

    async def command(**wish: Any) -> None:
        await another_run(visitor.wish("command", wish))

    async def scrubbed() -> None:
        end = payload()["overview"]["t1"]
        for _ in range(10):
            before = payload()["t0"]
            await visitor.wish(
                "window_request", {"t": random.uniform(0, end), "run": payload()["run"]}
            )
            await visitor.wait(lambda before=before: payload()["t0"] != before)

    def option(name: str, value: str, lane: str = "") -> Awaitable[Any]:
        message = {"type": "set", "lane": lane, "seq": 1, "name": name, "value": value}
        return another_run(visitor.send(message, "SetupPanel"))

    await watch("a trace of 19,366 rows opens", opened())
    await watch("ten windows of it", scrubbed())
    await watch("a second lane", command(do="add_lane", base="sarathi"))
    await watch("another budget", another_run(visitor.send({"type": "budget", "value": 1024})))
    await watch("another KV pool", option("num_blocks", "20000"))
    await watch("a goal", option("slo.ttft", "500"))
    keys = [lane["key"] for lane in payload()["lanes"]]
    await watch("a fork", command(do="fork_lane", key=keys[0], round=9000))
    keys = [lane["key"] for lane in payload()["lanes"]]
    await watch("a change in the fork", option("budget", "512", keys[1]))
    await watch("ten windows of three lanes", scrubbed())
    await watch("the other language", another_language(visitor))
    await watch("the fork goes", command(do="remove_lane", key=keys[1]))


async def another_language(visitor: Visitor) -> None:
    for lang in ("zh", "en"):
        await visitor.send({"type": "choice", "what": "lang", "value": lang})
        await shown(visitor, lambda lang=lang: visitor.seen["payload"]["lang"] == lang)


async def in_lab(watch: Watch, visitor: Visitor) -> None:
    """The same trace in every tab of the lab, and saved."""

    def lab() -> dict[str, Any]:
        return visitor.seen["lab"]

    def part() -> dict[str, Any]:
        return visitor.seen["part"]

    async def compare() -> None:
        await visitor.send({"type": "choice", "what": "face", "value": "lab"})
        await shown(visitor, lambda: lab().get("is_late") is False)

    async def zoomed() -> None:
        for span in ([1_000, 60_000], [100_000, 900_000], None):
            await visitor.send({"type": "look", "span": span}, "Lab")
            await visitor.wait(lambda: lab()["is_late"] is False)

    async def tab(name: str, is_true: Callable[[dict[str, Any]], bool]) -> None:
        await visitor.send({"type": "tab", "name": name}, "Lab")
        await visitor.wait(lambda: part().get("name") == name and is_true(part()["shown"]))

    async def asked(
        name: str, is_true: Callable[[dict[str, Any]], bool], *messages: dict[str, Any]
    ) -> None:
        for message in messages:
            await visitor.send({"type": "part", "part": name} | message, "Lab")
        await visitor.wait(lambda: is_true(part()["shown"]))

    async def saved(what: str) -> None:
        number = len(visitor.saved)
        await visitor.send({"type": "save", "what": what})
        await visitor.wait(lambda: len(visitor.saved) > number)

    is_run: Callable[[dict[str, Any]], bool] = lambda one: (
        one["run"] and one["run"]["state"] == "done"
    )
    typed = (
        {"do": "type", "name": n, "value": v}
        for n, v in (("control", "budget"), ("low", "256"), ("high", "4096"), ("count", "12"))
    )
    await watch("the lab: Compare", compare())
    await watch("the lab: three stretches of time", zoomed())
    goal = {"type": "goal", "name": "ttft", "value": "900"}

    async def goal_set() -> None:
        run = visitor.seen["payload"]["run"]
        await visitor.send(goal, "Lab")
        await shown(visitor, lambda: visitor.seen["payload"]["run"] != run and not lab()["is_late"])

    await watch("the lab: a goal", goal_set())
    await watch("the lab: Traffic", tab("traffic", lambda one: bool(one["now"].get("prompt"))))
    await watch(
        "the lab: a part of the traffic is typed",
        asked(
            "traffic",
            lambda one: bool(one["draft"]),
            {"do": "form", "what": "try", "values": {"most": "18000"}},
        ),
    )
    await watch("the lab: Load", tab("load", lambda one: bool(one["lanes"])))
    await watch("the lab: Sweep opens", tab("sweep", lambda one: bool(one["form"])))
    await watch("the lab: a sweep of 12 budgets", asked("sweep", is_run, *typed, {"do": "start"}))
    await watch(
        "the lab: Calibrate fits",
        tab_then(
            tab("calibrate", lambda one: "source" in one),
            asked("calibrate", is_run, {"do": "sample"}),
        ),
    )
    for what in ("report", "compare_csv", "compare_json"):
        await watch(f"the lab: saved as {what}", saved(what))


async def tab_then(*jobs: Awaitable[Any]) -> None:
    for job in jobs:
        await job


async def of_files(watch: Watch, url: str) -> None:
    async with Visitor(url, FILE_RUN) as visitor:
        await shown(visitor, lambda: visitor.seen["payload"]["title"].startswith("1,200"))
        for what in ("csv", "json", "chrome", "scenario"):

            async def saved(what: str = what) -> None:
                number = len(visitor.saved)
                await visitor.send({"type": "save", "what": what})
                await visitor.wait(lambda: len(visitor.saved) > number)

            await watch(f"a run saved as {what}", saved())


async def of_heavy(server: Server) -> None:
    async with watching(server.url) as watch:
        await watch("nothing", asyncio.sleep(3))

        async def hour() -> Visitor:
            visitor = await Visitor(server.url, HOUR).__aenter__()
            await shown(visitor, lambda: visitor.seen["payload"]["title"].startswith("19,000"))
            return visitor

        visitor = await watch("the synthetic hour of 19,000 requests opens", hour())
        await watch("another budget", visitor.set_budget(1024))
        await visitor.__aexit__(None, None, None)
        async with Visitor(server.url, "scenario=5a") as visitor:
            await on_stage(watch, visitor)
            await in_lab(watch, visitor)
        await of_files(watch, server.url)


def main(arguments: list[str]) -> int:
    global SHOW
    parser = argparse.ArgumentParser(prog="python -m tests.bench.heavy", description=__doc__)
    parser.add_argument("--watch", action="store_true")
    parser.add_argument("--log")
    options = parser.parse_args(arguments)
    SHOW = options.watch
    with tempfile.TemporaryDirectory() as folder:
        log = Path(options.log or Path(folder) / "log.txt")
        with serving(log, *(WATCH if options.watch else ())) as server:
            asyncio.run(of_heavy(server))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
