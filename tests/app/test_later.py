"""What an edit changes beside the picture comes after it, once, and in one message."""

from collections.abc import Callable

import pytest

from app.later import WAIT_MS, Later


class Document:
    """Keeps what is to be called later."""

    def __init__(self) -> None:
        self.session_context = object()
        self.waiting: list[tuple[Callable[[], None], int]] = []

    def add_timeout_callback(self, callback: Callable[[], None], wait: int) -> None:
        self.waiting.append((callback, wait))


def test_without_a_browser_nothing_waits() -> None:
    done: list[str] = []
    Later()(lambda: done.append("job"))
    assert done == ["job"]


def test_jobs_wait_and_run_once_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    document = Document()
    later = Later()
    monkeypatch.setattr(later, "_document", document)
    done: list[str] = []

    def first() -> None:
        done.append("first")

    for job in (first, lambda: done.append("second"), first):
        later(job)
    assert done == []
    [(run, wait)] = document.waiting
    assert wait == WAIT_MS
    run()
    assert done == ["first", "second"]
    later(first)
    assert len(document.waiting) == 2
