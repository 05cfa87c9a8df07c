"""What can be wrong with an input, as data: place, rule, value, remedy.

A scenario is checked whole and every problem is reported at once. A `Problem` names a rule of
the closed list below; the page says it in the learner's language, the command line in English.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

RULES: Mapping[str, str] = {
    "required": "is missing; give {field} a value",
    "unknown_key": "is not a known name{suggestion}",
    "not_a_table": "must be a table of names and values, not {value!r}",
    "not_a_list": "must be a list, not {value!r}",
    "bad_length": "must have {low} to {high} entries, not {value}",
    "not_growing": "must grow from each entry to the next, not {value!r}",
    "no_weight": "must have a weight above 0, not {value!r}",
    "not_whole": "must be a whole number, not {value!r}",
    "not_number": "must be a number, not {value!r}",
    "not_whole_ticks": "must be a whole number of ticks, not {value!r}",
    "not_bool": "must be true or false, not {value!r}",
    "not_text": "must be text, not {value!r}",
    "not_choice": "must be one of {choices}, not {value!r}",
    "too_small": "must be at least {low}, not {value}",
    "too_large": "must be at most {high}, not {value}",
    "bad_id": "must be 1 to 24 printable characters, not {value!r}",
    "duplicate_id": "is used twice: {value!r}; every request needs an id of its own",
    "no_requests": "has no requests; add at least one",
    "max_output_below_output": "must be at least the output ({low}), not {value}",
    "cached_above_prompt": "must be at most the prompt ({high}), not {value}",
    "leaves_before_arrival": "must be at least the arrival ({low}), not {value}",
    "credits_with_pace": "is missing; a slow reader needs credits and read_every together",
    "two_answers": "stands beside requests; keep one of the two",
    "limit_without_chunks": "cuts prompts, which chunked = false forbids; remove one of the two",
    "meaningless_with": "{value} has no meaning with {other}; change one of the two",
    "aging_needs_step": "is missing; order = aging needs the time that is worth one level",
    "chunks_need_size": "is missing; granularity = chunk needs the size of a chunk",
    "think_needs_loop": "has no meaning without concurrency; set that or remove think",
    "padding_needs_buckets": "has no meaning without buckets; set those or remove price_padding",
    "empty_slo": "sets no limit; give one of ttft, tpot, max_itl, e2e or remove slo",
    "target_in_ticks": "has no meaning with time = tick, where every round costs 1 tick",
    "prompt_never_fits": (
        "{id}: {value} tokens to compute can never fit whole into the budget of {high}; "
        "raise the budget or switch chunked on"
    ),
    "never_fits_pool": (
        "{id}: needs {value} KV blocks in the end, the pool has {high}; raise num_blocks or "
        "shorten the request"
    ),
    "cost_in_ticks": "has no meaning with time = tick, where every round costs 1 tick",
    "zero_cost": "would make a round take no time; set base or another part above 0",
    "too_many_rounds": (
        "would need about {value:,} rounds, the most is {high:,}; "
        "raise the budget or use fewer tokens"
    ),
    # A fork: what has happened stays.
    "fixed_in_run": "cannot change while a run goes on, to {value!r}; keep {old!r}",
    "has_come": "must keep {value!r}, which has arrived; let its client leave with cancel_at",
    "out_of_order": (
        "is {value!r}, where {due!r} stood; those who have arrived keep their order, "
        "newcomers come behind them"
    ),
    "fixed_after_arrival": "cannot change to {value!r}: {id} has arrived; keep {old!r}",
    "fixed_after_leaving": "cannot change to {value!r}: {id} has left; keep {old!r}",
    "too_late": "must be at least {low}, the time of the change, not {value}",
    "already_out": "must be at least {low}, not {value}: {id} has {out} tokens out already",
    "blocks_in_use": "must be at least {low}, the blocks taken at this moment, not {value}",
    "batch_under_way": "must be at least {low}, the members of the batch under way, not {value}",
    # A round given by hand.
    "not_by_hand": "cannot be played by hand with {value}; take this setting back",
    "over_budget": "gives {value} tokens in all, and the budget is {high}; give fewer",
    "gives_nothing": "gives nothing, though somebody is here: {names}; give one of them a token",
    "unknown_request": "names no request of this scenario; give to one that is here",
    "not_here_yet": "cannot get {value}: it has not arrived at {now}; wait for it",
    "has_left": "cannot get {value}: it has left ({how}); leave it out",
    "holds_no_seat": "gives back a seat it does not hold; leave it out",
    "decode_takes_one": "takes exactly 1 token in a decode, not {value}",
    "more_than_left": "has {high} of its prompt left to compute, not {value}; give at most {high}",
    "whole_prompt": "must get its prompt whole, {low} tokens and not {value}: chunked is off",
    "no_seat": "cannot join: all {high} seats are taken; wait until one is free, or take one back",
    "no_blocks": (
        "finds no KV blocks for {value} tokens, {free} are free; give it fewer, or take back the "
        "seat of another"
    ),
    "run_is_over": "comes after the end: all requests have left; take it out",
}


@dataclass(frozen=True, slots=True)
class Problem:
    """One broken rule: where, which rule, the value found, and what the words need.

    `place` is a path such as `("requests", 2, "prompt")`; list positions count from 0.
    """

    place: tuple[str | int, ...]
    rule: str
    value: Any = None
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def path(self) -> str:
        """The place as text: `requests[2].prompt`."""
        text = ""
        for part in self.place:
            text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
        return text

    @property
    def told(self) -> str:
        """The rule in words, without the place."""
        field_ = self.place[-1] if self.place else ""
        words = {"field": field_, "value": printable(self.value), **self.params}
        return RULES[self.rule].format(**words)

    def __str__(self) -> str:
        return f"{self.path or 'scenario'} {self.told}"


def printable(value: Any) -> Any:
    """A value as a message can show it: numbers and texts of any length become short."""
    if isinstance(value, int) and abs(value) >= 10**18:
        return f"a number of some {int(value.bit_length() * 0.30103) + 1} digits"
    text = repr(value)
    return value if len(text) <= 60 else f"{text[:60]}…"


class ScenarioError(ValueError):
    """A scenario that breaks rules; `problems` holds all of them."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        self.problems = problems
        super().__init__("; ".join(str(problem) for problem in problems))
