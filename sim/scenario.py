"""What goes into a run: requests and the scheduler's setup, frozen and hashable.

One schema serves scenario files (TOML, JSON), the command line and the page: the dataclasses
below, each field with its own rule in its metadata. `Scenario.from_dict` reports every broken
rule at once. Times are integers inside (see `clock`), decimals in files.
"""

import difflib
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from typing import Any, Literal, Self

from sim.clock import TimeUnit, to_internal, to_shown
from sim.problems import Problem, ScenarioError

MAX_REQUESTS = 50_000
MAX_TOKENS = 1_000_000
MAX_TIME = 10**10  # ms or ticks: about four months
MAX_ROUNDS = 10_000_000

Kind = Literal["count", "time", "choice", "bool", "text", "wait", "cost"]


def _rule(kind: Kind, default: Any = MISSING, **rule: Any) -> Any:
    """A dataclass field with its rule: kind, low, high or choices."""
    return field(default=default, metadata={"kind": kind, **rule})


@dataclass(frozen=True, slots=True)
class Request:
    """One request. Times in internal units (ns or ticks), lengths in tokens.

    `output` is what it will really generate: the simulator knows it, the scheduler does not.
    `cached` prompt tokens have their KV on arrival and need no computing. A lower `priority` is
    more urgent (vLLM).
    """

    id: str = _rule("text")
    arrival: int = _rule("time", low=0, high=MAX_TIME)
    prompt: int = _rule("count", low=1, high=MAX_TOKENS)
    output: int = _rule("count", low=1, high=MAX_TOKENS)
    max_output: int | None = _rule("count", None, low=1, high=MAX_TOKENS)
    cached: int = _rule("count", 0, low=0, high=MAX_TOKENS)
    priority: int = _rule("count", 0, low=-1_000_000, high=1_000_000)

    @property
    def allowed_output(self) -> int:
        """Output tokens it may generate: `max_output`, by default `output`."""
        return self.output if self.max_output is None else self.max_output


@dataclass(frozen=True, slots=True)
class Cost:
    """Time of a round: base + per_prefill·P + per_decode·D + per_kv_token·K, in ns."""

    base: int = _rule("time", 2_000_000, low=0, high=MAX_TIME)
    per_prefill: int = _rule("time", 500_000, low=0, high=MAX_TIME)
    per_decode: int = _rule("time", 1_000_000, low=0, high=MAX_TIME)
    per_kv_token: int = _rule("time", 0, low=0, high=MAX_TIME)

    def duration(self, prefill: int, decode: int, kv_tokens: int) -> int:
        """Nanoseconds of a round with P prefill positions, D decodes and K KV tokens read."""
        return (
            self.base
            + self.per_prefill * prefill
            + self.per_decode * decode
            + self.per_kv_token * kv_tokens
        )


