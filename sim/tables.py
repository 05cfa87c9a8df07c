"""Rounds and metrics as plain text tables for a terminal."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sim.clock import to_shown
from sim.history import History
from sim.metrics import Metrics
from sim.record import Round


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


def rounds(history: History) -> str:
    """A line a round: time, P, D, who got what, who waited and why."""
    unit = history.scenario.setup.time
    rows = [
        (
            record.number,
            f"{figure(to_shown(record.start, unit))}–{figure(to_shown(record.end, unit))}",
            record.prefill,
            record.decode,
            _who(record),
            ", ".join(f"{id_}: {reason}" for id_, reason in record.why.items()),
        )
        for record in history
    ]
    return table(("round", unit, "P", "D", "who", "why not"), rows, left=(1, 4, 5))


def _who(record: Round) -> str:
    parts = []
    for id_, n in record.given.items():
        done = " (done)" if id_ in record.finished else ""
        if id_ in record.prefilling:
            token = " + 1st token" if id_ in record.emitted else ""
            parts.append(f"{id_} prefill {n}{token}{done}")
        else:
            parts.append(f"{id_} decode{done}")
    parts += [f"{id_} pad {n}" for id_, n in record.pads.items()]
    parts += [f"{id_} idle" for id_ in record.idle]
    return ", ".join(parts)


def requests(history: History) -> str:
    """A line a request: when its tokens came, and its latencies."""
    figures = Metrics(history)
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
            )
        )
    head = ("request", "arrival", f"tokens at ({unit})", "queue", "TTFT", "ITL", "TPOT", "E2E")
    return table(head, rows, left=(0, 2, 5))


def _listed(values: Sequence[float], most: int = 12) -> str:
    text = ", ".join(figure(value) for value in values[:most])
    return f"{text}, … ({len(values):,})" if len(values) > most else text or "–"


def overall(history: History) -> str:
    """The totals of the run, then a line a latency with its percentiles."""
    unit = history.scenario.setup.time
    per = "s" if unit == "ms" else "tick"
    result = Metrics(history).overall()
    share = result["budget_use"]
    totals = [
        ("makespan", result["makespan"], unit),
        ("rounds", result["rounds"], ""),
        ("requests finished", result["finished"], ""),
        ("output tokens", result["tokens"], ""),
        ("output throughput", _fine(result["output_tps"]), f"token/{per}"),
        ("input throughput", _fine(result["input_tps"]), f"token/{per}"),
        ("request throughput", _fine(result["request_rate"]), f"request/{per}"),
        ("padding + idle seats", result["waste"], f"= {result['padding']} + {result['idle']}"),
        ("budget used", f"{100 * share:.1f}" if isinstance(share, float) else None, "%"),
        ("most running", result["peak_running"], ""),
    ]
    lines = table(("overall", "", ""), totals, left=(0, 2))
    spread = [(name.upper() if name != "queue" else name, result[name]) for name in _LATENCIES]
    head = (unit, "mean", "P50", "P95", "P99", "max")
    return lines + "\n" + table(head, [(name, *_parts(values)) for name, values in spread])


_LATENCIES = ("queue", "ttft", "tpot", "itl", "e2e")


def _parts(values: Any) -> list[Any]:
    assert isinstance(values, Mapping)
    return [values[key] for key in ("mean", "p50", "p95", "p99", "max")]


def _fine(value: Any) -> str:
    """Throughputs of a tick scenario are small: three decimals there."""
    return figure(value) if value >= 10 else f"{value:.3f}".rstrip("0").rstrip(".")
