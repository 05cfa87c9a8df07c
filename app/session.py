"""What one visitor has chosen and typed, and the histories that follow from it.

The only place of the page that runs the simulator; no Panel here, so it is tested without a
browser. Input that cannot run leaves the last good run on the screen and says why in
`problems`, in the learner's language. Long runs go through `defer`, which the page replaces by
one that keeps the server answering meanwhile.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any

import param

from app.i18n import LANGUAGES, say
from app.lanes import Lane
from app.messages import told, trace_error, trace_report
from app.payload import make_payload
from app.rows import FIELDS, MOST_ROWS, Row, page_problems, read, typed
from app.sentences import number
from app.setup_form import differing, merged, presets, too_long
from app.setup_form import page_problems as setup_problems
from lessons.catalogue import MODES, scenes, text
from sim import History, Problem, Scenario, ScenarioError, run
from sim.clock import to_internal, to_shown
from sim.files import BY_HAND, SYNTHETIC, builtin, traffic
from sim.reading import read as read_table
from sim.rules import most_rounds
from sim.setup import Setup
from sim.traces import TraceError, read_trace

TRACE = "trace"
MOST_ROUNDS = 500_000
QUICK_ROUNDS = 20_000  # above, a run goes through `defer`


class Session(param.Parameterized):
    """One visitor's state; every change of an input makes a new `payload`."""

    lang = param.Selector(default="en", objects=list(LANGUAGES))
    scenario_name = param.Selector(default=BY_HAND, objects=[*scenes(), SYNTHETIC])
    rows = param.List(item_type=dict, doc="The request table as typed, all text.")
    budget = param.Integer(default=4, bounds=(1, 16), doc="Most tokens one round may compute.")
    setup = param.Dict(default={}, doc="Options changed from the scene's own, as typed.")
    problems = param.List(item_type=dict, doc="What keeps the inputs from running.")
    payload = param.Dict(default={})
    notice = param.String(default="")
    read_only = param.Boolean(default=False)
    working = param.String(default="", doc="What a long run is about, while it runs.")
    defer = param.Callable(default=lambda job, then: then(job()))

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.chosen = builtin(self.scenario_name)  # as its file has it, edits left out
        self.last_good = self.chosen  # what is on the screen
        self._lanes: list[Lane] = []
        self._run = 0
        self._asked = 0
        self._notice: Callable[[str], str] | None = None
        self._time = 0
        self._trace: tuple[Scenario, list[Lane]] | None = None
        self._opened = TRACE
        self._busy = False
        self.choose(self.scenario_name)
        self.param.watch(lambda *_: self._edit(), ["rows", "budget", "setup"])
        self.param.watch(lambda *_: self._speak(), "lang")

    @property
    def histories(self) -> list[History]:
        """The runs on the screen, a lane each."""
        return [lane.history for lane in self._lanes]

    # Choosing what to look at.

    def scenario_titles(self) -> list[tuple[str, str]]:
        """Names and titles of everything that can be chosen."""
        titles = [(name, text(name, self.lang).title) for name in scenes()]
        titles.append((SYNTHETIC, self._say("scene.synthetic")))
        return titles + ([(TRACE, self._trace[0].name)] if self._trace else [])

    def choose(self, name: str) -> None:
        """Show a scene from its start, as its file has it."""
        if name == TRACE and self._trace:
            self._asked += 1  # a run still going comes too late
            self.working = ""
            self._put(TRACE, *self._trace)
        elif name != TRACE:
            self._show(builtin(name), name)

    def reset(self) -> None:
        """Take all edits back."""
        self._show(self.chosen, self.scenario_name)

    def set_rows(self, rows: list[Row]) -> None:
        """Take over the request table as typed."""
        self.rows = [{field: str(row.get(field, "")) for field in FIELDS} for row in rows]

    def set_setup(self, changes: Mapping[str, str]) -> None:
        """Change options of the setup, as typed; see `app.setup_form`."""
        self.setup = differing(self.chosen.setup, {**self.setup, **changes})

    def put_preset(self, name: str) -> None:
        """Schedule the continuous lane as the preset of this name does."""
        self.set_setup(presets().get(name, {}))

    def open_trace(self, filename: str, data: bytes) -> None:
        """Read a trace file and show its run; a file that is none leaves all as it was."""
        try:
            imported = read_trace(filename, data)
            scenario = traffic(imported.requests, filename)
        except TraceError as error:
            fault = error
            self.announce(lambda lang: trace_error(fault, lang))
            return
        self.open_scenario(scenario, "trace", lambda lang: trace_report(imported.report, lang))

    def open_scenario(self, scenario: Scenario, kind: str, report: Callable[[str], str]) -> None:
        """Show the run of a checked scenario that is no scene; `report` tells how it was read.

        It can be chosen again until the next one is opened. `kind` is how the words under `scene`
        speak of it: `trace` or `own`.
        """

        def then(lanes: list[Lane]) -> None:
            self._trace = (scenario, lanes)
            self._opened = kind
            if TRACE not in self.param.scenario_name.objects:
                self.param.scenario_name.objects = [*self.param.scenario_name.objects, TRACE]
            self._put(TRACE, scenario, lanes)
            self.announce(report)

        self._run_all(scenario, then)

    def _show(self, scenario: Scenario, name: str) -> None:
        self._run_all(scenario, lambda lanes: self._put(name, scenario, lanes))

    def _put(self, name: str, scenario: Scenario, lanes: list[Lane]) -> None:
        """Show a run that has just been chosen, from its start."""
        large = len(scenario.requests) > MOST_ROWS
        self.chosen = scenario
        budget = scenario.setup.budget
        high = 8192 if large else max(16, 4 * budget)
        self._busy = True
        try:
            with param.parameterized.batch_call_watchers(self):
                self.param.budget.bounds = (1, high)
                self.param.update(
                    scenario_name=name,
                    rows=[] if large else typed(scenario),
                    budget=budget,
                    setup={},
                    problems=[],
                    read_only=large,
                    notice="",
                )
        finally:
            self._busy = False
        self._take(scenario, lanes, reset=True)

    # Editing.

    def _edit(self) -> None:
        """Run what is typed; when that cannot be, say why and keep the last good run."""
        if self._busy:
            return
        scenario, problems = self._typed()
        self.problems = [told(problem, self.lang, self.rows) for problem in problems]
        if scenario is not None:
            self._run_all(scenario, lambda lanes: self._take(scenario, lanes))

    def _typed(self) -> tuple[Scenario | None, list[Problem]]:
        """The scenario that is typed, or everything that is wrong with it."""
        problems = setup_problems(self.chosen.setup, self.setup)
        scenario, found = self._reset_up() if self.read_only else self._retyped()
        if scenario is not None:
            found += _lane_problems(scenario)
        known = {problem.place for problem in problems}
        problems += [problem for problem in found if problem.place not in known]
        return (None if problems else scenario), problems

    def _setup_table(self) -> dict[str, Any]:
        return merged(self.chosen.setup, self.setup) | {"budget": self.budget}

    def _reset_up(self) -> tuple[Scenario | None, list[Problem]]:
        """A trace under another setup."""
        values, problems = read_table({"setup": self._setup_table()})
        if problems:
            return None, problems
        setup: Setup = values["setup"]
        changes = {item.name: getattr(setup, item.name) for item in fields(setup)}
        try:
            return self.chosen.with_setup(**changes), []
        except ScenarioError as error:
            return None, list(error.problems)

    def _retyped(self) -> tuple[Scenario | None, list[Problem]]:
        """A scene under another setup, with the requests that are typed."""
        data = self.chosen.to_dict()
        data["setup"] = self._setup_table()
        data["requests"] = [read(row) for row in self.rows]
        problems = page_problems(data["requests"])
        data["requests"] = _completed(data["requests"], self.chosen)
        try:
            scenario = Scenario.from_dict(data)
        except ScenarioError as error:
            known = {problem.place for problem in problems}
            others = (problem for problem in error.problems if problem.place not in known)
            return None, [*problems, *others]
        rounds = max(_most_rounds(scenario, mode) for mode in MODES)
        if rounds > MOST_ROUNDS:
            found = Problem(("requests",), "too_many_rounds", rounds, {"high": MOST_ROUNDS})
            problems.append(found)
        return scenario, problems

    def _run_all(self, scenario: Scenario, show: Callable[[list[Lane]], None]) -> None:
        """Simulate both lanes, then show them; a later call makes an unfinished one void."""
        self._asked += 1
        ticket = self._asked

        def then(lanes: list[Lane]) -> None:
            if ticket == self._asked:
                self.working = ""
                show(lanes)

        if scenario.most_rounds <= QUICK_ROUNDS:
            then(_simulate(scenario))
            return
        self.working = self._say("scene.running", count=f"{len(scenario.requests):,}")
        self.defer(lambda: _simulate(scenario), then)

    def _take(self, scenario: Scenario, lanes: list[Lane], *, reset: bool = False) -> None:
        self.last_good, self._lanes = scenario, lanes
        self._run += 1
        self._send(reset=reset)

    def _send(self, *, time: int = 0, reset: bool = False) -> None:
        self._time = time
        self.payload = make_payload(
            self._lanes, self.lang, title=self._title(), run=self._run, time=time, reset=reset
        )

    def move_window(self, request: Mapping[str, Any]) -> None:
        """Send another part of a large run: the one around `request["t"]`."""
        time = request.get("t")
        if request.get("run") != self._run or not isinstance(time, (int, float)):
            return
        if math.isfinite(time):
            shown = min(max(time, 0), self.payload["overview"]["t1"] if self._windowed() else 0)
            unit = self.last_good.setup.time
            self._send(time=to_internal(int(shown) if unit == "tick" else round(shown, 6), unit))

    def _windowed(self) -> bool:
        return not self.payload["whole"]

    # Words.

    def lesson(self) -> dict[str, str]:
        """Number, title and hook of what is shown; the text too, if it is no scene with steps."""
        if self.scenario_name in scenes():
            words_ = text(self.scenario_name, self.lang)
            number_ = str(scenes()[self.scenario_name].lesson)
            return {"number": number_, "title": words_.title, "hook": words_.hook}
        opened = self.scenario_name == TRACE
        key = f"scene.{self._opened if opened else self.scenario_name}"
        values = {
            "cost": self._cost(),
            "count": f"{len(self.chosen.requests):,}",
            "name": self.chosen.name,
        }
        return {
            "number": "",
            "title": self._say(key),
            "hook": self._say(f"{key}_hook", **values),
            "text": "\n\n".join(
                [self._say(f"{key}_text", **values)]
                + ([] if self.payload.get("whole", True) else [self._say("scene.window")])
            ),
        }

    def _cost(self) -> str:
        cost = self.chosen.setup.cost
        parts = {
            name: number(to_shown(getattr(cost, name), "ms"))
            for name in ("base", "per_prefill", "per_decode", "per_kv_token")
        }
        return self._say("scene.cost", **parts)

    def _say(self, key: str, **values: object) -> str:
        return say(self.lang, key, **values)

    def _title(self) -> str:
        return self.lesson()["title"]

    def announce(self, tell: Callable[[str], str]) -> None:
        """A notice that can be said again when the language changes."""
        self._notice = tell
        self.notice = tell(self.lang)

    def _speak(self) -> None:
        """Everything shown again, in the other language."""
        self._send(time=self._time)
        if self.notice and self._notice:
            self.notice = self._notice(self.lang)
        if self.problems:
            self.problems = []
            self._edit()


def _lane_problems(scenario: Scenario) -> list[Problem]:
    """What keeps a lane from running though the typed setup is good by itself."""
    for mode in MODES:
        try:
            found = too_long(scenario.with_setup(mode=mode))
        except ScenarioError as error:
            return list(error.problems)
        if found:
            return found
    return []


def _most_rounds(scenario: Scenario, mode: Any) -> int:
    return most_rounds(replace(scenario.setup, mode=mode), scenario.requests)


def _simulate(scenario: Scenario) -> list[Lane]:
    """Both lanes, with the figures that drawing them needs."""
    lanes = [Lane(mode, run(scenario.with_setup(mode=mode))) for mode in MODES]
    for lane in lanes:
        lane.prepare()
    return lanes


def _completed(rows: list[dict[str, Any]], chosen: Scenario) -> list[dict[str, Any]]:
    """Rows with what the requests of their names have beside the table, such as a priority."""
    own = {request["id"]: request for request in chosen.to_dict()["requests"]}
    return [
        {key: value for key, value in own.get(row["id"], {}).items() if key not in FIELDS} | row
        for row in rows
    ]
