"""Junk in files and on the command line: a clear refusal, never a traceback or a long wait."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sim.cli import main
from sim.files import FileError, parse
from sim.problems import ScenarioError
from sim.scenario import Scenario
from sim.traces import Options, TraceError, preview_trace, read_trace
from sim.traces.table import MAX_COLUMNS

FILES = {
    "t.csv": b"arrival_ms,prompt,output\n0,5,2\n10,6,3\n",
    "bare.csv": b"a,b,c\n1,2,3\n2,4,4\n",
    "azure.csv": b"TIMESTAMP,ContextTokens,GeneratedTokens\n2024-05-10 00:00:00.0,12,3\n",
    "hash.jsonl": b'{"timestamp":0,"input_length":5,"output_length":2,"hash_ids":[1,2]}\n',
    "bench.json": b'{"input_lens":[1,2],"output_lens":[3,4],"start_times":[0,5],"itls":[[],[1]]}',
    "replay.csv": b"session,prefix_len,input_len,output_len,delay\na,0,5,2,0\na,7,5,2,1\n",
    "rounds.csv": b"prefill,decode,kv,ms\n5,1,10,3.0\n0,2,30,4.0\n1,2,3,4\n8,8,8,8\n",
    "s.toml": b'[setup]\nbudget=4\n[[requests]]\nid="A"\narrival=0\nprompt=6\noutput=3\n',
    "v.json": b'{"scenario":{"budget":4,"max_seqs":2,"requests":[]}}',
    "junk": b"\xff\0",
}
NESTED = b"[" * 950 + b"]" * 950
BITS = st.sampled_from(
    [
        b",",
        b"\n",
        b'"',
        b"\x00",
        b"1e999",
        b"-1",
        b"nan",
        b"[",
        b"{",
        b"}",
        b":",
        b"9" * 5000,
        b"\xff",
        b"\xef\xbb\xbf",
        b"null",
        b"1e-400",
        b"\xd9\xa4",
        b";",
        b"\t",
        b"\r",
        NESTED,
        b'"\\ud800"',
        b'{"a":{"b":[1]}}',
        b"2024-13-45 99:99:99",
        b"1e308",
        b"id",
        b"queued_ts",
        b"'",
        b"",
    ]
)
PATCH = st.tuples(st.integers(0, 120), st.integers(0, 8), BITS)
UNITS: st.SearchStrategy[Options] = st.sampled_from(
    [
        Options(),
        Options(unit="guess", spread=True),
        Options(rate=5.0, loop=True),
        Options(rate=float("nan")),
        Options(columns={"arrival": "a", "prompt": "b", "output": "c"}, unit="s"),
    ]
)


def patched(content: bytes, patches: list[tuple[int, int, bytes]]) -> bytes:
    """The content with some stretches of it replaced."""
    result = bytearray(content)
    for start, length, bits in patches:
        result[start : start + length] = bits
    return bytes(result)


@settings(max_examples=300)
@given(st.sampled_from(sorted(FILES)), st.lists(PATCH, max_size=5), UNITS)
def test_any_bytes_are_a_trace_or_refused(
    name: str, patches: list[tuple[int, int, bytes]], options: Options
) -> None:
    content = patched(FILES[name], patches)
    for door in (read_trace, preview_trace):
        try:
            found = door(name, content, **options)
        except TraceError as error:
            assert str(error).startswith(name)
        else:
            assert found is not None


@settings(max_examples=150)
@given(st.lists(PATCH, max_size=5), st.sampled_from(["s.toml", "v.json"]))
def test_any_text_is_a_scenario_or_refused(
    patches: list[tuple[int, int, bytes]], name: str
) -> None:
    text = patched(FILES[name], patches).decode(errors="replace")
    try:
        scenario = Scenario.from_dict(parse(text, Path(name)))
    except FileError as error:
        assert str(error).startswith(name)
    except ScenarioError as error:
        assert error.problems
    else:
        assert scenario.requests


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_a_table_of_too_many_columns_is_refused_at_once(kind: str) -> None:
    names = [f"c{n}" for n in range(100_000)]
    heads = {"csv": ",".join(names), "json": '{"' + '":1,"'.join(names) + '":1}'}
    with pytest.raises(TraceError) as caught:
        preview_trace("wide", f"{heads[kind]}\n1,2\n")
    assert f"{len(names):,}" in str(caught.value)
    assert f"{MAX_COLUMNS:,}" in str(caught.value)


# The command line.

NAMES = st.sampled_from(
    [
        "budget",
        "mode",
        "window",
        "cost.base",
        "cost",
        "slo.ttft",
        "speculation.accepted",
        "a.b.c",
        "moe.weights",
        "buckets",
        "num_blocks",
        "time",
        "",
        "setup.",
        "requests",
        "batch_wait",
        ".",
    ]
)
VALUES = st.sampled_from(
    [
        "1",
        "6",
        "0",
        "-1",
        "1e999",
        "nan",
        "none",
        "on",
        "[1,2]",
        "[",
        '{"a":1}',
        "",
        "full",
        "tick",
        "static",
        "9" * 5000,
        "[" * 950 + "]" * 950,
        "[" * 9999,
        "1.5",
        "[[0,1]]",
        "1e-300",
        "�",
    ]
)
SET = st.builds("{}={}".format, NAMES, VALUES)
TAKING = st.sampled_from(
    [
        "--rate",
        "--unit",
        "--columns",
        "--start",
        "--most",
        "--scale",
        "--max-total",
        "--share",
        "--csv",
        "--budget",
        "--jobs",
        "--lang",
        "--preset",
    ]
)
OPTION = (
    st.tuples(st.sampled_from(["--set", "--over", "--slo"]), SET)
    | st.tuples(st.just("--setup"), st.builds("{}{}".format, st.sampled_from(["x:", "a"]), SET))
    | st.tuples(TAKING, VALUES | st.just("\0"))
    | st.tuples(st.sampled_from(["--json", "--check", "--rounds", "--spread", "--loop"]))
)
COMMAND = st.sampled_from(["run", "run", "compare", "sweep", "trace", "rounds", "calibrate", ""])
WHAT = st.sampled_from([*FILES, "5a", "8a/6", "nope", "", "/dev/null", "\0", "a" * 5000, ".."])


@settings(
    max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture]
)  # the folder may be the same for all of them, and what is printed is read at once
@given(COMMAND, WHAT, st.lists(OPTION, max_size=3))
def test_any_command_runs_or_is_refused_in_a_line(
    capsys: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    what: str,
    options: list[tuple[str, ...]],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    code = main([command, what, *(word for option in options for word in option)])
    told = capsys.readouterr().err
    assert code in (0, 2)
    if code:
        last = told.splitlines()[-1]
        assert last.startswith("python -m sim: ") and len(last) > 30
