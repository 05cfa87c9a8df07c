"""The command line: what it prints, and one line for everything that cannot be."""

import json
import os
import runpy
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from sim import commands, trials
from sim.cli import main
from sim.files import builtin_files

ROOT = Path(__file__).resolve().parents[2]


class Result:
    """What one command said."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def words(self) -> list[list[str]]:
        """Lines as words, for tables whose columns may move."""
        return [line.split() for line in self.out.splitlines()]

    def line(self, start: str) -> str:
        """The first line that begins so, with single blanks."""
        return next(" ".join(w) for w in self.words if " ".join(w).startswith(start))


@pytest.fixture
def sim(capsys: pytest.CaptureFixture[str]) -> Any:
    """Run a command in this process."""

    def call(*arguments: object) -> Result:
        code = main([str(argument) for argument in arguments])
        return Result(code, *capsys.readouterr())

    return call


@pytest.fixture
def good(sim: Any) -> Any:
    """Run a command that must end well, without a word on stderr."""

    def call(*arguments: object) -> Result:
        result: Result = sim(*arguments)
        assert (result.code, result.err) == (0, "")
        return result

    return call


def test_an_argument_that_is_no_text_is_refused(sim: Any) -> None:
    for argument in ("\udcff.toml", "a\0b"):
        result = sim("run", argument)
        assert result.code == 2 and "is not UTF-8 text" in result.err


# The by-hand example.


def test_without_arguments_it_shows_the_by_hand_example(good: Any) -> None:
    result = good()
    assert result.line("A ").startswith("A 0 8, 13, 16.5 0 8 5, 3.5 4.25 16.5")
    assert result.line("B ").startswith("B 2 8, 13 2 6 5 5 11")
    assert result.line("C ").startswith("C 6 16.5, 19.5 2 10.5 3 3 13.5")
    assert result.line("makespan") == "makespan 19.5 ms"
    assert result.line("output tokens") == "output tokens 7"
    assert result.line("output throughput") == "output throughput 358.97 token/s"
    assert result.line("3 8–13") == "3 8–13 2 2 A decode, B decode (done), C prefill 2"


def test_another_budget_gives_other_figures(good: Any) -> None:
    result = good("--budget", 6)
    assert result.line("makespan") == "makespan 17.5 ms"
    assert result.line("output throughput") == "output throughput 400 token/s"


def test_python_m_sim_works_from_a_shell() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "sim", "--budget", "6"], cwd=ROOT, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "17.5" in done.stdout and "400" in done.stdout


def test_a_terminal_that_lacks_a_letter_gets_a_question_mark() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "sim", *("compare", "5a", "--setup", "base:", "--setup", "static")],
        cwd=ROOT,
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "cp1252"},
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"?" in done.stdout


def test_python_m_sim_ends_with_the_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["sim", "--budget", "0"])
    monkeypatch.delitem(sys.modules, "sim.__main__", raising=False)
    with pytest.raises(SystemExit) as caught:
        runpy.run_module("sim", run_name="__main__")
    assert caught.value.code == 2
    assert "--budget must be at least 1, not 0" in capsys.readouterr().err


def test_importing_the_command_runs_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_module("sim.__main__", run_name="imported")
    assert capsys.readouterr().out == ""


# run


def test_settings_change_a_run(good: Any) -> None:
    assert good("run", "5a", "--set", "budget=6").line("makespan") == "makespan 17.5 ms"
    changed = good("run", "5a", "--set", "cost.base=3", "--set", "cost.per_decode=0.5")
    assert changed.line("makespan") == "makespan 22.5 ms"
    static = good("run", "5a", "--set", "setup.mode=static")
    assert static.line("makespan") == "makespan 24 ms"
    assert static.line("padding + idle seats") == "padding + idle seats 1 = 1 + 0"
    assert "pad 1" in static.out


def test_switches_are_set_by_word(good: Any) -> None:
    for on, off in (("on", "off"), ("true", "false"), ("ON", "False")):
        plain = good("run", "5a", "--set", f"chunked={on}")
        assert plain.line("makespan") == "makespan 19.5 ms"
        whole = good("run", "5a", "--set", f"chunked={off}", "--set", "budget=6")
        assert whole.line("1 0–5") == "1 0–5 6 0 A prefill 6 + 1st token"
    assert good("run", "5a", "--set", "max_chunk=none").line("makespan") == "makespan 19.5 ms"


def test_json_is_one_object(good: Any) -> None:
    result = json.loads(good("run", "5a", "--json").out)
    assert result["overall"]["makespan"] == 19.5
    assert [row["end"] for row in result["rounds"]] == [4, 8, 13, 16.5, 19.5]
    assert result["requests"]["C"]["ttft"] == 10.5


def test_csv_names_the_files_it_wrote(good: Any, tmp_path: Path) -> None:
    result = good("run", "5a", "--csv", tmp_path / "out")
    names = [Path(line).name for line in result.out.splitlines()]
    assert names == ["rounds.csv", "requests.csv", "tokens.csv", "overall.csv"]
    assert all(Path(line).is_file() for line in result.out.splitlines())


def test_check_says_what_it_checked_beside_the_output(sim: Any) -> None:
    result = sim("run", "5a", "--check", "--json")
    assert (result.code, result.err) == (0, "checked 5 rounds: all laws hold\n")
    assert json.loads(result.out)["overall"]["rounds"] == 5


def test_a_scenario_file_runs(good: Any, tmp_path: Path) -> None:
    for name, content in (
        ("x.json", '{"setup": {"budget": 1}, "requests": [%s]}'),
        (
            "x.toml",
            'requests = [{id = "A", arrival = 0, prompt = 1, output = 1}]\nsetup.budget = 1',
        ),
    ):
        path = tmp_path / name
        row = '{"id": "A", "arrival": 0, "prompt": 1, "output": 1}'
        path.write_text(content.replace("%s", row), encoding="utf-8")
        assert good("run", path).line("makespan") == "makespan 2.5 ms"


def test_a_large_run_prints_no_rounds_and_no_requests_unless_asked(good: Any) -> None:
    short = good("run", "synthetic")
    assert "round  ms" not in short.out and "\nR1 " not in short.out
    assert short.line("requests finished") == "requests finished 600"


def test_rounds_of_a_large_run_come_when_asked(good: Any, tmp_path: Path) -> None:
    path = tmp_path / "long.toml"
    path.write_text(
        'requests = [{id = "A", arrival = 0, prompt = 1, output = 90}]\nsetup.budget = 1',
        encoding="utf-8",
    )
    assert good("run", path).line("A ").startswith("A 0 2.5, 5.5, 8.5,")
    assert "(90)" in good("run", path).out
    assert "why not" not in good("run", path).out
    assert good("run", path, "--rounds").line("90 ").startswith("90 266.5–269.5 0 1")


def test_json_of_a_large_run_leaves_the_rounds_out_unless_asked(
    sim: Any, good: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "MOST_ROUNDS_JSON", 4)
    result = sim("run", "5a", "--json")
    assert "rounds" not in json.loads(result.out)
    assert result.err == "5 rounds are left out; --rounds writes them\n"
    assert "rounds" in json.loads(good("run", "5a", "--json", "--rounds").out)


def test_small_throughputs_have_three_decimals(good: Any) -> None:
    assert good("run", "3a").line("output throughput") == "output throughput 1.375 token/tick"


def test_static_seats_that_idle_are_shown(good: Any) -> None:
    result = good("run", "1a", "--set", "mode=static")
    assert "C decode (done), A idle, B idle" in result.out


def test_list_names_every_built_in_scenario_and_its_lanes(good: Any) -> None:
    lines = good("list").out.splitlines()
    names = [line.split()[0] for line in lines if not line.startswith(" ")]
    assert names == [*builtin_files(), "synthetic"]
    assert "             lanes: 10b/chunks, 10b/whole" in lines


def test_rounds_prints_the_recorded_form(good: Any, tmp_path: Path) -> None:
    requests = [{"id": "A", "arrival_round": 1, "prompt": 2, "output": 1}]
    scenario = {
        "budget": 4,
        "max_seqs": 2,
        "block_size": 4,
        "num_blocks": 3,
        "requests": requests,
    }
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"scenario": scenario, "rounds": "not looked at"}))
    rounds = json.loads(good("rounds", path).out)["rounds"]
    assert [row["scheduled"] for row in rounds] == [{}, {"A": 2}]


# Traces.


def test_a_public_trace_runs_and_says_what_was_read(sim: Any, shared: Path) -> None:
    path = shared / "data/traces/AzureLLMInferenceTrace_code.rows1-1000.csv"
    result = sim("run", path, "--check")
    assert result.code == 0
    assert "read 1,000 rows" in result.err or "read 1000 rows" in result.err
    assert "rounds cost 6 ms + 0.03 ms a token" in result.err
    assert "all laws hold" in result.err
    assert result.line("requests finished") == "requests finished 1,000"


def test_columns_of_an_unknown_table_can_be_named(sim: Any, tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("when,in,out\n0,10,2\n1,20,3\n", encoding="utf-8")
    result = sim(
        *("run", path, "--columns", "arrival=when,prompt=in,output=out", "--unit", "s"),
    )
    assert result.code == 0
    assert result.line("R2 ").startswith("R2 1,000 ")


# What cannot be: exit code 2 and one line.


def refused(result: Result, *words: str) -> None:
    assert result.code == 2
    assert result.out == ""
    assert result.err.count("\n") == 1 and result.err.endswith("\n")
    assert result.err.startswith("python -m sim: ")
    assert "Traceback" not in result.err
    for word in words:
        assert word in result.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--budget", "many"], ["--budget", "'many'", "--help"]),
        (["--budget", "0"], ["--budget must be at least 1, not 0"]),
        (["--budget"], ["--budget", "expected one argument"]),
        (["--bugdet", "3"], ["--bugdet"]),
        (["walk"], ["walk", "run"]),
        (["run"], ["what"]),
        (["run", "5z"], ["5z: no such file, nor a built-in scenario", "5a"]),
        (["run", "5a", "--set", "budget"], ["--set budget: write it as NAME=VALUE"]),
        (["run", "5a", "--set", "budget=x"], ["--set", "setup.budget must be a whole number", "x"]),
        (["run", "5a", "--set", "budget="], ["setup.budget must be a whole number, not ''"]),
        (["run", "5a", "--set", "budget=2.5"], ["must be a whole number, not 2.5"]),
        (["run", "5a", "--set", "budgt=3"], ["setup.budgt is not a known name", "budget?"]),
        (["run", "5a", "--set", "budget.x=3"], ["--set budget.x=3: budget has no parts"]),
        (["run", "5a", "--set", "cost.bass=3"], ["setup.cost.bass is not a known name", "base?"]),
        (["run", "5a", "--set", "cost.base=-1"], ["setup.cost.base must be at least 0, not -1"]),
        (["run", "5a", "--set", "cost.base=nan"], ["setup.cost.base must be a number"]),
        (["run", "5a", "--set", "mode=fast"], ["setup.mode must be one of continuous, static"]),
        (["run", "5a", "--set", "chunked=no"], ["setup.chunked must be true or false, not 'no'"]),
        (["run", "5a", "--set", "chunked=off"], ["A: 6 tokens", "budget of 4"]),
        (["run", "5a", "--set", "="], ["--set"]),
        (["run", "5a", "--set", "budget=" + "9" * 5000], ["--set", "setup.budget"]),
        (["run", "synthetic", "--set", "time=tick"], ["whole number of ticks", " more"]),
        (["run", "5a", "--json", "--csv", "x"], ["--csv", "--json"]),
        (["run", "5a", "--unit", "h"], ["--unit", "'h'"]),
        (["rounds", "none.json"], ["none.json: cannot be read (No such file or directory)"]),
        (["rounds"], ["file"]),
    ],
    ids=lambda value: " ".join(value)[:50] if isinstance(value, list) else None,
)
def test_a_bad_argument_is_told_in_one_line(
    sim: Any, arguments: list[str], words: list[str]
) -> None:
    refused(sim(*arguments), *words)


REQUEST = '{"id": "A", "arrival": 0, "prompt": 1, "output": 1}'


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("x.toml", b"[setup", ["x.toml: not TOML", "at end of document"]),
        ("x.json", b'{"setup": {},\n"x" 4}', ["x.json:2: not JSON"]),
        ("x.json", b"", ["x.json:1: not JSON"]),
        ("x.toml", b"", ["x.toml: setup.budget is missing", "give budget a value"]),
        ("x.toml", b"[setup]\nbudget = 4", ["x.toml: requests has no requests; add at least one"]),
        ("x.json", b"[]", ["x.json: must hold one table with setup and requests"]),
        ("x.json", b"\xff\xfe", ["x.json: is not UTF-8 text; save it as UTF-8"]),
        ("x.json", b'{"setup": ' * 20_000, ["x.json: is nested too deeply"]),
        (
            "x.json",
            b'{"setup": {"budget": 0}, "requests": [{"id": "A\\n\\u001b[31m", "arival": 0}]}',
            ["x.json: setup.budget must be at least 1", "requests[0].arival", "arrival?"],
        ),
        (
            "x.json",
            b'{"setup": {"budget": ' + b"7" * 5000 + b'}, "requests": []}',
            ["x.json"],
        ),
        ("x.toml", b"setup.budget = 0x" + b"f" * 5000, ["x.toml", "setup.budget"]),
        (
            "x.json",
            b'{"setup": {"budget": 4, "\\u001b[2J": 1}, "requests": [' + REQUEST.encode() + b"]}",
            ["x.json", "is not a known name"],
        ),
        ("x.csv", b"", ["x.csv"]),
        ("x.csv", b"a,b\n1,2\n", ["x.csv", "column"]),
        ("x.csv", bytes(range(256)), ["x.csv"]),
        ("x.jsonl", b"{}\n", ["x.jsonl"]),
        ("x.bin", b"\x00" * 100, ["x.bin"]),
    ],
)
def test_a_bad_file_is_told_in_one_line(
    sim: Any, name: str, content: bytes, words: list[str], tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    result = sim("run", path)
    refused(result, *words)
    assert "\x1b" not in result.err


@pytest.mark.parametrize(
    ("columns", "word"), [("arrival", "arrival"), ("start=a", "start"), ("arrival=x1", "x1")]
)
def test_bad_columns_are_told_in_one_line(
    sim: Any, columns: str, word: str, tmp_path: Path
) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(
        "arrived_at,num_prefill_tokens,num_decode_tokens\n0,10,2\n1,20,3\n", encoding="utf-8"
    )
    refused(sim("run", path, "--columns", columns), word)


def test_rounds_takes_a_recording_and_no_name_of_a_scenario(sim: Any) -> None:
    refused(sim("rounds", "5a"), "rounds 5a: takes a recorded scenario's file, not a name")


def test_a_folder_is_no_input_and_no_file_is_an_output_folder(sim: Any, tmp_path: Path) -> None:
    refused(sim("run", tmp_path), str(tmp_path))
    file = tmp_path / "file"
    file.write_text("x")
    refused(sim("run", "5a", "--csv", file), f"{file}: cannot be written")
    refused(sim("run", "5a", "--csv", file / "below"), "cannot be written")


def test_many_problems_are_cut_to_one_readable_line(sim: Any, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"setup": {"budget": 4}, "requests": [{}] * 5000}))
    result = sim("run", path)
    refused(result, "requests[0].id is missing", "and 19995 more")
    assert len(result.err) < 1000


def test_a_name_that_cannot_be_encoded_does_not_break_the_output(sim: Any, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('{"name": "\\ud800", "setup": {"budget": 4}, "requests": [' + REQUEST + "]}")
    done = subprocess.run(
        [sys.executable, "-m", "sim", "run", path, "--json"], cwd=ROOT, capture_output=True
    )
    assert b"Traceback" not in done.stderr
    assert done.returncode in (0, 2)


# Ends from outside.


def test_a_reader_that_goes_away_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    class Gone(StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    monkeypatch.setattr(sys, "stdout", Gone())
    monkeypatch.setattr(sys, "stderr", errors := StringIO())
    assert main(["list"]) == 0
    assert errors.closed


def test_a_reader_that_has_seen_enough_of_a_short_text_is_no_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is short is written when the program ends."""
    read, write = os.pipe()
    os.close(read)
    monkeypatch.setattr(sys, "argv", ["sim"])
    monkeypatch.delitem(sys.modules, "sim.__main__", raising=False)
    with os.fdopen(write, "w", encoding="utf-8") as gone:
        monkeypatch.setattr(sys, "stdout", gone)
        with pytest.raises(SystemExit) as caught:
            runpy.run_module("sim", run_name="__main__")
    assert caught.value.code == 0


