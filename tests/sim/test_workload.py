"""Synthetic workloads: the same everywhere, and of the shape they claim to have."""

import hashlib
import math
import tomllib
from itertools import pairwise
from statistics import fmean, pvariance, quantiles

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.problems import RULES, Problem
from sim.setup import Request
from sim.workload import (
    OUTPUT_TOKENS,
    PERCENTILES,
    PROMPT_TOKENS,
    generate,
    length_at,
    poisson_arrivals,
    synthetic,
)

MS = 1_000_000
KINDS = ("uniform", "groups", "poisson", "gamma", "on_off")
RANDOM_KINDS = KINDS[2:]
CONVERSATION = {"prompt": "conversation", "output": "conversation"}
FIXED = {"prompt": 2, "output": 40}


def table(kind, requests=3, **others):
    """A table that is right for its kind, with changes; None takes a field out."""
    needed: dict[str, dict[str, float]] = {
        "uniform": {"gap": 40},
        "groups": {"gap": 1_000, "size": 16},
        "poisson": {"rate": 2, "seed": 7},
        "gamma": {"rate": 2, "seed": 7},
        "on_off": {"rate": 2, "seed": 7, "on": 0.2, "off": 1},
    }
    return {"kind": kind, "requests": requests, **needed.get(kind, {}), **FIXED, **others}


def made(kind, requests=3, unit="ms", **others):
    """The requests of a table without problems."""
    found, problems = generate(table(kind, requests, **others), unit)
    assert problems == []
    return found


def broken(given_table, unit="ms"):
    """(path, rule) of every problem; such a table gives no request."""
    found, problems = generate(given_table, unit)
    assert found == ()
    assert all(problem.told for problem in problems)
    return [(problem.path, problem.rule) for problem in problems]


def times(requests, scale=1e9):
    return [request.arrival / scale for request in requests]


def digest(requests):
    rows = [f"{r.id} {r.arrival} {r.prompt} {r.output} {r.tenant} {r.priority}" for r in requests]
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()


# The conversation service


def test_a_seed_gives_the_same_requests_and_another_seed_gives_others():
    assert synthetic(50, 14, seed=1) == synthetic(50, 14, seed=1)
    assert synthetic(50, 14, seed=1) != synthetic(50, 14, seed=2)
    assert synthetic(50, 14, seed=1)[:20] == synthetic(20, 14, seed=1)


def test_first_draws_are_those_worked_out_by_hand():
    """Random(7) starts 0.32383, 0.15085, 0.65093, 0.07244, 0.53588, 0.36569.

    At 2 a second the first gap is -ln(1 - 0.32383) / 2 = 0.195657 s. The prompt lies at 15.085 %:
    207 + 0.5085 · 180 = 298.5; the output at 65.093 %: 177 + 0.5093 · 207 = 282.4. The second
    gap is -ln(1 - 0.07244) / 2 = 0.037597 s, its lengths 1020 + 0.3588 · 51 and 91 + 0.6569 · 12.
    """
    first, second = synthetic(2, 2, seed=7)
    assert (first.id, first.prompt, first.output) == ("R1", 299, 282)
    assert (second.id, second.prompt, second.output) == ("R2", 1038, 99)
    assert first.arrival / 1e9 == pytest.approx(0.195657, abs=2e-6)
    assert second.arrival / 1e9 == pytest.approx(0.195657 + 0.037597, abs=2e-6)


def test_arrivals_are_whole_microseconds_in_order_and_not_counted_from_the_first():
    arrivals = [request.arrival for request in synthetic(500, 14, seed=3)]
    assert arrivals == sorted(arrivals)
    assert arrivals[0] > 0
    assert all(arrival % 1000 == 0 for arrival in arrivals)


def test_rate_is_close_to_the_one_asked_for():
    requests = synthetic(20_000, 5, seed=4)
    assert len(requests) * 1e9 / requests[-1].arrival == pytest.approx(5, rel=0.03)


@pytest.mark.parametrize(
    ("field", "lengths"), [("prompt", PROMPT_TOKENS), ("output", OUTPUT_TOKENS)]
)
def test_percentiles_are_close_to_the_table(field, lengths):
    drawn = [getattr(request, field) for request in synthetic(20_000, 5, seed=5)]
    cuts = quantiles(drawn, n=100, method="inclusive")
    for percent in PERCENTILES[1:-1]:
        below, above = (length_at((percent + off) / 100, lengths) for off in (-1, 1))
        assert below <= cuts[percent - 1] <= above
    assert lengths[0] <= min(drawn) and max(drawn) <= lengths[-1]


