"""Scenario files: what is built in, what can be read, and what a broken file is told."""

import re
from pathlib import Path

import pytest

from sim import ScenarioError, run
from sim.cli import main
from sim.files import (
    FileError,
    builtin,
    builtin_files,
    lanes,
    read_lanes,
    read_scenario,
    read_table,
    suggestion,
    traffic,
    variant,
)
from tests.sim.make import by_hand, scenario

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
        ("x.json", b'{"setup": ' + b"[" * 30 + b"]" * 30 + b"}", ": is nested too deeply"),
        ("x.json", b'{"setup": {"budget": ' + b"1" * 5000 + b"}}", ": "),
        ("x.toml", b"[setup]\nbudget = " + b"1" * 5000, ": "),
        ("x.toml", b"a = " + b"[" * 100_000, ": is nested too deeply"),
    ],
    ids=[
        *("broken JSON", "empty JSON", "a list", "a text", "broken TOML", "not UTF-8"),
        *(
            "deep JSON",
            "JSON of 30 levels",
            "long number in JSON",
            "long number in TOML",
            "deep TOML",
        ),
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


def test_a_name_of_too_many_parts_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "deep.toml"
    path.write_text(".".join("a" * 40) + " = 1", encoding="utf-8")
    with pytest.raises(FileError, match="more than 30 parts between dots"):
        read_table(path)


def test_a_built_in_scenario_can_be_changed_with_its_lanes() -> None:
    changed, with_lanes = variant("11c", {"budget": 300})
    assert changed == builtin("11c").with_setup(budget=300)
    assert [*with_lanes] == [*lanes("11c")]
    assert all(lane.setup.budget == 300 for lane in with_lanes.values())
    with pytest.raises(FileError, match=r"changed.*budget"):
        variant("5a", {"budget": 0})


def test_built_in_scenarios_stand_in_the_order_of_the_course() -> None:
    names = list(builtin_files())
    assert names[:5] == ["1a", "1b", "1-exercise", "1-padding", "2b"]
    assert names[-2:] == ["15g", "16a"]
    lessons = [int(re.split(r"\D", name)[0]) for name in names]
    assert lessons == sorted(lessons)
    assert "lesson" not in names


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


# Lanes.


def test_a_lane_is_its_scenario_with_changes() -> None:
    assert list(lanes("10b")) == ["chunks", "whole"]
    assert builtin("10b/chunks").setup == builtin("10b").setup
    whole = builtin("10b/whole")
    assert (whole.name, whole.note) == ("10b/whole", builtin("10b").note)
    assert whole.setup == builtin("10b").with_setup(budget=1609).setup
    assert whole.requests == builtin("10b").requests


@pytest.mark.parametrize("name", list(builtin_files()))
def test_every_lane_is_called_after_its_scenario_and_differs_from_the_others(name: str) -> None:
    known = lanes(name)
    assert [subject.name for subject in known.values()] == [f"{name}/{lane}" for lane in known]
    assert len({(subject.setup, subject.requests) for subject in known.values()}) == len(known)


def test_a_scenario_may_have_no_lanes() -> None:
    assert (lanes("7a"), lanes("9b"), lanes("synthetic")) == ({}, {}, {})


BASE = """
name = "1x"
requests = [
  { id = "A", arrival = 0, prompt = 6, output = 3 },
  { id = "B", arrival = 2, prompt = 2, output = 2 },
]
[setup]
budget = 4
cost = { base = 3, per_decode = 2 }
"""
DRAWN = """
[setup]
budget = 4
[workload]
kind = "uniform"
requests = 2
gap = 5
prompt = 3
output = 2
"""


def lanes_of(folder: Path, lesson: str, base: str = BASE) -> dict[str, object]:
    (folder / "1x.toml").write_text(base, encoding="utf-8")
    (folder / "lesson.toml").write_text(lesson, encoding="utf-8")
    return {
        name: (subject.setup, subject.requests)
        for name, subject in read_lanes(folder / "1x.toml").items()
    }


A, B = ("A", 0, 6, 3), ("B", 2, 2, 2)
COST = {"base": 3, "per_decode": 2}


@pytest.mark.parametrize(
    ("changes", "rows", "setup"),
    [
        ("{}", (A, B), {"budget": 4, "cost": COST}),
        ("{ budget = 6 }", (A, B), {"budget": 6, "cost": COST}),
        ("{ cost.base = 1 }", (A, B), {"budget": 4, "cost": {**COST, "base": 1}}),
        ("{ cost = { base = 1 } }", (A, B), {"budget": 4, "cost": {**COST, "base": 1}}),
        ("{ slo.ttft = 9 }", (A, B), {"budget": 4, "cost": COST, "slo": {"ttft": 9}}),
        (
            "{ requests.B = { prompt = 7, cached = 1 } }",
            (A, ("B", 2, 7, 2, {"cached": 1})),
            {"budget": 4, "cost": COST},
        ),
        (
            '{ requests = [{ id = "B", arrival = 1, prompt = 1, output = 1 }] }',
            (("B", 1, 1, 1),),
            {"budget": 4, "cost": COST},
        ),
        (
            '{ workload = { kind = "uniform", requests = 2, gap = 5, prompt = 3, output = 2 } }',
            (("R1", 0, 3, 2), ("R2", 5, 3, 2)),
            {"budget": 4, "cost": COST},
        ),
    ],
    ids=[
        "none",
        "a field",
        "a part",
        "a part nested",
        "a new part",
        "a request",
        "a list",
        "drawn",
    ],
)
def test_a_lane_changes_parts_and_replaces_lists(
    changes: str, rows: tuple, setup: dict, tmp_path: Path
) -> None:
    expected = scenario(*rows, **setup)
    found = lanes_of(tmp_path, f"[lanes.1x]\nchunk-4 = {changes}")
    assert found == {"chunk-4": (expected.setup, expected.requests)}


@pytest.mark.parametrize(
    ("changes", "rows"),
    [
        ("{ workload.gap = 1 }", (("R1", 0, 3, 2), ("R2", 1, 3, 2))),
        (
            '{ workload = { kind = "groups", requests = 1, size = 1, gap = 0, prompt = 1, '
            "output = 9 } }",
            (("R1", 0, 1, 9),),
        ),
        ('{ requests = [{ id = "A", arrival = 0, prompt = 6, output = 3 }] }', (A,)),
    ],
    ids=["a field of the workload", "another workload", "a list instead"],
)
def test_a_lane_changes_drawn_traffic(changes: str, rows: tuple, tmp_path: Path) -> None:
    expected = scenario(*rows, budget=4)
    found = lanes_of(tmp_path, f"[lanes.1x]\na = {changes}", DRAWN)
    assert found == {"a": (expected.setup, expected.requests)}


def test_a_folder_without_lanes_has_none(tmp_path: Path) -> None:
    (tmp_path / "1x.toml").write_text(BASE, encoding="utf-8")
    assert read_lanes(tmp_path / "1x.toml") == {}
    assert lanes_of(tmp_path, 'title = "other things of the lesson"') == {}


@pytest.mark.parametrize(
    ("lesson", "words"),
    [
        ("lanes = 3", "lesson.toml: lanes: must be a table of names and values, not 3"),
        ("lanes.1x = 3", "lesson.toml: lanes.1x: must be a table"),
        ("lanes.1x.a = 3", "lesson.toml: lanes.1x.a: must be a table"),
        ("[lanes.1y]", "lesson.toml: lanes.1y: is no scenario; did you mean 1x?"),
        ("[lanes.1x.A]", "lesson.toml: lanes.1x.A: must be lower-case words and numbers"),
        ("[lanes.1x.a-]", "lesson.toml: lanes.1x.a-: must be lower-case words and numbers"),
        ('[lanes.1x."a/b"]', "lesson.toml: lanes.1x.a/b: must be lower-case words"),
        ("lanes.1x.a.budgt = 3", "lesson.toml: lanes.1x.a: setup.budgt is not a known name"),
        ("lanes.1x.a.cost.bass = 3", "lanes.1x.a: setup.cost.bass is not a known name"),
        ("lanes.1x.a.budget = 0", "lanes.1x.a: setup.budget must be at least 1, not 0"),
        ("lanes.1x.a.requests = 3", "lanes.1x.a: requests must be a list, not 3"),
        ("lanes.1x.a.requests.B = 3", "lanes.1x.a: requests[1] must be a table"),
        (
            "lanes.1x.a.requests.C.prompt = 3",
            "lanes.1x.a.requests.C: is no request of the scenario; known: A, B",
        ),
        ("lanes.1x.a.workload.gap = 3", "lanes.1x.a: workload.kind is missing"),
        ("lanes.1x.a.workload = 3", "lanes.1x.a: workload must be a table"),
        ("lanes.1x.a = ", "lesson.toml: not TOML: "),
    ],
)
def test_a_broken_lane_is_named_with_its_file(lesson: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(FileError) as caught:
        lanes_of(tmp_path, lesson)
    assert str(caught.value).startswith(str(tmp_path))
    assert words in str(caught.value)


def test_requests_of_drawn_traffic_cannot_be_changed_by_name(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"lanes\.1x\.a\.requests\.R1: is no request of the scen"):
        lanes_of(tmp_path, "lanes.1x.a.requests.R1.prompt = 3", DRAWN)


def test_a_broken_scenario_is_named_before_its_lanes(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"1x\.toml: setup\.budget must be at least 1, not 0"):
        lanes_of(tmp_path, "lanes.1x.a.budget = 3", BASE.replace("budget = 4", "budget = 0"))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("10x", "10x: is no built-in scenario; did you mean "),
        ("somewhere.toml", "somewhere.toml: is no built-in scenario"),
        ("10x/whole", "10x: is no built-in scenario; did you mean "),
        ("10b/hole", "10b/hole: 10b has no such lane; did you mean whole?"),
        ("10b/", "10b/: 10b has no such lane; known: chunks, whole"),
        ("7a/x", "7a/x: 7a has no such lane"),
    ],
)
def test_an_unknown_name_is_refused_with_the_closest(name: str, message: str) -> None:
    with pytest.raises(FileError) as caught:
        builtin(name)
    assert str(caught.value).startswith(message)
    if not message.endswith(" "):
        assert str(caught.value) == message