def test_interrupting_ends_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(commands, "run", interrupted)
    assert main([]) == 130


# Presets, sweeps, calibration, speed.


def test_a_preset_puts_another_scheduler_on(good: Any) -> None:
    shown = good("run", "12d", "--preset", "prefill_first").line("3 ")
    assert shown.startswith("3 8–16 12 0 L1 prefill 12 + 1st token")


def test_a_preset_that_leaves_a_limit_without_meaning_is_refused(sim: Any) -> None:
    result = sim("run", "5-lab/4-chunk-2", "--preset", "orca")
    assert (result.code, result.out) == (2, "")
    told = "--preset orca: setup.max_chunk cuts prompts, which chunked = false forbids"
    assert result.err.startswith(f"python -m sim: {told}") and result.err.count("\n") == 1


def test_a_sweep_prints_a_row_a_value(good: Any) -> None:
    result = good("sweep", "5c", "--over", "budget=3,4,5,6,8,12")
    assert result.words[0][:3] == ["budget", "finished", "makespan"]
    found = [words[:3:2] for words in result.words[1:] if words]
    totals = ["21.5", "19.5", "17.5", "17.5", "17.5", "17.5"]
    assert found == [list(row) for row in zip(["3", "4", "5", "6", "8", "12"], totals, strict=True)]


