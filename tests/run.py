"""Set everything up and run every check: `python3 tests/run.py [arguments for pytest]`.

Needs Python 3.11 or later and nothing else: it runs before anything is installed. It

1. makes `.venv` (another place: REBATCH_VENV) and installs the project with its test tools;
2. finds a browser: REBATCH_CHROMIUM, then an installed Chromium or Chrome, then Debian's package
   (as root, with apt-get), then Playwright's own download. Without one the run fails: the page is
   half of the product, and a skipped test would hide it;
3. runs ruff, mypy and pytest with branch coverage of `sim/`. All of them run even if one fails.

The tests get the browser through REBATCH_CHROMIUM; `find_browser` here is the only finder.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parents[1]
OLDEST_PYTHON = (3, 11)
BROWSER_VARIABLE = "REBATCH_CHROMIUM"
VENV_VARIABLE = "REBATCH_VENV"

PATH_NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
)
MAC_APPLICATIONS = (
    "Google Chrome.app/Contents/MacOS/Google Chrome",
    "Chromium.app/Contents/MacOS/Chromium",
)
PLAYWRIGHT_CACHES = (".cache/ms-playwright", "Library/Caches/ms-playwright")
PLAYWRIGHT_BROWSERS = (
    "chromium-*/chrome-linux*/chrome",
    "chromium-*/chrome-mac*/*.app/Contents/MacOS/*",
    "chromium_headless_shell-*/chrome-*/*headless*shell",
)
APT_SECONDS = 900
DOWNLOAD_SECONDS = 180


def say(text: str) -> None:
    """Print a line at once, in order with what the tools print."""
    print(text, flush=True)


def stop(text: str) -> NoReturn:
    """End the run: what is missing and how to get it."""
    sys.exit(f"tests/run.py: {text}")


def succeeds(command: list[str], seconds: float | None = None) -> bool:
    """Whether a command ends well within the time limit; its output is shown."""
    say(f"$ {' '.join(command)}")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    try:
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        say(f"gave up after {seconds:.0f} seconds")
        return False
    return done.returncode == 0


def can_use_apt() -> bool:
    """Whether packages can be installed here: root on Debian itself.

    Ubuntu's package of the name is a stub for a snap, which has no use here.
    """
    try:
        release = Path("/etc/os-release").read_text(encoding="utf-8").splitlines()
    except OSError:
        return False
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    return is_root and "ID=debian" in release and shutil.which("apt-get") is not None


def apt_install(*packages: str) -> bool:
    """Install Debian packages; True if apt-get says that all are there."""
    return succeeds(["apt-get", "update", "-q"], APT_SECONDS) and succeeds(
        ["apt-get", "install", "-q", "-y", "--no-install-recommends", *packages], APT_SECONDS
    )


# The virtual environment


def venv_python(venv: Path) -> Path:
    """The interpreter inside a virtual environment."""
    return venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def is_usable(venv: Path) -> bool:
    """Whether the environment has a Python that is new enough, and pip."""
    check = f"import sys, pip; sys.exit(sys.version_info < {OLDEST_PYTHON})"
    try:
        return subprocess.run([venv_python(venv), "-c", check], capture_output=True).returncode == 0
    except OSError:
        return False


def make_venv() -> Path:
    """The environment to use, made when it is not there or is damaged."""
    venv = Path(os.environ.get(VENV_VARIABLE) or ROOT / ".venv").absolute()
    if is_usable(venv):
        return venv
    if venv.exists() and any(venv.iterdir()) and not (venv / "pyvenv.cfg").exists():
        stop(f"{venv} is not a virtual environment; move it away or set {VENV_VARIABLE}.")
    command = [sys.executable, "-m", "venv", "--clear", str(venv)]
    if not succeeds(command) and can_use_apt() and apt_install("python3-venv"):
        succeeds(command)
    if not is_usable(venv):
        stop(
            "could not make a virtual environment. Debian and Ubuntu keep that part of Python in"
            " a package of its own: apt install python3-venv. Then run this again."
        )
    return venv


def install(venv: Path) -> None:
    """Install the project with its test tools, unless that was done for this pyproject.toml."""
    project = (ROOT / "pyproject.toml").read_bytes()
    fingerprint = hashlib.sha256(project + str(ROOT).encode()).hexdigest()
    stamp = venv / ".rebatch-installed"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == fingerprint:
        return
    pip = [str(venv_python(venv)), "-m", "pip", "install", "--quiet", "--editable", ".[test]"]
    if not succeeds(pip):
        stop("pip could not install the project; its message is above.")
    stamp.write_text(fingerprint, encoding="utf-8")


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
    return on_path + applications + playwright_browsers()


def starts(browser: Path) -> bool:
    """Whether it is a browser that answers, not a stub or a leftover."""
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
        apt_install("chromium", "fonts-noto-cjk")
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


# The checks


def check_all(venv: Path, browser: Path, pytest_arguments: list[str]) -> list[str]:
    """Run every check; the names of those that failed. Pytest is last, so its summary is too."""
    os.environ[BROWSER_VARIABLE] = str(browser)
    checks = {
        "ruff check": ["ruff", "check"],
        "ruff format": ["ruff", "format", "--check"],
        "mypy": ["mypy"],
        "pytest": ["pytest", "--cov", *pytest_arguments],
    }
    python = str(venv_python(venv))
    return [
        name for name, (tool, *rest) in checks.items() if not succeeds([python, "-m", tool, *rest])
    ]


def main(pytest_arguments: list[str]) -> int:
    """Set up, check, and say what failed."""
    if sys.version_info < OLDEST_PYTHON:
        stop(f"needs Python 3.11 or later, and this is {sys.version.split()[0]}.")
    venv = make_venv()
    install(venv)
    browser = get_browser(venv)
    say(f"Python: {venv_python(venv)}\nBrowser: {browser}")
    failed = check_all(venv, browser, pytest_arguments)
    if failed:
        say(f"Failed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
