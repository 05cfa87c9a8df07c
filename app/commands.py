"""What the stage asks for: one small table, `{"do": "add_lane", "base": "static", "seq": 3}`.

The browser counts `seq` up so that the same wish twice is two wishes. What is not understood, or
cannot be done, changes nothing.
"""

from collections.abc import Mapping
from typing import Any

from app import hands, lane_edits
from app.i18n import say
from app.lane_runs import forked
from app.lane_specs import MOST_LANES
from app.session import Session


def run_command(session: Session, command: Mapping[str, Any]) -> None:
    """Do what the stage asks for."""
    match command:
        case {"do": "add_lane", "base": str(base)}:
            lane_edits.add(session, base)
        case {"do": "copy_lane", "key": str(key)}:
            lane_edits.copy(session, key)
        case {"do": "move_lane", "key": str(key), "step": 1 | -1 as step}:
            lane_edits.move(session, key, step)
        case {"do": "rename_lane", "key": str(key), "name": str(name)}:
            lane_edits.rename(session, key, name)
        case {"do": "remove_lane", "key": str(key)}:
            lane_edits.remove(session, key)
        case {"do": "fork_lane", "key": str(key), "round": int(number)} if number > 0:
            _tell_if_full(session)
            lane_edits.put(session, forked(session.lanes, key, number))
        case {"do": str(what), "key": str(key)} if what.startswith("hand_"):
            _by_hand(session, what, key, command.get("grant"))


def _tell_if_full(session: Session) -> None:
    """One lane more was asked for: say so if there is no room."""
    session.notice = ""
    if len(session.lanes) >= MOST_LANES:
        session.announce(lambda lang: say(lang, "player.lane_most", n=MOST_LANES))


def _by_hand(session: Session, what: str, key: str, grant: object) -> None:
    match what:
        case "hand_begin":
            _tell_if_full(session)
            hands.begin(session, key)
        case "hand_give" if isinstance(grant, Mapping) and _are_counts(grant):
            hands.give(session, key, grant)
        case "hand_undo":
            hands.undo(session, key)
        case "hand_finish":
            hands.finish(session, key)
        case "hand_compare":
            hands.compare(session, key)


def _are_counts(grant: Mapping[Any, Any]) -> bool:
    return all(isinstance(id_, str) and type(n) is int for id_, n in grant.items())
