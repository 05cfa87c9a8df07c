"""What a link says, and what the address bar should say.

A link is typed by strangers: every value is checked against a list or a range before it reaches the
session, and what does not fit becomes the nearest good value together with a sentence saying so.
Panel's `location.sync` is not used because it parses values as JSON and blanks the page on one it
does not know.
"""

import re
from collections.abc import Callable, Mapping, Sequence

from app.i18n import LANGUAGES, join, say
from app.session import TRACE, Session

Arguments = Mapping[str, Sequence[bytes]]
THEMES = ("light", "dark")

_WHOLE_NUMBER = re.compile(r"-?[0-9]+")


def open_link(session: Session, arguments: Arguments) -> None:
    """Bring a new session to the state a link asks for; `session.notice` says what was dropped."""
    complaints = [
        step(session, value)
        for name, step in _STEPS.items()
        if (value := _first(arguments, name)) is not None
    ]
    if lines := [line for line in complaints if line]:
        session.notice = join(session.lang, lines)


def query(session: Session) -> dict[str, str]:
    """The part of the address that restores this state; a trace is a file and has no address."""
    if session.scenario_name == TRACE:
        return {}
    return {
        "lang": session.lang,
        "scenario": session.scenario_name,
        "budget": str(session.budget),
    }


def _first(arguments: Arguments, name: str) -> str | None:
    values = arguments.get(name)
    return values[0].decode("utf-8", "replace")[:40] if values else None


def _lang(session: Session, value: str) -> str:
    if value not in LANGUAGES:
        return say(session.lang, "link.lang")
    session.lang = value
    return ""


def _scenario(session: Session, value: str) -> str:
    if value not in session.param.scenario_name.objects:
        return say(session.lang, "link.scenario")
    session.choose(value)
    return ""


def _budget(session: Session, value: str) -> str:
    low, high = session.param.budget.bounds
    if not _WHOLE_NUMBER.fullmatch(value):
        return say(session.lang, "link.unreadable")
    asked = int(value)
    used = min(max(asked, low), high)
    session.budget = used
    if used == asked:
        return ""
    return say(
        session.lang, "link.budget", asked=f"{asked:,}", low=low, high=f"{high:,}", used=f"{used:,}"
    )


# In this order: the sentences need the language, and the budget the bounds of the scenario.
_STEPS: dict[str, Callable[[Session, str], str]] = {
    "lang": _lang,
    "scenario": _scenario,
    "budget": _budget,
}
