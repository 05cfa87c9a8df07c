"""The setup drawer: every option as a box, a list or a switch, checked by the session.

It works as the request table does: the browser owns what is being typed, a committed value goes to
the session, the answer repeats the message's counter, and an older answer overwrites nothing.
"""

from typing import Any, ClassVar

import param
from panel.custom import JSComponent

from app import setup_form
from app.i18n import join, say
from app.script import module, style
from app.session import Session
from app.setup_form import MOST_IN_A_BOX, options, phrases, presets


class SetupPanel(JSComponent):
    """A form for the setup of a session."""

    form = param.Dict(default={}, doc="Groups, summary, presets, problems and words to show.")

    _esm: ClassVar[str] = module("dom.js", "setup.js")
    _stylesheets: ClassVar[list[str]] = [style("editor.css"), style("setup.css")]

    def __init__(self, session: Session, **params: Any) -> None:
        self._session = session
        self._answered = 0
        super().__init__(form=self._shown(), **params)
        session.param.watch(self._refresh, ["lang", "setup", "budget", "problems", "payload"])

    def _handle_msg(self, data: dict[str, Any]) -> None:
        session = self._session
        match data:
            case {"type": "set", "name": str(name), "value": str(value), "seq": int(seq)}:
                self._answered = seq
                if name in options():
                    session.set_setup({name: value[:MOST_IN_A_BOX]})
                self._refresh()
            case {"type": "preset", "name": str(name), "seq": int(seq)}:
                self._answered = seq
                session.put_preset(name)
                self._refresh()
            case {"type": "reset", "seq": int(seq)}:
                self._answered = seq
                session.setup = {}
                self._refresh()

    def _refresh(self, *_: param.parameterized.Event) -> None:
        self.form = self._shown()

    def _shown(self) -> dict[str, Any]:
        session = self._session
        lang, own = session.lang, session.chosen.setup
        known = phrases(lang, "setup")
        plain = {key: word for key, word in known.items() if "." not in key}
        names = phrases(lang, "setup.preset_name")
        current = setup_form.texts(own) | session.setup
        return {
            "summary": setup_form.summary(session.last_good.setup, lang),
            "presets": [[name, names[name]] for name in presets()],
            "preset": setup_form.preset_of(current),
            "groups": setup_form.form(own, session.setup, lang),
            "problems": list(session.problems),
            "num_changed": len(session.setup),
            "words": plain | {"kept": say(lang, "editor.kept")},
            "gap": join(lang, ["", ""]),
            "seq": self._answered,
        }
