"""The figures of a lane as a whole: as of the end of every round of a window, and at the end.

Each is a column of `Progress`; what a setup gives no meaning (KV without a pool, goodput without
goals) stays nothing, and the browser leaves out what is nothing in every lane.
"""

from typing import Any

from app.lanes import Lane

# Column, kind of its unit, digits, which is better; the first seven are always on the page.
OVERALL = (
    ("makespan", "time", 1, "less"),
    ("output_tps", "rate", 2, "more"),
    ("mean_ttft", "time", 2, "less"),
    ("max_itl", "time", 1, "less"),
    ("waste", "token", 0, "less"),
    ("tokens", "token", 0, "none"),
    ("finished", "requests", 0, "more"),
    ("mean_queue", "time", 2, "less"),
    ("longest_wait", "time", 1, "less"),
    ("mean_itl", "time", 2, "less"),
    ("request_rate", "request_rate", 3, "more"),
    ("input_tps", "rate", 2, "more"),
    ("budget_use", "percent", 1, "more"),
    ("mean_used", "block", 1, "none"),
    ("peak_used", "block", 0, "none"),
    ("preemptions", "times", 0, "less"),
    ("recomputed", "token", 0, "less"),
    ("good", "requests", 0, "more"),
)
ALWAYS = 7
_MEANS = ("mean_ttft", "mean_queue", "mean_itl")  # over those who have come so far
_NOTHING_YET = {
    "waste": 0,
    "tokens": 0,
    "finished": 0,
    "preemptions": 0,
    "recomputed": 0,
    "good": 0,
}


def overall(lane: Lane, first: int, past: int) -> dict[str, Any]:
    """Figures at the start of a window, as of the end of each of its rounds, and of the run.

    `counted` tells of each mean, by its place, how many it is over at the end of each round.
    """
    known = lane.progress.columns
    columns = [
        known[name] * 100 if kind == "percent" else known.get(name) for name, kind, *_ in OVERALL
    ]
    nothing = [
        None if column is None else _NOTHING_YET.get(name)
        for (name, *_), column in zip(OVERALL, columns, strict=True)
    ]

    def after(k: int) -> list[float | None]:
        return [None if column is None else _figure(column[k]) for column in columns]

    counted = {
        str(place): [int(n) for n in lane.progress.counted[name][first:past]]
        for place, (name, *_) in enumerate(OVERALL)
        if name in _MEANS
    }
    return {
        "counted": counted,
        "rows": [after(k) for k in range(first, past)],
        "start": after(first - 1) if first else nothing,
        "final": after(-1) if len(lane.history) else nothing,
    }


def _figure(value: Any) -> float | int | None:
    """A NumPy number as plain JSON; NaN is nothing yet."""
    plain = value.item()
    if plain != plain:
        return None
    return round(plain, 6) if isinstance(plain, float) else plain
