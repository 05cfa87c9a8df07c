"""The page of one visitor: a session, the parts that show it, and the wires between them."""

from typing import Any

import panel as pn
import panel_material_ui as pmui
from bokeh.models import CustomJS
from param.parameterized import Event

from app.chips import chips
from app.editor import RequestTable
from app.host import host
from app.i18n import say, words
from app.player import Player
from app.script import style
from app.session import Session
from app.shell import FILE_LIMIT, Shell
from app.url import THEMES, Arguments, open_link, query

SLIDER_LOOK = {
    "& .MuiFormLabel-root": {"display": "none"},
    "& .MuiSlider-rail": {"opacity": 1, "height": 4, "backgroundColor": "var(--rb-line2)"},
    "& .MuiSlider-track": {"height": 4},
    "& .MuiSlider-thumb": {"width": 14, "height": 14, "boxShadow": "0 0 0 2px var(--rb-surface)"},
}
LOST = 'window.dispatchEvent(new CustomEvent("rb-connection-lost"))'


def create_page(arguments: Arguments) -> pmui.Page:
    """A fresh session, brought to the state its link asks for, and the page that shows it."""
    session = Session()
    open_link(session, arguments)
    page = host(_shell(session))
    if pn.state.curdoc:
        pn.state.curdoc.js_on_event("connection_lost", CustomJS(code=LOST))
    pn.state.onload(lambda: _keep_address(session))
    return page


def view_of(session: Session) -> dict[str, Any]:
    """Everything the shell shows, in the session's language."""
    low, high = session.param.budget.bounds
    return {
        "lang": session.lang,
        "words": words(session.lang, "page") | _prefixed(words(session.lang, "keys"), "key_"),
        "scenario": session.scenario_name,
        "scenarios": [list(pair) for pair in session.scenario_titles()],
        "lesson": {k: v for k, v in session.lesson().items() if k != "text"},
        "notice": session.notice,
        "budget": {"value": session.budget, "low": low, "high": high},
        "num_problems": len(session.problems),
        "file_limit": FILE_LIMIT,
    }


def _shell(session: Session) -> Shell:
    player = Player(payload=session.payload)
    text = pn.pane.Markdown(
        session.lesson()["text"], plugins=[chips], renderer_options={"html": False}, stylesheets=[style("text.css")]
    )
    slider = _slider(session)
    shell = Shell(
        view=view_of(session), text=text, stage=player, slider=slider, table=RequestTable(session),
        on_choice=lambda what, value: _choose(session, what, value),
        on_budget=lambda value: _set_budget(session, value),
        on_file=session.open_trace,
        sizing_mode="stretch_both",
    )  # fmt: skip

    def show(*_: Event) -> None:
        with pn.io.hold():
            slider.label = say(session.lang, "page.budget")
            text.object = session.lesson()["text"]
            shell.view = view_of(session)

    def play(*_: Event) -> None:
        player.payload = session.payload

    session.param.watch(show, ["lang", "scenario_name", "notice", "budget", "problems"])
    session.param.watch(play, "payload")
    player.param.watch(lambda event: session.move_window(event.new), "window_request")
    return shell


def _slider(session: Session) -> pmui.IntSlider:
    """The budget; its number stands in the box beside it, so the slider shows none."""
    return pmui.IntSlider.from_param(
        session.param.budget, label=say(session.lang, "page.budget"), throttled=True, show_value=False, tooltips=False, size="small", sx=SLIDER_LOOK,
        sizing_mode="stretch_width", margin=0,
    )  # fmt: skip


def _choose(session: Session, what: str, value: str) -> None:
    if what == "lang" and value in session.param.lang.objects:
        session.lang = value
    elif what == "scenario" and value in session.param.scenario_name.objects:
        session.choose(value)
    elif what == "notice":
        session.notice = ""
    elif what == "theme" and value in THEMES and pn.state.location:
        pn.state.location.update_query(theme=value)


def _set_budget(session: Session, value: int) -> None:
    low, high = session.param.budget.bounds
    session.budget = min(max(value, low), high)


def _keep_address(session: Session) -> None:
    def write(*_: Event) -> None:
        if pn.state.location:
            pn.state.location.update_query(**query(session))

    session.param.watch(write, ["lang", "scenario_name", "budget"])


def _prefixed(table: dict[str, str], prefix: str) -> dict[str, str]:
    return {prefix + key: word for key, word in table.items()}
