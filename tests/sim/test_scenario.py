"""Reading scenarios: every rule can be broken and is named with its place; nothing else happens."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim import Cost, Problem, Request, Scenario, ScenarioError, Setup, run
from sim.problems import RULES
from tests.sim import test_fork, test_hand
from tests.sim.make import by_hand, scenario, scenario_dicts

GOOD_REQUEST = {"id": "A", "arrival": 0, "prompt": 6, "output": 3}


def table(*requests: dict[str, Any], **setup: Any) -> dict[str, Any]:
    """A scenario's table, good unless a test breaks it."""
    return {"setup": {"budget": 4, **setup}, "requests": list(requests or (GOOD_REQUEST,))}


def request(**changes: Any) -> dict[str, Any]:
    """A good request with some fields changed; `...` takes a field away."""
    changed = {**GOOD_REQUEST, **changes}
    return {name: value for name, value in changed.items() if value is not ...}


def problems_of(data: Any) -> list[Problem]:
    with pytest.raises(ScenarioError) as caught:
        Scenario.from_dict(data)
    assert str(caught.value) == "; ".join(str(problem) for problem in caught.value.problems)
    return list(caught.value.problems)


def test_a_likely_name_is_looked_for_the_first_few_times() -> None:
    found = problems_of(table(**{f"budget{i}": 1 for i in range(12)}))
    assert ["did you mean" in str(problem) for problem in found] == [True] * 10 + [False] * 2


