"""The lab's traffic: its pictures, the form beside them, and files that are looked at first."""

from itertools import pairwise
from typing import Any

import pytest

from app.draft import QUICK_REQUESTS
from app.i18n import LANGUAGES
from app.importing import QUICK_BYTES
from app.lab.component import Lab
from app.lab.traffic_pictures import MOST_BINS, MOST_LINES, pictures
from app.messages import trace_error, trace_report
from app.opening import open_file
from app.session import TRACE, Session
from sim.files import SYNTHETIC, builtin
from sim.setup import Request, Setup
from sim.traces import TraceError, read_trace
from sim.traces.sessions import NAMES

PLAIN = b"arrived_at,num_prefill_tokens,num_decode_tokens\n0,50,5\n1,60,6\n"
BARE = b"timestamp,prompt,output\n" + b"".join(
    b"%d,%d,30\n" % (250 * i, 100 + i) for i in range(20)
)
LENGTHS = b"name,input_tokens,output_tokens\nx,10,2\ny,20,3\n"
ODD = b"when,a,b,c\n0,10,2,7\n500,20,3,8\n900,30,4,9\n"
BATCHED = b"arrived_at,num_prefill_tokens,num_decode_tokens\n" + b"".join(
    b"%d,50,5\n" % (3 * (i // 5)) for i in range(60)
)
REPLAY_FILE = b"session_id,round_idx,prefix_len,input_len,output_len,tool_wait_after_ms,model\n" + (
    b"s1,0,0,100,20,500,m\ns1,1,120,30,20,700,m\ns2,0,0,80,20,0,m\n"
)
NO_TABLE = b"{ broken"


class Page:
    """The lab without a browser."""

    def __init__(self, session: Session) -> None:
        self.session = session
        session.face = "lab"
        self.lab = Lab(session)
        self.lab._handle_msg({"type": "tab", "name": "traffic"})

    def do(self, do: str, **more: Any) -> None:
        self.lab._handle_msg({"type": "part", "part": "traffic", "do": do, **more})

    def type(self, **values: str) -> None:
        self.do("form", what="try", values=values)

    @property
    def shown(self) -> Any:
        part: Any = self.lab.part
        return part["shown"]

    @property
    def file(self) -> Any:
        return self.shown["file"]


@pytest.fixture
def page() -> Page:
    return Page(Session())


@pytest.fixture
def drawn() -> Page:
    session = Session()
    session.choose(SYNTHETIC)
    return Page(session)


def requests(*rows: tuple[float, int, int, str]) -> tuple[Request, ...]:
    return tuple(
        Request(f"R{i}", round(arrival * 1_000_000), prompt, output, tenant=tenant)
        for i, (arrival, prompt, output, tenant) in enumerate(rows)
    )


# Pictures.


def test_every_request_is_in_one_bin_of_a_round_length() -> None:
    shown = pictures(builtin(SYNTHETIC).requests, Setup(budget=4), "en")
    edges, counts = shown["counts"]["curves"][0]
    assert sum(counts) == 600
    assert len(edges) == len(counts) <= MOST_BINS + 2
    assert {round(b - a, 6) for a, b in pairwise(edges)} == {2_000}
    assert shown["counts"]["unit"] == "requests in each 2 s"


def test_lengths_and_gaps_are_shares() -> None:
    some = requests((0, 10, 1, ""), (5, 20, 1, ""), (5, 20, 2, ""), (9, 40, 4, ""))
    shown = pictures(some, Setup(budget=4), "en")
    assert shown["prompt"] == [[[10, 20, 40], [0.25, 0.75, 1]]]
    assert shown["gaps"] == [[[0, 4, 5], [0.3333, 0.6667, 1]]]
    assert shown["shared"] == (
        "50% of the requests come at the same moment as another one: 3 moments in all."
    )


def test_tenants_have_lines_of_their_own_and_the_rest_share_one() -> None:
    names = ["chat"] * 4 + ["batch"] * 3 + ["a", "a", "b", "c"]
    some = requests(*((i, 10 + i, 2, name) for i, name in enumerate(names)))
    shown = pictures(some, Setup(budget=4), "en")
    assert [line["name"] for line in shown["lines"]] == ["chat", "batch", "a", "all others"]
    assert len(shown["prompt"]) == len(shown["counts"]["curves"]) == MOST_LINES
    assert sum(sum(counts) for _, counts in shown["counts"]["curves"]) == len(names)


@pytest.mark.parametrize("setup", [Setup(budget=4, concurrency=2), Setup(budget=4)])
def test_arrivals_that_say_nothing_are_not_drawn(setup: Setup) -> None:
    at_once = requests((0, 10, 2, ""), (0, 20, 2, ""))
    shown = pictures(at_once, setup, "en")
    assert (shown["counts"], shown["gaps"]) == (None, None)
    assert shown["prompt"]


# The form.


def test_what_is_typed_is_drawn_before_it_runs(drawn: Page) -> None:
    assert not drawn.shown["draft"]
    assert drawn.shown["source"] == "Drawn with seed 1."
    drawn.type(requests="300", tenants="chat:3, batch:1:5", seed="7")
    run = drawn.session.payload["run"]
    assert [line["name"] for line in drawn.shown["draft"]["lines"]] == ["chat", "batch"]
    assert drawn.shown["draft"]["sentence"].startswith("300 requests")
    assert drawn.shown["sentence"].startswith("600 requests")
    drawn.do("form", what="run", values={})
    assert drawn.session.payload["run"] > run
    assert not drawn.shown["draft"]
    assert drawn.shown["sentence"].startswith("300 requests")
    assert drawn.shown["source"] == "Drawn with seed 7."
    assert {r.priority for r in drawn.session.last_good.requests if r.tenant == "batch"} == {5}


def test_what_cannot_be_drawn_has_no_picture(drawn: Page) -> None:
    drawn.type(rate="fast")
    assert not drawn.shown["draft"]
    assert list(drawn.shown["form"]["problems"]) == ["rate"]


def do_next(jobs: list[Any]) -> None:
    job, then = jobs.pop(0)
    then(job())


def test_many_requests_are_drawn_in_the_background(drawn: Page) -> None:
    jobs: list[Any] = []
    drawn.session.defer = lambda job, then: jobs.append((job, then))
    drawn.type(requests=str(QUICK_REQUESTS + 1))
    assert len(jobs) == 1
    boxes = drawn.shown["form"]["groups"][0]["fields"]
    assert boxes[0]["value"] == str(QUICK_REQUESTS + 1)
    assert "600 requests" in drawn.shown["form"]["preview"]
    do_next(jobs)
    assert len(jobs) == 1  # their pictures
    do_next(jobs)
    assert f"{QUICK_REQUESTS + 1:,} requests" in drawn.shown["form"]["preview"]
    assert drawn.shown["draft"]
    assert not jobs


def test_the_form_of_many_requests_stands_there_before_they_are_drawn() -> None:
    session = Session()
    session.choose(SYNTHETIC)
    session.traffic = {"requests": str(QUICK_REQUESTS + 1)}
    jobs: list[Any] = []
    session.defer = lambda job, then: jobs.append((job, then))
    page = Page(session)
    do_next(jobs)  # the pictures of what runs
    assert page.shown["form"]["preview"] == "Working it out…"
    assert page.shown["form"]["problems"] == {}
    do_next(jobs)
    assert f"{QUICK_REQUESTS + 1:,} requests" in page.shown["form"]["preview"]


def test_a_table_is_filled_from_the_lab(page: Page) -> None:
    assert (page.shown["form"], page.shown["can_fill"]) == (None, True)
    page.do("fill", open=True)
    page.type(requests="20")
    page.do("form", what="run", values={})
    assert len(page.session.rows) == 20
    assert page.shown["form"] is None


@pytest.mark.parametrize(
    "message",
    [
        {"do": "form", "what": "try", "values": {"no": 1}}, {"do": "form", "what": 3},
        {"do": "fill"}, {"do": "import"}, {"do": "look"}, {"do": "role"}, {},
    ],
)  # fmt: skip
def test_nonsense_changes_nothing(page: Page, message: dict[str, Any]) -> None:
    run = page.session.payload["run"]
    page.lab._handle_msg({"type": "part", "part": "traffic", **message})
    assert page.session.payload["run"] == run
    assert not page.file


# Files.


def test_a_plain_file_is_imported_at_once_and_can_be_looked_at(page: Page) -> None:
    open_file(page.session, "plain.csv", PLAIN)
    assert page.session.scenario_name == TRACE
    assert page.lab.news["can_look"] is True
    assert page.lab.news["notice"] == trace_report(read_trace("plain.csv", PLAIN).report, "en")
    assert not page.file
    assert page.shown["can_look"] is True
    page.do("look")
    assert page.file["can_import"] is True
    assert page.file["lead"].startswith("This is the traffic that runs.")
    assert [column["role"] for column in page.file["columns"]] == ["arrival", "prompt", "output"]
    page.do("keep")
    assert not page.file


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_file_without_a_unit_asks_which_rate_is_right(page: Page, lang: str) -> None:
    page.session.lang = lang
    open_file(page.session, "bare.csv", BARE)
    assert page.session.scenario_name != TRACE
    assert page.session.notice == ""
    units = {unit["value"]: unit for unit in page.file["units"]}
    assert list(units) == ["s", "ms", "us", "ns"]
    assert [name for name, unit in units.items() if unit["is_chosen"]] == ["ms"]
    assert units["ms"]["text"].startswith("4.21 ")
    assert page.file["can_import"] is True
    page.do("unit", value="s")
    page.do("import")
    assert page.session.last_good.requests[1].arrival == 250 * 10**9
    expected = read_trace("bare.csv", BARE, unit="s").report
    assert page.session.notice == trace_report(expected, lang)
    assert not page.file


def test_a_guess_that_was_looked_at_is_no_longer_asked_about(page: Page) -> None:
    open_file(page.session, "bare.csv", BARE)
    page.do("import")
    assert page.session.last_good.requests[1].arrival == 250 * 10**6
    assert "is this right" not in page.session.notice


def test_columns_get_their_roles_one_by_one(page: Page) -> None:
    open_file(page.session, "odd.csv", ODD)
    assert page.file["problem"] == refusal("odd.csv", ODD)
    assert not page.file["can_import"]
    for column, role in (("when", "arrival"), ("a", "prompt"), ("b", "output")):
        page.do("role", column=column, role=role)
    assert [column["role"] for column in page.file["columns"]] == [
        "arrival", "prompt", "output", "",
    ]  # fmt: skip
    page.do("role", column="c", role="output")
    assert [column["role"] for column in page.file["columns"]] == [
        "arrival", "prompt", "", "output",
    ]  # fmt: skip
    page.do("unit", value="ms")
    page.do("import")
    assert [r.output for r in page.session.last_good.requests] == [7, 8, 9]


def test_a_column_can_be_left_out_for_made_up_arrivals(page: Page) -> None:
    open_file(page.session, "plain.csv", PLAIN)
    page.do("look")
    page.do("role", column="arrived_at", role="")
    assert not page.file["can_import"]
    assert [box["name"] for box in page.file["boxes"]] == ["rate", "seed"]
    page.do("box", name="rate", value="5")
    assert page.file["can_import"] is True
    page.do("import")
    assert "synthetic" in page.session.notice


@pytest.mark.parametrize(
    ("name", "typed"), [("rate", "x"), ("rate", "0"), ("rate", "1e9"), ("seed", "1.5")]
)
def test_made_up_arrivals_need_a_rate_that_can_be(page: Page, name: str, typed: str) -> None:
    open_file(page.session, "lengths.csv", LENGTHS)
    assert page.file["problem"] == refusal("lengths.csv", LENGTHS)
    page.do("box", name="rate", value="5")
    assert page.file["can_import"] is True
    page.do("box", name=name, value=typed)
    assert [bool(box["fault"]) for box in page.file["boxes"]] == [name == "rate", name == "seed"]
    page.do("import")
    assert page.session.scenario_name != TRACE


def test_batched_stamps_may_be_spread(page: Page) -> None:
    open_file(page.session, "batched.csv", BATCHED)
    (switch,) = page.file["switches"]
    assert (switch["name"], switch["is_on"]) == ("spread", False)
    page.do("switch", name="spread", value=True)
    page.do("import")
    arrivals = [request.arrival for request in page.session.last_good.requests]
    assert len(set(arrivals)) == len(arrivals)
    page.do("look")
    assert page.file["switches"][0]["is_on"] is True


def test_what_is_no_table_is_refused_and_the_old_traffic_stays(page: Page) -> None:
    scene = page.session.scenario_name
    open_file(page.session, "x.jsonl", NO_TABLE)
    assert not page.file
    assert page.session.scenario_name == scene
    assert page.lab.news["notice"] == refusal("x.jsonl", NO_TABLE)
    assert page.lab.news["can_look"] is False
    page.lab._handle_msg({"type": "notice"})
    assert page.lab.news["notice"] == ""


def test_on_the_stage_a_doubt_is_told_and_can_be_looked_at_in_the_lab() -> None:
    session = Session()
    lab = Lab(session)
    open_file(session, "batched.csv", BATCHED)
    assert session.scenario_name == TRACE
    assert session.can_look and not session.is_choosing
    session.face = "lab"
    session.is_choosing = True
    assert (lab.part["name"], lab.part["go"]) == ("traffic", 1)
    assert lab.part["shown"]["file"]["switches"]


def test_a_large_file_is_read_and_looked_at_in_the_background(page: Page) -> None:
    jobs: list[Any] = []
    page.session.defer = lambda job, then: jobs.append((job, then))
    data = BARE + b"9999,1,1\n" * (QUICK_BYTES // 9)
    open_file(page.session, "large.csv", data)
    assert page.lab.news["working"] == "Reading large.csv…"
    job, then = jobs.pop()
    then(job())
    assert page.lab.news["working"] == ""
    assert page.file["is_late"] is True
    job, then = jobs.pop()
    then(job())
    assert page.file["is_late"] is False
    assert page.file["units"]


def test_choosing_another_scene_ends_the_look(page: Page) -> None:
    open_file(page.session, "bare.csv", BARE)
    page.session.choose("5a")
    assert not page.file


def refusal(name: str, data: bytes) -> str:
    """What the command line says, in the page's words."""
    with pytest.raises(TraceError) as caught:
        read_trace(name, data)
    return trace_error(caught.value, "en")


def test_all_columns_that_a_replay_of_sessions_uses_are_marked(page: Page) -> None:
    open_file(page.session, "sessions.csv", REPLAY_FILE)
    file = page.file
    marked = {column["name"]: column["role"] for column in file["columns"]}
    assert {name for name, role in marked.items() if role} == set(NAMES)
    assert marked["prefix_len"] == marked["input_len"] == "prompt"
    assert marked["output_len"] == "output"
    assert not file["can_cast"]