def test_prompt_and_output_lengths_are_independent():
    requests = synthetic(20_000, 5, seed=6)
    long = [request.output for request in requests if request.prompt > 1020]
    short = [request.output for request in requests if request.prompt <= 1020]
    assert sum(long) / len(long) == pytest.approx(sum(short) / len(short), rel=0.05)


def test_table_is_hit_at_its_percentiles_and_halved_between_them():
    for percent, length in zip(PERCENTILES, OUTPUT_TOKENS, strict=True):
        assert length_at(percent / 100, OUTPUT_TOKENS) == length
    assert length_at(0.97, PROMPT_TOKENS) == round((4083 + 4142) / 2)


def test_cap_cuts_long_prompts_and_changes_no_other_draw():
    free = synthetic(2_000, 14, seed=1)
    capped = synthetic(2_000, 14, seed=1, max_prompt=1_000)
    assert any(request.prompt > 1_000 for request in free)
    for with_cap, without in zip(capped, free, strict=True):
        assert with_cap.prompt == min(without.prompt, 1_000)
        assert (with_cap.arrival, with_cap.output) == (without.arrival, without.output)


def test_poisson_arrivals_repeat_and_may_be_none_at_all():
    assert poisson_arrivals(100, 3, seed=1) == poisson_arrivals(100, 3, seed=1)
    assert poisson_arrivals(0, 3, seed=1) == ()


@pytest.mark.parametrize("rate", [0, -1, math.inf, math.nan])
def test_a_rate_that_is_none_is_refused(rate):
    with pytest.raises(ValueError, match="rate must be a number"):
        synthetic(1, rate, seed=1)


def test_a_workload_of_nobody_is_refused():
    with pytest.raises(ValueError, match="at least 1, not 0"):
        synthetic(0, 1, seed=1)


# Arrivals of each kind


def test_a_constant_gap():
    requests = made("uniform", 500, first=0)
    assert requests[0] == Request("R0", 0, 2, 40)
    assert requests[1] == Request("R1", 40 * MS, 2, 40)
    assert requests[499] == Request("R499", 19_960 * MS, 2, 40)
    assert len(requests) == 500


def test_gaps_and_starts_are_exact_to_the_nanosecond():
    requests = made("uniform", start=0.5, gap=33.333333)
    assert [r.arrival for r in requests] == [500_000, 33_833_333, 67_166_666]


def test_no_gap_is_one_burst():
    assert times(made("uniform", gap=0)) == [0, 0, 0]


def test_groups_come_at_once_and_the_last_may_be_smaller():
    requests = made("groups", 35, start=500)
    assert times(requests, MS) == [500] * 16 + [1_500] * 16 + [2_500] * 3
    assert [r.id for r in requests[:2]] == ["R1", "R2"]


def test_regular_kinds_count_in_ticks():
    assert [r.arrival for r in made("uniform", unit="tick", gap=4, start=1)] == [1, 5, 9]
    groups = made("groups", 4, "tick", gap=10, size=2)
    assert [r.arrival for r in groups] == [0, 0, 10, 10]


def test_poisson_of_the_conversation_is_the_synthetic_one_and_stays_it():
    asked = {"kind": "poisson", "requests": 600, "rate": 14, "seed": 1, "max_prompt": 8192}
    requests, problems = generate(asked | CONVERSATION, "ms")
    assert problems == []
    assert requests == synthetic(600, 14, seed=1, max_prompt=8192)
    assert requests[0] == Request("R1", 10_307_000, 1988, 394)
    assert requests[-1] == Request("R600", 44_522_309_000, 4101, 133)
    rows = "\n".join(f"{r.id} {r.arrival} {r.prompt} {r.output}" for r in requests)
    told = hashlib.sha256(rows.encode()).hexdigest()
    assert told == "59942ea780a42ee792616e2a31d78c4b052660afd2341cb90de3bad8ba136906"


def test_start_moves_all_arrivals():
    later = [r.arrival - 250 * MS for r in made("poisson", 20, start=250)]
    assert later == [r.arrival for r in made("poisson", 20)]


