"""Tells what holds up a server's loop: `panel serve app --setup tests/bench/watch.py`.

Whatever the loop does at a stretch for longer than `MOST_MS` is told in the log, with the lines of
code it was seen at meanwhile and how much of the time it was this thread that ran. Beside the
product: nothing of it is loaded without the option.
"""

import asyncio
import sys
import time
import traceback
from collections import Counter
from threading import Thread, get_ident

MOST_MS = 60
LOOK_EVERY = 0.01  # seconds
DEEPEST = 14  # frames of a place

_run = asyncio.Handle._run
_loop = get_ident()
_now: list[float] = []  # since when the loop has been at what it does, if at anything
_seen: Counter[str] = Counter()


def _timed(handle: asyncio.Handle) -> None:
    start, cpu = time.perf_counter(), time.thread_time()
    _now[:] = [start]
    _run(handle)
    _now.clear()
    took, cpu = (time.perf_counter() - start) * 1000, (time.thread_time() - cpu) * 1000
    if took > MOST_MS and get_ident() == _loop:
        print(f"BLOCKED {took:.0f} ms, {cpu:.0f} ms of it running {handle!r}"[:300], flush=True)
        for place, count in _seen.most_common(3):
            print(f"  seen {count} times at\n{place}", flush=True)
    _seen.clear()


def _look() -> None:
    while True:
        time.sleep(LOOK_EVERY)
        since = _now[:1]
        frame = sys._current_frames().get(_loop)
        if since and frame and time.perf_counter() - since[0] > LOOK_EVERY:
            calls = traceback.extract_stack(frame)[-DEEPEST:]
            _seen["\n".join(f"    {c.filename.rpartition('packages/')[2]}:{c.lineno} {c.name}" for c in calls)] += 1


asyncio.Handle._run = _timed  # type: ignore[method-assign]
asyncio.events.Handle._run = _timed  # type: ignore[method-assign]
Thread(target=_look, daemon=True).start()
