"""Speaking in one language: figures, times, names and ordinals, with words from the catalogue.

What is said is decided elsewhere: `lines` has the sentences of a round, `sentences` its card.
"""

from collections.abc import Iterable, Sequence

from app.i18n import say
from sim import Request, Scenario
from sim.clock import to_shown

ROUGH_MS = 0.1  # from here on two decimals are enough for a label
FINE_MS = 1_000  # from here on one decimal says enough
LONG_MS = 100_000  # from here on times are told in seconds, as on the axis


def number(value: float, digits: int = 6) -> str:
    """A figure in a sentence: at most `digits` decimals, none that say nothing."""
    text = f"{value:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


class Speaker:
    """Speaks of one scenario in one language.

    Args:
        lang: language of all words.
        scenario: whose requests are spoken of.
        arrivals: when each request came, in internal units; by default its own arrival, which a
            closed loop does not heed.
    """

    def __init__(
        self, lang: str, scenario: Scenario, arrivals: Sequence[int] | None = None
    ) -> None:
        self.lang = lang
        self.scenario = scenario
        self.setup = scenario.setup
        self.index = {request.id: i for i, request in enumerate(scenario.requests)}
        if arrivals is None:
            arrivals = [request.arrival for request in scenario.requests]
        self.arrivals = tuple(map(int, arrivals))

    def say(self, key: str, **values: object) -> str:
        """A sentence of the catalogue; whole numbers get thousands separators."""
        shown = {name: f"{v:,}" if type(v) is int else v for name, v in values.items()}
        return say(self.lang, key, **shown)

    def time(self, internal: int, digits: int = 6) -> str:
        """A point in time: `13 ms`, or `tick 3`; with at most so many decimals."""
        shown = to_shown(internal, self.setup.time)
        if self.setup.time == "ms" and shown >= LONG_MS:
            return self.say("time.s", value=f"{shown / 1000:,.3f}")
        digits = 1 if shown >= FINE_MS else digits
        return self.say(f"time.{self.setup.time}", value=number(shown, digits))

    def duration(self, internal: int) -> str:
        """A length of time: `13 ms`, or `3 ticks`."""
        if self.setup.time == "ms":
            return self.time(internal)
        return self.say("time.ticks", value=internal)

    def roughly(self, internal: int) -> str:
        """A length of time for a label: `3.43 ms`."""
        is_fine = self.setup.time == "ms" and to_shown(internal, "ms") >= ROUGH_MS
        return self.time(internal, 2) if is_fine else self.duration(internal)

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

    def arrival(self, id_: str) -> int:
        """When a request came, in internal units."""
        return self.arrivals[self.index[id_]]

    def request(self, id_: str) -> Request:
        """The request of that name."""
        return self.scenario.requests[self.index[id_]]
