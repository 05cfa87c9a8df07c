"""The page of one visitor: a session, the parts that show it, and the wires between them."""

import logging
from collections.abc import Callable
from typing import Any
from weakref import WeakMethod

import panel as pn
import panel_material_ui as pmui
from bokeh.models import CustomJS
from param.parameterized import Event

from app.ahead import once_ready
from app.background import in_background
from app.commands import run_command
from app.editor import RequestTable
from app.files import Give, save, stem_of
from app.help_view import help_view
from app.host import host
from app.i18n import LANGUAGES, say, words
from app.inbox import FILE_LIMIT
from app.lab.component import Lab
from app.lab.out import KINDS, saved
from app.lab.workers import away
from app.lane_runs import play
from app.later import Later
from app.lesson_view import course_view, lesson_view
from app.messages import is_of_setup
from app.opening import open_file, open_trace
from app.player import Player
from app.session import Session
from app.setup_panel import SetupPanel
from app.shell import Shell
from app.url import Arguments, address, arguments_of, asked_scene, is_edited, open_link
from lessons.catalogue import heading, scenes
from sim.setup import MAX_REQUESTS

SHOWN = (
    *("lang", "scenario_name", "face", "tab", "notice", "is_choosing"),
    *("budget", "rows", "setup", "lanes", "traffic", "problems"),
)
UNDER_WAY = -1  # number of the first link, until what it names is reached
UNITS = ("s", "ms", "us", "ns")  # of the arrivals in a trace
LOST = 'window.dispatchEvent(new CustomEvent("rb-connection-lost"))'
SLIDER_LOOK = {
    "& .MuiFormLabel-root": {"display": "none"},
    "& .MuiSlider-rail": {"opacity": 1, "height": 4, "backgroundColor": "var(--rb-line2)"},
    "& .MuiSlider-track": {"height": 4},
    "& .MuiSlider-thumb": {"width": 14, "height": 14, "boxShadow": "0 0 0 2px var(--rb-surface)"},
}


def create_page(arguments: Arguments) -> pmui.Page:
    """A fresh session, brought to the state its link asks for, and the page that shows it."""
    session = Session()
    apps: list[App] = []
    if pn.state.curdoc:  # what takes long waits until the browser shows the page
        session.play = lambda spec, scenario: play(spec, scenario, away)
        session.defer = lambda job, then: pn.state.onload(lambda: apps[0].aside(job, then))

    def done() -> None:
        for app in apps:
            app.arrive(0)

    open_link(session, arguments, done)
    app = App(session)
    apps.append(app)
    pn.config.exception_handler = _weakly(app.apologise)
    if pn.state.curdoc:
        pn.state.curdoc.js_on_event("connection_lost", CustomJS(code=LOST))
        release = _weakly(session.release)
        pn.state.on_session_destroyed(lambda session_context: release())
    return host(app.shell)


def _weakly(method: Callable[..., None]) -> Callable[..., None]:
    """Panel keeps a handler as long as its document: it must not keep the document in turn."""
    known = WeakMethod(method)

    def handler(*arguments: Any) -> None:
        if found := known():
            found(*arguments)

    return handler


