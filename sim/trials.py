"""The commands that make many runs: compare, sweep, calibrate; `cli` has their options."""

import argparse
import json
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from sim import calibrate as calibration
from sim import fit_timings, report, tables
from sim.commands import chosen, out
from sim.compare import compare
from sim.compare_told import csv_texts, text
from sim.files import TRACE_BUDGET
from sim.report.cells import percent
from sim.scenario import Scenario
from sim.setup import Setup
from sim.sweep import Progress, grid, sweep
from sim.timings import timings_of
from sim.traces import read_trace_file
from sim.what import (
    RefusedError,
    Setting,
    changed,
    find,
    named_setup,
    objectives,
    setting,
    values,
    written,
)

FEW_REQUESTS = 1000  # a sweep over more is worth processes of its own
BAR = 30


@contextmanager
def bar(what: str) -> Iterator[Progress | None]:
    """A progress bar on stderr, wiped at the end; None where that is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return

    def show(done: int, of: int) -> None:
        full = BAR * done // of
        sys.stderr.write(f"\r{what} {'#' * full}{'.' * (BAR - full)} {done:,}/{of:,}")
        sys.stderr.flush()

    try:
        yield show
    finally:
        sys.stderr.write("\r\x1b[K")


def compare_setups(options: argparse.Namespace) -> None:
    """Up to four setups on the same requests: a table, JSON, CSV, a report."""
    base = chosen(options)
    asked = [named_setup(text) for text in options.setup]
    if len({one.name for one in asked}) < len(asked):
        raise RefusedError("--setup: two setups have the same name; write NAME: before one")
    slo = [one for text in options.slo for one in objectives(text)]
    setups = {one.name: one._replace(settings=(*one.settings, *slo)).on(base) for one in asked}
    share = _share(options.share)
    with bar("compare") as progress:
        try:
            found = compare(setups, share=share, progress=progress)
        except ValueError as error:
            raise RefusedError(f"--setup: {error}") from None
    written_to = csv_texts(found) if options.csv else {}
    paths = {options.csv / name: told for name, told in written_to.items()}
    if options.report:
        paths[options.report] = report.html(found, options.lang, _again(options))
    _save(paths)
    if options.json:
        out(json.dumps(found.as_dict()))
    elif not options.csv:
        out(text(found).rstrip("\n"))


def _share(percent: float) -> float:
    if not 0 < percent <= 100:
        raise RefusedError(f"--share must be above 0 and at most 100 (percent), not {percent:g}")
    return percent / 100


def _again(options: argparse.Namespace) -> str:
    """The command as it was given."""
    return shlex.join(("python", "-m", "sim", *options.said))


def _save(files: Mapping[Path, str]) -> None:
    for path, told in files.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(told, encoding="utf-8", newline="")
        except OSError as error:
            raise RefusedError(f"{path}: cannot be written ({error.strerror})") from None
        sys.stderr.write(f"wrote {path}\n")


# Sweeps.


def sweep_over(options: argparse.Namespace) -> None:
    """One scenario under every combination of the values given: a row of metrics each."""
    axes = dict(values(text) for text in options.over)
    if len(axes) < len(options.over):
        raise RefusedError("--over: a setting is given twice; list its values behind one --over")
    if options.jobs is not None and options.jobs < 1:
        raise RefusedError(f"--jobs must be at least 1, not {options.jobs}")
    share = _share(options.share)
    points = grid(axes)
    settings = [setting(text) for text in options.changes]
    settings += [one for text in options.slo for one in objectives(text)]
    base = find(options)
    scenarios = [changed(base, options.preset, [*settings, *_over(point)]) for point in points]
    found = _swept(scenarios, options.jobs, share)
    if options.json:
        rows = [{"set": point, "overall": row} for point, row in zip(points, found, strict=True)]
        out(json.dumps(rows))
    else:
        out(_sweep_table(points, found))


def _swept(scenarios: Sequence[Scenario], jobs: int | None, share: float) -> list[Any]:
    is_large = len(scenarios[0].requests) > FEW_REQUESTS and len(scenarios) > 1
    with (
        bar("sweep") as progress,
        ProcessPoolExecutor(jobs) if is_large else nullcontext() as executor,
    ):
        return list(sweep(scenarios, executor, share=share, progress=progress))


def _over(point: Mapping[str, Any]) -> list[Setting]:
    """A point of the grid as settings."""
    return [
        Setting(name, value, f"--over {name}={written(value)}") for name, value in point.items()
    ]


def _sweep_table(points: Sequence[Mapping[str, Any]], found: Sequence[Mapping[str, Any]]) -> str:
    columns = [column for column in _SWEEP if _at(found[0], column[1]) is not None]
    head = [*points[0], *(title for title, *_ in columns)]
    rows = [
        [*(written(value) for value in point.values()), *(_cell(row, path) for _, path in columns)]
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
    ("attainment", ("attainment_of_all",)),
    ("feasible", ("feasible",)),
)


def _at(row: Mapping[str, Any], path: Sequence[str]) -> Any:
    for name in path:
        row = row[name]
    return row


def _cell(row: Mapping[str, Any], path: Sequence[str]) -> Any:
    value = _at(row, path)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return percent(value) if path == ("attainment_of_all",) else value


# Fits.


def calibrate(options: argparse.Namespace) -> None:
    """The cost of a round that fits a profile table, or measured requests, best."""
    if not options.timings:
        if options.changes or options.preset:
            raise RefusedError("calibrate: --set and --preset belong to --timings")
        out(calibration.report(options.file, as_json=options.json).rstrip("\n"))
        return
    imported = read_trace_file(options.file)
    sys.stderr.writelines(line + "\n" for line in imported.report.lines())
    timings = timings_of(options.file.name, imported.requests, imported.timings)
    server = Scenario(Setup(budget=TRACE_BUDGET, mode="vllm_v1"), timings.requests)
    settings = [setting(text) for text in options.changes]
    server = changed(server, options.preset, settings)
    with bar("calibrate") as progress:
        fit = fit_timings.fit_timings(timings, server.setup, progress=progress)
    told = json.dumps(fit_timings.as_dict(fit)) if options.json else fit_timings.told(fit)
    out(told.rstrip("\n"))
