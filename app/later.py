"""What can wait until a new picture stands: words, forms and lists that an edit changes too.

The picture goes out at once. All else follows in one message, late enough that the browser has
drawn the picture first. Without a browser nothing waits.
"""

from collections.abc import Callable

import panel as pn

WAIT_MS = 60

Job = Callable[[], None]


def at_once(job: Job) -> None:
    """The other way: wait for nothing."""
    job()


class Later:
    """Runs each job once, after the picture."""

    def __init__(self) -> None:
        self._document = pn.state.curdoc
        self._jobs: dict[Job, None] = {}

    def __call__(self, job: Job) -> None:
        if self._document is None or self._document.session_context is None:
            job()
            return
        if not self._jobs:
            self._document.add_timeout_callback(self._run, WAIT_MS)
        self._jobs[job] = None

    def _run(self) -> None:
        jobs, self._jobs = list(self._jobs), {}
        with pn.io.hold():
            for job in jobs:
                job()
