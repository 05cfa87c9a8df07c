"""Requests and the scheduler's setup: frozen records, each field with its own rule.

The rule (kind, bounds, choices) stands in the field's metadata, so that `reading` needs no second
list. Times are integers inside (see `clock`); `rules` has what fields demand of one another.
"""

from dataclasses import MISSING, dataclass, field
from operator import attrgetter
from typing import Any, Literal, Self

MAX_REQUESTS = 50_000
MAX_TOKENS = 1_000_000
MAX_TIME = 10**10  # ms or ticks: about four months
MAX_ROUNDS = 10_000_000

Kind = Literal[
    "count",
    "time",
    "choice",
    "bool",
    "text",
    "wait",
    "table",
    "counts",
    "weights",
    "accepted",
    "span",
]


def _rule(kind: Kind, default: Any = MISSING, **rule: Any) -> Any:
    """A dataclass field with its rule: kind, low, high or choices."""
    return field(default=default, metadata={"kind": kind, **rule})


def _part(record: type) -> dict[str, Any]:
    """The rule of a field that is a record of its own."""
    return {"kind": "table", "record": record}


@dataclass(frozen=True, slots=True)
class Request:
    """One request. Times in internal units (ns or ticks), lengths in tokens.

    `output` is what it will really generate: the simulator knows it, the scheduler does not.
    `cached` prompt tokens have their KV on arrival and need no computing. A lower `priority` is
    more urgent (vLLM). `cancel_at` is when its client leaves; a slow reader takes a token each
    `read_every` and may have `credits` unread ones.
    """

    id: str = _rule("text")
    arrival: int = _rule("time", low=0, high=MAX_TIME)
    prompt: int = _rule("count", low=1, high=MAX_TOKENS)
    output: int = _rule("count", low=1, high=MAX_TOKENS)
    max_output: int | None = _rule("count", None, low=1, high=MAX_TOKENS)
    cached: int = _rule("count", 0, low=0, high=MAX_TOKENS)
    priority: int = _rule("count", 0, low=-1_000_000, high=1_000_000)
    tenant: str = _rule("text", "")
    deadline: int | None = _rule("time", None, low=0, high=MAX_TIME)
    cancel_at: int | None = _rule("time", None, low=0, high=MAX_TIME)
    credits: int | None = _rule("count", None, low=1, high=MAX_TOKENS)
    read_every: int | None = _rule("time", None, low=0, high=MAX_TIME)

    @property
    def allowed_output(self) -> int:
        """Output tokens it may generate: `max_output`, by default `output`."""
        return self.output if self.max_output is None else self.max_output

    def __reduce__(self) -> tuple[type[Self], tuple[Any, ...]]:
        """Travels by its values: of thousands, a dataclass's own way takes twice as long."""
        return type(self), _values(self)


_values = attrgetter(*Request.__slots__)


@dataclass(frozen=True, slots=True)
class Cost:
    """Time of a round: base + per_prefill·P + per_decode·D + per_kv_token·K, in ns.

    Extras add their own: `per_draft` a draft position, `per_swap_block` a KV block moved out or
    in, `per_expert_token` a position of the fullest expert.
    """

    base: int = _rule("time", 2_000_000, low=0, high=MAX_TIME)
    per_prefill: int = _rule("time", 500_000, low=0, high=MAX_TIME)
    per_decode: int = _rule("time", 1_000_000, low=0, high=MAX_TIME)
    per_kv_token: int = _rule("time", 0, low=0, high=MAX_TIME)
    per_draft: int = _rule("time", 500_000, low=0, high=MAX_TIME)
    per_swap_block: int = _rule("time", 0, low=0, high=MAX_TIME)
    per_expert_token: int = _rule("time", 0, low=0, high=MAX_TIME)

    def duration(self, prefill: int, decode: int, kv_tokens: int) -> int:
        """Nanoseconds of a round with P prefill positions, D decodes and K KV tokens read."""
        return (
            self.base
            + self.per_prefill * prefill
            + self.per_decode * decode
            + self.per_kv_token * kv_tokens
        )


@dataclass(frozen=True, slots=True)
class Speculation:
    """Drafts a decode tries at once, and how many of them turn out right.

    `accepted` is a list used in turn, one entry a verification, or the chance of each draft.
    """

    drafts: int = _rule("count", low=1, high=1_000)
    accepted: tuple[int, ...] | float = _rule("accepted", low=0, high=1_000)


@dataclass(frozen=True, slots=True)
class Experts:
    """How a mixture of experts spreads a round's positions: by `weights`, or drawn by them."""

    weights: tuple[int | float, ...] = _rule("weights", low=0, high=10**6)
    draw: bool = _rule("bool", False)


@dataclass(frozen=True, slots=True)
class Slo:
    """Service-level objectives: the most each latency may be. They change no round."""

    ttft: int | None = _rule("time", None, low=0, high=MAX_TIME)
    tpot: int | None = _rule("time", None, low=0, high=MAX_TIME)
    max_itl: int | None = _rule("time", None, low=0, high=MAX_TIME)
    e2e: int | None = _rule("time", None, low=0, high=MAX_TIME)


