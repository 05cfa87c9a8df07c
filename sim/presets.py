"""Schedulers by name: each a few settings over the same parts.

A preset says how requests are batched and nothing else; budget, seats, pool and cost stay those
of the scenario it is put on.
"""

from collections.abc import Mapping
from typing import Any

from sim.scenario import Scenario

# What every preset settles, so that putting one on takes the last one off.
_PLAIN: Mapping[str, Any] = {
    "mode": "continuous",
    "service": "running_first",
    "chunked": True,
    "overtake": False,
    "granularity": "request",
    "reserve": "full_prompt",
    "on_full": "recompute",
}

PRESETS: Mapping[str, Mapping[str, Any]] = {
    # One batch at a time, closed until its last member is done.
    "static": {"mode": "static"},
    # Iteration-level scheduling, prompts whole (Yu et al., Orca, OSDI 2022).
    "orca": {"chunked": False},
    # Whole prompts before any decode, as early vLLM and SGLang.
    "prefill_first": {"service": "prefill_first", "chunked": False},
    # Decodes first, the rest of the budget to chunks (Agrawal et al., Sarathi-Serve, OSDI 2024).
    "sarathi": {"service": "decode_first"},
    # Everything a request may need is set aside before it comes in: nothing is ever evicted.
    "conservative": {"service": "decode_first", "reserve": "max_output"},
    # vLLM 0.33's own scheduler (`v1/core/sched/scheduler.py`).
    "vllm_v1": {"mode": "vllm_v1"},
}


def settings(name: str) -> dict[str, Any]:
    """All settings of the preset of this name, those it takes off included."""
    return {**_PLAIN, **PRESETS[name]}


def apply(scenario: Scenario, name: str) -> Scenario:
    """The same requests and limits under the preset's scheduler.

    Raises:
        KeyError: there is no preset of this name.
        ScenarioError: a limit of the scenario has no meaning there.
    """
    return scenario.with_setup(**settings(name))
