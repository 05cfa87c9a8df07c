"""The request table: cells as text in the browser, checked by the session.

The browser owns what is being typed and sends all rows when a cell is committed; the session
answers with problems. Every message carries a counter and the answer repeats it, so an answer that
is older than the newest edit cannot overwrite it. Rows travel as text: what a person typed stays
readable even when it is not a number.

In place of the table stands a form (`app.draft`) where requests are too many to be listed, or when
the table is to be filled.
"""

from collections.abc import Callable
from typing import Any, ClassVar

from app.component import Component, Told
from app.draft import Draft, form_words
from app.heard import short
from app.i18n import join, words
from app.later import Job, at_once
from app.row_text import MOST_IN_A_CELL
from app.rows import ALWAYS, FIELDS, MOST_ROWS, Row, names
from app.script import module, style
from app.session import Session


class RequestTable(Component):
    """A table of inputs for the requests of a session, or the form they come from."""

    table = Told(default={}, doc="Rows or form, problems and words to show.")

    _esm: ClassVar[str] = module(
        "dom.js", "fill.js", "editor/past.js", "editor/block.js", "editor/columns.js",
        "editor/order.js", "editor/line.js", "editor/generator.js", "editor.js",
    )  # fmt: skip
    _stylesheets: ClassVar[list[str]] = [style("editor.css"), style("generator.css")]

    def __init__(
        self, session: Session, later: Callable[[Job], None] = at_once, **params: Any
    ) -> None:
        self._session = session
        self._answered = 0
        self._filled = False
        self._draft = Draft(session, self._refresh)
        super().__init__(table=self._shown(), **params)
        watch = session.param.watch
        shown = ["lang", "rows", "setup", "problems", "picture", "traffic"]
        watch(lambda *_: later(self._refresh), shown)

    def _handle_msg(self, data: dict[str, Any]) -> None:
        match data:
            case {"seq": int(seq)}:
                self._answered = seq
        session = self._session
        match data:
            case {"type": "rows", "rows": list(rows)} if not session.read_only:
                session.set_rows(clean(rows))
            case {"type": "reset"}:
                session.reset()
            case {"type": "fill", "open": bool(is_open)}:
                self._draft.fill(is_open=is_open)
            case {"type": "traffic", "what": str(what), "values": dict(values)}:
                self._filled = self._draft.hear(what, values)
        self._refresh()
        self._filled = False

    def _refresh(self) -> None:
        self.table = self._shown()

    def _shown(self) -> dict[str, Any]:
        session = self._session
        lang = session.lang
        return {
            "scenario": session.scenario_name,
            "rows": clean(session.rows),
            "filled": self._filled,
            "fields": list(FIELDS),
            "always": list(ALWAYS),
            "names": dict(names()),
            "form": self._draft.form(),
            "problems": [problem for problem in session.problems if not problem["option"]],
            "read_only": session.read_only,
            "unit": session.last_good.setup.time,
            "limit": MOST_ROWS,
            "words": words(lang, "editor") | words(lang, "unit") | form_words(lang),
            "gap": join(lang, ["", ""]),
            "seq": self._answered,
        }


def clean(rows: list[Any]) -> list[Row]:
    """At most `MOST_ROWS` rows with exactly the known fields, each a short text."""
    return [
        {field: short(row.get(field, ""), MOST_IN_A_CELL) for field in FIELDS}
        for row in rows[:MOST_ROWS]
        if isinstance(row, dict)
    ]
