"""What each metric means, in every language, from `assets/metrics.<lang>.toml`.

They are part of the player's code and not of a payload: they never change, and so are sent once.
"""

import tomllib
from typing import Any

from app.i18n import FOLDER, LANGUAGES

PARTS = {"name", "what", "formula", "here", "tools"}


def definitions() -> dict[str, Any]:
    """By language and metric; `same` says which metrics share a definition."""
    found = {lang: _read(lang) for lang in LANGUAGES}
    same = [found[lang].pop("same") for lang in LANGUAGES]
    first, *others = (found[lang].keys() for lang in LANGUAGES)
    if any(other != first for other in others) or any(pairs != same[0] for pairs in same):
        raise LookupError("The languages define different metrics: see assets/metrics.*.toml")
    return {**found, "same": same[0]}


def _read(lang: str) -> dict[str, Any]:
    return tomllib.loads((FOLDER.parent / f"metrics.{lang}.toml").read_text(encoding="utf-8"))
