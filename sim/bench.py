"""How fast the simulator is on this machine, beside a loop written by hand for the same case.

The workload is production-like traffic for one server with a KV pool. All ways of running it stand
in one table: the hand-written loop (`tests/bench/yardstick.py`, there in a checkout only), the
simulator with its jump over equal rounds, with every array of the history read, with all metrics
on top, and the plain path, which takes every round by itself. The figures are told and never
judged: a busy machine is no fault of the code. What is judged is that all ways came to the same
rounds and times, for only then are they worth comparing.

Peak memory is measured in fresh processes, a way each, so that nothing run before counts.
"""

import importlib
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import getitem
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any, NamedTuple

from sim.clock import to_shown
from sim.files import TRACE_COST
from sim.history import History, simulate
from sim.metrics import Metrics
from sim.scenario import Scenario
from sim.setup import MAX_REQUESTS, Request, Setup
from sim.tables import table
from sim.workload import synthetic

NUM_REQUESTS = 20_000
RATE = 6.45  # requests a second
SEED = 42
MOST_TOKENS = 4096  # prompt and output together
NUM_ACCESSES = 1000
YARDSTICK = "tests.bench.yardstick"
ROOT = Path(__file__).resolve().parents[1]
PROC_STATUS = Path("/proc/self/status")

SETUP = Setup(budget=512, max_num_seqs=128, num_blocks=4000, cost=TRACE_COST)


class Outcome(NamedTuple):
    """What every way must agree on: rounds, last end, and each request's first and last token."""

    rounds: int
    end: int
    first_tokens: tuple[int, ...]
    ends: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """One way: seconds (the best of its runs) and peak memory above import in MiB, if known."""

    name: str
    seconds: float
    outcome: Outcome
    memory: float | None


@dataclass(frozen=True, slots=True)
class Bench:
    """All that was measured. `rows` begins with the yardstick where there is one."""

    num_requests: int
    rows: tuple[Row, ...]
    accesses: tuple[float, ...]  # seconds of each random `history[k]`

    @property
    def agree(self) -> bool:
        """Whether all ways came to the same rounds and times."""
        return len({row.outcome for row in self.rows}) == 1

    @property
    def yardstick(self) -> Row | None:
        """The hand-written loop's row."""
        return next((row for row in self.rows if row.name == "yardstick"), None)

    def ratio(self, row: Row) -> float | None:
        """How many times as fast as the yardstick."""
        return self.yardstick.seconds / row.seconds if self.yardstick else None


# The workload.


def workload(num_requests: int = NUM_REQUESTS) -> Scenario:
    """Synthetic conversations; a prompt is cut so that prompt and output stay within 4,096."""
    requests = (_cut(request) for request in synthetic(num_requests, RATE, seed=SEED))
    return Scenario(SETUP, tuple(requests), "bench")


def _cut(request: Request) -> Request:
    return replace(request, prompt=max(1, min(request.prompt, MOST_TOKENS - request.output)))


# The ways to run it: each takes a scenario and gives a function to time, and what came out of it.


def _yardstick_of(scenario: Scenario) -> Callable[[], Any]:
    loop = importlib.import_module(YARDSTICK).simulate
    rows = [(request.arrival, request.prompt, request.output) for request in scenario.requests]
    return lambda: loop(rows)


def _with_arrays(scenario: Scenario) -> History:
    """The history with all its columns and runs read."""
    history = simulate(scenario)
    for name in ("columns", "first_rounds", "work_runs", "token_runs", "ends"):
        getattr(history, name)
    return history


def _with_metrics(scenario: Scenario) -> History:
    """The history and every figure of the run, the spread of all latencies with it."""
    history = simulate(scenario)
    Metrics(history).overall()
    return history


WAYS: Mapping[str, Callable[[Scenario], Callable[[], Any]]] = {
    "yardstick": _yardstick_of,
    "jump": lambda scenario: lambda: simulate(scenario),
    "jump + arrays": lambda scenario: lambda: _with_arrays(scenario),
    "jump + metrics": lambda scenario: lambda: _with_metrics(scenario),
    "plain path": lambda scenario: lambda: simulate(scenario, jump=False),
}
SLOW = {"plain path"}  # timed once


def ways() -> tuple[str, ...]:
    """The ways there are; without a checkout there is no yardstick."""
    try:
        importlib.import_module(YARDSTICK)
    except ImportError:
        return tuple(name for name in WAYS if name != "yardstick")
    return tuple(WAYS)


def outcome_of(result: Any) -> Outcome:
    """What the yardstick's result or a history says of rounds and times."""
    if isinstance(result, History):
        rounds, end = len(result), int(result.ends[-1])
        times = [result.token_times(index) for index in range(len(result.scenario.requests))]
    else:
        rounds, end, times = len(result.rounds), result.rounds[-1][1], result.tokens
    first_tokens, ends = (tuple(int(own[place]) for own in times) for place in (0, -1))
    return Outcome(rounds, end, first_tokens, ends)


# Measuring.


def measure(
    num_requests: int = NUM_REQUESTS, *, best_of: int = 3, num_accesses: int = NUM_ACCESSES
) -> Bench:
    """Run every way and time it.

    Args:
        num_requests: how many requests the workload has.
        best_of: how often the fast ways are run.
        num_accesses: how many rounds are made on demand.

    Raises:
        ValueError: fewer requests than 1, or more than a scenario may have.
    """
    if not 1 <= num_requests <= MAX_REQUESTS:
        raise ValueError(f"a workload has 1 to {MAX_REQUESTS:,} requests, not {num_requests:,}")
    scenario = workload(num_requests)
    rows = []
    for name in ways():
        if sys.stderr.isatty():
            sys.stderr.write(f"{name} …\n")
        seconds, result = _timed(WAYS[name](scenario), 1 if name in SLOW else best_of)
        rows.append(Row(name, seconds, outcome_of(result), _memory_apart(name, num_requests)))
    return Bench(num_requests, tuple(rows), tuple(_accesses(simulate(scenario), num_accesses)))