def test_two_settings_are_swept_in_all_pairs(good: Any) -> None:
    result = good(
        "sweep", "15c", "--over", "buckets=[1,2,4,8],[16]", "--over", "price_padding=on,off"
    )
    assert [words[:-10] for words in result.words[1:] if words] == [
        ["[1,", "2,", "4,", "8]", "true"],
        ["[1,", "2,", "4,", "8]", "false"],
        ["[16]", "true"],
        ["[16]", "false"],
    ]


def test_a_sweep_as_json_names_what_was_set(good: Any) -> None:
    rows = json.loads(good("sweep", "5c", "--over", "cost.base=2,3.5", "--json").out)
    assert [row["set"] for row in rows] == [{"cost.base": 2}, {"cost.base": 3.5}]
    assert [row["overall"]["makespan"] for row in rows] == [17.5, 20]  # 6.5, 7 and 6.5 ms


def test_a_sweep_over_a_large_trace_uses_processes(
    good: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trials, "FEW_REQUESTS", 2)
    alone = good("sweep", "5c", "--over", "budget=4,6").out
    monkeypatch.setattr(trials, "FEW_REQUESTS", 1000)
    assert alone == good("sweep", "5c", "--over", "budget=4,6", "--jobs", "2").out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--over", "budget"), "--over budget: write it as NAME=VALUE,VALUE, such as budget="),
        (("--over", "budget=0"), "--over budget=0: setup.budget must be at least 1, not 0"),
        (("--over", "budget.x=1"), "--over budget.x=1: budget has no parts"),
        (("--over", "budget=4", "--jobs", "0"), "--jobs must be at least 1, not 0"),
        ((), "the following arguments are required: --over"),
    ],
)
def test_a_sweep_that_cannot_be_is_refused(sim: Any, arguments: Any, told: str) -> None:
    result = sim("sweep", "5a", *arguments)
    assert (result.code, result.out) == (2, "")
    assert told in result.err and result.err.count("\n") == 1


