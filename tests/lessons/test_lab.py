"""The script of the lab: it runs alone, gives the simulator's figures, and its checks bite."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from sim import run
from sim.export import to_json
from sim.files import builtin

SCRIPT = Path(__file__).resolve().parents[2] / "assets/lab.py"
NO_LIMIT = 10**9


@pytest.fixture
def lab() -> ModuleType:
    """The script as a module, fresh for each test: some of them break it."""
    spec = importlib.util.spec_from_file_location("lab", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["lab"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("max_chunk", [2, None])
@pytest.mark.parametrize("budget", [3, 4, 5, 6, 8, 12])
@pytest.mark.parametrize("scene", ["5a", "5-lab"])
def test_the_script_gives_the_figures_of_the_simulator(
    lab: ModuleType, scene: str, budget: int, max_chunk: int | None
) -> None:
    wanted = to_json(run(builtin(scene).with_setup(budget=budget, max_chunk=max_chunk)))
    requests = lab.trace(burst=scene == "5-lab")
    lines = lab.run(requests, budget, max_chunk or NO_LIMIT)
    assert {one.id: one.times for one in requests} == {
        id_: row["outputs"] for id_, row in wanted["requests"].items()
    }
    assert [_round(line) for line in lines] == [
        (one["start"], one["end"], one["P"], one["D"], one["given"]) for one in wanted["rounds"]
    ]
    for line, (id_, row) in zip(lab.told(requests), wanted["requests"].items(), strict=False):
        gaps = ", ".join(f"{gap:g}" for gap in row["itl"])
        assert line.startswith(f"{id_}: ")
        assert line.endswith(f"TTFT {row['ttft']:g}; ITL {gaps}")


def _round(line: str) -> tuple[float, float, int, int, dict[str, int]]:
    """A printed round: start, end, P, D and who got what."""
    words = line.split(maxsplit=10)
    given = dict(part.split() for part in words[10].split(", "))
    start, end, prefill, decodes = words[2], words[4], words[7], words[9]
    return (
        float(start),
        float(end),
        int(prefill),
        int(decodes),
        {id_: int(tokens) for id_, tokens in given.items()},
    )


def test_it_runs_without_rebatch_and_tells_the_options() -> None:
    command = [sys.executable, "-I", str(SCRIPT), "--budget"]
    six = subprocess.run([*command, "6"], capture_output=True, text=True, timeout=30, check=True)
    assert "7 tokens in 17.5 ms, 400.00 a second" in six.stdout
    none = subprocess.run([*command, "0"], capture_output=True, text=True, timeout=30, check=False)
    assert (none.returncode, "1 or more" in none.stderr) == (2, True)


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ({"A": 5}, "over the budget"),
        ({"A": 4, "Z": 0}, "Z is not here"),
        ({"B": 3}, "B has 2 tokens to compute, not 3"),
        ({"A": 0}, "A has 6 tokens to compute, not 0"),
        ({}, "must compute something"),
    ],
)
def test_its_checks_refuse_a_plan_that_cannot_be(
    lab: ModuleType, given: dict[str, int], fault: str
) -> None:
    with pytest.raises(SystemExit, match=fault):
        lab.check_plan(given, lab.trace(), 4, now=2)


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("request.computed += given[request.id]", "request.computed += 1", "lost or invented"),
        ("left -= 1", "left -= 0", "over the budget"),
        ("if not request.prompt_left:  #", "if True:  #", "lost or invented"),
        ("request.arrival <= now]", "True]", "C is not here"),
        ("min(request.prompt_left, left, max_chunk)", "min(left, max_chunk)", "to compute"),
    ],
)
def test_its_checks_catch_a_broken_change(tmp_path: Path, old: str, new: str, fault: str) -> None:
    source = SCRIPT.read_text(encoding="utf-8")
    assert old in source
    broken = tmp_path / "lab.py"
    broken.write_text(source.replace(old, new, 1), encoding="utf-8")
    command = [sys.executable, "-I", str(broken), "--budget", "6" if new == "True]" else "4"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert ran.returncode == 1, ran.stdout
    assert fault in ran.stderr
