"""`python -m sim`."""

import sys
from io import TextIOWrapper

from sim.cli import main

if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):  # Windows' old code pages have no ★ and no Chinese
        assert isinstance(stream, TextIOWrapper)
        stream.reconfigure(errors="replace")
    sys.exit(main())
