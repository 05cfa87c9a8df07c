"""Junk from links, files and messages: nothing fails, and what ran before still stands.

Whoever can open the page can send anything. Each example goes through the same door as on the
page, with an early part of it well formed, so that the junk reaches what lies behind.
"""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app import lane_edits
from app.inbox import FILE_LIMIT, Inbox
from app.opening import MOST_BYTES, open_file
from app.page import App
from app.session import Session
from app.url import arguments_of, open_link, query

HUGE = 10**400  # JSON has such numbers, a float has none
DEEP: list[Any] = []
for _ in range(2_000):
    DEEP = [DEEP]
FORM = {"requests": DEEP, "seed": HUGE}

SIGNS = st.sampled_from([*list("-_,:=/@!;*~%.&?#<>\"'\\ \x00\t\n�٤零A0"), "1e999", "%00", "nan"])
TEXT = st.lists(SIGNS, max_size=12).map("".join) | st.text(max_size=30)
KNOWN = st.sampled_from(
    [
        "static",
        "continuous",
        "vllm_v1",
        "sarathi",
        "budget",
        "mode",
        "on_full",
        "requests.C.prompt",
        "cost.base",
        "slo.ttft",
        "window",
        "speculation.accepted",
        "moe.weights",
        "num_blocks",
        "requests",
        "rate",
        "seed",
        "A",
        "C",
        "lab",
        "5a",
        "8a",
        "synthetic",
        "trace",
        "zh",
        "draw",
        "try",
        "run",
        "reset",
        "fill",
        "closed",
        "steps",
        "listed",
        "arrival",
        "ms",
        "csv",
        "lab.py",
    ]
)
NUMBER = st.sampled_from([0, 1, -1, 2, 3, 1e308, -0.0, HUGE, -HUGE, float("nan"), float("inf")])
LEAF = TEXT | KNOWN | NUMBER | st.booleans() | st.none() | st.binary(max_size=8)
JUNK = st.recursive(
    LEAF,
    lambda more: st.lists(more, max_size=4) | st.dictionaries(KNOWN | TEXT, more, max_size=4),
    max_leaves=6,
)
LONG = st.builds(lambda text, n: text * n, TEXT | KNOWN, st.sampled_from([1, 50, 5_000]))

KEYS = ("lang", "theme", "face", "scenario", "budget", "setup", "lanes", "traffic", "rows")
PIECE = st.lists(KNOWN | SIGNS | TEXT, max_size=10).map("".join)
ADDRESS = st.lists(
    st.tuples(st.sampled_from([*KEYS, "step", "time", "x"]), PIECE | LONG), max_size=6
)


def still_works(session: Session) -> None:
    """Something runs, an address says so, and a good edit is taken."""
    assert session.payload["lanes"] and session.played and not session.working
    assert all(isinstance(value, str) for value in query(session).values())
    session.choose("5a")
    session.set_rows([{"id": "A", "arrival": "0", "prompt": "5", "output": "2"}])
    assert not session.problems
    assert {len(history.scenario.requests) for history in session.histories} == {1}


def message(type_: str, **slots: Any) -> st.SearchStrategy[dict[str, Any]]:
    """A message of a kind, some of it as it should be and some of it junk."""
    return st.fixed_dictionaries(
        {"type": st.just(type_)}, optional={name: good | JUNK for name, good in slots.items()}
    )


@settings(max_examples=20)
@given(ADDRESS)
def test_any_link_opens(pairs: list[tuple[str, str]]) -> None:
    session = Session()
    found = {name: [value.encode(errors="replace")] for name, value in pairs}
    open_link(session, found)
    still_works(session)


@settings(max_examples=12)
@given(st.lists(SIGNS | st.sampled_from([f"{key}=" for key in KEYS]) | PIECE).map("".join))
def test_any_search_of_an_address_opens(search: str) -> None:
    session = Session()
    open_link(session, arguments_of(search))
    still_works(session)


ROW = st.dictionaries(st.sampled_from(["id", "arrival", "prompt", "output", "tenant"]), JUNK)
CELLS = st.dictionaries(
    st.sampled_from(["id", "arrival", "prompt", "output", "cached", "deadline", "credits"]), LONG
)


