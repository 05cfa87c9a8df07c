"""Scenarios for tests: written by hand in one line, or drawn by Hypothesis.

Strategies are made once, not for every draw: Hypothesis looks through each new one anew.
"""

from functools import cache
from typing import Any

from hypothesis import strategies as st

from sim import Scenario

Row = tuple[Any, ...]  # id, arrival, prompt, output and, if there are more fields, a table of them


def scenario(*rows: Row, **setup: Any) -> Scenario:
    """A scenario as a file would say it: `scenario(("A", 0, 6, 3), budget=4)`."""
    return Scenario.from_dict({"setup": setup, "requests": [_request(row) for row in rows]})


def _request(row: Row) -> dict[str, Any]:
    id_, arrival, prompt, output, *more = row
    return {"id": id_, "arrival": arrival, "prompt": prompt, "output": output, **dict(*more)}


BY_HAND: tuple[Row, ...] = (("A", 0, 6, 3), ("B", 2, 2, 2), ("C", 6, 3, 2))


def by_hand(**setup: Any) -> Scenario:
    """The three requests of lesson 5, decodes first, four tokens a round."""
    return scenario(*BY_HAND, **{"budget": 4, "service": "decode_first", **setup})


@cache
def _requests(unit: str) -> st.SearchStrategy[list[dict[str, Any]]]:
    times = st.integers(0, 30) if unit == "tick" else st.integers(0, 60).map(lambda n: n / 2)
    row = st.fixed_dictionaries(
        {
            "arrival": times,
            "prompt": st.integers(1, 12),
            "output": st.integers(1, 8),
            "cached": st.integers(0, 12) | st.just(0),
            "max_output": st.integers(0, 3),
            "priority": st.integers(-1, 1),
            "tenant": st.sampled_from(["", "a", "b"]),
            "deadline": st.none() | times,
            "cancel_at": st.none() | times,
            "credits": st.none() | st.none() | st.integers(1, 3),
            "read_every": times,
        }
    ).map(_consistent)
    rows = st.lists(row, min_size=1, max_size=7)
    return rows.map(lambda rows: [{"id": f"R{i}", **row} for i, row in enumerate(rows)])


def _consistent(row: dict[str, Any]) -> dict[str, Any]:
    """Fields that build on one another, made from what was drawn."""
    row = {**row, "max_output": row["output"] + row["max_output"]}
    row["cached"] = min(row["cached"], row["prompt"])
    if row["cancel_at"] is not None:
        row["cancel_at"] += row["arrival"]
    if row["credits"] is None:
        row["read_every"] = None
    return row


COST_PARTS = (
    *("per_prefill", "per_decode", "per_kv_token"),
    *("per_draft", "per_swap_block", "per_expert_token"),
)


def _speculation() -> st.SearchStrategy[dict[str, Any]]:
    accepted = st.lists(st.integers(0, 4), min_size=1, max_size=4) | st.floats(0, 1)
    return st.fixed_dictionaries({"drafts": st.integers(1, 4), "accepted": accepted})


def _experts() -> st.SearchStrategy[dict[str, Any]]:
    weights = st.lists(st.integers(0, 5) | st.floats(0.1, 2), min_size=1, max_size=4)
    return st.fixed_dictionaries(
        {"weights": weights.filter(any), "draw": st.booleans()},
    )


@cache
def _costs() -> st.SearchStrategy[dict[str, float]]:
    price = st.sampled_from([0, 0.000001, 0.03, 0.5, 1, 2.25])
    return st.fixed_dictionaries(
        {"base": st.sampled_from([0.5, 2, 6])},
        optional=dict.fromkeys(COST_PARTS, price),
    )


