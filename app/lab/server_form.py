"""The settings of a measured server, as typed: those of a setup of the lab, or of plain vLLM.

What lets requests leave or wait for one another is taken off: measured requests came when they
came, and all were served.
"""

from collections.abc import Sequence
from typing import Any

from app.i18n import say
from app.lane_names import heads
from app.lanes import Lane
from app.messages import told
from app.session import Session
from app.setup_options import MOST_IN_A_BOX, merged, texts, tidied, where
from sim import Problem, Scenario, ScenarioError
from sim.files import TRACE_BUDGET
from sim.reading import read
from sim.setup import Request, Setup

FIELDS = ("budget", "max_num_seqs", "num_blocks", "block_size")
PLAIN = "vllm"
VLLM = Setup(budget=TRACE_BUDGET, mode="vllm_v1")
OPEN = dict.fromkeys(("concurrency", "think", "queue_timeout", "max_queue", "window"), "")


class ServerForm:
    """Which setup the server is like, and what is typed on top of it."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._like = ""
        self._typed: dict[str, str] = {}
        self._faults: tuple[Problem, ...] = ()  # of the requests, under what is typed

    def be_like(self, key: str) -> None:
        """Start from another setup."""
        if key in (PLAIN, *(lane.key for lane in self._lanes())):
            self._like, self._typed, self._faults = key, {}, ()

    def type(self, name: str, value: str) -> None:
        """Change a setting, as typed."""
        if name in FIELDS:
            self._typed[name] = tidied(value[:MOST_IN_A_BOX])
            self._faults = ()

    def be(self, setup: Setup) -> None:
        """Settings that are known: those of plain vLLM with the fields of a setup."""
        own = texts(setup)
        self._like, self._faults = PLAIN, ()
        self._typed = {name: own[name] for name in FIELDS}

    def setup_for(self, requests: Sequence[Request]) -> Setup | None:
        """The setup, if it can serve these requests; else the form says why not."""
        try:
            return Scenario(VLLM, tuple(requests)).under(self._table()).setup
        except ScenarioError as error:
            self._faults = error.problems
            return None

    def shown(self) -> dict[str, Any]:
        """The form as the browser draws it."""
        lang = self._session.lang
        table, typed = texts(self._base()), self._typed
        _, problems = read({"setup": self._table(), "requests": []})
        faults = {
            where(problem, in_lane=True): told(problem, lang, [], in_lane=True)["text"]
            for problem in (*self._faults, *problems)
        }
        return {
            "like": self._chosen(),
            "choices": [[PLAIN, say(lang, "lab.calibrate.plain")], *self._names()],
            "fields": [
                {
                    "name": name,
                    "label": say(lang, f"setup.label.{name}"),
                    "help": say(lang, f"setup.help.{name}"),
                    "value": typed.get(name, table[name]),
                    "low": 1,
                    "high": 1,
                    "unit": "",
                    "empty": say(lang, "setup.none"),
                    "fault": faults.get(name, ""),
                }
                for name in FIELDS
            ],
            "fault": next((text for name, text in faults.items() if name not in FIELDS), ""),
        }

    def _lanes(self) -> list[Lane]:
        """Setups that a server may be like: on a clock of ms, run by a policy."""
        lanes = self._session.played
        is_timed = self._session.last_good.setup.time == "ms"
        return [lane for lane in lanes if is_timed and lane.spec.is_plain]

    def _names(self) -> list[list[str]]:
        lanes = self._session.played
        scenarios = [lane.history.scenario for lane in lanes]
        found = heads([lane.spec for lane in lanes], scenarios, self._session.lang)
        names = {lane.key: head["short"] for lane, head in zip(lanes, found, strict=True)}
        return [[lane.key, names[lane.key]] for lane in self._lanes()]

    def _chosen(self) -> str:
        """What is chosen, if it is still there; else a lane with vLLM's scheduler, or vLLM."""
        lanes = self._lanes()
        if self._like == PLAIN or self._like in [lane.key for lane in lanes]:
            return self._like
        modes = {lane.history.scenario.setup.mode: lane.key for lane in reversed(lanes)}
        return modes.get(VLLM.mode, PLAIN)

    def _base(self) -> Setup:
        key = self._chosen()
        lane = next((lane for lane in self._lanes() if lane.key == key), None)
        return lane.history.scenario.setup if lane else VLLM

    def _table(self) -> dict[str, Any]:
        return merged(self._base(), OPEN | self._typed)
