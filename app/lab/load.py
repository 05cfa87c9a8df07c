"""The tab of load: who is here and who waits over time, Little's law, open against closed loop.

The window of load is that of the shared setup, so a link has it; without one it is the time from
the first to the last arrival. What keeps a queue bounded, and how many clients a closed loop has,
are options of each setup.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from app import lane_edits
from app.heard import span
from app.i18n import say, words
from app.lab.fields import knob
from app.lab.part import Part, Publish
from app.lab.view import points
from app.lane_specs import LaneSpec
from app.lanes import Lane
from app.runner import QUICK_ROUNDS
from app.sentences import number
from app.session import Session
from app.setup_options import MOST_IN_A_BOX
from sim.clock import scale_of, to_internal, to_shown
from sim.curves import Curve, thinned
from sim.history import Ints
from sim.metrics.load import Load as TheLoad
from sim.metrics.load import Presence, second_of
from sim.metrics.spread import distinct

KNOBS = ("concurrency", "think", "max_queue", "queue_timeout", "reserve", "on_full")
FEWEST_CLIENTS = 1
STEADY = 0.05  # of the arrivals: a queue that grows by less is said to stand


class Load(Part):
    """Load of each setup over a window."""

    def __init__(self, session: Session, publish: Publish) -> None:
        super().__init__(session, publish)
        self._made: dict[str, Any] | None = None  # what was worked out in the background

    def slow(self) -> Callable[[], None] | None:
        """All of it, of long runs."""
        if sum(map(len, self.session.histories)) <= QUICK_ROUNDS:
            return None

        def job() -> None:
            self._made = self._shown()

        return job

    def shown(self) -> dict[str, Any]:
        made, self._made = self._made, None
        return made or self._shown()

    def _shown(self) -> dict[str, Any]:
        session = self.session
        window = self._window()
        unit = session.last_good.setup.time
        return {
            "window": [to_shown(time, unit) for time in window],
            "is_own": session.last_good.setup.window is not None,
            "end": max((to_shown(lane.end, unit) for lane in session.played), default=1),
            "lanes": [self._lane(lane) for lane in session.played],
            "headline": self._told(),
        }

    def handle(self, data: dict[str, Any]) -> None:
        session = self.session
        match data:
            case {"do": "window", "span": None}:
                session.set_setup({"window": ""})
            case {"do": "window", "span": found} if (stretch := span(found)) and stretch[0] >= 0:
                session.set_setup({"window": ", ".join(map(self._typed, stretch))})
            case {"do": "set", "lane": str(lane), "name": str(name), "value": str(value)}:
                if name in KNOBS:
                    lane_edits.change(session, lane, {name: value[:MOST_IN_A_BOX]})
            case {"do": "close", "lane": str(lane)}:
                self._close(lane)

    def _typed(self, time: float) -> str:
        """A time of the browser as it would be typed: whole ticks, or ms to the microsecond."""
        return f"{time:.0f}" if self.session.last_good.setup.time == "tick" else f"{time:.3f}"

    def _close(self, key: str) -> None:
        """Beside an open loop the same server with as many clients as it had in it on average."""
        session = self.session
        load = next((self._load(lane) for lane in session.played if lane.key == key), None)
        if load is None:
            return
        clients = max(FEWEST_CLIENTS, round(load.number))
        before = {spec.key for spec in session.lanes}
        lane_edits.copy(session, key)
        for spec in session.lanes:
            if spec.key not in before:
                lane_edits.change(session, spec.key, {"concurrency": str(clients)})

    @property
    def _scale(self) -> int:
        return scale_of(self.session.last_good.setup.time)

    def _window(self) -> tuple[int, int]:
        """The window of load in internal units."""
        scenario = self.session.last_good
        if scenario.setup.window is not None:
            return scenario.setup.window
        last = max((request.arrival for request in scenario.requests), default=0)
        if last == 0:  # all at once, or a closed loop: as long as it runs
            last = max((lane.end for lane in self.session.played), default=0)
        return 0, max(last, to_internal(1, scenario.setup.time))

    def _typed_spec(self, lane: Lane) -> LaneSpec:
        """A lane as it is typed, also while that cannot run."""
        found = (spec for spec in self.session.lanes if spec.key == lane.key)
        return next(found, lane.spec)

    def _load(self, lane: Lane) -> TheLoad:
        found = lane.final.presence.load(self._window(), None, self._scale)
        assert found is not None, "a window has begun when a run is over"
        return found

    def _lane(self, lane: Lane) -> dict[str, Any]:
        presence, load = lane.final.presence, self._load(lane)
        times = distinct(np.concatenate([presence.arrivals, presence.waited_until, presence.left]))
        per = f"/{self._time_unit()}"
        product = None if load.time is None else load.arrival_rate * load.time
        return {
            "here": self._course(times, presence.here_at(times)),
            "waiting": self._course(times, presence.waiting_at(times)),
            "slope": load.queue_slope,
            "line": self._line(presence, load.queue_slope),
            "cells": [
                f"{number(load.arrival_rate, 3)}{per}",
                f"{number(load.served_rate, 3)}{per}",
                "–" if load.time is None else f"{number(load.time, 3)} {self._time_unit()}",
                "–" if product is None else number(product, 2),
                number(load.number, 2),
                "–"
                if load.queue_slope is None
                else f"{load.queue_slope:+.3f}{per}".replace("-", "−"),
            ],
            "fields": [knob(self.session, self._typed_spec(lane), name) for name in KNOBS],
            "is_closed": lane.history.scenario.setup.concurrency is not None,
        }

    def _line(self, presence: Presence, slope: float | None) -> list[float] | None:
        """The line of least squares through the number waiting, at both ends of the window."""
        if slope is None:
            return None
        window, step = np.array(self._window()), second_of(self._scale)
        steps = np.arange(-(-window[0] // step), window[1] // step + 1)
        mean = presence.waiting_at(steps * step).mean()
        return [float(mean + slope * (end / step - steps.mean())) for end in window]

    def _time_unit(self) -> str:
        return "s" if self._scale > 1 else words(self.session.lang, "unit")["tick"]

    def _course(self, times: Ints, counts: Ints) -> list[list[float]] | None:
        return points(thinned(Curve(times / self._scale, counts.astype(np.float64))))

    def _told(self) -> str:
        """Which queue grows fastest in the window, in a sentence."""
        session = self.session
        loads = [self._load(lane) for lane in session.played]
        slopes = [load.queue_slope or 0.0 for load in loads]
        worst = int(np.argmax(slopes))
        rate = loads[worst].arrival_rate
        if slopes[worst] < STEADY * rate:
            return say(session.lang, "lab.load.steady")
        values = {"slope": number(slopes[worst], 2), "rate": number(rate, 2)}
        unit = "lab.load.tick" if self._scale == 1 else "lab.load.second"
        key = "lab.load.grows" if len(loads) == 1 else "lab.load.grows_most"
        name = self.names[worst]
        return say(session.lang, key, setup=name, per=say(session.lang, unit), **values)
