"""From a description of the traffic to requests: every draw of a workload, in its order."""

from bisect import bisect_left
from dataclasses import dataclass
from itertools import accumulate
from random import Random

from sim.setup import Request
from sim.workload.arrivals import Poisson, Process, check
from sim.workload.lengths import PUBLISHED, Lengths


@dataclass(frozen=True, slots=True)
class Tenant:
    """Somebody who sends a share of the requests, all of one priority."""

    name: str = ""
    weight: float = 1
    priority: int = 0


@dataclass(frozen=True, slots=True)
class Workload:
    """A description of traffic; times in internal units, lengths in tokens.

    `everybody` is the tenant of all requests where there are no `tenants` to draw from. `long` is
    one more request, in front of those that come when it does.
    """

    arrivals: Process
    num_requests: int
    prompt: Lengths
    output: Lengths
    start: int = 0
    seed: int = 0
    prefix: str = "R"
    first: int = 1
    max_prompt: int | None = None
    max_total: int | None = None
    tenants: tuple[Tenant, ...] = ()
    everybody: Tenant = Tenant()
    long: Request | None = None


def draw(workload: Workload) -> tuple[Request, ...]:
    """The requests of a workload in order of arrival, called prefix + number."""
    random = Random(workload.seed)
    weights = list(accumulate(tenant.weight for tenant in workload.tenants))
    gaps, drawn = [], []
    tenant = workload.everybody
    for _ in range(workload.num_requests):
        gaps.append(workload.arrivals.gap(random))
        prompt = workload.prompt.at(random.random())
        output = workload.output.at(random.random())
        if weights:
            tenant = random.choices(workload.tenants, cum_weights=weights)[0]
        drawn.append((*_cut(prompt, output, workload), tenant))
    requests = []
    for i, time in enumerate(workload.arrivals.times(gaps)):
        prompt, output, tenant = drawn[i]
        name, arrival = f"{workload.prefix}{workload.first + i}", workload.start + time
        requests.append(
            Request(name, arrival, prompt, output, priority=tenant.priority, tenant=tenant.name)
        )
    if (long := workload.long) is not None:
        place = bisect_left(requests, long.arrival, key=lambda request: request.arrival)
        requests.insert(place, long)
    return tuple(requests)


def _cut(prompt: int, output: int, workload: Workload) -> tuple[int, int]:
    """Apply the caps: the prompt gives way first, down to 1 token, then the output."""
    if workload.max_prompt is not None:
        prompt = min(prompt, workload.max_prompt)
    if workload.max_total is not None:
        prompt = max(1, min(prompt, workload.max_total - output))
        output = min(output, workload.max_total - prompt)
    return prompt, output


def synthetic(
    num_requests: int, rate: float, seed: int, *, max_prompt: int | None = None
) -> tuple[Request, ...]:
    """Requests of a conversation service, such as `synthetic(600, 14, seed=1)`.

    Args:
        num_requests: how many, at least 1.
        rate: arrivals per second; the first one comes a random gap after 0.
        seed: of the generator.
        max_prompt: longer prompts are cut to this length.
    """
    check(num_requests, rate, least=1)
    prompt, output = (PUBLISHED["conversation"][name] for name in ("prompt", "output"))
    return draw(
        Workload(Poisson(rate), num_requests, prompt, output, seed=seed, max_prompt=max_prompt)
    )
