"""The tab of calibration: what a round costs, from measurements of a real server.

A table of measured rounds is fitted at once. Measured requests are fitted in the background under
the settings of their server, and judged on the half that the fit has not seen. What comes out can
become the cost that all setups share, so the link has it, and be taken back.
"""

import logging
from dataclasses import replace
from typing import Any

import param

from app.i18n import join, say
from app.inbox import FILE_LIMIT, NAME_LIMIT, Inbox
from app.lab.calibrate_told import cost_texts, of_profile, of_timings, run_told
from app.lab.fit_run import FitRun, Step
from app.lab.measured import RefusedError, Tell, read_measured
from app.lab.part import Part, Publish
from app.lab.sample import SERVER, made_up
from app.lab.server_form import ServerForm
from app.lab.steps import in_steps
from app.messages import trace_report
from app.session import Session
from app.setup_options import same, texts
from sim import calibrate
from sim.calibrate import PARTS
from sim.setup import Cost
from sim.timings import Timings
from sim.traces import Report

NAMES = tuple(f"cost.{part}" for part in PARTS)
QUICK_BYTES = 50_000  # larger files are read in the background

Found = Timings | calibrate.Fit
Answer = tuple[Found, Report | None] | RefusedError


class Calibrate(Part):
    """The last measurement and what was made of it."""

    def __init__(self, session: Session, publish: Publish) -> None:
        super().__init__(session, publish)
        self._server = ServerForm(session)
        self._inbox = Inbox()
        self._ticket = 0  # of the last file, so that an older one comes too late
        self._found: Found | None = None
        self._report: Report | None = None  # of a file of requests
        self._truth: Cost | None = None  # of what is made up
        self._fault: Tell | None = None
        self._run: FitRun | None = None

    # What a person does.

    def handle(self, data: dict[str, Any]) -> None:
        match data:
            case {"do": "file", "name": str(name), "bytes": bytes(part), "last": bool(last)}:
                content = self._inbox.take(part, is_last=last)
                if content is None:
                    return
                self._read(name[:NAME_LIMIT], content)
            case {"do": "sample"}:
                self._server.be(SERVER)
                self._take(made_up(), SERVER.cost)
                self._fit()
            case {"do": "like", "lane": str(key)}:
                self._server.be_like(key)
            case {"do": "type", "name": str(name), "value": str(value)}:
                self._server.type(name, value)
            case {"do": "fit"}:
                self._fit()
            case {"do": "stop"} if self._run:
                self._run.end("stopped")
            case {"do": "use"} if cost := self._cost():
                self._use(cost)
            case {"do": "back"}:
                own = texts(self.session.chosen.setup)
                self.session.set_setup({name: own[name] for name in NAMES})
            case _:
                return
        self.publish()

    # From a file to a cost.

    def _read(self, name: str, data: bytes) -> None:
        self._ticket += 1
        ticket = self._ticket

        def then(answer: Answer) -> None:
            if ticket != self._ticket:
                return
            if isinstance(answer, RefusedError):
                self._fault = answer.tell
            else:
                self._take(answer[0])
                self._report = answer[1]
            self.publish()

        if len(data) > QUICK_BYTES:
            self.session.defer(lambda: _read(name, data), then)
        else:
            then(_read(name, data))

    def _take(self, found: Found, truth: Cost | None = None) -> None:
        """A measurement in place of the last one."""
        if self._run:
            self._run.end("stopped")
        self._found, self._truth = found, truth
        self._report = self._fault = self._run = None

    def _fit(self) -> None:
        timings = self._found
        if not isinstance(timings, Timings):
            return
        setup = self._server.setup_for(timings.requests)
        if setup is None:
            return
        if self._run:
            self._run.end("stopped")
        run = self._run = FitRun(timings, setup, self._truth)
        in_steps(
            run.steps(),
            run.stop,
            lambda steps: self._hear(run, steps),
            lambda error: self._end(run, error),
        )

    def _hear(self, run: FitRun, steps: list[Step]) -> None:
        for step in steps:
            run.take(step)
        if run is self._run:
            self.publish()

    def _end(self, run: FitRun, error: Exception | None) -> None:
        if error:
            logging.getLogger("rebatch").error("A fit failed.", exc_info=error)
            run.end("failed")
        run.end("done")
        if run is self._run:
            self.publish()

    # From a cost to the setups.

    def _cost(self) -> Cost | None:
        """What was fitted, if anything was."""
        if isinstance(self._found, calibrate.Fit):
            return self._found.cost
        return self._run.fit.cost if self._run and self._run.fit else None

    def _use(self, cost: Cost) -> None:
        """The cost of all setups, of those too that have one of their own."""
        session = self.session
        if session.last_good.setup.time != "ms":
            return
        with param.parameterized.batch_call_watchers(session):
            session.lanes = [
                replace(spec, changes={k: v for k, v in spec.changes.items() if k not in NAMES})
                for spec in session.lanes
            ]
            session.set_setup(cost_texts(cost))

    def _is_used(self, cost: Cost) -> bool:
        shared = self.session.shared_texts()
        is_shared = all(same(name, shared[name], text) for name, text in cost_texts(cost).items())
        return is_shared and not any(
            name in lane.changes for lane in self.session.lanes for name in NAMES
        )

    # What is shown.

    def shown(self) -> dict[str, Any]:
        found, lang = self._found, self.session.lang
        cost = self._cost()
        result = None
        if isinstance(found, calibrate.Fit):
            result = of_profile(found, lang)
        elif self._run and self._run.fit:
            result = of_timings(self._run.fit, self._truth, lang)
        return {
            "limit": FILE_LIMIT,
            "fault": self._fault(lang) if self._fault else "",
            "source": self._source(),
            "server": self._server.shown() if isinstance(found, Timings) else None,
            "run": run_told(self._run, lang) if self._run else None,
            "result": result,
            "use": self._usage(cost),
        }

    def _source(self) -> str:
        """What the measurement is, in a sentence."""
        match self._found:
            case Timings() as timings:
                key = "made_up" if self._truth else "of_requests"
                name, count = timings.name, len(timings.requests)
            case calibrate.Fit() as fit:
                key, name, count = "of_rounds", fit.profile.name, len(fit.profile.times)
            case _:
                return ""
        lines = [say(self.session.lang, f"lab.calibrate.{key}", name=name, n=f"{count:,}")]
        if self._report and self._report.dropped:
            lines.append(trace_report(self._report, self.session.lang))
        return join(self.session.lang, lines)

    def _usage(self, cost: Cost | None) -> dict[str, Any]:
        """Whether all setups can have the cost, have it, and can have their own again."""
        session = self.session
        is_timed = session.last_good.setup.time == "ms"
        faults = [problem["text"] for problem in session.problems if problem["option"] in NAMES]
        note = "" if is_timed else say(session.lang, "lab.calibrate.in_ticks")
        return {
            "can": cost is not None and is_timed,
            "is_used": cost is not None and is_timed and self._is_used(cost),
            "is_changed": any(name in session.setup for name in NAMES),
            "note": faults[0] if faults else note,
        }


def _read(name: str, data: bytes) -> Answer:
    """A file as measured requests, or as fitted rounds, or why it is neither."""
    try:
        measured = read_measured(name, data)
    except RefusedError as error:
        return error
    found = measured.found
    return found if isinstance(found, Timings) else calibrate.fit(found), measured.report
