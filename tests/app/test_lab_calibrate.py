"""The lab's calibration: what a file is taken for, what comes of it, and where the cost goes.

The fits themselves are tested beside `sim.calibrate` and `sim.fit_timings`. Files are made up.
"""

import json
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from app import lane_edits
from app.i18n import LANGUAGES, words
from app.lab.calibrate import NAMES
from app.lab.calibrate_told import of_timings
from app.lab.component import Lab
from app.lab.fit_run import FitRun
from app.lab.measured import RefusedError, read_measured
from app.lab.sample import COST, SERVER, made_up
from app.session import Session
from app.setup_options import texts
from sim.clock import NS_PER_MS
from sim.fit_timings import NEARLY, Judged, Pairs, TimingsFit
from sim.profiles import RULES, Profile
from sim.sweep import Stopped
from sim.timings import Timings

REQUEST = {
    "input_toks": 5,
    "output_toks": 2,
    "queued_ts": 1.5,
    "first_token_ts": 2,
    "last_token_ts": 2.5,
}
REQUESTS = [REQUEST | {"queued_ts": 1 + place / 10} for place in range(8)]
# ms = 3 + 0.5 P + 0.25 D + 0.001 K, by hand
ROUNDS = [(0, 4, 100, 4.1), (10, 0, 0, 8), (20, 2, 50, 13.55), (0, 8, 1000, 6), (6, 1, 3, 6.253)]
PROFILE = "prefill,decode,kv,ms\n" + "".join(f"{p},{d},{k},{ms}\n" for p, d, k, ms in ROUNDS)
BENCH: dict[str, list[Any]] = {
    "start_times": [float(place) for place in range(8)],
    "input_lens": [5] * 8,
    "output_lens": [3] * 8,
    "ttfts": [0.5] * 8,
    "itls": [[0.125, 0.25]] * 8,
}


@pytest.fixture
def session():
    found = Session()
    found.face = "lab"
    return found


@pytest.fixture
def lab(session):
    found = Lab(session)
    found._handle_msg({"type": "tab", "name": "calibrate"})
    return found


def say(lab, do, **more):
    lab._handle_msg({"type": "part", "part": "calibrate", "do": do, **more})
    return lab.part["shown"]


def send(lab, name, text):
    return say(lab, "file", name=name, bytes=text.encode(), last=True)


def requests_in(text):
    found = read_measured("x", text.encode()).found
    assert isinstance(found, Timings)
    return found


def rounds_in(text):
    found = read_measured("x", text.encode()).found
    assert isinstance(found, Profile)
    return found


def fault(name, text):
    with pytest.raises(RefusedError) as caught:
        read_measured(name, text.encode())
    return caught.value.tell


# What a file is.


@pytest.mark.parametrize("name", ["x.csv", "x.json", "no ending"])
def test_columns_decide_what_a_file_is_not_its_name(name):
    lines = "\n".join(map(json.dumps, REQUESTS))
    assert isinstance(read_measured(name, lines.encode()).found, Timings)
    assert isinstance(read_measured(name, json.dumps(REQUESTS).encode()).found, Timings)
    assert isinstance(read_measured(name, PROFILE.encode()).found, Profile)


def test_requests_read_alike_from_lines_a_list_and_csv():
    csv = (
        ",".join(REQUEST) + "\n" + "".join(",".join(map(str, r.values())) + "\n" for r in REQUESTS)
    )
    lines = "\n".join(map(json.dumps, REQUESTS))
    found = [requests_in(text) for text in (csv, lines, json.dumps(REQUESTS))]
    assert {timings.requests for timings in found} == {found[0].requests}
    assert found[0].ttft.tolist() == [(1000 - 100 * place) * NS_PER_MS for place in range(8)]


def test_rounds_read_alike_from_csv_rows_and_columns():
    names = ("prefill", "decode", "kv", "ms")
    rows = [dict(zip(names, row, strict=True)) for row in ROUNDS]
    columns = dict(zip(names, map(list, zip(*ROUNDS, strict=True)), strict=True))
    texts_ = (PROFILE, json.dumps(rows), "\n".join(map(json.dumps, rows)), json.dumps(columns))
    found = [rounds_in(text) for text in texts_]
    assert {(profile.counts, profile.times) for profile in found} == {
        (tuple(row[:3] for row in ROUNDS), tuple(round(row[3] * 10**9) for row in ROUNDS))
    }


def test_the_detailed_result_of_a_benchmark_is_measured_requests():
    found = requests_in(json.dumps(BENCH))
    assert found.ttft.tolist() == [500 * NS_PER_MS] * 8
    assert found.e2e.tolist() == [875 * NS_PER_MS] * 8