def test_calibrate_fits_a_profile(good: Any, tmp_path: Path) -> None:
    rows = [(p, d, k) for p in (0, 8, 32) for d in (1, 4) for k in (100, 900, 4000)]
    lines = [f"{p},{d},{k},{2 + 0.5 * p + d + 0.001 * k}" for p, d, k in rows]
    path = tmp_path / "profile.csv"
    path.write_text("\n".join(["prefill,decode,kv,ms", *lines]), encoding="utf-8")
    fit = json.loads(good("calibrate", path, "--json").out)
    assert fit["cost"] == {"base": 2, "per_prefill": 0.5, "per_decode": 1, "per_kv_token": 0.001}
    assert "per_prefill" in good("calibrate", path).out


def test_bench_runs_on_a_small_workload(good: Any, sim: Any) -> None:
    assert json.loads(good("bench", "--requests", "20", "--json").out)["agree"] is True
    assert sim("bench", "--requests", "0").err == (
        "python -m sim: --requests must be 1 to 50000, not 0\n"
    )


def test_lists_and_parts_of_tables_can_be_set(good: Any) -> None:
    scenario = json.loads(
        good("run", "5a", "--set", "slo.ttft=9", "--set", "window=[0,20]", "--json").out
    )
    assert scenario["scenario"]["setup"]["slo"] == {"ttft": 9}
    assert scenario["scenario"]["setup"]["window"] == [0, 20]


