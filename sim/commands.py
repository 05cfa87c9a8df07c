"""What each command of the command line does; `cli` has their names and options.

Those that make many runs are in `trials`.
"""

import argparse
import json
import sys
from pathlib import Path
from textwrap import wrap

from sim import bench as benchmark
from sim import log, tables, vllm
from sim.check import check
from sim.export import to_json, write_csv
from sim.files import BY_HAND, SYNTHETIC, builtin, builtin_files, lanes
from sim.history import History, run
from sim.problems import ScenarioError
from sim.scenario import Scenario
from sim.setup import MAX_REQUESTS
from sim.what import RefusedError, changed, find, setting

MOST_ROUNDS_PRINTED = 60
MOST_REQUESTS_PRINTED = 40
MOST_ROUNDS_JSON = 20_000


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
    scenario = chosen(options)
    history = run(scenario)
    if options.check:
        sys.stderr.write(f"checked {counted(check(history), 'round')}: all laws hold\n")
    if options.json:
        rounds = options.rounds or len(history) <= MOST_ROUNDS_JSON
        if not rounds:
            sys.stderr.write(f"{len(history):,} rounds are left out; --rounds writes them\n")
        json.dump(to_json(history, rounds=rounds), sys.stdout)
        out("")
    elif options.csv:
        for path in _written(history, options.csv):
            out(str(path))
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
    out('{"rounds": [\n  ' + lines + "\n]}")


def list_all(options: argparse.Namespace) -> None:
    """What is built in."""
    for name in (*builtin_files(), SYNTHETIC):
        scenario = builtin(name)
        count = counted(len(scenario.requests), "request")
        out(f"{name:<12} {count:>12}  {scenario.note}")
        names = ", ".join(f"{name}/{lane}" for lane in lanes(name))
        for line in wrap(f"lanes: {names}", 86, break_on_hyphens=False) if names else []:
            out(f"{'':<13}{line}")


def bench(options: argparse.Namespace) -> None:
    """Speed and memory on a fixed workload."""
    if not 1 <= options.requests <= MAX_REQUESTS:
        raise RefusedError(f"--requests must be 1 to {MAX_REQUESTS}, not {options.requests}")
    benchmark.main(options.requests, as_json=options.json)


def chosen(options: argparse.Namespace) -> Scenario:
    """What was named, under the preset and all settings asked for, checked when all are set."""
    settings = [setting(text) for text in options.changes]
    return changed(find(options), options.preset, settings)


# Printing.


def _print(history: History, *, every_round: bool = False) -> None:
    scenario = history.scenario
    if scenario.name or scenario.note:
        out(": ".join(filter(None, (scenario.name, scenario.note))) + "\n")
    if every_round or len(history) <= MOST_ROUNDS_PRINTED:
        out(log.rounds(history))
    else:
        out(f"{len(history):,} rounds are not listed; --rounds lists them\n")
    if len(scenario.requests) <= MOST_REQUESTS_PRINTED:
        out(tables.requests(history))
    out(tables.overall(history))


def counted(count: int, noun: str) -> str:
    """`1 round`, `2,000 rounds`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def out(text: str) -> None:
    """A line on the standard output."""
    sys.stdout.write(text + "\n")
