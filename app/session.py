"""What one visitor has chosen and typed, and the histories that follow from it.

The only place of the page that runs the simulator; no Panel here, so it is tested without a
browser. Input that cannot run leaves the last good run on the screen and says why in
`problems`, in the learner's language. Long runs go through `defer`, which the page replaces by
one that keeps the server answering meanwhile.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any

import param

from app.i18n import LANGUAGES, say, words
from app.lanes import Lane
from app.payload import make_payload
from app.sentences import number
from lessons.catalogue import MODES, scenes, text
from sim import Problem, Scenario, ScenarioError, run
from sim.clock import to_internal, to_shown
from sim.files import BY_HAND, SYNTHETIC, builtin, traffic
from sim.traces import TraceError, read_trace

TRACE = "trace"
FIELDS = ("id", "arrival", "prompt", "output", "cached")
MOST_ROWS = 200
MOST = {"arrival": 1_000_000, "prompt": 20_000, "output": 2_000, "cached": 20_000}
MOST_ROUNDS = 500_000
QUICK_ROUNDS = 20_000  # above, a run goes through `defer`
Row = dict[str, str]


class Session(param.Parameterized):
    """One visitor's state; every change of an input makes a new `payload`."""

    lang = param.Selector(default="en", objects=list(LANGUAGES))
    scenario_name = param.Selector(default=BY_HAND, objects=[*scenes(), SYNTHETIC])
    rows = param.List(item_type=dict, doc="The request table as typed, all text.")
    budget = param.Integer(default=4, bounds=(1, 16), doc="Most tokens one round may compute.")
    problems = param.List(item_type=dict, doc="What keeps the table from running.")
    payload = param.Dict(default={})
    notice = param.String(default="")
    read_only = param.Boolean(default=False)
    working = param.String(default="", doc="What a long run is about, while it runs.")
    defer = param.Callable(default=lambda job, then: then(job()))

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self._base = builtin(self.scenario_name)
        self._scenario = self._base
        self._lanes: list[Lane] = []
        self._run = 0
        self._asked = 0
        self._time = 0
        self._trace: tuple[Scenario, list[Lane]] | None = None
        self._busy = False
        self.choose(self.scenario_name)
        self.param.watch(lambda *_: self._edit(), ["rows", "budget"])
        self.param.watch(lambda *_: self._speak(), "lang")

    # Choosing what to look at.

    def scenario_titles(self) -> list[tuple[str, str]]:
        """Names and titles of everything that can be chosen."""
        titles = [(name, text(name, self.lang).title) for name in scenes()]
        titles.append((SYNTHETIC, self._say("scene.synthetic")))
        return titles + ([(TRACE, self._trace[0].name)] if self._trace else [])

    def choose(self, name: str) -> None:
        """Show a scene from its start, as its file has it."""
        if name == TRACE and self._trace:
            self._put(TRACE, *self._trace)
        elif name != TRACE:
            self._show(builtin(name), name)

    def reset(self) -> None:
        """Take all edits back."""
        self._show(self._base, self.scenario_name)

    def set_rows(self, rows: list[Row]) -> None:
        """Take over the request table as typed."""
        self.rows = [{field: str(row.get(field, "")) for field in FIELDS} for row in rows]

    def open_trace(self, filename: str, data: bytes) -> None:
        """Read a trace file and show its run; a file that is none leaves all as it was."""
        try:
            imported = read_trace(filename, data)
            scenario = traffic(imported.requests, filename)
        except TraceError as error:
            self.notice = self._trace_error(error)
            return

        def then(lanes: list[Lane]) -> None:
            self._trace = (scenario, lanes)
            if TRACE not in self.param.scenario_name.objects:
                self.param.scenario_name.objects = [*self.param.scenario_name.objects, TRACE]
            self._put(TRACE, scenario, lanes)
            self.notice = self._trace_report(imported.report)

        self._run_all(scenario, then)

    def _show(self, scenario: Scenario, name: str) -> None:
        self._run_all(scenario, lambda lanes: self._put(name, scenario, lanes))

    def _put(self, name: str, scenario: Scenario, lanes: list[Lane]) -> None:
        """Show a run that has just been chosen, from its start."""
        large = len(scenario.requests) > MOST_ROWS
        self._base = scenario
        budget = scenario.setup.budget
        high = 8192 if large else max(16, 4 * budget)
        self._busy = True
        try:
            with param.parameterized.batch_call_watchers(self):
                self.param.budget.bounds = (1, high)
                self.param.update(
                    scenario_name=name,
                    rows=[] if large else _typed(scenario),
                    budget=budget,
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
        data = self._base.to_dict()
        data["setup"]["budget"] = self.budget
        if not self.read_only:
            data["requests"] = [_read(row) for row in self.rows]
        problems = _page_problems(data, self.read_only)
        if not problems:
            try:
                scenario = self._edited(data)
                self.problems = []
                self._run_all(scenario, lambda lanes: self._take(scenario, lanes))
                return
            except ScenarioError as error:
                problems = list(error.problems)
        self.problems = [self._told(problem) for problem in problems]

    def _edited(self, data: dict[str, Any]) -> Scenario:
        if self.read_only:
            return self._base.with_setup(budget=self.budget)
        scenario = Scenario.from_dict(data)
        rounds = max(scenario.with_setup(mode=mode).most_rounds for mode in MODES)
        if rounds > MOST_ROUNDS:
            found = Problem(("requests",), "too_many_rounds", rounds, {"high": MOST_ROUNDS})
            raise ScenarioError((found,))
        return scenario

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
        self._scenario, self._lanes = scenario, lanes
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
            unit = self._scenario.setup.time
            self._send(time=to_internal(int(shown) if unit == "tick" else round(shown, 6), unit))

    def _windowed(self) -> bool:
        return not self.payload["whole"]

    # Words.

    def lesson(self) -> dict[str, str]:
        """Number, title, hook and text of what is shown, in the learner's language."""
        if self.scenario_name in scenes():
            words_ = text(self.scenario_name, self.lang)
            number_ = str(scenes()[self.scenario_name].lesson)
            return {
                "number": number_, "title": words_.title, "hook": words_.hook, "text": words_.body,
            }  # fmt: skip
        key = f"scene.{self.scenario_name}"
        values = {
            "cost": self._cost(),
            "count": f"{len(self._base.requests):,}",
            "name": self._base.name,
        }
        return {
            "number": "",
            "title": self._say(key),
            "hook": self._say(f"{key}_hook", **values),
            "text": self._say(f"{key}_text", **values),
        }

    def _cost(self) -> str:
        cost = self._scenario.setup.cost
        parts = {
            name: number(to_shown(getattr(cost, name), "ms"))
            for name in ("base", "per_prefill", "per_decode", "per_kv_token")
        }
        return self._say("scene.cost", **parts)

    def _say(self, key: str, **values: object) -> str:
        return say(self.lang, key, **values)

    def _title(self) -> str:
        return self.lesson()["title"]

    def _speak(self) -> None:
        """Everything shown again, in the other language."""
        if not self._busy:
            self._send(time=self._time)
            self._edit_words()

    def _edit_words(self) -> None:
        if self.problems:
            self.problems = []
            self._edit()

    def _told(self, problem: Problem) -> dict[str, Any]:
        """A problem as the page shows it: at which row and field, in which words."""
        row = problem.place[1] if problem.place[:1] == ("requests",) and problem.place[1:] else None
        field = str(problem.place[-1]) if problem.place else ""
        known = words(self.lang)
        rule = f"problem.{problem.rule}"
        if f"{rule}_{field}" in known:
            rule = f"{rule}_{field}"
        values = {
            **{key: _plain(value) for key, value in problem.params.items()},
            "who": self._who(row),
            "number": row + 1 if isinstance(row, int) else "",
            "field": known.get(f"field.{field}", field),
            "value": _plain(problem.value),
        }
        key = rule if rule in known else "problem.other"
        return {"row": row, "field": field or None, "text": self._say(key, **values)}

    def _who(self, row: Any) -> str:
        if not isinstance(row, int):
            return self._say("field.budget")
        name = self.rows[row]["id"].strip() if row < len(self.rows) else ""
        return name or self._say("field.row", number=row + 1)

    def _trace_report(self, report: Any) -> str:
        notes = report.notes()
        return self._joined(self._note(note.rule, note.params) for note in notes)

    def _note(self, rule: str, params: Mapping[str, Any]) -> str:
        values = dict(params)
        if "reason" in values:
            values["reason"] = self._say(f"trace.{values['reason']}", **values)
        return self._say(f"trace.{rule}", **values)

    def _trace_error(self, error: TraceError) -> str:
        values = {**error.params, "field": error.field, "value": error.value, "line": error.line}
        if "reason" in values:
            values["reason"] = self._say(f"trace.{values['reason']}", **values)
        place = error.file
        if error.line is not None:
            place += self._say("trace.at_line", line=error.line)
        fault, remedy = (
            self._say(f"trace.{rule}", **values) for rule in (error.rule, error.remedy)
        )
        told = self._say("trace.sentence", text=self._say("trace.fault", place=place, fault=fault))
        return told + (" " if self.lang == "en" else "") + self._joined([remedy])

    def _joined(self, phrases: Iterable[str]) -> str:
        """Phrases as sentences of their own, in one paragraph."""
        sentences = [
            self._say("trace.sentence", text=text[:1].upper() + text[1:]) for text in phrases
        ]
        return (" " if self.lang == "en" else "").join(sentences)


def _simulate(scenario: Scenario) -> list[Lane]:
    """Both lanes, with the figures that drawing them needs."""
    lanes = [Lane(mode, run(scenario.with_setup(mode=mode))) for mode in MODES]
    for lane in lanes:
        lane.prepare()
    return lanes


def _typed(scenario: Scenario) -> list[Row]:
    """The requests of a scenario as a table of text."""
    rows = []
    for request in scenario.requests:
        rows.append(
            {
                "id": request.id,
                "arrival": number(to_shown(request.arrival, scenario.setup.time)).replace(",", ""),
                "prompt": str(request.prompt),
                "output": str(request.output),
                "cached": str(request.cached) if request.cached else "",
            }
        )
    return rows


def _read(row: Row) -> dict[str, Any]:
    """A typed row as a request table of the scenario schema; empty cells are left out."""
    request: dict[str, Any] = {"id": row["id"].strip()}
    for field in FIELDS[1:]:
        typed = row[field].strip()
        if typed:
            request[field] = _number(typed, whole=field != "arrival")
    return request


def _number(typed: str, *, whole: bool) -> Any:
    """The number that was typed, or the text itself, which the schema then refuses."""
    try:
        return int(typed)
    except ValueError:
        pass
    try:
        return typed if whole else float(typed)
    except ValueError:
        return typed


def _page_problems(data: Mapping[str, Any], read_only: bool) -> list[Problem]:
    """Bounds of the table on the page, tighter than those of the simulator."""
    rows = data["requests"]
    if read_only:
        return []
    if len(rows) > MOST_ROWS:
        return [Problem(("requests",), "too_many_rows", len(rows), {"high": MOST_ROWS})]
    problems = [
        Problem(("requests", i, field), "too_large", row[field], {"high": high})
        for i, row in enumerate(rows)
        for field, high in MOST.items()
        if isinstance(row.get(field), (int, float)) and row[field] > high
    ]
    return problems


def _plain(value: Any) -> Any:
    """A figure with thousands separators, anything else as short text."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e15:
        return number(value)
    if isinstance(value, int):
        return format(Decimal(value), ".3g")
    return str(value)[:40]
