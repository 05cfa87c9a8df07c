"""How fast the page is, in a real browser: `python -m tests.bench.page [--quick]`.

Prints a table of what was measured beside what the page should keep to. Not a test: a busy machine
is slow, and a figure over its budget is for a person to look at. Edits are timed from the input
event to the first frame with the new run on the canvas, scrubs from the move of the pointer to the
next frame. The large scenario has 200 requests and some 2,000 rounds.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import urlopen

from playwright.sync_api import Browser, Page, sync_playwright

from tests.run import find_browser
from tests.ui.served import BROWSER_ARGUMENTS, Server, serving

PROBE = Path(__file__).with_name("probe.js")
LESSONS = ("3a", "5a")
SLOWER = 4
NUM_SESSIONS = 20
NUM_OPENINGS = 3
MOST_MS = 60_000
FRAMES = "disabled-by-default-devtools.timeline.frame"


@dataclass(frozen=True)
class Effort:
    """How much is measured."""

    edits: int
    moves: int
    frame_seconds: float
    play_seconds: float


FULL = Effort(edits=30, moves=100, frame_seconds=4, play_seconds=60)
QUICK = Effort(edits=6, moves=20, frame_seconds=1, play_seconds=5)


@dataclass(frozen=True)
class Figure:
    """One line of the table; without a limit it is only told."""

    what: str
    value: float
    unit: str
    limit: float | None = None
    at_least: bool = False

    def line(self) -> str:
        verdict = ""
        if self.limit is not None:
            good = self.value >= self.limit if self.at_least else self.value <= self.limit
            sign = "≥" if self.at_least else "≤"
            verdict = f"{sign} {self.limit:g}".ljust(10) + ("OK" if good else "over")
        return f"{self.what:<58}{self.value:>10,.1f} {self.unit:<5}{verdict}"


def large_scenario() -> str:
    """200 requests on 20 seats: ten waves of 200 tokens, some 2,000 rounds."""
    head = "[setup]\nbudget = 64\nmax_num_seqs = 20\n"
    rows = (
        f'[[requests]]\nid = "r{i}"\narrival = {i}\nprompt = {5 + i % 7}\noutput = {195 + i % 11}\n'
        for i in range(200)
    )
    return head + "".join(rows)


def opened(browser: Browser, server: Server, query: str) -> Page:
    """The page with the probe in it, ready to be measured."""
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.set_default_timeout(MOST_MS)
    page.add_init_script(path=PROBE)
    page.goto(f"{server.url}/app?{query}")
    page.locator("[data-run]").wait_for()
    return page


def open_large(browser: Browser, server: Server, folder: Path) -> Page:
    file = folder / "large.toml"
    file.write_text(large_scenario(), encoding="utf-8")
    page = opened(browser, server, "scenario=5a")
    run = page.locator("[data-run]").get_attribute("data-run")
    page.locator("input[type=file]").set_input_files(file)
    page.locator(f"[data-run]:not([data-run='{run}'])").wait_for()
    page.wait_for_timeout(500)
    return page


def throttle(page: Page, rate: int) -> None:
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": rate})


def edits(page: Page, count: int) -> tuple[float, float]:
    """Median ms from an edit of the budget to its picture, and of that until the data is there."""
    now = int(page.locator("input.number").input_value())
    times = []
    for value in islice(cycle((now + 1, now + 2, now)), count):
        times.append(page.evaluate("value => bench.edit(value)", value))
        page.wait_for_timeout(100)
    whole, there = zip(*times, strict=True)
    return statistics.median(whole), statistics.median(there)


def scrubs(page: Page, count: int) -> float:
    """Median ms from a move of the pointer on the bar to the next frame."""
    box = page.locator(".rb-track").bounding_box()
    assert box is not None, "no scrub bar"
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 2, y)
    page.mouse.down()
    page.evaluate("bench.watch_moves()")
    for i in range(count):
        page.mouse.move(box["x"] + box["width"] * (0.02 + 0.9 * i / count), y)
    page.mouse.up()
    page.wait_for_timeout(200)
    return statistics.median(page.evaluate("bench.moves"))


def play(page: Page, speed: str) -> None:
    page.keyboard.press("Home")
    page.wait_for_timeout(400)
    page.get_by_test_id("speed").select_option(speed)
    page.locator("[data-testid=stage]").focus()
    page.keyboard.press("Space")


def paints(page: Page, seconds: float) -> float:
    """Frames a second that the browser draws while the cursor moves and nothing else does.

    As its compositor tells them: the cursor is moved there, whatever the page's own thread does.
    """
    browser = page.context.browser
    assert browser is not None
    play(page, "1")
    browser.start_tracing(page=page, categories=[FRAMES])
    page.wait_for_timeout(seconds * 1000)
    events = json.loads(browser.stop_tracing())["traceEvents"]
    page.keyboard.press("Space")
    times = [event["ts"] / 1e6 for event in events if event["name"] == "DrawFrame"]
    return (len(times) - 1) / (times[-1] - times[0])


def of_page(page: Page, name: str, effort: Effort) -> Iterator[Figure]:
    """Edits, scrubs and playing, as they are and on a slow machine."""
    for rate in (1, SLOWER):
        throttle(page, rate)
        is_fast = rate == 1
        label = name if is_fast else f"{name}, {rate}× CPU throttle"
        whole, there = edits(page, effort.edits)
        is_bound = is_fast and name in LESSONS
        yield Figure(f"{label}: edit → picture", whole, "ms", 100 if is_bound else None)
        yield Figure(f"{label}: … of it until the page has drawn it", there, "ms")
        yield Figure(f"{label}: scrub", scrubs(page, effort.moves), "ms", 20 if is_fast else None)
        rate_shown = paints(page, effort.frame_seconds)
        yield Figure(
            f"{label}: paints/s while playing", rate_shown, "", 55 if is_fast else 50, True
        )
    throttle(page, 1)


def of_playing(page: Page, seconds: float) -> Iterator[Figure]:
    """What is sent to the server while a lesson plays, again and again."""
    sent: list[int] = []
    page.wait_for_timeout(1000)
    wire = page.context.new_cdp_session(page)
    wire.send("Network.enable")
    wire.on("Network.webSocketFrameSent", lambda e: sent.append(len(e["response"]["payloadData"])))
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        play(page, "1")
        page.wait_for_timeout(min(9, max(1, end - time.monotonic())) * 1000)
    yield Figure(f"sent to the server in {seconds:.0f} s of playing", sum(sent), "bytes", 0)


def of_opening(browser: Browser, server: Server) -> Iterator[Figure]:
    """A visit with an empty cache, until Play can be pressed."""
    times, sizes, hosts = [], [], set()
    for _ in range(NUM_OPENINGS):
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        page = context.new_page()
        wire = context.new_cdp_session(page)
        wire.send("Network.enable")
        sizes.append(0)
        wire.on("Network.dataReceived", lambda e: sizes.append(sizes.pop() + e["dataLength"]))
        page.on("request", lambda request: hosts.add(urlsplit(request.url).hostname))
        start = time.perf_counter()
        page.goto(f"{server.url}/app?scenario=5a", wait_until="commit")
        page.locator("[data-run] .rb-play").wait_for()
        times.append(time.perf_counter() - start)
        page.wait_for_timeout(300)
        context.close()
    yield Figure("cold open to playable", statistics.median(times), "s", 2.5)
    yield Figure("cold open, uncompressed", statistics.median(sizes) / 1e6, "MB", 7)
    outside = hosts - {None, "", urlsplit(server.url).hostname}
    yield Figure("other hosts asked", len(outside), "", 0)


def of_sessions(server: Server) -> Iterator[Figure]:
    """Time and memory of a session on the server: so many visits held in one process."""
    before = resident_mib(server.process.pid)
    times = []
    for _ in range(NUM_SESSIONS):
        start = time.perf_counter()
        with urlopen(f"{server.url}/app?scenario=5a") as answer:
            answer.read()
        times.append((time.perf_counter() - start) * 1000)
    yield Figure("session build", statistics.median(times), "ms", 350)
    if before is not None:
        after = resident_mib(server.process.pid) or before
        yield Figure("memory a session", (after - before) / NUM_SESSIONS, "MiB", 2)


def resident_mib(pid: int) -> float | None:
    """Memory of a process, where the system tells."""
    status = Path(f"/proc/{pid}/status")
    if not status.is_file():
        return None
    lines = status.read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


def measure(browser: Browser, server: Server, folder: Path, effort: Effort) -> Iterator[Figure]:
    yield from of_opening(browser, server)
    yield from of_sessions(server)
    for lesson in LESSONS:
        page = opened(browser, server, f"scenario={lesson}")
        yield from of_page(page, lesson, effort)
        if lesson == LESSONS[-1]:
            yield from of_playing(page, effort.play_seconds)
        page.context.close()
    page = open_large(browser, server, folder)
    yield from of_page(page, "200 × 2,000", effort)
    page.context.close()


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.page", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few measurements, to try it out")
    effort = QUICK if parser.parse_args(arguments).quick else FULL
    executable = find_browser()
    if executable is None:
        print("no Chromium found; `python3 tests/run.py` gets one", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        options: Any = {"executable_path": str(executable), "args": BROWSER_ARGUMENTS}
        browser = playwright.chromium.launch(**options)
        with serving(Path(name) / "log.txt") as server:
            for figure in measure(browser, server, Path(name), effort):
                print(figure.line(), flush=True)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
