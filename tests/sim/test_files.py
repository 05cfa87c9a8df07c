"""Scenario files: what is built in, what can be read, and what a broken file is told."""

from pathlib import Path

import pytest

from sim import ScenarioError, run
from sim.files import FileError, builtin, builtin_files, read_scenario, read_table, traffic
from tests.sim.make import by_hand

TOML = """
[setup]
budget = 4
service = "decode_first"

[[requests]]
id = "A"
arrival = 0
prompt = 6
output = 3

[[requests]]
id = "B"
arrival = 2
prompt = 2
output = 2

[[requests]]
id = "C"
arrival = 6.0
prompt = 3
output = 2
"""
JSON = """{"setup": {"budget": 4, "service": "decode_first"}, "requests": [
{"id": "A", "arrival": 0, "prompt": 6, "output": 3},
{"id": "B", "arrival": 2, "prompt": 2, "output": 2},
{"id": "C", "arrival": 6, "prompt": 3, "output": 2}]}"""


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.toml", TOML.encode()),
        ("x.json", JSON.encode()),
        ("x.json", b"\xef\xbb\xbf" + JSON.encode()),
        ("x.scenario", TOML.encode()),
        ("x.scenario", b"\n  " + JSON.encode()),
        ("x.toml", TOML.replace("\n", "\r\n").encode()),
    ],
    ids=["TOML", "JSON", "JSON with a mark", "TOML by content", "JSON by content", "CRLF"],
)
def test_toml_and_json_say_the_same(name: str, content: bytes, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert read_scenario(path) == by_hand()


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("x.json", b'{"setup":\n\n 4,}', ":3: not JSON: "),
        ("x.json", b"", ":1: not JSON: "),
        ("x.json", b"[1, 2]", ": must hold one table with setup and requests"),
        ("x.json", b'"text"', ": must hold one table with setup and requests"),
        ("x.toml", b"budget = = 4", ": not TOML: "),
        ("x.toml", b"\xff\xfe\x00", ": is not UTF-8 text; save it as UTF-8"),
        ("x.json", b"[" * 100_000, ": is nested too deeply"),
        ("x.json", b'{"setup": {"budget": ' + b"1" * 5000 + b"}}", ": "),
        ("x.toml", b"[setup]\nbudget = " + b"1" * 5000, ": "),
        ("x.toml", b"a = " + b"[" * 100_000, ": is nested too deeply"),
    ],
    ids=[
        *("broken JSON", "empty JSON", "a list", "a text", "broken TOML", "not UTF-8"),
        *("deep JSON", "long number in JSON", "long number in TOML", "deep TOML"),
    ],
)
def test_a_broken_file_is_named_with_the_place(
    name: str, content: bytes, words: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(FileError) as caught:
        read_table(path)
    assert str(caught.value).startswith(f"{path}{words}")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"none\.toml: cannot be read \(No such file"):
        read_table(tmp_path / "none.toml")


def test_rules_are_checked_in_files_too(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text(TOML.replace("budget = 4", "budget = 0"), encoding="utf-8")
    with pytest.raises(ScenarioError, match=r"setup\.budget must be at least 1, not 0"):
        read_scenario(path)


def test_built_in_scenarios_stand_in_the_order_of_the_course() -> None:
    assert list(builtin_files()) == ["1a", "2b", "3a", "5a", "5c", "7a", "8a"]


@pytest.mark.parametrize("name", list(builtin_files()))
def test_a_built_in_scenario_is_called_after_its_file_and_runs(name: str) -> None:
    subject = builtin(name)
    assert subject.name == name
    assert subject.note
    assert len(run(subject)) > 0


def test_the_synthetic_scenario_is_drawn_and_says_its_cost() -> None:
    subject = builtin("synthetic")
    assert subject is builtin("synthetic")
    assert (len(subject.requests), subject.name) == (600, "synthetic")
    assert subject.setup.budget == 2048
    cost = "rounds cost 6 ms + 0.03 ms a token + 0.0001 ms a KV token read"
    assert subject.note.startswith(cost)
    assert subject.setup.cost.duration(10, 1, 100) == 6_000_000 + 11 * 30_000 + 100 * 100


def test_traffic_keeps_requests_as_they_are() -> None:
    requests = by_hand().requests
    assert traffic(requests, "log.csv").requests == requests
