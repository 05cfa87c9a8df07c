"""A look at a file before its import, and the command `trace`."""

import json
from pathlib import Path
from typing import Any

import pytest

from sim.cli import main
from sim.traces import TraceError, preview_trace, read_trace
from tests.sim.trace_files import AZURE, PLAIN, REPLAY, VIDUR, csv, jsonl


def test_first_rows_roles_unit_and_rates_are_shown() -> None:
    text = csv(f"{VIDUR},note", "0,10,2,a", "0.5,11,3,", "1,12,4,c", "4,13,5,d")
    preview = preview_trace("x.csv", text, 2)
    assert (preview.kind, preview.format) == ("csv", "vidur")
    assert preview.columns[-1] == "note"
    assert preview.rows == (("0", "10", "2", "a"), ("0.5", "11", "3", ""))
    assert preview.lines == (2, 3)
    assert preview.roles == {
        "arrival": "arrived_at",
        "prompt": "num_prefill_tokens",
        "output": "num_decode_tokens",
    }
    assert (preview.unit, preview.unit_from) == ("s", "format")
    assert str(preview.rates["s"]) == "1 requests/s over 4.0 s"
    assert str(preview.rates["ms"]) == "1,000 requests/s over 4 ms"
    assert "read 4 rows, imported 4, dropped 0" in map(str, preview.notes)
    assert preview.problem is None


@pytest.mark.parametrize(
    ("header", "options", "unit", "source"),
    [
        (PLAIN, {}, "ms", "guess"),
        (PLAIN, {"unit": "guess"}, "ms", "guess"),
        (PLAIN, {"unit": "us"}, "us", "declared"),
        (PLAIN.replace("stamp", "_s"), {}, "s", "name"),
    ],
)
def test_the_unit_comes_with_who_says_it(header: str, options: Any, unit: str, source: str) -> None:
    text = csv(header, "0,5,6", "400,5,6", "900,5,6")
    preview = preview_trace("x.csv", text, **options)
    assert (preview.unit, preview.unit_from) == (unit, source)
    is_refused = source == "guess" and not options
    assert (preview.problem is not None) is is_refused
    assert bool(preview.notes) is not is_refused


def test_dates_have_no_other_units() -> None:
    preview = preview_trace("x.csv", csv(AZURE, "2024-05-10 00:00:00.5+00:00,5,6"))
    assert (preview.unit, preview.unit_from, preview.rates) == ("calendar", "dates", {})


def test_declared_columns_play_their_roles() -> None:
    columns = {"arrival": "when", "prompt": "in", "output": "out"}
    text = csv("when,in,out", "0,5,6", "9,5,6")
    assert preview_trace("x.csv", text).roles == {}
    preview = preview_trace("x.csv", text, columns=columns, unit="s")
    assert (preview.roles, preview.problem) == (columns, None)


@pytest.mark.parametrize(
    ("text", "rule", "roles"),
    [
        (csv("prompt,output", "5,6"), "no_arrivals", {"prompt", "output"}),
        (csv("arrival_s,prompt,x", "5,6,7"), "unknown_header", {"arrival", "prompt"}),
        (csv(f"{REPLAY}", "a,0,0,1,2,3", "a,1,3,1,2,9", "a,2,6,1,2,0"), "closed_loop", None),
        (csv(VIDUR, "x,5,6"), "nothing_imported", {"arrival", "prompt", "output"}),
    ],
)
def test_a_file_that_would_be_refused_is_shown_with_its_problem(
    text: str, rule: str, roles: set[str] | None
) -> None:
    preview = preview_trace("x.csv", text)
    assert preview.problem is not None and preview.problem.rule == rule
    assert preview.notes == ()
    assert len(preview.rows) >= 1
    assert roles is None or set(preview.roles) == roles
    json.dumps(preview.to_dict())


def test_broken_rows_and_lists_are_shown_as_short_text() -> None:
    text = jsonl({"arrival_s": 1, "prompt": 5, "output": 6, "ids": [1, 2.5]}) + "[7]\n"
    assert preview_trace("x.jsonl", text).rows == (("1", "5", "6", "[1, 2.5]"), ("[7]",))


def test_a_file_that_is_no_table_has_no_preview() -> None:
    with pytest.raises(TraceError):
        preview_trace("x.csv", b"")