@pytest.mark.parametrize(
    ("text", "in_it"),
    [
        ("", "queued_ts"),
        ("5", "queued_ts"),
        ("[]", "prefill"),
        ("[1, 2]", "prefill"),
        ("arrival,prompt,output\n1,2,3\n", "arrival, prompt, output"),
        ("{broken", "JSON"),
        ("[setup]\nbudget = 4\n", "[setup]"),
        ('{"mean_ttft_ms": 3}', "--save-detailed"),
        (json.dumps(BENCH | {"ttfts": ["x"] * 8}), "ttfts"),
        (json.dumps({name: values[:2] for name, values in BENCH.items()}), "8"),
        ("queued_ts,input_toks\n1,2\n", "first_token_ts"),
        ("prefill,ms\n1,2\n", "decode"),
        (PROFILE + "1,2,3,x\n", "“x”"),
        ("prefill,decode,kv,ms\n1,2,3,4\n", "4"),
        (json.dumps({"prefill": [1], "decode": [], "kv": [], "ms": []}), "4"),
        (json.dumps(REQUESTS[:3]), "8"),
        (json.dumps([REQUEST | {"queued_ts": 9}] * 8), "queued_ts ≤ first_token_ts"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_in_both_languages(text, in_it):
    tell = fault("x.csv", text)
    for lang in ("en", "zh"):
        assert in_it in tell(lang)
        assert "{" not in tell(lang)
    assert tell("en") != tell("zh")


def test_every_fault_of_a_table_of_rounds_has_words_in_both_languages():
    of_files = {"unreadable"}  # on a disk
    for lang in ("en", "zh"):
        told = words(lang, "lab.calibrate")
        assert {f"profile_{rule}" for rule in RULES.keys() - of_files} <= told.keys()


def test_the_line_of_a_fault_is_told():
    line = PROFILE.count("\n") + 1
    tell = fault("x.csv", PROFILE + "1,2,3,x\n")
    assert f"line {line}," in tell("en")
    assert f"第 {line} 行" in tell("zh")


def test_bytes_that_are_no_text_are_refused():
    with pytest.raises(RefusedError):
        read_measured("x.csv", b"\xff\xfe\x00")


# From rounds to a cost.


def test_measured_rounds_give_the_cost_they_were_made_of(lab):
    shown = send(lab, "x.csv", PROFILE)
    assert [part["value"] for part in shown["result"]["parts"]] == ["3", "0.5", "0.25", "0.001"]
    assert shown["result"]["residuals"] == {"lines": [2, 3, 4, 5, 6], "ms": [0.0] * 5}
    assert shown["server"] is None


def test_what_a_table_cannot_tell_apart_is_told(lab):
    rows = "".join(f"{p},{p},0,{3 + p}\n" for p in range(6))
    notes = send(lab, "x.csv", "prefill,decode,kv,ms\n" + rows)["result"]["notes"]
    assert any("decode = prefill" in note for note in notes)
    assert any("kv = 0" in note for note in notes)


def test_a_file_comes_in_parts(lab):
    half = len(PROFILE) // 2
    lab._handle_msg({"type": "tab", "name": "calibrate"})
    first = PROFILE[:half].encode()
    assert say(lab, "file", name="x.csv", bytes=first, last=False)["result"] is None
    last = PROFILE[half:].encode()
    assert say(lab, "file", name="x.csv", bytes=last, last=True)["result"] is not None


def test_a_refused_file_leaves_the_last_result(lab):
    before = send(lab, "x.csv", PROFILE)["result"]
    after = send(lab, "y.csv", "a,b\n1,2\n")
    assert after["result"] == before
    assert "y.csv" in after["fault"]


# From requests to a cost.


def test_the_sample_is_the_same_each_time():
    one, other = made_up(), made_up()
    assert one.requests == other.requests
    assert one.e2e.tolist() == other.e2e.tolist()


def test_the_sample_gives_nearly_the_true_cost(lab):
    shown = say(lab, "sample")
    result = shown["result"]
    assert shown["run"]["state"] == "done"
    for part in result["parts"][:2]:  # decode and KV hang together, these two stand alone
        assert float(part["value"]) == pytest.approx(float(part["truth"]), rel=0.1)
    assert [part["truth"] for part in result["parts"]] == ["8", "0.06", "0.12", "0.0005"]
    assert not any(row["unseen"]["is_over"] for row in result["errors"])
    halves = result["pictures"]["e2e"]
    assert [len(halves[half][0]) for half in ("seen", "unseen")] == [120, 120]


def judged(percent):
    """A fit of eight requests whose second half is exact, and whose first misses one figure."""
    timings = requests_in(json.dumps(REQUESTS))
    half = np.arange(8) >= 4
    times = timings.e2e / NS_PER_MS
    exact = tuple(Judged(name, 100.0, 100.0) for name in ("ttft_p50", "ttft_p99", "tpot_mean"))
    seen = (*exact, Judged("makespan", 100.0, 100.0 + percent))
    unseen = (*exact, Judged("makespan", 100.0, 100.0))
    pairs = Pairs(times, times)
    return TimingsFit(timings, SERVER, half, pairs, pairs, seen, unseen, {}, 1)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_fits_nearly_as_well_is_said_to_be_no_confidence_interval(lang):
    fit = replace(judged(0), nearly={"base": (1.0, 2.0)})
    shown = of_timings(fit, None, lang)
    assert shown["parts"][0]["range"]
    assert f"{NEARLY - 1:.0%}" in shown["range_note"]
    assert words(lang, "lab.calibrate")["range_head"] in shown["range_note"].lower()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_files_are_said_to_go_to_this_server_everywhere(lang):
    places = (words(lang, "lab.calibrate")["about"], words(lang, "page")["limits"])
    where = {re.split("[.。]", place.rstrip(".。"))[-1].strip() for place in places}
    assert len(where) == 1


def test_an_error_on_the_fitted_half_is_not_hidden():
    fine, off = (of_timings(judged(percent), None, "en") for percent in (9, 12))
    assert not any("12%" in note for note in fine["notes"])
    assert any("12%" in note and "makespan" in note for note in off["notes"])
    assert [row["seen"]["is_over"] for row in off["errors"]] == [False, False, False, True]


def test_the_headline_is_as_good_as_the_worst_unseen_figure():
    fit = judged(0)
    texts_ = []
    for percent in (5, -20, 60):
        worst = (*fit.figures[1:], Judged("ttft_p50", 100.0, 100.0 + percent))
        texts_.append(of_timings(replace(fit, figures=worst), None, "en")["headline"])
    assert ["**5%**" in texts_[0], "**20%**" in texts_[1], "**60%**" in texts_[2]] == [True] * 3
    assert ("care" in texts_[1], "no model" in texts_[2]) == (True, True)
    assert "care" not in texts_[0]


def test_the_server_is_like_a_setup_of_the_lab(lab, session):
    shown = send(lab, "x.jsonl", json.dumps(REQUESTS))
    key = session.played[0].key
    assert [choice[0] for choice in shown["server"]["choices"][1:]] == [
        lane.key for lane in session.played
    ]
    budget = say(lab, "like", lane=key)["server"]["fields"][0]
    assert budget["value"] == str(session.played[0].history.scenario.setup.budget)
    assert say(lab, "like", lane="nobody")["server"]["like"] == key


def test_a_setting_without_meaning_is_marked_and_nothing_is_fitted(lab):
    send(lab, "x.jsonl", json.dumps(REQUESTS))
    say(lab, "type", name="budget", value="many")
    shown = say(lab, "fit")
    assert shown["run"] is None
    assert shown["server"]["fields"][0]["fault"]
    assert not say(lab, "type", name="budget", value="64")["server"]["fields"][0]["fault"]


def test_a_pool_too_small_for_a_request_is_told(lab):
    send(lab, "x.jsonl", json.dumps([r | {"input_toks": 500} for r in REQUESTS]))
    say(lab, "type", name="num_blocks", value="2")
    shown = say(lab, "fit")
    assert shown["run"] is None
    assert shown["server"]["fault"] or any(f["fault"] for f in shown["server"]["fields"])


def test_a_fit_can_be_stopped():
    run = FitRun(made_up(), SERVER)
    steps = run.steps()
    assert next(steps)
    run.end("stopped")
    with pytest.raises(Stopped):
        for _ in steps:
            pass
    assert run.state == "stopped"


def test_requests_that_leave_cannot_be_fitted():
    timings = made_up()
    run = FitRun(timings, replace(SERVER, max_queue=0, max_num_seqs=1))
    for step in run.steps():
        run.take(step)
    assert run.state == "unserved"


# From a cost to the setups.


def test_the_cost_is_used_by_all_setups_and_taken_back(lab, session):
    own = {name: texts(session.chosen.setup)[name] for name in NAMES}
    first = session.lanes[0].key
    lane_edits.change(session, first, {"cost.base": "77"})
    send(lab, "x.csv", PROFILE)
    shown = say(lab, "use")
    costs = {history.scenario.setup.cost for history in session.histories}
    assert [(c.base, c.per_prefill, c.per_decode, c.per_kv_token) for c in costs] == [
        (3_000_000, 500_000, 250_000, 1_000)
    ]
    assert (shown["use"]["is_used"], shown["use"]["is_changed"]) == (True, True)
    shown = say(lab, "back")
    assert (shown["use"]["is_used"], shown["use"]["is_changed"]) == (False, False)
    assert {name: session.shared_texts()[name] for name in NAMES} == own


def test_a_scene_in_ticks_has_no_use_for_a_cost(lab, session):
    session.choose("1a")
    assert session.last_good.setup.time == "tick"
    send(lab, "x.csv", PROFILE)
    shown = say(lab, "use")
    assert not shown["use"]["can"]
    assert shown["use"]["note"]
    assert not any(name in session.setup for name in NAMES)


@pytest.mark.parametrize(
    "message",
    [
        {"do": "file", "name": "x", "bytes": "text", "last": True},
        {"do": "file"},
        {"do": "type", "name": "mode", "value": "static"},
        {"do": "type", "name": "budget", "value": 5},
        {"do": "like", "lane": 3},
        {"do": "use"},
        {"do": "fit"},
        {"do": "stop"},
        {"do": "sing"},
        {},
    ],
)
def test_messages_without_meaning_change_nothing(lab, session, message):
    before = (lab.part, dict(session.setup))
    lab._handle_msg({"type": "part", "part": "calibrate", **message})
    assert (lab.part, dict(session.setup)) == before


def test_the_true_cost_of_the_sample_is_that_of_its_server():
    assert SERVER.cost == COST