def test_a_preset_and_settings_are_checked_together(good: Any, sim: Any) -> None:
    """Whole prompts of 1,600 need another budget; either alone is refused."""
    assert good("run", "10b", "--preset", "orca", "--set", "budget=1700").out
    good("sweep", "10b", "--preset", "orca", "--over", "budget=1700,2000")
    result = sim("run", "10b", "--preset", "orca")
    assert result.code == 2 and "--preset orca: requests[9].prompt N: 1600 tokens" in result.err


def test_a_setting_swept_twice_is_refused(sim: Any) -> None:
    result = sim("sweep", "5a", "--over", "budget=4", "--over", "budget=5")
    assert result.err == (
        "python -m sim: --over: a setting is given twice; list its values behind one --over\n"
    )


def test_a_budget_in_front_of_a_command_is_refused(sim: Any) -> None:
    result = sim("--budget", "6", "run", "5a")
    assert result.code == 2
    assert "--budget is for the by-hand example; use --set budget=6 behind" in result.err


def test_output_that_cannot_be_written_is_told(sim: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(StringIO):
        def write(self, text: str) -> int:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(sys, "stdout", Full())
    result = sim("list")
    assert result.code == 2
    assert "the output cannot be written (No space left on device)" in result.err


def test_who_left_is_shown_in_rounds_and_requests(good: Any) -> None:
    result = good("run", "15a/b-leaves-at-20")
    assert "B cancelled" in result.out
    assert result.line("B 0").endswith("cancelled")


def test_of_many_decodes_the_first_are_named_behind_who_computes_its_prompt(good: Any) -> None:
    line = good("run", "10b/whole").line("1 0–811")
    assert line.startswith("1 0–811 1,600 9 N prefill 1,600 + 1st token, R1 decode")
    assert line.endswith("R7 decode and 2 more")


def test_a_prompt_computed_again_brings_no_first_token(good: Any) -> None:
    assert "N prefill 1,601 + token" in good("run", "10b/whole").line("41 ")


def test_first_tokens_of_a_static_batch_are_all_named(good: Any) -> None:
    line = good("run", "5a", "--set", "mode=static", "--set", "budget=2").out
    assert "1st token" in line


@pytest.mark.parametrize(
    ("what", "columns"),
    [
        ("5a", ["P", "D", "who"]),
        ("15d/drafts", ["P", "D", "V", "who"]),
        ("15c", ["P", "D", "padded"]),
    ],
)
def test_rounds_have_columns_for_what_they_cost(good: Any, what: str, columns: list[str]) -> None:
    head = next(words for words in good("run", what).words if words[:1] == ["round"])
    assert head[2 : 2 + len(columns)] == columns


def test_history_has_a_column_where_it_has_a_price(good: Any) -> None:
    assert "K" in good("run", "4b/one-prompt").line("round")
