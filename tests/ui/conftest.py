"""A real server and a real browser for the page tests.

The server is the command of the README, not an application object inside the test process: what is
tested is what a person starts. Every test is watched: a request to another host, an error on the
browser's console or a Python traceback fails it, whatever the test itself looked at. The browser
resolves no name but 127.0.0.1, so that a forbidden request fails at once, online or not.
"""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Page,
    ViewportSize,
    expect,
    sync_playwright,
)

from lessons.catalogue import scenes
from sim.files import SYNTHETIC
from tests.run import find_browser
from tests.ui.served import BROWSER_ARGUMENTS, HOST, Server, serving

KNOWN_SCENES = {*scenes(), SYNTHETIC}
HERE = Path(__file__).resolve().parent
LONG = ("test_course.py", "test_windows.py")
WAIT_MS = 20_000
USES = 12
VIEWPORT: ViewportSize = {"width": 1280, "height": 800}
OPTIONS: dict[str, Any] = {"viewport": VIEWPORT, "locale": "en-GB"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark everything in this folder: `-m "not ui"` leaves the browser out.

    The longest of them begin, lest at the end one worker waits for another. None may come before
    the tests without a browser: Playwright's loop runs on in the process, and some make their own.
    """
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.ui)
    items.sort(key=lambda item: (item.path.is_relative_to(HERE), item.path.name not in LONG))


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The page, served as the README says: `server.url + "/app"`, `server.log()`."""
    with serving(tmp_path_factory.mktemp("server") / "log.txt") as running:
        yield running


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for the whole run; most tests share a page of it."""
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


@pytest.fixture(scope="session")
def watch() -> Watch:
    """What went wrong in this test's browser so far: `.outside` and `.errors`."""
    return Watch()


class KeptPage:
    """The page that the tests of a worker use one after the other.

    It has the scripts in memory, compiled, which halves the work of opening the page. What a test
    leaves behind is taken away; after one that failed, the page itself. So it is after `USES` of
    them, as the browser keeps much memory of pages that are gone.
    """

    def __init__(self, browser: Browser, watch: Watch) -> None:
        self._browser = browser
        self._watch = watch
        self._page: Page | None = None
        self._num_uses = 0

    def get(self) -> Page:
        """An empty page: nothing shown, stored, permitted or to go back to."""
        if self._page is None:
            context = self._browser.new_context(**OPTIONS)
            self._watch.attach(context)
            self._page = context.new_page()
            self._num_uses = 0
        return self._page

    def clean(self, page: Page, origin: str) -> None:
        """Make the page as good as new for the next test."""
        self._num_uses += 1
        if self._num_uses == USES:
            self.drop()
            return
        for other in page.context.pages:
            if other != page:
                other.close()
        page.goto("about:blank")
        page.emulate_media(reduced_motion="no-preference")
        page.mouse.move(0, 0)
        page.context.clear_permissions()
        tools = page.context.new_cdp_session(page)
        tools.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})
        tools.send("Page.resetNavigationHistory")
        tools.detach()

    def drop(self) -> None:
        """Close it; the next test gets another."""
        if self._page is not None:
            self._page.context.close()
            self._page = None


@pytest.fixture(scope="session")
def kept_page(browser: Browser, watch: Watch) -> Iterator[KeptPage]:
    kept = KeptPage(browser, watch)
    yield kept
    kept.drop()


@contextmanager
def page_of_its_own(browser: Browser, watch: Watch, options: dict[str, Any]) -> Iterator[Page]:
    """A page in a fresh profile, for a test that needs more than another size."""
    context = browser.new_context(**OPTIONS | options)
    watch.attach(context)
    yield context.new_page()
    context.close()


@contextmanager
def shared_page(
    kept: KeptPage, session: pytest.Session, origin: str, size: ViewportSize
) -> Iterator[Page]:
    """The kept page in a size."""
    failed = session.testsfailed
    page = kept.get()
    page.set_viewport_size(size)
    yield page
    if session.testsfailed > failed:
        kept.drop()
    else:
        kept.clean(page, origin)


@pytest.fixture
def page(
    request: pytest.FixtureRequest,
    browser: Browser,
    server: Server,
    watch: Watch,
    kept_page: KeptPage,
) -> Iterator[Page]:
    """An empty page with nothing stored, 1280 × 800.

    Other options of `Browser.new_context` by an indirect parameter:
    `@pytest.mark.parametrize("page", [{"viewport": {"width": 390, "height": 844}}], indirect=True)`
    """
    options: dict[str, Any] = getattr(request, "param", {})
    watch.outside.clear()
    watch.errors.clear()
    if options.keys() <= {"viewport"}:
        size = options.get("viewport", VIEWPORT)
        used = shared_page(kept_page, request.session, server.url, size)
    else:
        used = page_of_its_own(browser, watch, options)
    with used as page:
        yield page
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
        scene = dict(parse_qsl(query)).get("scenario")
        if scene in KNOWN_SCENES:  # a long run comes after the page
            page.locator(f".app[data-scene='{scene}'] .stage[aria-busy=false]").wait_for(
                state="attached", timeout=WAIT_MS
            )
        page.locator(selector).first.wait_for(state="visible", timeout=WAIT_MS)
        return page

    return open_and_wait


@pytest.fixture
def shot(page: Page) -> Callable[[str], None]:
    """Keep a picture of the page for people to look at: `shot("by-hand-dark")`.

    It takes as long as a small test, so only where REBATCH_SHOTS asks for it.
    """

    def take(name: str) -> None:
        if not re.fullmatch(r"[\w.-]+", name):
            raise ValueError(f"a picture's name is letters, digits, dots and dashes, not {name!r}")
        if os.environ.get("REBATCH_SHOTS"):
            page.screenshot(path=HERE / "shots" / f"{name}.png")

    return take
