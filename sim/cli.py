"""The command line: `python -m sim`, `run`, `rounds`, `list`.

Bad input ends with exit code 2 and one line that names the file, the place and what would be
right. Plain output is for reading, `--json` and `--csv` are for programs.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any, NoReturn

from sim import tables, vllm
from sim.check import check
from sim.export import to_json, write_csv
from sim.files import (
    BY_HAND,
    SYNTHETIC,
    FileError,
    builtin,
    builtin_files,
    lanes,
    read_table,
    suggestion,
    traffic,
)
from sim.history import History, run
from sim.problems import ScenarioError
from sim.scenario import Scenario
from sim.traces import TraceError, read_trace_file

MOST_ROUNDS_PRINTED = 60
MOST_REQUESTS_PRINTED = 40
MOST_ROUNDS_JSON = 20_000


class _RefusedError(Exception):
    """Input that cannot be used; the message is the one line to print."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise _RefusedError(f"{message} (python -m sim --help shows what is possible)")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code."""
    try:
        arguments = sys.argv[1:] if arguments is None else arguments
        _check_first(arguments)
        options = _parser().parse_args(arguments)
        options.act(options)
    except (_RefusedError, FileError, TraceError, ScenarioError) as error:
        line = " ".join(_short(error).split())
        shown = "".join(c if c.isprintable() else "?" for c in line)
        sys.stderr.write(f"python -m sim: {shown}\n")
        return 2
    except BrokenPipeError:
        sys.stderr.close()
    except KeyboardInterrupt:
        return 130
    return 0


def _check_first(arguments: Sequence[str]) -> None:
    """Name a misspelt first option; argparse would take its value for a command."""
    first = arguments[0].partition("=")[0] if arguments else ""
    if first.startswith("-") and first not in ("--budget", "-h", "--help"):
        raise _RefusedError(f"{first} is not an option here; did you mean --budget?")


def _short(error: Exception) -> str:
    if isinstance(error, ScenarioError) and len(error.problems) > 5:
        shown = "; ".join(str(problem) for problem in error.problems[:5])
        return f"{shown}; and {len(error.problems) - 5} more"
    return str(error)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m sim", description="Batching in LLM servers, round by round.")
    parser.add_argument("--budget", type=int, help="tokens a round, for the by-hand example")
    parser.set_defaults(act=_by_hand)
    commands = parser.add_subparsers(metavar="COMMAND", parser_class=_Parser)
    run_ = commands.add_parser("run", help="simulate a scenario or a trace and print its metrics")
    run_.add_argument("what", help="a built-in scenario, a scenario file or a request trace")
    run_.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        dest="changes",
        help="change a field of the setup: budget=6, mode=static, cost.base=3; may be repeated",
    )
    output = run_.add_mutually_exclusive_group()
    output.add_argument("--json", action="store_true", help="print one object")
    output.add_argument("--csv", metavar="DIR", type=Path, help="write four tables into DIR")
    run_.add_argument("--check", action="store_true", help="prove the laws on every round")
    run_.add_argument("--rounds", action="store_true", help="rounds of a large run too")
    run_.add_argument(
        "--columns",
        default="",
        metavar="arrival=T,prompt=IN,output=OUT",
        help="which columns of a trace to read, where their names do not say it",
    )
    run_.add_argument("--unit", choices=("s", "ms", "us", "ns"), help="of a trace's arrivals")
    run_.add_argument(
        "--rate", type=float, help="made-up arrivals a second, for a trace of lengths only"
    )
    run_.set_defaults(act=_run)
    rounds_ = commands.add_parser("rounds", help="rounds of a scenario in vLLM's recorded form")
    rounds_.add_argument("file", type=Path)
    rounds_.set_defaults(act=_rounds)
    list_ = commands.add_parser("list", help="name the built-in scenarios")
    list_.set_defaults(act=_list)
    return parser


def _by_hand(options: argparse.Namespace) -> None:
    scenario = builtin(BY_HAND)
    if options.budget is not None:
        try:
            scenario = Scenario.from_dict(_with(scenario, "budget", options.budget))
        except ScenarioError as error:
            raise _RefusedError(f"--budget {error.problems[0].told}") from None
    _print(run(scenario))


def _with(scenario: Scenario, name: str, value: Any) -> dict[str, Any]:
    data = scenario.to_dict()
    data["setup"][name] = value
    return data


