"""What the stamps of a trace make doubtful: units, batches, zones, clocks, generated arrivals."""

from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.traces import Dropped, read_trace, read_trace_file
from sim.traces.units import stamps_of
from tests.sim.trace_files import (
    AZURE,
    BURST,
    PLAIN,
    REPLAY,
    VIDUR,
    csv,
    jsonl,
    refused,
    rules,
    said,
)

MS = 10**6


def arrivals(text: str, **options: object) -> list[float]:
    """Arrivals in ms."""
    found = read_trace("x.csv", text, **options)  # type: ignore[arg-type]  # options of any name
    return [request.arrival / MS for request in found.requests]


# The unit


STAMPS: dict[str, list[float]] = {
    "s": [i * 0.37 + i % 3 * 0.01 for i in range(20)],
    "ms": [i * 370 + i % 3 for i in range(20)],
    "us": [i * 370_000 + i % 3 for i in range(20)],
    "ns": [i * 370_000_000 + i % 3 for i in range(20)],
}


@pytest.mark.parametrize("start", [0, 1_700_000_000])
@pytest.mark.parametrize("unit", STAMPS)
def test_a_unit_is_guessed_from_rate_or_epoch_only_when_asked(unit: str, start: int) -> None:
    scale = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    text = csv(PLAIN, *(f"{start * scale + stamp},5,6" for stamp in STAMPS[unit]))
    error = refused(text)
    assert (error.rule, error.params["unit"]) == ("no_unit", unit)
    assert "requests/s over 7.0 s" in str(error)
    report = read_trace("x.csv", text, unit="guess").report
    assert report.span // 10**9 == 7
    assert rules(report)[0] == "unit_guessed"
    assert "nothing says what timestamp counts" in said(report) and "is this right?" in said(report)


def test_a_clock_since_1970_is_known_though_its_rate_is_odd() -> None:
    text = csv(PLAIN, *(f"{1_700_000_000 + i * 86_400},5,6" for i in range(3)))
    assert refused(text).params["unit"] == "s"


def test_a_guess_is_not_made_where_a_name_or_a_format_says_the_unit() -> None:
    assert arrivals(csv("arrival_ms,prompt,output", "1,1,1", "9,1,1"), unit="guess") == [0, 8]
    assert arrivals(csv(VIDUR, "1,1,1", "9,1,1"), unit="guess") == [0, 8_000]


def test_the_unit_of_a_single_stamp_does_not_matter() -> None:
    assert arrivals(csv(PLAIN, "5,6,7", "5,6,8")) == [0, 0]
    assert refused(csv(PLAIN, "soon,6,7")).rule == "nothing_imported"


@pytest.mark.parametrize(
    ("unit", "is_doubted"), [("s", False), ("ms", False), ("us", True), ("ns", True)]
)
def test_a_rate_that_no_service_has_is_doubted(unit: str, is_doubted: bool) -> None:
    text = csv(VIDUR, *(f"{i * i},5,6" for i in range(30)))
    report = read_trace("x.csv", text, unit=unit).report
    assert ("rate_doubt" in rules(report)) is is_doubted
    assert (f"read as {unit}, the arrivals are" in said(report)) is is_doubted


def test_dates_days_apart_are_doubted_without_talk_of_a_unit() -> None:
    text = csv(AZURE, *(f"2024-01-{day:02} 00:00:0{day % 7},5,6" for day in range(1, 13)))
    assert "rate_doubt_dates" in rules(read_trace("x.csv", text).report)


# Batches


STAMPED = [0] * 4 + [3000] * 6 + [9000] * 2
BATCHED = csv("arrival_ms,prompt,output", *(f"{stamp},5,6" for stamp in STAMPED))


def test_requests_of_a_stamp_are_spread_up_to_the_next_but_not_over_a_silence() -> None:
    imported = read_trace("x.csv", BATCHED, spread=True)
    assert [request.arrival // MS for request in imported.requests] == [
        *(0, 750, 1500, 2250),
        *(3000, 3500, 4000, 4500, 5000, 5500),
        *(9000, 10_500),
    ]
    assert [request.id for request in imported.requests] == [f"R{i}" for i in range(1, 13)]
    (note,) = imported.report.warnings
    assert note.params == {"count": 12, "stamps": 3, "gap": "3.0 s"}
    assert imported.report.span == 10_500 * MS


