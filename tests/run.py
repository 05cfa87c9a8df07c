"""Set everything up and run every check: `python3 tests/run.py [arguments for pytest]`.

Needs Python 3.11 or later and nothing else: it runs before anything is installed. It

1. makes `.venv` (another place: REBATCH_VENV) and installs the project with its test tools;
2. finds a browser: REBATCH_CHROMIUM, then an installed Chromium or Chrome, then Debian's package
   (as root, with apt-get), then Playwright's own download; and sees that Playwright itself starts.
   Without them the run fails: the page is half of the product, and a skipped test would hide it;
3. runs ruff, mypy and pytest with branch coverage of `sim/`. All of them run even if one fails.

The tests get the browser through REBATCH_CHROMIUM; `find_browser` here is the only finder.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from app.environment import (  # noqa: E402 - found only once the root is on the path
    apt_install,
    can_use_apt,
    check_python,
    install,
    make_venv,
    say,
    stop,
    succeeds,
    venv_python,
)

BROWSER_VARIABLE = "REBATCH_CHROMIUM"

PATH_NAMES = (
    "chromium-headless-shell",  # draws no window around the page, which spares time
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
)
DEBIAN_PACKAGES = ("chromium-headless-shell", "chromium")  # the first is not in every release
MAC_APPLICATIONS = (
    "Google Chrome.app/Contents/MacOS/Google Chrome",
    "Chromium.app/Contents/MacOS/Chromium",
)
WINDOWS_FOLDERS = ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")
WINDOWS_APPLICATION = "Google/Chrome/Application/chrome.exe"
PLAYWRIGHT_CACHES = (
    ".cache/ms-playwright",
    "Library/Caches/ms-playwright",
    "AppData/Local/ms-playwright",
)
PLAYWRIGHT_BROWSERS = (
    "chromium-*/chrome-linux*/chrome",
    "chromium-*/chrome-mac*/*.app/Contents/MacOS/*",
    "chromium-*/chrome-win*/chrome.exe",
    "chromium_headless_shell-*/chrome-*/*headless*shell",
)
DOWNLOAD_SECONDS = 180
DRIVER_SECONDS = 60
WORKERS = ("-n", "auto", "--maxprocesses", "4", "--dist", "worksteal")


# The browser


def playwright_browsers() -> list[Path]:
    """Browsers that Playwright has downloaded, newest first."""
    told = os.environ.get("PLAYWRIGHT_BROWSERS_PATH", "")
    caches = [Path(told)] if told else [Path.home() / part for part in PLAYWRIGHT_CACHES]
    return [
        browser
        for pattern in PLAYWRIGHT_BROWSERS
        for cache in caches
        for browser in sorted(cache.glob(pattern), reverse=True)
    ]


def candidates() -> list[Path]:
    """Where a Chromium may be, best guess first."""
    on_path = [Path(found) for name in PATH_NAMES if (found := shutil.which(name))]
    folders = [Path("/Applications"), Path.home() / "Applications"]
    applications = [folder / name for name in MAC_APPLICATIONS for folder in folders]
    told = [os.environ.get(name) for name in WINDOWS_FOLDERS]
    applications += [Path(folder) / WINDOWS_APPLICATION for folder in told if folder]
    return on_path + applications + playwright_browsers()


def starts(browser: Path) -> bool:
    """Whether it is a browser that answers, not a stub or a leftover."""
    if os.name == "nt":  # there it would open a window instead of an answer
        return browser.is_file()
    try:
        answer = subprocess.run([browser, "--version"], capture_output=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return answer.returncode == 0 and b"Chrom" in answer.stdout


def find_browser() -> Path | None:
    """The browser to test with, or None. The environment's word is final, right or wrong."""
    told = os.environ.get(BROWSER_VARIABLE)
    places = [Path(told)] if told else candidates()
    return next((place for place in places if starts(place)), None)


def get_browser(venv: Path) -> Path:
    """Find a browser or install one."""
    if browser := find_browser():
        return browser
    if told := os.environ.get(BROWSER_VARIABLE):
        stop(f"{BROWSER_VARIABLE} is {told}, which does not answer as a Chromium.")
    if can_use_apt():
        any(apt_install(package, "fonts-noto-cjk") for package in DEBIAN_PACKAGES)
    if not (browser := find_browser()):
        download = [str(venv_python(venv)), "-m", "playwright", "install", "chromium"]
        succeeds(download, DOWNLOAD_SECONDS)
        browser = find_browser()
    if not browser:
        stop(
            "no browser. The page tests need Chromium or Chrome: install one (Debian: apt install"
            f" chromium) or set {BROWSER_VARIABLE} to its path. Then run this again."
        )
    return browser


def check_driver(venv: Path) -> None:
    """See that Playwright's driver starts; small Debian systems lack a library that it needs."""
    version = [str(venv_python(venv)), "-m", "playwright", "--version"]
    if succeeds(version, DRIVER_SECONDS):
        return
    if not (can_use_apt() and apt_install("libatomic1") and succeeds(version, DRIVER_SECONDS)):
        stop(
            "Playwright, which drives the browser, does not start; its message is above. Where it"
            " misses libatomic.so.1: apt install libatomic1. Then run this again."
        )


# The checks


def check_all(venv: Path, browser: Path, pytest_arguments: list[str]) -> list[str]:
    """Run every check; the names of those that failed. Pytest is last, so its summary is too."""
    os.environ[BROWSER_VARIABLE] = str(browser)
    checks = {
        "ruff check": ["ruff", "check"],
        "ruff format": ["ruff", "format", "--check"],
        "mypy": ["mypy"],
        "pytest": ["pytest", "--cov", *WORKERS, *(pytest_arguments or ["--cov-fail-under=100"])],
    }
    python = str(venv_python(venv))
    return [
        name for name, (tool, *rest) in checks.items() if not succeeds([python, "-m", tool, *rest])
    ]


def main(pytest_arguments: list[str]) -> int:
    """Set up, check, and say what failed."""
    check_python()
    venv = make_venv()
    install(venv, "[test]")
    browser = get_browser(venv)
    check_driver(venv)
    say(f"Python: {venv_python(venv)}\nBrowser: {browser}")
    failed = check_all(venv, browser, pytest_arguments)
    if failed:
        say(f"Failed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
