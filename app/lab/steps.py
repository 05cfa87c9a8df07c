"""Results that come one after another from a thread, into a page that stays free meanwhile.

Unlike `app.background`, which keeps a visitor's document locked until its one result is in: here a
person goes on working, and may stop it. Without a browser everything happens at once.
"""

from collections.abc import Callable, Iterator
from threading import Event, Lock, Thread
from typing import Any

import panel as pn

from sim.sweep import Stopped

Take = Callable[[list[Any]], None]
End = Callable[[Exception | None], None]  # what went wrong, if anything did


def in_steps(results: Iterator[Any], stop: Event, take: Take, end: End) -> None:
    """Hand out what has come since the last time, until all is there or `stop` is set.

    A visitor who leaves sets it too. `end` is called last; one that was stopped has no error.
    """
    document = pn.state.curdoc
    if document is None or document.session_context is None:
        _walk(results, lambda found: take([found]), end)
        return
    document.on_session_destroyed(lambda _: stop.set())
    basket = _Basket(document, take)

    def last(error: Exception | None) -> None:
        document.add_next_tick_callback(lambda: end(error))

    Thread(target=_walk, args=(results, basket.put, last), daemon=True).start()


def _walk(results: Iterator[Any], put: Callable[[Any], None], end: End) -> None:
    try:
        for found in results:
            put(found)
    except Stopped:
        end(None)
    except Exception as error:  # whatever it is, the page must hear of it
        end(error)
    else:
        end(None)


class _Basket:
    """Results on their way from a thread to a page: those that wait travel together."""

    def __init__(self, document: Any, take: Take) -> None:
        self._document, self._take = document, take
        self._found: list[Any] = []
        self._lock = Lock()

    def put(self, found: Any) -> None:
        with self._lock:
            self._found.append(found)
            is_first = len(self._found) == 1
        if is_first:
            self._document.add_next_tick_callback(self._empty)

    def _empty(self) -> None:
        with self._lock:
            found, self._found = self._found, []
        self._take(found)
