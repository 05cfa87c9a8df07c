"""The page's host: `panel_material_ui.Page` with its own header and drawer put away.

The Material page brings the document, its dark mode and the widgets' theme without asking any other
host; the look (`assets/css/page.css`) is ours. A few lines of script in the head set language and
colours before anything is drawn, so a dark page never flashes white; Material widgets follow the
same `data-theme` attribute.
"""

import json
from functools import cache

import panel as pn
import panel_material_ui as pmui
import param
from panel.io.resources import get_dist_path
from panel.util import edit_readonly
from panel.viewable import Viewable

from app.i18n import LANGUAGES, say
from app.script import ASSETS, style
from app.stage_figures import figures_script
from app.theme import FONT_STACK, MODES, Mode, colours, css_variables

# Scripts that Panel puts into every page and this one has no use for: a loader of modules, which
# browsers are themselves, and WebGL.
_UNUSED = ("es-module-shims", "bokeh-gl")
_NO_BARS = {
    "height": "100dvh",
    "width": "100%",
    ".MuiAppBar-root": {"display": "none"},
    ".main .MuiToolbar-root": {"display": "none"},
}


class _Idle(param.Parameterized):
    """What a page watches that is not to watch the server."""

    busy = param.Boolean(default=False)


def host(content: Viewable) -> pmui.Page:
    """A Material page that shows `content` and nothing else."""
    _keep_to_own_files()
    page = pmui.Page(
        main=[content],
        sizing_mode="stretch_width",  # with older versions it would shrink to what it shows
        title="Rebatch",
        busy_indicator=None,
        theme_toggle=False,
        sidebar_resizable=False,
        theme_config={mode: _material(mode) for mode in MODES},
        sx=_NO_BARS,
        raw_css=[css_variables(), style("document.css")],
        template=_template(),
    )
    # Nothing shows whether the server is busy: to tell the browser would be two messages an edit,
    # and Panel's state, if it told the page, would keep each page for as long as the server runs.
    with edit_readonly(page):
        page.busy = _Idle().param.busy
    return page


def _keep_to_own_files() -> None:
    """Name this server for Panel's style sheets, before any model is made.

    Panel does so only where the page's HTML is made. A document made anew for a socket (its session
    was forgotten, or another process answers) would load them from Panel's own CDN.
    """
    if document := pn.state.curdoc:
        document.template_variables["dist_url"] = get_dist_path(cdn=False)


def _material(mode: Mode) -> dict[str, object]:
    """Our colours for Material, as values: it computes tints and cannot do so from variables."""
    colour = colours(mode)
    return {
        "palette": {
            "primary": {"main": colour["accent"], "contrastText": colour["onaccent"]},
            "background": {"default": colour["page"], "paper": colour["surface"]},
            "text": {"primary": colour["ink"], "secondary": colour["ink2"]},
            "divider": colour["line"],
        },
        "typography": {
            "fontFamily": FONT_STACK,
            "fontSize": 13,
            "fontWeightMedium": 700,
            "button": {"textTransform": "none"},
        },
        "shape": {"borderRadius": 6},
        "components": {
            "MuiButtonBase": {"defaultProps": {"disableRipple": True}},
            "MuiPaper": {"defaultProps": {"elevation": 0}},
        },
    }


def head_script() -> str:
    """What runs before anything is drawn."""
    tags = {lang: say(lang, "language.tag") for lang in LANGUAGES}
    script = (ASSETS / "js" / "head.js").read_text(encoding="utf-8")
    return script.replace("(TAGS)", f"({json.dumps(tags)})")


@cache
def _template() -> str:
    is_unused = " or ".join(f"'{name}' in line" for name in _UNUSED)
    lines = "{% for line in bokeh_js.splitlines() if not (" + is_unused + ") %}"
    scripts = lines + "{{ line | safe }}\n{% endfor %}"
    return (
        '{% extends "base.html" %}{% block preamble %}{{ super() }}<script>'
        + head_script()
        + figures_script()
        + "</script>{% endblock %}{% block js_resources %}"
        + scripts
        + "{% endblock %}"
    )
