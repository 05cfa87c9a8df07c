"""Metrics by hand; over random runs they are held against plain formulas in `test_metric_laws`."""

from collections.abc import Sequence

import numpy as np
import pytest

from sim import Scenario, Status, run
from sim.metrics import Group, Metrics, metrics
from sim.metrics.groups import Kind
from sim.progress import Progress
from tests.sim.make import by_hand, scenario


def test_latencies_of_the_by_hand_run() -> None:
    spread = metrics(run(by_hand())).distributions()
    assert spread["ttft"] == pytest.approx(
        {"mean": 24.5 / 3, "p50": 8, "p95": 10.25, "p99": 10.45, "max": 10.5}
    )
    # gaps 5, 3.5, 5, 3 pooled over requests, not a mean of means
    assert spread["itl"] == pytest.approx(
        {"mean": 4.125, "p50": 4.25, "p95": 5, "p99": 5, "max": 5}
    )
    # one TPOT a request: 4.25, 5, 3
    assert spread["tpot"]["mean"] == pytest.approx(12.25 / 3)
    assert spread["queue"]["max"] == 2
    assert spread["e2e"]["p50"] == 13.5


def test_throughputs_divide_by_the_makespan() -> None:
    overall = metrics(run(by_hand())).overall()
    assert overall["output_tps"] == pytest.approx(7 / 0.0195)
    assert overall["input_tps"] == pytest.approx(11 / 0.0195)
    assert overall["request_rate"] == pytest.approx(3 / 0.0195)
    assert overall["budget_use"] == 15 / 20
    assert overall["peak_running"] == 3


def test_the_makespan_begins_with_the_first_arrival() -> None:
    shifted = scenario(("A", 100, 6, 3), ("B", 102, 2, 2), budget=8)
    assert (
        metrics(run(shifted)).makespan
        == metrics(run(scenario(("A", 0, 6, 3), ("B", 2, 2, 2), budget=8))).makespan
    )


def test_one_output_has_no_tpot_and_no_gap() -> None:
    own = metrics(run(scenario(("A", 0, 3, 1), budget=4))).request(0)
    assert (own.ttft, own.tpot, own.itl, own.max_itl, own.e2e) == (3.5, None, (), None, 3.5)


def test_before_the_first_round_ends_nothing_is_known() -> None:
    known = metrics(run(by_hand()), until=3_999_999)
    overall = known.overall()
    assert (known.rounds, overall["tokens"], overall["makespan"]) == (0, 0, None)
    assert (overall["output_tps"], overall["budget_use"]) == (None, None)
    assert overall["states"] == {"waiting": 2}  # as of the last round over
    assert known.request(0).queue == 0
    assert known.request(1).queue is None
    assert {value for values in known.distributions().values() for value in values.values()} >= {
        None
    }


def test_as_of_a_round_only_what_was_out_counts() -> None:
    history = run(by_hand())
    known = metrics(history, int(history.ends[2]))
    a, b, c = (known.request(i) for i in range(3))
    assert (a.outputs, a.state, a.e2e) == ((8, 13), Status.DECODE, None)
    assert (b.outputs, b.state, b.e2e) == ((8, 13), Status.FINISHED, 11)
    assert (c.outputs, c.state, c.ttft, c.queue) == ((), Status.PREFILL, None, 2)
    assert known.overall()["makespan"] == 13
    assert known.output_tps == pytest.approx(4 / 0.013)
    assert known.total("prefill") == 10


def test_ticks_count_tokens_a_tick() -> None:
    assert metrics(run(scenario(("A", 0, 1, 4), budget=1, time="tick"))).output_tps == 1


def test_metrics_without_a_time_are_those_at_the_end() -> None:
    history = run(by_hand())
    assert metrics(history).overall() == Metrics(history, int(history.ends[-1])).overall()


def test_progress_has_a_value_a_round() -> None:
    progress = Progress(run(by_hand()))
    assert progress.tokens.tolist() == [0, 2, 4, 6, 7]
    assert progress.finished.tolist() == [0, 0, 1, 2, 3]
    assert progress.makespan.tolist() == [4, 8, 13, 16.5, 19.5]
    assert progress.mean_ttft[1:].tolist() == pytest.approx([7, 7, 24.5 / 3, 24.5 / 3])
    assert progress.max_itl[2:].tolist() == [5, 5, 5]
    assert progress.mean_itl[3] == pytest.approx(4.5)


def test_progress_says_how_many_each_mean_is_over() -> None:
    # A and B have their first tokens in round 2, C in round 4; gaps end in rounds 3, 3, 4 and 5
    counted = Progress(run(by_hand())).counted
    assert {name: values.tolist() for name, values in counted.items()} == {
        "mean_queue": [1, 2, 3, 3, 3],
        "mean_ttft": [0, 2, 2, 3, 3],
        "mean_itl": [0, 0, 2, 3, 4],
    }