def test_gamma_stretches_the_gaps_to_the_length_asked_for():
    """Shape 1 draws the gaps of the Poisson example: 0.195657 and 0.233254 - 0.195657 s.

    Two requests at 2 a second last 1 s, so the first comes at 0.195657 / 0.233254 s.
    """
    first, second = times(made("gamma", 2))
    assert first == pytest.approx(0.838815, abs=1e-5)
    assert second == 1


@given(
    st.integers(1, 60),
    st.sampled_from([0.3, 3, 6.45, 7, 128]),
    st.floats(0.1, 50),
    st.integers(0, 2**63),
)
def test_gamma_lasts_exactly_n_over_rate(requests, rate, burstiness, seed):
    found = made("gamma", requests, rate=rate, burstiness=burstiness, seed=seed)
    arrivals = [request.arrival for request in found]
    assert arrivals[-1] == round(requests / rate * 1e6) * 1_000
    assert arrivals == sorted(arrivals) and arrivals[0] >= 0
    assert all(arrival % 1_000 == 0 for arrival in arrivals)


def test_half_a_microsecond_at_the_end_of_gamma_is_rounded_to_even():
    """3 / 128 s are 23,437.5 us, whatever the gaps that were drawn."""
    ends = {made("gamma", 3, rate=128, seed=seed)[-1].arrival for seed in range(200)}
    assert ends == {23_438_000}


@pytest.mark.parametrize("burstiness", [0.25, 1, 4])
def test_variance_of_gamma_gaps_is_the_square_of_the_mean_over_the_burstiness(burstiness):
    ends = [0, *times(made("gamma", 40_000, rate=5, burstiness=burstiness))]
    gaps = [after - before for before, after in pairwise(ends)]
    assert fmean(gaps) == pytest.approx(0.2, rel=1e-9)
    assert pvariance(gaps) == pytest.approx(0.04 / burstiness, rel=0.06)


def test_gamma_of_shape_1_is_the_default_and_poisson_stretched():
    gamma = times(made("gamma", 100, rate=5))
    poisson = times(made("poisson", 100, rate=5))
    assert gamma == times(made("gamma", 100, rate=5, burstiness=1))
    assert gamma == pytest.approx([time * 20 / poisson[-1] for time in poisson], abs=1e-5)


def test_on_off_puts_the_silence_between_the_bursts():
    """The second request comes after 0.233254 s of burst: 0.033254 s into the second one."""
    first, second = times(made("on_off", 2))
    assert first == pytest.approx(0.195657, abs=2e-6)
    assert second == pytest.approx(1.233254, abs=2e-6)


def test_on_off_is_silent_when_it_is_off_and_has_its_rate_when_it_is_on():
    arrivals = times(made("on_off", 20_000, rate=20, on=2, off=3))
    assert all(time % 5 < 2 + 1e-6 for time in arrivals)
    in_the_first = sum(time < 5 * 400 for time in arrivals)
    assert in_the_first == pytest.approx(20 * 2 * 400, rel=0.03)


def test_without_silence_on_off_is_poisson():
    silent = times(made("on_off", 200, off=0))
    assert silent == pytest.approx(times(made("poisson", 200)), abs=2e-6)


# Lengths


def test_points_of_a_shape_are_interpolated():
    """The prompts of the worked example lie at 15.085 % and 53.588 %, the outputs at 65.1 %."""
    shape = [[0, 100], [50, 200], [100, 1_000]]
    first, second = made("poisson", 2, prompt=shape, output=shape)
    assert (first.prompt, second.prompt) == (130, 257)  # 100 + 30.17, 200 + 0.07176 · 800
    assert first.output == 441  # 200 + 0.30186 · 800


def test_a_percent_that_comes_twice_is_a_jump():
    shape = [[0, 10], [90, 10], [90, 4_000], [100, 4_000]]
    drawn = [r.prompt for r in made("uniform", 20_000, prompt=shape)]
    assert set(drawn) == {10, 4_000}
    assert drawn.count(4_000) == pytest.approx(2_000, rel=0.1)


def test_percentiles_of_drawn_lengths_are_near_their_points():
    shape = [[0, 1], [25, 40], [62.5, 300], [99, 2_000], [100, 2_300]]
    drawn = [r.output for r in made("uniform", 20_000, output=shape, seed=3)]
    cuts = quantiles(drawn, n=1_000, method="inclusive")
    assert cuts[249] == pytest.approx(40, rel=0.1)
    assert cuts[624] == pytest.approx(300, rel=0.1)
    assert cuts[989] == pytest.approx(2_000, rel=0.1)