BROKEN: list[tuple[str, Any, str, str]] = [
    ("required", {"requests": [GOOD_REQUEST]}, "setup.budget", "is missing; give budget a value"),
    (
        "required",
        table(request(output=...)),
        "requests[0].output",
        "is missing; give output a value",
    ),
    (
        "unknown_key",
        table(budgget=3),
        "setup.budgget",
        "is not a known name; did you mean budget?",
    ),
    (
        "unknown_key",
        table(request(promt=3)),
        "requests[0].promt",
        "is not a known name; did you mean prompt?",
    ),
    (
        "unknown_key",
        table(cost={"base": 2, "per_prefil": 3}),
        "setup.cost.per_prefil",
        "is not a known name; did you mean per_prefill?",
    ),
    (
        "unknown_key",
        {**table(), "xyz": 1},
        "xyz",
        "is not a known name; known: setup, requests, workload, name, note, seed",
    ),
    ("not_a_table", [], "scenario", "must be a table of names and values, not []"),
    ("not_a_table", {"setup": 4, "requests": [GOOD_REQUEST]}, "setup", "must be a table of"),
    (
        "not_a_table",
        table("A"),  # type: ignore[arg-type]  # the wrong type is what is tested
        "requests[0]",
        "must be a table of names and values, not 'A'",
    ),
    ("not_a_table", table(cost=3), "setup.cost", "must be a table of names and values, not 3"),
    ("not_a_list", {"setup": {"budget": 4}, "requests": {}}, "requests", "must be a list, not {}"),
    ("not_whole", table(budget="4"), "setup.budget", "must be a whole number, not '4'"),
    ("not_whole", table(budget=4.0), "setup.budget", "must be a whole number, not 4.0"),
    ("not_whole", table(budget=True), "setup.budget", "must be a whole number, not True"),
    ("not_whole", table(request(prompt=None)), "requests[0].prompt", "must be a whole number"),
    ("not_whole", {**table(), "seed": "x"}, "seed", "must be a whole number, not 'x'"),
    (
        "not_number",
        table(request(arrival="soon")),
        "requests[0].arrival",
        "must be a number, not 'soon'",
    ),
    ("not_number", table(request(arrival=True)), "requests[0].arrival", "must be a number"),
    (
        "not_number",
        table(request(arrival=float("nan"))),
        "requests[0].arrival",
        "must be a number, not nan",
    ),
    ("not_number", table(batch_wait="long"), "setup.batch_wait", "must be a number, not 'long'"),
    (
        "not_whole_ticks",
        table(request(arrival=1.5), time="tick"),
        "requests[0].arrival",
        "must be a whole number of ticks, not 1.5",
    ),
    (
        "not_whole_ticks",
        table(batch_wait=0.5, time="tick"),
        "setup.batch_wait",
        "must be a whole number of ticks, not 0.5",
    ),
    ("not_bool", table(chunked="yes"), "setup.chunked", "must be true or false, not 'yes'"),
    ("not_bool", table(overtake=1), "setup.overtake", "must be true or false, not 1"),
    ("not_text", {**table(), "name": 3}, "name", "must be text, not 3"),
    ("not_text", table(request(id=7)), "requests[0].id", "must be text, not 7"),
    ("not_text", table(request(tenant=7)), "requests[0].tenant", "must be text, not 7"),
    (
        "not_choice",
        table(mode="dynamic"),
        "setup.mode",
        "must be one of continuous, static",
    ),
    ("not_choice", table(service=["x"]), "setup.service", "must be one of running_first"),
    ("too_small", table(budget=0), "setup.budget", "must be at least 1, not 0"),
    (
        "too_small",
        table(request(arrival=-0.5)),
        "requests[0].arrival",
        "must be at least 0, not -0.5",
    ),
    ("too_small", table(request(output=0)), "requests[0].output", "must be at least 1, not 0"),
    ("too_small", table(cost={"base": -1}), "setup.cost.base", "must be at least 0, not -1"),
    ("too_small", {**table(), "seed": -1}, "seed", "must be at least 0, not -1"),
    (
        "too_large",
        table(request(prompt=10**7)),
        "requests[0].prompt",
        "must be at most 1000000, not 10000000",
    ),
    ("too_large", table(request(arrival=float("inf"))), "requests[0].arrival", "must be at most"),
    (
        "too_large",
        {"setup": {"budget": 4}, "requests": [GOOD_REQUEST] * 50_001},
        "requests",
        "must be at most 50000, not 50001",
    ),
    (
        "bad_id",
        table(request(id="")),
        "requests[0].id",
        "must be 1 to 24 printable characters, not ''",
    ),
    ("bad_id", table(request(id="x" * 25)), "requests[0].id", "must be 1 to 24 printable"),
    ("bad_id", table(request(id="a\nb")), "requests[0].id", "must be 1 to 24 printable"),
    ("bad_id", table(request(id="   ")), "requests[0].id", "must be 1 to 24 printable"),
    ("bad_id", table(request(id="\ud800")), "requests[0].id", "must be 1 to 24 printable"),
    (
        "duplicate_id",
        table(GOOD_REQUEST, request(id="B"), GOOD_REQUEST),
        "requests[2].id",
        "is used twice: 'A'; every request needs an id of its own",
    ),
    (
        "no_requests",
        {"setup": {"budget": 4}, "requests": []},
        "requests",
        "has no requests; add at least one",
    ),
    ("no_requests", {"setup": {"budget": 4}}, "requests", "has no requests; add at least one"),
    (
        "max_output_below_output",
        table(request(max_output=2)),
        "requests[0].max_output",
        "must be at least the output (3), not 2",
    ),
    (
        "cached_above_prompt",
        table(request(cached=7)),
        "requests[0].cached",
        "must be at most the prompt (6), not 7",
    ),
    (
        "limit_without_chunks",
        table(budget=9, chunked=False, max_chunk=2),
        "setup.max_chunk",
        "cuts prompts, which chunked = false forbids; remove one of the two",
    ),
    (
        "limit_without_chunks",
        table(budget=9, chunked=False, max_prefill=2),
        "setup.max_prefill",
        "cuts prompts, which chunked = false forbids",
    ),
    (
        "limit_without_chunks",
        table(budget=9, chunked=False, round_target=5),
        "setup.round_target",
        "cuts prompts, which chunked = false forbids",
    ),
    (
        "limit_without_chunks",
        table(budget=9, chunked=False, granularity="token"),
        "setup.granularity",
        "cuts prompts, which chunked = false forbids",
    ),
    (
        "meaningless_with",
        table(granularity="token", order="tenant"),
        "setup.granularity",
        "token has no meaning with order = tenant",
    ),
    (
        "meaningless_with",
        table(granularity="token", service="prefill_first"),
        "setup.granularity",
        "token has no meaning with service = prefill_first",
    ),
    (
        "meaningless_with",
        table(mode="vllm_v1", order="deadline"),
        "setup.order",
        "deadline has no meaning with mode = vllm_v1",
    ),
    (
        "meaningless_with",
        table(mode="vllm_v1", max_decodes=4),
        "setup.max_decodes",
        "4 has no meaning with mode = vllm_v1",
    ),
    (
        "meaningless_with",
        table(mode="vllm_v1", first_token="next_round"),
        "setup.first_token",
        "next_round has no meaning with mode = vllm_v1",
    ),
    (
        "aging_needs_step",
        table(order="aging"),
        "setup.aging_step",
        "is missing; order = aging needs the time that is worth one level",
    ),
    (
        "chunks_need_size",
        table(granularity="chunk"),
        "setup.max_chunk",
        "is missing; granularity = chunk needs the size of a chunk",
    ),
    (
        "target_in_ticks",
        table(time="tick", round_target=5),
        "setup.round_target",
        "has no meaning with time = tick, where every round costs 1 tick",
    ),
    (
        "prompt_never_fits",
        table(chunked=False),
        "requests[0].prompt",
        "A: 6 tokens to compute can never fit whole into the budget of 4; "
        "raise the budget or switch chunked on",
    ),
    (
        "never_fits_pool",
        table(block_size=4, num_blocks=1),
        "requests[0].prompt",
        "A: needs 2 KV blocks in the end, the pool has 1; raise num_blocks or shorten the request",
    ),
    (
        "never_fits_pool",  # a static batch sets the allowed output aside
        table(request(max_output=7), mode="static", block_size=4, num_blocks=2),
        "requests[0].prompt",
        "A: needs 3 KV blocks in the end, the pool has 2",
    ),
    (
        "cost_in_ticks",
        table(time="tick", cost={"base": 3}),
        "setup.cost",
        "has no meaning with time = tick, where every round costs 1 tick",
    ),
    (
        "zero_cost",
        table(cost={"base": 0, "per_prefill": 0}),
        "setup.cost",
        "would make a round take no time; set base or another part above 0",
    ),
    (
        "zero_cost",
        table(cost={"base": 0, "per_decode": 0, "per_kv_token": 1}),
        "setup.cost",
        "would make a round take no time",
    ),
    (
        "leaves_before_arrival",
        table(request(arrival=9, cancel_at=2.5)),
        "requests[0].cancel_at",
        "must be at least the arrival (9), not 2.5",
    ),
    (
        "credits_with_pace",
        table(request(credits=2)),
        "requests[0].read_every",
        "is missing; a slow reader needs credits and read_every together",
    ),
    (
        "credits_with_pace",
        table(request(read_every=2)),
        "requests[0].credits",
        "is missing; a slow reader needs credits and read_every together",
    ),
    (
        "think_needs_loop",
        table(think=2),
        "setup.think",
        "has no meaning without concurrency; set that or remove think",
    ),
    (
        "padding_needs_buckets",
        table(price_padding=True),
        "setup.price_padding",
        "has no meaning without buckets; set those or remove price_padding",
    ),
    (
        "empty_slo",
        table(slo={}),
        "setup.slo",
        "sets no limit; give one of ttft, tpot, max_itl, e2e or remove slo",
    ),
    (
        "not_growing",
        table(buckets=[1, 4, 4]),
        "setup.buckets",
        "must grow from each entry to the next, not [1, 4, 4]",
    ),
    (
        "not_growing",
        table(window=[20, 3]),
        "setup.window",
        "must grow from each entry to the next, not [20, 3]",
    ),
    (
        "bad_length",
        table(buckets=[]),
        "setup.buckets",
        "must have 1 to 1000 entries, not 0",
    ),
    ("not_a_list", table(window=3), "setup.window", "must be a list, not 3"),
    (
        "no_weight",
        table(moe={"weights": [0, 0.0]}),
        "setup.moe.weights",
        "must have a weight above 0, not [0, 0.0]",
    ),
    (
        "not_number",
        table(moe={"weights": ["x"]}),
        "setup.moe.weights",
        "must be a number, not 'x'",
    ),
    (
        "too_large",
        table(speculation={"drafts": 2, "accepted": 1.5}),
        "setup.speculation.accepted",
        "must be at most 1, not 1.5",
    ),
    (
        "required",
        table(speculation={"drafts": 2}),
        "setup.speculation.accepted",
        "is missing; give accepted a value",
    ),
    (
        "two_answers",
        {**table(request()), "workload": {}},
        "workload",
        "stands beside requests; keep one of the two",
    ),
    (
        "meaningless_with",  # first come, first served has one order
        table(granularity="token", order="priority"),
        "setup.granularity",
        "token has no meaning with order = priority",
    ),
    (
        "too_many_rounds",
        table(*(request(id=f"R{i}", prompt=1_000_000) for i in range(11)), budget=1),
        "scenario",
        "would need about 11,000,033 rounds, the most is 10,000,000; "
        "raise the budget or use fewer tokens",
    ),
]


