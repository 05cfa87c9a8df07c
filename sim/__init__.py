"""A deterministic simulator of batching in LLM servers: no clock, no chance, no screen."""

from sim.fork import fork
from sim.grants import Grant, Offer
from sim.hand import HandRun, as_grant, by_hand, unplayable
from sim.history import History, run
from sim.problems import Problem, ScenarioError
from sim.record import Round
from sim.scenario import Scenario
from sim.sequence import Reason, Status
from sim.setup import Cost, Request, Setup

__all__ = [
    "Cost",
    "Grant",
    "HandRun",
    "History",
    "Offer",
    "Problem",
    "Reason",
    "Request",
    "Round",
    "Scenario",
    "ScenarioError",
    "Setup",
    "Status",
    "as_grant",
    "by_hand",
    "fork",
    "run",
    "unplayable",
]
