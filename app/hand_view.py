"""A lane whose rounds a person gives, as the browser reads it: whose turn it is, and how it went.

The simulator judges every round (`sim.by_hand`); here its answers become words. What the policy
would have done is told of rounds that are over, and of the whole run only at its end.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from app.lanes import Lane
from app.speech import Speaker, number
from sim import HandRun, Offer, Problem, Scenario, Status, by_hand, run
from sim.clock import to_shown
from sim.metrics import Metrics

MOST_TOLD = 3  # latencies that differ

Payload = dict[str, Any]


class HandView:
    """What the page shows of one run by hand, in one language."""

    def __init__(self, lane: Lane, hand: HandRun, lang: str) -> None:
        self.lane, self.hand = lane, hand
        self.scenario = lane.history.scenario
        self.speaker = Speaker(lang, self.scenario)

    def payload(self, place: Mapping[int, int]) -> Payload:
        """Everything the browser needs to ask for the next round, or to tell how it went."""
        hand, index = self.hand, self.speaker.index
        return {
            "is_done": hand.done,
            "round": len(hand.history) + 1,
            "now": to_shown(hand.now, self.scenario.setup.time),
            "budget": hand.budget,
            "can_evict": hand.blocks is not None,
            "present": [
                {"req": place[index[offer.id]], "id": offer.id, **self._offer(offer)}
                for offer in hand.present
                if index[offer.id] in place
            ],
            "policy": [[id_, n] for id_, n in hand.suggestion.items()],
            "problems": [self._problem(problem) for problem in self._faults()],
            "note": "" if hand.done else self._last_round(),
            "outcome": self._compared() if hand.done else [],
        }

    def _offer(self, offer: Offer) -> Payload:
        request = self.speaker.request(offer.id)
        is_decode = offer.status is Status.DECODE
        left = 1 if is_decode else request.prompt + offer.emitted - offer.computed
        reason = self.speaker.say(f"reason.{offer.reason}") if offer.reason else ""
        return {
            "is_decode": is_decode,
            "left": left,
            "most": offer.most,
            "runs": offer.status in (Status.PREFILL, Status.DECODE),
            "why": reason,
        }

    # What is wrong.

    def _faults(self) -> tuple[Problem, ...]:
        """Of the round that was asked for last, else of the first that cannot be played again."""
        return self.lane.faults or self.hand.problems

    def _problem(self, problem: Problem) -> Payload:
        """A fault in words, and whose row it belongs to."""
        id_ = problem.place[2] if len(problem.place) > 2 else ""
        params = {name: _plain(value) for name, value in problem.params.items()}
        params |= {"id": id_, "value": _plain(problem.value)}
        return {"id": id_, "text": self.speaker.say(f"hand.problem.{problem.rule}", **params)}

    # What the policy would have done.

    def _last_round(self) -> str:
        """How the round played last differs from what the policy would have given there."""
        grants = self.lane.spec.hand or ()
        count = len(self.hand.history)
        if not count or self._faults():
            return ""
        mine = dict(grants[count - 1])
        its = by_hand(self.scenario, grants[: count - 1]).suggestion
        say = self.speaker.say
        parts = [
            say("hand.would_give" if its.get(id_) else "hand.would_not", id=id_, n=its.get(id_, 0))
            for id_ in dict.fromkeys([*its, *mine])
            if its.get(id_, 0) != mine.get(id_, 0)
        ]
        if not parts:
            return say("hand.as_policy", number=count)
        listed = say("hand.comma").join(parts)
        return say("hand.differs", number=count, parts=listed)

    def _compared(self) -> list[str]:
        """The whole run beside that of the policy."""
        mine, its = Metrics(self.lane.history), Metrics(run(self.scenario))
        both = {"mine": self._time(mine.makespan or 0), "its": self._time(its.makespan or 0)}
        lines = [self.speaker.say("hand.total", **both)]
        told = list(self._differing(self.scenario, mine, its))
        lines += told[:MOST_TOLD] or [self.speaker.say("hand.same")]
        if len(told) > MOST_TOLD:
            lines.append(self.speaker.say("hand.more", count=len(told) - MOST_TOLD))
        return lines

    def _differing(self, scenario: Scenario, mine: Metrics, its: Metrics) -> Iterator[str]:
        """First tokens and longest gaps that are not the policy's, request by request."""
        for index, request in enumerate(scenario.requests):
            one, other = mine.request(index), its.request(index)
            for name in ("ttft", "max_itl"):
                a, b = getattr(one, name), getattr(other, name)
                if a is not None and b is not None and a != b:
                    key = f"hand.{name}_{'later' if a > b else 'sooner'}"
                    by = self._time(abs(a - b))
                    values = {"mine": self._time(a), "its": self._time(b), "by": by}
                    yield self.speaker.say(key, id=request.id, **values)

    def _time(self, shown: float) -> str:
        """A length of time in ms or ticks."""
        if self.scenario.setup.time == "ms":
            return self.speaker.say("time.ms", value=number(shown))
        return self.speaker.say("time.ticks", value=int(shown))


def _plain(value: Any) -> Any:
    return f"{value:,}" if type(value) is int else str(value)[:40]