@pytest.mark.parametrize(
    ("rule", "data", "path", "words"),
    BROKEN,
    ids=[f"{rule} at {path}" for rule, _, path, _ in BROKEN],
)
def test_a_broken_rule_is_named_with_its_place_and_what_is_right(
    rule: str, data: Any, path: str, words: str
) -> None:
    found = [problem for problem in problems_of(data) if problem.rule == rule]
    assert path in [problem.path or "scenario" for problem in found]
    assert str(found[0]).startswith(f"{path} {words}")


def test_every_rule_is_broken_above() -> None:
    """Those of forks and of rounds by hand in the tests of these."""
    cases = (*BROKEN, *test_fork.BROKEN, *test_hand.BROKEN)
    assert {rule for rule, *_ in cases} == set(RULES)


def test_all_problems_come_at_once() -> None:
    data = table(
        request(prompt=0, output="x", arival=3),
        request(id="B", cached=9, max_output=1),
        7,  # type: ignore[arg-type]  # no table at all
        budget=0,
        mode="x",
        cost={"base": "free", "bas": 1},
    )
    assert [(problem.rule, problem.path) for problem in problems_of(data)] == [
        ("too_small", "setup.budget"),
        ("not_choice", "setup.mode"),
        ("unknown_key", "setup.cost.bas"),
        ("not_number", "setup.cost.base"),
        ("unknown_key", "requests[0].arival"),
        ("too_small", "requests[0].prompt"),
        ("not_whole", "requests[0].output"),
        ("not_a_table", "requests[2]"),
    ]


