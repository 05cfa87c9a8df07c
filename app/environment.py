"""Makes the project's own virtual environment and installs the project into it.

Standard library only: this runs before anything is installed, for `python3 -m app`, which serves
the page, and for `tests/run.py`, which checks everything. An environment that is there and fits
is used as it is.
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
VENV_VARIABLE = "REBATCH_VENV"
APT_SECONDS = 900


def say(text: str) -> None:
    """Print a line at once, in order with what the tools print."""
    print(text, flush=True)


def stop(text: str) -> NoReturn:
    """End the run: what is missing and how to get it."""
    sys.exit(f"rebatch: {text}")


def check_python() -> None:
    """End the run if this Python is too old for the project."""
    if sys.version_info < OLDEST_PYTHON:
        stop(f"needs Python 3.11 or later, and this is {sys.version.split()[0]}.")


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
    if not succeeds(command) and can_use_apt():
        say("rebatch: Debian has this part of Python as a package of its own; it is installed now.")
        if apt_install("python3-venv"):
            succeeds(command)
    if not is_usable(venv):
        stop(
            "could not make a virtual environment. Debian and Ubuntu keep that part of Python in"
            " a package of its own: apt install python3-venv. Then run this again."
        )
    return venv


def install(venv: Path, extra: str = "") -> None:
    """Install the project, with an extra such as `[test]`, unless that is done already."""
    project = (ROOT / "pyproject.toml").read_bytes()
    fingerprint = hashlib.sha256(project + str(ROOT).encode()).hexdigest()
    stamp = venv / f".rebatch-installed{extra}"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == fingerprint:
        return
    pip = [str(venv_python(venv)), "-m", "pip", "install", "--quiet", "--editable", f".{extra}"]
    if not succeeds(pip):
        stop("pip could not install the project; its message is above.")
    stamp.write_text(fingerprint, encoding="utf-8")
