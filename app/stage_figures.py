"""The two Bokeh figures of the stage, as the JSON that a browser makes them of.

A full figure, and a ghost figure with outlines only. Both are empty: the browser fills their
sources for the width at hand. They are the same for every visitor and never change on the server,
so they stand in the page instead of every session's document, where a hundred models would cost
each visitor more than all else.
"""

import json
import re

from bokeh.core.properties import value
from bokeh.embed import json_item
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

from app.script import script
from app.theme import FONT_STACK

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


_ID = re.compile(r'"p\d+"')


def figures_script() -> str:
    """What makes the figures in a page that has BokehJS: `stageFigures` is the promise of both.

    Bokeh numbers its models through, those of a visitor's document too; ours get ids of their own,
    by which none can be taken for another.
    """
    items = {"full": json_item(full_figure()), "ghost": json_item(ghost_figure())}
    for item in items.values():
        item["doc"].pop("defs", None)  # types of Panel's components, which are none of these
    text = json.dumps(items)
    ids = {found: f'"stage-{n}"' for n, found in enumerate(dict.fromkeys(_ID.findall(text)))}
    return script("figures.js").replace("FIGURES", _ID.sub(lambda match: ids[match[0]], text))


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
