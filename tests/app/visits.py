"""Visits to a server of this process: `python -m tests.app.visits 5` prints how many pages stay.

A page is asked for, no browser opens its socket, and the server forgets it half a second later.
"""

import asyncio
import gc
import sys
from pathlib import Path
from urllib.request import urlopen

from bokeh.command.util import build_single_handler_application
from panel.io.server import Server
from tornado.ioloop import IOLoop

from app.page import App

PAGE = Path(__file__).resolve().parents[2] / "app"
SOON_MS = 500


async def visit(times: int) -> None:
    """Ask for the page so often, wait until all sessions are gone, and count what is left."""
    application = build_single_handler_application(str(PAGE))
    server = Server(
        {"/app": application},
        port=0,
        address="127.0.0.1",
        io_loop=IOLoop.current(),
        unused_session_lifetime_milliseconds=SOON_MS,
        check_unused_sessions_milliseconds=SOON_MS,
    )
    server.start()
    url = f"http://127.0.0.1:{server.port}/app?scenario=3a"
    for _ in range(times):
        await asyncio.to_thread(lambda: urlopen(url).read())
    while server.get_sessions("/app"):
        await asyncio.sleep(SOON_MS / 1000)
    gc.unfreeze()
    gc.collect()
    sys.stdout.write(f"{sum(isinstance(one, App) for one in gc.get_objects())}\n")
    server.stop()


if __name__ == "__main__":
    asyncio.run(visit(int(sys.argv[1])))
