"""The frame of the page: top bar, scene list, lesson column, stage column, input bar, drawer.

One browser component, because these parts share one grid and one set of words. It holds the Panel
objects that fill the columns as children and knows nothing of scheduling. What it shows is one
dictionary (`view`); what a person does comes back as small messages, each checked here before it
reaches the session.
"""

from collections.abc import Callable
from typing import Any, ClassVar

from panel.custom import Child

from app.component import Component, Told
from app.inbox import NAME_LIMIT, Inbox
from app.saving import Saved
from app.script import module, style

Message = dict[str, Any]


class Shell(Component):
    """Everything around the stage."""

    view = Told(default={}, doc="Words, lists and values to show; see `app.page.view_of`.")
    course = Told(default={}, doc="Lessons and questions; see `app.lesson_view`.")
    lesson = Told(default={}, doc="Texts, steps and exercises; see `app.lesson_view`.")
    stage = Child(doc="The player.")
    slider = Child(doc="The budget slider.")
    table = Child(doc="The request table, in a drawer.")
    setup = Child(doc="The setup, in a drawer.")
    lab = Child(doc="The lab, in place of lesson and stage.")

    _esm: ClassVar[str] = module(
        "keys.js", "more.js", "dom.js", "fill.js", "upload.js", "shell/share.js", "shell/help.js",
        "shell/brand.js", "shell/top.js",
        "shell/progress.js", "shell/questions.js", "shell/face.js", "shell/rail.js",
        "shell/files.js", "shell/drawers.js", "shell/inputs.js", "shell/notice.js",
        "shell/exercise.js", "shell/steps.js", "shell/lesson.js", "shell/present.js",
        "shell/print.js", "shell/address.js", "shell/shell.js",
    )  # fmt: skip
    _stylesheets: ClassVar[list[str]] = [
        style("page.css"),
        style("signs.css"),
        style("exercise.css"),
    ]

    def __init__(
        self,
        *,
        on_choice: Callable[[str, str], None],
        on_budget: Callable[[int], None],
        on_file: Callable[[str, bytes], None],
        on_link: Callable[[str, int], None],
        on_save: Callable[[str, Callable[[Saved], None]], None],
        **params: Any,
    ) -> None:
        self._on_choice = on_choice
        self._on_budget = on_budget
        self._on_file = on_file
        self._on_link = on_link
        self._on_save = on_save
        self._inbox = Inbox()
        super().__init__(**params)

    def _handle_msg(self, data: Message) -> None:
        match data:
            case {"type": "choice", "what": str(what), "value": str(value)}:
                self._on_choice(what, value)
            case {"type": "budget", "value": int(value)}:
                self._on_budget(value)
            case {"type": "link", "search": str(search), "number": int(number)}:
                self._on_link(search, number)
            case {"type": "save", "what": str(what)}:
                self._on_save(what, self._hand_over)
            case {"type": "file", "name": str(name), "part": bytes(part), "last": bool(last)}:
                content = self._inbox.take(part, is_last=last)
                if content is not None:
                    self._on_file(name[:NAME_LIMIT], content)

    def _hand_over(self, saved: Saved) -> None:
        """Send a file to the browser."""
        file = {"name": saved.name, "mime": saved.mime, "content": saved.packed}
        self._send_msg({"type": "saved"} | file)