def test_rules_between_fields_come_at_once_too() -> None:
    data = table(
        request(cached=9, max_output=1),
        GOOD_REQUEST,
        budget=3,
        chunked=False,
        max_chunk=2,
    )
    assert {(problem.rule, problem.path) for problem in problems_of(data)} == {
        ("limit_without_chunks", "setup.max_chunk"),
        ("cached_above_prompt", "requests[0].cached"),
        ("max_output_below_output", "requests[0].max_output"),
        ("duplicate_id", "requests[1].id"),
        ("prompt_never_fits", "requests[1].prompt"),
    }


def test_a_problem_is_data_that_another_language_can_word() -> None:
    problem = Problem(("requests", 2, "prompt"), "too_small", 0, {"low": 1})
    assert problem.path == "requests[2].prompt"
    assert str(problem) == "requests[2].prompt must be at least 1, not 0"
    assert str(Problem((), "no_requests")) == "scenario has no requests; add at least one"


def test_null_means_unset_where_a_default_is_none() -> None:
    read = Scenario.from_dict(table(request(max_output=None), max_chunk=None, batch_wait=None))
    assert read == Scenario.from_dict(table())


def test_defaults_are_those_of_the_rules() -> None:
    setup = Scenario.from_dict(table()).setup
    assert setup == Setup(4, "continuous", "ms", 128, "last_chunk", True, False, None)
    assert setup.service == "running_first"
    assert setup.cost == Cost(2_000_000, 500_000, 1_000_000, 0)


