"""What goes to a browser: JSON without a blank too many."""

import json
from typing import Any

MOST_CUT = 8  # entries: longer lists are written in one go
DEPTH = 4  # so far down: a payload, its lanes, a lane, and what that has

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


def as_json(told: Any, depth: int = DEPTH) -> str:
    """JSON as browsers read it, of tables whose keys are text.

    Written part by part down to a `depth`: while a part is written no other thread can run.

    Raises:
        ValueError: a number in it is none or infinite.
    """
    if depth and isinstance(told, dict):
        return (
            "{" + ",".join(f"{_encode(k)}:{as_json(v, depth - 1)}" for k, v in told.items()) + "}"
        )
    if depth and isinstance(told, list) and len(told) <= MOST_CUT:
        return "[" + ",".join(as_json(one, depth - 1) for one in told) + "]"
    return _encode(told)
