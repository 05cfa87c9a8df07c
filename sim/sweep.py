"""One scenario under many setups: what `python -m sim sweep` and comparisons are made of.

Runs share nothing, so they go to any `concurrent.futures.Executor`: processes, or a cluster's. The
results are the same in any case, and come in the order of the setups. For instance with Dask
(`pip install "rebatch[cluster]"`), whose workers must be able to import `sim`:

    from dask.distributed import Client
    from sim.sweep import sweep

    with Client("tcp://scheduler:8786") as client:
        for row in sweep(scenarios, client.get_executor()):
            print(row["goodput"], row["feasible"])

Only a few runs are handed out at a time, so that a long sweep needs no more memory than a short
one. Their requests, mostly the same ones, travel packed and are unpacked once in each process.
"""

import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future
from functools import lru_cache
from itertools import islice, product
from typing import Any, TypeVar

from sim.history import run
from sim.metrics import Metrics
from sim.scenario import Scenario
from sim.setup import Request, Setup

IN_FLIGHT = 16  # runs handed out and not taken back yet
SHARE = 0.99

Figures = Mapping[str, Any]
Progress = Callable[[int, int], None]
Stop = Callable[[], bool]
Result = TypeVar("Result")


class Stopped(Exception):  # noqa: N818 - no error: it was asked to stop
    """A sweep or a comparison that was asked to stop."""


def grid(axes: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """All combinations of the values of each setting, the last one changing fastest."""
    return [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]


def sweep(
    scenarios: Sequence[Scenario],
    executor: Executor | None = None,
    *,
    share: float = SHARE,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> Iterator[Figures]:
    """The figures of each scenario, in order, as soon as they are there.

    Args:
        scenarios: checked scenarios, such as one under every setup of a `grid`.
        executor: who does the work; None: this process, one after another.
        share: of all requests, who must meet every objective for a setup to be feasible.
        progress: told how many of how many are done, after each.
        stop: asked between results; true ends it, and what has not begun is cancelled.

    Raises:
        Stopped: when asked to stop.
    """
    if executor is None:
        tasks = ((scenario, share) for scenario in scenarios)
        return in_order(figures, tasks, len(scenarios), None, progress, stop)
    packed = _packed(scenarios, share)
    return in_order(_figures_of, packed, len(scenarios), executor, progress, stop)


def figures(scenario: Scenario, share: float = SHARE) -> Figures:
    """The overall figures of one run, those of its objectives, and whether it meets them."""
    known = Metrics(run(scenario))
    good = known.num_good
    return {
        **known.overall(),
        "good_tps": known.good_tps,
        "attainment": known.attainment,
        "attainment_of_all": known.attainment_of_all,
        "feasible": None if good is None else meets(good, int(known.arrived.sum()), share),
    }


def meets(good: int, count: int, share: float) -> bool:
    """Whether so many of a count are at least a share of it; no rounding decides."""
    return good >= count * share - 1e-9


# Handing out.


def in_order(
    function: Callable[..., Result],
    tasks: Iterable[tuple[Any, ...]],
    total: int,
    executor: Executor | None,
    progress: Progress | None,
    stop: Stop | None,
) -> Iterator[Result]:
    """What a function makes of each task; the other arguments are those of `sweep`."""
    tasks = iter(tasks)
    pending: deque[Future[Result]] = deque()
    try:
        for done in range(1, total + 1):
            if stop and stop():
                raise Stopped
            if executor:
                for task in islice(tasks, IN_FLIGHT - len(pending)):
                    pending.append(executor.submit(function, *task))
                result = pending.popleft().result()
            else:
                result = function(*next(tasks))
            if progress:
                progress(done, total)
            yield result
    finally:
        for future in pending:
            future.cancel()


def _packed(scenarios: Iterable[Scenario], share: float) -> Iterator[tuple[Any, ...]]:
    """The arguments of `_figures_of`; requests of one scenario after another are packed once."""
    requests, packed = None, b""
    for scenario in scenarios:
        if scenario.requests is not requests:
            requests = scenario.requests
            packed = pickle.dumps(requests)
        yield packed, scenario.setup, scenario.seed, share


def _figures_of(packed: bytes, setup: Setup, seed: int, share: float) -> Figures:
    return figures(Scenario(setup, _unpacked(packed), seed=seed), share)


@lru_cache(maxsize=1)
def _unpacked(packed: bytes) -> tuple[Request, ...]:
    found: tuple[Request, ...] = pickle.loads(packed)
    return found
