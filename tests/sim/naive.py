"""The simplest schedulers that could be right, to hold the real one against.

Plain loops over lists, written from the rules and not from the code: one round at a time, nothing
kept but what is in the loop. Only the rules without extras: prompts cut at the budget or a limit,
decodes first or not, seats, prompts cached on arrival; and static batching that starts at once.
"""

from typing import NamedTuple

from sim import Request, Scenario


class NaiveRound(NamedTuple):
    """What can be compared of a round."""

    start: int
    end: int
    prefill: int
    decode: int
    given: tuple[tuple[str, int], ...]  # in the order in which the budget was spent
    emitted: set[str]


def _length(scenario: Scenario, prefill: int, decode: int, kv: int) -> int:
    cost = scenario.setup.cost
    if scenario.setup.time == "tick":
        return 1
    parts = (cost.per_prefill * prefill, cost.per_decode * decode, cost.per_kv_token * kv)
    return cost.base + sum(parts)


def naive_continuous(scenario: Scenario) -> list[NaiveRound]:
    """Continuous batching, prompts cut at the budget, the first token with the last chunk."""
    server = _Server(scenario)
    rounds: list[NaiveRound] = []
    while server.todo or server.running:
        rounds.append(server.one_round())
    return rounds


class _Server:
    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.todo = sorted(scenario.requests, key=lambda r: r.arrival)
        self.computed = {r.id: r.cached for r in self.todo}
        self.out = {r.id: 0 for r in self.todo}
        self.running: list[Request] = []
        self.now = 0

    def one_round(self) -> NaiveRound:
        if not self.running:
            self.now = max(self.now, self.todo[0].arrival)
        given: dict[str, int] = {}
        prefill, decode = 0, 0
        for r in self.candidates():
            left = self.scenario.setup.budget - prefill - decode
            full = len(self.running) == self.scenario.setup.max_num_seqs
            if left == 0 or (r in self.todo and full):
                break
            missing = r.prompt - self.computed[r.id]
            most = min(left, self.scenario.setup.max_chunk or left)
            given[r.id] = min(missing, most) if missing > 0 else 1
            prefill += given[r.id] if missing > 0 else 0
            decode += missing <= 0
            if r in self.todo:
                self.todo.remove(r)
                self.running.append(r)
        kv = sum(self.computed[id_] for id_ in given)
        start = self.now
        self.now += _length(self.scenario, prefill, decode, kv)
        spent = tuple(given.items())
        return NaiveRound(start, self.now, prefill, decode, spent, self.advance(given))

    def candidates(self) -> list[Request]:
        """Who may get something, in order: those running, then those waiting."""
        order = list(self.running)
        if self.scenario.setup.service == "decode_first":
            order.sort(key=lambda r: self.computed[r.id] < r.prompt)
        return order + [r for r in self.todo if r.arrival <= self.now]

    def advance(self, given: dict[str, int]) -> set[str]:
        """Compute what was given; who has its whole known text computed gets a token."""
        emitted = set()
        for r in [r for r in self.running if r.id in given]:
            ready = self.computed[r.id] + given[r.id] >= r.prompt
            if self.computed[r.id] < r.prompt + self.out[r.id]:  # else it is only read again
                self.computed[r.id] += given[r.id]
            if ready:
                self.out[r.id] += 1
                emitted.add(r.id)
        self.running = [r for r in self.running if self.out[r.id] < r.output]
        return emitted


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
    budget = scenario.setup.budget
    computed = {r.id: r.cached for r in members}
    out = {r.id: 0 for r in members}

    def spend(prefill: int, decode: int, kv: int, given: dict[str, int], emits: set[str]) -> None:
        nonlocal now
        end = now + _length(scenario, prefill, decode, kv)
        rounds.append(NaiveRound(now, end, prefill, decode, tuple(given.items()), emits))
        now = end
        for id_ in emits:
            out[id_] += 1

    rows = [r for r in members if r.prompt > r.cached]
    width = max((r.prompt - r.cached for r in rows), default=0)
    cells = [(r, column) for r in rows for column in range(width)]
    while cells:
        part, cells = cells[:budget], cells[budget:]
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
