"""Rounds and metrics as plain text tables for a terminal."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sim.history import History
from sim.metrics import Load, Metrics
from sim.sequence import Status


def figure(value: Any) -> str:
    """A number with at most two decimals; nothing as –."""
    if value is None:
        return "–"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return f"{value:,.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else f"{value:,}"
    return str(value)


def table(head: Sequence[str], rows: Iterable[Sequence[Any]], left: Sequence[int] = (0,)) -> str:
    """Columns of equal width, figures to the right, columns in `left` to the left."""
    cells = [list(head), *([figure(value) for value in row] for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]
    lines = [
        "  ".join(
            cell.ljust(width) if i in left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    ]
    return "\n".join(lines) + "\n"


def requests(history: History) -> str:
    """A line a request: how it left, when its tokens came, and its latencies."""
    figures = Metrics(history)
    all_done = bool(figures.finished.all())
    unit = history.scenario.setup.time
    rows = []
    for index, request in enumerate(history.scenario.requests):
        own = figures.request(index)
        rows.append(
            (
                request.id,
                own.arrival,
                _listed(own.outputs),
                own.queue,
                own.ttft,
                _listed(own.itl),
                own.tpot,
                own.e2e,
                *([] if all_done else [str(own.state)]),
            )
        )
    head = ("request", "arrival", f"tokens at ({unit})", "queue", "TTFT", "ITL", "TPOT", "E2E")
    return table((*head, *([] if all_done else ["state"])), rows, left=(0, 2, 5, 8))


def _listed(values: Sequence[float], most: int = 12) -> str:
    text = ", ".join(figure(value) for value in values[:most])
    return f"{text}, … ({len(values):,})" if len(values) > most else text or "–"


def overall(history: History) -> str:
    """The totals of the run, then a line a latency with its percentiles.

    Totals of what a run does not have (objectives, a window, a pool, drafts that were dropped)
    are left out.
    """
    known = Metrics(history)
    unit = history.scenario.setup.time
    per = "s" if unit == "ms" else "tick"
    result = known.overall()
    totals = [
        ("makespan", result["makespan"], unit),
        ("rounds", result["rounds"], ""),
        ("requests finished", result["finished"], ""),
        *_departures(result["states"]),
        ("output tokens", result["tokens"], ""),
        *_if(result["generated"] != result["tokens"], "generated", result["generated"]),
        ("output throughput", _fine(result["output_tps"]), f"token/{per}"),
        ("input throughput", _fine(result["input_tps"]), f"token/{per}"),
        ("request throughput", _fine(result["request_rate"]), f"request/{per}"),
        *_objectives(known, per),
        ("padding + idle seats", result["waste"], f"= {result['padding']} + {result['idle']}"),
        ("budget used", _percent(result["budget_use"]), "%"),
        ("most running", result["peak_running"], ""),
        *_if(bool(known.longest_wait), "longest wait", known.longest_wait, unit),
        *_kv(known),
        *_load(known.load, per),
    ]
    lines = table(("overall", "", ""), totals, left=(0, 2))
    spread = [(name.upper() if name != "queue" else name, result[name]) for name in _LATENCIES]
    head = (unit, "mean", "P50", "P95", "P99", "max")
    return lines + "\n" + table(head, [(name, *_parts(values)) for name, values in spread])


_LATENCIES = ("queue", "ttft", "tpot", "itl", "e2e")
_Row = tuple[str, Any, str]


def _if(is_told: bool, name: str, value: Any, unit: str = "") -> list[_Row]:
    return [(name, value, unit)] if is_told else []


def _departures(states: Any) -> list[_Row]:
    """Who left otherwise than finished."""
    return [
        (f"requests {status.replace('_', ' ')}", count, "")
        for status, count in states.items()
        if status != Status.FINISHED
    ]


def _objectives(known: Metrics, per: str) -> list[_Row]:
    """Who met the objectives, and how many miss each."""
    if known.missed is None:
        return []
    missed = ", ".join(f"{name} {int(who.sum()):,}" for name, who in known.missed.items())
    return [
        (
            "requests good",
            known.num_good,
            f"= {figure(_percent(known.attainment_of_all))}% of all",
        ),
        ("goodput", _fine(known.goodput), f"request/{per}"),
        ("goodput in tokens", _fine(known.good_tps), f"token/{per}"),
        ("objectives missed", sum(int(who.sum()) for who in known.missed.values()), missed),
    ]


def _kv(known: Metrics) -> list[_Row]:
    """Blocks of the pool, and what evictions cost."""
    kv = known.kv
    if kv is None:
        return []
    return [
        ("most KV blocks", kv.peak, f"of {kv.pool:,}"),
        ("KV blocks on average", kv.mean, ""),
        ("empty slots on average", kv.empty, ""),
        ("preemptions", known.total("preempted"), ""),
        ("recomputed", known.total("recomputed"), "positions"),
    ]


def _load(load: Load | None, per: str) -> list[_Row]:
    """Little's law in the window, and whether the queue grows."""
    if load is None:
        return []
    return [
        ("λ in the window", _fine(load.arrival_rate), f"request/{per}"),
        ("served in the window", _fine(load.served_rate), f"request/{per}"),
        ("W", None if load.time is None else _fine(load.time), per if per == "s" else "ticks"),
        ("L", load.number, "requests"),
        ("L − λW", load.gap, "requests"),
        ("queue growth", load.queue_slope, f"request/{per}"),
    ]


def _parts(values: Any) -> list[Any]:
    assert isinstance(values, Mapping)
    return [values[key] for key in ("mean", "p50", "p95", "p99", "max")]


def _percent(share: Any) -> str | None:
    return None if share is None else f"{100 * share:.1f}"


def _fine(value: Any) -> str | None:
    """Throughputs of a tick scenario are small: three decimals there; nothing stays nothing."""
    if value is None:
        return None
    return figure(value) if value >= 10 else f"{value:.3f}".rstrip("0").rstrip(".")
