"""What is left of visitors who have gone."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_pages_that_were_closed_are_forgotten() -> None:
    command = [sys.executable, "-m", "tests.app.visits", "3"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.stdout == "0\n", done.stderr
