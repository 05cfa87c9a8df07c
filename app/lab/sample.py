"""A made-up measurement: a server of known cost, simulated, and measured with a little error.

To try the calibration without a server: the cost that comes out can be held against the true one.
"""

import random
from math import exp

from sim import Scenario
from sim.clock import to_internal
from sim.history import simulate
from sim.metrics import Metrics
from sim.setup import Cost, Setup
from sim.timings import Timings, timings_of
from sim.traces import Timing
from sim.workload import synthetic

NUM_REQUESTS = 240
RATE = 5.0  # a second
MOST_PROMPT = 2_000
SEED = 7
ERROR = 0.03  # standard deviation of a measured latency, relative
COST = Cost(*(to_internal(ms, "ms") for ms in (8, 0.06, 0.12, 0.0005)))
SERVER = Setup(budget=1024, max_num_seqs=64, mode="vllm_v1", cost=COST)


def made_up() -> Timings:
    """The same every time: measured requests of `SERVER`."""
    requests = synthetic(NUM_REQUESTS, RATE, SEED, max_prompt=MOST_PROMPT)
    history = simulate(Scenario(SERVER, requests))
    outputs = Metrics(history).outputs
    draw = random.Random(SEED)

    def measured(time: int) -> int:
        return round(time * exp(draw.gauss(0, ERROR)))

    times = []
    for request, first, last in zip(
        requests, outputs.first_times.tolist(), outputs.last_times.tolist(), strict=True
    ):
        at = request.arrival + measured(first - request.arrival)
        times.append(Timing(request.arrival, None, at, at + measured(last - first)))
    return timings_of("", requests, times)
