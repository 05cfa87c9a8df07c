"""Install and serve: `python3 -m app [arguments for panel serve]`.

Needs Python 3.11 or later and nothing else. Makes `.venv` with the project in it, then runs
`panel serve app` there, bound to this machine only, and opens the page.
"""

import os
import subprocess
import sys

from app.environment import ROOT, check_python, install, make_venv, venv_python


def main(arguments: list[str]) -> int:
    """Set up, then become the server."""
    check_python()
    venv = make_venv()
    install(venv)
    python = str(venv_python(venv))
    command = [python, "-m", "panel", "serve", "app", "--address", "127.0.0.1"]
    command += arguments or ["--show"]
    os.chdir(ROOT)
    if os.name == "nt":
        return subprocess.run(command, check=False).returncode
    os.execv(python, command)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
