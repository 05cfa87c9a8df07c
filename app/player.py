"""The player: one component that shows a payload and plays it in the browser.

Python sends one dictionary a run and hears nothing back, except when a large run needs another
window. Cells are drawn by Bokeh in two figures (`app.stage_figures`) that the browser fills for the
width at hand and never repaints while playing: what moves is HTML and a clip path over them.
"""

import json
from typing import ClassVar

import param

from app.component import Component
from app.definitions import definitions
from app.script import module, script, style
from app.theme import browser_theme

# One scope, in this order: each file uses only what stands before it (or runs after all are read).
SCRIPTS = (
    "dom", "icons", "words", "clock", "axis", "sizes", "layout", "sheet", "labels", "cells",
    "waits", "gaps", "strip", "levels", "stage", "heads", "gutter", "times", "overlay", "scrub",
    "overview", "transport", "lanes", "signs", "legend", "views", "card", "phases", "table",
    "define", "grid", "metrics", "kv", "curves", "log", "tabs", "windows", "point", "tip", "zoom",
    "forks", "hands", "glide", "actions", "remote", "present", "state", "markup", "vector",
    "picture", "player", "panel",
)  # fmt: skip

STYLES = ("player.css", "signs.css", "lanes.css", "panels.css", "present.css", "hands.css")


def player_source() -> str:
    """The browser code as one ES module: the colours, what metrics mean, every script in order."""
    theme = f"const THEME = {json.dumps(browser_theme())};\n"
    theme += f"const DEFINITIONS = {json.dumps(definitions(), ensure_ascii=False)};\n"
    scripts = "\n".join(script(f"player/{name}.js") for name in SCRIPTS)
    return theme + module("keys.js", "more.js", "fill.js").replace("export ", "") + scripts


def player_style() -> str:
    """The style sheets of the player; their colours are the CSS variables of the theme."""
    return "\n".join(style(name) for name in STYLES)


class Player(Component):
    """Shows ``payload`` and owns playing, scrubbing and stepping in the browser.

    A new payload with the same ``run`` is another window of the run; a new ``run`` redraws all and
    keeps the time of the cursor. ``window_request`` is set by the browser: ``{"t", "run", "seq"}``
    asks for a payload whose window covers ``t``. ``command`` is set by the browser too: what a
    person asks of the lanes, see `app.commands`.
    """

    payload = param.String("{}", doc="One run, or a window of it, as JSON.")
    window_request = param.Dict(default={}, doc="The browser's wish for another window.")
    command = param.Dict(default={}, doc="What a person asks of the lanes.")

    _esm = player_source()
    _stylesheets: ClassVar[list[str]] = [player_style()]

    def __init__(self, **params: object) -> None:
        params.setdefault("sizing_mode", "stretch_width")
        super().__init__(**params)
