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

SCRIPT = Path(__file__).resolve().parents[2] / "lessons/16_lab/lab.py"


@pytest.fixture(scope="module")
def lab() -> ModuleType:
    spec = importlib.util.spec_from_file_location("lab", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["lab"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("budget", [1, 3, 4, 5, 6, 8, 12])
@pytest.mark.parametrize("max_chunk", [1, 2, 10])
def test_the_script_gives_the_figures_of_the_simulator(
    lab: ModuleType, budget: int, max_chunk: int
) -> None:
    requests = lab.trace()
    rounds = lab.run(requests, budget, max_chunk)
    wanted = to_json(run(builtin("5a").with_setup(budget=budget, max_chunk=max_chunk)))
    assert {one.id: one.times for one in requests} == {
        id_: row["outputs"] for id_, row in wanted["requests"].items()
    }
    assert len(rounds) == wanted["overall"]["rounds"]


@pytest.mark.parametrize("max_chunk", [2, 10**6])
def test_a_burst_is_that_of_lesson_five(lab: ModuleType, max_chunk: int) -> None:
    requests = lab.trace(burst=True)
    lab.run(requests, 4, max_chunk)
    wanted = to_json(run(builtin("5-lab").with_setup(max_chunk=max_chunk)))
    assert {one.id: one.times for one in requests} == {
        id_: row["outputs"] for id_, row in wanted["requests"].items()
    }


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
        ({}, "must compute something"),
    ],
)
def test_its_checks_refuse_a_plan_that_cannot_be(
    lab: ModuleType, given: dict[str, int], fault: str
) -> None:
    with pytest.raises(AssertionError, match=fault):
        lab.check_plan(given, lab.trace(), 4)


def test_its_checks_refuse_a_token_that_was_never_computed(lab: ModuleType) -> None:
    requests = lab.trace()
    lab.run(requests, 4, 10)
    requests[0].computed -= 1
    with pytest.raises(AssertionError, match="A miscounts"):
        lab.check_end(requests)
