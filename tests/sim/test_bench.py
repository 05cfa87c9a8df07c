"""The benchmark runs and its ways agree. No test looks at a time: a busy machine is no fault."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim import Scenario, bench
from sim.history import simulate
from sim.setup import Cost, Request, Setup
from tests.bench import yardstick

MS = 1_000_000
ROWS = ("yardstick", "jump", "jump + arrays", "jump + metrics", "plain path")


@pytest.fixture(scope="module")
def small() -> bench.Bench:
    return bench.measure(50, best_of=2, num_accesses=20)


# The yardstick


def in_ms(rows: list[tuple[int, int, int]], **server: int) -> tuple[Any, ...]:
    """The yardstick's result in ms, with rounds of 2 ms + 1 ms a token."""
    ns = [(arrival * MS, prompt, output) for arrival, prompt, output in rows]
    costs = {"base": 2 * MS, "per_token": MS, "per_kv_token": 0}
    rounds, end, firsts, ends = bench.outcome_of(yardstick.simulate(ns, **costs, **server))
    assert not any(t % MS for t in (end, *firsts, *ends))
    return rounds, end // MS, [t // MS for t in firsts], [t // MS for t in ends]


def test_yardstick_by_hand() -> None:
    """A:4 | A:2 B:2 | A:1 B:1 C:2 | A:1 C:1 | C:1 take 6, 6, 6, 4 and 3 ms."""
    rows = [(0, 6, 3), (2, 2, 2), (6, 3, 2)]
    assert in_ms(rows, budget=4) == (5, 25, [12, 12, 22], [22, 18, 25])


def test_yardstick_evicts_who_finds_no_block_and_computes_it_again() -> None:
    """Pool of 5 blocks of 4: in round 2 A takes the fifth, so B, the last, has to go.

    A goes on alone (3 ms a round) until round 6, at 33 ms. Then B computes 8 + 1 tokens again in
    11 ms, and needs four rounds more.
    """
    rows = [(0, 8, 6), (0, 8, 6)]
    found = in_ms(rows, budget=16, block_size=4, num_blocks=5)
    assert found == (11, 56, [18, 18], [33, 56])


def test_yardstick_waits_for_a_seat_and_for_an_arrival() -> None:
    """One seat: A takes 4 and 3 ms, B the same after it; nobody is there from 14 to 100 ms."""
    rows = [(0, 2, 2), (0, 2, 2), (100, 2, 1)]
    assert in_ms(rows, seats=1) == (5, 104, [4, 11, 104], [7, 14, 104])


requests = st.lists(
    st.tuples(st.integers(0, 60), st.integers(1, 12), st.integers(1, 8)), min_size=1, max_size=9
).map(sorted)


