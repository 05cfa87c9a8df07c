"""The request table: cells as text in the browser, checked by the session.

The browser owns what is being typed and sends all rows when a cell is committed; the session
answers with problems. Every message carries a counter and the answer repeats it, so an answer that
is older than the newest edit cannot overwrite it. Rows travel as text: what a person typed stays
readable even when it is not a number.
"""

from typing import Any, ClassVar

import param
from panel.custom import JSComponent

from app.i18n import join, say, words
from app.rows import FIELDS, MOST_ROWS, Row
from app.script import module, style
from app.session import Session
from app.url import MOST_IN_A_CELL
from sim.files import SYNTHETIC


class RequestTable(JSComponent):
    """A table of inputs for the requests of a session."""

    table = param.Dict(default={}, doc="Rows, problems and words to show.")

    _esm: ClassVar[str] = module("dom.js", "editor.js")
    _stylesheets: ClassVar[list[str]] = [style("editor.css")]

    def __init__(self, session: Session, **params: Any) -> None:
        self._session = session
        self._answered = 0
        super().__init__(table=self._shown(), **params)
        session.param.watch(self._refresh, ["lang", "rows", "problems", "read_only", "payload"])

    def _handle_msg(self, data: dict[str, Any]) -> None:
        match data:
            case {"type": "rows", "rows": list(rows), "seq": int(seq)} if (
                not self._session.read_only
            ):
                self._answered = seq
                self._session.set_rows(clean(rows))
                self._refresh()
            case {"type": "reset", "seq": int(seq)}:
                self._answered = seq
                self._session.reset()
                self._refresh()

    def _refresh(self, *_: param.parameterized.Event) -> None:
        self.table = self._shown()

    def _shown(self) -> dict[str, Any]:
        session = self._session
        rows = clean(session.rows)
        lang = session.lang
        drawn = {"read_only": say(lang, "editor.drawn")}
        fixed = drawn if session.scenario_name == SYNTHETIC else {}
        return {
            "scenario": session.scenario_name,
            "rows": rows,
            "left_out": len(session.rows) - len(rows),
            "problems": [problem for problem in session.problems if not problem["option"]],
            "read_only": session.read_only,
            "unit": session.payload.get("unit", "ms") if session.payload else "ms",
            "limit": MOST_ROWS,
            "words": words(lang, "editor") | words(lang, "unit") | fixed,
            "gap": join(lang, ["", ""]),
            "seq": self._answered,
        }


def clean(rows: list[Any]) -> list[Row]:
    """At most `MOST_ROWS` rows with exactly the known fields, each a short text."""
    return [
        {field: str(row.get(field, ""))[:MOST_IN_A_CELL] for field in FIELDS}
        for row in rows[:MOST_ROWS]
        if isinstance(row, dict)
    ]
