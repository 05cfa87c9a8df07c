"""The commands that make many runs: compare, sweep, calibrate."""

import json
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from sim.cli import main
from sim.report.words import LANGUAGES, WORDS
from sim.what import named_setup, objectives


class Terminal(StringIO):
    """An output that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def sim(capsys: pytest.CaptureFixture[str]) -> Any:
    """Run a command in this process: code, output, error output."""

    def call(*arguments: object) -> tuple[int, str, str]:
        code = main([str(argument) for argument in arguments])
        return code, *capsys.readouterr()

    return call


# Setups by name.


@pytest.mark.parametrize(
    ("text", "name", "settings"),
    [
        ("small: budget=2", "small", {"budget": 2}),
        ("budget=2, buckets=[1, 2]", "budget=2, buckets=[1, 2]", {"budget": 2, "buckets": [1, 2]}),
        ("base:", "base", {}),
        (" a b : budget = 2 ,", "a b", {"budget": 2}),
        ("cost.base=3:4", "cost.base=3:4", {"cost.base": "3:4"}),
        ('x: moe={"weights": [1, 2]}, budget=5', "x", {"moe": {"weights": [1, 2]}, "budget": 5}),
    ],
)
def test_a_setup_is_a_name_and_settings(text: str, name: str, settings: dict[str, Any]) -> None:
    found = named_setup(text)
    assert (found.name, {one.name: one.value for one in found.settings}) == (name, settings)


def test_a_preset_comes_before_what_is_set_wherever_it_stands() -> None:
    found = named_setup("chunked=on, orca")
    assert found.name == "chunked=on, orca"
    table = {one.name: one.value for one in found.settings}
    assert table["chunked"] is True and table["mode"] == "continuous"


def test_objectives_are_settings_of_slo() -> None:
    assert [(one.name, one.value) for one in objectives("ttft=200, tpot=5.5")] == [
        ("slo.ttft", 200),
        ("slo.tpot", 5.5),
    ]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--setup", "x: sarati"), "--setup x: sarati: sarati is no preset; did you mean sarathi"),
        (("--setup", ":"), "--setup :: write it as NAME: PRESET or SETTING=VALUE"),
        (("--setup", "budget=0"), "--setup budget=0: setup.budget must be at least 1, not 0"),
        (("--setup", "a: budget=0, orca"), "--setup a: budget=0, orca: setup.budget must be"),
        (("--setup", "a:", "--setup", "a: orca"), "--setup: two setups have the same name"),
        ([f for n in range(5) for f in ("--setup", f"s{n}:")], "takes 1 to 4 setups, not 5"),
        (("--setup", "a:", "--slo", "ttft"), "--slo ttft: write it as ttft=200,tpot=50"),
        (("--setup", "a:", "--slo", "speed=2"), "setup.slo.speed is not a known name"),
        (("--setup", "a:", "--share", "0"), "--share must be above 0 and at most 100 (percent)"),
        ((), "the following arguments are required: --setup"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_a_line(sim: Any, arguments: Any, told: str) -> None:
    code, out, err = sim("compare", "5a", *arguments)
    assert (code, out) == (2, "")
    assert told in err and err.count("\n") == 1


# Compare.

TWO = ("compare", "5a", "--setup", "base:", "--setup", "wide: budget=6", "--slo", "ttft=8")


def test_setups_are_compared_in_a_table(sim: Any) -> None:
    code, out, err = sim(*TWO, "--share", "50")
    words = [" ".join(line.split()) for line in out.splitlines()]
    assert (code, err) == (0, "")
    assert words[0] == "base wide"
    assert "makespan 19.5 17.5 ★ ms" in words
    assert any(line.startswith("all of them pass: 66.6% of all requests") for line in words)


def test_setups_are_compared_as_json(sim: Any) -> None:
    found = json.loads(sim(*TWO, "--json")[1])
    assert [setup["name"] for setup in found["setups"]] == ["base", "wide"]
    makespan = next(row for row in found["metrics"] if row["name"] == "makespan")
    assert (makespan["values"], makespan["best"]) == ([19.5, 17.5], [False, True])


def test_tables_and_a_report_are_written(sim: Any, tmp_path: Path) -> None:
    target = tmp_path / "deep" / "r.html"
    code, out, err = sim(*TWO, "--csv", tmp_path, "--report", target, "--lang", "zh")
    assert (code, out) == (0, "")
    written = sorted(path.name for path in tmp_path.iterdir() if path.is_file())
    assert written == ["curves.csv", "groups.csv", "metrics.csv", "slo.csv"]
    told = target.read_text(encoding="utf-8")
    assert '<html lang="zh-Hans">' in told
    assert "python -m sim compare 5a --setup base: --setup &#x27;wide: budget=6&#x27;" in told
    assert f"wrote {target}\n" in err and err.count("\n") == 5


def test_a_report_that_cannot_be_written_is_refused(sim: Any, tmp_path: Path) -> None:
    code, out, err = sim(*TWO, "--report", tmp_path)
    assert (code, out) == (2, "")
    assert err == f"python -m sim: {tmp_path}: cannot be written (Is a directory)\n"


def test_settings_before_the_setups_hold_for_all(sim: Any) -> None:
    found = json.loads(sim(*TWO, "--set", "cost.base=3", "--json")[1])
    assert [setup["setup"]["cost"] for setup in found["setups"]] == [{"base": 3}, {"base": 3}]


def test_changing_the_unit_of_time_reads_the_requests_anew(sim: Any) -> None:
    found = json.loads(sim("compare", "5a", "--setup", "t: time=tick", "--json")[1])
    assert found["unit"] == "tick"


# Progress.


def test_a_terminal_sees_a_bar_that_is_wiped(monkeypatch: pytest.MonkeyPatch, sim: Any) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    assert sim("sweep", "5a", "--over", "budget=4,6", "--json")[0] == 0
    first, second, end = screen.getvalue().split("\r")[1:]
    assert first == f"sweep {'#' * 15}{'.' * 15} 1/2"
    assert second == f"sweep {'#' * 30} 2/2"
    assert end == "\x1b[K"


# Sweeps.


def test_a_sweep_says_what_is_feasible(sim: Any) -> None:
    arguments = ("--over", "budget=2,6", "--slo", "ttft=9", "--share", "60")
    rows = [line.split() for line in sim("sweep", "5a", *arguments)[1].splitlines()]
    assert rows[0][-2:] == ["attainment", "feasible"]
    assert [row[-2:] for row in rows[1:3]] == [["33.3%", "no"], ["100%", "yes"]]
    plain = sim("sweep", "5a", "--over", "budget=3,6")[1]
    assert "feasible" not in plain


# Fits.


def timings_file(folder: Path) -> Path:
    """Requests one after another: 10 ms a round, the prompt in one."""
    path = folder / "timings.jsonl"
    rows = [
        {
            "arrival_time": n,
            "input_toks": 8,
            "output_toks": 3 + n % 2,
            "queued_ts": float(n),
            "first_token_ts": n + 0.01,
            "last_token_ts": n + 0.03 + 0.01 * (n % 2),
        }
        for n in range(10)
    ]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def test_a_cost_is_fitted_to_timings(sim: Any, tmp_path: Path) -> None:
    path = timings_file(tmp_path)
    code, out, err = sim("calibrate", path, "--timings", "--set", "budget=64")
    assert code == 0
    assert "10 requests have measured timings" in err
    assert "[setup.cost]" in out and "TTFT P50" in out
    found = json.loads(sim("calibrate", path, "--timings", "--json", "--preset", "sarathi")[1])
    assert [one["error"] for one in found["unseen"]] == pytest.approx([0, 0, 0, 0], abs=1e-3)
    assert sum(found["cost"].values()) <= 10.0001


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--set", "budget=4"), "calibrate: --set and --preset belong to --timings"),
        (("--timings", "--set", "budget=0"), "--set budget=0: setup.budget must be at least 1"),
        (("--timings", "--set", "time=tick"), "are fitted in ms, not in ticks"),
    ],
)
def test_a_fit_that_cannot_be_is_refused(
    sim: Any, tmp_path: Path, arguments: Any, told: str
) -> None:
    code, out, err = sim("calibrate", timings_file(tmp_path), *arguments)
    assert (code, out) == (2, "")
    assert told in err.splitlines()[-1]


def test_languages_are_those_of_the_words() -> None:
    assert set(LANGUAGES) == set(WORDS)