@settings(max_examples=15)
@given(
    st.lists(CELLS, max_size=4),
    st.dictionaries(KNOWN | TEXT, LONG, max_size=3),
    st.lists(st.tuples(KNOWN | TEXT, LONG), max_size=4),
)
def test_any_text_may_be_typed(
    rows: list[dict[str, str]], setup: Mapping[str, str], changes: list[tuple[str, str]]
) -> None:
    session = Session()
    before = session.last_good
    session.set_rows(rows)
    if session.problems:
        assert session.last_good == before
    session.set_setup(setup)
    for place, (name, value) in enumerate(changes):
        lane = session.lanes[place % len(session.lanes)].key
        lane_edits.change(session, lane, {name: value})
        lane_edits.rename(session, lane, value)
        lane_edits.add(session, name)
        lane_edits.put_preset(session, name, lane)
    still_works(session)


TOML = st.sampled_from(
    [
        "[setup]\n",
        "budget = 4\n",
        "[[requests]]\n",
        'id = "A"\n',
        "prompt = 3\n",
        "output = 2\n",
        "[workload]\n",
        'kind = "poisson"\n',
        "requests = 9\n",
        "rate = 1e-300\n",
        "a" + ".a" * 99,
        "= 1\n",
        "[[",
        "{",
        "[" * 300,
        "slo = {}\n",
        "arrival = inf\n",
        "prompt = [[0, 1]]\n",
        "seed = -1\n",
        "setup = 1\n",
        "\x00",
        "mode = 'vllm_v1'\n",
        "buckets = [1, nan]\n",
    ]
)


@settings(max_examples=15)
@given(
    st.lists(TOML | TEXT, max_size=12).map("".join),
    st.sampled_from(
        ["x.toml", "/etc/.toml", ".toml", "a\0b.toml", "\ud800.TOML", "../" * 50 + ".toml"]
    ),
)
def test_any_toml_may_be_opened(text: str, name: str) -> None:
    session = Session()
    open_file(session, name, text.encode(errors="replace"))
    assert session.notice
    still_works(session)


TABLE = st.fixed_dictionaries(
    {"setup": st.dictionaries(KNOWN, JUNK, max_size=4) | JUNK},
    optional={"requests": st.lists(ROW, max_size=3) | JUNK, "workload": JUNK, "name": JUNK},
)


@settings(max_examples=15)
@given(TABLE)
def test_any_json_may_be_opened(table: dict[str, Any]) -> None:
    session = Session()
    open_file(session, "x.json", as_json(table).encode(errors="replace"))
    assert session.notice
    still_works(session)


def as_json(value: Any) -> str:
    """JSON, with bytes as text."""
    return json.dumps(value, default=repr)


@pytest.mark.parametrize(
    "content",
    [
        b"a" + b".a" * 400_000 + b" = 1",  # the reader's time grows with the square of the dots
        b"[" + b"a." * 400_000 + b"a]",
        b"[setup]\n" + b"".join(b"k%d = 1\n" % n for n in range(20_000)),
        b"x = " + b"[" * 200_000,
        b" " * 400_000 + b"=",
        b" " * (MOST_BYTES + 1),
    ],
    ids=["dotted name", "dotted table", "unknown names", "nested", "blank", "too large"],
)
def test_a_file_made_to_be_slow_is_refused(content: bytes) -> None:
    session = Session()
    open_file(session, "x.toml", content)
    assert session.notice
    still_works(session)


def test_a_json_table_with_a_name_twice_is_refused_at_once() -> None:
    names = b",".join(b'"%d":1' % n for n in range(200_000))
    session = Session()
    open_file(session, "x.json", b'{"setup":{' + names + b',"199999":1}}')
    assert "x.json" in session.notice
    still_works(session)


# Messages.