class App:
    """Shows a session and passes on what a person does; the session decides everything else."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._link = UNDER_WAY if session.working else 0
        self._file = ""
        session.defer = self.aside
        self.player = Player(payload=session.picture.text)
        session.param.watch(self._play, "picture")  # before all others: the picture goes out first
        self.slider = _budget_slider(session)
        self._later = later = Later()
        self.shell = Shell(
            view=self._view(),
            course=course_view(session.lang),
            lesson=lesson_view(session),
            stage=self.player,
            slider=self.slider,
            table=RequestTable(session, later, sizing_mode="stretch_width", margin=0),
            setup=SetupPanel(session, later, sizing_mode="stretch_width", margin=0),
            lab=Lab(session, later, sizing_mode="stretch_both", margin=0),
            on_choice=self.choose,
            on_budget=self.set_budget,
            on_file=self.open_trace,
            on_link=self.follow,
            on_save=self.save,
            sizing_mode="stretch_both",
        )
        session.param.watch(lambda *_: later(self._show), list(SHOWN))
        session.param.watch(lambda *_: self._show(), "working")  # a long run is told at once
        self.slider.param.watch(lambda event: self.set_budget(event.new), "value_throttled")
        self.player.param.watch(self._move_window, "window_request")
        self.player.param.watch(self._run_command, "command")

    def choose(self, what: str, value: str) -> None:
        """One of the small choices of the shell; a value that is not on offer changes nothing."""
        session = self.session
        match what:
            case "lang" if value in session.param.lang.objects:
                scene = session.scenario_name
                once_ready(scene, value, lambda: self._speak(value), self.apologise)
            case "scenario" if value in session.param.scenario_name.objects:
                once_ready(value, session.lang, lambda: self._turn_to(value), self.apologise)
            case "face" if value in session.param.face.objects:
                session.face = value
            case "reset":
                self._file = ""
                session.reset()
            case "notice":
                session.unread = None
                session.notice = ""
            case "look" if session.upload:
                session.face = "lab"
                session.is_choosing = True
            case "unit" if session.unread and value in UNITS:
                self.open_trace(*session.unread, unit=value)

    def _speak(self, lang: str) -> None:
        self.session.lang = lang

    def _turn_to(self, scene: str) -> None:
        self._file = ""
        self.session.choose(scene)

    def follow(self, search: str, number: int) -> None:
        """Back or Forward: the state that the address names now; `number` tells the answers."""
        arguments = arguments_of(search)

        def then() -> None:
            self._file = ""
            open_link(self.session, arguments, lambda: self.arrive(number))

        once_ready(*asked_scene(arguments, self.session.lang), then, self.apologise)

    def arrive(self, number: int) -> None:
        """What the link of this number names is reached."""
        self._link = number
        self._show()

    def aside(self, job: Callable[[], Any], then: Callable[[Any], None]) -> None:
        """Do a job in the background; what goes wrong there is told.

        So is the text beside it worked out, which may take as long: then it comes with the picture.
        """

        def job_and_text() -> Any:
            outcome = job()
            lesson_view(self.session)
            return outcome

        in_background(job_and_text, then, self.apologise)

    def set_budget(self, value: int) -> None:
        """The number box; out of range becomes the nearest that is in range."""
        low, high = self.session.param.budget.bounds
        self.session.budget = min(max(value, low), high)

    def open_trace(self, name: str, content: bytes, unit: str | None = None) -> None:
        """A file; the old notice goes first, so that the same answer twice is heard twice."""
        self.session.notice = ""
        self._file = name
        if unit:
            open_trace(self.session, name, content, unit=unit, is_sure=True)
        else:
            open_file(self.session, name, content)

    def save(self, what: str, give: Give) -> None:
        """Make a file: of the runs on the stage, or of the comparison in the lab."""
        session = self.session
        if what in KINDS:
            link = f"?{address(session)}"
            session.defer(lambda: saved(session, what, link), give)
        else:
            save(session, what, give, away)

    def apologise(self, error: BaseException) -> None:
        """Something failed while answering: the log gets the error, the page a sentence."""
        logging.getLogger("rebatch").error("A callback failed.", exc_info=error)
        self._file = ""
        self.session.param.update(working="", is_coming=False)
        self.session.notice = say(self.session.lang, "page.failed")

    def _show(self) -> None:
        with pn.io.hold():
            self.slider.param.update(**_of_budget(self.session))
            parts = {"course": course_view(self.session.lang), "lesson": lesson_view(self.session)}
            for name, part in parts.items():  # before the view, which is what the browser waits for
                if part != getattr(self.shell, name):
                    setattr(self.shell, name, part)
            self.shell.view = self._view()

    def _view(self) -> dict[str, Any]:
        notice = self.session.notice
        head = self._file if notice and self._file not in notice else ""
        return view_of(self.session) | {"link": self._link, "notice_head": head}

    def _play(self, *_: Event) -> None:
        self.player.payload = self.session.picture.text
        if self.session.picture.reset:
            self._show()  # another scene: stage and text change together
        else:
            self._later(self._show)  # a window of a large run has a sentence of its own

    def _move_window(self, event: Event) -> None:
        self.session.move_window(event.new)

    def _run_command(self, event: Event) -> None:
        run_command(self.session, event.new)


def _own_budgets(session: Session) -> str:
    """The short names of the lanes that do not share the budget, in a row; empty if all do."""
    own = {spec.key for spec in session.lanes if "budget" in spec.changes}
    return say(session.lang, "setup.says.comma").join(
        name for key, name in session.picture.names if key in own
    )


def view_of(session: Session) -> dict[str, Any]:
    """Everything the shell shows, in the session's language."""
    low, high = session.param.budget.bounds
    own = {
        f"{name}_{key}": word
        for name, table in (("key", "keys"), ("help", "help"))
        for key, word in words(session.lang, table).items()
        if "." not in key
    }
    short = {name: heading(name, session.lang).short for name in scenes()}
    return {
        "lang": session.lang,
        "tag": say(session.lang, "language.tag"),
        "languages": [{"code": lang, **words(lang, "language")} for lang in LANGUAGES],
        "words": words(session.lang, "page") | words(session.lang, "files") | own,
        "help": help_view(session.lang),
        "scenario": session.scenario_name,
        "face": session.face,
        "run": session.picture.run,
        "scenarios": [[name, short.get(name, title)] for name, title in session.scenario_titles()],
        "notice": session.notice,
        "working": session.working,
        "units": list(UNITS) if session.unread and session.notice else [],
        "can_look": session.can_look and session.notice != "",
        "is_choosing": session.is_choosing,
        "address": address(session),
        "stem": stem_of(session),
        "is_edited": is_edited(session),
        "budget": {"value": session.budget, "low": low, "high": high, "but": _own_budgets(session)},
        "num_problems": sum(not is_of_setup(problem) for problem in session.problems),
        "num_setup_problems": sum(
            is_of_setup(problem) or bool(problem["mends"]) for problem in session.problems
        ),
        "file_limit": FILE_LIMIT,
        "row_limit": MAX_REQUESTS,
    }


def _budget_slider(session: Session) -> pmui.IntSlider:
    """The budget; its number stands in the box beside it, so the slider shows none."""
    return pmui.IntSlider(
        **_of_budget(session),
        show_value=False,
        tooltips=False,
        size="small",
        sx=SLIDER_LOOK,
        sizing_mode="stretch_width",
        margin=0,
    )


def _of_budget(session: Session) -> dict[str, Any]:
    """What the slider shows of a session."""
    low, high = session.param.budget.bounds
    label = say(session.lang, "page.budget")
    return {"label": label, "start": low, "end": high, "value": session.budget}