def test_seats_are_the_batch_in_static_mode_and_max_num_seqs_else() -> None:
    continuous = scenario(("A", 0, 1, 1), budget=4, max_num_seqs=9)
    assert continuous.setup.seats == 9
    assert continuous.with_setup(mode="static").setup.seats == 4
    assert continuous.with_setup(mode="static", batch_size=3).setup.seats == 3
    assert continuous.with_setup(mode="static", batch_size=8).setup.seats == 4


def test_limits_on_prompts_count_among_the_rounds_a_run_may_need() -> None:
    subject = scenario(("A", 0, 12, 3), budget=6)
    assert subject.most_rounds == 5
    assert subject.with_setup(max_chunk=4).most_rounds == 6
    assert subject.with_setup(max_prefill=2).most_rounds == 9


def test_a_changed_setup_is_checked_again() -> None:
    assert by_hand().with_setup(budget=6).setup.budget == 6
    with pytest.raises(ScenarioError, match=r"A: 6 tokens .* budget of 4"):
        by_hand().with_setup(chunked=False)


def test_a_prompt_larger_than_the_budget_runs_in_a_static_batch_without_chunks() -> None:
    assert len(run(by_hand(mode="static", chunked=False))) > 0


# Times.


@pytest.mark.parametrize(
    ("shown", "nanoseconds"),
    [
        (0.1, 100_000),
        (0.3, 300_000),
        (2.675, 2_675_000),
        (123456.789012, 123_456_789_012),
        (0.000001, 1),
        (0.0000005, 0),
        (0.0000015, 2),
        (0.0000025, 2),
        (0.00000251, 3),
        (3, 3_000_000),
    ],
)
def test_times_are_exact_to_six_digits_and_finer_ones_go_to_the_even_neighbour(
    shown: float, nanoseconds: int
) -> None:
    assert Scenario.from_dict(table(request(arrival=shown))).requests[0].arrival == nanoseconds
    cost = Scenario.from_dict(table(cost={"per_prefill": shown})).setup.cost
    assert cost.per_prefill == nanoseconds


@given(st.integers(0, 10**15 - 1))  # fifteen digits: all that a float in a file can hold
def test_a_decimal_of_six_digits_loses_nothing(nanoseconds: int) -> None:
    whole, rest = divmod(nanoseconds, 1_000_000)
    shown = float(f"{whole}.{rest:06}")
    read = Scenario.from_dict(table(request(arrival=shown)))
    assert read.requests[0].arrival == nanoseconds
    assert Scenario.from_dict(read.to_dict()) == read


# Round trips.


@given(scenario_dicts(), st.text(max_size=10), st.text(max_size=10))
def test_writing_and_reading_gives_the_same_scenario(
    data: dict[str, Any], name: str, note: str
) -> None:
    read = Scenario.from_dict({**data, "name": name, "note": note})
    again = Scenario.from_dict(read.to_dict())
    assert again == read
    assert hash(again) == hash(read)
    assert again.to_dict() == read.to_dict()


def test_scenarios_that_differ_in_a_late_request_are_two() -> None:
    rows = tuple(Request(str(i), i, 1, 1) for i in range(200))
    one = Scenario(Setup(budget=4), rows)
    other = replace(one, requests=(*rows[:-1], replace(rows[-1], output=2)))
    assert hash(one) == hash(other)
    assert len({one, other}) == 2


