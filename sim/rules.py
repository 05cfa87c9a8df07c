"""What fields of a scenario demand of one another: lengths, ids, endless or empty combinations."""

from collections.abc import Sequence

from sim.clock import to_shown
from sim.problems import Problem
from sim.setup import MAX_ROUNDS, Request, Setup, Slo


def check(setup: Setup, requests: Sequence[Request]) -> list[Problem]:
    """Every broken rule between fields: ids, lengths, meaningless or endless combinations."""
    problems = list(_setup_problems(setup))
    if not requests:
        problems.append(Problem(("requests",), "no_requests"))
    seen: set[str] = set()
    for i, request in enumerate(requests):
        place = ("requests", i)
        problems += _request_problems(request, setup, place)
        if request.id in seen:
            problems.append(Problem(("requests", i, "id"), "duplicate_id", request.id))
        seen.add(request.id)
    rounds = most_rounds(setup, requests)
    if rounds > MAX_ROUNDS:
        problems.append(Problem((), "too_many_rounds", rounds, {"high": MAX_ROUNDS}))
    return problems


def _setup_problems(setup: Setup) -> list[Problem]:
    problems = []
    if not setup.chunked and setup.mode != "vllm_v1":
        for name in ("max_chunk", "max_prefill", "round_target"):
            if getattr(setup, name) is not None:
                problems.append(Problem(("setup", name), "limit_without_chunks"))
        if setup.granularity != "request":
            problems.append(Problem(("setup", "granularity"), "limit_without_chunks"))
    for name, rule, is_broken in _partners(setup):
        if is_broken:
            problems.append(Problem(("setup", name), rule, getattr(setup, name)))
    return problems + _pairs_without_meaning(setup)


def _partners(setup: Setup) -> tuple[tuple[str, str, bool], ...]:
    """Settings that need another one, or rule it out: name, rule, whether it is broken."""
    cost, in_ms = setup.cost, setup.time == "ms"
    free = min(cost.duration(1, 0, 0), cost.duration(0, 1, 0)) == 0
    target = setup.round_target is not None
    return (
        ("aging_step", "aging_needs_step", setup.order == "aging" and setup.aging_step is None),
        ("max_chunk", "chunks_need_size", setup.granularity == "chunk" and not setup.max_chunk),
        ("think", "think_needs_loop", bool(setup.think) and setup.concurrency is None),
        ("price_padding", "padding_needs_buckets", setup.price_padding and not setup.buckets),
        ("slo", "empty_slo", setup.slo == Slo()),
        ("round_target", "target_in_ticks", target and not in_ms),
        ("cost", "zero_cost", in_ms and free),
    )


_AS_VLLM = {  # what mode vllm_v1 fixes: the allowed values
    "order": ("fifo", "priority"),
    "service": ("running_first",),
    "granularity": ("request",),
    "first_token": ("last_chunk",),
    "reserve": ("full_prompt", "none"),
    "overtake": (False,),
    "max_prefill": (None,),
    "round_target": (None,),
    "max_decodes": (None,),
    "prefill_reserve": (0,),
    "on_full": ("recompute",),
}


def _pairs_without_meaning(setup: Setup) -> list[Problem]:
    """Settings that another setting leaves nothing to decide."""
    pairs = []
    if setup.granularity != "request":
        pairs += [("granularity", "order")] if setup.order != "fifo" else []
        pairs += [("granularity", "service")] if setup.service == "prefill_first" else []
    if setup.mode == "vllm_v1":
        pairs += [(n, "mode") for n, good in _AS_VLLM.items() if getattr(setup, n) not in good]
    return [
        Problem(
            ("setup", name),
            "meaningless_with",
            getattr(setup, name),
            {"other": f"{other} = {getattr(setup, other)}"},
        )
        for name, other in pairs
    ]


def _request_problems(
    request: Request, setup: Setup, place: tuple[str | int, ...]
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
    problems += _leaving_problems(request, setup, place)
    new = request.prompt - request.cached
    if setup.mode != "static" and not setup.chunked and new > setup.budget:
        params = {"high": setup.budget, "id": request.id}
        problems.append(Problem((*place, "prompt"), "prompt_never_fits", new, params))
    is_whole = setup.mode == "static" or setup.reserve == "max_output" or setup.speculation
    output = request.allowed_output if is_whole else request.output
    most = setup.blocks(request.prompt + output - 1)
    if setup.num_blocks is not None and most > setup.num_blocks:
        params = {"high": setup.num_blocks, "id": request.id}
        problems.append(Problem((*place, "prompt"), "never_fits_pool", most, params))
    return problems


def _leaving_problems(
    request: Request, setup: Setup, place: tuple[str | int, ...]
) -> list[Problem]:
    """Of clients that leave early or read slowly."""
    problems = []
    arrival, leaves = request.arrival, request.cancel_at
    if leaves is not None and leaves < arrival and setup.concurrency is None:
        shown = {"low": to_shown(arrival, setup.time)}
        value = to_shown(leaves, setup.time)
        problems.append(Problem((*place, "cancel_at"), "leaves_before_arrival", value, shown))
    if (request.credits is None) != (request.read_every is None):
        missing = "credits" if request.credits is None else "read_every"
        problems.append(Problem((*place, missing), "credits_with_pace"))
    return problems


def most_rounds(setup: Setup, requests: Sequence[Request]) -> int:
    """An upper bound of the rounds of a run: every chunk and every decode a round of its own.

    In static mode padding multiplies the prompts: a batch is as wide as its longest one.
    """
    target = None if setup.round_target is None else 1  # it may come down to a position a round
    limits = (setup.budget, setup.max_chunk, setup.max_prefill, target)
    chunk = min(limit for limit in limits if limit is not None)
    if setup.mode == "static":
        longest = max((r.prompt - r.cached for r in requests), default=0)
        batches = -(-len(requests) // setup.seats)
        padded = batches * -(-longest * setup.seats // setup.budget)
        return padded + sum(r.output for r in requests)
    return sum(r.output - (-(r.prompt - r.cached) // chunk) for r in requests)
