"""The tab of sweeps: a control over a range on the lab's traffic, one run a point.

A sweep goes on while other tabs are looked at. It is void as soon as what all lanes share is
changed under it; one that has ended stays to be looked at, and says that it is of old.
"""

import logging
from collections.abc import Mapping
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from typing import Any

from app import lane_edits, lane_specs
from app.i18n import say
from app.lab.part import Part, Publish
from app.lab.steps import in_steps
from app.lab.sweep_grid import (
    FIELDS,
    RATE,
    STEPS,
    Form,
    controls,
    first_range,
    points_of,
)
from app.lab.sweep_run import Found, Run, changes_of
from app.lab.sweep_told import form_told, run_told
from app.lab.workers import lose_workers
from app.lane_specs import MOST_LANES, LaneSpec
from app.lanes import Lane
from app.sentences import number
from app.session import Session
from app.setup_options import MOST_IN_A_BOX, shown
from sim import Scenario

NAMES = ("base", "control", "second", "steps", *FIELDS)
OF_CONTROL = ("low", "high", "count", "listed", "steps")  # go with the control they were typed for


class Sweep(Part):
    """What is typed, and the last sweep."""

    def __init__(self, session: Session, publish: Publish) -> None:
        super().__init__(session, publish)
        self._typed: dict[str, str] = {}
        self._run: Run | None = None
        self._count = 0
        self._added: list[str] = []  # lanes that came from a point, the last one last
        self._num_picked = 0  # the browser shows the comparison when this grows
        session.param.watch(lambda *_: self._judge(), "picture")

    def shown(self) -> dict[str, Any]:
        """The form, and the sweep as far as it is."""
        bases, lang = self._bases(), self.session.lang
        form = self._form(bases)
        lane = next((lane for lane in bases if form and lane.key == form.base), None)
        is_other = self._run is not None and not self._is_of(self._run, form, lane)
        return {
            "form": form_told(form, lane, bases, self.session) if form and lane else None,
            "run": run_told(self._run, lang, is_other=is_other) if self._run else None,
            "picked": self._num_picked,
        }

    def handle(self, data: Mapping[str, Any]) -> None:
        """Type, start, stop, or take a point over as a setup."""
        match data:
            case {"do": "type", "name": str(name), "value": str(value)} if name in NAMES:
                self._type(name, value[: 2 * MOST_IN_A_BOX])
            case {"do": "start"}:
                self._start()
            case {"do": "stop"} if self._run:
                self._run.end("stopped")
            case {"do": "pick", "run": int(number), "point": int(place)}:
                self._pick(number, place)
            case _:
                return
        self.publish()

    # The form.

    def _bases(self) -> list[Lane]:
        """Lanes that a policy runs from start to end."""
        return [lane for lane in self.session.played if lane.spec.is_plain]

    def _form(self, bases: list[Lane]) -> Form | None:
        """What is typed, with what stands there before; None without a lane to start from."""
        if not bases:
            return None
        typed = self._typed
        usual = next((lane for lane in bases if lane.spec.changes["mode"] != "static"), bases[0])
        lane = next((lane for lane in bases if lane.key == typed.get("base")), usual)
        known = controls(lane.history.scenario.setup)
        control = typed["control"] if typed.get("control") in known else known[0]
        second = typed.get("second", "")
        second = second if second in known and second != control else ""
        values = first_range(control, lane.history.scenario) | {
            name: typed[name] for name in (*FIELDS, "steps") if name in typed
        }
        return Form(lane.key, control, second=second, **values)

    def _type(self, name: str, value: str) -> None:
        if name == "steps" and value not in STEPS:
            return
        if name == "control":
            self._typed = {n: v for n, v in self._typed.items() if n not in OF_CONTROL}
        if name == "second":
            self._typed.pop("second_listed", None)
        if name == "steps" and value == "listed":
            self._typed.setdefault("listed", self._as_list())
        self._typed[name] = value

    def _as_list(self) -> str:
        """The values of the range, to go on from."""
        form = self._form(self._bases())
        points = points_of(replace(form, second=""))[0] if form else []
        return ", ".join(shown(point.x) for point in points)

    # The sweep.

    def _start(self) -> None:
        session = self.session
        bases = self._bases()
        form = self._form(bases)
        points = points_of(form)[0] if form else []
        if not form or not points:
            return
        if self._run:
            self._run.end("stopped")
        self._count += 1
        base = next(lane.spec for lane in bases if lane.key == form.base)
        is_bounded = not session.read_only
        run = Run(self._count, form, base, session.last_good, points, is_bounded)
        self._run = run
        in_steps(
            run.results(),
            run.stop,
            lambda found: self._take(run, found),
            lambda error: self._end(run, error),
        )

    def _take(self, run: Run, found: list[Found]) -> None:
        if run is self._run and run.state == "running":
            run.found |= dict(found)
            self.publish()

    def _end(self, run: Run, error: Exception | None) -> None:
        if isinstance(error, BrokenProcessPool):
            lose_workers()
            run.end("lost")
        elif error:
            logging.getLogger("rebatch").error("A sweep failed.", exc_info=error)
            run.end("failed")
        run.end("done")
        if run is self._run:
            self.publish()

    def _judge(self) -> None:
        """Compare what is on the screen with what the sweep is of."""
        run, now = self._run, self.session.last_good
        if run is None:
            return
        is_old = not _is_same_traffic(run.shared, now)
        if is_old:
            run.end("void")
        by_goals = is_old and _is_same_traffic(run.shared, now, slo=None)
        if (is_old, by_goals) != (run.is_old, run.by_goals):
            run.is_old, run.by_goals = is_old, by_goals
            self.publish()

    def _is_of(self, run: Run, form: Form | None, lane: Lane | None) -> bool:
        """Whether a sweep ran what stands in the form."""
        if form is None or lane is None:
            return False
        return lane.spec == run.base and points_of(form)[0] == run.points

    # From a point to a lane.

    def _pick(self, number: int, place: int) -> None:
        run, session = self._run, self.session
        if not run or run.number != number or not 0 <= place < len(run.points):
            return
        changes = changes_of(run.points[place])
        if not changes:
            self._pick_rate(run.points[place].settings.get(RATE, 1))
            return
        lanes = list(session.lanes)
        shared = session.shared_texts()
        base = lane_specs.base_of(run.base.changes) or run.base.key
        new = LaneSpec(lane_specs.free_key(base, lanes), run.base.changes)
        new = lane_specs.changed([new], new.key, changes, shared)[0]
        if all(lane.changes != new.changes or not lane.is_plain for lane in lanes):
            self._added = [key for key in self._added if key in {lane.key for lane in lanes}]
            if len(lanes) >= MOST_LANES and not self._added:
                session.announce(lambda lang: say(lang, "lab.sweep.no_room"))
                return
            if len(lanes) >= MOST_LANES:
                last = self._added.pop()
                lanes = [new if lane.key == last else lane for lane in lanes]
            else:
                lanes.append(new)
            lane_edits.put(session, lanes)
            if new not in session.lanes:
                return  # the notice says why
            self._added.append(new.key)
        if RATE in run.points[place].settings:
            session.announce(lambda lang: say(lang, "lab.sweep.rate_stays"))
        self._num_picked += 1

    def _pick_rate(self, rate: float) -> None:
        """A point that changes the rate only: its setup stands there, its traffic is another."""
        if rate == 1:
            self._num_picked += 1
            return
        values = {"rate": number(rate, 4), "scale": number(1 / rate, 4)}
        self.session.announce(lambda lang: say(lang, "lab.sweep.rate_is_traffic", **values))


def _is_same_traffic(one: Scenario, other: Scenario, **free: Any) -> bool:
    """Whether requests and what all lanes share are equal, but for the options in `free`.

    The window of load changes no figure.
    """
    setups = [replace(scenario.setup, window=None, **free) for scenario in (one, other)]
    return setups[0] == setups[1] and one.requests == other.requests