def test_the_two_named_shapes_are_those_of_prompts_and_of_outputs():
    drawn = made("uniform", 2_000, **CONVERSATION)
    assert min(r.prompt for r in drawn) < 7 <= min(r.output for r in drawn)
    assert max(r.output for r in drawn) <= 1_000 < max(r.prompt for r in drawn)


@pytest.mark.parametrize("kind", RANDOM_KINDS)
def test_a_length_changes_no_arrival(kind):
    fixed, drawn = made(kind, 300), made(kind, 300, **CONVERSATION)
    assert times(fixed) == times(drawn)


def test_max_total_cuts_the_prompt_first_and_then_the_output():
    assert [
        made("uniform", 1, prompt=p, output=o, max_total=10)[0] for p, o in [(9, 4), (3, 4)]
    ] == [
        Request("R1", 0, 6, 4),
        Request("R1", 0, 3, 4),
    ]
    assert made("uniform", 1, prompt=9, output=10, max_total=10) == (Request("R1", 0, 1, 9),)
    both = made("uniform", 1, prompt=9, output=7, max_total=10, max_prompt=2)
    assert both == (Request("R1", 0, 2, 7),)


@given(st.integers(2, 3_000), st.integers(1, 3_000), st.integers(0, 100))
def test_caps_hold_and_cut_nothing_else(total, prompt, seed):
    free = made("uniform", 20, seed=seed, **CONVERSATION)
    capped = made("uniform", 20, seed=seed, **CONVERSATION, max_total=total, max_prompt=prompt)
    for before, after in zip(free, capped, strict=True):
        assert 1 <= after.prompt <= min(prompt, before.prompt)
        assert 1 <= after.output <= before.output
        assert after.prompt + after.output <= total
        if before.prompt <= prompt and before.prompt + before.output <= total:
            assert after == before
        if after.output < before.output:
            assert after.prompt == 1


def test_the_benchmark_of_20_000_conversations_is_a_table():
    asked = {"rate": 6.45, "seed": 42, "max_total": 4096} | CONVERSATION
    requests = made("poisson", 20_000, **asked)
    assert max(r.prompt + r.output for r in requests) == 4096
    assert requests[-1].arrival / 1e9 == pytest.approx(20_000 / 6.45, rel=0.03)


# Names, tenants, the long prompt


def test_ids_are_a_prefix_and_a_number():
    assert [r.id for r in made("uniform", prefix="chat ", first=9)] == [
        "chat 9",
        "chat 10",
        "chat 11",
    ]
    assert [r.id for r in made("uniform", prefix="", first=0)] == ["0", "1", "2"]


def test_tenants_are_drawn_last_by_weight():
    """Draws 4, 8 and 12 of Random(7) are 0.07244, 0.50744, 0.09071; a quarter belongs to chat."""
    rows = [{"name": "chat", "weight": 1, "priority": 2}, {"name": "batch", "weight": 3}]
    requests = made("poisson", 3, tenants=rows, priority=5)
    assert [(r.tenant, r.priority) for r in requests] == [("chat", 2), ("batch", 5), ("chat", 2)]


def test_shares_of_tenants_follow_their_weights():
    rows = [{"name": "none", "weight": 0}, {"name": "a", "weight": 0.5}, {"name": "b"}]
    drawn = [r.tenant for r in made("uniform", 20_000, tenants=rows)]
    assert set(drawn) == {"a", "b"}
    assert drawn.count("b") == pytest.approx(2 * drawn.count("a"), rel=0.05)


def test_without_tenants_all_have_the_priority_of_the_table():
    requests = made("uniform", priority=-3)
    assert {(r.priority, r.tenant) for r in requests} == {(-3, "")}


def test_weights_change_no_arrival_and_no_length():
    one, other = (
        made("gamma", 100, **CONVERSATION, tenants=[{"name": "a"}, {"name": "b", "weight": weight}])
        for weight in (1, 9)
    )
    assert [(r.arrival, r.prompt, r.output) for r in one] == [
        (r.arrival, r.prompt, r.output) for r in other
    ]
    assert [r.tenant for r in one] != [r.tenant for r in other]


