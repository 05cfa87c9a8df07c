"""What a round says in words: who got what, and why the others got nothing.

A card is made from one `Round` and the scenario, in one language. The sentence leaves out its
subject: the page sets the request's letter before it. All words come from the catalogue.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from app.i18n import say
from sim import Reason, Request, Round, Scenario
from sim.clock import to_shown

MOST_LINES = 8
FINE_MS = 1_000  # from here on one decimal says enough
LONG_MS = 100_000  # from here on times are told in seconds, as on the axis
Chip = tuple[str, str]
_LIMITS = {  # that cut a prompt short, apart from the budget
    Reason.CHUNK_LIMIT: "round.prefill_chunk",
    Reason.PREFILL_LIMIT: "round.prefill_limit_all",
    Reason.TIME_TARGET: "round.prefill_target",
}


def number(value: float, digits: int = 6) -> str:
    """A figure in a sentence: at most `digits` decimals, none that say nothing."""
    return f"{value:,.{digits}f}".rstrip("0").rstrip(".")


class Teller:
    """Tells the rounds of one scenario in one language."""

    def __init__(self, lang: str, scenario: Scenario) -> None:
        self.lang = lang
        self.scenario = scenario
        self.setup = scenario.setup
        self.arrivals = sorted(scenario.requests, key=lambda request: request.arrival)
        self.index = {request.id: i for i, request in enumerate(scenario.requests)}

    def say(self, key: str, **values: object) -> str:
        """A sentence of the catalogue; whole numbers get thousands separators."""
        shown = {name: f"{v:,}" if type(v) is int else v for name, v in values.items()}
        return say(self.lang, key, **shown)

    def time(self, internal: int) -> str:
        """A point in time: `13 ms`, or `tick 3`."""
        shown = to_shown(internal, self.setup.time)
        if self.setup.time == "ms" and shown >= LONG_MS:
            return self.say("time.s", value=f"{shown / 1000:,.3f}")
        digits = 1 if shown >= FINE_MS else 6
        return self.say(f"time.{self.setup.time}", value=number(shown, digits))

    def duration(self, internal: int) -> str:
        """A length of time: `13 ms`, or `3 ticks`."""
        if self.setup.time == "ms":
            return self.time(internal)
        return self.say("time.ticks_one" if internal == 1 else "time.ticks", value=internal)

    def names(self, ids: Iterable[str]) -> str:
        """`A`, `A and B`, `A, B and C`, `A, B and 5 others`."""
        ids = list(ids)
        if len(ids) <= 1:
            return "".join(ids)
        comma = self.say("names.comma")
        if len(ids) > 3:
            first = comma.join(ids[:2])
            return self.say("names.others", first=first, count=self._others(len(ids)))
        return self.say("names.two", first=comma.join(ids[:-1]), last=ids[-1])

    def _others(self, count: int) -> int:
        """English counts those left out, Chinese (A、B 等 7 个) all of them."""
        return count if self.lang == "zh" else count - 2

    def ordinal(self, n: int) -> str:
        """`2nd` in English; Chinese puts the bare number after 第."""
        if self.lang != "en":
            return str(n)
        suffix = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
        return f"{n}{suffix}"

    # The card of a round.

    def card(self, record: Round) -> dict[str, Any]:
        """The card: what the round cost, a line a request, and how many more there are."""
        present = self._present(record)
        shown = present[:MOST_LINES]
        rest = present[MOST_LINES:]
        total, result = self._cost(record)
        return {
            "sum": total,
            "ms": result,
            "lines": [self._line(record, id_) for id_ in shown],
            "more": self._more(record, rest) if rest or len(record.queue) > MOST_LINES else "",
        }

    def _present(self, record: Round) -> list[str]:
        """Who is named: everyone in list order, or of a crowd those with most to tell first."""
        coming = (*record.queue[:MOST_LINES], *self._arriving(record))
        here = [*record.running, *record.idle, *(request.id for request in coming)]
        if len(here) <= MOST_LINES:
            return sorted(here, key=self.index.__getitem__)
        return sorted(here, key=lambda id_: self._dullness(record, id_))

    def _dullness(self, record: Round, id_: str) -> int:
        if id_ in record.prefilling or id_ in record.finished:
            return 0
        if record.queue and id_ == record.queue[0].id:
            return 1
        return 2 if id_ in record.given else 3

    def _more(self, record: Round, rest: list[str]) -> str:
        waiting = {request.id for request in record.queue[:MOST_LINES]}
        counts = {
            "prefill": sum(id_ in record.prefilling for id_ in rest),
            "decode": sum(id_ in record.given and id_ not in record.prefilling for id_ in rest),
            "idle": sum(id_ in record.idle for id_ in rest),
            "nothing": sum(id_ in record.after and id_ not in record.given for id_ in rest),
            "wait": sum(id_ in waiting for id_ in rest) + max(0, len(record.queue) - MOST_LINES),
        }
        parts = [
            self.say(f"card.more_{key}", count=f"{count:,}")
            for key, count in counts.items()
            if count
        ]
        return (" " if self.lang == "en" else "").join(parts)

    def _arriving(self, record: Round) -> list[Request]:
        """Who arrives while the round is under way."""
        first = bisect_right(self.arrivals, record.start, key=lambda r: r.arrival)
        past = bisect_left(self.arrivals, record.end, key=lambda r: r.arrival)
        return self.arrivals[first : min(past, first + MOST_LINES)]

    def _cost(self, record: Round) -> tuple[str, str]:
        values = {"used": f"{record.positions:,}", "budget": f"{self.setup.budget:,}"}
        result = self.duration(record.end - record.start)
        if self.setup.time == "tick":
            return self.say("card.sum_tick", **values), result
        return self.say("card.sum", parts=" + ".join(self._cost_parts(record)), **values), result

    def _cost_parts(self, record: Round) -> list[str]:
        cost = self.setup.cost
        terms = [
            (cost.per_prefill, record.prefill),
            (cost.per_decode, record.decode),
            (cost.per_kv_token, record.kv_read),
        ]
        parts = [number(to_shown(cost.base, "ms"))]
        for price, amount in terms:
            if price and amount:
                shown = number(to_shown(price, "ms"))
                parts.append(f"{amount:,}" if shown == "1" else f"{shown} × {amount:,}")
        return parts

    # A line of it.

    def _line(self, record: Round, id_: str) -> dict[str, Any]:
        line = self._tell(record, id_)
        given = record.given.get(id_, 0)
        prefill = id_ in record.prefilling
        return {
            "req": id_,
            "p": given if prefill else 0,
            "d": 0 if prefill else given,
            "pad": record.pads.get(id_, 0),
            "text": line.text,
            "chips": [list(chip) for chip in line.chips],
        }

    def _tell(self, record: Round, id_: str) -> "_Line":
        if self.setup.mode == "static" and (id_ in record.prefilling or id_ in record.pads):
            return self._static_prefill(record, id_)
        if id_ in record.prefilling:
            return self._prefill(record, id_)
        if id_ in record.given:
            return self._decode(record, id_)
        if id_ in record.idle:
            who = self._last_of_batch(record)
            key = "round.idle_many" if len(who) > 1 else "round.idle"
            return self._with("idle", self.say(key, who=self.names(who)))
        if self._request(id_).arrival > record.start:
            return self._arrives(record, id_)
        return self._refused(record, id_)

    def _with(self, chip: str, text: str) -> "_Line":
        return _Line(text, ((self.say(f"chip.{chip}"), "plain"),))

    def _because(self, reason: Reason, text: str) -> "_Line":
        return _Line(text, ((self.say(f"reason.{reason}"), "plain"),))

    def _decode(self, record: Round, id_: str) -> "_Line":
        request, count = self._request(id_), record.after[id_].emitted
        if id_ in record.finished:
            held = "_held" if self.setup.mode == "static" and not self._ends(record) else ""
            key = f"round.decode_{'only' if request.output == 1 else 'last'}{held}"
            return self._with("finished", self.say(key, nth=self.ordinal(count)))
        if count == 1:
            return self._with("first", self.say("round.decode_first", output=request.output))
        nth = self.ordinal(count)
        return _Line(self.say("round.decode", nth=nth, output=request.output))

    def _prefill(self, record: Round, id_: str) -> "_Line":
        n, request, after = record.given[id_], self._request(id_), record.after[id_]
        left = n + request.prompt - after.computed
        if after.computed < request.prompt:
            return self._chunk(record, id_, n, left)
        if id_ not in record.emitted:
            return _Line(self.say("round.prefill_done", n=n))
        whole = n == request.prompt
        key = f"round.prefill_{'whole' if whole else 'last'}{'_one' if n == 1 else ''}"
        return self._first_output(record, id_, self.say(key, n=n))

    def _first_output(self, record: Round, id_: str, text: str) -> "_Line":
        if id_ in record.finished:
            return self._with("finished", self.say("round.and_leaves", text=text))
        return self._with("first", text)

    def _chunk(self, record: Round, id_: str, n: int, left: int) -> "_Line":
        reason = record.cut.get(id_, Reason.BUDGET_SPENT)
        if key := _LIMITS.get(reason):
            return self._because(reason, self.say(key, n=n, left=left))
        others = [other for other in record.given if other != id_]
        values = {"n": n, "left": left, "budget": self.setup.budget}
        if not others:
            return self._because(reason, self.say("round.prefill_alone", **values))
        used = sum(record.given[other] for other in others)
        text = self.say("round.prefill_cut", others=self.names(others), used=used, **values)
        return self._because(reason, text)

    def _static_prefill(self, record: Round, id_: str) -> "_Line":
        n, pad = record.given.get(id_, 0), record.pads.get(id_, 0)
        if not n:
            key = "round.padding_one" if pad == 1 else "round.padding"
            return self._with("padding", self.say(key, pad=pad))
        first = id_ in record.emitted
        text = self.say("round.static_first" if first else "round.static_prefill", n=n)
        if pad:
            key = "round.and_padding_one" if pad == 1 else "round.and_padding"
            text = self.say(key, text=text, pad=pad)
        if first:
            return self._first_output(record, id_, text)
        return self._with("padding", text) if pad else _Line(text)

    def _refused(self, record: Round, id_: str) -> "_Line":
        reason = record.reason(id_)
        if id_ in record.emitted:  # its static batch has just finished all prompts
            return self._first_output(record, id_, self.say("round.static_first_held"))
        key = f"round.{reason}"
        last = self._last_of_batch(record)
        if reason is Reason.BATCH_CLOSED and len(last) > 1:
            key += "_many"
        if reason is Reason.NO_SEAT and self.setup.seats == 1:
            key += "_one"
        values = {
            "others": self.names(record.given),
            "budget": self.setup.budget,
            "seats": self.setup.seats,
            "prompt": self._request(id_).prompt,
            "free": self.setup.budget - record.positions,
            "head": record.queue[0].id if record.queue else "",
            "who": self.names(last),
            "needed": self.setup.blocks(self._request(id_).prompt),
            "unused": (self.setup.num_blocks or 0) - (record.used or 0),
        }
        return self._because(reason, self.say(key, **values))

    def _arrives(self, record: Round, id_: str) -> "_Line":
        time = self.time(self._request(id_).arrival)
        if self.setup.mode == "static" and not self._ends(record):
            return self._with("not_arrived", self.say("round.arrives_closed", time=time))
        end = self.time(record.end)
        return self._with("not_arrived", self.say("round.arrives", time=time, end=end))

    def _last_of_batch(self, record: Round) -> list[str]:
        """Members of the static batch with the most output still to come: all wait for them."""
        left = {
            i: self._request(i).output - record.after[i].emitted + (i in record.emitted)
            for i in record.running
        }
        most = max(left.values(), default=0)
        return [id_ for id_, tokens in left.items() if tokens == most]

    def _ends(self, record: Round) -> bool:
        """Whether the static batch is over with this round."""
        return set(record.running) == set(record.finished)

    def _request(self, id_: str) -> Request:
        return self.scenario.requests[self.index[id_]]


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    chips: tuple[Chip, ...] = ()