# The command


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log.csv"
    rows = (f"{second},{100 + second},5" for second in (0, 1, 1, 3, 8, 9))
    path.write_text(csv("arrival_s,prompt,output", *rows), encoding="utf-8")
    return path


def test_the_report_is_printed_with_what_the_cut_leaves_out(log: Path, capsys: Any) -> None:
    options = ("--start", "1", "--duration", "8", "--most", "3", "--scale", "0.5")
    assert main(["trace", str(log), *options, "--max-prompt", "102"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["read 6 rows, imported 6, dropped 0", "0.667 requests/s over 9.0 s"]
    assert lines[-5:] == [
        "of 6 requests 3 are taken, at times × 0.5",
        "1 come before the start",
        "1 come after the end",
        "1 are more than asked for",
        "1 are shortened to the limits",
    ]


def test_report_and_preview_can_be_read_by_programs(log: Path, capsys: Any) -> None:
    assert main(["trace", str(log), "--json", "--most", "2"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["read"], report["imported"], report["taken"]) == (6, 6, 2)
    assert main(["trace", str(log), "--preview", "--json"]) == 0
    preview = json.loads(capsys.readouterr().out)
    assert preview["roles"]["arrival"] == "arrival_s" and len(preview["rows"]) == 6


def test_the_preview_is_a_table_under_roles(log: Path, capsys: Any) -> None:
    assert main(["trace", str(log), "--preview"]) == 0
    words = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert words[:3] == [
        ["line", "arrival_s", "prompt", "output"],
        ["arrival", "prompt", "output"],
        ["2", "0", "100", "5"],
    ]
    assert ["unit:", "s", "(name)"] in words


def test_a_preview_of_what_would_be_refused_says_so(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "x.csv"
    path.write_text(csv(PLAIN, "0,5,6", "400,5,6"), encoding="utf-8")
    assert main(["trace", str(path), "--preview"]) == 0
    out = capsys.readouterr().out
    assert "unit: ms (guess)" in out and "would be refused: x.csv, line 1" in out


def test_a_run_takes_the_part_and_the_loop_of_a_trace(
    log: Path, tmp_path: Path, capsys: Any
) -> None:
    assert main(["run", str(log), "--spread", "--start", "3", "--json"]) == 0
    shown = capsys.readouterr()
    assert "of 6 requests 3 are taken" in shown.err
    assert len(json.loads(shown.out)["requests"]) == 3
    path = tmp_path / "replay.csv"
    path.write_text(csv(REPLAY, "a,0,0,10,5,100", "a,1,15,5,5,0"), encoding="utf-8")
    assert main(["run", str(path), "--json"]) == 0
    scenario = json.loads(capsys.readouterr().out)["scenario"]
    assert main(["trace", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["loop"] == {"concurrency": 1, "think": 100}
    assert (scenario["setup"]["concurrency"], scenario["setup"]["think"]) == (1, 100)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["trace", "LOG", "--start", "99"], ["--start 99", "leaves no request"]),
        (["trace", "LOG", "--max-total", "1"], ["--max-total 1", "at least 2"]),
        (["trace", "nowhere.csv"], ["nowhere.csv", "no such file"]),
        (["trace", "LOG", "--unit", "h"], ["--unit", "'h'"]),
        (["run", "5a", "--duration", "4"], ["--duration is for a trace", "5a"]),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(
    arguments: list[str], words: list[str], log: Path, capsys: Any
) -> None:
    assert main([str(log) if argument == "LOG" else argument for argument in arguments]) == 2
    shown = capsys.readouterr()
    assert shown.out == "" and shown.err.count("\n") == 1
    for word in words:
        assert word in shown.err


def test_a_preview_without_arrivals_names_no_unit(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "x.csv"
    path.write_text("prompt,output\n5,6\n", encoding="utf-8")
    assert main(["trace", str(path), "--preview"]) == 0
    out = capsys.readouterr().out
    assert "unit:" not in out and "lengths only" in out


def test_a_value_of_thirty_levels_is_no_trace() -> None:
    row = '{"timestamp": 0, "input_length": 5, "output_length": 6, "hash_ids": %s}\n'
    with pytest.raises(TraceError, match="broken JSON"):
        read_trace("x.jsonl", row % ("[" * 30 + "]" * 30))
