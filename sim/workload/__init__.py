"""Synthetic workloads: the only random code of the simulator, drawn before a run begins.

The parts: `lengths` (how long prompts and outputs are), `arrivals` (when requests come), `drawing`
(from both to requests), `table` (a workload as the `[workload]` table of a scenario file).
Decisions that hold for the whole package:

- A seed gives the same requests on every machine: the generator is `random.Random`, and drawn
  times are rounded to whole microseconds, far above any difference in the last digit of a
  logarithm.
- Each request draws, in this order: its gap (random arrivals only), its prompt, its output, its
  tenant (only when there are tenants). A length that is a plain number draws too and ignores it,
  so that arrivals stay the same when lengths change.
- Caps are applied after the draws and change none of them.

Show such a workload as synthetic, never as a trace.
"""

from sim.workload.arrivals import poisson_arrivals
from sim.workload.drawing import synthetic
from sim.workload.lengths import OUTPUT_TOKENS, PERCENTILES, PROMPT_TOKENS, length_at
from sim.workload.table import generate

__all__ = [
    "OUTPUT_TOKENS",
    "PERCENTILES",
    "PROMPT_TOKENS",
    "generate",
    "length_at",
    "poisson_arrivals",
    "synthetic",
]
