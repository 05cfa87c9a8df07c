"""What goes to a browser: JSON without a blank too many."""

import json
from typing import Any


def as_json(told: dict[str, Any]) -> str:
    """JSON as browsers read it.

    Raises:
        ValueError: a number in it is none or infinite.
    """
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