def _run(options: argparse.Namespace) -> None:
    scenario = _changed(_find(options), options.changes)
    history = run(scenario)
    if options.check:
        sys.stderr.write(f"checked {check(history):,} rounds: all laws hold\n")
    if options.json:
        rounds = options.rounds or len(history) <= MOST_ROUNDS_JSON
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
        raise _RefusedError(f"{folder}: cannot be written ({error.strerror})") from None


def _rounds(options: argparse.Namespace) -> None:
    if str(options.file) in builtin_files():
        raise _RefusedError(f"rounds {options.file}: takes a recorded scenario's file, not a name")
    lines = ",\n  ".join(json.dumps(row) for row in vllm.rounds(vllm.read_recording(options.file)))
    _out('{"rounds": [\n  ' + lines + "\n]}")


def _list(options: argparse.Namespace) -> None:
    for name in (*builtin_files(), SYNTHETIC):
        scenario = builtin(name)
        _out(f"{name:<12} {len(scenario.requests):>3} requests  {scenario.note}")
        names = ", ".join(f"{name}/{lane}" for lane in lanes(name))
        for line in wrap(f"lanes: {names}", 86, break_on_hyphens=False) if names else []:
            _out(f"{'':<13}{line}")


# Finding WHAT.


def _find(options: argparse.Namespace) -> Scenario:
    """A built-in scenario or one of its lanes, a scenario file, or a trace."""
    what = options.what
    names = (*builtin_files(), SYNTHETIC)
    if what.partition("/")[0] in builtin_files() or what == SYNTHETIC:
        return builtin(what)
    path = Path(what)
    if not path.is_file():
        kind = "a folder, not a file" if path.is_dir() else "no such file"
        near = suggestion(what, names) or "; python -m sim list names those"
        raise _RefusedError(f"{what}: {kind}, nor a built-in scenario{near}")
    if path.suffix == ".toml" or (path.suffix == ".json" and _is_scenario(path)):
        return _scenario_file(path)
    return _trace(path, options)


def _is_scenario(path: Path) -> bool:
    return "setup" in read_table(path)


def _scenario_file(path: Path) -> Scenario:
    try:
        return Scenario.from_dict(read_table(path))
    except ScenarioError as error:
        raise _RefusedError(f"{path}: {_short(error)}") from None


def _trace(path: Path, options: argparse.Namespace) -> Scenario:
    columns = _columns(options.columns)
    imported = read_trace_file(path, columns=columns, unit=options.unit, rate=options.rate)
    scenario = traffic(imported.requests, path.name)
    for line in (*imported.report.lines(), scenario.note):
        sys.stderr.write(line + "\n")
    return scenario


def _columns(text: str) -> dict[str, str]:
    """`arrival=t,prompt=in` as a table."""
    pairs = [pair.partition("=") for pair in text.split(",") if pair]
    for name, equals, column in pairs:
        if not (name and equals and column):
            raise _RefusedError(f"--columns {text}: write it as arrival=T,prompt=IN,output=OUT")
    return {name: column for name, _, column in pairs}


# --set name=value


def _changed(scenario: Scenario, changes: list[str]) -> Scenario:
    if not changes:
        return scenario
    data = scenario.to_dict()
    for change in changes:
        name, equals, text = change.partition("=")
        if not equals:
            raise _RefusedError(f"--set {change}: write it as NAME=VALUE, such as budget=6")
        table = data["setup"]
        *groups, last = name.removeprefix("setup.").split(".")
        for group in groups:
            table = table.setdefault(group, {})
            if not isinstance(table, dict):
                raise _RefusedError(f"--set {change}: {group} has no parts")
        table[last] = _value(text)
    try:
        return Scenario.from_dict(data)
    except ScenarioError as error:
        raise _RefusedError(f"--set: {_short(error)}") from None


def _value(text: str) -> Any:
    """`6` as a number, `on` and `true` as true, `none` as unset, anything else as text."""
    plain = {"true": True, "on": True, "false": False, "off": False, "none": None}
    if text.lower() in plain:
        return plain[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


# Printing.


def _print(history: History, *, every_round: bool = False) -> None:
    if every_round or len(history) <= MOST_ROUNDS_PRINTED:
        _out(tables.rounds(history))
    if len(history.scenario.requests) <= MOST_REQUESTS_PRINTED:
        _out(tables.requests(history))
    _out(tables.overall(history))


def _out(text: str) -> None:
    sys.stdout.write(text + "\n")
