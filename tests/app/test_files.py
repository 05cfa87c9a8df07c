"""Files of the page: what is saved can be opened again, and what cannot be opened says why."""

import csv
import io
import json
import tomllib
import zipfile
from typing import Any

import pytest

from app import files
from app.commands import run_command
from app.files import save
from app.lane_specs import default_lanes
from app.opening import open_file
from app.rows import MOST_ROWS
from app.saving import Saved, made
from app.session import TRACE, Session
from lessons.catalogue import scenes
from sim import Scenario
from sim.files import builtin
from sim.toml import to_toml

TRACE_FILE = b"arrived_at,num_prefill_tokens,num_decode_tokens\n0,50,5\n1,60,6\n"
SMALL = b"""
name = "small"
[setup]
budget = 4
[[requests]]
id = "A"
arrival = 0
prompt = 6
output = 3
priority = 1
"""


@pytest.fixture
def session() -> Session:
    return Session()


def saved(session: Session, what: str) -> Saved:
    """The one file that saving gives."""
    given: list[Saved] = []
    save(session, what, given.append)
    (file,) = given
    return file


def picture(session: Session) -> dict[str, Any]:
    """What the stage shows, but for the name and the number of the run."""
    return {k: v for k, v in session.payload.items() if k not in ("title", "run", "reset")}


# Saving a scenario and opening it again.


EDITABLE = [name for name in scenes() if len(builtin(name).requests) <= MOST_ROWS]


@pytest.mark.parametrize("scene", EDITABLE)
def test_every_scene_comes_back_from_its_file(session: Session, scene: str) -> None:
    session.choose(scene)
    session.lanes = default_lanes("", builtin(scene))  # a scenario has no lanes of its own
    file, shown = saved(session, "scenario"), picture(session)
    assert file.name == f"rebatch-{scene}.toml"
    open_file(session, file.name, file.content)
    assert session.scenario_name == TRACE
    assert picture(session) == shown
    assert session.read_only is False


def test_what_is_on_the_screen_is_saved_not_what_cannot_run(session: Session) -> None:
    session.budget = 6
    session.set_rows([{**session.rows[0], "prompt": "x"}, *session.rows[1:]])
    data = tomllib.loads(saved(session, "scenario").content.decode())
    assert data["setup"]["budget"] == 6
    assert [request["prompt"] for request in data["requests"]] == [6, 2, 3]


def test_an_opened_scenario_is_edited_like_a_scene_and_keeps_the_rest(session: Session) -> None:
    open_file(session, "mine.toml", SMALL)
    assert session.notice == "mine.toml is open. Requests: 1. The setup is the file’s own."
    session.set_rows([{**session.rows[0], "output": "5"}])
    data = tomllib.loads(saved(session, "scenario").content.decode())
    row = {"id": "A", "arrival": 0, "prompt": 6, "output": 5, "priority": 1}
    assert data["requests"] == [row]
    assert saved(session, "scenario").name == "rebatch-mine.toml"


def test_it_is_spoken_of_as_a_scenario_until_a_trace_is_opened(session: Session) -> None:
    open_file(session, "mine.toml", SMALL)
    assert session.lesson()["title"] == "Your scenario"
    assert session.lesson()["hook"] == "From your file mine. Requests: 1."
    assert session.scenario_titles()[-1] == (TRACE, "mine")
    open_file(session, "t.csv", TRACE_FILE)
    assert session.lesson()["title"] == "Your trace"


def test_json_is_opened_too(session: Session) -> None:
    text = json.dumps(tomllib.loads(SMALL.decode())).encode()
    open_file(session, "mine.json", b"\xef\xbb\xbf" + text)
    assert session.last_good.requests[0].priority == 1
    assert session.last_good.name == "mine"


def test_a_trace_as_json_lines_stays_a_trace(session: Session) -> None:
    row = b'{"timestamp": 0, "input_length": 100, "output_length": 5, "hash_ids": [1]}\n'
    open_file(session, "mooncake.jsonl", row * 3)
    assert session.lesson()["title"] == "Your trace"


def test_a_large_scenario_is_shown_read_only(session: Session) -> None:
    rows = [{"id": f"R{i}", "arrival": i, "prompt": 5, "output": 2} for i in range(201)]
    text = to_toml({"setup": {"budget": 64}, "requests": rows})
    open_file(session, "large.toml", text.encode())
    assert session.read_only
    assert "Requests: 201." in session.notice
    assert "200 at most" in session.notice


