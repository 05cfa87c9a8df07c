"""A history as JSON or CSV, under the names that pages and exercises use too.

Times are numbers in ms or ticks, ids stand in list order, undefined values are null (empty in
CSV).
"""

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from sim.clock import to_shown
from sim.history import History
from sim.metrics import Metrics
from sim.record import Round


def round_dict(record: Round, history: History) -> dict[str, Any]:
    """One round under the names of the JSON output."""
    unit = history.scenario.setup.time
    return {
        "round": record.number,
        "start": to_shown(record.start, unit),
        "end": to_shown(record.end, unit),
        "P": record.prefill,
        "D": record.decode,
        "V": record.drafts,
        "K": record.kv_read,
        "given": dict(record.given),
        "admitted": list(record.admitted),
        "resumed": list(record.resumed),
        "preempted": list(record.preempted),
        "running": list(record.running),
        "waiting": list(record.waiting),
        "used": record.used,
        "blocks": dict(record.blocks),
        "emitted": list(record.emitted),
        "finished": list(record.finished),
        "padding": record.padding + record.bucket_padding,
        "idle": len(record.idle),
        "why": {id_: str(reason) for id_, reason in record.why.items()},
    }


def request_dicts(figures: Metrics) -> dict[str, dict[str, Any]]:
    """Every request's figures by id, in list order."""
    requests = figures.history.scenario.requests
    return {request.id: request_dict(figures, index) for index, request in enumerate(requests)}


def request_dict(figures: Metrics, index: int) -> dict[str, Any]:
    """The figures of one request, by its place in the list."""
    own = figures.request(index)
    return {
        "state": str(own.state),
        "arrival": own.arrival,
        "outputs": list(own.outputs),
        "queue": own.queue,
        "ttft": own.ttft,
        "itl": list(own.itl),
        "tpot": own.tpot,
        "e2e": own.e2e,
        "generated": own.generated,
        "sent": own.sent,
        "preemptions": own.preemptions,
        "recomputed": own.recomputed,
    }


def to_json(history: History, *, rounds: bool = True) -> dict[str, Any]:
    """The whole run as one object: rounds, requests, overall."""
    figures = Metrics(history)
    result: dict[str, Any] = {"scenario": history.scenario.to_dict()}
    if rounds:
        result["rounds"] = [round_dict(record, history) for record in history]
    result["requests"] = request_dicts(figures)
    result["overall"] = figures.overall()
    return result


def write_csv(history: History, folder: Path) -> list[Path]:
    """Write rounds.csv, requests.csv, tokens.csv and overall.csv into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, rows in _tables(history).items():
        paths.append(folder / f"{name}.csv")
        with paths[-1].open("w", newline="", encoding="utf-8") as file:
            _write(file, rows)
    return paths


def csv_texts(history: History) -> dict[str, str]:
    """The same tables as text by file name, for a run whose tables fit into memory."""
    texts = {}
    for name, rows in _tables(history).items():
        file = io.StringIO(newline="")
        _write(file, rows)
        texts[f"{name}.csv"] = file.getvalue()
    return texts


def _tables(history: History) -> dict[str, Iterator[dict[str, Any]]]:
    figures = Metrics(history)
    requests = request_dicts(figures)
    return {
        "rounds": (_flat(round_dict(record, history)) for record in history),
        "requests": (_flat({"id": id_, **row}) for id_, row in requests.items()),
        "tokens": (
            {"id": id_, "number": number, "time": time}
            for id_, row in requests.items()
            for number, time in enumerate(row["outputs"], 1)
        ),
        "overall": iter([_flat(figures.overall())]),
    }


def _write(file: TextIO, rows: Iterator[dict[str, Any]]) -> None:
    writer = None
    for row in rows:
        if writer is None:
            writer = csv.DictWriter(file, list(row))
            writer.writeheader()
        writer.writerow(row)


_LATENCIES = ("queue", "ttft", "tpot", "itl", "e2e")
_LOAD = ("lambda", "W", "L", "queue_slope")


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """Tables inside a cell become columns (figures) or text (`A:4 B:2`)."""
    flat: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, dict) and name in _LATENCIES:
            flat |= {f"{name}_{part}": figure for part, figure in value.items()}
        elif name == "load":
            flat |= value or dict.fromkeys(_LOAD)
        elif isinstance(value, dict):
            flat[name] = " ".join(f"{key}:{item}" for key, item in value.items())
        elif isinstance(value, list):
            flat[name] = " ".join(map(str, value))
        else:
            flat[name] = value
    return flat