@dataclass(frozen=True, slots=True)
class Setup:
    """How the server schedules. Names are vLLM's where it has the option."""

    # Batching: how many tokens a round may compute, in what order the running are served.
    budget: int = _rule("count", low=1, high=MAX_TOKENS)
    mode: Literal["continuous", "static", "vllm_v1"] = _rule(
        "choice", "continuous", choices=("continuous", "static", "vllm_v1")
    )
    time: Literal["ms", "tick"] = _rule("choice", "ms", choices=("ms", "tick"))
    max_num_seqs: int = _rule("count", 128, low=1, high=100_000)
    first_token: Literal["last_chunk", "next_round"] = _rule(
        "choice", "last_chunk", choices=("last_chunk", "next_round")
    )
    # Prompts: cut to what is left of the budget, or whole; who may pass; limits a request, a round.
    chunked: bool = _rule("bool", True)
    overtake: bool = _rule("bool", False)
    max_chunk: int | None = _rule("count", None, low=1, high=MAX_TOKENS)
    max_prefill: int | None = _rule("count", None, low=1, high=MAX_TOKENS)
    round_target: int | None = _rule("time", None, low=0, high=MAX_TIME)
    service: Literal["running_first", "decode_first", "prefill_first"] = _rule(
        "choice", "running_first", choices=("running_first", "decode_first", "prefill_first")
    )
    # Decodes: at most so many a round; positions they leave to prompts old enough.
    max_decodes: int | None = _rule("count", None, low=1, high=100_000)
    prefill_reserve: int = _rule("count", 0, low=0, high=MAX_TOKENS)
    prefill_reserve_age: int = _rule("time", 0, low=0, high=MAX_TIME)
    # Waiting: who is next; what a step of waiting is worth; how many of a tenant may run.
    order: Literal["fifo", "priority", "deadline", "aging", "tenant"] = _rule(
        "choice", "fifo", choices=("fifo", "priority", "deadline", "aging", "tenant")
    )
    aging_step: int | None = _rule("time", None, low=0, high=MAX_TIME)
    tenant_quota: int | None = _rule("count", None, low=1, high=100_000)
    # First come, first served among prompts: by request, by chunk, or position by position.
    granularity: Literal["request", "chunk", "token"] = _rule(
        "choice", "request", choices=("request", "chunk", "token")
    )
    # KV pool: none has no limit. What a newcomer must find free, and the way out when it is full.
    block_size: int = _rule("count", 16, low=1, high=MAX_TOKENS)
    num_blocks: int | None = _rule("count", None, low=1, high=100_000_000)
    reserve: Literal["full_prompt", "none", "max_output"] = _rule(
        "choice", "full_prompt", choices=("full_prompt", "none", "max_output")
    )
    watermark: int = _rule("count", 0, low=0, high=100_000_000)
    on_full: Literal["recompute", "swap", "queue", "reject"] = _rule(
        "choice", "recompute", choices=("recompute", "swap", "queue", "reject")
    )
    # Life: how long and how many may wait; a closed loop of so many clients who think in between.
    queue_timeout: int | None = _rule("time", None, low=0, high=MAX_TIME)
    max_queue: int | None = _rule("count", None, low=0, high=1_000_000)
    concurrency: int | None = _rule("count", None, low=1, high=100_000)
    think: int = _rule("time", 0, low=0, high=MAX_TIME)
    # Static batches: their size, and how long one waits to fill up ("full": until it is).
    batch_size: int | None = _rule("count", None, low=1, high=100_000)
    batch_wait: int | Literal["full"] | None = _rule("wait", None, low=0, high=MAX_TIME)
    # Extras: graph sizes for decodes, drafts, experts; what a round costs; the seed of chance.
    buckets: tuple[int, ...] | None = _rule("counts", None, low=1, high=100_000)
    price_padding: bool = _rule("bool", False)
    speculation: Speculation | None = field(default=None, metadata=_part(Speculation))
    moe: Experts | None = field(default=None, metadata=_part(Experts))
    cost: Cost = field(default=Cost(), metadata=_part(Cost))
    seed: int | None = _rule("count", None, low=0, high=2**63)
    # Of the metrics only: objectives, and the window [a, b) of load.
    slo: Slo | None = field(default=None, metadata=_part(Slo))
    window: tuple[int, int] | None = _rule("span", None, low=0, high=MAX_TIME)

    @property
    def seats(self) -> int:
        """Most requests running at once: `max_num_seqs`, in static mode the batch size."""
        if self.mode != "static":
            return self.max_num_seqs
        most = min(self.budget, self.max_num_seqs)
        return most if self.batch_size is None else min(self.batch_size, most)

    @property
    def caps_decodes(self) -> bool:
        """Whether decodes may be held back for prompts; those left out then take turns."""
        return self.max_decodes is not None or self.prefill_reserve > 0

    def blocks(self, tokens: int) -> int:
        """KV blocks that hold so many tokens: ceil(tokens / block_size)."""
        return -(-tokens // self.block_size)