def _timed(act: Callable[[], Any], times: int) -> tuple[float, Any]:
    """Seconds of the best run, and what the last one gave."""
    seconds, result = [], None
    for _ in range(times):
        result = None  # the last run's memory is not to be in the way of the next
        begun = perf_counter()
        result = act()
        seconds.append(perf_counter() - begun)
    return min(seconds), result


def _accesses(history: History, count: int) -> list[float]:
    """Seconds of each of so many random rounds, made on demand; the better of two tries.

    The other one may have met the garbage collector.
    """
    random = Random(SEED)
    history[0]  # what is made once for all rounds is not the first one's cost
    seconds = []
    for _ in range(count):
        k = random.randrange(len(history))
        seconds.append(_timed(partial(getitem, history, k), 2)[0])
    return seconds


# Memory.


def peak_memory() -> int | None:
    """Most bytes this process has had in memory so far; None where the system does not tell.

    Linux' own `ru_maxrss` is of no use here: a new process begins with the peak of the one that
    started it. The peak in /proc belongs to the program alone.
    """
    if PROC_STATUS.is_file():
        fields = dict(line.split(":", 1) for line in PROC_STATUS.read_text().splitlines())
        return int(fields["VmHWM"].split()[0]) * 1024
    try:
        resource = importlib.import_module("resource")
    except ImportError:
        return None
    return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)  # bytes on macOS


def memory_of(name: str, num_requests: int) -> int | None:
    """Bytes by which this process's peak grows while the workload is made and run one way."""
    before = peak_memory()
    result = WAYS[name](workload(num_requests))()
    after = peak_memory()
    del result
    return None if before is None or after is None else after - before


def _memory_apart(name: str, num_requests: int) -> float | None:
    """The same in a process of its own, in MiB."""
    code = f"from sim.bench import memory_of; print(memory_of({name!r}, {num_requests}))"
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    told = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": path},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        start_new_session=True,  # an interrupt is for this process; it ends the other one
    ).stdout.strip()
    return None if told == "None" else int(told) / 2**20


# Telling.


def told(bench: Bench) -> str:
    """The table, random access below it, and whether all ways agree."""
    head = ("", "seconds", "requests/s", "rounds/s", "× yardstick", "MiB above import")
    lines = [
        f"{bench.num_requests:,} synthetic requests, Poisson {RATE:g}/s, seed {SEED}, "
        f"at most {MOST_TOKENS:,} tokens each",
        table(head, [_cells(bench, row) for row in bench.rows]).rstrip("\n"),
        f"history[k], {len(bench.accesses):,} random k: median {_ms(_median(bench)):.3f} ms, "
        f"worst {_ms(max(bench.accesses)):.3f} ms",
        _agreement(bench),
    ]
    if bench.yardstick is None:
        lines.append(f"no yardstick: {YARDSTICK} is part of a checkout, and this is none")
    return "\n".join(lines) + "\n"


def _cells(bench: Bench, row: Row) -> Sequence[Any]:
    ratio = bench.ratio(row)
    return (
        row.name,
        f"{row.seconds:.3f}",
        round(bench.num_requests / row.seconds),
        round(row.outcome.rounds / row.seconds),
        None if ratio is None else f"{ratio:.2f}",
        None if row.memory is None else f"{row.memory:.1f}",
    )


def _agreement(bench: Bench) -> str:
    if bench.agree:
        outcome = bench.rows[0].outcome
        end = to_shown(outcome.end, "ms") / 1000
        return (
            f"all agree: {outcome.rounds:,} rounds, end at {end:,.3f} s, "
            "first and last token of every request"
        )
    found = (f"{r.name}: {r.outcome.rounds:,} rounds, {r.outcome.end:,} ns" for r in bench.rows)
    return f"THEY DIFFER in rounds, end, or a request's first or last token ({'; '.join(found)})"


def _median(bench: Bench) -> float:
    return statistics.median(bench.accesses)


def _ms(seconds: float) -> float:
    return seconds * 1000


def as_dict(bench: Bench) -> dict[str, Any]:
    """The same figures for a program; null where there is no yardstick or no memory figure."""
    return {
        "workload": {"requests": bench.num_requests, "rate": RATE, "seed": SEED},
        "rows": {
            row.name: {
                "seconds": row.seconds,
                "requests_per_s": bench.num_requests / row.seconds,
                "rounds_per_s": row.outcome.rounds / row.seconds,
                "ratio": bench.ratio(row),
                "mib": row.memory,
                "rounds": row.outcome.rounds,
                "end": to_shown(row.outcome.end, "ms"),
            }
            for row in bench.rows
        },
        "access": {"median_ms": _ms(_median(bench)), "worst_ms": _ms(max(bench.accesses))},
        "agree": bench.agree,
    }


def main(num_requests: int = NUM_REQUESTS, *, as_json: bool = False) -> int:
    """Measure and print; 0, or 1 when the ways do not agree."""
    bench = measure(num_requests)
    sys.stdout.write(json.dumps(as_dict(bench)) + "\n" if as_json else told(bench))
    return 0 if bench.agree else 1
