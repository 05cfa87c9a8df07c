"""`python -m sim`."""

import os
import sys
from io import TextIOWrapper

from sim.cli import main

if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):  # Windows' old code pages have no ★ and no Chinese
        assert isinstance(stream, TextIOWrapper)
        stream.reconfigure(errors="replace")
    code = main()
    try:
        sys.stdout.flush()
    except BrokenPipeError:  # such as `head` that has seen enough; what is left goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)
