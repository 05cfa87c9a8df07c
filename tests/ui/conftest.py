"""A real server and a real browser for the page tests.

The server is the command of the README, not an application object inside the test process: what is
tested is what a person starts. Every test is watched: a request to another host, an error on the
browser's console or a Python traceback fails it, whatever the test itself looked at. The browser
resolves no name but 127.0.0.1, so that a forbidden request fails at once, online or not.
"""

import os
import re
import signal
import socket
import subprocess
import sysconfig
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.run import find_browser

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
HOST = "127.0.0.1"
START_SECONDS = 60
WAIT_MS = 20_000
TRACEBACK = "Traceback (most recent call last)"
CLOSED_WHILE_SENDING = re.compile(
    r"Task exception was never retrieved\nfuture: [^\n]*write_message"
    r"[\s\S]*?^tornado\.websocket\.WebSocketClosedError$",
    re.MULTILINE,
)
# Bokeh's own, when a page closes before its session is there: nobody is left to be told.
CLOSED_TOO_EARLY = re.compile(
    r"Traceback (?:(?!Traceback)[\s\S])*?notify_connection_lost\(\)\n"
    r"(?:[ \t][^\n]*\n)*\w*Error[^\n]*"
)
BROWSER_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--no-first-run",
    f"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE {HOST}",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark everything in this folder: `-m "not ui"` leaves the browser out."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.ui)


@dataclass
class Server:
    """A running `panel serve app`, and all it has printed."""

    process: subprocess.Popen[bytes]
    url: str
    log_file: Path
    _num_tracebacks_told: int = 0

    def log(self) -> str:
        return self.log_file.read_text(encoding="utf-8", errors="replace")

    def fail_on_traceback(self) -> None:
        """Fail with the log if a traceback was printed since the last call."""
        log = self.log()
        # A page that is closed while the server still sends to it is nobody's fault.
        for harmless in (CLOSED_WHILE_SENDING, CLOSED_TOO_EARLY):
            log = harmless.sub("", log)
        faults = log.count(TRACEBACK)
        told, self._num_tracebacks_told = self._num_tracebacks_told, faults
        if self._num_tracebacks_told > told:
            pytest.fail(f"the server printed a traceback:\n{log}", pytrace=False)

    def wait_until_it_answers(self) -> None:
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end and self.process.poll() is None:
            try:
                with urlopen(f"{self.url}/app", timeout=START_SECONDS) as answer:
                    answer.read()
            except URLError:
                time.sleep(0.1)
            else:
                # A page whose script failed is answered with 200 too.
                self.fail_on_traceback()
                return
        pytest.fail(f"panel serve app did not answer:\n{self.log()}", pytrace=False)

    def stop(self) -> None:
        """End it and its children."""
        if self.process.poll() is not None:
            return
        os.killpg(self.process.pid, signal.SIGTERM)
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The page, served as the README says: `server.url + "/app"`, `server.log()`."""
    port = free_port()
    log_file = tmp_path_factory.mktemp("server") / "log.txt"
    panel = Path(sysconfig.get_path("scripts")) / "panel"
    with log_file.open("wb") as log:
        process = subprocess.Popen(
            [panel, "serve", "app", "--address", HOST, "--port", str(port)],
            cwd=ROOT,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    running = Server(process, f"http://{HOST}:{port}", log_file)
    try:
        running.wait_until_it_answers()
        yield running
    finally:
        running.stop()
    running.fail_on_traceback()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for the whole run; each test has a context of its own in it."""
    executable = find_browser()
    if executable is None:
        pytest.fail("no Chromium found; `python3 tests/run.py` gets one", pytrace=False)
    expect.set_options(timeout=WAIT_MS)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=str(executable), args=BROWSER_ARGUMENTS
        )
        yield chromium
        chromium.close()


@dataclass
class Watch:
    """What must not happen in a browser context. A test that provokes an error clears it."""

    outside: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def note_address(self, url: str) -> None:
        address = urlsplit(url)
        if address.scheme not in ("data", "blob", "about") and address.hostname != HOST:
            self.outside.append(url)

    def attach(self, context: BrowserContext) -> None:
        context.on("request", lambda request: self.note_address(request.url))
        context.on("weberror", lambda error: self.errors.append(f"uncaught: {error.error}"))
        context.on("console", self.note_message)
        context.on("page", lambda page: page.on("websocket", lambda ws: self.note_address(ws.url)))

    def note_message(self, message: Any) -> None:
        if message.type == "error":
            self.errors.append(f"console: {message.text} ({message.location.get('url', '')})")


@pytest.fixture
def watch() -> Watch:
    """What went wrong in this test's browser so far: `.outside` and `.errors`."""
    return Watch()


@pytest.fixture
def page(
    request: pytest.FixtureRequest, browser: Browser, server: Server, watch: Watch
) -> Iterator[Page]:
    """An empty page in a fresh profile, 1280 × 800.

    Other options of `Browser.new_context` by an indirect parameter:
    `@pytest.mark.parametrize("page", [{"viewport": {"width": 390, "height": 844}}], indirect=True)`
    """
    options: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}, "locale": "en-GB"}
    context = browser.new_context(**options | getattr(request, "param", {}))
    watch.attach(context)
    yield context.new_page()
    context.close()
    server.fail_on_traceback()
    assert not watch.outside, "requests to other hosts"
    assert not watch.errors, "errors in the browser"


@pytest.fixture
def open_page(page: Page, server: Server) -> Callable[..., Page]:
    """Open the page and wait until something in it can be seen: `open_page(".stage", "lang=zh")`.

    Give the selector of what the test needs: the server's first answer is an empty shell.
    """

    def open_and_wait(selector: str, query: str = "") -> Page:
        page.goto(f"{server.url}/app" + (f"?{query}" if query else ""))
        page.locator(selector).first.wait_for(state="visible", timeout=WAIT_MS)
        return page

    return open_and_wait


@pytest.fixture
def shot(page: Page) -> Callable[[str], Path]:
    """Keep a picture of the page for people to look at: `shot("by-hand-dark")`."""

    def take(name: str) -> Path:
        if not re.fullmatch(r"[\w.-]+", name):
            raise ValueError(f"a picture's name is letters, digits, dots and dashes, not {name!r}")
        path = HERE / "shots" / f"{name}.png"
        page.screenshot(path=path)
        return path

    return take
