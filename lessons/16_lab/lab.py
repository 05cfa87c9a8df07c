"""The by-hand example as a script of its own: a scheduler to read, run and change.

Standard library only; nothing of Rebatch is needed.

    python lab.py                 # a round a line, then what each request has seen
    python lab.py --budget 6
    python lab.py --burst         # a prompt of 1,000 comes before the others
    python lab.py --max-chunk 2   # no request gets more prompt tokens a round

`plan` is the policy: decodes first, then prompts in order of arrival. Write another one there.
`check_plan` and `check_end` hold for every policy: no token may be lost, invented, or computed
before its time. A run that breaks one of them ends with its name.
"""

import argparse
import sys
from dataclasses import dataclass, field

Plan = dict[str, int]


@dataclass
class Request:
    """A request: what it asks for, and how far it is. Times in ms, lengths in tokens."""

    id: str
    arrival: float
    prompt: int
    output: int
    computed: int = 0
    times: list[float] = field(default_factory=list)

    @property
    def prompt_left(self) -> int:
        return max(self.prompt - self.computed, 0)

    @property
    def is_done(self) -> bool:
        return len(self.times) == self.output


def trace(*, burst: bool = False) -> list[Request]:
    """The requests, in order of arrival; a burst puts a long prompt before them."""
    long = [Request("L", 0, 1000, 2)] if burst else []
    return [*long, Request("A", 0, 6, 3), Request("B", 2, 2, 2), Request("C", 6, 3, 2)]


def duration(prefill: int, decodes: int) -> float:
    """What a round costs, in ms."""
    return 2 + 0.5 * prefill + decodes


def plan(here: list[Request], budget: int, max_chunk: int) -> Plan:
    """Who gets how many tokens in this round: the policy."""
    given: Plan = {}
    left = budget
    for request in here:
        if not request.prompt_left and left:
            given[request.id] = 1
            left -= 1
    for request in here:
        if tokens := min(request.prompt_left, left, max_chunk):
            given[request.id] = tokens
            left -= tokens
    return given


def check_plan(given: Plan, here: list[Request], budget: int) -> None:
    """Whether a round may be computed at all."""
    by_id = {request.id: request for request in here}
    assert given, "a round must compute something"
    assert sum(given.values()) <= budget, "over the budget"
    for id_, tokens in given.items():
        assert id_ in by_id, f"{id_} is not here"
        most = by_id[id_].prompt_left or 1
        assert 0 < tokens <= most, f"{id_} has {most} tokens to compute, not {tokens}"


def check_end(requests: list[Request]) -> None:
    """Whether every token was computed once, and came out in its turn."""
    for request in requests:
        assert request.is_done, f"{request.id} is not done"
        assert request.computed == request.prompt + request.output - 1, f"{request.id} miscounts"
        assert request.times == sorted(request.times), f"{request.id} speaks out of turn"
        assert request.times[0] > request.arrival, f"{request.id} speaks before it comes"


def run(requests: list[Request], budget: int, max_chunk: int) -> list[str]:
    """Serve all requests; a line a round."""
    now = 0.0
    lines: list[str] = []
    while open_ := [request for request in requests if not request.is_done]:
        now = max(now, min(request.arrival for request in open_))
        here = [request for request in open_ if request.arrival <= now]
        given = plan(here, budget, max_chunk)
        check_plan(given, here, budget)
        start, now = now, _compute(given, here, now)
        who = ", ".join(f"{id_} {tokens}" for id_, tokens in given.items())
        lines.append(f"round {len(lines) + 1:3}  {start:7g} to {now:7g} ms  {who}")
    check_end(requests)
    return lines


def _compute(given: Plan, here: list[Request], start: float) -> float:
    """Compute a round: lengths grow, tokens come out at its end. The end, in ms."""
    chosen = [request for request in here if request.id in given]
    decodes = sum(not request.prompt_left for request in chosen)
    end = start + duration(sum(given.values()) - decodes, decodes)
    for request in chosen:
        request.computed += given[request.id]
        if not request.prompt_left:  # the last prompt token brings the first output with it
            request.times.append(end)
    return end


def told(requests: list[Request]) -> list[str]:
    """What each request has seen, and the whole run."""
    lines = []
    for request in requests:
        times = ", ".join(f"{time:g}" for time in request.times)
        ttft = request.times[0] - request.arrival
        lines.append(f"{request.id}: tokens at {times} ms; TTFT {ttft:g} ms")
    end = max(request.times[-1] for request in requests)
    tokens = sum(request.output for request in requests)
    return [*lines, f"all: {tokens} tokens in {end:g} ms, {1000 * tokens / end:.2f} a second"]


def main() -> None:
    """Read the options, run, print."""
    parser = argparse.ArgumentParser(description="The by-hand example of continuous batching.")
    parser.add_argument("--budget", type=int, default=4, help="tokens a round may compute")
    parser.add_argument("--max-chunk", type=int, default=10**9, help="prompt tokens a request")
    parser.add_argument("--burst", action="store_true", help="a long prompt comes first")
    options = parser.parse_args()
    if min(options.budget, options.max_chunk) < 1:
        parser.error("budget and chunk must be 1 or more")
    requests = trace(burst=options.burst)
    rounds = run(requests, options.budget, options.max_chunk)
    sys.stdout.write("\n".join([*rounds, *told(requests)]) + "\n")


if __name__ == "__main__":
    main()