def test_a_long_prompt_comes_in_front_of_those_of_its_time():
    long = {"long_prompt": 1_000, "long_output": 2}
    inside = made("uniform", **long, long_at=40, max_total=50, max_prompt=10, priority=4)
    assert [r.id for r in inside] == ["R1", "L", "R2", "R3"]
    assert inside[1] == Request("L", 40 * MS, 1_000, 2)
    assert [r.id for r in made("uniform", **long)] == ["L", "R1", "R2", "R3"]
    assert [r.id for r in made("uniform", **long, long_at=80.5)] == ["R1", "R2", "R3", "L"]


def test_the_long_prompt_changes_no_other_request():
    others = made("poisson", 50, long_prompt=9, long_output=9, long_at=3_000)
    assert tuple(r for r in others if r.id != "L") == made("poisson", 50)


# The table


@pytest.mark.parametrize("kind", KINDS)
def test_a_seed_gives_the_same_bytes_and_another_seed_others(kind):
    asked = CONVERSATION | {"tenants": [{"name": "a"}, {"name": "b"}]}
    drawn = [made(kind, 300, **asked | {"seed": seed}) for seed in (3, 3, 4)]
    assert digest(drawn[0]) == digest(drawn[1]) != digest(drawn[2])


def test_bytes_of_the_gamma_process_stay_the_same():
    """`random.gammavariate` has a way of its own below, at and above shape 1.

    Shape 0.5 by hand: p = 0.32383 · (e + 0.5) / e = 0.3834, its square is the first gap, 0.1470;
    0.15085 accepts it. The second one is (0.53588 · 1.1839)² = 0.4025, so the first two arrivals
    are as 0.1470 to 0.5495.
    """
    found = [
        [r.arrival // 1_000 for r in made("gamma", 4, burstiness=shape)] for shape in (0.5, 1, 3)
    ]
    assert found == [
        [513_089, 1_918_131, 1_925_010, 2_000_000],
        [714_866, 852_232, 961_383, 2_000_000],
        [497_399, 1_234_655, 1_396_605, 2_000_000],
    ]


def test_the_seed_is_0_unless_given():
    assert made("poisson", seed=None) == made("poisson", seed=0) != made("poisson", seed=1)


def test_a_file_of_toml_is_such_a_table():
    data = tomllib.loads("""
        [workload]
        kind = "groups"
        requests = 4
        size = 2
        gap = 12.5
        prompt = [[0, 5], [100, 5]]
        output = 3
        tenants = [{name = "chat", weight = 2.5}]
    """)
    requests, problems = generate(data["workload"], "ms")
    assert problems == []
    assert requests[3] == Request("R4", 12_500_000, 5, 3, tenant="chat")


@pytest.mark.parametrize("value", [None, 3, "poisson", []])
def test_what_is_no_table_is_refused(value):
    assert generate(value, "ms", ("a", 1)) == ((), [Problem(("a", 1), "not_a_table", value)])


def test_everything_wrong_is_told_at_once():
    rows = [{"nam": "a", "weight": -1}, "b", {"name": 3, "priority": 0.5}]
    asked = {"kind": "groups", "requests": 0, "gap": "x", "rate": 3, "prompt": True, "sed": 1}
    assert broken(asked | {"tenants": rows, "max_total": 1, "long_at": -1}) == [
        ("workload.sed", "unknown_key"),
        ("workload.rate", "meaningless_with"),
        ("workload.gap", "not_number"),
        ("workload.size", "required"),
        ("workload.requests", "too_small"),
        ("workload.prompt", "not_whole"),
        ("workload.output", "required"),
        ("workload.max_total", "too_small"),
        ("workload.tenants[0].nam", "unknown_key"),
        ("workload.tenants[0].name", "required"),
        ("workload.tenants[0].weight", "too_small"),
        ("workload.tenants[1]", "not_a_table"),
        ("workload.tenants[2].name", "not_text"),
        ("workload.tenants[2].priority", "not_whole"),
        ("workload.long_prompt", "required"),
        ("workload.long_output", "required"),
        ("workload.long_at", "too_small"),
    ]


def test_an_empty_table_names_what_every_workload_needs():
    assert broken({}) == [
        (f"workload.{name}", "required") for name in ("kind", "requests", "prompt", "output")
    ]


@pytest.mark.parametrize(
    ("kind", "changes", "path", "rule"),
    [
        ("uniform", {"requests": 50_001}, "requests", "too_large"),
        ("uniform", {"requests": 1.0}, "requests", "not_whole"),
        ("uniform", {"requests": True}, "requests", "not_whole"),
        ("uniform", {"requests": 10**400}, "requests", "too_large"),
        ("uniform", {"gap": None}, "gap", "required"),
        ("uniform", {"gap": -1}, "gap", "too_small"),
        ("uniform", {"gap": 10**11}, "gap", "too_large"),
        ("uniform", {"gap": math.nan}, "gap", "not_number"),
        ("uniform", {"gap": False}, "gap", "not_number"),
        ("uniform", {"size": 3}, "size", "meaningless_with"),
        ("uniform", {"start": math.inf}, "start", "too_large"),
        ("uniform", {"prompt": 0}, "prompt", "too_small"),
        ("uniform", {"prompt": 1_000_001}, "prompt", "too_large"),
        ("uniform", {"prompt": 2.5}, "prompt", "not_whole"),
        ("uniform", {"output": "conversations"}, "output", "not_choice"),
        ("uniform", {"output": {}}, "output", "not_whole"),
        ("uniform", {"max_prompt": 0}, "max_prompt", "too_small"),
        ("uniform", {"max_total": 1}, "max_total", "too_small"),
        ("uniform", {"max_total": "4096"}, "max_total", "not_whole"),
        ("uniform", {"seed": -1}, "seed", "too_small"),
        ("uniform", {"first": -1}, "first", "too_small"),
        ("uniform", {"prefix": 7}, "prefix", "not_text"),
        ("uniform", {"prefix": "a" * 24}, "prefix", "bad_id"),
        ("uniform", {"prefix": "a\n"}, "prefix", "bad_id"),
        ("uniform", {"priority": 1_000_001}, "priority", "too_large"),
        ("uniform", {"long_output": 3}, "long_prompt", "required"),
        ("uniform", {"long_prompt": 3}, "long_output", "required"),
        ("groups", {"size": 0}, "size", "too_small"),
        ("poisson", {"rate": 0}, "rate", "too_small"),
        ("poisson", {"rate": None}, "rate", "required"),
        ("poisson", {"rate": "14"}, "rate", "not_number"),
        ("poisson", {"rate": math.inf}, "rate", "too_large"),
        ("poisson", {"burstiness": 1}, "burstiness", "meaningless_with"),
        ("gamma", {"burstiness": 0}, "burstiness", "too_small"),
        ("gamma", {"burstiness": 1_001}, "burstiness", "too_large"),
        ("on_off", {"on": 0}, "on", "too_small"),
        ("on_off", {"on": None}, "on", "required"),
        ("on_off", {"off": -1}, "off", "too_small"),
        ("on_off", {"gap": 3}, "gap", "meaningless_with"),
        ("burst", {}, "kind", "not_choice"),
        (["uniform"], {}, "kind", "not_choice"),
    ],
)
def test_a_wrong_field_is_refused(kind, changes, path, rule):
    asked = table("uniform") | {"kind": kind, "gap": None} if kind not in KINDS else table(kind)
    assert broken(asked | changes) == [(f"workload.{path}", rule)]


@pytest.mark.parametrize(
    ("points", "path", "rule"),
    [
        ([], "", "bad_length"),
        ([[0, 5]], "", "bad_length"),
        ([[0, 1], *[[50, 1]] * 999, [100, 1]], "", "bad_length"),
        ([5, [100, 9]], "[0]", "not_a_list"),
        ([[0, 5], [100, 9, 1]], "[1]", "bad_length"),
        ([[10, 5], [100, 9]], "[0][0]", "too_large"),
        ([[-1, 5], [100, 9]], "[0][0]", "too_small"),
        ([[0, 5], [90, 9]], "[1][0]", "too_small"),
        ([[0, 5], [101, 9]], "[1][0]", "too_large"),
        ([[0, 5], [60, 6], [50, 7], [100, 9]], "[2][0]", "too_small"),
        ([[0, 5], [60, 6], [70, 5], [100, 9]], "[2][1]", "too_small"),
        ([[0, 0], [100, 9]], "[0][1]", "too_small"),
        ([[0, 5], [100, 1_000_001]], "[1][1]", "too_large"),
        ([[0, 5], [100, 9.5]], "[1][1]", "not_whole"),
        ([["0", 5], [100, 9]], "[0][0]", "not_number"),
        ([[0, 5], [math.nan, 6], [100, 9]], "[1][0]", "not_number"),
    ],
)
def test_wrong_points_of_a_shape_are_refused(points, path, rule):
    assert broken(table("uniform", output=points)) == [(f"workload.output{path}", rule)]


@pytest.mark.parametrize(
    ("rows", "path", "rule"),
    [
        ("chat", "", "not_a_list"),
        ([], "", "bad_length"),
        ([{"name": "a"}] * 1_001, "", "bad_length"),
        ([{"name": "a", "weight": 0}], "", "no_weight"),
        ([{"name": "a", "weight": 1_000_001}], "[0].weight", "too_large"),
        ([{"name": "a", "output": 3}], "[0].output", "unknown_key"),
        ([{"weight": 3}], "[0].name", "required"),
    ],
)
def test_wrong_tenants_are_refused(rows, path, rule):
    assert broken(table("uniform", tenants=rows)) == [(f"workload.tenants{path}", rule)]


@pytest.mark.parametrize("kind", RANDOM_KINDS)
def test_random_kinds_have_no_ticks(kind):
    _, problems = generate(table(kind), "tick")
    assert [str(problem) for problem in problems] == [
        f"workload.kind {kind} has no meaning with time = tick; change one of the two"
    ]


def test_ticks_are_whole():
    asked = table("groups", gap=2.5, start=0.5, long_prompt=1, long_output=1, long_at=1.5)
    assert broken(asked, "tick") == [
        (f"workload.{name}", "not_whole_ticks") for name in ("gap", "start", "long_at")
    ]


def test_the_long_prompt_takes_the_place_of_one_request():
    long = {"long_prompt": 1, "long_output": 1, "gap": 0}
    assert len(made("uniform", 49_999, **long)) == 50_000
    _, problems = generate(table("uniform", 50_000, **long), "ms")
    assert [str(problem) for problem in problems] == [
        "workload.requests must be at most 49999, not 50000"
    ]


@pytest.mark.parametrize(
    ("kind", "changes", "most"),
    [
        ("uniform", {"gap": 10**9}, 11),
        ("groups", {"gap": 10**9, "size": 3, "start": 10**9}, 30),
        ("uniform", {"gap": 10**9, "start": 10**10, "long_prompt": 1, "long_output": 1}, 1),
    ],
)
def test_arrivals_after_the_end_of_time_are_refused_with_the_number_that_fits(kind, changes, most):
    _, problems = generate(table(kind, 50, **changes), "ms")
    assert [str(problem) for problem in problems] == [
        f"workload.requests must be at most {most}, not 50"
    ]
    assert made(kind, most, **changes)[-1].arrival <= 10**10 * MS


def test_a_rate_too_low_for_the_number_is_refused():
    assert broken(table("poisson", 50_000, rate=0.001)) == [("workload.requests", "too_large")]


def test_a_misspelt_name_gets_a_suggestion_and_a_strange_one_the_list():
    _, problems = generate(table("uniform", promt=3, zzzzzz=1), "ms")
    told = [str(problem) for problem in problems]
    assert told[0] == "workload.promt is not a known name; did you mean prompt?"
    assert told[1].startswith("workload.zzzzzz is not a known name; known: kind, requests, gap, ")
    assert {problem.rule for problem in problems} <= set(RULES)


TIMES = ["gap", "start", "rate", "on", "off", "long_at"]
COUNTS = ["requests", "size", "burstiness", "max_prompt", "max_total", "first", "seed", "priority"]
OTHERS = ["prompt", "output", "prefix", "tenants", "long_prompt", "long_output"]
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 60),
    st.integers(),
    st.floats(),
    st.sampled_from(["conversation", "R", "", "x" * 30]),
    st.lists(st.tuples(st.sampled_from([0, 50, 100, "a"]), st.integers(0, 9))),
    st.lists(st.dictionaries(st.sampled_from(["name", "weight", "priority"]), st.integers(-1, 5))),
)


@given(
    st.sampled_from(KINDS),
    st.sampled_from(["ms", "tick"]),
    st.dictionaries(st.sampled_from(TIMES + COUNTS + OTHERS), VALUES, max_size=4),
)
def test_any_table_gives_requests_in_order_or_problems_with_words(kind, unit, changes):
    requests, problems = generate(table(kind) | changes, unit)
    assert bool(requests) != bool(problems)
    assert all(str(problem).startswith("workload") for problem in problems)
    arrivals = [request.arrival for request in requests]
    assert arrivals == sorted(arrivals)
    assert len({request.id for request in requests}) == len(requests)
    assert all(1 <= r.prompt <= 10**6 and 1 <= r.output <= 10**6 for r in requests)
