"""What the stage asks for: one small table, `{"do": "add_lane", "base": "static", "seq": 3}`.

The browser counts `seq` up so that the same wish twice is two wishes. What is not understood, or
cannot be done, changes nothing.
"""

from collections.abc import Mapping
from typing import Any

from app.session import Session


def run_command(session: Session, command: Mapping[str, Any]) -> None:
    """Do what the stage asks for."""
    match command:
        case {"do": "add_lane", "base": str(base)}:
            session.add_lane(base)
        case {"do": "copy_lane", "key": str(key)}:
            session.copy_lane(key)
        case {"do": "remove_lane", "key": str(key)}:
            session.remove_lane(key)
