"""What a person has made is kept: lanes in saved files, setups over other traffic, Back."""

from urllib.parse import parse_qsl

from app import lane_edits
from app.files import save
from app.lab.out import command, saved
from app.opening import open_file
from app.saving import Saved
from app.session import TRACE, Session
from app.url import address, arguments_of, open_link
from sim import Scenario
from sim.toml import to_toml
from sim.what import named_setup

FILE = b"arrived_at,num_prefill_tokens,num_decode_tokens\n0,50,5\n1,60,6\n"


def in_lab_with_a_trace() -> Session:
    session = Session()
    session.choose("synthetic")
    session.face = "lab"
    lane_edits.change(session, session.lanes[1].key, {"budget": "512", "max_num_seqs": "64"})
    session.set_setup({"slo.ttft": "300"})
    open_file(session, "mine.csv", FILE)
    return session


def test_a_saved_scenario_brings_its_lanes_back():
    session = Session()
    session.choose("5a")
    lane_edits.add(session, "vllm_v1")
    lane_edits.change(session, session.lanes[-1].key, {"max_num_seqs": "2"})
    lane_edits.rename(session, session.lanes[-1].key, "mine")
    found: list[Saved] = []
    save(session, "scenario", found.append)
    other = Session()
    open_file(other, found[0].name, found[0].content)
    assert [lane.changes for lane in other.lanes] == [lane.changes for lane in session.lanes]
    assert [lane.name for lane in other.lanes] == [lane.name for lane in session.lanes]
    assert other.histories[-1].ends.tolist() == session.histories[-1].ends.tolist()


def test_lanes_of_a_file_change_no_run_and_damaged_ones_are_left_out():
    data = Session().last_good.to_dict()
    assert Scenario.from_dict(data | {"page": {"lanes": "static"}}) == Scenario.from_dict(data)
    for page in ({"lanes": "no/such:lane"}, {"lanes": 3}, {}):
        session = Session()
        open_file(session, "x.toml", to_toml(data | {"page": page}).encode())
        assert session.scenario_name == TRACE
        assert session.histories


def test_setups_and_goals_of_the_lab_stay_over_another_trace():
    session = in_lab_with_a_trace()
    assert session.scenario_name == TRACE
    setup = session.histories[1].scenario.setup
    assert (setup.budget, setup.max_num_seqs) == (512, 64)
    assert setup.slo is not None and setup.slo.ttft == 300 * 10**6


def test_back_from_the_stage_to_the_lab_runs_nothing_anew():
    session = in_lab_with_a_trace()
    there = address(session)
    before = session.payload["run"]
    session.face = "stage"
    open_link(session, arguments_of(f"?{there}&time=12"))
    assert session.face == "lab"
    assert session.payload["run"] == before
    open_link(session, arguments_of("?scenario=5a"))
    assert session.scenario_name == "5a"


def test_the_lab_by_itself_opens_on_traffic():
    session = Session()
    open_link(session, arguments_of("?face=lab"))
    assert session.scenario_name == "synthetic"
    assert dict(parse_qsl(address(session)))["face"] == "lab"


def test_a_report_on_a_trace_gives_a_command_that_sets_up_the_same():
    session = in_lab_with_a_trace()
    told = command(session)
    assert told.startswith("python -m sim compare mine.csv --set budget=")
    report = saved(session, "report", "?x").content.decode()
    assert "python -m sim compare mine.csv" in report
    last = told.rsplit("--setup ", 1)[1].strip("'")
    again = named_setup(last).on(session.last_good)
    assert again.setup == session.histories[1].scenario.setup
