"""A deterministic simulator of batching in LLM servers: no clock, no chance, no screen."""

from sim.history import History, run
from sim.problems import Problem, ScenarioError
from sim.record import Round
from sim.scenario import Scenario
from sim.sequence import Reason, Status
from sim.setup import Cost, Request, Setup

__all__ = [
    "Cost",
    "History",
    "Problem",
    "Reason",
    "Request",
    "Round",
    "Scenario",
    "ScenarioError",
    "Setup",
    "Status",
    "run",
]
