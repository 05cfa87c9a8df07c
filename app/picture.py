"""The picture of a session's lanes as it goes to the browser: a payload, and its text.

Those of scenes that nobody has touched are kept: all visitors of a class begin with the same ones.
"""

import pickle
from collections.abc import Sequence
from functools import lru_cache

from app.lane_offers import offers
from app.lane_specs import default_lanes
from app.lane_view import Payload
from app.lanes import Lane
from app.payload import make_payload
from app.runner import runnable, simulated
from app.scene_words import of_scene
from app.wire import as_json
from sim import Scenario
from sim.files import builtin

Picture = tuple[Payload, str]


def picture(
    lanes: Sequence[Lane],
    shared: Scenario,
    lang: str,
    *,
    title: str,
    run: int,
    time: int = 0,
    reset: bool = False,
) -> Picture:
    """The lanes in the window around a time, with what one more could begin as.

    Args:
        lanes: of the stage.
        shared: what they share.
        lang: language of all words.
        title: of the stage.
        run: a number that changes with every new history.
        time: internal time that the window must cover.
        reset: whether the cursor goes back to the start.
    """
    payload = make_payload(list(lanes), lang, title=title, run=run, time=time, reset=reset)
    payload |= {"bases": offers(shared, lang)}
    return payload, as_json(payload)


def picture_of_scene(name: str, lang: str, *, run: int, reset: bool) -> Picture:
    """The same of a scene with steps, as its file has it, at its start."""
    payload: Payload = pickle.loads(_packed(name, lang))
    payload |= {"run": run, "reset": reset}
    return payload, as_json(payload)


@lru_cache(maxsize=64)
def _packed(name: str, lang: str) -> bytes:
    """As bytes: the garbage collector would have to look through thousands of lists."""
    scenario = builtin(name)
    lanes = simulated(runnable(scenario, default_lanes(name, scenario)), [])
    payload, _ = picture(lanes, scenario, lang, title=of_scene(name, lang)["title"], run=0)
    return pickle.dumps(payload)
