"""Trace import: every format and quirk with made-up rows, and the figures of the public files."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.setup import MAX_REQUESTS, MAX_TOKENS
from sim.traces import WORDS, Bad, Dropped, TraceError, read_trace, read_trace_file
from sim.traces import table as table_module
from sim.traces.report import rate_text, span_text
from tests.sim.trace_files import AZURE, BURST, VIDUR, csv, jsonl, refused


def shape(imported):
    """Arrival in ms, prompt and output of each request."""
    return [(r.arrival / 1e6, r.prompt, r.output) for r in imported.requests]


# Formats


def test_azure_rows_count_from_the_first_with_crlf_and_no_last_line_end():
    text = (
        f"{AZURE}\r\n2024-02-28 23:59:59.9000000,100,7\r\n2024-02-29 00:00:00.0000010,3,1\r\n"
        "2024-03-01 00:00:00.0000000,50,9"
    )
    imported = read_trace("a.csv", text.encode())
    assert [r.arrival for r in imported.requests] == [0, 100_001_000, 86_400_100_000_000]
    assert [(r.id, r.prompt, r.output) for r in imported.requests] == [
        ("R1", 100, 7),
        ("R2", 3, 1),
        ("R3", 50, 9),
    ]
    assert imported.report.format == "azure"


def test_dates_with_a_time_zone_or_many_digits_are_read_exactly():
    rows = (
        "2024-05-10 12:00:00+00:00,1,1",
        "2024-05-10T14:00:00.5+02:00,1,1",
        "2024-05-10 06:30:01.0000000005-0530,1,1",
        "2024-05-10 12:00:01.0000000015Z,1,1",
    )
    arrivals = [r.arrival for r in read_trace("a.csv", csv(AZURE, *rows)).requests]
    assert arrivals == [0, 500_000_000, 1_000_000_000, 1_000_000_002]


def mooncake(timestamp, tokens, output, blocks):
    return {
        "timestamp": timestamp,
        "input_length": tokens,
        "output_length": output,
        "hash_ids": blocks,
    }


def test_mooncake_blocks_seen_before_are_cached_but_for_the_last_prompt_token():
    text = jsonl(
        mooncake(0, 1200, 5, [0, 1, 2]),
        mooncake(3000, 1300, 5, [0, 1, 9]),
        mooncake(3000, 700, 5, [0, 1]),
        mooncake(6001, 1500, 5, [7, 1, 2]),
        mooncake(6002, 2000, 5, [0, 1, 9, 2]),
    )
    imported = read_trace("m.jsonl", text)
    assert [r.cached for r in imported.requests] == [0, 1024, 699, 0, 1999]
    assert [r.arrival for r in imported.requests] == [
        0,
        3_000_000_000,
        3_000_000_000,
        6_001_000_000,
        6_002_000_000,
    ]
    assert imported.report.cached_tokens == 1024 + 699 + 1999
    assert "cached" in " ".join(imported.report.lines())


def test_mooncake_row_without_blocks_is_kept_and_one_with_odd_blocks_is_dropped():
    plain = mooncake(5, 600, 5, [])
    del plain["hash_ids"]
    text = jsonl(mooncake(0, 600, 5, [1]), plain, mooncake(6, 600, 5, "1"), mooncake(7, 9, 5, [[]]))
    imported = read_trace("m.jsonl", text)
    assert [(r.id, r.cached) for r in imported.requests] == [("R1", 0), ("R2", 0)]
    assert imported.report.dropped == (Dropped("bad_blocks", 2, 3),)


def test_many_arrivals_on_one_stamp_give_a_warning():
    rows = [mooncake(3000 * (i // 4), 10, 2, [i]) for i in range(12)]
    report = read_trace("m.jsonl", jsonl(*rows)).report
    assert [note.rule for note in report.warnings] == ["batched_arrivals"]
    assert "about 4.0 requests share each of 3 times" in " ".join(report.lines())
    assert read_trace("m.jsonl", jsonl(*rows[:9])).report.warnings == ()


def test_vidur_float_noise_is_rounded_half_to_even_on_the_nanosecond():
    rows = (
        "0.0,3,1",
        "5.8926549999999995,3,1",
        "6.0000000005,3,1",
        "6.0000000015,3,1",
        "1e1,3,1",
    )
    arrivals = [r.arrival for r in read_trace("v.csv", csv(VIDUR, *rows)).requests]
    assert arrivals == [0, 5_892_655_000, 6_000_000_000, 6_000_000_002, 10_000_000_000]


def test_burstgpt_is_read_by_name_with_six_or_eight_columns_and_drops_failed_calls():
    six = csv(
        BURST, "7,ChatGPT,20,5,25,API log", "9,GPT-4,30,0,30,API log", "9,GPT-4,0,0,0,API log"
    )
    header = "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,x"
    eight = csv(header, "100.0,,3,ChatGPT,20,5,25,API log", "102.5,ab-c,2,GPT-4,8,4,12,Chat")
    report = read_trace("b1.csv", six).report
    assert (report.format, report.read, report.imported) == ("burstgpt", 3, 1)
    assert report.dropped == (Dropped("failed_call", 2, 3),)
    assert report.first_bad is None
    odd = csv(BURST, "7,x,20,5,25,y", "8,x,5,-1,4,y", "9,x,5,1.5,6,y", "9,x,,5,5,y", "9,x,5,0,5,y")
    assert read_trace("b.csv", odd).report.dropped == (
        Dropped("below_one", 1, 3),
        Dropped("not_whole", 1, 4),
        Dropped("missing", 1, 5),
        Dropped("failed_call", 1, 6),
    )
    assert "dropped 2, first on line 3: failed call, 0 tokens" in report.lines()
    assert shape(read_trace("b3.csv", eight)) == [(0, 20, 5), (2500, 8, 4)]


def test_vllm_run_is_read_by_its_epoch_arrivals():
    text = (
        '{"request_id": "x", "input_toks": 20, "output_toks": 5, "arrival_time": 1700000000.25}\n'
        '{"input_toks": 30, "output_toks": 6, "arrival_time": 1700000000.5001234}\n'
    )
    imported = read_trace("run.jsonl", text)
    assert [r.arrival for r in imported.requests] == [0, 250_123_400]
    assert imported.report.format == "vllm_run"


def test_a_format_is_known_by_its_names_in_any_order_and_case():
    text = csv("Num_Decode_Tokens,extra,ARRIVED_AT,num_prefill_tokens", "4,x,1.5,30", "5,y,2,31")
    imported = read_trace("not-called-vidur.txt", text)
    assert imported.report.format == "vidur"
    assert shape(imported) == [(0, 30, 4), (500, 31, 5)]


# Tables with columns of other names


@pytest.mark.parametrize(
    ("unit", "arrivals"),
    [
        ("s", [0, 1_500_000_000]),
        ("ms", [0, 1_500_000]),
        ("us", [0, 1_500]),
        ("ns", [0, 1]),
    ],
)
def test_declared_columns_and_unit_are_followed(unit, arrivals):
    text = csv("in,t,out,prompt_tokens", "10,1,2,999", "11,2.5,3,999")
    columns = {"arrival": "t", "prompt": "in", "output": "out"}
    imported = read_trace("x.csv", text, columns=columns, unit=unit)
    assert [r.arrival for r in imported.requests] == arrivals
    assert [(r.prompt, r.output) for r in imported.requests] == [(10, 2), (11, 3)]


@pytest.mark.parametrize(
    "header",
    [
        "arrival_ms,prompt,output",
        "timestamp(ms),input_tokens,output_tokens",
        "Arrival Time [ms],Prompt Tokens,Completion Tokens",
        "arrived_at_milliseconds,num_prompt_tokens,num_output_tokens",
        "time-ms,context_tokens,generated_tokens",
    ],
)
def test_usual_names_are_found_and_a_suffix_is_the_unit(header):
    assert shape(read_trace("x.csv", csv(header, "5,10,2", "7,11,3"))) == [(0, 10, 2), (2, 11, 3)]


def test_a_declared_unit_is_stronger_than_a_suffix_and_than_the_format():
    assert shape(read_trace("x.csv", csv("t_ms,p,o", "1,1,1", "3,1,1"), unit="s", columns={
        "arrival": "t_ms", "prompt": "p", "output": "o"
    }))[1][0] == 2000  # fmt: skip
    assert shape(read_trace("x.csv", csv(VIDUR, "1,1,1", "3,1,1"), unit="ms"))[1][0] == 2


def test_dates_need_no_unit():
    text = csv("created_at,prompt_tokens,completion_tokens", "2030-01-01 00:00:00,5,6")
    assert shape(read_trace("x.csv", text)) == [(0, 5, 6)]


def test_json_lines_with_usual_names_are_read():
    text = jsonl(
        {"arrival_s": 1, "prompt": 5, "output": 6}, {"arrival_s": "1.5", "prompt": 7.0, "output": 8}
    )
    assert shape(read_trace("x.jsonl", text)) == [(0, 5, 6), (500, 7, 8)]


def test_the_more_telling_of_two_names_wins():
    text = csv("time,arrival_s,prompt,prompt_tokens,output", "99,1,hello,5,6")
    assert shape(read_trace("x.csv", text)) == [(0, 5, 6)]


# Text quirks


def test_byte_order_mark_blank_lines_and_quotes_are_tolerated():
    header = '"arrived_at", "num_prefill_tokens","num_decode_tokens","note"'
    text = f'\n{header}\n\n"0.5","10","2","a\nb"\n  \n1,11,3,"c,d"\n\n'
    for data in ("\ufeff" + text, text.encode("utf-8-sig"), text.replace("\n", "\r\n").encode()):
        imported = read_trace("x.csv", data)
        assert shape(imported) == [(0, 10, 2), (500, 11, 3)]
        assert imported.report.read == 2


def test_line_numbers_are_those_of_the_file():
    text = f'\n{VIDUR},note\n\n0,1,1,"two\nlines"\n\n1,x,1,\n'
    assert read_trace("x.csv", text).report.first_bad == Bad(
        7, "num_prefill_tokens", "x", "not_whole"
    )


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_semicolons_and_tabs_divide_too(delimiter):
    text = csv(VIDUR, "0.5,10,2", "1,11,3").replace(",", delimiter)
    assert shape(read_trace("x.csv", text)) == [(0, 10, 2), (500, 11, 3)]


def test_text_bytes_and_a_path_give_the_same(tmp_path):
    text = csv(VIDUR, "0.5,10,2")
    path = tmp_path / "x.csv"
    path.write_text(text, encoding="utf-8")
    expected = read_trace("x.csv", text)
    assert read_trace("x.csv", text.encode()) == expected
    assert read_trace("whatever", path) == expected
    assert read_trace_file(str(path)) == expected


# Rows: dropped with a reason, sorted, cut


@pytest.mark.parametrize(
    ("row", "field", "value", "rule"),
    [
        ("x,5,6", "arrived_at", "x", "not_a_number"),
        ("nan,5,6", "arrived_at", "nan", "not_a_number"),
        ("1_0,5,6", "arrived_at", "1_0", "not_a_number"),
        (",5,6", "arrived_at", "", "missing"),
        ("1e30,5,6", "arrived_at", "1e30", "time_range"),
        ("5e9,5,6", "arrived_at", "5e9", "time_range"),
        ("1,5.5,6", "num_prefill_tokens", "5.5", "not_whole"),
        ("1,0,6", "num_prefill_tokens", "0", "below_one"),
        ("1,-1e30,6", "num_prefill_tokens", "-1e30", "below_one"),
        ("1,5,-3", "num_decode_tokens", "-3", "below_one"),
        ("1,5,99000001", "num_decode_tokens", "99000001", "too_many_tokens"),
        ("1,5,1e30", "num_decode_tokens", "1e30", "too_many_tokens"),
        ("1,5,", "num_decode_tokens", "", "missing"),
        ("1,5", "", "1,5", "row_width"),
        ("1,5,6,7", "", "1,5,6,7", "row_width"),
    ],
)
def test_a_bad_row_is_dropped_and_the_report_says_where_and_why(row, field, value, rule):
    report = read_trace("x.csv", csv(VIDUR, "0,5,6", row, "1,5.0,6", "y,z,w")).report
    assert report.first_bad == Bad(3, field, value, rule)
    assert report.dropped[0].reason == rule
    assert (report.read, report.imported, report.num_dropped) == (4, 2, 2)
    assert f"line 3, field {field}, {value!r}" in " ".join(report.lines()) or not field
    assert WORDS[rule].partition("{")[0] in " ".join(report.lines())


@pytest.mark.parametrize(
    "stamp", ["yesterday", "2024-02-30 00:00:00", "2024-02-03 24:00:00", "12", "2024-02-03"]
)
def test_a_bad_date_is_dropped(stamp):
    text = csv(AZURE, "2024-01-01 00:00:00,5,6", f"{stamp},5,6")
    assert read_trace("x.csv", text).report.first_bad == Bad(3, "TIMESTAMP", stamp, "bad_time")


def test_a_date_beyond_all_calendars_is_dropped():
    text = csv(AZURE, "2024-01-01 00:00:00,5,6", "9999-01-01 00:00:00,5,6")
    assert read_trace("x.csv", text).report.dropped == (Dropped("time_range", 1, 3),)


def test_bad_json_values_drop_their_row_only():
    good = '{"arrival_s": 1, "prompt": 5, "output": 6}\n'
    text = (
        good
        + '{"arrival_s": NaN, "prompt": 5, "output": 6}\n'
        + '{"arrival_s": 1, "prompt": true, "output": 6}\n'
        + '{"arrival_s": null, "prompt": 5, "output": 6}\n{"prompt": 5}\n[1, 2]\n'
        + good
    )
    report = read_trace("x.jsonl", text).report
    assert report.dropped == (
        Dropped("not_a_number", 1, 2),
        Dropped("not_whole", 1, 3),
        Dropped("missing", 2, 4),
        Dropped("not_an_object", 1, 6),
    )
    assert (report.read, report.imported) == (7, 2)


def test_arrivals_out_of_order_are_sorted_and_ids_stay_with_the_rows():
    imported = read_trace("x.csv", csv(VIDUR, "3,1,1", "bad,1,1", "1,2,1", "3,3,1", "2,4,1"))
    assert [r.id for r in imported.requests] == ["R3", "R5", "R1", "R4"]
    assert [r.arrival // 10**9 for r in imported.requests] == [0, 1, 2, 2]
    assert [(note.rule, note.params) for note in imported.report.warnings] == [
        ("sorted", {"count": 2})
    ]


def test_rows_beyond_the_limit_are_counted_and_not_kept():
    rows = ["0,1,1"] * (MAX_REQUESTS - 1) + ["x,1,1", "1,1,1", "2,1,1", "bad"]
    imported = read_trace("x.csv", csv(VIDUR, *rows))
    assert len(imported.requests) == MAX_REQUESTS
    assert imported.report.dropped == (
        Dropped("not_a_number", 1, MAX_REQUESTS + 1),
        Dropped("over_limit", 2, MAX_REQUESTS + 3),
    )
    assert "dropped 2, first on line 50,003: beyond the first 50,000 requests" in (
        imported.report.lines()
    )


def test_rows_after_the_longest_span_of_a_scenario_are_dropped():
    report = read_trace("x.csv", csv(VIDUR, "0,1,1", "10000000,1,1", "10000001,1,1")).report
    assert report.dropped == (Dropped("beyond_span", 1, 4),)
    assert report.first_bad == Bad(4, "", "10000001 s", "beyond_span")


def test_the_report_names_the_limit_that_was_passed():
    report = read_trace("x.csv", csv(VIDUR, f"0,{MAX_TOKENS},1", f"0,1,{MAX_TOKENS + 1}")).report
    assert report.imported == 1
    assert f"dropped 1, first on line 3: more than {MAX_TOKENS:,} tokens" in report.lines()


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["0", "2.5", "1e3", "-4", "x", "", "1e99"]),
            st.sampled_from(["1", "77", "3.0", "0", "-1", "x", "", "1e9"]),
            st.sampled_from(["1", "5", "0", "x"]),
        ),
        max_size=30,
    )
)
def test_no_row_vanishes(rows):
    text = csv(VIDUR, "0,1,1", *(",".join(row) for row in rows))
    imported = read_trace("x.csv", text)
    report = imported.report
    assert report.read == len(rows) + 1 == report.imported + report.num_dropped
    assert report.imported == len(imported.requests)
    arrivals = [r.arrival for r in imported.requests]
    assert arrivals == sorted(arrivals) and arrivals[0] == 0 and arrivals[-1] == report.span


@given(st.binary(max_size=60) | st.text(alphabet='{}[]",\n\r 01ae:', max_size=40))
def test_any_bytes_give_an_import_or_a_trace_error(data):
    try:
        assert read_trace("x", data).requests
    except TraceError as error:
        assert len(str(error).splitlines()) == 1


# The report


def test_report_reads_as_sentences():
    rows = (f"{i * 0.25},{100 + i},{i + 1}" for i in range(1201))
    report = read_trace("x.csv", csv(VIDUR, *rows)).report
    assert report.lines() == [
        "read 1,201 rows, imported 1,201, dropped 0",
        "4 requests/s over 5.0 min",
        "every gap is the same (250 ms): the arrivals look generated",
        "840,700 prompt tokens (largest 1,300), 721,801 output tokens (largest 1,201)",
        "format: Vidur trace",
    ]
    assert report.span == 300 * 10**9
    assert report.rate == pytest.approx(1201 / 300)


def test_requests_at_one_time_have_no_rate():
    report = read_trace("x.csv", csv(VIDUR, "5,1,1", "5,1,1")).report
    assert report.rate is None
    assert report.lines()[1] == "all arrive at one time, so there is no rate"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0125, "12.5 ms"),
        (29.12, "29.1 s"),
        (3501.7, "58.4 min"),
        (7300, "2.0 h"),
        (864_000, "10.0 d"),
    ],
)
def test_span_is_told_in_a_fitting_unit(seconds, text):
    assert span_text(round(seconds * 1e9)) == text


@pytest.mark.parametrize(
    ("rate", "text"), [(5.5304, "5.53"), (0.02654, "0.0265"), (1234.5, "1,234")]
)
def test_rate_is_told_with_three_digits(rate, text):
    assert rate_text(rate) == text


def test_every_reason_of_a_note_has_words():
    report = read_trace("x.csv", csv(VIDUR, "0,1,1", "x,1,1", "1")).report
    for note in report.notes():
        assert note.rule in WORDS
        assert note.params.get("reason", "read") in WORDS
        assert str(note)


# Files that are no trace


def test_servegen_windows_are_refused_by_name():
    error = refused("0,0,0,,0,0\r\n600,0.4,1.5,Gamma,0.2,9\r\n", name="client-trace.csv")
    assert (error.rule, error.line) == ("servegen", 1)
    assert "ServeGen" in str(error)


@pytest.mark.parametrize("line", ["1,2,3", "0,5,7,8,9,10", "2023-11-16 18:17:03,5,6"])
def test_rows_without_a_header_are_refused(line):
    error = refused(f"\n{line}\n")
    assert (error.rule, error.line) == ("no_header", 2)


def test_lengths_without_arrivals_are_refused_and_say_so():
    error = refused(csv("num_prefill_tokens,num_decode_tokens,pd_ratio", "5,6,0.83"))
    assert error.rule == "no_arrivals"
    assert "no arrival column among num_prefill_tokens, num_decode_tokens, pd_ratio" in str(error)


def test_lengths_get_synthetic_arrivals_only_when_a_rate_is_given():
    text = csv("num_prefill_tokens,num_decode_tokens", *(f"{i + 1},6" for i in range(2000)))
    imported = read_trace("x.csv", text, rate=4, seed=2)
    assert imported == read_trace("x.csv", text, rate=4, seed=2)
    assert imported != read_trace("x.csv", text, rate=4, seed=3)
    assert [r.prompt for r in imported.requests] == list(range(1, 2001))
    assert imported.report.rate == pytest.approx(4, rel=0.1)
    assert [note.rule for note in imported.report.warnings] == ["synthetic_arrivals"]
    assert "they are synthetic, Poisson at 4 requests/s, seed 2" in " ".join(
        imported.report.lines()
    )


def test_a_rate_changes_nothing_where_arrivals_are_known():
    text = csv(VIDUR, "0,1,1", "7,1,1")
    assert read_trace("x.csv", text, rate=4) == read_trace("x.csv", text)


@pytest.mark.parametrize("rate", [0, -2.0, float("nan"), float("inf")])
def test_a_rate_that_is_none_is_refused(rate):
    assert refused(csv("prompt,output", "5,6"), rate=rate).rule == "bad_rate"


def test_tracelab_replay_is_refused_and_told_apart():
    header = "session_id,round_idx,prefix_len,input_len,output_len,tool_wait_after_ms"
    error = refused(csv(header, "0,0,10,5,7,20", "0,1,22,5,7,20", "0,2,34,5,7,30", "0,3,46,5,7,9"))
    assert error.rule == "closed_loop"
    assert "a replay of sessions without arrivals" in str(error)


def test_other_headers_are_refused_with_what_was_found_and_what_is_expected():
    error = refused(csv("t,prompt_throughput,running", "1.0,9.0,1"))
    assert error.rule == "unknown_header"
    assert "no column for arrival, prompt, output among t, prompt_throughput, running" in str(error)
    assert "arrival_s,prompt,output" in str(error)
    wide = refused(csv(",".join(f"column{i}" for i in range(20)), "1"))
    assert str(wide.params["found"]).endswith("column11, …")


def test_arrivals_without_a_unit_are_refused_with_the_two_ways_to_give_one():
    error = refused(csv("timestamp,prompt_tokens,completion_tokens", "5,6,7", "9,6,7"))
    assert (error.rule, error.field) == ("no_unit", "timestamp")
    assert "timestamp_s, timestamp_ms" in str(error)
    assert "declare unit s, ms, us, ns or guess" in str(error)


def test_wrong_declarations_are_refused():
    text = csv(VIDUR, "0,1,1")
    assert refused(text, unit="minutes").rule == "bad_unit"
    assert refused(text, columns={"promt": "x"}).rule == "bad_role"
    error = refused(text, columns={"arrival": "t"})
    assert (error.rule, error.field) == ("no_column", "t")
    assert refused(csv("arrival_s,prompt,prompt,output", "0,1,1,1")).rule == "duplicate_column"


@pytest.mark.parametrize(
    ("data", "rule", "line"),
    [
        (b"", "empty_file", None),
        (b"\xef\xbb\xbf \r\n\n", "empty_file", None),
        (b'""\n', "empty_file", None),
        (VIDUR.encode(), "no_rows", 1),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n", "lfs_pointer", 1),
        (VIDUR.encode() + b"\n1,2,3\n\xe9,2,3\n", "not_utf8", 3),
        (b"\xff\xfea\x00,\x00", "not_utf8", 1),
        (VIDUR.encode() + b'\n1,2,3\n1,"2,3\n4,5,6\n', "broken_csv", 3),
        (b'{"prompt": 1, "output": 1, "arrival_s": 0}\n\n{"prompt": \n', "broken_json", 3),
        (b'{"prompt": 1' + b"0" * 5000 + b"}\n", "broken_json", 1),
        (b'{"prompt": 1e99999999999999999999}\n', "broken_json", 1),
        (b"[" * 100_000, "broken_json", 1),
        (b'{\n "setup": {"budget": 4}\n}\n', "json_document", 1),
        (b'[{"prompt": 1}, {"prompt": 2}]', "json_document", 1),
        (b'{"arrival": 1, "tokens": 5}', "unknown_header", 1),
        (b"{}", "unknown_header", 1),
    ],
)
def test_broken_files_are_refused_with_the_line(data, rule, line):
    error = refused(data)
    assert (error.rule, error.line) == (rule, line)


def test_a_file_of_bad_rows_only_is_refused_with_the_first_value():
    error = refused(csv(VIDUR, "0,many,1", "1,0,1"))
    assert (error.rule, error.line, error.field) == ("nothing_imported", 2, "num_prefill_tokens")
    assert error.value == "many"
    assert "none of the 2 rows" in str(error)
    assert "the first: 'many': a token count must be a whole number" in str(error)
    failed = refused(csv(BURST, "7,ChatGPT,20,0,20,API log"))
    assert failed.rule == "only_failed_calls"
    assert "all 1 rows are failed calls" in str(failed)
    assert refused(csv(VIDUR, "0,1")).field is None


def test_a_file_of_values_above_a_limit_is_refused_with_the_limit():
    error = refused(csv(VIDUR, f"0,1,{MAX_TOKENS + 1}"))
    assert error.params["limit"] == MAX_TOKENS
    assert f"more than {MAX_TOKENS:,} tokens" in str(error)


def test_a_file_above_the_limit_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(table_module, "MAX_BYTES", 2**20)
    assert refused(b"x" * (2**20 + 1)).rule == "too_big"
    monkeypatch.setattr("sim.traces.importing.MAX_BYTES", 2**20)
    path = tmp_path / "big.csv"
    path.write_bytes(b"x" * (2**20 + 1))
    with pytest.raises(TraceError, match=r"big\.csv: larger than 1 MiB; cut the file"):
        read_trace_file(path)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(TraceError, match=r"nowhere\.csv: cannot be read \(No such file"):
        read_trace_file(tmp_path / "nowhere.csv")


def test_what_a_file_holds_cannot_break_the_line_of_a_message():
    error = refused('arrival_s,prompt,output\n0,"a\n\x1b[31m' + "b" * 100 + '",1\n')
    assert error.value is not None
    assert len(error.value) == 40 and error.value.startswith("a��[31mb")


# The words


def test_every_sentence_has_its_remedy_and_no_remedy_is_alone():
    remedies = {rule.removeprefix("fix_") for rule in WORDS if rule.startswith("fix_")}
    assert remedies <= WORDS.keys()
    for text in WORDS.values():
        assert not re.search(r"[.;]$", text)


# The public files, where they are at hand

EXPECTED = {
    "AzureLLMInferenceTrace_code.rows1-1000.csv": (1000, "521.588576", 2122354, 27621, 7436),
    "AzureLLMInferenceTrace_conv.csv": (19366, "3501.721937", 22361870, 4088665, 14050),
    "burstgpt_1.quoted_first3.csv": (3, "113.000000", 1976, 524, 1087),
    "burstgpt_3.quoted_first4.csv": (4, "144.000000", 3656, 776, 1779),
    "llmservingsim_vllm019_RTXPRO6000_Llama-3.1-8B.requests.jsonl": (
        300,
        "29.121193",
        257239,
        195753,
        3998,
    ),
    "mooncake_conversation_trace.rows1-1500.jsonl": (1500, "509.999000", 20981721, 528172, 123192),
    "vidur_splitwise_conv.rows1-1000.csv": (1000, "216.027393", 1014189, 247262, 4145),
}


@pytest.fixture(scope="module")
def traces(shared):
    return shared / "data" / "traces"


@pytest.mark.parametrize("name", EXPECTED)
def test_public_file_comes_out_as_published(traces, name):
    report = read_trace_file(traces / name).report
    span = f"{report.span / 1e9:.6f}"
    found = (report.imported, span, report.prompt_tokens, report.output_tokens)
    assert (*found, report.largest_prompt) == EXPECTED[name]
    assert (report.read, report.dropped, report.first_bad) == (report.imported, (), None)


def test_public_lengths_file_is_refused_and_sums_up_with_a_rate(traces):
    path = traces / "vidur_arxiv_summarization_stats.rows1-500.csv"
    with pytest.raises(TraceError, match="no arrival column"):
        read_trace_file(path)
    report = read_trace_file(path, rate=1).report
    assert (report.imported, report.prompt_tokens, report.output_tokens) == (500, 1271189, 148968)
    assert report.largest_prompt == 4009


REFUSED = [
    ("servegen_deepseek-r1_chunk-0-trace.csv", "servegen"),
    ("tracelab_session_workload_example.csv", "closed_loop"),
    ("llmservingsim_vllm019_RTXPRO6000_Llama-3.1-8B.timeseries.csv", "unknown_header"),
    ("llmservingsim_vllm019_RTXPRO6000_Llama-3.1-8B.meta.json", "json_document"),
]


@pytest.mark.parametrize(("name", "rule"), REFUSED)
def test_public_file_that_is_no_trace_is_refused(traces, name, rule):
    with pytest.raises(TraceError) as caught:
        read_trace_file(traces / name)
    assert caught.value.rule == rule


def test_every_public_file_is_imported_or_refused_above(traces):
    refused_files = {name for name, _ in REFUSED}
    lengths = "vidur_arxiv_summarization_stats.rows1-500.csv"
    names = {path.name for path in traces.iterdir() if path.suffix != ".md"}
    assert names == {*EXPECTED, *refused_files, lengths}


def test_two_importers_agree_on_the_conversation_trace(traces):
    azure = read_trace_file(traces / "AzureLLMInferenceTrace_conv.csv").requests[:1000]
    assert azure == read_trace_file(traces / "vidur_splitwise_conv.rows1-1000.csv").requests


def test_public_file_of_19_366_rows_imports_whole(traces):
    report = read_trace_file(traces / "AzureLLMInferenceTrace_conv.csv").report
    assert report.lines()[:2] == [
        "read 19,366 rows, imported 19,366, dropped 0",
        "5.53 requests/s over 58.4 min",
    ]


def test_public_batches_of_arrivals_are_noticed(traces):
    report = read_trace_file(traces / "mooncake_conversation_trace.rows1-1500.jsonl").report
    assert [note.rule for note in report.warnings] == ["batched_arrivals"]
    assert report.cached_tokens > 0
