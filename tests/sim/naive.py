"""The simplest schedulers that could be right, to hold the real one against.

Plain loops over lists, written from the rules and not from the code: one round at a time, nothing
kept but what is in the loop. Only the rules without extras: whole or cut prompts, decodes first or
not, a seat limit, prompts cached on arrival; and static batching that starts at once.
"""

from typing import Any, NamedTuple

from sim import Request, Scenario


class NaiveRound(NamedTuple):
    """What can be compared of a round."""

    start: int
    end: int
    prefill: int
    decode: int
    given: dict[str, int]
    emitted: set[str]


def naive_continuous(scenario: Scenario) -> list[NaiveRound]:
    """Continuous batching, prompts cut at the budget, the first token with the last chunk."""
    setup, cost = scenario.setup, scenario.setup.cost
    todo = sorted(scenario.requests, key=lambda r: r.arrival)
    computed = {r.id: r.cached for r in todo}
    out = {r.id: 0 for r in todo}
    running: list[Request] = []
    rounds: list[NaiveRound] = []
    now = 0
    while todo or running:
        if not running and todo[0].arrival > now:
            now = todo[0].arrival
        queue = [r for r in todo if r.arrival <= now]
        decoding = [r for r in running if computed[r.id] >= r.prompt]
        if setup.service == "decode_first":
            order = decoding + [r for r in running if r not in decoding]
        else:
            order = list(running)
        left, prefill, decode, kv = setup.budget, 0, 0, 0
        given: dict[str, int] = {}
        for r in order + queue:
            if r in queue and len(running) == setup.max_num_seqs:
                break
            if left == 0:
                break
            if computed[r.id] < r.prompt:
                n = min(r.prompt - computed[r.id], left)
                prefill += n
            else:
                n = 1
                decode += 1
            given[r.id] = n
            kv += computed[r.id]
            left -= n
            if r in queue:
                running.append(r)
                todo.remove(r)
        if setup.time == "tick":
            length = 1
        else:
            length = cost.base + cost.per_prefill * prefill + cost.per_decode * decode
            length += cost.per_kv_token * kv
        emitted = set()
        for r in list(running):
            if r.id not in given:
                continue
            ready = computed[r.id] + given[r.id] >= r.prompt
            if computed[r.id] < r.prompt + out[r.id]:  # a cached prompt is read again, no more
                computed[r.id] += given[r.id]
            if ready:
                out[r.id] += 1
                emitted.add(r.id)
            if out[r.id] == r.output:
                running.remove(r)
        rounds.append(NaiveRound(now, now + length, prefill, decode, given, emitted))
        now += length
    return rounds


def naive_static(scenario: Scenario) -> list[NaiveRound]:
    """Static batching that starts at once, the first token with the last prompt round."""
    setup = scenario.setup
    todo = sorted(scenario.requests, key=lambda r: r.arrival)
    seats = min(setup.budget, setup.max_num_seqs, setup.batch_size or setup.max_num_seqs)
    rounds: list[NaiveRound] = []
    now = 0
    while todo:
        now = max(now, todo[0].arrival)
        members = [r for r in todo if r.arrival <= now][:seats]
        todo = [r for r in todo if r not in members]
        now = _play(scenario, members, now, rounds)
    return rounds


def _play(scenario: Scenario, members: list[Request], now: int, rounds: list[NaiveRound]) -> int:
    setup, cost = scenario.setup, scenario.setup.cost
    computed = {r.id: r.cached for r in members}
    out = {r.id: 0 for r in members}

    def spend(prefill: int, decode: int, kv: int, given: dict[str, int], emits: set[str]) -> None:
        nonlocal now
        length = cost.base + cost.per_prefill * prefill + cost.per_decode * decode
        length = 1 if setup.time == "tick" else length + cost.per_kv_token * kv
        rounds.append(NaiveRound(now, now + length, prefill, decode, given, emits))
        now += length
        for id_ in emits:
            out[id_] += 1

    rows = [r for r in members if r.prompt > r.cached]
    width = max((r.prompt - r.cached for r in rows), default=0)
    cells = [(r, column) for r in rows for column in range(width)]
    while cells:
        part, cells = cells[: setup.budget], cells[setup.budget :]
        given: dict[str, int] = {}
        for r, column in part:
            if column < r.prompt - r.cached:
                given[r.id] = given.get(r.id, 0) + 1
        kv = sum(computed[id_] for id_ in given)
        for id_, n in given.items():
            computed[id_] += n
        spend(len(part), 0, kv, given, set() if cells else {r.id for r in rows})
    while any(out[r.id] < r.output for r in members):
        going = [r for r in members if out[r.id] < r.output]
        kv = sum(computed.values())
        spend(0, len(members), kv, {r.id: 1 for r in going}, {r.id for r in going})
        for r in going:
            computed[r.id] = min(computed[r.id] + 1, r.prompt + out[r.id] - 1)
    return now


def naive_percentile(values: list[float], percent: float) -> float:
    """Linear interpolation between the closest ranks, as NumPy's default does."""
    ordered = sorted(values)
    place = (len(ordered) - 1) * percent / 100
    low = int(place)
    if low + 1 == len(ordered):
        return ordered[low]
    return ordered[low] + (ordered[low + 1] - ordered[low]) * (place - low)


def naive_metrics(
    scenario: Scenario, tokens: list[list[int]], joined: list[int], until: int
) -> dict[str, Any]:
    """Latencies as `vllm bench serve` defines them, in internal units, from bare token times.

    Args:
        scenario: what was run.
        tokens: times of each request's tokens.
        joined: when each request's first round starts.
        until: nothing later is known.
    """
    known = [[t for t in times if t <= until] for times in tokens]
    rows = list(zip(scenario.requests, known, strict=True))
    itl = [b - a for times in known for a, b in zip(times, times[1:], strict=False)]
    return {
        "queue": [
            j - r.arrival for r, j in zip(scenario.requests, joined, strict=True) if j < until
        ],
        "ttft": [times[0] - r.arrival for r, times in rows if times],
        "tpot": [(times[-1] - times[0]) / (len(times) - 1) for _, times in rows if len(times) > 1],
        "itl": itl,
        "e2e": [times[-1] - r.arrival for r, times in rows if len(times) == r.output],
    }
