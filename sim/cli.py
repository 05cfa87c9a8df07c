"""The command line: `python -m sim` and its commands; what they do is in `commands`.

Bad input ends with exit code 2 and one line that names the file, the place and what would be
right. Plain output is for reading, `--json` and `--csv` are for programs.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from sim import commands, trace_command, trials
from sim.bench import NUM_REQUESTS
from sim.files import FileError
from sim.presets import PRESETS
from sim.problems import ScenarioError
from sim.report.words import LANGUAGES
from sim.sweep import SHARE
from sim.traces import TraceError
from sim.what import RefusedError, short


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise RefusedError(f"{message} (python -m sim --help shows what is possible)")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code."""
    try:
        arguments = sys.argv[1:] if arguments is None else arguments
        _check_first(arguments)
        options = _parser().parse_args(arguments)
        options.said = arguments
        if options.budget is not None and options.act is not commands.by_hand:
            told = f"use --set budget={options.budget} behind the command"
            raise RefusedError(f"--budget is for the by-hand example; {told}")
        options.act(options)
    except (RefusedError, FileError, TraceError, ScenarioError) as error:
        line = " ".join(short(error).split())
        shown = "".join(c if c.isprintable() else "?" for c in line)
        sys.stderr.write(f"python -m sim: {shown}\n")
        return 2
    except BrokenPipeError:
        sys.stderr.close()
    except OSError as error:
        place = error.filename or "the output"
        sys.stderr.write(f"python -m sim: {place} cannot be written ({error.strerror})\n")
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


def _check_first(arguments: Sequence[str]) -> None:
    """Refuse what is no text; name a misspelt first option, whose value would be a command."""
    for argument in arguments:
        if "\0" in argument or not _is_utf8(argument):
            raise RefusedError(
                f"{argument!a}: is not UTF-8 text; give it, or the file, another name"
            )
    first = arguments[0].partition("=")[0] if arguments else ""
    if first.startswith("-") and first not in ("--budget", "-h", "--help"):
        raise RefusedError(f"{first} is not an option here; did you mean --budget?")


def _is_utf8(text: str) -> bool:
    return text.encode(errors="replace").decode() == text


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m sim", description="Batching in LLM servers, round by round.")
    parser.add_argument("--budget", type=int, help="tokens a round, for the by-hand example")
    parser.set_defaults(act=commands.by_hand)
    group = parser.add_subparsers(metavar="COMMAND", parser_class=_Parser)
    _add_run(group)
    _add_compare(group)
    _add_sweep(group)
    trace_command.add_command(group)
    rounds = group.add_parser("rounds", help="rounds of a scenario in vLLM's recorded form")
    rounds.add_argument("file", type=Path)
    rounds.set_defaults(act=commands.rounds)
    list_ = group.add_parser("list", help="name the built-in scenarios and their lanes")
    list_.set_defaults(act=commands.list_all)
    _add_calibrate(group)
    bench = group.add_parser("bench", help="how fast the simulator is, beside a loop by hand")
    bench.add_argument("--requests", type=int, default=NUM_REQUESTS, help="of the workload")
    bench.add_argument("--json", action="store_true", help="print one object")
    bench.set_defaults(act=commands.bench)
    return parser


def _add_run(group: Any) -> None:
    run = group.add_parser("run", help="simulate a scenario or a trace and print its metrics")
    _add_what(run)
    output = run.add_mutually_exclusive_group()
    output.add_argument("--json", action="store_true", help="print one object")
    output.add_argument("--csv", metavar="DIR", type=Path, help="write four tables into DIR")
    run.add_argument("--check", action="store_true", help="prove the laws on every round")
    run.add_argument("--rounds", action="store_true", help="rounds of a large run too")
    run.set_defaults(act=commands.run_one)


def _add_compare(group: Any) -> None:
    parser = group.add_parser("compare", help="up to four setups on the same requests")
    _add_what(parser)
    parser.add_argument(
        "--setup",
        action="append",
        required=True,
        metavar="NAME: PRESET or SETTING=VALUE, …",
        help="a setup to compare, such as 'small: sarathi, budget=256'; up to four",
    )
    _add_slo(parser)
    parser.add_argument("--json", action="store_true", help="print one object")
    parser.add_argument("--csv", metavar="DIR", type=Path, help="write tables and curves into DIR")
    parser.add_argument("--report", metavar="FILE.html", type=Path, help="write a report")
    parser.add_argument("--lang", choices=LANGUAGES, default="en", help="of the report")
    parser.set_defaults(act=trials.compare_setups)


def _add_slo(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--slo",
        action="append",
        default=[],
        metavar="ttft=200,tpot=50",
        help="objectives in ms or ticks: ttft, tpot, max_itl, e2e",
    )
    parser.add_argument(
        "--share",
        type=float,
        default=100 * SHARE,
        help="percent of all requests that must meet them for a setup to pass; 99 by default",
    )


def _add_calibrate(group: Any) -> None:
    fit = group.add_parser("calibrate", help="fit the cost of a round to measurements")
    fit.add_argument("file", type=Path, help="CSV with columns prefill, decode, kv, ms")
    fit.add_argument(
        "--timings",
        action="store_true",
        help="FILE is a trace with measured times: vLLM's record of requests, or of its benchmark",
    )
    fit.add_argument("--json", action="store_true", help="print one object")
    _add_settings(fit)
    fit.set_defaults(act=trials.calibrate)


def _add_sweep(group: Any) -> None:
    sweep = group.add_parser("sweep", help="one row of metrics for each value of a setting")
    _add_what(sweep)
    sweep.add_argument(
        "--over",
        action="append",
        required=True,
        metavar="NAME=VALUE,VALUE",
        help="a setting and its values: budget=256,512; twice for all pairs",
    )
    _add_slo(sweep)
    sweep.add_argument("--json", action="store_true", help="print a list of objects")
    sweep.add_argument("--jobs", type=int, help="processes; by default one a core")
    sweep.set_defaults(act=trials.sweep_over)


def _add_what(parser: argparse.ArgumentParser) -> None:
    """What is run, and under which settings."""
    parser.add_argument("what", help="a built-in scenario, a scenario file or a request trace")
    _add_settings(parser)
    trace_command.add_options(parser)


def _add_settings(parser: argparse.ArgumentParser) -> None:
    """A preset and settings on top of it."""
    parser.add_argument("--preset", choices=list(PRESETS), help="a scheduler by name")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        dest="changes",
        help="change a field of the setup: budget=6, mode=static, cost.base=3; may be repeated",
    )
