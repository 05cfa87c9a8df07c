"""What one visitor has chosen and typed, and the histories that follow from it.

No Panel here, so it is tested without a browser. Lanes are run by `app.runner` and changed by
`app.lane_edits`; the words for what is shown are in `app.scene_words`. Input that cannot run leaves
the last good run on the screen and says why in `problems`, in the learner's language. Long runs go
through `defer`, which the page replaces by one that keeps the server answering meanwhile.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import param

from app.heard import finite
from app.i18n import LANGUAGES, say
from app.importing import Upload
from app.inputs import Inputs, most_budget
from app.lane_runs import before_fork, play
from app.lane_specs import LaneSpec, default_lanes
from app.lanes import Lane
from app.messages import in_words, named
from app.payload import make_payload
from app.picture import Picture, is_kept, picture, picture_of_scene
from app.rows import FIELDS, MOST_ROWS, Row, typed
from app.runner import Judged, Runner, Runs, Show, Typed, runnable, simulated, takes_long
from app.scene_words import of_other, of_scene, scene_titles
from app.setup_options import Texts, differing, texts
from lessons.catalogue import scenes
from sim import History, Scenario
from sim.clock import to_internal
from sim.files import BY_HAND, SYNTHETIC, builtin

TRACE = "trace"
TABS = ["compare", "traffic", "load", "sweep", "calibrate"]  # of the lab, the usual one first
LONG_ROUNDS = 150  # of all lanes: a picture of them is made in the background


class Session(param.Parameterized):
    """One visitor's state; every change of an input makes a new `picture`."""

    lang = param.Selector(default="en", objects=list(LANGUAGES))
    scenario_name = param.Selector(default=BY_HAND, objects=[*scenes(), SYNTHETIC])
    rows = param.List(item_type=dict, doc="The request table as typed, all text.")
    budget = param.Integer(default=4, bounds=(1, 16), doc="Most tokens one round may compute.")
    setup = param.Dict(default={}, doc="Options changed from the scene's own, as typed.")
    lanes = param.List(item_type=LaneSpec, doc="What stands on the stage: one to four lanes.")
    traffic = param.Dict(default={}, doc="How else its requests are drawn or cut, as typed.")
    problems = param.List(item_type=dict, doc="What keeps the inputs from running.")
    picture = param.ClassSelector(class_=Picture, default=Picture())
    notice = param.String(default="")
    face = param.Selector(default="stage", objects=["stage", "lab"], doc="How it is looked at.")
    tab = param.Selector(default=TABS[0], objects=TABS, doc="The part of the lab that is open.")
    is_choosing = param.Boolean(default=False, doc="The lab looks at the last file's columns.")
    read_only = param.Boolean(default=False)
    working = param.String(default="", doc="What a long run is about, while it runs.")
    is_coming = param.Boolean(default=False, doc="Whether a picture is made in the background.")
    defer = param.Callable(default=lambda job, then: then(job()))
    play = param.Callable(default=play, doc="Runs a lane; a long one in another process.")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.chosen = builtin(self.scenario_name)  # as its file has it, edits left out
        self.last_good = self.chosen  # what is on the screen
        self._own_lanes: list[LaneSpec] = []  # those that what is chosen opens with
        self.drawn = self.chosen  # with the requests that `traffic` makes of it
        self._drawn_as: tuple[Scenario, dict[str, str]] = (self.chosen, {})
        self._lanes: list[Lane] = []
        self._run = 0
        self._runner = Runner()
        self._notice: Callable[[str], str] | None = None
        self._time = 0
        self._trace: tuple[Scenario, list[Lane]] | None = None
        self._opened = TRACE
        self.unread: tuple[str, bytes] | None = None  # a trace without a unit
        self.upload: Upload | None = None  # the last trace file
        self.can_look = False  # whether the notice is about it, and its rows can be shown
        self._busy = False
        self.choose(self.scenario_name)
        self.param.watch(lambda *_: self._edit(), ["rows", "budget", "setup", "lanes", "traffic"])
        self.param.watch(lambda *_: self._speak(), "lang")

    @property
    def histories(self) -> list[History]:
        """The runs on the screen, a lane each."""
        return [lane.history for lane in self._lanes]

    @property
    def shown_lanes(self) -> list[LaneSpec]:
        """The lanes on the screen: `lanes`, or while those cannot run, the last that could."""
        return [lane.spec for lane in self._lanes]

    @property
    def played(self) -> list[Lane]:
        """The lanes on the screen with their runs."""
        return list(self._lanes)

    def before_fork(self, spec: LaneSpec) -> History | None:
        """The run that the last fork of a lane starts from, if it is known or short."""
        for lane in self._lanes:
            if lane.before and lane.spec.until_fork == spec.until_fork:
                return lane.before
        return before_fork(spec, self.last_good)

    @property
    def payload(self) -> dict[str, Any]:
        """What the browser shows, as `make_payload` makes it."""
        return self.picture.payload

    @property
    def own_lanes(self) -> list[LaneSpec]:
        """The lanes that what is chosen opens with."""
        return list(self._own_lanes)

    def release(self) -> None:
        """Let go of what is large: the visitor has left, and the collector has less to go round."""
        self.chosen = self.last_good = self.drawn = builtin(BY_HAND)
        self._drawn_as = (self.chosen, {})
        self._lanes, self._trace, self.upload, self.unread = [], None, None, None
        self._runner.forget()
        with param.discard_events(self):
            self.picture = Picture(run=self._run)

    # Choosing what to look at.

    def scenario_titles(self) -> list[tuple[str, str]]:
        """Names and titles of everything that can be chosen."""
        return scene_titles(self.lang) + ([(TRACE, self._trace[0].name)] if self._trace else [])

    def choose(self, name: str) -> None:
        """Show a scene from its start, as its file has it."""
        if name == TRACE and self._trace:
            self._runner.forget()
            self.working = ""
            self._put(TRACE, *self._trace)
        elif name != TRACE:
            scenario = builtin(name)
            self._show(scenario, name, default_lanes(name, scenario))

    def reset(self) -> None:
        """Take all edits back."""
        self._show(self.chosen, self.scenario_name, self._own_lanes)

    def bound_budget(self, rows: Sequence[Row]) -> None:
        """Let the budget go as far as these rows need."""
        self.param.budget.bounds = (1, max(most_budget(self.chosen, rows), self.budget))

    def set_rows(self, rows: list[Row]) -> None:
        """Take over the request table as typed."""
        self.rows = [{field: str(row.get(field, "")) for field in FIELDS} for row in rows]

    def set_setup(self, changes: Mapping[str, str]) -> None:
        """Change options of the setup, as typed; see `app.setup_form`."""
        self.setup = differing(self.chosen.setup, {**self.setup, **changes})

    def shared_texts(self) -> Texts:
        """The setup that all lanes share, as typed."""
        return texts(self.chosen.setup) | self.setup | {"budget": str(self.budget)}

    def open_scenario(
        self,
        scenario: Scenario,
        kind: str,
        report: Callable[[str], str],
        lanes: Sequence[LaneSpec] = (),
    ) -> None:
        """Show the run of a checked scenario that is no scene; `report` tells how it was read.

        It can be chosen again until the next one is opened. `kind` is how the words under `scene`
        speak of it: `trace` or `own`. Without lanes it has the usual ones.
        """

        def then(shown: list[Lane]) -> None:
            self._trace = (scenario, shown)
            self._opened = kind
            if TRACE not in self.param.scenario_name.objects:
                self.param.scenario_name.objects = [*self.param.scenario_name.objects, TRACE]
            self._put(TRACE, scenario, shown)
            self.announce(report, can_look=kind == "trace")

        self._begin(scenario, lanes or default_lanes("", scenario), then)

    def _show(self, scenario: Scenario, name: str, lanes: Sequence[LaneSpec]) -> None:
        self._begin(scenario, lanes, lambda shown: self._put(name, scenario, shown))

    def _begin(self, scenario: Scenario, lanes: Sequence[LaneSpec], show: Show) -> None:
        """Run what has been chosen; of a large scene even to check the lanes takes a while."""
        if len(scenario.requests) <= MOST_ROWS:
            self._run_all(runnable(scenario, lanes), show)
            return
        old, play = list(self._lanes), self.play
        self._tell_running(scenario)
        self._runner.do(
            lambda: simulated(runnable(scenario, lanes), old, play), self._ended(show), self.defer
        )

    def _put(self, name: str, scenario: Scenario, lanes: list[Lane]) -> None:
        """Show a run that has just been chosen, from its start."""
        large = len(scenario.requests) > MOST_ROWS
        rows = [] if large else typed(scenario)
        self.chosen = self.drawn = scenario
        self._drawn_as = (scenario, {})
        self._own_lanes = [lane.spec for lane in lanes]
        budget = scenario.setup.budget
        self._busy = True
        try:
            with param.parameterized.batch_call_watchers(self):
                self.param.budget.bounds = (1, max(most_budget(self.chosen, rows), budget))
                self.param.update(
                    scenario_name=name,
                    rows=rows,
                    budget=budget,
                    setup={},
                    lanes=self.own_lanes,
                    traffic={},
                    problems=[],
                    read_only=large,
                    is_choosing=False,
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
        self.bound_budget(self.rows)
        typed = self._typed()
        if self.read_only:
            self._edit_aside(typed)
            return
        judged = typed.judged(self.play)
        self._note(judged)
        if (shared := judged.shared) is not None and not judged.found:
            self._run_all(judged.runs, lambda lanes: self._take(shared, lanes))

    def _typed(self) -> Typed:
        """What is typed now."""
        chosen, traffic = self.chosen, dict(self.traffic)
        inputs = Inputs(
            chosen=chosen,
            rows=self.rows,
            budget=self.budget,
            setup=self.setup,
            lanes=self.lanes,
            read_only=self.read_only,
        )
        known = self.drawn if self._drawn_as == (chosen, traffic) else None
        return Typed(self.scenario_name, traffic, inputs, known)

    def _note(self, judged: Judged) -> None:
        """What was drawn and what is wrong, as it is typed now."""
        self.drawn, self._drawn_as = judged.drawn, (self.chosen, dict(self.traffic))
        rows = self.rows or (named(judged.drawn.requests) if judged.found else [])
        self.problems = in_words(judged.found, self.lanes, rows, self.lang)

    def _edit_aside(self, typed: Typed) -> None:
        """Judge and run in one go."""
        old, play = list(self._lanes), self.play

        def then(judged: Judged) -> None:
            self._note(judged)
            if judged.shared is not None and not judged.found:
                self._take(judged.shared, list(judged.lanes))
            if not self.is_coming:
                self.working = ""

        self._tell_running(self.last_good)
        self._runner.do(lambda: typed.run(old, play), then, self.defer)

    def aside(self, text: str, job: Callable[[], Any], then: Callable[[Any], None]) -> None:
        """Do what takes long, such as reading a file; what is asked for later makes it void."""

        def done(outcome: Any) -> None:
            self.working = ""
            then(outcome)

        self.working = text
        self._runner.do(job, done, self.defer)

    def _run_all(self, runs: Runs, show: Show) -> None:
        """Simulate all lanes, then show them; a later call makes an unfinished one void."""

        then = self._ended(show)
        if takes_long(runs):
            self._tell_running(runs[0][1])
            self._runner.run(runs, self._lanes, then, self.defer, self.play)
        else:
            self._runner.run(runs, self._lanes, then)

    def _ended(self, show: Show) -> Show:
        """Shows lanes that have been run, and says that nothing is under way any more."""

        def then(lanes: list[Lane]) -> None:
            show(lanes)
            if not self.is_coming:
                self.working = ""

        return then

    def _tell_running(self, scenario: Scenario) -> None:
        self.working = say(self.lang, "scene.running", count=f"{len(scenario.requests):,}")

    def _take(self, scenario: Scenario, lanes: list[Lane], *, reset: bool = False) -> None:
        self.last_good, self._lanes = scenario, lanes
        self._run += 1
        self._send(reset=reset)

    def _send(self, *, time: int = 0, reset: bool = False) -> None:
        """Make the picture; that of a long run in the background, unless it is kept."""
        self._time = time
        lanes, lang, number = self._lanes, self.lang, self._run
        name, shared, title = self.scenario_name, self.last_good, self.lesson()["title"]
        is_usual = self._is_untouched() and not time
        is_aside = _is_long(lanes) and not (is_usual and is_kept(name, lang))
        self.is_coming = is_aside

        def then(made: Picture) -> None:
            if number == self._run:
                self.picture = replace(made, run=number, reset=reset)
                if is_aside:
                    self.working = ""
                self.is_coming = False

        def make() -> Picture:
            if is_usual:
                return picture_of_scene(name, lang, lanes)
            return picture(make_payload(lanes, lang, title=title, time=time), shared)

        if is_aside and reset and not self.working:
            self._tell_running(shared)
        if is_aside:
            self.defer(make, then)
        else:
            then(make())

    def _is_untouched(self) -> bool:
        """Whether a scene with steps is on the screen as its file has it."""
        is_own = self.last_good == self.chosen and self.shown_lanes == self._own_lanes
        return is_own and self.scenario_name in scenes()

    def move_window(self, request: Mapping[str, Any]) -> None:
        """Send another part of a large run: the one around `request["t"]`."""
        time = finite(request.get("t"))
        if request.get("run") == self._run and time is not None:
            shown = min(max(time, 0), 0 if self.picture.whole else self.picture.end)
            unit = self.last_good.setup.time
            self._send(time=to_internal(int(shown) if unit == "tick" else round(shown, 6), unit))

    def show_again(self) -> None:
        """The same runs once more, with what has become known about them."""
        self._send(time=self._time)

    # Words.

    def lesson(self) -> dict[str, str]:
        """Number, title and hook of what is shown; the text too, if it is no scene with steps."""
        if self.scenario_name in scenes():
            return of_scene(self.scenario_name, self.lang)
        drawn = "generated" if self.traffic else self.scenario_name
        kind = self._opened if self.scenario_name == TRACE else drawn
        return of_other(kind, self.chosen, self.drawn, self.lang, is_whole=self.picture.whole)

    def announce(
        self,
        tell: Callable[[str], str],
        unread: tuple[str, bytes] | None = None,
        *,
        can_look: bool = False,
    ) -> None:
        """A notice that can be said again when the language changes.

        `unread` is the trace whose unit it asks for; `can_look`: the last file can be looked at.
        """
        self._notice = tell
        self.unread = unread
        self.can_look = can_look
        self.notice = tell(self.lang)

    def _speak(self) -> None:
        """Everything shown again, in the other language."""
        self.show_again()
        if self.notice and self._notice:
            self.notice = self._notice(self.lang)
        if self.problems:
            self.problems = []
            self._edit()


def _is_long(lanes: Sequence[Lane]) -> bool:
    """Whether a picture of them takes so long that others would have to wait for it."""
    return sum(len(lane.history) for lane in lanes) > LONG_ROUNDS
