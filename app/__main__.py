"""Install and serve: `python3 -m app [arguments for panel serve]`; or save the course as pages.

Needs Python 3.11 or later and nothing else. Makes `.venv` with the project in it, then runs
`panel serve app` there, bound to this machine only, and opens the page. `python3 -m app export DIR`
writes the lessons into a folder instead, see `app.export`.
"""

import os
import subprocess
import sys

from app.environment import ROOT, check_python, install, make_venv, say, venv_python

HELP = """python3 -m app                    serve the page to this machine, and open it
python3 -m app OPTIONS            serve it with options of `panel serve`, such as --port 5007
python3 -m app export DIR         write the lessons as pages into a folder
Ctrl-C ends the server. `.venv/bin/panel serve --help` lists Panel's options."""


def main(arguments: list[str]) -> int:
    """Set up, then become the server, or what saves the pages."""
    if arguments[-1:] in (["-h"], ["--help"]) and arguments[:-1] in ([], ["export"]):
        say(HELP)
        return 0
    if arguments and arguments[0] != "export" and not arguments[0].startswith("-"):
        say(f"rebatch: there is no {arguments[0]}. What there is:\n{HELP}")
        return 2
    check_python()
    venv = make_venv()
    install(venv)
    python = str(venv_python(venv))
    if arguments[:1] == ["export"]:
        command = [python, "-m", "app.export", *map(_absolute, arguments[1:])]
    else:
        command = [python, "-m", "panel", "serve", "app", "--address", "127.0.0.1"]
        command += arguments or ["--show"]
    os.chdir(ROOT)
    if os.name == "nt":
        return subprocess.run(command, check=False).returncode
    os.execv(python, command)


def _absolute(argument: str) -> str:
    """A path as it is from anywhere; an option stays as it is."""
    return argument if argument.startswith("-") else os.path.abspath(argument)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
