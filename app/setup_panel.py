"""The setup drawer: every option as a box, a list or a switch, checked by the session.

It works as the request table does: the browser owns what is being typed, a committed value goes to
the session, the answer repeats the message's counter, and an older answer overwrites nothing. It
shows what all lanes share, or what one lane has of its own.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from app import lane_edits, setup_form
from app.component import Component, Told
from app.fork_form import FIXED_IN_RUN, fork_form
from app.i18n import join, say
from app.lane_names import change_text, titles
from app.lane_specs import NEW, LaneSpec, cells, is_cell, request_field
from app.later import Job, at_once
from app.messages import told
from app.newcomers import bad_name, newcomer
from app.script import module, style
from app.session import Session
from app.setup_form import phrases
from app.setup_options import (
    MOST_IN_A_BOX,
    SHARED,
    Texts,
    every_option,
    lane_options,
    meaningless,
    options,
    preset_of,
    presets,
    same,
    shared_presets,
    texts,
    tidied,
)
from lessons import shown as lesson
from sim import History, Problem

WATCHED = ("lang", "setup", "budget", "lanes", "problems", "picture")


class SetupPanel(Component):
    """A form for the setup of a session."""

    form = Told(default={}, doc="Groups, summary, presets, problems and words to show.")

    _esm: ClassVar[str] = module("dom.js", "fill.js", "setup.js")
    _stylesheets: ClassVar[list[str]] = [style("editor.css"), style("setup.css")]

    def __init__(
        self, session: Session, later: Callable[[Job], None] = at_once, **params: Any
    ) -> None:
        self._session = session
        self._later = later
        self._answered = 0
        self._lane = ""  # the key of the lane that is shown, or nothing for all
        self._refused: Problem | None = None  # why the last request asked for is not there
        super().__init__(form=self._shown(), **params)
        session.param.watch(lambda *_: later(self._refresh), list(WATCHED))

    def _handle_msg(self, data: dict[str, Any]) -> None:
        match data:
            case {"type": str(type_), "lane": str(lane), "seq": int(seq)}:
                self._answered = seq
                self._lane, self._refused = lane, None
                if not lane or self._spec():
                    self._do(type_, data)
                self._later(self._refresh)

    def _do(self, type_: str, data: dict[str, Any]) -> None:
        session, lane = self._session, self._lane
        match type_, data:
            case "set", {"name": str(name), "value": str(value)} if lane:
                lane_edits.change(session, lane, {name: value[:MOST_IN_A_BOX]})
            case "set", {"name": str(name), "value": str(value)} if name in options():
                session.set_setup({name: value[:MOST_IN_A_BOX]})
            case "back", {"name": str(name)} if lane:
                lane_edits.change(session, lane, {name: None})
            case "add", {"id": str(id_)} if (spec := self._spec()) and spec.forks:
                self._add(spec, tidied(id_))
            case "drop", {"id": str(id_)} if (spec := self._spec()) and spec.forks:
                changes = spec.forks[-1].changes
                own = [n for n in changes if n.startswith(NEW) and request_field(n)[0] == id_]
                lane_edits.change(session, lane, dict.fromkeys(own))
            case "preset", {"name": str(name)}:
                lane_edits.put_preset(session, name, lane)
            case "reset", _ if (spec := self._spec()) and spec.forks:
                lane_edits.change(session, lane, dict.fromkeys(spec.forks[-1].changes))
            case "reset", _ if spec := self._spec():
                lane_edits.change(session, lane, dict.fromkeys(_own(spec, session.shared_texts())))
            case "reset", _:
                session.setup = {}

    def _add(self, spec: LaneSpec, id_: str) -> None:
        """One more request in the last fork of a lane, unless its name is taken or none."""
        before, fork = self._session.before_fork(spec), spec.forks[-1]
        if before is None:
            return
        self._refused = bad_name(id_, before, fork)
        if self._refused is None:
            lane_edits.change(self._session, spec.key, newcomer(before, fork, id_))

    def _refresh(self) -> None:
        self.form = self._shown()

    def _spec(self) -> LaneSpec | None:
        """The lane that is shown; none when all are, or when it is gone."""
        lanes = self._session.lanes
        return next((lane for lane in lanes if lane.key == self._lane), None)

    def _shown(self) -> dict[str, Any]:
        session, spec = self._session, self._spec()
        lang = session.lang
        known = phrases(lang, "setup")
        plain = {key: word for key, word in known.items() if "." not in key}
        listed = [["", known["all_lanes"]], *map(list, titles(session.lanes, lang).items())]
        part = self._of_lane(spec) if spec else self._of_all()
        if spec and spec.forks and (before := session.before_fork(spec)) is not None:
            part |= self._of_fork(spec, before)
        return part | {
            "lane": spec.key if spec else "",
            "lanes": listed,
            "problems": list(session.problems),
            "words": plain | {"kept": say(lang, "editor.kept")},
            "gap": join(lang, ["", ""]),
            "seq": self._answered,
        }

    def _first(self) -> Sequence[str]:
        """The options that the scene shows before all others."""
        return lesson.controls(self._session.scenario_name)

    def _of_all(self) -> dict[str, Any]:
        """What all lanes share."""
        session, lang = self._session, self._session.lang
        own = texts(session.chosen.setup)
        names = phrases(lang, "setup.preset_name")
        return {
            "summary": setup_form.summary(session.last_good.setup, lang),
            "fork": None,
            "presets": [[name, names[name]] for name in shared_presets()],
            "preset": preset_of(own | session.setup, shared_presets()),
            "groups": setup_form.form(own, session.setup, lang, first=self._first()),
            "cells": [],
            "num_changed": len(session.setup),
        }

    def _of_lane(self, spec: LaneSpec) -> dict[str, Any]:
        """What one lane has of its own, against what all share."""
        session, lang = self._session, self._session.lang
        shared = session.shared_texts()
        own = _own(spec, shared)
        hidden = (*SHARED, *meaningless(spec.changes["mode"]))
        known = {name: option for name, option in lane_options().items() if name not in hidden}
        names = phrases(lang, "setup.preset_name")
        base = shared | {"mode": spec.changes["mode"]}
        first = ("mode", "budget", *self._first())
        return {
            "summary": self._summary(spec),
            "fork": None,
            "presets": [[name, names[name]] for name in presets()],
            "preset": preset_of(base | own, presets()),
            "groups": setup_form.form(base, own, lang, first=first, known=known),
            "cells": [[n, change_text(n, v, lang)] for n, v in own.items() if n in _cells(own)],
            "num_changed": len(own),
        }

    def _of_fork(self, spec: LaneSpec, before: History) -> dict[str, Any]:
        """What is different from a round on, against the run until there."""
        session, lang, fork = self._session, self._session.lang, spec.forks[-1]
        base = texts(before.scenario.setup)
        hidden = (*FIXED_IN_RUN, *meaningless(before.scenario.setup.mode))
        known = {name: option for name, option in lane_options().items() if name not in hidden}
        own = {name: value for name, value in fork.changes.items() if name in known}
        first = ("budget", *self._first())
        problems = [problem for problem in session.problems if problem["lane"] == spec.key]
        refused = told(self._refused, lang, [])["text"] if self._refused else ""
        return {
            "fork": fork_form(before, fork, problems, lang, refused),
            "presets": [],
            "preset": "",
            "groups": setup_form.form(base, own, lang, first=first, known=known),
            "cells": [],
            "num_changed": len(
                {n.rpartition(".")[0] if n.startswith(NEW) else n for n in fork.changes}
            ),
        }

    def _summary(self, spec: LaneSpec) -> str:
        """The lane's setup as it runs; while it cannot, as it last ran."""
        keys = [shown.key for shown in self._session.shown_lanes]
        if spec.key not in keys:
            return ""
        setup = self._session.histories[keys.index(spec.key)].scenario.setup
        return setup_form.summary(setup, self._session.lang, meaningless(setup.mode))


def _own(spec: LaneSpec, shared: Texts) -> Texts:
    """What a lane has of its own beside its mode, where it is not what all share anyway."""
    return {
        name: value
        for name, value in spec.changes.items()
        if name != "mode" and not (name in every_option() and same(name, value, shared[name]))
    }


def _count(changes: Mapping[str, str]) -> int:
    """How many things a fork changes; a request that is new is one."""
    return len(cells(changes, NEW)) + sum(not name.startswith(NEW) for name in changes)


def _cells(changes: Texts) -> list[str]:
    return [name for name in changes if is_cell(name)]
