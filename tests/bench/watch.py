"""Tells what holds up a server's loop: `panel serve app --setup tests/bench/watch.py`.

Whatever the loop does at a stretch for longer than `MOST_MS` is told in the log: how long it took,
how long of that its thread ran, and how long all threads (what is left is the machine's, busy with
other processes), and the calls it was seen in. Beside the product: nothing of it is loaded without
the option.
"""

import asyncio
import sys
import time
import traceback
from collections import Counter
from threading import Thread, get_ident

MOST_MS = 60
LOOK_EVERY = 0.005  # seconds
MOST_TOLD = 14  # calls
FOLDERS = ("app", "sim", "panel", "bokeh")
OURS = tuple(f"{folder}/" for folder in FOLDERS)

_run = asyncio.Handle._run
_loop = get_ident()
_since: list[float] = []  # when the loop began with what it does
_seen: Counter[str] = Counter()


def _timed(handle: asyncio.Handle) -> None:
    if get_ident() != _loop:
        _run(handle)
        return
    _seen.clear()
    start, cpu, of_all = time.perf_counter(), time.thread_time(), time.process_time()
    _since[:] = [start]
    _run(handle)
    _since.clear()
    took, cpu = (time.perf_counter() - start) * 1000, (time.thread_time() - cpu) * 1000
    if took > MOST_MS:
        of_all = (time.process_time() - of_all) * 1000
        print(
            f"BLOCKED {took:.0f} ms, {cpu:.0f} ms of it running, all threads {of_all:.0f} ms",
            flush=True,
        )
        for call, count in _seen.most_common(MOST_TOLD):
            print(f"  {count:4} × {call}", flush=True)


def _look() -> None:
    while True:
        time.sleep(LOOK_EVERY)
        frame = sys._current_frames().get(_loop)
        if _since and frame:
            calls = {f"{_place(call)} {call.name}" for call in traceback.extract_stack(frame)}
            _seen.update(call for call in calls if call.startswith(OURS))


def _place(call: traceback.FrameSummary) -> str:
    for folder in FOLDERS:
        _, found, rest = call.filename.rpartition(f"/{folder}/")
        if found:
            return f"{folder}/{rest}:{call.lineno}"
    return ""


# By assignment mypy refuses it: a method of a class cannot be replaced.
setattr(asyncio.Handle, "_run", _timed)  # noqa: B010 - see above
Thread(target=_look, daemon=True).start()
