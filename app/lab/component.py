"""The lab as one browser component: what it shows is a dictionary, what a person does a message."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from app import lane_edits
from app.component import Component, Told
from app.heard import span
from app.i18n import say, words
from app.lab.calibrate import Calibrate
from app.lab.fields import GOALS, KNOBS, goal_name, inputs
from app.lab.load import Load
from app.lab.part import Part
from app.lab.sweep import Sweep
from app.lab.traffic import Traffic
from app.lab.view import Span, lab_view
from app.later import Job, at_once
from app.script import module, style
from app.session import Session
from app.setup_options import MOST_IN_A_BOX

QUICK_ROUNDS = 20_000  # of all lanes together; above, the view is made in the background
PARTS: Mapping[str, type[Part]] = {
    "traffic": Traffic,
    "sweep": Sweep,
    "load": Load,
    "calibrate": Calibrate,
}
TOLD = ("notice", "working", "lang", "face", "is_choosing")
WATCHED = ("lang", "face", "setup", "lanes", "problems", "picture", "working")


class Lab(Component):
    """Shows a session as an experiment while its `face` is the lab, and changes it."""

    view = Told(default={}, doc="Words, traffic, setups, goals and results; see `lab_view`.")
    part = Told(default={}, doc="What the tab shows beside that: its name and its own table.")
    news = Told(default={}, doc="What was said last, and what is under way.")

    _esm: ClassVar[str] = module(
        "dom.js", "fill.js", "upload.js", "shell/notice.js", "editor/generator.js",
        "lab/plot.js", "lab/controls.js", "lab/spikes.js", "lab/table.js", "lab/compare.js",
        "lab/pictures.js", "lab/chooser.js", "lab/traffic.js", "lab/load.js",
        "lab/sweep_pictures.js", "lab/sweep_table.js", "lab/sweep.js", "lab/calibrate.js",
        "lab/lab.js",
    )  # fmt: skip
    _stylesheets: ClassVar[list[str]] = [
        style("lab.css"),
        style("generator.css"),
        style("traffic.css"),
    ]

    def __init__(
        self, session: Session, later: Callable[[Job], None] = at_once, **params: Any
    ) -> None:
        self._session = session
        self._span: Span = None  # of time that is looked at; None: all
        self._run = self._asked = 0
        self._open = session.param.tab.default  # the tab that the browser shows
        self._parts = {name: make(session, self._publish) for name, make in PARTS.items()}
        self._go = 0  # counts the times that a tab is opened from here
        super().__init__(view=self._shown(), news=self._news(), **params)
        session.param.watch(lambda *_: later(self._refresh), list(WATCHED))
        session.param.watch(lambda *_: self._tell(), list(TOLD))
        session.param.watch(lambda *_: self._choose(), "is_choosing")
        session.param.watch(lambda *_: self._turn(), "tab")
        self._turn()

    def _handle_msg(self, data: dict[str, Any]) -> None:
        match data:
            case {"type": "tab", "name": str(name)} if name in self._session.param.tab.objects:
                self._open = name
                self._session.tab = name
                self._publish()
            case {"type": "part", "part": str(name)} if name in self._parts:
                self._parts[name].handle(data)
            case {"type": "look", "span": stretch}:
                self._look(span(stretch))
            case {"type": "notice"}:
                self._session.unread = None
                self._session.notice = ""
            case {"type": "traffic", "name": str(name)}:
                if name in self._session.param.scenario_name.objects:
                    self._session.choose(name)
            case {"type": "goal", "name": str(name), "value": str(value)} if name in GOALS:
                self._session.set_setup({goal_name(name): value[:MOST_IN_A_BOX]})
            case {"type": "lane", "do": str(what), "lane": str(lane)}:
                self._change(what, lane, data)

    def _change(self, what: str, lane: str, data: dict[str, Any]) -> None:
        """Change a setup, or add one like a lane's or as a base says."""
        session = self._session
        match what, data:
            case "set", {"name": str(name), "value": str(value)} if name in KNOBS:
                lane_edits.change(session, lane, {name: value[:MOST_IN_A_BOX]})
            case "add", {"base": str(base)}:
                lane_edits.add(session, base)
            case "copy", _:
                lane_edits.copy(session, lane)
            case "remove", _:
                lane_edits.remove(session, lane)

    def _look(self, span: Span) -> None:
        self._span = span
        self._refresh()

    def _refresh(self) -> None:
        """Show the session as it is now; what takes long is worked out in the background."""
        self._asked += 1
        ticket = self._asked

        def then(view: dict[str, Any]) -> None:
            if ticket == self._asked:
                self.view = view
                self._publish()

        session = self._session
        if session.face == "lab" and sum(map(len, session.histories)) > QUICK_ROUNDS:
            self.view = self.view | {"is_late": True} | inputs(session)
            span = self._span_now()
            session.defer(lambda: lab_view(session, span), then)
        else:
            then(self._shown())

    def _span_now(self) -> Span:
        """The stretch of time that is looked at: of this run, or all of a new one."""
        if self._session.picture.run != self._run:
            self._run, self._span = self._session.picture.run, None
        return self._span

    def _publish(self) -> None:
        """Send what the tab shows of its own; a tab that is not looked at sends nothing."""
        part = self._parts.get(self._session.tab)
        if self._session.face != "lab":
            return
        if part and (job := part.slow()):
            self._session.defer(job, lambda _: self._send(part))
        else:
            self._send(part)

    def _send(self, part: Part | None) -> None:
        """What a tab shows, unless another one is looked at by now; the first one has no part."""
        tab = self._session.tab
        if part is self._parts.get(tab):
            self.part = {"name": tab, "shown": part and part.shown(), "go": self._go}

    def _turn(self) -> None:
        """Open the tab of the session, if the browser shows another one."""
        if self._session.tab != self._open:
            self._open = self._session.tab
            self._go += 1
            self._publish()

    def _choose(self) -> None:
        """A file is to be looked at: open the tab where that is done."""
        if self._session.is_choosing:
            self._open = ""  # to be opened once more, whatever the browser shows
            self._session.tab = "traffic"
            self._turn()
        self._publish()

    def _tell(self) -> None:
        self.news = self._news()

    def _news(self) -> dict[str, Any]:
        """The notice and what is under way, while the lab is looked at."""
        session = self._session
        if session.face != "lab":
            return {}
        name = session.upload.name if session.upload and session.can_look else ""
        return {
            "words": words(session.lang, "page") | {"look": say(session.lang, "lab.workload.look")},
            "notice": session.notice,
            "notice_head": name if name not in session.notice else "",
            "working": session.working,
            "units": [],
            "can_look": session.can_look and session.notice != "",
            "is_choosing": session.is_choosing,
        }

    def _shown(self) -> dict[str, Any]:
        """Nothing until the lab is asked for: its arrays cost time and bytes."""
        return lab_view(self._session, self._span_now()) if self._session.face == "lab" else {}
