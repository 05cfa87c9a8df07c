"""What the first visitor of a scene would have all others wait for, worked out aside before.

The text of a scene and its picture are kept for all who come later. The first time they take as
long as building a page; so they are made in a thread, before the page is built or the scene is
chosen. A scene that takes long to run is run aside anyway, and its text made with it.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import panel as pn
from bokeh.application.application import SessionContext
from bokeh.application.handlers.handler import Handler
from bokeh.document import Document

from app.background import in_background
from app.lane_specs import default_lanes
from app.lesson_view import scene_steps
from app.picture import picture_of_scene
from app.runner import runnable, simulated, takes_long
from app.url import asked_scene
from lessons.catalogue import scenes
from sim.files import builtin

_THREAD = ThreadPoolExecutor(1, thread_name_prefix="ahead")
_ready: set[tuple[str, str]] = set()  # scenes and languages


def make_ready(name: str, lang: str) -> None:
    """Work out what a scene shows in a language, once."""
    if is_ready(name, lang):
        return
    runs = runnable(builtin(name), default_lanes(name, builtin(name)))
    if not takes_long(runs):
        picture_of_scene(name, lang, simulated(runs, ()))
        scene_steps(name, lang)
    _ready.add((name, lang))


def is_ready(name: str, lang: str) -> bool:
    """Whether nobody has to wait for it; what is no scene with steps has nothing to wait for."""
    return name not in scenes() or (name, lang) in _ready


def once_ready(
    name: str, lang: str, then: Callable[[], None], failed: Callable[[Exception], None]
) -> None:
    """Go on in this visitor's page when a scene is ready in a language."""
    if is_ready(name, lang) or not pn.state.curdoc:  # nobody else waits
        then()
    else:
        in_background(lambda: make_ready(name, lang), lambda _: then(), failed, _THREAD)


def look_ahead(document: Document) -> None:
    """From now on, all pages of the server of this one are built when their scene is ready."""
    context = document.session_context
    if context is None or context.server_context is None:  # built before the server runs
        return
    application = context.server_context.application_context.application
    if not any(isinstance(handler, Ahead) for handler in application.handlers):
        application.add(Ahead())


class Ahead(Handler):
    """Of the server: before a page is built, the scene that its link asks for is made ready."""

    async def on_session_created(self, session_context: SessionContext) -> None:
        """Called by Bokeh for each new page."""
        request = getattr(session_context, "request", None)
        name, lang = asked_scene(request.arguments if request else {})
        if not is_ready(name, lang):
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(_THREAD, make_ready, name, lang)

    def modify_document(self, doc: Document) -> None:
        """Nothing of the page comes from here."""
