"""The results that a text or an exercise may name, all from the simulator.

    setup.budget                          the scenario's own setup
    request.C.prompt                      a request as its file has it
    continuous.requests.C.ttft            figures as the JSON output has them, for `static`
    static.overall.makespan               and `continuous`
    continuous.round[3].P                 a round by its number
    lane["6"].overall.makespan            the same for a lane of `lesson.toml`; lane[6] will do
    here.P, here.end, here.given.C        the round that the step itself shows
    given.small.p99_itl                   figures that somebody else gave: `[given.13a]`

How they are combined and written says `lessons.values`.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from functools import cache, cached_property, lru_cache, partial
from operator import itemgetter
from typing import Any, overload

from lessons.faults import LessonError
from lessons.shown import given
from lessons.steps import Step, event_of
from sim import History, Request, Scenario, run
from sim.clock import to_shown
from sim.export import request_dict, round_dict
from sim.files import builtin, lanes, suggestion
from sim.metrics import Metrics
from sim.reading import written

MODES = ("static", "continuous")
MOST_RUNS = 500  # kept, in a process: some for each exercise of the course

_END = itemgetter("end")
_EVENT_LISTS = {"first": "emitted", "finish": "finished", "preempt": "preempted"}


class Made(Mapping[str, Any]):
    """What is made of things by their names, each when it is asked for: there may be thousands."""

    def __init__(self, make: Callable[[Any], Any], known: Mapping[str, Any]) -> None:
        self._make, self._known = make, known

    def __getitem__(self, name: str | int) -> Any:
        return self._make(self._known[str(name)])  # a lane may be called 6

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


class Figures(Mapping[str, Any]):
    """What a text of a scenario may name, but for `here`; a mode is simulated when it is named."""

    def __init__(self, scenario: Scenario, lanes: Mapping[str, Scenario]) -> None:
        self.scenario, self.lanes = scenario, lanes
        self._plain = {
            "setup": scenario.setup,
            "request": Made(partial(written, unit=scenario.setup.time), _by_id(scenario)),
            "lane": Made(_run, lanes),
            "given": given(scenario.name),
        }

    def plus(self, **more: Any) -> "Figures":
        """The same with further names; what can be called is worked out when it is named."""
        twin = copy(self)
        twin._plain = self._plain | more
        return twin

    def __getitem__(self, name: str) -> Any:
        if name in MODES:
            return _run(self.scenario.with_setup(mode=name))
        value = self._plain[name]
        return value() if callable(value) else value

    def __iter__(self) -> Iterator[str]:
        return iter((*self._plain, *MODES))

    def __len__(self) -> int:
        return len(self._plain) + len(MODES)


@cache
def figures(scene: str) -> Figures:
    """What the texts of a scene may name, but for `here`."""
    return Figures(builtin(scene), lanes(scene))


class Rounds(Sequence[dict[str, Any]]):
    """The rounds of a run, each written out when it is asked for."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._known: dict[int, dict[str, Any]] = {}

    @overload
    def __getitem__(self, place: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, place: slice) -> list[dict[str, Any]]: ...
    def __getitem__(self, place: int | slice) -> dict[str, Any] | list[dict[str, Any]]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        if place not in self._known:
            self._known[place] = round_dict(self._history[place], self._history)
        return self._known[place]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (round_dict(record, self._history) for record in self._history)

    def __len__(self) -> int:
        return len(self._history)


class Numbered(Mapping[int, dict[str, Any]]):
    """The same by the numbers of the rounds, which begin with 1."""

    def __init__(self, rounds: Rounds) -> None:
        self._rounds = rounds

    def __getitem__(self, number: int) -> dict[str, Any]:
        if not 1 <= number <= len(self):
            raise KeyError(number)
        return self._rounds[number - 1]

    def __iter__(self) -> Iterator[int]:
        return iter(range(1, len(self) + 1))

    def __len__(self) -> int:
        return len(self._rounds)


class Result:
    """The figures of one run, each worked out when it is first named."""

    def __init__(self, scenario: Scenario) -> None:
        history = run(scenario)
        figures = Metrics(history)
        places = {request.id: place for place, request in enumerate(scenario.requests)}
        self.requests = Made(partial(request_dict, figures), places)
        self.rounds = Rounds(history)
        self.round = Numbered(self.rounds)
        self._figures = figures

    @cached_property
    def scenario(self) -> dict[str, Any]:
        """What ran, as a file has it."""
        return self._figures.history.scenario.to_dict()

    @cached_property
    def overall(self) -> dict[str, Any]:
        """The figures of all requests together."""
        return self._figures.overall()


def _by_id(scenario: Scenario) -> dict[str, Request]:
    return {request.id: request for request in scenario.requests}


@lru_cache(MOST_RUNS)
def _run(scenario: Scenario) -> Result:
    return Result(scenario)


def lane_figures(values: Figures, step: Step) -> Result:
    """The figures of the lane that a step speaks of.

    Raises:
        LessonError: the scene has no lane of this name.
    """
    if step.lane not in MODES and step.lane not in values["lane"]:
        known = dict.fromkeys([*MODES, *values["lane"]])
        raise LessonError(f"{step.lane} is no lane{suggestion(step.lane, known)}")
    found: Result = values[step.lane] if step.lane in MODES else values["lane"][step.lane]
    return found


def here(values: Figures, step: Step) -> dict[str, Any] | None:
    """The round at whose end a step stands; None at the start.

    Raises:
        LessonError: the run has no such lane, round or event.
    """
    rounds = lane_figures(values, step).rounds
    number = _number(values.scenario, step, rounds)
    if number > len(rounds):
        raise LessonError(f"round {number} is none of the {len(rounds)} rounds of {step.lane}")
    return rounds[number - 1] if number else None


def _number(scenario: Scenario, step: Step, rounds: Rounds) -> int:
    if step.time is not None:
        return bisect_right(rounds, step.time, key=_END)
    if isinstance(step.round, int):
        return step.round
    if named := event_of(step):
        return _event_number(scenario, named, rounds)
    return len(rounds) if step.round == "end" else 0


def _event_number(scenario: Scenario, named: tuple[str, str], rounds: Rounds) -> int:
    """The round that ends at an event; that of an arrival is over when the request may join."""
    id_, kind = named
    own = next((request for request in scenario.requests if request.id == id_), None)
    if own is None:
        raise LessonError(f"{id_} is no request of the scenario")
    if kind in _EVENT_LISTS:
        found = (one["round"] for one in rounds if id_ in one[_EVENT_LISTS[kind]])
        if number := next(found, 0):
            return int(number)
        raise LessonError(f"{id_} has no event {kind} in this run")
    time = own.arrival if kind == "arrival" else own.cancel_at
    if time is None:
        raise LessonError(f"{id_} has no event {kind} in this run")
    shown = to_shown(time, scenario.setup.time)
    return bisect_left(rounds, shown, key=_END) + (shown > 0)