# What cannot be opened leaves all as it was, and says why in the learner's language.


def toml(setup: str = "budget = 4", **request: Any) -> bytes:
    row = {"id": "A", "arrival": 0, "prompt": 6, "output": 3, **request}
    return f"[setup]\n{setup}\n".encode() + to_toml({"requests": [row]}).encode()


@pytest.mark.parametrize(
    ("name", "data", "en", "zh"),
    [
        ("a.toml", b"[setup]\nbudget = \n", "read as TOML: look at line 2.", "请看第 2 行"),
        ("a.json", b'{"setup": {\n"budget" 4}}', "read as JSON: look at line 2.", "第 2 行"),
        ("a.toml", b"a = " + b"9" * 5000, "cannot be read as TOML.", "读不成 TOML"),
        ("a.toml", b"\xff\xfe", "not UTF-8", "UTF-8"),
        ("a.toml", b"#" * (8 * 2**20 + 1), "9 MB. A scenario file may have 8 MB", "9 MB"),
        ("a.toml", toml(prompt=0), "A needs at least 1 prompt token, not 0.", "A "),
        ("a.toml", b"name = 3", "“setup.budget” is missing.", "缺少“setup.budget”。"),
        ("a.toml", b"requests = 3\n[setup]\nbudget = 4", "“requests” must be a list.", "列表"),
        ("a.toml", b"setup = 3", "“setup” must be a table of names and values.", "一张由"),
        ("a.toml", toml("budget = 4\nbudgets = 3"), "“setup.budgets” is not a name", "没有“setup"),
        ("a.toml", b"seed = 0x" + b"f" * 9000, "not a number of some", "“seed”最多"),
        ("a.toml", b'requests = [1, {id = 5, a = 1}]', "“5.a” is not a name", "没有“5.a”"),
        ("a.json", b'{"setup": ' + b"[" * 100_000, "cannot be read as JSON", "读不成 JSON"),
        ("a.toml", toml(prio=1), "“A.prio” is not a name", "没有“A.prio”"),
        ("a.toml", toml(id="", a=1), "“requests[0].a” is not a name", "没有“requests[0].a”"),
        ("a.toml", toml("budget = 1", prompt=1_000_000), "most here is 1,000,000", "1,000,000"),
        ("a.toml", toml("budget = 4", a=1, b=1, c=1, d=1, e=1), "in the file: 2.", "还有 2 处"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_opened(
    session: Session, name: str, data: bytes, en: str, zh: str
) -> None:
    before = session.picture
    open_file(session, name, data)
    assert session.picture is before
    assert name in session.notice
    assert en in session.notice
    session.lang = "zh"
    assert zh in session.notice


def test_a_scenario_that_a_lane_cannot_run_is_refused(session: Session) -> None:
    setup = 'budget = 4\nmode = "vllm_v1"\nmax_chunk = 2\nchunked = false'
    open_file(session, "v.toml", toml(setup, prompt=2))
    assert session.scenario_name == "5a"
    assert session.notice.startswith("v.toml cannot run.")


# Saving the run.


def test_tables_are_four_a_lane(session: Session) -> None:
    file = saved(session, "csv")
    assert file.name == "rebatch-5a-csv.zip"
    with zipfile.ZipFile(io.BytesIO(file.content)) as archive:
        assert len(archive.namelist()) == 8
        text = archive.read("continuous/rounds.csv").decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["P"] for row in rows] == ["4", "4", "2", "1", "0"]


def test_json_has_both_lanes_and_the_scenario(session: Session) -> None:
    lanes = json.loads(saved(session, "json").content)
    assert {mode: run["overall"]["makespan"] for mode, run in lanes.items()} == {
        "static": 24,
        "continuous": 19.5,
    }
    assert Scenario.from_dict(lanes["continuous"]["scenario"]).requests == (
        session.last_good.requests
    )


def test_the_timeline_has_a_process_a_lane(session: Session) -> None:
    file = saved(session, "chrome")
    assert file.name == "rebatch-5a-trace.json"
    events = json.loads(file.content)["traceEvents"]
    rounds = [event["pid"] for event in events if event["name"].startswith("round ")]
    assert [rounds.count(one) for one in sorted(set(rounds))] == [7, 5]


def test_a_kind_that_is_not_there_gives_nothing(session: Session) -> None:
    given: list[Saved] = []
    save(session, "../../etc/passwd", given.append)
    assert given == []


def test_a_run_that_is_too_long_is_told_with_the_command(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MOST_ROUNDS_SAVED", 11)
    given: list[Saved] = []
    save(session, "csv", given.append)
    assert given == []
    assert "12 rounds" in session.notice
    assert "python -m sim run rebatch-5a.toml --csv FOLDER" in session.notice
    save(session, "scenario", given.append)
    assert len(given) == 1


def test_long_files_are_made_in_the_background(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "QUICK_ROUNDS", 3)
    waiting: list[Any] = []
    session.defer = lambda job, then: waiting.append((job, then))
    given: list[Saved] = []
    save(session, "json", given.append)
    assert session.working == "Writing the file…"
    assert given == []
    ((job, then),) = waiting
    then(job())
    assert session.working == ""
    assert len(given) == 1


def test_the_scenario_of_a_trace_is_written_in_the_background(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MOST_ROWS", 1)
    waiting: list[Any] = []
    session.defer = lambda job, then: waiting.append(job)
    given: list[Saved] = []
    save(session, "scenario", given.append)
    (job,) = waiting
    assert given == []
    assert job().name == "rebatch-5a.toml"


def test_long_files_are_made_elsewhere(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "QUICK_ROUNDS", 3)
    asked: list[Any] = []
    save(session, "csv", lambda _: None, lambda *job: asked.append(job))
    ((job, kind, stem, names, *histories),) = asked
    assert (job, kind, stem) == (made, "csv", "rebatch-5a")
    assert (len(names), histories) == (2, session.histories)


def test_what_else_is_being_said_stays(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "QUICK_ROUNDS", 3)
    session.working = "Simulating 600 requests…"
    saved(session, "json")
    assert session.working == "Simulating 600 requests…"


def test_a_file_is_called_after_where_its_scenario_came_from(session: Session) -> None:
    open_file(session, "../we ird/名字.v2.toml", SMALL)
    assert saved(session, "scenario").name == "rebatch-名字-v2.toml"
    open_file(session, "t.csv", TRACE_FILE)
    assert saved(session, "json").name == "rebatch-t.json"


def test_two_lanes_of_one_mode_are_both_saved(session: Session) -> None:
    session.choose("8a")
    lanes = json.loads(saved(session, "json").content)
    assert [lanes[key]["scenario"]["setup"]["budget"] for key in ("14", "6")] == [14, 6]
    with zipfile.ZipFile(io.BytesIO(saved(session, "csv").content)) as archive:
        assert {name.partition("/")[0] for name in archive.namelist()} == {"14", "6"}


def test_lanes_are_saved_under_the_names_they_were_given(session: Session) -> None:
    for key, name in (("static", "One/two"), ("continuous", "one two")):
        run_command(session, {"do": "rename_lane", "key": key, "name": name})
    assert list(json.loads(saved(session, "json").content)) == ["One/two", "one two (2)"]
    with zipfile.ZipFile(io.BytesIO(saved(session, "csv").content)) as archive:
        folders = {name.partition("/")[0] for name in archive.namelist()}
    assert len({folder.lower() for folder in folders}) == 2
    events = json.loads(saved(session, "chrome").content)["traceEvents"]
    told = [one["args"]["name"] for one in events if one["name"] == "process_name"]
    assert [name.rpartition(", ")[2] for name in told] == ["One/two", "one two (2)"]


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("log.csv", b"\x89PNG\r\n\x1a\n", {"en": "a picture", "zh": "图片"}),
        ("run.toml", b"\x89PNG\r\n\x1a\n", {"en": "a picture", "zh": "图片"}),
        ("log.csv", b"PK\x03\x04\x14\x00", {"en": "packed", "zh": "压缩"}),
        ("run.toml", b"# nothing yet\n", {"en": "is empty", "zh": "是空的"}),
        ("run.toml", b"", {"en": "[setup]", "zh": "[setup]"}),
    ],
)
def test_what_is_no_text_or_empty_is_called_what_it_is(
    name: str, data: bytes, said: dict[str, str]
) -> None:
    session = Session()
    for lang, part in said.items():
        session.lang = lang
        open_file(session, name, data)
        assert session.notice.startswith(name)
        assert part in session.notice