@dataclass(frozen=True, slots=True)
class Setup:
    """How the server schedules. Names are vLLM's where it has the option."""

    budget: int = _rule("count", low=1, high=MAX_TOKENS)
    mode: Literal["continuous", "static", "vllm_v1"] = _rule(
        "choice", "continuous", choices=("continuous", "static", "vllm_v1")
    )
    time: Literal["ms", "tick"] = _rule("choice", "ms", choices=("ms", "tick"))
    max_num_seqs: int = _rule("count", 128, low=1, high=100_000)
    first_token: Literal["last_chunk", "next_round"] = _rule(
        "choice", "last_chunk", choices=("last_chunk", "next_round")
    )
    chunked: bool = _rule("bool", True)
    overtake: bool = _rule("bool", False)
    max_chunk: int | None = _rule("count", None, low=1, high=MAX_TOKENS)
    service: Literal["running_first", "decode_first"] = _rule(
        "choice", "running_first", choices=("running_first", "decode_first")
    )
    order: Literal["fifo", "priority"] = _rule("choice", "fifo", choices=("fifo", "priority"))
    block_size: int = _rule("count", 16, low=1, high=MAX_TOKENS)
    num_blocks: int | None = _rule("count", None, low=1, high=100_000_000)
    reserve: Literal["full_prompt", "none"] = _rule(
        "choice", "full_prompt", choices=("full_prompt", "none")
    )
    watermark: int = _rule("count", 0, low=0, high=100_000_000)
    batch_size: int | None = _rule("count", None, low=1, high=100_000)
    batch_wait: int | Literal["full"] | None = _rule("wait", None, low=0, high=MAX_TIME)
    cost: Cost = field(default=Cost(), metadata={"kind": "cost"})

    @property
    def seats(self) -> int:
        """Most requests running at once: `max_num_seqs`, in static mode the batch size."""
        if self.mode != "static":
            return self.max_num_seqs
        most = min(self.budget, self.max_num_seqs)
        return most if self.batch_size is None else min(self.batch_size, most)

    def blocks(self, tokens: int) -> int:
        """KV blocks that hold so many tokens: ceil(tokens / block_size)."""
        return -(-tokens // self.block_size)


@dataclass(frozen=True, slots=True)
class Scenario:
    """Requests and setup: everything a run depends on."""

    setup: Setup
    requests: tuple[Request, ...]
    name: str = ""
    note: str = ""
    seed: int = 0

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read the schema of scenario files; times are numbers in ms or ticks.

        Raises:
            ScenarioError: with every problem found.
        """
        scenario, problems = _read_scenario(data)
        if scenario is not None:
            problems = check(scenario)
        if problems or scenario is None:
            raise ScenarioError(tuple(problems))
        return cls(*(getattr(scenario, item.name) for item in fields(scenario)))

    def to_dict(self) -> dict[str, Any]:
        """The same schema; fields at their default are left out."""
        unit = self.setup.time
        data: dict[str, Any] = {}
        for key in ("name", "note", "seed"):
            if getattr(self, key):
                data[key] = getattr(self, key)
        data["setup"] = _to_dict(self.setup, unit)
        data["requests"] = [_to_dict(request, unit) for request in self.requests]
        return data

    def with_setup(self, **changes: Any) -> Self:
        """The same requests under a changed setup, checked again.

        Raises:
            ScenarioError: the changed setup breaks rules.
        """
        changed = replace(self, setup=replace(self.setup, **changes))
        if problems := check(changed):
            raise ScenarioError(tuple(problems))
        return changed


def _to_dict(record: Request | Setup | Cost, unit: TimeUnit) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for item in fields(record):
        value = getattr(record, item.name)
        if value == item.default:
            continue
        kind = item.metadata["kind"]
        if kind == "cost":
            value = _to_dict(value, unit)
        elif kind in ("time", "wait") and isinstance(value, int):
            value = to_shown(value, unit)
        data[item.name] = value
    return data


# Reading: each kind of field has one small reader; it returns the value or raises
# `_BrokenRuleError`.


class _BrokenRuleError(Exception):
    def __init__(self, rule: str, value: Any = None, **params: Any) -> None:
        self.rule, self.value, self.params = rule, value, params


def _read_count(value: Any, rule: Mapping[str, Any], unit: TimeUnit) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise _BrokenRuleError("not_whole", value)
    _check_bounds(value, rule["low"], rule["high"])
    return value


def _read_time(value: Any, rule: Mapping[str, Any], unit: TimeUnit) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise _BrokenRuleError("not_number", value)
    try:
        _check_bounds(value, rule["low"], rule["high"])
        return to_internal(value, unit)
    except ValueError as error:
        raise _BrokenRuleError(
            "not_whole_ticks" if "ticks" in str(error) else "not_number", value
        ) from None


def _check_bounds(value: float, low: int, high: int) -> None:
    if value < low:
        raise _BrokenRuleError("too_small", value, low=low)
    if value > high:
        raise _BrokenRuleError("too_large", value, high=high)


def _read_choice(value: Any, rule: Mapping[str, Any], unit: TimeUnit) -> str:
    if value not in rule["choices"]:
        raise _BrokenRuleError("not_choice", value, choices=", ".join(rule["choices"]))
    return str(value)


def _read_bool(value: Any, rule: Mapping[str, Any], unit: TimeUnit) -> bool:
    if not isinstance(value, bool):
        raise _BrokenRuleError("not_bool", value)
    return value


def _read_text(value: Any, rule: Mapping[str, Any], unit: TimeUnit) -> str:
    if not isinstance(value, str):
        raise _BrokenRuleError("not_text", value)
    return value


def _read_wait(value: Any, rule: Mapping[str, Any], unit: TimeUnit) -> int | str:
    return "full" if value == "full" else _read_time(value, rule, unit)


_READERS: Mapping[str, Callable[[Any, Mapping[str, Any], TimeUnit], Any]] = {
    "count": _read_count,
    "time": _read_time,
    "choice": _read_choice,
    "bool": _read_bool,
    "text": _read_text,
    "wait": _read_wait,
}


class _Reader:
    """Reads tables into records and gathers the problems on the way."""

    def __init__(self, unit: TimeUnit) -> None:
        self.unit = unit
        self.problems: list[Problem] = []

    def add(
        self, place: tuple[str | int, ...], rule: str, value: Any = None, **params: Any
    ) -> None:
        self.problems.append(Problem(place, rule, value, params))

    def unknown(
        self, data: Mapping[str, Any], known: list[str], place: tuple[str | int, ...]
    ) -> None:
        for key in data:
            if key not in known:
                close = difflib.get_close_matches(str(key), known, 1)
                suggestion = (
                    f"; did you mean {close[0]}?" if close else f"; known: {', '.join(known)}"
                )
                self.add((*place, str(key)), "unknown_key", key, suggestion=suggestion)

    def record(self, cls: type, data: Any, place: tuple[str | int, ...]) -> Any:
        """A `cls` from a table, or None when anything in it is wrong."""
        if not isinstance(data, Mapping):
            self.add(place, "not_a_table", data)
            return None
        found = len(self.problems)
        self.unknown(data, [item.name for item in fields(cls)], place)
        values: dict[str, Any] = {}
        for item in fields(cls):
            if item.name in data and (data[item.name] is not None or item.default is not None):
                values[item.name] = self.value(data[item.name], item.metadata, (*place, item.name))
            elif item.default is MISSING:
                self.add((*place, item.name), "required")
        return cls(**values) if len(self.problems) == found else None

    def value(self, value: Any, rule: Mapping[str, Any], place: tuple[str | int, ...]) -> Any:
        if rule["kind"] == "cost":
            return self.record(Cost, value, place)
        try:
            return _READERS[rule["kind"]](value, rule, self.unit)
        except _BrokenRuleError as broken:
            self.add(place, broken.rule, broken.value, **broken.params)
            return None


def _read_scenario(data: Any) -> tuple[Scenario | None, list[Problem]]:
    if not isinstance(data, Mapping):
        return None, [Problem((), "not_a_table", data)]
    setup_data = data.get("setup", {})
    unit: TimeUnit = "tick" if _get(setup_data, "time") == "tick" else "ms"
    reader = _Reader(unit)
    reader.unknown(data, [item.name for item in fields(Scenario)], ())
    setup = reader.record(Setup, setup_data, ("setup",))
    if unit == "tick" and _get(setup_data, "cost") is not None:
        reader.add(("setup", "cost"), "cost_in_ticks")
    requests = _read_requests(reader, data.get("requests", []))
    texts = {
        key: reader.value(data[key], {"kind": "text"}, (key,))
        for key in ("name", "note")
        if key in data
    }
    if "seed" in data:
        texts["seed"] = reader.value(
            data["seed"], {"kind": "count", "low": 0, "high": 2**63}, ("seed",)
        )
    if reader.problems:
        return None, reader.problems
    return Scenario(setup, tuple(requests), **texts), []


def _read_requests(reader: _Reader, rows: Any) -> list[Request]:
    if not isinstance(rows, (list, tuple)):
        reader.add(("requests",), "not_a_list", rows)
        return []
    if len(rows) > MAX_REQUESTS:
        reader.add(("requests",), "too_large", len(rows), high=MAX_REQUESTS)
        return []
    records = [reader.record(Request, row, ("requests", i)) for i, row in enumerate(rows)]
    return [record for record in records if record is not None]


def _get(table: Any, key: str) -> Any:
    return table.get(key) if isinstance(table, Mapping) else None


# Rules between fields.


def check(scenario: Scenario) -> list[Problem]:
    """Every broken rule between fields: ids, lengths, meaningless or endless combinations."""
    problems = list(_setup_problems(scenario.setup))
    if not scenario.requests:
        problems.append(Problem(("requests",), "no_requests"))
    seen: set[str] = set()
    may_preempt = _pool_can_run_out(scenario)
    for i, request in enumerate(scenario.requests):
        place = ("requests", i)
        problems += _request_problems(request, scenario.setup, place, may_preempt=may_preempt)
        if request.id in seen:
            problems.append(Problem(("requests", i, "id"), "duplicate_id", request.id))
        seen.add(request.id)
    rounds = most_rounds(scenario)
    if rounds > MAX_ROUNDS:
        problems.append(Problem((), "too_many_rounds", rounds, {"high": MAX_ROUNDS}))
    return problems


def _pool_can_run_out(scenario: Scenario) -> bool:
    setup = scenario.setup
    if setup.num_blocks is None:
        return False
    most = sum(setup.blocks(r.prompt + r.output - 1) for r in scenario.requests)
    return most > setup.num_blocks


def _setup_problems(setup: Setup) -> list[Problem]:
    problems = []
    if setup.max_chunk is not None and not setup.chunked and setup.mode != "vllm_v1":
        problems.append(Problem(("setup", "max_chunk"), "limit_without_chunks", setup.max_chunk))
    cost = setup.cost
    if setup.time == "ms" and min(cost.duration(1, 0, 0), cost.duration(0, 1, 0)) == 0:
        problems.append(Problem(("setup", "cost"), "zero_cost"))
    return problems


def _request_problems(
    request: Request, setup: Setup, place: tuple[str | int, ...], *, may_preempt: bool
) -> list[Problem]:
    problems = []
    if not (1 <= len(request.id) <= 24 and request.id.isprintable() and request.id.strip()):
        problems.append(Problem((*place, "id"), "bad_id", request.id))
    if request.max_output is not None and request.max_output < request.output:
        found = Problem(
            (*place, "max_output"),
            "max_output_below_output",
            request.max_output,
            {"low": request.output},
        )
        problems.append(found)
    if request.cached > request.prompt:
        found = Problem(
            (*place, "cached"), "cached_above_prompt", request.cached, {"high": request.prompt}
        )
        problems.append(found)
    new = request.prompt - request.cached
    if may_preempt:  # it may come back with all but its last token to compute again
        new = request.prompt + request.output - 1
    if setup.mode != "static" and not setup.chunked and new > setup.budget:
        params = {"high": setup.budget, "id": request.id}
        problems.append(Problem((*place, "prompt"), "prompt_never_fits", new, params))
    output = request.allowed_output if setup.mode == "static" else request.output
    most = setup.blocks(request.prompt + output - 1)
    if setup.num_blocks is not None and most > setup.num_blocks:
        params = {"high": setup.num_blocks, "id": request.id}
        problems.append(Problem((*place, "prompt"), "never_fits_pool", most, params))
    return problems


def most_rounds(scenario: Scenario) -> int:
    """An upper bound of the rounds of a run: every chunk and every decode a round of its own.

    In static mode padding multiplies the prompts: a batch is as wide as its longest one.
    """
    setup = scenario.setup
    chunk = min(setup.budget, setup.max_chunk or setup.budget)
    if setup.mode == "static":
        longest = max((r.prompt - r.cached for r in scenario.requests), default=0)
        batches = -(-len(scenario.requests) // setup.seats)
        padded = batches * -(-longest * setup.seats // setup.budget)
        return padded + sum(r.output for r in scenario.requests)
    return sum(r.output - (-(r.prompt - r.cached) // chunk) for r in scenario.requests)