def test_batches_stay_unless_spreading_is_asked_for() -> None:
    imported = read_trace("x.csv", BATCHED)
    assert {request.arrival // MS for request in imported.requests} == {0, 3000, 9000}
    assert rules(imported.report) == ["batched_arrivals"]


def test_where_no_stamp_is_shared_nothing_is_spread() -> None:
    text = csv(VIDUR, "0,1,1", "7,1,1")
    assert read_trace("x.csv", text, spread=True) == read_trace("x.csv", text)
    at_once = csv(VIDUR, "3,1,1", "3,1,1")
    assert read_trace("x.csv", at_once, spread=True) == read_trace("x.csv", at_once)


def test_blocks_are_looked_up_in_the_order_of_the_file_also_when_spread() -> None:
    row = {"timestamp": 0, "input_length": 600, "output_length": 5, "hash_ids": [1, 2]}
    text = jsonl(row, row, {**row, "timestamp": 3000})
    imported = read_trace("m.jsonl", text, spread=True)
    assert [(r.arrival // MS, r.cached) for r in imported.requests] == [
        (0, 0),
        (1500, 599),
        (3000, 599),
    ]


# Other odd stamps


def test_one_constant_gap_looks_generated() -> None:
    text = csv(VIDUR, *(f"{i / 10},5,6" for i in range(10)))
    assert "every gap is the same (100 ms): the arrivals look generated" in said(
        read_trace("x.csv", text).report
    )
    assert rules(read_trace("x.csv", text.replace("0.4,", "0.41,")).report) == []


def test_a_first_stamp_far_from_zero_is_told() -> None:
    report = read_trace("x.csv", csv(VIDUR, "19440110.5,5,6", "19440111,5,6")).report
    assert "the first arrival is stamped 19,440,110.5 s" in said(report)
    assert report.span == 500 * MS
    assert rules(read_trace("x.csv", csv(VIDUR, "59,5,6", "61,5,6")).report) == []


def test_times_with_and_without_a_zone_count_as_utc_and_are_told() -> None:
    rows = (
        "2024-05-10 00:00:00.009930+00:00,5,6",
        "2024-05-10 00:00:01.009930,5,6",
        "2024-05-10 02:00:02.0099300+02:00,5,6",
        "2024-05-10 00:00:03+00:00,5,6",
    )
    imported = read_trace("x.csv", csv(AZURE, *rows))
    assert [r.arrival for r in imported.requests] == [0, 10**9, 2 * 10**9, 2_990_070_000]
    assert "1 times have no time zone and count as UTC" in said(imported.report)
    alike = csv(AZURE, rows[0], rows[3])
    assert rules(read_trace("x.csv", alike).report) == []


def test_columns_of_no_use_are_named() -> None:
    report = read_trace("x.csv", csv(f"{VIDUR},user,blob", "0,5,6,u,b")).report
    assert "columns not used: user, blob" in said(report)
    burst = read_trace("x.csv", csv(BURST, "5,GPT-4,7,8,15,API log")).report
    assert "columns not used: Model, Total tokens, Log Type" in said(burst)


# Sessions


def test_one_session_with_equal_waits_is_a_closed_loop_of_one() -> None:
    text = csv(REPLAY, "a,1,15,6,3,250.5", "a,0,0,10,5,250.5", "a,2,24,7,4,9")
    imported = read_trace("x.csv", text)
    assert imported.loop is not None
    assert imported.setup == {"concurrency": 1, "think": 250_500_000}
    assert [(r.id, r.prompt, r.cached, r.output) for r in imported.requests] == [
        ("R2", 10, 0, 5),
        ("R1", 21, 15, 3),
        ("R3", 31, 24, 4),
    ]
    assert imported.report.format == "tracelab"
    assert "imported as a closed loop: 1 at a time, the next one 250.5 ms" in said(imported.report)
    assert "39 prompt tokens are cached: they came before" in said(imported.report)
    assert "a closed loop has no rate of its own" in said(imported.report)


MIXED = csv(
    REPLAY, "a,0,0,10,5,100", "a,1,15,6,3,300", "a,2,24,6,3,0", "b,0,0,11,5,20", "b,1,16,2,2,0"
)


def test_a_replay_that_no_loop_says_is_refused_with_the_difference() -> None:
    error = refused(MIXED)
    assert error.rule == "closed_loop"
    assert "its waits run from 20 ms to 300 ms" in str(error)
    equal = refused(MIXED.replace(",100\n", ",20\n").replace(",300\n", ",20\n"))
    assert "each session has its own next round" in str(equal)


def test_the_nearest_loop_is_taken_when_asked_for_and_its_changes_told() -> None:
    imported = read_trace("x.csv", MIXED, loop=True)
    assert imported.setup == {"concurrency": 2, "think": 140 * MS}
    assert [request.id for request in imported.requests] == ["R1", "R4", "R2", "R5", "R3"]
    assert rules(imported.report) == ["as_closed_loop", "waits_differ", "sessions_mix"]


def test_sessions_of_one_round_are_a_loop_without_a_pause() -> None:
    imported = read_trace("x.csv", csv(REPLAY, "a,0,0,10,5,100", "b,0,0,11,5,20"))
    assert imported.setup == {"concurrency": 2, "think": 0}


def test_bad_rows_of_a_replay_are_dropped_with_reasons() -> None:
    bad = ("a,1,-1,6,3,0", "a,1,5,0,3,0", "a,1,5,6,3,-2", "a,x,5,6,3,0", "a,1,5,6,3,soon", "a,1")
    report = read_trace("x.csv", csv(REPLAY, "a,0,0,10,5,0", *bad)).report
    assert report.dropped == (
        Dropped("below_zero", 2, 3),
        Dropped("below_one", 1, 4),
        Dropped("not_whole", 1, 6),
        Dropped("not_a_number", 1, 7),
        Dropped("row_width", 1, 8),
    )
    assert (report.read, report.imported) == (7, 1)
    assert refused(csv(REPLAY, bad[0])).rule == "nothing_imported"
    assert refused(csv(f"{REPLAY},session_id", "a,0,0,10,5,0,a")).rule == "duplicate_column"


def test_rounds_beyond_the_limit_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sim.traces.sessions.MAX_REQUESTS", 2)
    rows = (f"a,{i},0,10,5,7" for i in range(4))
    assert read_trace("x.csv", csv(REPLAY, *rows)).report.dropped == (Dropped("over_limit", 2, 4),)


WHOLE = st.sampled_from(["0", "1", "2", "x", "", "-1", "1.5"])


@given(st.lists(st.tuples(st.sampled_from("ab"), WHOLE, WHOLE, WHOLE, WHOLE, WHOLE), max_size=20))
def test_no_round_vanishes(rows: list[tuple[str, ...]]) -> None:
    text = csv(REPLAY, "a,0,0,10,5,100", *map(",".join, rows))
    imported = read_trace("x.csv", text, loop=True)
    report = imported.report
    assert report.read == len(rows) + 1 == report.imported + report.num_dropped
    assert len({request.id for request in imported.requests}) == report.imported


@pytest.mark.parametrize(
    "text",
    [
        '{"session": "a", "rounds": [{"prompt": 5, "output": 6}]}\n',
        '[{"session": "a", "turns": [{"prompt": 5}]}]',
        '{\n "sessions": [{"turns": [{"prompt": 5}]}]\n}',
    ],
)
def test_nested_sessions_are_refused_as_such(text: str) -> None:
    error = refused(text)
    assert error.rule == "nested"
    assert "sessions with lists of rounds" in str(error)


def test_the_public_replay_becomes_a_loop_only_when_asked(shared: Path) -> None:
    path = shared / "data" / "traces" / "tracelab_session_workload_example.csv"
    imported = read_trace_file(path, loop=True)
    assert (imported.report.read, imported.report.imported) == (11, 11)
    assert imported.setup["concurrency"] == 1


def test_the_public_batches_can_be_spread(shared: Path) -> None:
    path = shared / "data" / "traces" / "mooncake_conversation_trace.rows1-1500.jsonl"
    plain, spread = (read_trace_file(path, spread=on) for on in (False, True))
    stamps = [{request.arrival for request in found.requests} for found in (plain, spread)]
    assert stamps[0] < stamps[1]
    assert [r.id for r in plain.requests] == [r.id for r in spread.requests]
    assert "spread" in rules(spread.report)


def test_numbers_beyond_all_clocks_do_not_tell_a_unit():
    assert stamps_of(["1e40", "5", "x", "7"]) == (2, Decimal(5), Decimal(7))
