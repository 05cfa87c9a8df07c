"""Goodput: who met the service-level objectives, and which of them the others missed.

The rule is that of `vllm bench serve --goodput`: a finished request is good when every limit that
is set holds, and one latency it does not have (TPOT and ITL of a single output) counts as met.
AIPerf and inference-perf let such a request fail. DistServe (Zhong et al., OSDI 2024) reports
the share of good requests, here the attainment.
"""

from collections.abc import Callable, Mapping

from sim.history import Ints
from sim.metrics.outputs import Mask, Outputs
from sim.setup import Slo


def missed(outputs: Outputs, arrivals: Ints, finished: Mask, slo: Slo) -> dict[str, Mask]:
    """Which finished requests miss each limit that is set, by its name; limits are inclusive.

    Compared in whole internal units: TPOT as time of all gaps against the limit times their
    number, so that no rounding decides.
    """
    latencies: Mapping[str, Callable[[], Ints]] = {
        "ttft": lambda: outputs.first_times - arrivals,
        "max_itl": lambda: outputs.longest_gaps,
        "e2e": lambda: outputs.last_times - arrivals,
    }
    found = {}
    for name in ("ttft", "tpot", "max_itl", "e2e"):
        limit = getattr(slo, name)
        if limit is None:
            continue
        if name == "tpot":
            late = outputs.last_times - outputs.first_times > limit * (outputs.sent - 1)
        else:
            late = latencies[name]() > limit
        found[name] = finished & late
    return found
