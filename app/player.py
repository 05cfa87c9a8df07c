"""The player: one component that shows a payload and plays it in the browser.

Python sends one dictionary a run and hears nothing back, except when a large run needs another
window. Cells are drawn by Bokeh: a full figure, and a ghost figure with outlines only. Both start
empty here; the browser fills their sources for the width at hand and never repaints them while
playing: what moves is HTML and a clip path over them.
"""

import json
from typing import ClassVar

import panel as pn
import param
from bokeh.core.properties import value
from bokeh.models import (
    AllIndices,
    CDSView,
    ColumnDataSource,
    Glyph,
    Quad,
    Range1d,
    Scatter,
    Segment,
    Text,
    UnionRenderers,
)
from bokeh.plotting import figure

from app.component import Component
from app.definitions import definitions
from app.script import module, script, style
from app.theme import FONT_STACK, browser_theme

# One scope, in this order: each file uses only what stands before it (or runs after all are read).
SCRIPTS = (
    "dom", "icons", "words", "clock", "axis", "sizes", "layout", "sheet", "labels", "cells",
    "waits", "gaps", "strip", "levels", "stage", "heads", "gutter", "times", "overlay", "scrub",
    "overview", "transport", "lanes", "signs", "legend", "views", "card", "phases", "table",
    "define", "grid", "metrics", "kv", "curves", "log", "tabs", "windows", "point", "tip", "zoom",
    "forks", "hands", "actions", "remote", "present", "state", "markup", "vector", "picture",
    "player", "panel",
)  # fmt: skip

STYLES = ("player.css", "signs.css", "lanes.css", "panels.css", "present.css", "hands.css")

_EDGE = ("left", "right", "top", "bottom")
_LINE = ("line_color", "line_alpha", "line_width", "line_dash")
_GEOMETRY: dict[type[Glyph], tuple[str, ...]] = {
    Quad: _EDGE,
    Segment: ("x0", "y0", "x1", "y1"),
    Text: ("x", "y", "text"),
    Scatter: ("x", "y", "marker", "size", "angle"),
}
_RULE = ("line_color", "line_width")
_WORD = ("text_color", "text_align", "text_font_size", "text_font_style")
_MARK = ("fill_color", "line_color", "line_width")


def player_source() -> str:
    """The browser code as one ES module: the colours, what metrics mean, every script in order."""
    theme = f"const THEME = {json.dumps(browser_theme())};\n"
    theme += f"const DEFINITIONS = {json.dumps(definitions(), ensure_ascii=False)};\n"
    scripts = "\n".join(script(f"player/{name}.js") for name in SCRIPTS)
    return theme + module("keys.js").replace("export ", "") + scripts


def player_style() -> str:
    """The style sheets of the player; their colours are the CSS variables of the theme."""
    return "\n".join(style(name) for name in STYLES)


def _empty_figure(name: str) -> figure:
    """A bare drawing surface: x is time, y is pixels from the top; no axes, no tools.

    Clear by alpha and not by colour: Panel Material UI gives every figure colours of its own.
    """
    plot = figure(
        name=name, width=600, height=300, sizing_mode="fixed", title=None,
        toolbar_location=None, tools="",
        x_range=Range1d(0, 1), y_range=Range1d(300, 0), x_axis_type=None, y_axis_type=None,
        min_border=0, outline_line_color=None, background_fill_alpha=0, border_fill_alpha=0,
        output_backend="canvas", lod_threshold=None,
    )  # fmt: skip
    return plot


