"""What the help sheet tells in one language: how to begin, the signs of the stage, a few words.

What a metric means is told where the page shows it too; see `app.definitions`. The signs
themselves are drawn by the player, which draws them in the legend.
"""

from functools import cache
from typing import Any

from app.definitions import definitions
from app.i18n import words

METRICS = ("ttft", "itl", "tpot", "e2e", "queue", "makespan")


@cache
def help_view(lang: str) -> dict[str, Any]:
    """Sentences to begin with, a sentence a sign by its key, and terms with their meaning."""
    meanings = words(lang, "help.meaning")
    terms = [[name, meanings[key]] for key, name in words(lang, "help.term").items()]
    known = definitions()[lang]
    return {
        "begin": [*words(lang, "help.first").values()],
        "signs": words(lang, "help.sign"),
        "terms": terms + [[known[key]["name"], known[key]["what"]] for key in METRICS],
    }