@given(requests, st.integers(1, 20), st.integers(1, 5), st.integers(1, 4), st.integers(0, 6))
def test_yardstick_and_simulator_agree(
    rows: list[tuple[int, int, int]], budget: int, seats: int, block_size: int, spare: int
) -> None:
    num_blocks = spare + max(-(-(prompt + output - 1) // block_size) for _, prompt, output in rows)
    cost = Cost(base=6, per_prefill=3, per_decode=3, per_kv_token=1)
    setup = Setup(
        budget, max_num_seqs=seats, block_size=block_size, num_blocks=num_blocks, cost=cost
    )
    scenario = Scenario(setup, tuple(Request(f"R{i}", *row) for i, row in enumerate(rows)))
    found = yardstick.simulate(
        rows,
        budget=budget,
        seats=seats,
        num_blocks=num_blocks,
        block_size=block_size,
        base=6,
        per_token=3,
        per_kv_token=1,
    )
    assert bench.outcome_of(found) == bench.outcome_of(simulate(scenario))


# The workload


def test_workload_keeps_prompt_and_output_within_the_limit() -> None:
    requests = bench.workload(2_000).requests
    sizes = [request.prompt + request.output for request in requests]
    assert max(sizes) == 4_096
    assert min(request.prompt for request in requests) >= 1
    rate = len(requests) * 1e9 / requests[-1].arrival
    assert rate == pytest.approx(6.45, rel=0.1)


@pytest.mark.parametrize("num_requests", [0, 50_001])
def test_a_workload_out_of_bounds_is_refused(num_requests: int) -> None:
    with pytest.raises(ValueError, match="has 1 to 50,000 requests, not"):
        bench.measure(num_requests)


def test_server_is_the_one_the_yardstick_has_by_default() -> None:
    cost = bench.SETUP.cost
    assert (cost.base, cost.per_prefill, cost.per_decode, cost.per_kv_token) == (
        6_000_000,
        30_000,
        30_000,
        100,
    )
    assert (bench.SETUP.budget, bench.SETUP.max_num_seqs) == (512, 128)
    assert (bench.SETUP.num_blocks, bench.SETUP.block_size) == (4_000, 16)


# The benchmark


def test_every_way_is_there_and_all_agree(small: bench.Bench) -> None:
    assert tuple(row.name for row in small.rows) == ROWS
    assert small.agree
    outcome = small.rows[0].outcome
    assert len(outcome.first_tokens) == len(outcome.ends) == 50
    assert max(outcome.ends) == outcome.end
    assert all(row.seconds > 0 for row in small.rows)
    assert len(small.accesses) == 20


def test_printed_table_has_the_promised_rows(small: bench.Bench) -> None:
    lines = bench.told(small).splitlines()
    assert lines[0].startswith("50 synthetic requests, Poisson 6.45/s, seed 42")
    assert lines[1].split("  ")[-1] == "MiB above import"
    assert [line[:14].rstrip() for line in lines[2:7]] == list(ROWS)
    assert lines[2].split()[4] == "1.00"
    assert lines[7].startswith("history[k], 20 random k: median ")
    assert lines[8].startswith(f"all agree: {small.rows[0].outcome.rounds:,} rounds, end at ")
    assert len(lines) == 9


def test_ratio_is_the_yardsticks_time_over_the_own() -> None:
    outcome = bench.Outcome(10, 2_500_000_000, (1,), (2,))
    rows = (
        bench.Row("yardstick", 6.0, outcome, 1.0),
        bench.Row("jump", 0.5, outcome, None),
    )
    made = bench.Bench(3, rows, (0.004, 0.001, 0.002))
    yard, jump = (line.split() for line in bench.told(made).splitlines()[2:4])
    assert yard == ["yardstick", "6.000", "0", "2", "1.00", "1.0"]
    assert jump == ["jump", "0.500", "6", "20", "12.00", "–"]
    assert "median 2.000 ms, worst 4.000 ms" in bench.told(made)
    assert "all agree: 10 rounds, end at 2.500 s" in bench.told(made)
    figures = bench.as_dict(made)
    assert figures["access"] == pytest.approx({"median_ms": 2, "worst_ms": 4})
    assert figures["rows"]["jump"] == {
        "seconds": 0.5,
        "requests_per_s": 6,
        "rounds_per_s": 20,
        "ratio": 12,
        "mib": None,
        "rounds": 10,
        "end": 2500,
    }


@pytest.mark.parametrize(
    "other",
    [
        bench.Outcome(11, 9, (1,), (9,)),
        bench.Outcome(10, 8, (1,), (9,)),
        bench.Outcome(10, 9, (2,), (9,)),
        bench.Outcome(10, 9, (1,), (7,)),
    ],
)
def test_a_difference_of_any_kind_is_told(
    other: bench.Outcome, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    outcomes = [bench.Outcome(10, 9, (1,), (9,)), other]
    rows = (bench.Row(name, 1.0, o, None) for name, o in zip(ROWS, outcomes, strict=False))
    made = bench.Bench(1, tuple(rows), (0.1,))
    monkeypatch.setattr(bench, "measure", lambda num_requests: made)
    assert bench.main(1) == 1
    assert "THEY DIFFER" in capsys.readouterr().out
    assert bench.as_dict(made)["agree"] is False


def test_main_prints_text_or_one_object(
    small: bench.Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench, "measure", lambda num_requests: small)
    assert bench.main(50) == 0
    assert capsys.readouterr().out == bench.told(small)
    assert bench.main(50, as_json=True) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["workload"] == {"requests": 50, "rate": 6.45, "seed": 42}
    assert tuple(found["rows"]) == ROWS
    assert found["agree"] is True


def test_outside_a_checkout_there_is_no_yardstick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "YARDSTICK", "tests.bench.not_there")
    assert bench.ways() == ROWS[1:]
    outcome = bench.Outcome(10, 9, (1,), (9,))
    made = bench.Bench(1, (bench.Row("jump", 1.0, outcome, None),), (0.1,))
    assert bench.as_dict(made)["rows"]["jump"]["ratio"] is None
    assert bench.told(made).splitlines()[-1].startswith("no yardstick: tests.bench.not_there")


# Memory


def test_memory_of_a_way_is_measured_in_a_process_of_its_own(small: bench.Bench) -> None:
    """In this one, with all of pytest in it, a peak of the own size would be lost."""
    peaks = [row.memory for row in small.rows]
    assert all(peak is not None and 0 <= peak < 200 for peak in peaks)


def test_memory_of_a_way_is_what_the_peak_grows_by(monkeypatch: pytest.MonkeyPatch) -> None:
    peaks = iter([100, 350])
    monkeypatch.setattr(bench, "peak_memory", lambda: next(peaks))
    assert bench.memory_of("jump", 3) == 250
    monkeypatch.setattr(bench, "peak_memory", lambda: None)
    assert bench.memory_of("jump", 3) is None


def test_a_process_that_cannot_tell_its_memory_has_no_figure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Answer:
        stdout = "None\n"

    monkeypatch.setattr("subprocess.run", lambda *_, **__: Answer)
    assert bench._memory_apart("jump", 3) is None


def test_peak_memory_comes_from_the_first_that_tells_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    status = tmp_path / "status"
    status.write_text("Name:\tpython\nVmHWM:\t    2048 kB\nThreads:\t1\n")
    monkeypatch.setattr(bench, "PROC_STATUS", status)
    assert bench.peak_memory() == 2_097_152
    monkeypatch.setattr(bench, "PROC_STATUS", tmp_path / "not there")
    monkeypatch.setitem(sys.modules, "resource", None)
    assert bench.peak_memory() is None


def test_where_there_is_no_proc_the_resource_module_tells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Fake:
        RUSAGE_SELF = 0

        @staticmethod
        def getrusage(who: int) -> Any:
            return type("Usage", (), {"ru_maxrss": 5_000 + who})

    monkeypatch.setattr(bench, "PROC_STATUS", tmp_path / "not there")
    monkeypatch.setitem(sys.modules, "resource", Fake)
    assert bench.peak_memory() == 5_000


def test_a_terminal_is_told_what_is_being_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    bench.measure(5, best_of=1, num_accesses=1)
    assert capsys.readouterr().err.splitlines() == [f"{name} …" for name in ROWS]
