"""What is shown in words: number, title and hook of a scene, or of anything else with its text."""

from collections.abc import Mapping
from functools import lru_cache

from app.generator import told_in_short
from app.i18n import say
from app.sentences import number
from lessons.catalogue import heading, scenes
from sim import Scenario
from sim.clock import to_shown
from sim.files import SYNTHETIC
from sim.setup import Cost

Words = dict[str, str]


def scene_titles(lang: str) -> list[tuple[str, str]]:
    """Names and titles of all that can be chosen at any time."""
    titles = [(name, heading(name, lang).title) for name in scenes()]
    return [*titles, (SYNTHETIC, say(lang, "scene.synthetic"))]


def of_scene(name: str, lang: str) -> Words:
    """Of a scene with steps, which have the text."""
    words = heading(name, lang)
    return {"number": str(scenes()[name].lesson), "title": words.title, "hook": words.hook}


def of_other(kind: str, chosen: Scenario, drawn: Scenario, lang: str, *, is_whole: bool) -> Words:
    """Of requests that are no scene.

    Args:
        kind: how the words under `scene` speak of them: `trace`, `own`, `synthetic`, `generated`.
        chosen: as the file or the generator has it.
        drawn: with the requests that the generator's options make of it.
        lang: language of all words.
        is_whole: whether all of the run is on the stage, not a window of it.
    """
    values = {
        "cost": _cost(chosen.setup.cost, lang),
        "count": f"{len(drawn.requests):,}",
        "name": chosen.name,
        "traffic": _traffic(drawn, lang) if kind == "generated" else "",
    }
    text = [say(lang, f"scene.{kind}_text", **values)]
    return {
        "number": "",
        "title": say(lang, f"scene.{kind}", **values),
        "hook": say(lang, f"scene.{kind}_hook", **values),
        "text": "\n\n".join(text + ([] if is_whole else [say(lang, "scene.window")])),
    }


@lru_cache(maxsize=2)
def _traffic(drawn: Scenario, lang: str) -> str:
    """The sentence about requests that were drawn otherwise, kept while nothing changes."""
    return told_in_short(drawn, lang)


def _cost(cost: Cost, lang: str) -> str:
    names = ("base", "per_prefill", "per_decode", "per_kv_token")
    parts: Mapping[str, str] = {name: number(to_shown(getattr(cost, name), "ms")) for name in names}
    return say(lang, "scene.cost", **parts)
