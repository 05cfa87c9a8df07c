"""What a real forward pass adds to the plan: graph buckets, drafts that are verified, experts.

None of it changes who is served; it changes what a round costs and how many tokens come out.
Chance is seeded and drawn in the order of the plan, so a run repeats itself.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence as List
from fractions import Fraction

from sim.plan import Plan
from sim.sequence import Sequence
from sim.setup import Experts, Setup
from sim.state import State

# Graph buckets: decode batches are padded up to the sizes recorded as graphs.


def bucket_padding(decodes: int, buckets: List[int] | None) -> int:
    """Decodes added to reach the next bucket; none above the largest, which runs eagerly."""
    if not buckets or not decodes or decodes > buckets[-1]:
        return 0
    return buckets[bisect_left(buckets, decodes)] - decodes


def is_eager(decodes: int, buckets: List[int] | None) -> bool:
    """Whether a round's decodes are more than the largest graph takes."""
    return decodes > buckets[-1] if buckets else False


def duration(setup: Setup, prefill: int, decode: int, drafts: int, kv_read: int, moved: int) -> int:
    """Nanoseconds of a round; of experts that are drawn only what is known before."""
    cost, padding = setup.cost, 0
    if setup.price_padding:
        padding = bucket_padding(decode, setup.buckets)
    spent = cost.duration(prefill, decode + padding, kv_read)
    spent += cost.per_draft * drafts + cost.per_swap_block * moved
    if setup.moe is not None and not setup.moe.draw:
        spent += cost.per_expert_token * max(split(prefill + decode + drafts, setup.moe))
    return spent


# Speculation (Leviathan et al., ICML 2023): drafts are verified in one pass.


def accepted(state: State, made: Plan) -> dict[Sequence, int]:
    """Tokens of each decode of a round with drafts: the drafts accepted, and one more."""
    tokens = {}
    for seq, n in made.given.items():
        if seq in made.prefilling:
            continue
        right = _right_drafts(state, n - 1) if n > 1 else 0
        tokens[seq] = min(right + 1, seq.output - seq.emitted)
    return tokens


def _right_drafts(state: State, drafts: int) -> int:
    """How many of the drafts turn out right: the next of the list, or drawn until a miss."""
    speculation = state.scenario.setup.speculation
    assert speculation is not None
    if isinstance(speculation.accepted, tuple):
        listed = speculation.accepted[state.verified % len(speculation.accepted)]
        state.verified += 1
        return min(listed, drafts)
    assert state.draft_luck is not None
    right = 0
    while right < drafts and state.draft_luck.random() < speculation.accepted:
        right += 1
    return right


# Mixture of experts: a round is as slow as its fullest expert.


def drawn(state: State, positions: int) -> int:
    """Positions that the fullest expert gets, each position drawn by the weights."""
    experts = state.scenario.setup.moe
    assert experts is not None and state.expert_luck is not None
    places = range(len(experts.weights))
    picked = state.expert_luck.choices(places, weights=experts.weights, k=positions)
    return max(Counter(picked).values())


def split(positions: int, experts: Experts) -> list[int]:
    """Positions by expert in proportion to the weights: largest remainders, ties to the first."""
    weights = [Fraction(weight) for weight in experts.weights]
    exact = [positions * weight / sum(weights) for weight in weights]
    parts = [int(share) for share in exact]
    by_rest = sorted(range(len(parts)), key=lambda i: parts[i] - exact[i])  # stable
    for i in by_rest[: positions - sum(parts)]:
        parts[i] += 1
    return parts