@cache
def _setups() -> dict[str, st.SearchStrategy[Any]]:
    return {
        "time": st.sampled_from(["ms", "tick"]),
        "mode": st.sampled_from(["continuous", "static", "vllm_v1"]),
        "budget": st.integers(1, 20),
        "max_num_seqs": st.integers(1, 8),
        "first_token": st.sampled_from(["last_chunk", "next_round"]),
        "chunked": st.booleans(),
        "overtake": st.booleans(),
        "service": st.sampled_from(["running_first", "decode_first", "prefill_first"]),
        "order": st.sampled_from(["fifo", "priority", "deadline", "aging", "tenant"]),
        "aging_step": st.integers(0, 20),
        "tenant_quota": st.none() | st.integers(1, 3),
        "granularity": st.sampled_from(["request", "chunk", "token"]),
        "block_size": st.integers(1, 6),
        "reserve": st.sampled_from(["full_prompt", "none", "max_output"]),
        "watermark": st.integers(0, 3),
        "on_full": st.sampled_from(["recompute", "swap", "queue", "reject"]),
        "queue_timeout": st.none() | st.none() | st.integers(0, 40),
        "max_queue": st.none() | st.none() | st.integers(1, 4),
        "concurrency": st.none() | st.none() | st.integers(1, 4),
        "think": st.integers(0, 10),
        "buckets": st.none() | st.just([1, 2, 4]) | st.just([3, 5]),
        "price_padding": st.booleans(),
        "speculation": st.none() | st.none() | _speculation(),
        "moe": st.none() | _experts(),
        "seed": st.none() | st.integers(0, 5),
        "slo": st.none() | st.just({"ttft": 20, "max_itl": 5}) | st.just({"tpot": 3, "e2e": 40}),
        "window": st.none() | st.just([0, 30]) | st.just([5, 11]),
        "max_chunk": st.none() | st.integers(1, 8),
        "max_prefill": st.none() | st.integers(1, 8),
        "round_target": st.none() | st.integers(0, 12),
        "max_decodes": st.none() | st.integers(1, 5),
        "prefill_reserve": st.just(0) | st.integers(1, 6),
        "prefill_reserve_age": st.integers(0, 10),
        "batch_size": st.none() | st.integers(1, 5),
        "batch_wait": st.none() | st.just("full") | st.integers(0, 20),
    }


AS_VLLM: dict[str, Any] = {  # what vLLM's scheduler has no other choice for
    "service": "running_first",
    "granularity": "request",
    "first_token": "last_chunk",
    "overtake": False,
    "max_prefill": None,
    "round_target": None,
    "max_decodes": None,
    "prefill_reserve": 0,
    "on_full": "recompute",
}
STAYS: dict[str, Any] = {"queue_timeout": None, "max_queue": None, "on_full": "recompute"}
NO_EXTRAS: dict[str, Any] = {
    "concurrency": None,
    "buckets": None,
    "speculation": None,
    "moe": None,
}


def _loyal(data: dict[str, Any]) -> dict[str, Any]:
    """The same scenario with clients that read at once and stay to the end."""
    alone = {"cancel_at": None, "credits": None, "read_every": None}
    rows = [{**row, **alone} for row in data["requests"]]
    return {**data, "requests": rows, "setup": {**data["setup"], **STAYS}}


