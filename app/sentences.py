"""The card of a round in words: what it cost, a line a request, and how many more there are.

A card is made from one `Round` and the scenario, in one language. All words come from the
catalogue; the sentences are in `lines`.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from typing import Any

from app.i18n import join
from app.lines import Line, Lines
from app.speech import number as number
from sim import Request, Round, Scenario, Status
from sim.clock import to_shown
from sim.extras import split

MOST_LINES = 8


class Teller(Lines):
    """Tells the rounds of one scenario in one language."""

    def __init__(
        self, lang: str, scenario: Scenario, arrivals: Sequence[int] | None = None
    ) -> None:
        super().__init__(lang, scenario, arrivals)
        order = sorted(range(len(scenario.requests)), key=self.arrivals.__getitem__)
        self._coming = tuple(scenario.requests[i] for i in order)
        self._times = tuple(self.arrivals[i] for i in order)

    def card(self, record: Round) -> dict[str, Any]:
        """The card: what the round cost, a line a request, and how many more there are."""
        present = self._present(record)
        shown = present[:MOST_LINES]
        total, result = self._cost(record)
        more = [*self._more(record, present), *self._graph(record)]
        return {
            "sum": total,
            "ms": result,
            "lines": [self._line(record, id_) for id_ in shown],
            "more": join(self.lang, more),
        }

    def _present(self, record: Round) -> list[str]:
        """Who is named: everyone in list order, or of a crowd those with most to tell first."""
        here = [*record.departed, *record.running, *record.idle, *record.pads, *record.preempted]
        here += [request.id for request in record.queue[:MOST_LINES]]
        here += [request.id for request in self._arriving(record)]
        here = list(dict.fromkeys(here))
        if len(here) <= MOST_LINES:
            return sorted(here, key=self.index.__getitem__)
        return sorted(here, key=lambda id_: self._dullness(record, id_))

    def _dullness(self, record: Round, id_: str) -> int:
        if id_ in record.departed or id_ in record.preempted:
            return 0
        if id_ in record.prefilling or id_ in record.finished:
            return 0
        if record.queue and id_ == record.queue[0].id:
            return 1
        return 2 if id_ in record.given else 3

    def _more(self, record: Round, present: list[str]) -> list[str]:
        """How many more there are of each kind, those who arrive inside the round left out."""
        if len(present) <= MOST_LINES and len(record.queue) <= MOST_LINES:
            return []
        coming = {request.id for request in self._arriving(record)}
        told = [self._kind(record, id_, coming) for id_ in present]
        counts = Counter(told[MOST_LINES:])
        counts["wait"] += len(record.queue) - told.count("wait")
        kinds = ("prefill", "decode", "idle", "nothing", "wait", "gone")
        return [self.say(f"card.more_{kind}", count=counts[kind]) for kind in kinds if counts[kind]]

    def _kind(self, record: Round, id_: str, coming: set[str]) -> str:
        if id_ in record.departed:
            return "gone"
        if id_ in record.given:
            return "prefill" if id_ in record.prefilling else "decode"
        if id_ in record.running and id_ not in record.idle:
            return "nothing"
        if id_ in record.idle or id_ in record.pads:
            return "idle"
        return "coming" if id_ in coming else "wait"

    def _arriving(self, record: Round) -> tuple[Request, ...]:
        """Who arrives while the round is under way."""
        first = bisect_right(self._times, record.start)
        past = bisect_left(self._times, record.end)
        return self._coming[first : min(past, first + MOST_LINES)]

    def farewells(self, gone: Sequence[tuple[int, Status]]) -> list[dict[str, Any]]:
        """Lines of those who left when the last round was over."""
        lines = ((self.scenario.requests[i].id, self.leaving(i, how)) for i, how in gone)
        return [_row(id_, line) for id_, line in lines]

    # What it cost.

    def _graph(self, record: Round) -> list[str]:
        """What graph buckets add to the decodes, or that there are too many for a graph."""
        if record.is_eager and self.setup.buckets:
            most = self.setup.buckets[-1]
            return [self.say("card.eager", decodes=record.decode, most=most)]
        if not record.bucket_padding:
            return []
        key = "card.bucket_one" if record.bucket_padding == 1 else "card.bucket"
        size = record.decode + record.bucket_padding
        return [self.say(key, padding=record.bucket_padding, size=size)]

    def _cost(self, record: Round) -> tuple[str, str]:
        spent, result = self._spent(record), self.duration(record.end - record.start)
        if self.setup.time == "tick":
            return self.say("card.sum_tick", spent=spent), result
        parts = " + ".join(self._cost_parts(record))
        return self.say("card.sum", spent=spent, parts=parts), result

    def _spent(self, record: Round) -> str:
        """The tokens of a round, and apart from them the padding and the idle seats of a batch."""
        waste = record.padding + len(record.idle)
        key = "card.used_waste" if waste else "card.used"
        used = record.positions - waste
        return self.say(key, used=used, budget=self.setup.budget, waste=waste)

    def _cost_parts(self, record: Round) -> list[str]:
        """The terms of the round's time: the base, then a price and how often it is paid."""
        cost = self.setup.cost
        decodes = record.decode + (record.bucket_padding if self.setup.price_padding else 0)
        terms = [
            (cost.per_prefill, record.prefill),
            (cost.per_decode, decodes),
            (cost.per_kv_token, record.kv_read),
            (cost.per_draft, record.drafts),
        ]
        experts = self.setup.moe
        if experts is not None and not experts.draw:
            terms.append((cost.per_expert_token, max(split(record.positions, experts))))
        known = cost.base + sum(price * amount for price, amount in terms)
        parts = [number(to_shown(cost.base, "ms")), *(_term(*term) for term in terms if all(term))]
        return parts + self._rest(record, record.end - record.start - known)

    def _rest(self, record: Round, rest: int) -> list[str]:
        """What the blocks moved and the fullest of drawn experts cost: no round notes how many."""
        if not rest:
            return []
        cost, moved = self.setup.cost, bool(record.preempted or record.resumed)
        prices = [cost.per_swap_block] if moved and self.setup.on_full == "swap" else []
        if self.setup.moe is not None and self.setup.moe.draw:
            prices.append(cost.per_expert_token)
        prices = [price for price in prices if price]
        if len(prices) == 1:
            return [_term(prices[0], rest // prices[0])]
        return [number(to_shown(rest, "ms"))]

    # A line of it.

    def _line(self, record: Round, id_: str) -> dict[str, Any]:
        given = record.given.get(id_, 0)
        is_prefill = id_ in record.prefilling
        is_decode = given > 0 and not is_prefill
        return _row(id_, self.tell(record, id_)) | {
            "p": given if is_prefill else 0,
            "d": 1 if is_decode else 0,
            "v": given - 1 if is_decode else 0,
            "pad": record.pads.get(id_, 0),
        }


def _row(id_: str, line: Line) -> dict[str, Any]:
    """A line of a card, with no position of the budget."""
    chips = [list(chip) for chip in line.chips]
    row = {"req": id_, "p": 0, "d": 0, "v": 0, "pad": 0, "text": line.text, "chips": chips}
    return row | ({"tells": line.tells} if line.tells else {})


def _term(price: int, amount: int) -> str:
    """`0.5 × 2`, or the amount alone where the price is 1 ms."""
    shown = number(to_shown(price, "ms"))
    return f"{amount:,}" if shown == "1" else f"{shown} × {amount:,}"
