"""What one more lane can begin as, and why it cannot stand here where it cannot.

Each is tried before it is offered, in a scene with requests few enough to be listed. A long run's
own lanes are told when they are added, as everywhere.
"""

from functools import lru_cache

from app.inputs import lane_scenarios
from app.lane_names import base_titles
from app.lane_specs import LaneSpec, bases
from app.messages import told
from app.rows import MOST_ROWS, typed
from sim import Scenario

Offers = list[list[str]]


def offers(shared: Scenario, lang: str) -> Offers:
    """Names, titles and reasons against, empty where there is none."""
    if len(shared.requests) > MOST_ROWS:
        return [[name, title, ""] for name, title in base_titles(lang)]
    return _tried(shared, lang)


@lru_cache(maxsize=16)
def _tried(shared: Scenario, lang: str) -> Offers:
    return [[name, title, _fault(shared, name, lang)] for name, title in base_titles(lang)]


def _fault(shared: Scenario, name: str, lang: str) -> str:
    _, found = lane_scenarios(shared, [LaneSpec(name, bases()[name])])
    return str(told(found[0][1], lang, typed(shared), in_lane=True)["text"]) if found else ""