class _Sheet:
    """A figure to which glyphs are added.

    Bokeh goes through all models of a page many times while a session is built, so the renderers
    share what is the same for all of them.
    """

    def __init__(self, name: str) -> None:
        self.plot = _empty_figure(name)
        self._plain: dict[type[Glyph], Glyph] = {}
        self._all = AllIndices()
        self._policy = UnionRenderers()

    def add(self, name: str, glyph: Glyph, *looks: str) -> None:
        """Add one glyph whose place and named looks are columns of a new, empty source.

        Bokeh prepares every glyph of a renderer for each change of data, so those for selections
        are one plain glyph.
        """
        place = {column: column for column in _GEOMETRY[type(glyph)]}
        glyph.update(**place, **{column: column for column in looks})
        empty: dict[str, list[object]] = {column: [] for column in (*place, *looks)}
        source = ColumnDataSource(empty, name=name, selection_policy=self._policy)
        plain = self._plain.setdefault(type(glyph), type(glyph)(**place))
        self.plot.add_glyph(
            source, glyph, name=name, selection_glyph=plain, nonselection_glyph=plain,
            muted_glyph=plain, level="glyph", view=CDSView(filter=self._all),
        )  # fmt: skip


def _hatch(pattern: str) -> Quad:
    """A hatch to lay over cells; its colour and measures are set in the browser.

    It is apart from the cells because Bokeh makes a canvas for each row of a vectorised hatch.
    """
    return Quad(fill_color=None, line_color=None, hatch_pattern=pattern)


def full_figure() -> figure:
    """The figure of what has happened, from the rules below to the tokens on top."""
    sheet = _Sheet("stage-full")
    word = {"text_baseline": "middle", "text_font": value(FONT_STACK)}
    sheet.add("rules", Segment(), *_RULE)
    sheet.add("cells", Quad(border_radius=2), "fill_color", *_LINE)
    sheet.add("hatch_prefill", _hatch("right_diagonal_line"))
    sheet.add("hatch_idle", _hatch("left_diagonal_line"))
    sheet.add("hatch_again", _hatch("cross"))
    sheet.add("hatch_pad", _hatch("diagonal_cross"), "hatch_color")
    sheet.add("hatch_paused", _hatch("vertical_line"), "hatch_color")
    sheet.add("hatch_swapped", _hatch("dot"), "hatch_color")
    sheet.add("boxes", Quad(border_radius=6, fill_color=None), *_LINE)
    sheet.add("solids", Quad(line_color=None, border_radius=1), "fill_color")
    sheet.add("plates", Text(padding=2, border_radius=2, **word), *_WORD, "background_fill_color")
    sheet.add("rings", Quad(border_radius=9), "fill_color", *_LINE)
    sheet.add("marks", Scatter(), *_MARK)
    sheet.add("numbers", Text(**word), *_WORD)
    return sheet.plot


def ghost_figure() -> figure:
    """The figure of what has not happened yet: outlines without words."""
    sheet = _Sheet("stage-ghost")
    sheet.add("rules", Segment(), *_RULE)
    sheet.add("cells", Quad(border_radius=2, fill_color=None), *_LINE)
    sheet.add("boxes", Quad(border_radius=6, fill_color=None), *_LINE)
    return sheet.plot


def _keep_in_browser(plot: figure) -> figure:
    """Mark everything the browser changes, so that no change of it travels back to Python."""
    for model in plot.references():
        model.syncable = False
    return plot


class Player(Component):
    """Shows ``payload`` and owns playing, scrubbing and stepping in the browser.

    A new payload with the same ``run`` is another window of the run; a new ``run`` redraws all and
    keeps the time of the cursor. ``window_request`` is set by the browser: ``{"t", "run", "seq"}``
    asks for a payload whose window covers ``t``. ``command`` is set by the browser too: what a
    person asks of the lanes, see `app.commands`.
    """

    payload = param.Dict(
        default={}, doc="One run, or a window of it; that of a long run as `text`."
    )
    window_request = param.Dict(default={}, doc="The browser's wish for another window.")
    command = param.Dict(default={}, doc="What a person asks of the lanes.")
    full = pn.viewable.Child(doc="Figure of what has happened.")
    ghost = pn.viewable.Child(doc="Figure of what is still to come.")

    _esm = player_source()
    _stylesheets: ClassVar[list[str]] = [player_style()]

    def __init__(self, **params: object) -> None:
        params.setdefault("sizing_mode", "stretch_width")
        super().__init__(
            full=pn.pane.Bokeh(_keep_in_browser(full_figure())),
            ghost=pn.pane.Bokeh(_keep_in_browser(ghost_figure())),
            **params,
        )
