"""Generators and parts of files: what is typed, what comes of it, and how it is told."""

from typing import Any

import pytest

from app import generator
from app.editor import RequestTable
from app.generator import differing, drawn, known, own, redrawn, told_in_short
from app.generator_form import form
from app.i18n import LANGUAGES
from app.opening import open_trace
from app.rows import MOST_ROWS
from app.session import TRACE, Session
from app.url import is_edited, open_link, query
from sim.files import SYNTHETIC, builtin
from sim.workload import synthetic

FILE = b"arrived_at,num_prefill_tokens,num_decode_tokens\n" + b"".join(
    b"%d,%d,%d\n" % (i, 50 + i, 5 + i % 7) for i in range(300)
)


class Browser:
    """A request table without a browser: messages in, what is shown out."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.panel = RequestTable(session)
        self.seq = 0

    def send(self, **message: Any) -> None:
        self.seq += 1
        self.panel._handle_msg({**message, "seq": self.seq})

    def ask(self, what: str, **values: str) -> None:
        self.send(type="traffic", what=what, values=values)

    @property
    def form(self) -> Any:
        return self.panel.table["form"]

    def field(self, name: str) -> dict[str, Any]:
        lines = [field for group in self.form["groups"] for field in group["fields"]]
        return next(line for line in lines if line["name"] == name)


@pytest.fixture
def page() -> Browser:
    session = Session()
    session.choose(SYNTHETIC)
    return Browser(session)


def reopened(session: Session) -> Session:
    again = Session()
    open_link(again, {name: [value.encode()] for name, value in query(session).items()})
    return again


# Drawing.


def test_the_form_begins_with_the_scene_itself() -> None:
    scene = builtin(SYNTHETIC)
    requests, problems = drawn("draw", own("draw", "ms"), scene)
    assert (requests, problems) == (scene.requests, [])
    assert requests == synthetic(600, 5.53, seed=1)
    assert redrawn(SYNTHETIC, scene, {}) is scene


@pytest.mark.parametrize(
    "typed",
    [
        {"kind": "uniform", "gap": "20"},
        {"kind": "groups", "gap": "500", "size": "16"},
        {"kind": "gamma", "burstiness": "0.25"},
        {"kind": "on_off", "on": "2", "off": "3"},
        {"prompt": "0:2, 50:512, 99:4096, 100:8192", "output": "30"},
        {"max_prompt": "1000", "max_total": "1200", "seed": "7"},
        {"prompt": "80% 40-200, 20% 2000-8000", "output": "50% 10, 50% 5-20"},
        {"tenants": "chat:3, batch:1:5, x"},
        {"kind": "groups", "long_prompt": "8000", "long_output": "10", "long_at": "40"},
    ],
)
def test_each_kind_of_traffic_is_drawn_and_told(typed: dict[str, str]) -> None:
    scene = builtin(SYNTHETIC)
    values = own("draw", "ms") | typed
    requests, problems = drawn("draw", values, scene)
    assert not problems
    assert len(requests) == 600 + ("long_prompt" in typed)
    assert differing("draw", values) == typed
    assert redrawn(SYNTHETIC, scene, typed).requests == requests
    for lang in LANGUAGES:
        shown = form("draw", values, scene, lang)
        assert str(len(requests)) in shown["preview"] and "{" not in shown["preview"]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(
    ("name", "typed"),
    [
        ("requests", ""), ("requests", "0"), ("requests", "20001"), ("requests", "x"),
        ("rate", "0"), ("rate", ""), ("rate", "inf"), ("prompt", "chat"), ("prompt", "0"),
        ("prompt", "0:2, 50"), ("prompt", "0:2, 100:1"), ("output", "1:2, 100:3"),
        ("output", "a:b"), ("output", "70% 1-5, 20% 9"), ("prompt", "100% 9-1"),
        ("prompt", "100% 0-9"),
        ("tenants", ":3"), ("tenants", "a:b"), ("tenants", "a:1:2:3"), ("tenants", "a:0"),
        ("tenants", "a:1:0.5"),
        ("seed", "-1"), ("seed", "1, 2"), ("max_total", "1"), ("kind", "often"),
    ],
)  # fmt: skip
def test_a_wrong_box_is_told_at_its_field(lang: str, name: str, typed: str) -> None:
    shown = form("draw", own("draw", "ms") | {name: typed}, builtin(SYNTHETIC), lang)
    assert list(shown["problems"]) == [name]
    assert "{" not in shown["problems"][name]
    assert shown["preview"] == ""


def test_a_mixture_is_drawn_by_its_shares() -> None:
    values = own("draw", "ms") | {"requests": "4000", "prompt": "75% 40-200, 25% 2000-8000"}
    requests, problems = drawn("draw", values, builtin(SYNTHETIC))
    assert not problems
    short = [r.prompt for r in requests if r.prompt <= 200]
    long = [r.prompt for r in requests if r.prompt >= 2000]
    assert len(short) + len(long) == 4000
    assert len(short) == pytest.approx(3000, abs=150)
    assert (min(short) < 45, max(short) > 195) == (True, True)
    assert sum(long) / len(long) == pytest.approx(5000, rel=0.05)


def test_ranges_of_a_mixture_may_lie_over_one_another() -> None:
    values = own("draw", "ms") | {"requests": "4000", "output": "50% 1-100, 50% 51-100"}
    requests, _ = drawn("draw", values, builtin(SYNTHETIC))
    assert sum(r.output <= 50 for r in requests) == pytest.approx(1000, abs=120)


def test_tenants_are_drawn_by_weight_with_their_priority() -> None:
    values = own("draw", "ms") | {"requests": "4000", "tenants": "chat:3, batch:1:5"}
    requests, _ = drawn("draw", values, builtin(SYNTHETIC))
    assert {(r.tenant, r.priority) for r in requests} == {("chat", 0), ("batch", 5)}
    assert sum(r.tenant == "chat" for r in requests) == pytest.approx(3000, abs=150)


def test_a_long_prompt_needs_its_output() -> None:
    values = own("draw", "ms") | {"long_prompt": "8000"}
    assert list(form("draw", values, builtin(SYNTHETIC), "en")["problems"]) == ["long_output"]


def test_the_preview_tells_number_pace_and_lengths() -> None:
    assert told_in_short(builtin(SYNTHETIC), "en") == (
        "600 requests in 108.8 s, 5.5/s; prompt median 1,017, P99 4,142; "
        "output median 131, P99 610 tokens."
    ) or told_in_short(builtin(SYNTHETIC), "en").startswith("600 requests in ")


# On the page.


def test_what_is_typed_counts_when_it_is_run(page: Browser) -> None:
    first = page.session.payload["run"]
    page.ask("try", requests="300")
    page.ask("try", kind="gamma")
    assert page.session.payload["run"] == first
    assert "300 requests" in page.form["preview"]
    assert page.field("burstiness")["value"] == "1"
    page.ask("run")
    assert page.session.payload["run"] > first
    assert len(page.session.last_good.requests) == 300
    assert page.session.lesson()["title"] == "300 synthetic requests"
    assert "300 requests" in page.session.lesson()["hook"]
    assert is_edited(page.session)


def test_what_is_wrong_is_not_run(page: Browser) -> None:
    first = page.session.payload["run"]
    page.ask("try", rate="fast")
    page.ask("run")
    assert page.session.payload["run"] == first
    assert page.session.traffic == {}
    assert page.field("rate")["value"] == "fast"


def test_a_closed_loop_is_a_matter_of_the_setup(page: Browser) -> None:
    page.ask("try", loop="closed")
    assert list(page.form["problems"]) == ["concurrency"]
    page.ask("try", concurrency="8", think="250")
    assert page.form["preview"].startswith("600 requests from 8 clients in a loop")
    page.ask("run")
    assert page.session.setup == {"concurrency": "8", "think": "250"}
    assert page.session.last_good.setup.concurrency == 8
    page.ask("try", concurrency="x")
    assert list(page.form["problems"]) == ["concurrency"]
    page.ask("reset")
    assert page.session.setup == {}
    assert page.field("loop")["value"] == "open"


def test_a_setup_that_is_changed_keeps_the_traffic(page: Browser) -> None:
    page.ask("try", requests="250")
    page.ask("run")
    page.session.budget = 1024
    page.session.set_setup({"max_num_seqs": "16"})
    good = page.session.last_good
    assert (len(good.requests), good.setup.budget, good.setup.max_num_seqs) == (250, 1024, 16)
    page.send(type="reset")
    assert len(page.session.last_good.requests) == 600
    assert page.session.traffic == {}


def test_a_link_restores_the_traffic(page: Browser) -> None:
    page.ask("try", kind="gamma", burstiness="0.5", prompt="0:2, 50:512, 100:4096")
    page.ask("run")
    word = query(page.session)["traffic"]
    assert word == "kind:gamma,burstiness:0.5,prompt:0%3A2~50%3A512~100%3A4096"
    again = reopened(page.session)
    assert again.traffic == page.session.traffic
    assert again.last_good == page.session.last_good
    assert again.notice == ""


@pytest.mark.parametrize(
    ("word", "kept"),
    [
        ("kind:gamma,rate:x", {"kind": "gamma"}),
        ("nonsense:1,requests:300", {"requests": "300"}),
        ("kind:never", {}),
        ("%%%", {}),
        ("long_prompt:9", {}),
    ],
)
def test_what_is_damaged_in_a_link_is_left_out_and_said(word: str, kept: dict[str, str]) -> None:
    session = Session()
    open_link(session, {"scenario": [b"synthetic"], "traffic": [word.encode()]})
    assert session.traffic == kept
    assert "traffic" in session.notice


def test_traffic_for_a_scene_with_rows_is_left_out_and_said() -> None:
    session = Session()
    open_link(session, {"scenario": [b"5a"], "traffic": [b"requests:300"]})
    assert session.traffic == {}
    assert session.notice


def test_known_keeps_nothing_that_does_not_go_together() -> None:
    scene = builtin(SYNTHETIC)
    good, bad = known("draw", {"kind": "on_off", "on": "0", "seed": "3"}, scene)
    assert (good, bad) == ({"kind": "on_off", "seed": "3"}, ["on"])


# Filling the table.


def test_a_table_is_filled_and_the_form_closes() -> None:
    page = Browser(Session())
    page.send(type="fill", open=True)
    assert page.form["mode"] == "fill"
    page.ask("try", requests="200")
    page.ask("run")
    assert page.form is None
    assert len(page.session.rows) == MOST_ROWS
    assert page.session.problems == []
    assert page.panel.table["filled"]
    assert reopened(page.session).rows == page.session.rows
    page.send(type="rows", rows=[])
    assert not page.panel.table["filled"]


def test_a_table_is_not_filled_over_its_limit() -> None:
    page = Browser(Session())
    page.send(type="fill", open=True)
    page.ask("try", requests="201")
    page.ask("run")
    assert "at most 200" in page.form["problems"]["requests"]
    assert len(page.session.rows) == 3
    page.send(type="fill", open=False)
    assert page.form is None


def test_ticks_take_what_has_a_meaning_in_ticks() -> None:
    page = Browser(Session())
    page.session.choose("3a")
    page.send(type="fill", open=True)
    assert [choice for choice, _ in page.field("kind")["choices"]] == ["uniform", "groups"]
    page.ask("run")
    assert page.form is None
    assert [row["arrival"] for row in page.session.rows[:3]] == ["0", "1", "2"]
    assert page.session.problems == []


# A part of a file.


@pytest.fixture
def opened() -> Browser:
    session = Session()
    open_trace(session, "t.csv", FILE)
    return Browser(session)


def test_a_part_of_a_file_runs_and_all_of_it_again(opened: Browser) -> None:
    assert opened.form["mode"] == "cut"
    opened.ask("try", start="100", most="50", scale="0.5")
    assert "50 requests in 24.5 s" in opened.form["preview"]
    assert "Of 300 requests 50 are taken, at times × 0.5." in opened.form["preview"]
    assert "100 come before the start." in opened.form["preview"]
    opened.ask("run")
    requests = opened.session.last_good.requests
    assert [requests[0].id, requests[-1].arrival] == ["R101", 49 * 500_000_000]
    assert opened.session.lesson()["hook"].count("50") == 1
    opened.ask("reset")
    assert len(opened.session.last_good.requests) == 300
    opened.session.choose("5a")
    opened.session.choose(TRACE)
    assert len(opened.session.last_good.requests) == 300


def test_long_requests_of_a_file_are_cut_or_left_out(opened: Browser) -> None:
    opened.ask("try", max_prompt="100")
    opened.ask("run")
    assert max(request.prompt for request in opened.session.last_good.requests) == 100
    opened.ask("try", too_long="drop")
    opened.ask("run")
    assert len(opened.session.last_good.requests) == 51


@pytest.mark.parametrize(("name", "typed"), [("start", "900"), ("most", "0"), ("scale", "x")])
def test_a_part_that_is_none_is_told_at_its_field(opened: Browser, name: str, typed: str) -> None:
    opened.ask("try", **{name: typed})
    opened.ask("run")
    assert list(opened.form["problems"]) == [name]
    assert len(opened.session.last_good.requests) == 300


def test_messages_that_are_none_change_nothing(page: Browser) -> None:
    before = page.session.picture
    page.ask("dance")
    page.ask("try", nonsense="1")
    page.send(type="fill", open=True)
    page.panel._handle_msg({"type": "traffic"})
    page.panel._handle_msg({})
    assert page.session.picture is before
    assert page.form["mode"] == "draw"
    assert generator.mode_of("trace") == "cut"


def test_a_form_is_made_once_for_what_is_typed(
    page: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[object] = []

    def counted(*key: Any) -> dict[str, Any]:
        made.append(key)
        return form(*key)

    monkeypatch.setattr("app.draft.form", counted)
    page.ask("try", requests="300")
    page.session.move_window({"run": page.session.payload["run"], "t": 40_000})
    page.session.budget = 1024
    assert len(made) == 1
    page.session.lang = "zh"
    assert len(made) == 2
    assert page.field("requests")["label"] == "请求数"
