"""One scenario under many setups: what `python -m sim sweep` and comparisons are made of.

Runs share nothing, so they go to any `concurrent.futures.Executor`: processes, or a cluster's. The
results are the same in any case, and come in the order of the setups.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from itertools import product
from typing import Any

from sim.history import run
from sim.metrics import Metrics
from sim.scenario import Scenario

Figures = Mapping[str, Any]


def grid(axes: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """All combinations of the values of each setting, the last one changing fastest."""
    return [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]


def sweep(scenarios: Iterable[Scenario], executor: Executor | None = None) -> Iterator[Figures]:
    """The figures of `Metrics.overall` of each scenario, in order, as soon as they are there.

    Args:
        scenarios: checked scenarios, such as one under every setup of a `grid`.
        executor: who does the work; None: this process, one after another.
    """
    yield from (executor.map if executor else map)(figures, scenarios)


def figures(scenario: Scenario) -> Figures:
    """The overall figures of one run."""
    return Metrics(run(scenario)).overall()
