"""Mode `vllm_v1` against recordings of vLLM's own scheduler, and the reading of such files."""

import json
from pathlib import Path
from typing import Any

import pytest

from sim import run
from sim.check import check
from sim.files import FileError
from sim.vllm import read_recording, rounds

RECORDED = {
    "name": "small",
    "note": "",
    "budget": 4,
    "max_seqs": 8,
    "block_size": 4,
    "num_blocks": 10,
    "policy": "fcfs",
    "chunked": True,
    "long_prefill_token_threshold": 0,
    "enable_prefix_caching": False,
    "requests": [
        {"id": "A", "arrival_round": 0, "prompt": 6, "output": 2, "priority": 0},
        {"id": "B", "arrival_round": 5, "prompt": 2, "output": 1, "priority": 0},
    ],
}


def written(folder: Path, **changes: Any) -> Path:
    """A file in the recorded form; `...` takes a name away."""
    table = {key: value for key, value in {**RECORDED, **changes}.items() if value is not ...}
    path = folder / "recorded.json"
    path.write_text(json.dumps({"scenario": table}), encoding="utf-8")
    return path


def test_rounds_equal_those_vllm_recorded(shared: Path) -> None:
    files = sorted((shared / "golden/vllm").glob("*.json"))
    assert len(files) >= 40
    for path in files:
        recorded = json.loads(path.read_text(encoding="utf-8"))
        if recorded.get("format") != "vllm-rounds/1":
            continue
        subject = read_recording(path)
        made = rounds(subject)
        for ours, theirs in zip(made, recorded["rounds"], strict=False):
            assert ours == theirs, f"{path.name}, round {theirs['round']}"
        assert len(made) == len(recorded["rounds"]), path.name


def test_the_laws_hold_in_every_recorded_scenario(shared: Path) -> None:
    for path in sorted((shared / "golden/vllm").glob("[0-9]*.json")):
        assert check(run(read_recording(path))) > 0, path.name


def test_a_small_recording_by_hand(tmp_path: Path) -> None:
    made = rounds(read_recording(written(tmp_path)))
    assert [row["scheduled"] for row in made] == [{"A": 4}, {"A": 2}, {"A": 1}, {}, {}, {"B": 2}]
    assert [row["round"] for row in made] == [0, 1, 2, 3, 4, 5]
    assert [row["free_blocks"] for row in made] == [9, 8, 8, 10, 10, 9]
    assert made[1]["first_token"] == ["A"] and made[2]["first_token"] == []
    assert list(made[1]) == list(made[3])  # an empty round has the same names, in the same order
    assert made[5] == {
        "round": 5,
        "scheduled": {"B": 2},
        "prefill": ["B"],
        "decode": [],
        "emitted": ["B"],
        "first_token": ["B"],
        "finished": ["B"],
        "admitted": ["B"],
        "resumed": [],
        "preempted": [],
        "running": ["B"],
        "waiting": [],
        "free_blocks": 9,
        "blocks": {"B": 1},
    }


def test_a_watermark_is_a_share_of_the_pool_and_the_null_block(tmp_path: Path) -> None:
    subject = read_recording(written(tmp_path, watermark=0.5, num_blocks=9))
    assert subject.setup.watermark == 5


def test_the_options_of_a_recording_become_settings(tmp_path: Path) -> None:
    subject = read_recording(
        written(
            tmp_path, policy="priority", long_prefill_token_threshold=3, reserve_full_prompt=False
        )
    )
    setup = subject.setup
    assert (setup.mode, setup.order, setup.max_chunk) == ("vllm_v1", "priority", 3)
    assert (setup.reserve, setup.time, setup.watermark) == ("none", "tick", 0)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"budgets": 3}, "scenario.budgets is not a known name"),
        ({"enable_prefix_caching": True}, "scenario.enable_prefix_caching must be false"),
        ({"policy": "lifo"}, "scenario.policy must be fcfs or priority, not 'lifo'"),
        ({"watermark": 2}, "scenario.watermark must be a share from 0 to 1, not 2"),
        ({"watermark": True}, "scenario.watermark must be a share from 0 to 1, not True"),
        ({"requests": 3}, "requests must be a list, not 3"),
        ({"requests": ["A"]}, "requests[0] must be a table of names and values, not 'A'"),
        (
            {"requests": [{"id": "A", "arrival": 0, "prompt": 1, "output": 1}]},
            "scenario.requests[0].arrival is not a known name; did you mean arrival_round?",
        ),
        ({"budget": ...}, "setup.budget is missing"),
        ({"num_blocks": "many", "watermark": 0.1}, "setup.num_blocks must be a whole number"),
        ({"requests": []}, "requests has no requests"),
        ({"policy": ["fcfs"]}, "scenario.policy must be fcfs or priority, not ['fcfs']"),
        ({"watermark": 0.1, "num_blocks": True}, "setup.num_blocks must be a whole number"),
        ({"watermark": 0.5, "num_blocks": 10**400}, "setup.num_blocks must be at most"),
        ({"watermark": None}, "scenario.watermark must be a share from 0 to 1, not None"),
    ],
)
def test_a_recording_that_cannot_be_simulated_is_refused_with_its_reason(
    changes: dict[str, Any], words: str, tmp_path: Path
) -> None:
    path = written(tmp_path, **changes)
    with pytest.raises(FileError) as caught:
        read_recording(path)
    assert str(caught.value).startswith(f"{path}: {words}")


def test_a_file_without_a_scenario_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('{"rounds": []}', encoding="utf-8")
    with pytest.raises(FileError, match='must hold a "scenario" with budget, max_seqs'):
        read_recording(path)


def test_a_far_arrival_does_not_fill_the_memory_with_empty_rounds(tmp_path: Path) -> None:
    requests = [{"id": "A", "arrival_round": 10**9, "prompt": 1, "output": 1}]
    with pytest.raises(FileError, match=r"arrival"):
        read_recording(written(tmp_path, requests=requests))
