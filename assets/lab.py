"""The by-hand example as a script of its own: a scheduler to read, run and change.

Standard library only; nothing of Rebatch is needed.

    python lab.py                      # a round a line, then what each request has seen
    python lab.py --budget 6
    python lab.py --burst              # a prompt of 1,000 tokens comes just before the others
    python lab.py --burst --max-chunk 2    # no request gets more prompt tokens in a round

`plan` is the policy: decodes first, then prompts in order of arrival. Write another one there.
`check_plan` and `check_end` hold for every policy: no token may be lost, invented, or computed
before its time. A run that breaks one of them ends with the fault.
"""

import argparse
import sys
from dataclasses import dataclass, field
from itertools import pairwise

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
        return len(self.times) >= self.output


def trace(burst: bool = False) -> list[Request]:
    """The requests, in order of arrival."""
    head = [Request("L", 0, 1000, 2)] if burst else []
    return [*head, Request("A", 0, 6, 3), Request("B", 2, 2, 2), Request("C", 6, 3, 2)]


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


def check_plan(given: Plan, here: list[Request], budget: int, now: float) -> None:
    """Whether a round may be computed at all."""
    by_id = {request.id: request for request in here}
    ensure(bool(given), "a round must compute something")
    ensure(sum(given.values()) <= budget, "over the budget")
    for id_, tokens in given.items():
        ensure(id_ in by_id and by_id[id_].arrival <= now, f"{id_} is not here")
        most = by_id[id_].prompt_left or 1
        ensure(0 < tokens <= most, f"{id_} has {most} tokens to compute, not {tokens}")


def check_end(requests: list[Request], given: int) -> None:
    """Whether every token given was computed once, and all came out in their turn."""
    needed = sum(request.prompt + request.output - 1 for request in requests)
    ensure(given == needed, f"{given} tokens given, {needed} needed: some are lost or invented")
    for request in requests:
        computed = request.prompt + request.output - 1
        ensure(request.computed == computed, f"{request.id} miscounts its tokens")
        ensure(len(request.times) == request.output, f"{request.id} has not its tokens")
        ensure(request.times == sorted(set(request.times)), f"{request.id} is out of turn")
        ensure(request.times[0] > request.arrival, f"{request.id} speaks before it comes")


def ensure(is_kept: bool, rule: str) -> None:
    """End the run if a rule is broken."""
    if not is_kept:
        sys.exit(f"broken: {rule}")


def compute(given: Plan, here: list[Request], start: float) -> tuple[str, float]:
    """Compute a round: lengths grow, tokens come out at its end. A line, and the end in ms."""
    chosen = [request for request in here if request.id in given]
    decodes = sum(not request.prompt_left for request in chosen)
    prefill = sum(given.values()) - decodes
    end = start + duration(prefill, decodes)
    for request in chosen:
        request.computed += given[request.id]
        if not request.prompt_left:  # the last prompt token brings the first output with it
            request.times.append(end)
    who = ", ".join(f"{id_} {tokens}" for id_, tokens in given.items())
    return f"{start:7g} to {end:7g} ms  P {prefill:2}  D {decodes}  {who}", end


def run(requests: list[Request], budget: int, max_chunk: int) -> list[str]:
    """Serve all requests; a line a round."""
    now = 0.0
    total = 0
    lines: list[str] = []
    while waiting := [request for request in requests if not request.is_done]:
        now = max(now, min(request.arrival for request in waiting))
        here = [request for request in waiting if request.arrival <= now]
        given = plan(here, budget, max_chunk)
        check_plan(given, here, budget, now)
        total += sum(given.values())
        line, now = compute(given, here, now)
        lines.append(f"round {len(lines) + 1:3}  {line}")
    check_end(requests, total)
    return lines


def told(requests: list[Request]) -> list[str]:
    """What each request has seen, and the whole run."""
    lines = []
    for request in requests:
        times = request.times
        gaps = [after - before for before, after in pairwise(times)]
        seen, itl = (", ".join(f"{time:g}" for time in some) or "none" for some in (times, gaps))
        ttft = times[0] - request.arrival
        lines.append(f"{request.id}: tokens at {seen} ms; TTFT {ttft:g}; ITL {itl}")
    end = max(request.times[-1] for request in requests)
    tokens = sum(request.output for request in requests)
    return [*lines, f"all: {tokens} tokens in {end:g} ms, {1000 * tokens / end:.2f} a second"]


def main() -> None:
    """Read the options, run, print."""
    parser = argparse.ArgumentParser(description="The by-hand example of continuous batching.")
    parser.add_argument("--budget", type=int, default=4, help="tokens a round may compute")
    parser.add_argument("--burst", action="store_true", help="a prompt of 1,000 comes first")
    parser.add_argument("--max-chunk", type=int, default=10**9, help="prompt tokens a request")
    options = parser.parse_args()
    if min(options.budget, options.max_chunk) < 1:
        parser.error("budget and chunk must be 1 or more")
    requests = trace(options.burst)
    rounds = run(requests, options.budget, options.max_chunk)
    sys.stdout.write("\n".join([*rounds, *told(requests)]) + "\n")


if __name__ == "__main__":
    main()
