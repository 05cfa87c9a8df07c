"""Tells what holds up a server's loop: `panel serve app --setup tests/bench/watch.py`.

Told in the log, if the server itself computes longer than `MOST_MS` for it (all times are of the
processor, which a machine busy with other things does not change):

- `BLOCKED`: what the loop does at a stretch, how long of it in the loop's own thread, and the calls
  it was seen in.
- `HELD`: a time in which this watch could not run, as another thread was in a single call of C;
  with the place where each thread is right after it, innermost last.
- `COLLECTED`: a round of the garbage collector, which is such a call.

Beside the product: nothing of it is loaded without the option.
"""

import asyncio
import gc
import sys
import time
import traceback
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from threading import Thread, current_thread, get_ident
from threading import enumerate as threads
from typing import Any

MOST_MS = 40
LOOK_EVERY = 0.003  # seconds
MOST_TOLD = 14  # calls
FOLDERS = ("app", "sim", "panel", "bokeh")
IDLE = ("wait", "select", "_worker")  # where a thread is that does nothing
OURS = tuple(f"{folder}/" for folder in FOLDERS)

_run = asyncio.Handle._run
_loop = get_ident()
_since: list[float] = []  # when the loop began with what it does
_seen: Counter[str] = Counter()
_collecting: list[float] = []


def _say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _timed(handle: asyncio.Handle) -> None:
    if get_ident() != _loop:
        _run(handle)
        return
    _seen.clear()
    own, of_all = time.thread_time(), time.process_time()
    _since[:] = [of_all]
    _run(handle)
    _since.clear()
    own, of_all = (time.thread_time() - own) * 1000, (time.process_time() - of_all) * 1000
    if of_all > MOST_MS:
        lines = [f"BLOCKED {of_all:.0f} ms, {own:.0f} ms of it in the loop's thread"]
        lines += [f"  {count:4} × {call}" for call, count in _seen.most_common(MOST_TOLD)]
        _say("\n".join([*lines, ""]))


def _look() -> None:
    last = time.process_time()
    while True:
        time.sleep(LOOK_EVERY)
        frames = sys._current_frames()
        held = (time.process_time() - last) * 1000
        if held > MOST_MS:
            _tell_held(held, frames)
        if _since and _loop in frames:
            calls = {f"{_place(call)} {call.name}" for call in _calls(frames[_loop])}
            _seen.update(call for call in calls if call.startswith(OURS))
        last = time.process_time()


def _calls(frame: Any) -> Sequence[traceback.FrameSummary]:
    """Those of a thread, which may have gone on: then the picture is blurred, or there is none."""
    try:
        return traceback.extract_stack(frame)
    except AttributeError:
        return ()


def _tell_held(held: float, frames: dict[int, Any]) -> None:
    lines = [f"HELD {held:.0f} ms"]
    for thread in threads():
        frame = frames.get(thread.ident or 0)
        if thread is current_thread() or frame is None:
            continue
        calls = _calls(frame)[-6:]
        if calls and calls[-1].name not in IDLE:
            way = " > ".join(f"{Path(one.filename).name}:{one.lineno} {one.name}" for one in calls)
            lines.append(f"  {thread.name}: {way}")
    _say("\n".join([*lines, ""]))


def _collected(phase: str, info: dict[str, int]) -> None:
    if phase == "start":
        _collecting[:] = [time.thread_time()]
    elif _collecting and (took := (time.thread_time() - _collecting[0]) * 1000) > MOST_MS / 4:
        _say(
            f"COLLECTED {took:.0f} ms in {current_thread().name}, "
            f"generation {info['generation']}, {info['collected']} gone\n"
        )


def _place(call: traceback.FrameSummary) -> str:
    for folder in FOLDERS:
        _, found, rest = call.filename.rpartition(f"/{folder}/")
        if found:
            return f"{folder}/{rest}:{call.lineno}"
    return ""


setattr(asyncio.Handle, "_run", _timed)  # noqa: B010 - mypy lets no assignment replace a method
gc.callbacks.append(_collected)
Thread(target=_look, daemon=True, name="look").start()