def test_a_suggestion_is_the_closest_names_or_all_of_a_few() -> None:
    assert suggestion("chunk", ["chunks", "whole"]) == "; did you mean chunks?"
    assert suggestion("x", ["chunks", "whole"]) == "; known: chunks, whole"
    assert suggestion("x", map(str, range(12))) == "; known: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11"
    assert suggestion("x", map(str, range(13))) == ""
    assert suggestion("x", []) == ""


def test_the_command_line_runs_lanes_and_lists_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "10b/whole", "--json"]) == 0
    assert '"name": "10b/whole"' in capsys.readouterr().out
    assert main(["list"]) == 0
    listed = capsys.readouterr().out.splitlines()
    place = next(i for i, line in enumerate(listed) if line.startswith("10b "))
    assert listed[place + 1].split() == ["lanes:", "10b/chunks,", "10b/whole"]
    assert max(map(len, listed[:-1])) <= 120


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("10b/hole", "10b/hole: 10b has no such lane; did you mean whole?"),
        ("5-lb", "5-lb: no such file, nor a built-in scenario; did you mean 5-lab or 15b?"),
        (
            "somewhere.csv",
            "somewhere.csv: no such file, nor a built-in scenario; python -m sim list names those",
        ),
    ],
)
def test_the_command_line_helps_with_names(
    what: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", what]) == 2
    assert capsys.readouterr().err == f"python -m sim: {message}\n"


def test_a_name_that_json_has_twice_is_refused_as_in_toml(tmp_path: Path) -> None:
    path = tmp_path / "twice.json"
    path.write_text('{"setup": {"budget": 4, "budget": 8}, "requests": []}', encoding="utf-8")
    with pytest.raises(FileError, match=r"twice\.json: budget is there twice; keep one"):
        read_table(path)
