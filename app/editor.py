"""The request table: cells as text in the browser, checked by the session.

The browser owns what is being typed and sends all rows when a cell is committed; the session
answers with problems. Every message carries a counter and the answer repeats it, so an answer that
is older than the newest edit cannot overwrite it. Rows travel as text: what a person typed stays
readable even when it is not a number.

In place of the table stands a form (`app.generator_form`) where requests are too many to be listed,
or when the table is to be filled. What is typed there counts when it is run, not before.
"""

from collections.abc import Callable
from typing import Any, ClassVar

import param

from app import generator
from app.component import Component
from app.generator import Mode, Texts
from app.generator_form import form
from app.i18n import join, words
from app.later import Job, at_once
from app.row_text import MOST_IN_A_CELL
from app.rows import ALWAYS, FIELDS, MOST_ROWS, Row, names, typed_requests
from app.script import module, style
from app.session import Session
from app.setup_options import MOST_IN_A_BOX
from app.setup_options import differing as setup_differing


class RequestTable(Component):
    """A table of inputs for the requests of a session, or the form they come from."""

    table = param.Dict(default={}, doc="Rows or form, problems and words to show.")

    _esm: ClassVar[str] = module(
        "dom.js", "editor/past.js", "editor/block.js", "editor/columns.js", "editor/order.js",
        "editor/line.js", "editor/generator.js", "editor.js",
    )  # fmt: skip
    _stylesheets: ClassVar[list[str]] = [style("editor.css"), style("generator.css")]

    def __init__(
        self, session: Session, later: Callable[[Job], None] = at_once, **params: Any
    ) -> None:
        self._session = session
        self._answered = 0
        self._asked: Texts = {}  # typed into the form and not run yet
        self._filling = False
        self._filled = False
        self._made: tuple[Any, dict[str, Any]] = ((), {})  # the last form, which may draw thousands
        super().__init__(table=self._shown(), **params)
        watch = session.param.watch
        watch(self._start_anew, ["scenario_name", "traffic", "read_only"])
        shown = ["lang", "rows", "setup", "problems", "payload", "traffic"]
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
                self._asked, self._filling = {}, is_open and not session.read_only
            case {"type": "traffic", "what": str(what), "values": dict(values)} if self._mode:
                self._hear(what, values)
        self._refresh()
        self._filled = False

    @property
    def _mode(self) -> Mode | None:
        """Which form stands in place of the table, if any."""
        if self._session.read_only:
            return generator.mode_of(self._session.scenario_name)
        return "fill" if self._filling else None

    def _values(self, mode: Mode) -> Texts:
        """What stands in the form: what runs now, and over it what is typed."""
        session = self._session
        own = generator.own(mode, session.chosen.setup.time)
        if mode == "draw":
            setup = session.last_good.setup
            think = session.setup.get("think", "")
            clients = "" if setup.concurrency is None else str(setup.concurrency)
            own |= {"concurrency": clients, "think": think}
            own |= {"loop": "closed" if clients else "open"}
        return own | session.traffic | self._asked

    def _hear(self, what: str, values: dict[str, Any]) -> None:
        """What is done in the form: a box changed, all of it run, or all of it taken back."""
        mode = self._mode
        assert mode
        known = generator.own(mode, "ms")
        match what:
            case "try":
                typed = {n: str(v)[:MOST_IN_A_BOX] for n, v in values.items() if n in known}
                self._asked = {**self._asked, **typed}
            case "run":
                self._run(mode)
            case "reset":
                self._asked = {}
                if mode != "fill":
                    loop = {} if mode == "cut" else {"loop": "open"}
                    self._put(mode, known | loop)

    def _run(self, mode: Mode) -> None:
        session, values = self._session, self._values(mode)
        requests, problems = generator.drawn(mode, values, session.chosen)
        if problems or (mode == "draw" and generator.loop_problems(values, session.chosen.setup)):
            return
        if mode != "fill":
            self._put(mode, values)
            return
        self._asked, self._filling, self._filled = {}, False, True
        session.set_rows(typed_requests(requests, session.chosen.setup.time))

    def _put(self, mode: Mode, values: Texts) -> None:
        """Traffic and loop together, so that they are simulated once."""
        session = self._session
        setup = session.setup
        if mode == "draw":
            setup = setup_differing(session.chosen.setup, {**setup, **generator.looped(values)})
        session.param.update(traffic=generator.differing(mode, values), setup=setup)
        self._asked = {}

    def _start_anew(self, *_: param.parameterized.Event) -> None:
        self._asked, self._filling = {}, False

    def _refresh(self) -> None:
        self.table = self._shown()

    def _form(self) -> dict[str, Any] | None:
        mode, session = self._mode, self._session
        if mode is None:
            return None
        values = self._values(mode)
        is_changed = bool(session.traffic or self._asked or generator.looped(values)["concurrency"])
        key = (mode, values, session.chosen, session.lang)
        if key != self._made[0]:
            self._made = (key, form(*key))
        return self._made[1] | {"is_changed": is_changed}

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
            "form": self._form(),
            "problems": [problem for problem in session.problems if not problem["option"]],
            "read_only": session.read_only,
            "unit": session.payload.get("unit", "ms") if session.payload else "ms",
            "limit": MOST_ROWS,
            "words": words(lang, "editor") | words(lang, "unit") | _form_words(lang),
            "gap": join(lang, ["", ""]),
            "seq": self._answered,
        }


def _form_words(lang: str) -> dict[str, str]:
    return {name: words(lang, "generator")[name] for name in ("as_it_was", "back", "wrong")}


def clean(rows: list[Any]) -> list[Row]:
    """At most `MOST_ROWS` rows with exactly the known fields, each a short text."""
    return [
        {field: str(row.get(field, ""))[:MOST_IN_A_CELL] for field in FIELDS}
        for row in rows[:MOST_ROWS]
        if isinstance(row, dict)
    ]
