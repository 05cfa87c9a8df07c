"""What each command of the command line does; `cli` has their names and options."""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from textwrap import wrap
from typing import Any

from sim import bench as benchmark
from sim import calibrate as calibration
from sim import log, tables, vllm
from sim.check import check
from sim.export import to_json, write_csv
from sim.files import BY_HAND, SYNTHETIC, builtin, builtin_files, lanes
from sim.history import History, run
from sim.problems import ScenarioError
from sim.scenario import Scenario
from sim.setup import MAX_REQUESTS
from sim.sweep import grid, sweep
from sim.what import RefusedError, Setting, changed, find, setting, values, written

MOST_ROUNDS_PRINTED = 60
MOST_REQUESTS_PRINTED = 40
MOST_ROUNDS_JSON = 20_000
FEW_REQUESTS = 1000  # a sweep over more is worth processes of its own


def by_hand(options: argparse.Namespace) -> None:
    """The example of lesson 5, with another budget if asked."""
    data = builtin(BY_HAND).to_dict()
    if options.budget is not None:
        data["setup"]["budget"] = options.budget
    try:
        scenario = Scenario.from_dict(data)
    except ScenarioError as error:
        raise RefusedError(f"--budget {error.problems[0].told}") from None
    _print(run(scenario))


def run_one(options: argparse.Namespace) -> None:
    """One run: its tables, JSON or CSV."""
    scenario = _scenario(options)
    history = run(scenario)
    if options.check:
        sys.stderr.write(f"checked {counted(check(history), 'round')}: all laws hold\n")
    if options.json:
        rounds = options.rounds or len(history) <= MOST_ROUNDS_JSON
        if not rounds:
            sys.stderr.write(f"{len(history):,} rounds are left out; --rounds writes them\n")
        json.dump(to_json(history, rounds=rounds), sys.stdout)
        _out("")
    elif options.csv:
        for path in _written(history, options.csv):
            _out(str(path))
    else:
        _print(history, every_round=options.rounds)


def _written(history: History, folder: Path) -> list[Path]:
    try:
        return write_csv(history, folder)
    except OSError as error:
        raise RefusedError(f"{folder}: cannot be written ({error.strerror})") from None


def rounds(options: argparse.Namespace) -> None:
    """The rounds of a scenario in the form of vLLM's recordings."""
    if str(options.file) in builtin_files():
        raise RefusedError(f"rounds {options.file}: takes a recorded scenario's file, not a name")
    lines = ",\n  ".join(json.dumps(row) for row in vllm.rounds(vllm.read_recording(options.file)))
    _out('{"rounds": [\n  ' + lines + "\n]}")


def list_all(options: argparse.Namespace) -> None:
    """What is built in."""
    for name in (*builtin_files(), SYNTHETIC):
        scenario = builtin(name)
        count = counted(len(scenario.requests), "request")
        _out(f"{name:<12} {count:>12}  {scenario.note}")
        names = ", ".join(f"{name}/{lane}" for lane in lanes(name))
        for line in wrap(f"lanes: {names}", 86, break_on_hyphens=False) if names else []:
            _out(f"{'':<13}{line}")


def sweep_over(options: argparse.Namespace) -> None:
    """One scenario under every combination of the values given: a row of metrics each."""
    axes = dict(values(text) for text in options.over)
    if len(axes) < len(options.over):
        raise RefusedError("--over: a setting is given twice; list its values behind one --over")
    if options.jobs is not None and options.jobs < 1:
        raise RefusedError(f"--jobs must be at least 1, not {options.jobs}")
    points = grid(axes)
    settings = [setting(text) for text in options.changes]
    base = find(options)
    scenarios = [changed(base, options.preset, [*settings, *_over(point)]) for point in points]
    is_large = len(base.requests) > FEW_REQUESTS and len(points) > 1
    with ProcessPoolExecutor(options.jobs) if is_large else nullcontext() as executor:
        found = sweep(scenarios, executor)
        if options.json:
            rows = [
                {"set": point, "overall": row} for point, row in zip(points, found, strict=True)
            ]
            _out(json.dumps(rows))
        else:
            _out(_sweep_table(points, list(found)))


def _over(point: Mapping[str, Any]) -> list[Setting]:
    """A point of the grid as settings."""
    return [
        Setting(name, value, f"--over {name}={written(value)}") for name, value in point.items()
    ]


def _sweep_table(points: Sequence[Mapping[str, Any]], found: Sequence[Mapping[str, Any]]) -> str:
    columns = [column for column in _SWEEP if _at(found[0], column[1]) is not None]
    head = [*points[0], *(title for title, *_ in columns)]
    rows = [
        [*(written(value) for value in point.values()), *(_at(row, path) for _, path in columns)]
        for point, row in zip(points, found, strict=True)
    ]
    return tables.table(head, rows, left=())


_SWEEP = (
    ("finished", ("finished",)),
    ("makespan", ("makespan",)),
    ("output/s", ("output_tps",)),
    ("requests/s", ("request_rate",)),
    ("TTFT P50", ("ttft", "p50")),
    ("TTFT P95", ("ttft", "p95")),
    ("TPOT mean", ("tpot", "mean")),
    ("ITL P99", ("itl", "p99")),
    ("ITL max", ("itl", "max")),
    ("preemptions", ("preemptions",)),
    ("good", ("good",)),
    ("goodput/s", ("goodput",)),
)


def _at(row: Mapping[str, Any], path: Sequence[str]) -> Any:
    for name in path:
        row = row[name]
    return row


def calibrate(options: argparse.Namespace) -> None:
    """The cost of a round that fits a profile table best."""
    _out(calibration.report(options.file, as_json=options.json).rstrip("\n"))


def bench(options: argparse.Namespace) -> None:
    """Speed and memory on a fixed workload."""
    if not 1 <= options.requests <= MAX_REQUESTS:
        raise RefusedError(f"--requests must be 1 to {MAX_REQUESTS}, not {options.requests}")
    benchmark.main(options.requests, as_json=options.json)


def _scenario(options: argparse.Namespace) -> Scenario:
    """What was named, under the preset and all settings asked for, checked when all are set."""
    settings = [setting(text) for text in options.changes]
    return changed(find(options), options.preset, settings)


# Printing.


def _print(history: History, *, every_round: bool = False) -> None:
    scenario = history.scenario
    if scenario.name or scenario.note:
        _out(": ".join(filter(None, (scenario.name, scenario.note))) + "\n")
    if every_round or len(history) <= MOST_ROUNDS_PRINTED:
        _out(log.rounds(history))
    else:
        _out(f"{len(history):,} rounds are not listed; --rounds lists them\n")
    if len(scenario.requests) <= MOST_REQUESTS_PRINTED:
        _out(tables.requests(history))
    _out(tables.overall(history))


def counted(count: int, noun: str) -> str:
    """`1 round`, `2,000 rounds`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _out(text: str) -> None:
    sys.stdout.write(text + "\n")
