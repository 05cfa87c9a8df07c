"""What is typed into the form of a generator, and what runs once it is run.

The form stands in place of the request table, and beside the pictures of the traffic in the lab.
What is typed there counts when it is run, not before. Drawing thousands of requests takes a while:
then the form answers at once with the boxes it has, and with the rest when that is known.
"""

from collections.abc import Callable, Mapping
from typing import Any

from app import generator
from app.generator import Mode, Texts
from app.generator_form import Found, form
from app.heard import short
from app.i18n import words
from app.rows import typed_requests
from app.session import Session
from app.setup_options import MOST_IN_A_BOX, number_of
from app.setup_options import differing as setup_differing
from sim.setup import Request

QUICK_REQUESTS = 3_000  # above, they are drawn in the background

NOT_YET: Found = ((), [])  # neither requests nor anything wrong

_Key = tuple[Any, ...]


class Draft:
    """The form of one session's requests; `changed` is called when a slow answer is known."""

    def __init__(self, session: Session, changed: Callable[[], None]) -> None:
        self._session = session
        self._changed = changed
        self._asked: Texts = {}  # typed and not run yet
        self._filling = False
        self._wanted: _Key = ()  # what is being drawn in the background
        self._key: _Key = ()
        self._made: tuple[dict[str, Any], Found] = ({}, ((), []))  # for the key
        session.param.watch(
            lambda *_: self.fill(is_open=False), ["scenario_name", "traffic", "read_only"]
        )

    @property
    def mode(self) -> Mode | None:
        """Which form there is, if any."""
        if self._session.read_only:
            return generator.mode_of(self._session.scenario_name)
        return "fill" if self._filling else None

    @property
    def is_typed(self) -> bool:
        """Whether something is typed that does not run."""
        return bool(self._asked) or self._filling

    @property
    def requests(self) -> tuple[Request, ...]:
        """Those of the last form, or none if something is wrong with it."""
        return self._made[1][0] if self.mode else ()

    def fill(self, *, is_open: bool) -> None:
        """Open or close the form that fills the table; what was typed is gone."""
        self._asked, self._filling = {}, is_open and not self._session.read_only

    def values(self, mode: Mode) -> Texts:
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

    def hear(self, what: str, values: Mapping[str, Any]) -> bool:
        """A box changed, all of it run, or all of it taken back; whether the table was filled."""
        mode = self.mode
        if mode is None:
            return False
        known = generator.own(mode, "ms")
        match what:
            case "try":
                typed = {n: short(v, MOST_IN_A_BOX) for n, v in values.items() if n in known}
                self._asked = {**self._asked, **typed}
            case "run":
                return self._run(mode)
            case "reset":
                self._asked = {}
                if mode != "fill":
                    loop = {} if mode == "cut" else {"loop": "open"}
                    self._put(mode, known | loop)
        return False

    def form(self) -> dict[str, Any] | None:
        """What the browser draws, see `app.generator_form`; None where there is no form."""
        mode, session = self.mode, self._session
        if mode is None:
            self._key = self._wanted = ()
            return None
        values = self.values(mode)
        key = (mode, values, session.chosen, session.lang)
        if key != self._key:
            self._make(key)
        is_changed = bool(session.traffic or self._asked or generator.looped(values)["concurrency"])
        return _refilled(self._made[0], values) | {"is_changed": is_changed}

    def _make(self, key: _Key) -> None:
        """A form for these values; where that takes long, until then one without an answer."""
        mode, values, scenario, lang = key
        if not _is_slow(mode, values, len(scenario.requests)):
            self._key, self._made = key, _made(*key)
            return
        if self._key[:1] != (mode,):
            self._made = (form(mode, values, scenario, lang, NOT_YET), NOT_YET)
        if key == self._wanted:
            return
        self._wanted, is_late = key, False

        def then(made: tuple[dict[str, Any], Found]) -> None:
            if key == self._wanted:
                self._key, self._made = key, made
                if is_late:
                    self._changed()

        self._session.defer(lambda: _made(*key), then)
        is_late = True

    def _run(self, mode: Mode) -> bool:
        session, values = self._session, self.values(mode)
        is_known = self._key[:3] == (mode, values, session.chosen)
        found = self._made[1] if is_known else generator.drawn(mode, values, session.chosen)
        requests, problems = found
        if problems or (mode == "draw" and generator.loop_problems(values, session.chosen.setup)):
            return False
        if mode != "fill":
            self._put(mode, values)
            return False
        self.fill(is_open=False)
        session.set_rows(typed_requests(requests, session.chosen.setup.time))
        return True

    def _put(self, mode: Mode, values: Texts) -> None:
        """Traffic and loop together, so that they are simulated once."""
        session = self._session
        setup = session.setup
        if mode == "draw":
            setup = setup_differing(session.chosen.setup, {**setup, **generator.looped(values)})
        session.param.update(traffic=generator.differing(mode, values), setup=setup)
        self._asked = {}


def form_words(lang: str) -> dict[str, str]:
    """The words of the form that are no part of an answer."""
    return {name: words(lang, "generator")[name] for name in ("as_it_was", "back", "wrong")}


def _is_slow(mode: Mode, values: Texts, num_requests: int) -> bool:
    count = num_requests if mode == "cut" else number_of(values["requests"].strip())
    return isinstance(count, int) and count > QUICK_REQUESTS


def _made(mode: Mode, values: Texts, scenario: Any, lang: str) -> tuple[dict[str, Any], Found]:
    found = generator.drawn(mode, values, scenario)
    return form(mode, values, scenario, lang, found), found


def _refilled(made: dict[str, Any], values: Texts) -> dict[str, Any]:
    """The form with what stands in its boxes now."""
    return made | {
        "groups": [
            group
            | {"fields": [field | {"value": values[field["name"]]} for field in group["fields"]]}
            for group in made["groups"]
        ]
    }
