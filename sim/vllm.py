"""Scenarios and rounds in the form of recordings of vLLM's own scheduler.

One round is one step: no cost, no jumps, empty rounds recorded. The rules are those of mode
`vllm_v1` (vLLM 0.33, `v1/core/sched/scheduler.py`, synchronous); this module only translates the
names. Rounds count from 0 here, as in the recordings.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sim.files import FileError, read_table
from sim.problems import ScenarioError
from sim.record import Round, next_round
from sim.scenario import Scenario
from sim.state import State

MOST_ROUNDS = 100_000

_SETUP = {
    "budget": "budget",
    "max_seqs": "max_num_seqs",
    "block_size": "block_size",
    "num_blocks": "num_blocks",
    "chunked": "chunked",
}
_REQUEST = {
    "id": "id",
    "arrival_round": "arrival",
    "prompt": "prompt",
    "output": "output",
    "priority": "priority",
}
_ORDERS = {"fcfs": "fifo", "priority": "priority"}
_OPTIONAL = {
    "name",
    "note",
    "policy",
    "long_prefill_token_threshold",
    "enable_prefix_caching",
    "reserve_full_prompt",
    "watermark",
}


def read_recording(path: Path) -> Scenario:
    """The scenario in a file of recorded rounds; its rounds, if any, are not looked at.

    Raises:
        FileError: the file is none of that form, or asks for what is not simulated.
    """
    data = read_table(path)
    recorded = data.get("scenario")
    if not isinstance(recorded, Mapping):
        raise FileError(f'{path}: must hold a "scenario" with budget, max_seqs, … and requests')
    try:
        return Scenario.from_dict(_translated(recorded, path))
    except ScenarioError as error:
        raise FileError(f"{path}: {error}") from None


def _translated(recorded: Mapping[str, Any], path: Path) -> dict[str, Any]:
    unknown = set(recorded) - set(_SETUP) - _OPTIONAL - {"requests"}
    if unknown:
        raise FileError(f"{path}: scenario.{min(unknown)} is not a known name")
    if recorded.get("enable_prefix_caching"):
        raise FileError(
            f"{path}: scenario.enable_prefix_caching must be false: it is not simulated"
        )
    policy = recorded.get("policy", "fcfs")
    if not isinstance(policy, str) or policy not in _ORDERS:
        raise FileError(f"{path}: scenario.policy must be fcfs or priority, not {policy!r}")
    setup: dict[str, Any] = {"mode": "vllm_v1", "time": "tick", "order": _ORDERS[policy]}
    setup |= {ours: recorded[name] for name, ours in _SETUP.items() if name in recorded}
    if threshold := recorded.get("long_prefill_token_threshold"):
        setup["max_chunk"] = threshold
    setup["reserve"] = "full_prompt" if recorded.get("reserve_full_prompt", True) else "none"
    setup["watermark"] = _watermark(recorded, path)
    requests = recorded.get("requests")
    if isinstance(requests, list):
        requests = [_request(row, number, path) for number, row in enumerate(requests)]
        _check_arrivals(requests, path)
    name = recorded.get("name", "")
    return {"name": name, "setup": setup, "requests": requests}


def _request(row: Any, number: int, path: Path) -> Any:
    """Names that are known nowhere stay, and are refused with the scenario."""
    if not isinstance(row, Mapping):
        return row
    for name, ours in _REQUEST.items():
        if ours != name and ours in row:
            place = f"scenario.requests[{number}].{ours}"
            raise FileError(f"{path}: {place} is not a known name; did you mean {name}?")
    return {_REQUEST.get(str(name), str(name)): value for name, value in row.items()}


def _check_arrivals(requests: list[Any], path: Path) -> None:
    """Every round up to the last arrival is written down, so it may not be far away."""
    for number, row in enumerate(requests):
        arrival = row.get("arrival") if isinstance(row, Mapping) else None
        if isinstance(arrival, int) and arrival > MOST_ROUNDS:
            raise FileError(
                f"{path}: scenario.requests[{number}].arrival_round must be at most {MOST_ROUNDS}"
            )


def _watermark(recorded: Mapping[str, Any], path: Path) -> int:
    """Blocks to leave free: a share of the pool, the block that vLLM sets aside counted in."""
    share, blocks = recorded.get("watermark", 0), recorded.get("num_blocks", 0)
    if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 <= share <= 1:
        raise FileError(f"{path}: scenario.watermark must be a share from 0 to 1, not {share!r}")
    known = isinstance(blocks, int) and 0 < blocks < 10**9  # else refused with the setup
    return int(share * (blocks + 1)) if known else 0


def rounds(scenario: Scenario) -> list[dict[str, Any]]:
    """Every round from 0 to the one in which the last request ends, empty ones too."""
    state = State.start(scenario)
    emitted: dict[str, int] = {}
    result = []
    while state.next_arrival is not None or state.waiting or state.running:
        state.collect()
        record = next_round(state)
        if record is None:
            result.append(_empty(state.now, scenario))
            state.now += 1
        else:
            result.append(_recorded(record, scenario, emitted))
    return result


def _recorded(record: Round, scenario: Scenario, emitted: dict[str, int]) -> dict[str, Any]:
    first = [id_ for id_ in record.emitted if id_ not in emitted]
    emitted.update(dict.fromkeys(first, record.number))
    return {
        "round": record.start,
        "scheduled": dict(record.given),
        "prefill": [id_ for id_ in record.given if id_ in record.prefilling],
        "decode": [id_ for id_ in record.given if id_ not in record.prefilling],
        "emitted": list(record.emitted),
        "first_token": first,
        "finished": list(record.finished),
        "admitted": list(record.admitted),
        "resumed": list(record.resumed),
        "preempted": list(record.preempted),
        "running": list(record.running),
        "waiting": list(record.waiting),
        "free_blocks": _free(scenario, record.used),
        "blocks": dict(record.blocks),
    }


def _empty(now: int, scenario: Scenario) -> dict[str, Any]:
    lists = ("prefill", "decode", "emitted", "first_token", "finished", "admitted", "resumed")
    return {
        "round": now,
        "scheduled": {},
        **{name: [] for name in (*lists, "preempted", "running", "waiting")},
        "free_blocks": _free(scenario, 0),
        "blocks": {},
    }


def _free(scenario: Scenario, used: int | None) -> int | None:
    pool = scenario.setup.num_blocks
    return None if pool is None or used is None else pool - used
