"""The page as a person starts it: the command of the README in a process of its own, on any port.

For the page tests and for the benchmark of the page. What it prints is kept in a file and read for
tracebacks.
"""

import os
import re
import signal
import socket
import subprocess
import sysconfig
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

ROOT = Path(__file__).resolve().parents[2]
HOST = "127.0.0.1"
START_SECONDS = 60
TRACEBACK = "Traceback (most recent call last)"
CLOSED_WHILE_SENDING = re.compile(
    r"Task exception was never retrieved\nfuture: [^\n]*(?:write_message|_dispatch_msgs)"
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
        if os.name == "nt":  # no groups; children end with their parent
            self.process.kill()
            self.process.wait()
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


@contextmanager
def serving(log_file: Path, *options: str, port: int | None = None) -> Iterator[Server]:
    """The page while the block runs; a traceback it has printed by its end fails.

    `options` are more of `panel serve`'s, `port` one to be found at again.
    """
    port = port or free_port()
    panel = Path(sysconfig.get_path("scripts")) / "panel"
    with log_file.open("wb") as log:
        process = subprocess.Popen(
            [panel, "serve", "app", "--address", HOST, "--port", str(port), *options],
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