def test_the_columns_of_progress_go_by_the_names_of_the_figures() -> None:
    progress = Progress(run(by_hand()))
    columns = progress.columns
    assert columns["tokens"].tolist() == progress.tokens.tolist()
    assert {"makespan", "output_tps", "finished", "waste", "mean_ttft", "max_itl"} <= set(columns)
    assert {len(column) for column in columns.values()} == {5}


# Nothing at all.


NOBODY = scenario(
    ("A", 5, 3, 2, {"cancel_at": 5}),
    budget=4,
    num_blocks=9,
    buckets=[2],
    slo={"ttft": 1},
    window=[0, 5],
)


def test_a_run_without_a_round_has_no_figures_and_no_nan() -> None:
    known = metrics(run(NOBODY))
    overall = known.overall()
    assert (overall["rounds"], overall["makespan"], overall["peak_running"]) == (0, None, 0)
    assert (overall["output_tps"], overall["input_tps"], overall["goodput"]) == (None, None, None)
    assert (overall["budget_use"], known.usage.seat_use) == (None, None)
    assert overall["states"] == {"cancelled": 1}
    assert (known.attainment, known.attainment_of_all, known.good_tps) == (None, 0, None)
    assert known.kv is not None
    assert (known.kv.peak, known.kv.mean, known.kv.empty) == (0, None, None)
    assert overall["load"] == {"lambda": 0, "W": None, "L": 0, "queue_slope": None}
    assert {len(column) for column in Progress(known.history).columns.values()} == {0}


def test_before_the_first_arrival_nobody_has_waited() -> None:
    history = run(scenario(("A", 5, 3, 2), budget=4, window=[5, 9]))
    early = metrics(history, 4_999_999)
    assert (early.longest_wait, early.states(), early.groups("tenant")) == (None, {}, {})
    assert early.load is None
    assert metrics(history, 5_000_000).longest_wait == 0


def test_without_objectives_window_or_pool_their_figures_are_none() -> None:
    known = metrics(run(by_hand()))
    overall = known.overall()
    names = ("good", "goodput", "load", "peak_blocks")
    assert [overall[name] for name in names] == [None, None, None, None]
    assert (known.kv, known.load, known.missed, known.good) == (None, None, None, None)
    assert (known.num_good, known.good_tps, known.attainment) == (None, None, None)
    assert known.in_window() is known


# Drafts, buckets, seats.


def drafts() -> Scenario:
    rows = (("A", 0, 4, 9), ("B", 0, 4, 6))
    return scenario(*rows, budget=8, speculation={"drafts": 3, "accepted": [2, 0, 3, 1]})


def test_tokens_of_one_round_are_one_time_for_gaps_and_all_count_for_tpot() -> None:
    own = metrics(run(drafts())).request(0)
    assert own.outputs == (6, 13, 13, 13, 20, 20, 20, 20, 24.5)
    assert own.itl == (7, 7, 4.5)
    assert own.tpot == 18.5 / 8
    spread = metrics(run(drafts())).distributions()["itl"]
    assert spread["mean"] == (3 * 7 + 2 * 4.5 + 7) / 6  # A: 7, 7, 4.5; B: 7, 7, 4.5


def test_drafts_are_positions_of_the_budget() -> None:
    # given 8, 8, 8 and 3 of 8 in each round
    assert metrics(run(drafts())).overall()["budget_use"] == 27 / 32


def test_bucket_padding_is_padding() -> None:
    rows = [(f"D{i}", 0, 4, n, {"cached": 4}) for i, n in enumerate((1, 1, 1, 1, 2, 3, 3, 4, 4))]
    history = run(scenario(*rows, budget=16, buckets=[1, 2, 4, 8]))
    known = metrics(history)
    assert (known.usage.padding, known.usage.bucket_padding) == (3, 3)
    assert known.overall()["waste"] == 3
    assert Progress(history).waste.tolist() == [0, 3, 3, 3]
    assert metrics(history, int(history.ends[0])).usage.padding == 0


def test_idle_seats_of_a_static_batch_are_not_busy() -> None:
    rows = [(id_, 0, 4, n, {"cached": 4}) for id_, n in (("A", 2), ("B", 4), ("C", 6))]
    known = metrics(run(scenario(*rows, time="tick", budget=8, mode="static", batch_size=3)))
    assert (known.usage.seat_use, known.usage.idle) == (12 / 18, 6)


# Waiting.


def test_who_left_unserved_has_waited_too() -> None:
    rows = (("A", 0, 4, 10), ("B", 1, 4, 1, {"cancel_at": 9}))
    known = metrics(run(scenario(*rows, budget=4, max_num_seqs=1)))
    # A's rounds end at 4, 7, 10: B is gone at 10, after 9 ms in the queue.
    assert known.longest_wait == 9
    assert known.distributions()["queue"]["max"] == 0
    assert Progress(known.history).longest_wait.tolist() == [3, 6, *[9] * 8]


