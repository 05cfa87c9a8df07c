"""A yardstick for speed: the loop one would write by hand for this one case, and no more.

Continuous batching as vLLM's scheduler does it (first come, first served, running requests first,
prompts in chunks, eviction by recompute), one round after the other: plan who gets what, then
advance everybody who got something. It keeps what a person asks for afterwards, a row a round and
the time of every token, and no reasons. Every round looks at every running request; nothing is
skipped or kept for later. It shares no code with `sim`, so it also checks its rounds and times.
"""

from collections import deque
from collections.abc import Iterable
from typing import NamedTuple

Row = tuple[int, int, int]  # arrival in ns, prompt tokens, output tokens


class Result(NamedTuple):
    """Rounds as (start, end, P, D), and the times of each request's tokens, in the order given."""

    rounds: list[tuple[int, int, int, int]]
    tokens: list[list[int]]


class Request:
    """A request on its way: KV computed, tokens known (prompt and sampled), blocks held."""

    __slots__ = ("blocks", "computed", "goal", "known", "prompt", "times")

    def __init__(self, prompt: int, output: int) -> None:
        self.prompt = self.known = prompt
        self.goal = prompt + output
        self.computed = self.blocks = 0
        self.times: list[int] = []


def simulate(  # noqa: C901 - one piece, as such loops are
    rows: Iterable[Row],
    *,
    budget: int = 512,
    seats: int = 128,
    num_blocks: int = 4000,
    block_size: int = 16,
    base: int = 6_000_000,
    per_token: int = 30_000,
    per_kv_token: int = 100,
) -> Result:
    """Run requests, given in order of arrival, to the end. Times and costs in ns.

    No request may need more blocks than there are, or the loop would never end.
    """
    coming = deque((arrival, Request(prompt, output)) for arrival, prompt, output in rows)
    requests = [request for _, request in coming]
    waiting: deque[Request] = deque()
    running: list[Request] = []
    rounds = []
    now, free = 0, num_blocks

    while coming or waiting or running:
        while coming and coming[0][0] <= now:
            waiting.append(coming.popleft()[1])
        if not waiting and not running:
            now = coming[0][0]
            continue

        # Plan: who runs, in order of admission, then the waiting from the head.
        left, prefill, kv_read = budget, 0, 0
        plan = []
        has_evicted = False
        for request in running:  # evictions take from its end only
            if not left:
                break
            n = min(request.known - request.computed, left)
            needed = -(-(request.computed + n) // block_size) - request.blocks
            while needed > free:
                has_evicted = True
                victim = running.pop()
                free += victim.blocks
                victim.computed = victim.blocks = 0
                waiting.appendleft(victim)
                if victim is request:
                    break
            else:
                free -= needed
                request.blocks += needed
                plan.append((request, n))
                left -= n
                kv_read += request.computed
                if request.computed < request.prompt:
                    prefill += n
        while waiting and left and not has_evicted and len(running) < seats:
            request = waiting[0]
            if -(-request.known // block_size) > free:
                break
            running.append(waiting.popleft())
            n = min(request.known, left)
            request.blocks = -(-n // block_size)
            free -= request.blocks
            plan.append((request, n))
            left -= n
            prefill += n

        # Advance: the round takes its time, and whoever has caught up samples a token.
        start = now
        now += base + per_token * (budget - left) + per_kv_token * kv_read
        rounds.append((start, now, prefill, budget - left - prefill))
        is_over = False
        for request, n in plan:
            request.computed += n
            if request.computed == request.known:
                request.known += 1
                request.times.append(now)
                if request.known == request.goal:
                    free += request.blocks
                    is_over = True
        if is_over:
            running = [request for request in running if request.known < request.goal]

    return Result(rounds, [request.times for request in requests])
