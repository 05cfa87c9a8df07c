"""Metrics over random runs against plain formulas, at the end and as of every round."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sim import History, Scenario
from sim.history import simulate
from sim.metrics import KINDS, Metrics, metrics, spread
from sim.progress import Progress
from tests.sim.make import plain_servers, scenarios
from tests.sim.plain_metrics import SPREADS, Plain

WITH_SLO = st.sampled_from(
    [{"ttft": 20, "max_itl": 5}, {"tpot": 3, "e2e": 40}, {"max_itl": 3}, {"tpot": 1}]
)
WITH_WINDOW = st.sampled_from([[0, 30], [5, 11], [0, 200]])


def run_of(subject: Scenario) -> History:
    history = simulate(subject)
    assume(len(history))
    return history


def both(
    history: History, data: st.DataObject, *, may_be_over: bool = True
) -> tuple[Metrics, Plain]:
    """The metrics and the second opinion, at the end or as of a round."""
    counts = st.integers(1, len(history))
    count = data.draw(counts | st.none() if may_be_over else counts)
    until = None if count is None else int(history.ends[count - 1])
    return metrics(history, until), Plain(history, count)


def assert_spreads(found: dict[str, Any], wanted: dict[str, list[Any]], plain: Plain) -> None:
    for name in SPREADS:
        expected = plain.spread(wanted[name])
        assert found[name].pop("mean") == pytest.approx(expected["mean"], abs=1e-9), name
        for cut in ("p50", "p95", "p99", "max"):
            assert found[name][cut] == expected[cut], (name, cut)


# Percentiles.


@given(st.lists(st.tuples(st.integers(0, 10**12), st.integers(0, 40)), max_size=20))
def test_weighted_percentiles_are_numpys_of_the_written_out_list(pairs: Any) -> None:
    values = np.array([value for value, _ in pairs], dtype=np.int64)
    weights = np.array([weight for _, weight in pairs], dtype=np.int64)
    found = spread(values, 1, weights)
    written = np.repeat(values, weights)
    if not len(written):
        assert set(found.values()) == {None}
        return
    assert found["mean"] == pytest.approx(written.mean(), rel=1e-12)
    for name, percent in (("p50", 50), ("p95", 95), ("p99", 99), ("max", 100)):
        assert found[name] == np.percentile(written, percent)


@given(st.lists(st.floats(0, 1e12), min_size=1, max_size=40))
def test_plain_percentiles_are_numpys_to_the_last_bit(values: list[float]) -> None:
    found = spread(np.array(values), 1000)
    for name, percent in (("p50", 50), ("p95", 95), ("p99", 99), ("max", 100)):
        assert found[name] == np.percentile(values, percent) / 1000


# Requests.


@settings(max_examples=150)
@given(scenarios() | plain_servers(), st.data())
def test_latencies_are_those_of_plain_formulas(subject: Scenario, data: st.DataObject) -> None:
    known, plain = both(run_of(subject), data)
    assert_spreads(known.distributions(), plain.lists(), plain)


@given(scenarios() | plain_servers(), st.data())
def test_each_request_has_the_figures_of_its_own_tokens(
    subject: Scenario, data: st.DataObject
) -> None:
    known, plain = both(run_of(subject), data)
    for index, id_ in enumerate(plain.ids):
        own, times, unit = known.request(index), plain.sent[id_], plain.unit
        assert own.outputs == tuple(t / unit for t in times)
        assert (own.generated, own.sent) == (len(plain.generated[id_]), len(times))
        assert own.arrival == plain.arrival[id_] / unit
        alone = plain.lists({id_})
        assert own.itl == tuple(gap / unit for gap in alone["itl"])
        assert own.max_itl == (max(alone["itl"]) / unit if alone["itl"] else None)
        for name in ("queue", "ttft", "tpot", "e2e"):
            (wanted,) = alone[name] or [None]
            assert getattr(own, name) == (None if wanted is None else wanted / unit), name


@given(scenarios() | plain_servers(), st.data())
def test_states_are_those_the_rounds_tell(subject: Scenario, data: st.DataObject) -> None:
    known, plain = both(run_of(subject), data)
    states = [str(known.request(index).state) for index in range(len(plain.ids))]
    assert states == [plain.state[id_] for id_ in plain.ids]
    here = [plain.state[id_] for id_ in plain.here]
    assert known.states() == {name: here.count(name) for name in set(here)}


# Totals.


@given(scenarios() | plain_servers(), st.data())
def test_totals_are_sums_over_the_rounds(subject: Scenario, data: st.DataObject) -> None:
    known, plain = both(run_of(subject), data)
    overall: dict[str, Any] = known.overall()
    rounds, setup = plain.rounds, subject.setup
    assert overall["rounds"] == len(rounds)
    assert overall["finished"] == len(plain.done)
    assert overall["tokens"] == sum(map(len, plain.sent.values()))
    assert overall["generated"] == sum(sum(r.tokens.values()) for r in rounds)
    assert overall["padding"] == sum(r.padding + r.bucket_padding for r in rounds)
    assert overall["idle"] == sum(len(r.idle) for r in rounds)
    assert overall["waste"] == overall["padding"] + overall["idle"]
    assert overall["preemptions"] == sum(len(r.preempted) for r in rounds)
    assert overall["recomputed"] == plain.recomputed
    assert overall["peak_running"] == max(len(r.running) for r in rounds)
    pool = setup.num_blocks is not None
    assert overall["peak_blocks"] == (max(r.used or 0 for r in rounds) if pool else None)
    positions = sum(r.prefill + r.decode + r.drafts for r in rounds)
    assert overall["budget_use"] == positions / (setup.budget * len(rounds))
    busy = sum(len(r.running) for r in rounds)
    assert known.usage.seat_use == busy / (setup.seats * len(rounds))


@given(scenarios() | plain_servers(), st.data())
def test_throughputs_divide_by_the_makespan(subject: Scenario, data: st.DataObject) -> None:
    known, plain = both(run_of(subject), data)
    overall: dict[str, Any] = known.overall()
    assert overall["makespan"] == plain.span / plain.unit
    prompts = sum(plain.requests[id_].prompt for id_, times in plain.sent.items() if times)
    wanted = {
        "output_tps": plain.rate(sum(map(len, plain.sent.values()))),
        "request_rate": plain.rate(len(plain.done)),
        "input_tps": plain.rate(prompts),
    }
    assert {name: overall[name] for name in wanted} == pytest.approx(wanted)


# Objectives.


@given(scenarios(slo=WITH_SLO), st.data())
def test_goodput_counts_who_met_every_objective(subject: Scenario, data: st.DataObject) -> None:
    known, plain = both(run_of(subject), data)
    good = plain.good
    assert known.num_good == known.overall()["good"] == len(good)
    assert known.goodput == known.overall()["goodput"] == pytest.approx(plain.rate(len(good)))
    assert known.good_tps == pytest.approx(plain.rate(sum(len(plain.sent[i]) for i in good)))
    assert known.attainment == (len(good) / len(plain.done) if plain.done else None)
    assert known.attainment_of_all == (len(good) / len(plain.here) if plain.here else None)
    assert known.missed is not None
    for name, who in known.missed.items():
        assert [plain.ids[i] for i in np.flatnonzero(who)] == [
            id_ for id_ in plain.done if name in plain.misses(id_)
        ], name


@given(scenarios(slo=WITH_SLO), st.data())
def test_groups_have_the_figures_of_their_members(subject: Scenario, data: st.DataObject) -> None:
    known, plain = both(run_of(subject), data)
    prompts = sorted(r.prompt for r in subject.requests)
    third = prompts[-(-len(prompts) // 3) - 1], prompts[-(-2 * len(prompts) // 3) - 1]
    for kind in KINDS:
        seen = 0
        for name, group in known.groups(kind).items():
            members = [id_ for id_ in plain.here if _is_in(kind, name, id_, plain, third)]
            assert (group.name, group.count) == (name, len(members))
            inside = [id_ for id_ in plain.done if id_ in members]
            good = [id_ for id_ in plain.good if id_ in members]
            assert (group.finished, group.good) == (len(inside), len(good))
            assert group.attainment == (len(good) / len(inside) if inside else None)
            assert group.attainment_of_all == len(good) / len(members)
            for objective, number in group.missed.items():
                assert number == sum(objective in plain.misses(id_) for id_ in inside)
            lists = plain.lists(set(members))
            assert_spreads(group.latencies, lists, plain)
            seen += group.count
        assert seen == len(plain.here)


def _is_in(kind: str, name: str, id_: str, plain: Plain, third: tuple[int, int]) -> bool:
    request = plain.requests[id_]
    if kind == "length":
        low = 1 + max((bound for bound in third if request.prompt > bound), default=0)
        high = min((bound for bound in third if request.prompt <= bound), default=None)
        return name == (f"> {low - 1}" if high is None else f"{low}–{high}")
    own: dict[str, object] = {
        "tenant": request.tenant,
        "cache": "hit" if request.cached > 0 else "miss",
        "priority": request.priority,
        "state": plain.state[id_],
    }
    return name == str(own[kind])


# Waiting and load.


@given(scenarios() | plain_servers(), st.data())
def test_the_longest_wait_is_that_of_everybody_who_came(
    subject: Scenario, data: st.DataObject
) -> None:
    known, plain = both(run_of(subject), data)
    assert known.longest_wait == plain.longest_wait() / plain.unit


@given(scenarios() | plain_servers(), st.data())
def test_the_number_waiting_is_counted_one_by_one(subject: Scenario, data: st.DataObject) -> None:
    history = run_of(subject)
    plain = Plain(history)
    times = data.draw(st.lists(st.integers(0, 80), min_size=1))
    inside = np.array(times) * plain.unit
    found = metrics(history).presence.waiting_at(inside)
    assert found.tolist() == [plain.waiting(int(t)) for t in inside]
    present = [
        sum(plain.arrival[i] <= t < plain.left_at[i] for i in plain.ids) for t in map(int, inside)
    ]
    assert metrics(history).presence.here_at(inside).tolist() == present


@given(scenarios(window=WITH_WINDOW), st.data())
def test_load_is_that_of_a_sweep_over_time(subject: Scenario, data: st.DataObject) -> None:
    known, plain = both(run_of(subject), data)
    wanted, found = plain.load(), known.load
    assert known.overall()["load"] == (None if found is None else found.to_dict())
    if wanted is None or found is None:
        assert wanted is None and found is None
        return
    assert found.to_dict() == pytest.approx(wanted, abs=1e-9)
    wanted_gap = (wanted["L"] or 0) - (wanted["lambda"] or 0) * (wanted["W"] or 0)
    assert found.gap == pytest.approx(wanted_gap, abs=1e-9)
    begin, end = subject.setup.window or (0, 0)
    end = end if plain.now is None else min(end, plain.now)
    served = [i for i in plain.done if begin < plain.sent[i][-1] <= end]
    assert found.served_rate == pytest.approx(len(served) / ((end - begin) / plain.second))


@given(scenarios(window=WITH_WINDOW), st.data())
def test_a_window_may_be_all_that_counts(subject: Scenario, data: st.DataObject) -> None:
    known, plain = both(run_of(subject), data)
    begin, end = subject.setup.window or (0, 0)
    lists = plain.lists({id_ for id_ in plain.ids if begin <= plain.arrival[id_] < end})
    assert_spreads(known.in_window().distributions(), lists, plain)


# KV.


@given(scenarios(speculation=None), st.data())
def test_kv_use_is_that_of_the_block_tables(subject: Scenario, data: st.DataObject) -> None:
    known, plain = both(run_of(subject), data)
    kv = known.kv
    assert (kv is None) == (subject.setup.num_blocks is None)
    if kv is None:
        return
    assert (kv.peak, kv.mean, kv.empty) == pytest.approx(plain.kv())


@given(scenarios(num_blocks=30, reserve="max_output", mode="continuous"), st.data())
def test_blocks_set_aside_have_empty_slots_behind_the_last_token_only(
    subject: Scenario, data: st.DataObject
) -> None:
    known, plain = both(run_of(subject), data)
    assert known.kv is not None
    assert known.kv.empty == pytest.approx(plain.kv()[2])


# Progress.


@given(scenarios() | plain_servers())
def test_progress_agrees_with_metrics_after_every_round(subject: Scenario) -> None:
    history = run_of(subject)
    columns = Progress(history).columns
    assert ("good" in columns) == (subject.setup.slo is not None)
    assert ("used" in columns) == (subject.setup.num_blocks is not None)
    for k, record in enumerate(history):
        known = metrics(history, record.end)
        overall, latencies = known.overall(), known.distributions()
        wanted = {
            **{name: overall[name] for name in ("makespan", "output_tps", "tokens", "finished")},
            "waste": overall["waste"],
            "mean_ttft": latencies["ttft"]["mean"],
            "mean_itl": latencies["itl"]["mean"],
            "max_itl": latencies["itl"]["max"],
            "longest_wait": known.longest_wait,
            "waiting": len(record.queue),
            "used": record.used,
            "good": known.num_good,
            "mean_queue": latencies["queue"]["mean"],
            "request_rate": overall["request_rate"],
            "input_tps": overall["input_tps"],
            "budget_use": overall["budget_use"],
            "peak_used": overall["peak_blocks"],
            "mean_used": known.kv and known.kv.mean,
            "preemptions": overall["preemptions"],
            "recomputed": overall["recomputed"],
        }
        for name, column in columns.items():
            value = None if np.isnan(column[k]) else column[k]
            assert value == pytest.approx(wanted[name]), (name, record.number)


# At the end.


@given(scenarios() | plain_servers())
def test_late_figures_of_the_last_round_are_those_of_the_end(subject: Scenario) -> None:
    history = run_of(subject)
    last = max(int(history.ends[-1]), int(history.ended_at.max())) + 1
    whole, late = metrics(history).overall(), metrics(history, last).overall()
    assert whole.pop("load") is late.pop("load") is None or subject.setup.window
    assert whole == late
