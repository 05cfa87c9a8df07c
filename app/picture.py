"""The picture of a session's lanes as it goes to the browser: a payload, and its text.

Those of scenes that nobody has touched are kept: all visitors of a class begin with the same ones.
"""

import pickle
from functools import lru_cache

from app.lane_offers import offers
from app.lane_specs import default_lanes
from app.lane_view import Payload
from app.payload import make_payload
from app.runner import runnable, simulated
from app.scene_words import of_scene
from app.wire import as_json
from sim import Scenario
from sim.files import builtin

Picture = tuple[Payload, str]


def picture(payload: Payload, shared: Scenario) -> Picture:
    """What `make_payload` made, with what one more lane beside those of `shared` could begin as."""
    payload |= {"bases": offers(shared, payload["lang"])}
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
    title = of_scene(name, lang)["title"]
    payload, _ = picture(make_payload(lanes, lang, title=title, run=0), scenario)
    return pickle.dumps(payload)