@st.composite
def scenario_dicts(draw: st.DrawFn, /, **fixed: Any) -> dict[str, Any]:
    """The table of a valid scenario with any setup; `fixed` settings are given or narrowed."""
    setup = {name: _drawn(draw, fixed.get(name, values)) for name, values in _setups().items()}
    requests = draw(_requests(setup["time"]))
    longest = max(row["prompt"] + row["max_output"] - 1 for row in requests)
    least = -(-longest // setup["block_size"])  # one request always fits into the pool
    setup["num_blocks"] = (
        fixed["num_blocks"]
        if "num_blocks" in fixed
        else draw(st.none() | st.integers(least, least + 8))
    )
    if not setup["chunked"]:
        setup |= {"max_chunk": None, "max_prefill": None, "round_target": None}
        setup |= {"granularity": "request", "budget": max(setup["budget"], longest)}
    if setup["mode"] == "vllm_v1":
        if setup["reserve"] == "max_output":
            setup["reserve"] = "full_prompt"
        setup |= AS_VLLM | {"order": "priority" if setup["order"] == "priority" else "fifo"}
    if setup["concurrency"] is None:
        setup["think"] = 0
    if setup["buckets"] is None:
        setup["price_padding"] = False
    if setup["order"] != "fifo" or setup["service"] == "prefill_first":
        setup["granularity"] = "request"
    if setup["granularity"] == "chunk" and setup["max_chunk"] is None:
        setup["max_chunk"] = draw(st.integers(1, 8))
    if setup["time"] == "ms":
        setup["cost"] = draw(_costs())
    else:
        setup["round_target"] = None
    return {"setup": setup, "requests": requests, "seed": draw(st.integers(0, 9))}


def _drawn(draw: st.DrawFn, value: Any) -> Any:
    return draw(value) if isinstance(value, st.SearchStrategy) else value


def scenarios(**fixed: Any) -> st.SearchStrategy[Scenario]:
    """Valid scenarios with any setup; `fixed` settings are given, or narrowed by a strategy."""
    return scenario_dicts(**fixed).map(Scenario.from_dict)


def loyal_scenarios(**fixed: Any) -> st.SearchStrategy[Scenario]:
    """Those in which every request is served to its end."""
    return scenario_dicts(**fixed).map(_loyal).map(Scenario.from_dict)


@cache
def _plain_requests() -> st.SearchStrategy[list[tuple[int, int, int, int, bool]]]:
    return st.lists(
        st.tuples(
            st.integers(0, 300) | st.integers(0, 20),
            st.integers(1, 40),
            st.integers(1, 40) | st.just(1),
            st.just(0) | st.integers(0, 40),
            st.integers(0, 4).map(lambda n: n == 0),  # whether all of the prompt is cached
        ),
        min_size=1,
        max_size=24,
    )


@st.composite
def plain_servers(draw: st.DrawFn) -> Scenario:
    """Plain servers with more to do than they can: seats, blocks and budget are scarce at times."""
    requests = draw(_plain_requests())
    rows: list[Any] = []
    for number, (arrival, prompt, output, cached, is_whole) in enumerate(requests):
        more = {"cached": prompt if is_whole and cached else min(cached, prompt - 1)}
        rows.append((f"R{number}", arrival, prompt, output, more))
    block = draw(st.sampled_from([1, 4, 16]))
    least = max(-(-(prompt + output - 1) // block) for _, _, prompt, output, _ in rows)
    mode = draw(st.sampled_from(["continuous", "vllm_v1"]))
    setup: dict[str, Any] = {
        "mode": mode,
        "time": draw(st.sampled_from(["ms", "tick"])),
        "budget": draw(st.integers(1, 12) | st.integers(8, 64)),
        "max_num_seqs": draw(st.integers(1, 12)),
        "block_size": block,
        "num_blocks": draw(st.none() | st.integers(least, 3 * least)),
        "watermark": draw(st.just(0) | st.integers(0, 3)),
        "reserve": draw(st.sampled_from(["full_prompt", "none"])),
    }
    if mode == "continuous":
        setup["service"] = draw(st.sampled_from(["running_first", "decode_first"]))
        setup["on_full"] = draw(st.sampled_from(["recompute", "swap", "queue", "reject"]))
    else:
        setup["max_chunk"] = draw(st.none() | st.integers(1, 9))
    if setup["time"] == "ms":
        price = st.sampled_from([0, 0.000001, 0.003, 0.1, 1])
        setup["cost"] = {
            "base": draw(st.sampled_from([0.5, 2])),
            **{name: draw(price) for name in ("per_prefill", "per_decode", "per_kv_token")},
        }
    return scenario(*rows, **setup)
