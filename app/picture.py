"""The picture of a session's lanes as it goes to the browser: a payload, and its text.

Those of scenes that nobody has touched are kept: all visitors of a class begin with the same ones.
"""

import pickle

from app.lane_offers import offers
from app.lane_view import Payload
from app.lanes import Lane
from app.payload import make_payload
from app.scene_words import of_scene
from app.wire import as_json
from sim import Scenario
from sim.files import builtin

Picture = tuple[Payload, str]

_KEPT: dict[tuple[str, str], bytes] = {}


def picture(payload: Payload, shared: Scenario) -> Picture:
    """What `make_payload` made, with what one more lane beside those of `shared` could begin as."""
    payload |= {"bases": offers(shared, payload["lang"])}
    return payload, as_json(payload)


def picture_of_scene(name: str, lang: str, lanes: list[Lane], *, run: int, reset: bool) -> Picture:
    """The same of a scene with steps, as its file has it, at its start; `lanes` are its own.

    Kept as bytes: the garbage collector would have to look through thousands of lists.
    """
    if (packed := _KEPT.get((name, lang))) is None:
        title = of_scene(name, lang)["title"]
        made, _ = picture(make_payload(lanes, lang, title=title, run=0), builtin(name))
        packed = _KEPT[name, lang] = pickle.dumps(made)
    payload: Payload = pickle.loads(packed)
    payload |= {"run": run, "reset": reset}
    return payload, as_json(payload)
