"""The page's entry: `panel serve app`.

A session that cannot be built shows a sentence instead of a blank page; the log has the traceback.
The sentence is here, in both languages, because the word catalogues may be what failed.
"""

import logging
import sys
from pathlib import Path

import panel as pn

_ROOT = str(Path(__file__).resolve().parents[1])
if _ROOT not in sys.path:
    sys.path.insert(0, _ROOT)

TITLE = "Rebatch"
SORRY = """<main style="max-width:34rem;margin:15vh auto;padding:0 1rem;font:16px/1.6 sans-serif">
<h1 style="font-size:24px">Rebatch could not start</h1>
<p>Something failed while this page was being built. Reload it; if that does not help,
the server’s log says why.</p>
<p lang="zh">页面没能打开。请重新载入；还是不行的话，原因在服务器的日志里。</p></main>"""


def serve() -> None:
    """Serve one visitor's page."""
    pn.extension()
    try:
        from app.ahead import look_ahead  # in here, because an import can fail too
        from app.page import create_page
        from app.settle import settle

        settle()
        look_ahead(pn.state.curdoc)
        page = create_page(pn.state.session_args)
    except Exception:
        logging.getLogger("rebatch").exception("This session could not be built.")
        pn.pane.HTML(SORRY, sizing_mode="stretch_width").servable(title=TITLE)
    else:
        page.servable(title=TITLE)


if __name__.startswith("bokeh_app_"):  # `pn.state.served` reads the source of all its callers
    serve()
