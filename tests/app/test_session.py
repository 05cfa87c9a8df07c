"""One visitor's session: edits give figures or say what is wrong, and never lose the picture."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app import lane_edits
from app.commands import run_command
from app.opening import open_trace
from app.rows import FIELDS, MOST_ROWS
from app.session import TRACE, Session
from lessons.catalogue import heading, scenes
from sim.files import SYNTHETIC

Row = dict[str, str]
TRACE_FILE = b"arrived_at,num_prefill_tokens,num_decode_tokens\n" + b"".join(
    b"%d.5,%d,%d\n" % (i, 50 + i, 5 + i % 7) for i in range(250)
)


@pytest.fixture
def session() -> Session:
    return Session()


def rows(session: Session) -> list[Row]:
    """A copy of the table, to be edited."""
    return [dict(row) for row in session.rows]


def edit(session: Session, index: int, **cells: str) -> None:
    """Type into some cells of a row."""
    changed = rows(session)
    changed[index] |= cells
    session.set_rows(changed)


def figure(session: Session, key: str, lane: int = 1) -> Any:
    """A final figure of a lane, by the head of its column."""
    keys = [head["key"] for head in session.payload["overall_head"]]
    return session.payload["lanes"][lane]["overall"]["final"][keys.index(key)]


# Running.


def test_a_session_begins_with_the_by_hand_scene(session: Session) -> None:
    assert session.scenario_name == "5a"
    assert (figure(session, "makespan"), figure(session, "tokens")) == (19.5, 7)
    assert figure(session, "makespan", lane=0) == 24
    assert session.payload["reset"]
    assert (session.problems, session.read_only, session.notice) == ([], False, "")
    assert [row["id"] for row in session.rows] == ["A", "B", "C"]


def test_a_larger_budget_gives_the_figures_of_lesson_5c(session: Session) -> None:
    first = session.payload["run"]
    session.budget = 6
    assert (figure(session, "makespan"), figure(session, "output_tps")) == (17.5, 400)
    assert session.payload["run"] > first
    assert not session.payload["reset"]


def test_an_edited_cell_gives_the_figures_of_the_edited_run(session: Session) -> None:
    edit(session, 0, output="1")
    assert session.problems == []
    assert figure(session, "tokens") == 5
    edit(session, 2, arrival="0.25", prompt="1", cached="1")
    assert session.payload["requests"][2]["arrival"] == 0.25


def test_rows_can_be_added_and_taken_away(session: Session) -> None:
    session.set_rows([*rows(session), {"id": "D", "arrival": "7", "prompt": "2", "output": "1"}])
    assert figure(session, "finished") == 4
    session.set_rows(rows(session)[:1])
    assert figure(session, "finished") == 1


def test_blanks_around_a_cell_do_not_matter(session: Session) -> None:
    edit(session, 0, id=" A ", arrival=" 0 ", prompt=" 6", output="3 ", cached="  ")
    assert session.problems == []
    assert figure(session, "makespan") == 19.5


def test_reset_takes_all_edits_back(session: Session) -> None:
    session.budget = 9
    edit(session, 0, prompt="x")
    session.reset()
    assert (session.budget, session.problems) == (4, [])
    assert session.rows[0]["prompt"] == "6"
    assert figure(session, "makespan") == 19.5
    assert session.payload["reset"]


@pytest.mark.parametrize("name", list(scenes()))
def test_every_scene_can_be_chosen(session: Session, name: str) -> None:
    session.choose(name)
    assert session.scenario_name == name
    assert session.payload["title"] == heading(name, "en").title
    assert session.lesson()["hook"] == heading(name, "en").hook
    assert session.lesson()["number"] == str(scenes()[name].lesson)
    assert session.payload["reset"]
    json.dumps(session.payload, allow_nan=False)


def test_choosing_what_is_not_there_yet_changes_nothing(session: Session) -> None:
    before = session.picture
    session.choose(TRACE)
    assert session.picture is before


def test_each_visitor_has_a_table_of_their_own(session: Session) -> None:
    other = Session()
    edit(session, 0, prompt="1")
    assert other.rows[0]["prompt"] == "6"
    assert TRACE not in other.param.scenario_name.objects
    open_trace(session, "t.csv", TRACE_FILE)
    assert TRACE not in other.param.scenario_name.objects
    assert other.param.budget.bounds == (1, 16)


def test_the_budget_goes_as_far_as_the_longest_prompt(session: Session) -> None:
    edit(session, 0, prompt="300")
    assert session.param.budget.bounds == (1, 300)
    session.budget = 200
    edit(session, 0, prompt="x")
    assert session.param.budget.bounds == (1, 200), "not below the budget"
    edit(session, 0, prompt="9" * 40)
    assert session.param.budget.bounds == (1, 200)
    edit(session, 0, prompt="20000")
    assert session.param.budget.bounds == (1, 8192)


def test_a_trace_without_a_unit_is_kept_until_its_unit_is_chosen(session: Session) -> None:
    open_trace(session, "t.csv", b"timestamp,prompt,output\n0,120,30\n250,64,12\n")
    assert session.unread is not None
    assert session.scenario_name == "5a"
    session.lang = "zh"
    assert session.unread is not None, "the same notice in another language"
    open_trace(session, *session.unread, unit="ms")
    assert [session.scenario_name, session.unread] == [TRACE, None]
    assert session.rows[1]["arrival"] == "250"


# The setup.


def test_a_changed_setup_gives_both_lanes_a_new_run(session: Session) -> None:
    first = session.payload["run"]
    session.set_setup({"cost.base": "3"})
    assert session.setup == {"cost.base": "3"}
    assert (figure(session, "makespan"), figure(session, "makespan", lane=0)) == (24.5, 31)
    assert session.payload["run"] == first + 1
    session.set_setup({"cost.base": "2"})
    assert session.setup == {}
    assert figure(session, "makespan") == 19.5


def test_what_has_no_meaning_in_the_static_lane_leaves_it_alone(session: Session) -> None:
    session.set_setup({"max_decodes": "1"})
    assert session.problems == []
    assert figure(session, "makespan", lane=0) == 24
    assert figure(session, "makespan") > 19.5


def test_changes_of_the_setup_add_up_and_are_taken_back(session: Session) -> None:
    session.set_setup({"max_num_seqs": "2"})
    session.set_setup({"on_full": "swap"})
    assert session.setup == {"max_num_seqs": "2", "on_full": "swap"}
    session.reset()
    assert session.setup == {}
    assert session.last_good.setup.max_num_seqs == 128
    session.set_setup({"max_num_seqs": "2"})
    session.choose("5c")
    assert session.setup == {}


BAD_SETUPS: list[tuple[str, dict[str, str], str, str]] = [
    ("zero", {"max_num_seqs": "0"}, "max_num_seqs", "Seats must be at least 1, not 0."),
    ("text", {"num_blocks": "x"}, "num_blocks", "Blocks in the pool must be a whole number"),
    ("page bound", {"cost.base": "2e6"}, "cost.base", "Each round must be at most 1,000,000, not "),
    ("list", {"buckets": "4, 2"}, "buckets", "Graph sizes: each number must be larger than"),
    ("partner", {"think": "4"}, "think", "Thinking time needs clients in a loop"),
    ("half", {"speculation.drafts": "2"}, "speculation.accepted", "Drafts that are right needs a"),
    ("aging", {"order": "aging"}, "aging_step", "Waiting worth a level is missing"),
    ("free", {"cost.base": "0", "cost.per_decode": "0"}, "cost.base", "A round would take no time"),
    ("ticks", {"time": "tick", "cost.base": "1"}, "cost.base", "Costs have no meaning in ticks"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "option", "said"),
    [case[1:] for case in BAD_SETUPS],
    ids=[case[0] for case in BAD_SETUPS],
)
def test_a_setup_that_cannot_run_is_told_at_its_field(
    session: Session, changes: dict[str, str], option: str, said: str
) -> None:
    before = session.picture
    session.set_setup(changes)
    assert session.picture is before
    problem = next(problem for problem in session.problems if problem["option"] == option)
    assert problem["text"].startswith(said)
    assert problem["row"] is None
    session.lang = "zh"
    assert re.search("[\u4e00-\u9fff]", session.problems[0]["text"])


def test_a_pool_too_small_is_told_at_the_request(session: Session) -> None:
    session.set_setup({"num_blocks": "1", "block_size": "4"})
    texts = [problem["text"] for problem in session.problems]
    assert texts[0].startswith("A can never run: it needs 2 KV blocks in the end, and the pool ha")
    assert session.problems[0]["mends"] == ["num_blocks", "block_size"]


def test_costs_whose_sum_no_clock_holds_are_told(session: Session) -> None:
    session.set_rows([{"id": "A", "arrival": "0", "prompt": "20000", "output": "2000"}])
    session.set_setup({"cost.per_kv_token": "1000000"})
    assert [problem["option"] for problem in session.problems] == ["cost.base"]
    assert "longer than can be counted" in session.problems[0]["text"]


def test_a_preset_settles_how_the_continuous_lane_batches(session: Session) -> None:
    session.budget = 8
    lane_edits.put_preset(session, "orca")
    assert session.setup == {"chunked": "false", "service": "running_first"}
    assert (session.problems, session.last_good.setup.chunked) == ([], False)
    lane_edits.put_preset(session, "sarathi")
    assert session.setup == {}
    lane_edits.put_preset(session, "nonsense")
    assert session.setup == {}


def test_a_trace_takes_another_setup(session: Session) -> None:
    open_trace(session, "t.csv", TRACE_FILE)
    session.set_setup({"max_num_seqs": "1"})
    assert (session.problems, session.last_good.setup.max_num_seqs) == ([], 1)
    session.set_setup({"max_num_seqs": "none"})
    assert [problem["option"] for problem in session.problems] == ["max_num_seqs"]
    assert session.last_good.setup.max_num_seqs == 1
    session.set_setup({"max_num_seqs": "2", "think": "1"})
    assert [problem["option"] for problem in session.problems] == ["think"]


# Lanes.


def lane_keys(session: Session) -> list[str]:
    return [lane["key"] for lane in session.payload["lanes"]]


def test_lanes_are_added_copied_changed_and_removed(session: Session) -> None:
    assert lane_keys(session) == ["static", "continuous"]
    lane_edits.add(session, "vllm_v1")
    lane_edits.copy(session, "continuous")
    assert lane_keys(session) == ["static", "continuous", "continuous-2", "vllm_v1"]
    lane_edits.change(session, "continuous-2", {"budget": "6"})
    assert [figure(session, "makespan", lane=lane) for lane in (1, 2)] == [19.5, 17.5]
    assert session.payload["lanes"][2]["title"] == "Continuous batching · budget 6"
    assert session.payload["differs"].startswith("Differs: ")
    lane_edits.change(session, "continuous-2", {"budget": None})
    assert figure(session, "makespan", lane=2) == 19.5
    lane_edits.remove(session, "static")
    assert lane_keys(session) == ["continuous", "continuous-2", "vllm_v1"]
    session.reset()
    assert lane_keys(session) == ["static", "continuous"]


def test_a_lane_that_cannot_stand_here_is_offered_with_the_reason(session: Session) -> None:
    reasons = {name: why for name, _, why in session.payload["bases"]}
    assert reasons["vllm_v1"] == reasons["static"] == ""
    assert reasons["orca"].startswith("A can never run: its prompt of 6 must fit whole")
    session.budget = 6
    assert all(why == "" for _, _, why in session.payload["bases"])


def test_a_lane_with_the_same_rounds_as_another_says_so(session: Session) -> None:
    lane_edits.add(session, "vllm_v1")
    lane_edits.add(session, "conservative")
    rules = [lane["rule"] for lane in session.payload["lanes"]]
    assert rules[2].startswith("same rounds as continuous here; ")
    assert not any(rule.startswith("same") for rule in rules[:2])
    session.lang = "zh"
    assert session.payload["lanes"][2]["rule"].startswith("在这里各轮与“连续”相同；")


def test_a_lane_takes_another_place(session: Session) -> None:
    run_command(session, {"do": "move_lane", "key": "static", "step": 1})
    assert lane_keys(session) == ["continuous", "static"]
    run_command(session, {"do": "move_lane", "key": "static", "step": 5})
    run_command(session, {"do": "move_lane", "key": "static", "step": 1})
    assert lane_keys(session) == ["continuous", "static"]


def test_one_lane_stays_and_five_do_not_fit(session: Session) -> None:
    lane_edits.remove(session, "static")
    lane_edits.remove(session, "continuous")
    assert lane_keys(session) == ["continuous"]
    for _ in range(5):
        lane_edits.add(session, "static")
    assert len(lane_keys(session)) == session.payload["most_lanes"] == 4


def test_what_all_lanes_share_changes_a_lane_that_has_nothing_of_its_own_there(
    session: Session,
) -> None:
    lane_edits.change(session, "continuous", {"budget": "6"})
    session.budget = 8
    assert [lane["budget"] for lane in session.payload["lanes"]] == [8, 6]
    edit(session, 0, output="1")
    assert figure(session, "tokens") == 5


def test_a_lane_with_requests_of_its_own_sends_them(session: Session) -> None:
    lane_edits.change(session, "continuous", {"requests.C.arrival": "0"})
    static, continuous = session.payload["lanes"]
    assert "requests" not in static
    assert [request["arrival"] for request in continuous["requests"]] == [0, 2, 0]
    arrivals = [
        (event["t"], event["lane"]) for event in session.payload["events"]
        if event["kind"] == "arrival"
    ]  # fmt: skip
    assert arrivals == [(0, None), (0, 1), (2, None), (6, 0)]


def test_a_lane_that_cannot_run_is_named_and_the_last_good_run_stays(session: Session) -> None:
    before = session.picture
    lane_edits.change(session, "continuous", {"budget": "x"})
    assert session.picture is before
    [problem] = session.problems
    assert (problem["lane"], problem["option"]) == ("continuous", "budget")
    assert problem["text"] == (
        "Continuous batching · budget x: Budget must be a whole number, not “x”."
    )
    assert session.lanes[1].changes["budget"] == "x"
    assert "budget" not in session.shown_lanes[1].changes
    lane_edits.change(session, "continuous", {"budget": "6"})
    assert session.problems == []
    assert figure(session, "makespan") == 17.5


def test_a_lane_that_could_not_run_here_is_not_added(session: Session) -> None:
    lane_edits.add(session, "orca")
    assert lane_keys(session) == ["static", "continuous"]
    assert session.notice.startswith("Orca cannot stand here. A can never run")
    session.lang = "zh"
    assert session.notice.startswith("Orca 在这里跑不了。A 永远")
    session.budget = 6
    lane_edits.add(session, "orca")
    assert lane_keys(session) == ["static", "continuous", "orca"]


def test_a_preset_goes_to_one_lane_or_to_all(session: Session) -> None:
    lane_edits.put_preset(session, "vllm_v1", "static")
    assert session.payload["lanes"][0]["title"] == "vLLM V1"
    assert session.setup == {}
    lane_edits.put_preset(session, "conservative")
    assert session.setup == {"reserve": "max_output"}
    assert [run.scenario.setup.reserve for run in session.histories] == [
        "full_prompt",
        "max_output",
    ]


def test_a_lane_that_is_there_is_not_run_again(session: Session) -> None:
    before = session.histories
    lane_edits.add(session, "vllm_v1")
    assert session.histories[:2] == before
    assert session.histories[0] is before[0]


def test_a_trace_takes_other_lanes(session: Session) -> None:
    open_trace(session, "t.csv", TRACE_FILE)
    lane_edits.add(session, "vllm_v1")
    lane_edits.change(session, "vllm_v1", {"max_num_seqs": "4"})
    assert session.problems == []
    assert lane_keys(session) == ["static", "continuous", "vllm_v1"]
    session.choose("5a")
    session.choose(TRACE)
    assert lane_keys(session) == ["static", "continuous"]


def test_commands_of_the_stage_do_what_they_say_or_nothing(session: Session) -> None:
    run_command(session, {"do": "add_lane", "base": "vllm_v1", "seq": 1})
    run_command(session, {"do": "copy_lane", "key": "static", "seq": 2})
    assert lane_keys(session) == ["static", "static-2", "continuous", "vllm_v1"]
    run_command(session, {"do": "remove_lane", "key": "static", "seq": 3})
    assert lane_keys(session) == ["static-2", "continuous", "vllm_v1"]
    before = session.picture
    for command in ({}, {"do": "add_lane"}, {"do": "x"}, {"do": "remove_lane", "key": 4}):
        run_command(session, command)
    assert session.picture is before


# What cannot run.

BAD_CELLS: list[tuple[str, int, dict[str, str], str, str]] = [
    ("negative arrival", 1, {"arrival": "-1"}, "arrival", "B: arrival must be at least 0, not -1."),
    ("text", 1, {"prompt": "six"}, "prompt", "B: prompt must be a whole number, not “six”."),
    ("fraction", 1, {"output": "2.5"}, "output", "B: output must be a whole number, not “2.5”."),
    ("empty", 1, {"prompt": ""}, "prompt", "B needs a value for prompt."),
    ("zero prompt", 1, {"prompt": "0"}, "prompt", "B needs at least 1 prompt token, not 0."),
    ("zero output", 1, {"output": "0"}, "output", "B needs at least 1 output token, not 0."),
    ("text as a time", 1, {"arrival": "soon"}, "arrival", "B: arrival must be a number"),
    ("no number", 1, {"arrival": "nan"}, "arrival", "B: arrival must be a number"),
    ("endless", 1, {"arrival": "inf"}, "arrival", "B: arrival must be at most 1,000,000"),
    ("huge", 1, {"prompt": "20001"}, "prompt", "B: prompt must be at most 20,000, not 20,001."),
    ("very huge", 1, {"output": "9" * 40}, "output", "B: output must be at most 2,000, not "),
    ("endless digits", 1, {"output": "9" * 5000}, "output", "B: output must be"),
    ("same name", 2, {"id": "A"}, "id", "A is there twice."),
    ("no name", 2, {"id": " "}, "id", "Row 3: a request needs a name of 1 to 24"),
    ("long name", 2, {"id": "x" * 25}, "id", "Row 3: a request needs a name of 1 to 24"),
    ("cached", 0, {"cached": "7"}, "cached", "A: 7 cached tokens, but the prompt has only 6."),
]


@pytest.mark.parametrize(
    ("index", "cells", "field", "said"),
    [case[1:] for case in BAD_CELLS],
    ids=[case[0] for case in BAD_CELLS],
)
def test_a_bad_cell_is_named_and_the_last_good_run_stays(
    session: Session, index: int, cells: Row, field: str, said: str
) -> None:
    before = session.picture
    edit(session, index, **cells)
    assert session.picture is before
    (problem,) = session.problems
    assert (problem["row"], problem["field"]) == (index, field)
    assert problem["text"].startswith(said)
    session.lang = "zh"
    (chinese,) = session.problems
    assert (chinese["row"], chinese["field"]) == (index, field)
    assert chinese["text"] != problem["text"] and "{" not in chinese["text"]
    without_value = chinese["text"].replace(cells[field].strip() or "-", "")
    assert set(re.findall(r"[A-Za-z]{2,}", without_value)) <= {"token", "inf"}
    session.set_rows([dict(row) for row in Session().rows])
    assert session.problems == []


def test_a_row_without_a_name_is_called_by_its_number(session: Session) -> None:
    edit(session, 2, id="", prompt="x")
    texts = [problem["text"] for problem in session.problems]
    assert any(said.startswith("Row 3: prompt must be a whole number") for said in texts)


def test_all_bad_cells_are_named_at_once(session: Session) -> None:
    changed = rows(session)
    changed[0]["prompt"], changed[1]["arrival"], changed[2]["output"] = "x", "-1", ""
    session.set_rows(changed)
    places = {(problem["row"], problem["field"]) for problem in session.problems}
    assert places == {(0, "prompt"), (1, "arrival"), (2, "output")}


def test_a_prompt_that_can_never_run_is_named_with_the_remedy(session: Session) -> None:
    session.choose("3a")
    before = session.picture
    edit(session, 0, prompt="9")
    (problem,) = session.problems
    assert (problem["row"], problem["field"]) == (0, "prompt")
    assert problem["text"] == (
        "A can never run: its prompt of 9 must fit whole into a budget of 8. "
        "Raise the budget or shorten the prompt."
    )
    assert session.picture is before
    session.lang = "zh"
    assert session.payload["lanes"][1]["total_tokens"] == 11  # the last good run, in Chinese
    assert session.problems[0]["row"] == 0
    session.budget = 9
    assert session.problems == []


def test_ticks_are_whole(session: Session) -> None:
    session.choose("3a")
    edit(session, 2, arrival="3.5")
    (problem,) = session.problems
    assert (problem["row"], problem["field"]) == (2, "arrival")
    assert problem["text"] == "C: arrival counts whole ticks, so 3.5 does not do."


def test_too_many_rows_are_refused(session: Session) -> None:
    before = session.picture
    many = [
        {"id": f"R{i}", "arrival": "0", "prompt": "1", "output": "1", "cached": ""}
        for i in range(MOST_ROWS + 1)
    ]
    session.set_rows(many)
    (problem,) = session.problems
    assert problem["row"] is None
    assert problem["text"] == "The table holds 200 requests at most, not 201."
    assert session.picture is before
    session.set_rows(many[:-1])
    assert session.problems == []
    assert figure(session, "finished") == 200


def test_an_empty_table_says_so(session: Session) -> None:
    before = session.picture
    session.set_rows([])
    assert [problem["row"] for problem in session.problems] == [None]
    assert session.problems[0]["text"] == "No requests yet: add one."
    assert session.picture is before


def test_a_table_that_would_run_for_very_long_is_refused(session: Session) -> None:
    """Two hundred rows at their bounds: millions of rounds that nobody could look at."""
    session.budget = 1
    before = session.picture
    session.set_rows(
        [
            {"id": f"R{i}", "arrival": "0", "prompt": "20000", "output": "2000", "cached": ""}
            for i in range(200)
        ]
    )
    assert len(session.problems) == 1
    assert "rounds" in session.problems[0]["text"]
    assert session.picture is before


class Later:
    """Long runs wait here until a test lets them end."""

    def __init__(self) -> None:
        self.jobs: list[Callable[[], None]] = []

    def defer(self, job: Callable[[], Any], then: Callable[[Any], None]) -> None:
        self.jobs.append(lambda: then(job()))

    def work(self) -> None:
        """Let all of them end, and what they ask for."""
        while self.jobs:
            self.jobs.pop(0)()


def test_a_long_run_is_announced_and_then_shown() -> None:
    later = Later()
    session = Session(defer=later.defer)
    session.choose(SYNTHETIC)
    assert "600" in session.working
    assert (session.scenario_name, figure(session, "tokens")) == ("5a", 7)
    later.work()
    assert (session.scenario_name, session.working) == (SYNTHETIC, "")
    assert figure(session, "finished") == 600


def test_a_long_run_that_is_overtaken_is_dropped() -> None:
    later = Later()
    session = Session(defer=later.defer)
    session.choose(SYNTHETIC)
    session.choose("1a")
    assert session.working == ""
    before = session.picture
    later.jobs[0]()
    assert session.scenario_name == "1a"
    assert session.picture is before


def test_of_two_long_runs_the_last_one_asked_for_is_shown() -> None:
    later = Later()
    session = Session(defer=later.defer)
    session.choose(SYNTHETIC)
    open_trace(session, "my.csv", TRACE_FILE)
    session.choose(SYNTHETIC)
    for job in reversed(later.jobs.copy()):
        job()
        later.jobs.remove(job)
    later.work()
    assert session.scenario_name == SYNTHETIC
    assert session.working == ""


@settings(max_examples=100)
@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(FIELDS),
            st.sampled_from(
                ["", "0", "1", "3", "-2", "A", "B", "x", "1e3", "\uff12", "1_0", "+4", ".5"]
            )
            | st.text(st.characters(exclude_characters="{}"), max_size=5),
        ),
        max_size=4,
    ),
    st.sampled_from(["en", "zh"]),
)
def test_whatever_is_typed_gives_a_run_or_a_problem(table: list[Row], lang: str) -> None:
    session = Session(lang=lang)
    before = session.picture
    session.set_rows(table)
    if session.problems:
        assert session.picture is before
        for problem in session.problems:
            assert problem["text"] and "{" not in problem["text"]
            assert problem["row"] is None or 0 <= problem["row"] < len(table)
    else:
        assert session.picture.run >= before.run
        assert len(session.payload["requests"]) == len(table) or table == []


def test_missing_cells_of_a_row_are_empty(session: Session) -> None:
    session.set_rows([{"id": "A"}])
    fields = [problem["field"] for problem in session.problems]
    assert fields == ["arrival", "prompt", "output"]


# Languages.


def test_the_language_switches_every_word_and_keeps_the_run(session: Session) -> None:
    before = session.payload
    session.lang = "zh"
    assert session.payload["lang"] == "zh"
    assert session.payload["run"] == before["run"]
    assert session.payload["lanes"][1]["rounds"] == before["lanes"][1]["rounds"]
    assert session.payload["words"] != before["words"]
    assert session.lesson()["title"] == heading("5a", "zh").title
    assert session.scenario_titles()[0][1] == heading("1a", "zh").title


def test_switching_the_language_keeps_edits(session: Session) -> None:
    session.budget = 6
    edit(session, 0, output="2")
    made = figure(session, "makespan")
    session.lang = "zh"
    assert figure(session, "makespan") == made
    assert session.rows[0]["output"] == "2"


# Traces and large runs.


def test_a_trace_is_shown_as_it_was_recorded(session: Session) -> None:
    open_trace(session, "my trace.csv", TRACE_FILE)
    assert session.scenario_name == TRACE
    assert session.read_only and session.rows == []
    assert "250" in session.notice
    assert (TRACE, "my trace.csv") in session.scenario_titles()
    assert "my trace.csv" in session.lesson()["hook"]
    assert not session.payload["whole"]
    assert figure(session, "finished") == 250
    json.dumps(session.payload, allow_nan=False)


def test_a_replay_of_a_session_runs_as_the_closed_loop_it_is(session: Session) -> None:
    head = b"session_id,round_idx,prefix_len,input_len,output_len,tool_wait_after_ms\n"
    open_trace(session, "replay.csv", head + b"a,0,0,10,2,40\na,1,12,5,2,0\n")
    setup = session.last_good.setup
    assert (setup.concurrency, setup.think) == (1, 40_000_000)
    assert "closed loop" in session.notice
    assert figure(session, "finished") == 2


@pytest.mark.parametrize(("lang", "question"), [("en", "is this right? "), ("zh", "对吗？")])
def test_a_doubt_ends_in_a_question(session: Session, lang: str, question: str) -> None:
    session.lang = lang
    rows = "".join(f"2024-01-{day:02} 00:00:0{day % 7},5,6\n" for day in range(1, 13))
    open_trace(session, "x.csv", f"TIMESTAMP,ContextTokens,GeneratedTokens\n{rows}".encode())
    assert question in session.notice
    assert "?." not in session.notice and "？。" not in session.notice


def test_a_short_trace_can_be_edited(session: Session) -> None:
    open_trace(session, "short.csv", b"arrived_at,num_prefill_tokens,num_decode_tokens\n0,10,2\n")
    assert not session.read_only
    assert [row["id"] for row in session.rows] == ["R1"]
    assert session.param.budget.bounds[1] >= session.budget


def test_a_trace_stays_at_hand_when_another_scene_is_chosen(session: Session) -> None:
    open_trace(session, "my.csv", TRACE_FILE)
    session.choose("1a")
    assert not session.read_only
    session.choose(TRACE)
    assert session.read_only
    assert figure(session, "finished") == 250


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.csv", b""),
        ("photo.png", bytes(range(256)) * 4),
        ("notes.txt", b"just words\nand more words\n"),
        ("table.csv", b"name,age\nAnn,4\n"),
        ("bad.csv", b"arrived_at,num_prefill_tokens,num_decode_tokens\nx,y,z\n"),
        ("page.html", b"<html><body>no trace</body></html>"),
        ("broken.jsonl", b'{"timestamp": 0, "input_length": 3,\n'),
        ("<script>alert(1)</script>.csv", b"\xff\xfe\x00"),
    ],
)
def test_a_file_that_is_no_trace_leaves_all_as_it_was(
    session: Session, name: str, content: bytes, lang: str
) -> None:
    session.lang = lang
    before = session.picture
    open_trace(session, name, content)
    assert session.picture is before
    assert session.scenario_name == "5a"
    assert session.notice.startswith(name)
    assert "{" not in session.notice.removeprefix(name)
    assert TRACE not in session.param.scenario_name.objects


def test_a_public_trace_opens(session: Session, shared: Path) -> None:
    path = shared / "data/traces/vidur_splitwise_conv.rows1-1000.csv"
    open_trace(session, path.name, path.read_bytes())
    assert session.scenario_name == TRACE
    assert figure(session, "finished") == len(session._lanes[1].history.scenario.requests)


def test_the_synthetic_run_can_be_looked_at_anywhere(session: Session) -> None:
    session.choose(SYNTHETIC)
    assert session.read_only
    end = session.payload["overview"]["t1"]
    run = session.payload["run"]
    for t in (0, end / 3, end - 1, end, end * 2):
        session.move_window({"run": run, "t": t})
        assert session.payload["t0"] <= min(t, end) <= session.payload["t1"]
        assert session.payload["run"] == run
    session.budget = 1024
    assert session.payload["run"] != run
    assert figure(session, "finished") == 600


def test_the_language_switches_where_the_window_is(session: Session) -> None:
    session.choose(SYNTHETIC)
    session.move_window({"run": session.payload["run"], "t": 60_000})
    before = session.payload
    session.lang = "zh"
    assert session.payload["t0"] <= 60_000 <= session.payload["t1"]
    assert (session.payload["t0"], session.payload["t1"]) == (before["t0"], before["t1"])


def test_a_window_of_a_run_that_is_gone_is_not_sent(session: Session) -> None:
    session.choose(SYNTHETIC)
    before = session.picture
    for request in ({"run": before.run - 1, "t": 5}, {"run": before.run}, {}):
        session.move_window(request)
    session.move_window({"run": before.run, "t": "soon"})
    assert session.picture is before


@pytest.mark.parametrize("t", [float("nan"), float("inf"), 1e300, -5, True])
def test_a_window_at_no_time_breaks_nothing(session: Session, t: float) -> None:
    session.choose(SYNTHETIC)
    session.move_window({"run": session.payload["run"], "t": t})
    json.dumps(session.payload, allow_nan=False)


def test_a_window_between_two_ticks_is_sent(session: Session) -> None:
    session.choose("3a")
    edit(session, 0, output="900")
    assert not session.payload["whole"]
    session.move_window({"run": session.payload["run"], "t": 450.5})
    assert session.payload["t0"] <= 450.5 <= session.payload["t1"]
