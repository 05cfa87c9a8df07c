"""Latencies, throughputs, goodput, load and use of a history, at its end or as of any time.

Names and formulas are those of `vllm bench serve` (`vllm/benchmarks/serve.py`); where another
tool means something else by a name, the figure's docstring says so. A mean of nothing is None.
Values are in ms or ticks; rates a second, or a tick. Metrics only read a history: no scheduler
asks them, so nothing here can change a round.

`figures` has the figures, `known` what each request gives to them, `outputs` the tokens behind it,
`spread` the percentiles; `slo`, `load`, `usage`, `kv` and `groups` have a subject each.
"""

from sim.metrics.figures import Metrics, metrics
from sim.metrics.groups import KINDS, Group, Kind
from sim.metrics.known import Number, RequestMetrics
from sim.metrics.kv import KvUse
from sim.metrics.load import Load
from sim.metrics.spread import PERCENTILES, Floats, Spread, spread

__all__ = [
    "KINDS",
    "PERCENTILES",
    "Floats",
    "Group",
    "Kind",
    "KvUse",
    "Load",
    "Metrics",
    "Number",
    "RequestMetrics",
    "Spread",
    "metrics",
    "spread",
]