def test_who_is_here_is_counted_from_arrival_to_the_last_token() -> None:
    times = np.array([0, 2, 8, 13, 17, 20]) * 1_000_000  # B leaves at 13 ms, A at 16.5, C at 19.5
    assert metrics(run(by_hand())).presence.here_at(times).tolist() == [1, 2, 3, 2, 1, 0]


def test_a_mean_gap_over_the_goal_is_missed() -> None:
    known = metrics(run(by_hand(slo={"tpot": 4})))  # A: 8.5 ms for 2 tokens, B: 5 for 1, C: 3
    assert known.missed is not None
    assert known.missed["tpot"].tolist() == [True, True, False]


def test_who_has_one_token_meets_any_goal_for_gaps() -> None:
    assert metrics(run(scenario(("A", 0, 4, 1), budget=4, slo={"max_itl": 1}))).num_good == 1


def test_in_ticks_the_queue_is_looked_at_every_tick() -> None:
    # One seat, one token a tick: A leaves at 2, B at 4, C at 6; B waits 1–2, C 1–4.
    rows = (("A", 0, 1, 2), ("B", 1, 1, 2), ("C", 1, 1, 2))
    known = metrics(run(scenario(*rows, time="tick", budget=4, max_num_seqs=1, window=[0, 4])))
    presence = known.presence
    assert presence.waiting_at(np.arange(5)).tolist() == [0, 2, 1, 1, 0]
    assert known.load is not None
    # deviations −2 … 2 of the tick: (0·−2 + 2·−1 + 1·0 + 1·1 + 0·2) / 10
    assert known.load.queue_slope == pytest.approx(-0.1)
    assert (known.load.arrival_rate, known.load.time, known.load.number) == (0.75, 10 / 3, 2)
    assert known.load.gap == -0.5  # the system is not empty at 4


def test_of_a_window_under_way_only_its_past_is_known() -> None:
    rows = (("A", 0, 1, 2), ("B", 1, 1, 2), ("C", 1, 1, 2))
    history = run(scenario(*rows, time="tick", budget=4, max_num_seqs=1, window=[0, 4]))
    load = metrics(history, 2).load
    assert load is not None
    # By 2 three came; A has been here 2 ticks, B and C one each.
    assert (load.arrival_rate, load.time, load.number, load.gap) == (1.5, 4 / 3, 2, 0)
    assert (load.served_rate, load.queue_slope) == (0.5, 0.5)  # A is served; 0, 2, 1 wait


# Groups.


def parts(kind: Kind, bounds: Sequence[int] | None = None) -> dict[str, Group]:
    rows = (
        ("A", 0, 2, 1, {"tenant": "x", "priority": 10}),
        ("B", 0, 4, 2, {"tenant": "y", "priority": -1, "cached": 1}),
        ("C", 0, 4, 2, {"tenant": "x", "priority": 2}),
        ("D", 0, 9, 2, {"tenant": "", "priority": 2, "cancel_at": 8}),
    )
    history = run(scenario(*rows, budget=8, slo={"ttft": 8}))
    return metrics(history).groups(kind, bounds)


def test_prompt_lengths_are_parted_into_terciles_or_by_given_bounds() -> None:
    told = {name: group.count for name, group in parts("length").items()}
    assert told == {"1–4": 3, "> 4": 1}  # both bounds are 4
    told = {name: group.count for name, group in parts("length", bounds=(8, 2)).items()}
    assert told == {"1–2": 1, "3–8": 2, "> 8": 1}


def test_groups_stand_in_their_own_order() -> None:
    assert list(parts("priority")) == ["-1", "2", "10"]
    assert list(parts("tenant")) == ["", "x", "y"]
    assert list(parts("cache")) == ["hit", "miss"]
    assert list(parts("state")) == ["cancelled", "finished"]


def test_a_group_tells_whether_it_fails() -> None:
    # Round 1 ends at 6 (A 2, B 3, C 3 positions), round 2 at 12.5 (B, C 1, D 6).
    groups = parts("tenant")
    assert (groups["x"].good, groups["x"].attainment, groups["x"].missed) == (1, 0.5, {"ttft": 1})
    assert (groups["y"].good, groups["y"].attainment, groups["y"].missed) == (1, 1, {"ttft": 0})
    gone = groups[""]
    assert (gone.count, gone.finished, gone.attainment) == (1, 0, None)
    assert gone.attainment_of_all == 0


def test_a_window_leaves_out_who_came_before() -> None:
    history = run(scenario(*BY_TWO, budget=4, window=[2, 6]))
    inside = metrics(history).in_window()
    assert inside.distributions()["ttft"]["max"] == metrics(history).request(1).ttft
    assert (inside.tokens, inside.states()) == (2, {"finished": 1})
    assert inside.makespan == metrics(history).makespan


BY_TWO = (("A", 0, 6, 3), ("B", 2, 2, 2), ("C", 6, 3, 2))
