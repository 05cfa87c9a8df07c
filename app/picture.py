"""The picture of a session's lanes as it goes to the browser: a payload, written as JSON.

Those of scenes that nobody has touched are kept: all visitors of a class begin with the same ones.
"""

import json
from dataclasses import dataclass

from app.lane_offers import offers
from app.lane_view import Payload
from app.lanes import Lane
from app.payload import make_payload
from app.scene_words import of_scene
from app.wire import as_json
from sim import Scenario
from sim.files import builtin

_KEPT: dict[tuple[str, str], "Picture"] = {}


@dataclass(frozen=True, slots=True)
class Picture:
    """A payload as text, and what the server asks of it.

    As a dictionary it is thousands of lists, and the garbage collector would go through those of
    all visitors each time.

    Args:
        content: JSON of what `make_payload` makes.
        whole: whether it shows all rounds.
        end: time of the last one, in ms or ticks.
        names: short names of the lanes by their keys.
        run: a number that changes with every new history.
        reset: whether the cursor goes back to the start.
    """

    content: str = "{}"
    whole: bool = True
    end: float = 0
    names: tuple[tuple[str, str], ...] = ()
    run: int = 0
    reset: bool = False

    @property
    def text(self) -> str:
        """The payload as the browser gets it."""
        numbers = as_json({"run": self.run, "reset": self.reset})
        return numbers if self.content == "{}" else f"{numbers[:-1]},{self.content[1:]}"

    @property
    def payload(self) -> Payload:
        """The payload as it can be read here; made each time it is asked for."""
        payload: Payload = json.loads(self.text)
        return payload


def picture(payload: Payload, shared: Scenario) -> Picture:
    """What `make_payload` made, with what one more lane beside those of `shared` could begin as."""
    overview = payload["overview"]
    return Picture(
        as_json(payload | {"bases": offers(shared, payload["lang"])}),
        whole=payload["whole"],
        end=(overview or payload)["t1"],
        names=tuple((lane["key"], lane["short"]) for lane in payload["lanes"]),
    )


def is_kept(name: str, lang: str) -> bool:
    """Whether the picture of a scene has been made."""
    return (name, lang) in _KEPT


def picture_of_scene(name: str, lang: str, lanes: list[Lane]) -> Picture:
    """The same of a scene with steps, as its file has it, at its start; `lanes` are its own."""
    if not is_kept(name, lang):
        title = of_scene(name, lang)["title"]
        _KEPT[name, lang] = picture(make_payload(lanes, lang, title=title), builtin(name))
    return _KEPT[name, lang]