def test_fields_at_their_default_are_not_written() -> None:
    assert by_hand().to_dict() == {
        "setup": {"budget": 4, "service": "decode_first"},
        "requests": [
            {"id": "A", "arrival": 0, "prompt": 6, "output": 3},
            {"id": "B", "arrival": 2, "prompt": 2, "output": 2},
            {"id": "C", "arrival": 6, "prompt": 3, "output": 2},
        ],
    }


def test_a_scenario_is_a_key_that_tells_setups_apart() -> None:
    known = {by_hand(): 4, by_hand(budget=6): 6}
    assert known[by_hand()] == 4
    assert known[by_hand(budget=6)] == 6
    assert by_hand() != by_hand(budget=6)
    with pytest.raises(AttributeError):
        by_hand().setup.budget = 5  # type: ignore[misc]  # frozen: must fail


def test_what_a_request_may_generate_is_its_output_unless_said() -> None:
    assert Request("A", 0, 4, 3).allowed_output == 3
    assert Request("A", 0, 4, 3, max_output=9).allowed_output == 9


# Anything at all.

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=6)
    | st.sampled_from(["tick", "static", "full", "A", 10**30, -1, 0, 1, 1.5])
)
JSON = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
SETUP_NAMES = [*Setup.__dataclass_fields__, "bugdet"]
REQUEST_NAMES = [*Request.__dataclass_fields__, "tennant"]
LIKELY = st.fixed_dictionaries(
    {},
    optional={
        "name": LEAVES,
        "note": JSON,
        "seed": LEAVES,
        "setup": JSON | st.dictionaries(st.sampled_from(SETUP_NAMES), JSON, max_size=5),
        "requests": JSON
        | st.lists(
            JSON | st.dictionaries(st.sampled_from(REQUEST_NAMES), LEAVES, max_size=6), max_size=3
        ),
    },
)


@given(JSON | LIKELY)
def test_strange_input_is_refused_in_words_and_never_breaks(data: Any) -> None:
    try:
        read = Scenario.from_dict(data)
    except ScenarioError as error:
        assert error.problems
        assert all(problem.rule in RULES and str(problem) for problem in error.problems)
    else:
        assert Scenario.from_dict(read.to_dict()) == read


@given(scenario_dicts(), st.data())
def test_one_strange_value_in_a_good_table_is_refused_or_read(
    data: dict[str, Any], drawn: st.DataObject
) -> None:
    target = drawn.draw(st.sampled_from([data["setup"], *data["requests"]]))
    target[drawn.draw(st.sampled_from(sorted(target)))] = drawn.draw(JSON)
    try:
        Scenario.from_dict(data)
    except ScenarioError as error:
        assert all(str(problem) for problem in error.problems)


def test_a_number_too_long_to_print_is_refused_in_words() -> None:
    (problem,) = problems_of(table(request(prompt=16**5000)))
    assert problem.rule == "too_large"
    assert str(problem).startswith("requests[0].prompt must be at most 1000000")


def test_a_workload_stands_in_place_of_requests() -> None:
    traffic = {"kind": "uniform", "requests": 3, "gap": 4, "prompt": 2, "output": 1}
    subject = Scenario.from_dict({"setup": {"budget": 8}, "workload": traffic})
    assert [(r.id, r.arrival) for r in subject.requests] == [
        ("R1", 0),
        ("R2", 4_000_000),
        ("R3", 8_000_000),
    ]
    both = {"setup": {"budget": 8}, "workload": traffic, "requests": [request()]}
    found = [str(problem) for problem in problems_of(both)]
    assert found == ["workload stands beside requests; keep one of the two"]
    broken = {"setup": {"budget": 8}, "workload": {**traffic, "gap": -1}}
    assert [problem.path for problem in problems_of(broken)] == ["workload.gap"]


def test_a_changed_setup_is_held_to_the_bounds_of_its_fields() -> None:
    with pytest.raises(ScenarioError, match="must be at least 1, not 0"):
        by_hand().with_setup(budget=0)
