"""The named values of a text: what stands between its braces, all from the simulator.

    {setup.budget}                              the scenario's own setup
    {request[C][prompt]}                        a request as its file has it
    {continuous[requests][C][ttft]}             figures as the JSON output has them, for `static`
    {static[overall][makespan]}                 and `continuous`
    {continuous[round][3][P]}                   a round by its number
    {lane[6][overall][makespan]}                the same for a lane of `lesson.toml`
    {here[P]}, {here[end]}, {here[given][C]}    the round that the step itself shows

A figure is written as it is; `:.1f` behind the name rounds it.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from lessons.steps import LessonError, Step, event_of
from sim import Scenario, run
from sim.clock import to_shown
from sim.export import to_json
from sim.files import lanes, suggestion

MODES = ("static", "continuous")

_EVENT_LISTS = {"first": "emitted", "finish": "finished", "preempt": "preempted"}


class Lanes(Mapping[str, dict[str, Any]]):
    """The figures of a scene's lanes by name, each simulated when it is asked for."""

    def __init__(self, scene: str) -> None:
        self._known = lanes(scene) if scene else {}

    def __getitem__(self, name: str | int) -> dict[str, Any]:
        return _run(self._known[str(name)])  # a lane may be called 6

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


@cache
def figures(scenario: Scenario) -> Mapping[str, Any]:
    """What a text of this scenario may name, but for `here`."""
    requests = {request["id"]: request for request in scenario.to_dict()["requests"]}
    values: dict[str, Any] = {"setup": scenario.setup, "request": requests}
    for mode in MODES:
        values[mode] = _run(scenario.with_setup(mode=mode))
    return values | {"lane": Lanes(scenario.name)}


@cache
def _run(scenario: Scenario) -> dict[str, Any]:
    result = to_json(run(scenario))
    result["round"] = {one["round"]: one for one in result["rounds"]}
    return result


def lane_figures(scenario: Scenario, step: Step) -> dict[str, Any]:
    """The figures of the lane that a step speaks of.

    Raises:
        LessonError: the scene has no lane of this name.
    """
    values = figures(scenario)
    if step.lane in MODES:
        found: dict[str, Any] = values[step.lane]
    elif step.lane in values["lane"]:
        found = values["lane"][step.lane]
    else:
        known = dict.fromkeys([*MODES, *values["lane"]])
        raise LessonError(f"{step.lane} is no lane{suggestion(step.lane, known)}")
    return found


def here(scenario: Scenario, step: Step) -> dict[str, Any] | None:
    """The round at whose end a step stands; None at the start.

    Raises:
        LessonError: the run has no such lane, round or event.
    """
    rounds = lane_figures(scenario, step)["rounds"]
    number = _number(scenario, step, rounds)
    if number > len(rounds):
        raise LessonError(f"round {number} is none of the {len(rounds)} rounds of {step.lane}")
    return rounds[number - 1] if number else None


def _number(scenario: Scenario, step: Step, rounds: list[dict[str, Any]]) -> int:
    if step.time is not None:
        return len([one for one in rounds if one["end"] <= step.time])
    if isinstance(step.round, int):
        return step.round
    if named := event_of(step):
        return _event_number(scenario, named, rounds)
    return len(rounds) if step.round == "end" else 0


def _event_number(scenario: Scenario, named: tuple[str, str], rounds: list[dict[str, Any]]) -> int:
    """The round that ends at an event; that of an arrival is over when the request may join."""
    id_, kind = named
    own = next((request for request in scenario.requests if request.id == id_), None)
    if own is None:
        raise LessonError(f"{id_} is no request of the scenario")
    if kind in _EVENT_LISTS:
        found = [one["round"] for one in rounds if id_ in one[_EVENT_LISTS[kind]]]
        if not found:
            raise LessonError(f"{id_} has no event {kind} in this run")
        return int(found[0])
    time = own.arrival if kind == "arrival" else own.cancel_at
    if time is None:
        raise LessonError(f"{id_} has no event {kind} in this run")
    shown = to_shown(time, scenario.setup.time)
    return len([one for one in rounds if one["end"] < shown]) + (shown > 0)