SPAN = st.lists(NUMBER, min_size=2, max_size=2) | st.none()
LANE = st.sampled_from(["static", "continuous", "continuous-2", ""])
PART = st.sampled_from(["traffic", "sweep", "load", "calibrate"])
DO = st.sampled_from(
    [
        "form",
        "fill",
        "look",
        "import",
        "keep",
        "role",
        "unit",
        "switch",
        "box",
        "type",
        "stop",
        "pick",
        "window",
        "set",
        "close",
        "file",
        "like",
        "fit",
        "use",
        "back",
    ]
)
OF_SHELL = (
    message(
        "choice", what=KNOWN | st.sampled_from(["lang", "scenario", "face", "unit"]), value=KNOWN
    )
    | message("budget", value=NUMBER)
    | message("link", search=PIECE, number=NUMBER)
    | message("save", what=st.sampled_from(["scenario", "csv", "json", "report", "lab.py"]))
    | message("file", name=TEXT, part=st.binary(max_size=40), last=st.booleans())
)
OF_TABLE = (
    message("rows", rows=st.lists(ROW, max_size=3), seq=NUMBER)
    | message("reset", seq=NUMBER)
    | message("fill", open=st.booleans())
    | message("traffic", what=KNOWN, values=st.dictionaries(KNOWN, JUNK, max_size=3))
)
OF_SETUP = st.sampled_from(["set", "back", "add", "drop", "preset", "reset"]).flatmap(
    lambda kind: message(kind, lane=LANE, seq=NUMBER, name=KNOWN, value=LONG, id=TEXT)
)
OF_LAB = (
    message("look", span=SPAN)
    | message("tab", name=PART)
    | message("goal", name=KNOWN, value=LONG)
    | message("traffic", name=KNOWN)
    | message("lane", do=st.sampled_from(["set", "add", "copy"]), lane=LANE, name=KNOWN, value=LONG)
    | message(
        "part", part=PART, do=DO, what=KNOWN, values=st.dictionaries(KNOWN, JUNK), span=SPAN,
        lane=LANE, name=KNOWN, value=LONG, bytes=st.binary(max_size=40), last=st.booleans(),
        run=NUMBER, point=NUMBER, column=KNOWN, role=KNOWN, open=st.booleans(),
    )
)  # fmt: skip
OF_STAGE = st.fixed_dictionaries(
    {"do": st.sampled_from(["add_lane", "copy_lane", "move_lane", "rename_lane", "remove_lane"])
     | st.sampled_from(["fork_lane", "hand_begin", "hand_give", "hand_undo", "hand_finish"])},
    optional={"key": LANE | JUNK, "base": KNOWN | JUNK, "step": NUMBER | JUNK,
              "round": NUMBER | JUNK,
              "name": TEXT | JUNK, "grant": st.dictionaries(KNOWN, NUMBER, max_size=3) | JUNK},
)  # fmt: skip
WINDOW = st.fixed_dictionaries({"t": NUMBER | JUNK, "run": st.integers(0, 9) | JUNK})
MESSAGES = st.lists(
    st.tuples(st.just("shell"), OF_SHELL | JUNK)
    | st.tuples(st.just("table"), OF_TABLE | JUNK)
    | st.tuples(st.just("setup"), OF_SETUP | JUNK)
    | st.tuples(st.just("lab"), OF_LAB | JUNK)
    | st.tuples(st.just("command"), OF_STAGE)
    | st.tuples(st.just("window_request"), WINDOW),
    max_size=8,
)


@pytest.fixture(scope="module")
def app() -> App:
    """One page for all examples: what one of them leaves behind, the next one meets."""
    made = App(Session())
    made.session.defer = lambda job, then: then(job())
    return made


def tell(app: App, name: str, content: Any) -> None:
    """Bring something from the browser to the component it is for."""
    if name in ("command", "window_request"):
        setattr(app.player, name, content)
    else:
        getattr(app if name == "shell" else app.shell, name)._handle_msg(content)


@settings(max_examples=25)
@given(MESSAGES)
def test_no_message_breaks_the_page(app: App, messages: list[tuple[str, Any]]) -> None:
    session = app.session
    session.face = "lab"
    for name, content in messages:
        tell(app, name, content)
    still_works(session)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("lab", {"type": "look", "span": [0, HUGE]}),
        ("lab", {"type": "part", "part": "load", "do": "window", "span": [0, HUGE]}),
        ("lab", {"type": "part", "part": "load", "do": "window", "span": [0, 1e308]}),
        ("window_request", {"t": HUGE, "run": 1}),
        ("table", {"type": "rows", "rows": [{"id": DEEP, "prompt": 10**5000}]}),
        ("shell", {"type": "file", "name": "/.toml", "part": b"\xff", "last": True}),
    ],
    ids=["look", "window", "long window", "time", "cells", "file"],
)
def test_numbers_and_lists_beyond_all_measure_are_nothing(
    app: App, name: str, content: dict[str, Any]
) -> None:
    tell(app, name, content)
    still_works(app.session)


def test_a_form_takes_no_lists(app: App) -> None:
    app.session.choose("synthetic")
    app.session.face = "lab"
    values = {"requests": DEEP, "seed": HUGE}
    content = {"type": "part", "part": "traffic", "do": "form", "what": "try", "values": values}
    tell(app, "lab", content)
    still_works(app.session)


def test_a_file_that_is_too_large_is_dropped_whole() -> None:
    inbox, part = Inbox(), bytes(2**20)
    for _ in range(FILE_LIMIT // len(part) + 1):
        assert inbox.take(part, is_last=False) is None
    assert inbox.take(b"the rest", is_last=True) is None
    assert inbox.take(b"another", is_last=True) == b"another"
