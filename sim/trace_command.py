"""The command `trace`: what a request trace holds, before it is run.

Its options say how a file is read and which part of it is taken; `run` and `sweep` have them too.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from sim.tables import table
from sim.traces import Imported, Note, Preview, preview_trace
from sim.traces.importing import read_bytes
from sim.traces.report import NS_PER_S
from sim.what import RefusedError, trace_options, traced

UNITS = ("s", "ms", "us", "ns", "guess")


def add_command(group: Any) -> None:
    """The command with its options."""
    parser = group.add_parser("trace", help="what a request trace holds, and what is odd")
    parser.add_argument("file", type=Path, help="CSV, JSON lines or a result of vllm bench serve")
    parser.add_argument(
        "--preview", action="store_true", help="the first rows and which column plays which role"
    )
    parser.add_argument("--json", action="store_true", help="print one object")
    add_options(parser)
    parser.set_defaults(act=show)


def add_options(parser: argparse.ArgumentParser) -> None:
    """How a trace is read, and which part of it is taken."""
    reads = parser.add_argument_group("how a trace is read")
    reads.add_argument(
        "--columns",
        default="",
        metavar="arrival=T,prompt=IN,output=OUT",
        help="which columns of a trace to read, where their names do not say it",
    )
    reads.add_argument("--unit", choices=UNITS, help="what its arrivals count")
    reads.add_argument("--rate", type=float, help="made-up arrivals a second, for lengths alone")
    reads.add_argument(
        "--spread",
        action="store_true",
        help="spread requests that share a stamp evenly up to the next stamp",
    )
    reads.add_argument(
        "--loop",
        action="store_true",
        help="read a replay of sessions as the nearest closed loop: one wait for all",
    )
    part = parser.add_argument_group("which part of a trace is taken")
    part.add_argument("--start", type=float, help="seconds from its first arrival")
    part.add_argument("--duration", type=float, help="seconds from the start")
    part.add_argument("--most", type=int, help="at most so many requests")
    part.add_argument("--scale", type=float, help="times are multiplied by it; 0.5: twice the rate")
    part.add_argument("--max-prompt", type=int, metavar="TOKENS", help="longest prompt")
    part.add_argument("--max-output", type=int, metavar="TOKENS", help="longest output")
    part.add_argument("--max-total", type=int, metavar="TOKENS", help="most of prompt + output")
    part.add_argument(
        "--too-long", choices=("cut", "drop"), help="what becomes of longer ones; by default cut"
    )


def show(options: argparse.Namespace) -> None:
    """The report of an import, or a preview."""
    path = options.file
    if not path.is_file():
        kind = "a folder, not a file" if path.is_dir() else "no such file"
        raise RefusedError(f"{path}: {kind}; give the path of a trace")
    if options.preview:
        preview = preview_trace(path.name, read_bytes(path), **trace_options(options))
        _out(json.dumps(preview.to_dict()) if options.json else _preview(preview))
        return
    imported, requests, cuts = traced(path, options)
    if options.json:
        _out(json.dumps(_report(imported, len(requests), cuts)))
    else:
        _out("\n".join([*imported.report.lines(), *map(str, cuts)]))


def _preview(preview: Preview) -> str:
    """The first rows as a table under their roles, and what an import would say."""
    roles = {name: role for role, name in preview.roles.items()}
    width = len(preview.columns)
    rows = [
        [str(line), *row, *[""] * (width - len(row))]
        for line, row in zip(preview.lines, preview.rows, strict=True)
    ]
    under = ["", *(roles.get(name, "") for name in preview.columns)]
    head = ["line", *preview.columns]
    lines = [table(head, [under, *rows], left=range(len(head))), f"format: {preview.format or '–'}"]
    if preview.unit is not None:
        lines.append(f"unit: {preview.unit} ({preview.unit_from})")
    lines += [f"read as {unit}: {note}" for unit, note in preview.rates.items()]
    lines += map(str, preview.notes)
    if preview.problem is not None:
        lines.append(f"would be refused: {preview.problem}")
    return "\n".join(lines)


def _report(imported: Imported, taken: int, cuts: tuple[Note, ...]) -> dict[str, Any]:
    """The report as plain values."""
    report = imported.report
    bad = report.first_bad
    return {
        "name": report.name,
        "format": report.format,
        "read": report.read,
        "imported": report.imported,
        "dropped": [group._asdict() for group in report.dropped],
        "first_bad": None if bad is None else bad._asdict(),
        "taken": taken,
        "span_s": report.span / NS_PER_S,
        "rate": report.rate,
        "prompt_tokens": report.prompt_tokens,
        "output_tokens": report.output_tokens,
        "cached_tokens": report.cached_tokens,
        "largest_prompt": report.largest_prompt,
        "largest_output": report.largest_output,
        "measured": len(imported.measured),
        "loop": None if imported.loop is None else imported.loop.to_dict(),
        "notes": [*report.lines(), *map(str, cuts)],
    }


def _out(text: str) -> None:
    sys.stdout.write(text + "\n")
