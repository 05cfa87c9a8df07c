"""The payload fits together: what the browser indexes is there, and sums are what they say."""

import json
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.i18n import words
from app.lanes import WINDOW_ROUNDS, Lane
from app.payload import make_payload
from lessons.catalogue import scenes
from sim import Cost, Request, Scenario, Setup, Status, run
from sim.clock import TimeUnit, to_shown
from sim.files import builtin
from sim.metrics import Metrics, RequestMetrics
from tests.sim.make import by_hand, plain_servers, scenario, scenarios

MODES = ("static", "continuous")
KINDS = {"prefill", "decode", "idle", "hold"}
PHASES = {"d", "p", "pad", "idle", "v"}
LEFT = {"cancelled", "rejected", "timed_out"}
EVENTS = {"arrival", "first", "finish", "preempted", *LEFT}
MOST_BYTES = 2_000_000  # of a window: what a page may have to load at once


def any_scenario() -> st.SearchStrategy[Scenario]:
    """Any scenario that can run in both modes, and servers with more to do than they can."""
    return scenarios(mode=st.sampled_from(["continuous", "vllm_v1"])) | plain_servers()


def lanes_of(subject: Scenario) -> list[Lane]:
    """A static lane, and one of the scenario's own mode if that is another."""
    own = subject.setup.mode.replace("static", "continuous")
    modes = {"static": "static", "continuous": own}
    return [Lane(key, run(subject.with_setup(mode=mode))) for key, mode in modes.items()]


LARGE = {"5-lab", "11a", "11b", "11c", "13b", "13c", "14a"}  # shown as windows


def payload_of(subject: Scenario, lang: str = "en") -> dict[str, Any]:
    return make_payload(lanes_of(subject), lang, title="T")


def assert_consistent(payload: dict[str, Any]) -> None:
    """Everything that holds of any payload, whole or window."""
    json.dumps(payload, allow_nan=False)
    assert payload["t0"] < payload["t1"]
    assert (payload["overview"] is None) == payload["whole"]
    num_requests = len(payload["requests"])
    assert all(r["label"] and len(r["label"]) <= 4 for r in payload["requests"])
    assert all(0 <= r["colour"] <= 7 for r in payload["requests"])
    for lane in payload["lanes"]:
        assert_lane_is_consistent(lane, num_requests, payload)
    times = [event["t"] for event in payload["events"]]
    assert times == sorted(times)
    for event in payload["events"]:
        assert payload["t0"] <= event["t"] <= payload["t1"]
        assert event["kind"] in EVENTS
        assert 0 <= event["req"] < num_requests
        assert event["kind"] == "arrival" or event["lane"] is not None
        assert event["lane"] in {None, 0, 1}


def assert_lane_is_consistent(
    lane: dict[str, Any], num_requests: int, payload: dict[str, Any]
) -> None:
    rounds = lane["rounds"]
    size = len(rounds["number"])
    assert {len(column) for column in rounds.values()} == {size}
    assert [n - i for i, n in enumerate(rounds["number"])] == rounds["number"][:1] * size
    assert all(a < b for a, b in zip(rounds["start"], rounds["end"], strict=True))
    assert all(a <= b for a, b in zip(rounds["end"], rounds["start"][1:], strict=False))
    assert len(lane["strip"]) == len(lane["cards"]) == len(lane["overall"]["rows"]) == size
    for table in (*lane["overall"]["rows"], lane["overall"]["start"], lane["overall"]["final"]):
        assert len(table) == len(payload["overall_head"])
    assert_runs_cover_what_was_given(lane, num_requests)
    assert_strip_and_cards_add_up(lane, num_requests)
    for wait in lane["waits"]:
        assert 0 <= wait["req"] < num_requests
        assert wait["t1"] is None or wait["t0"] <= wait["t1"]
        assert wait["text"] and wait["end"] in {"joins", *LEFT}
    for gap in lane["gaps"]:
        assert 0 <= gap["req"] < num_requests and gap["kind"] in {"preempted", "swapped", "paused"}
        assert gap["t1"] is None or gap["t0"] < gap["t1"]
        assert gap["t1"] is not None or not payload["whole"]
    done = 0
    for batch in lane["batches"]:
        assert (batch["first"], 0 < batch["seats"] <= lane["num_seats"]) == (done, True)
        done += batch["count"]
    assert done == (size if lane["key"] == "static" else 0)


def assert_runs_cover_what_was_given(lane: dict[str, Any], num_requests: int) -> None:
    """No seat twice in a round; positions by kind add up to those of the round."""
    size = len(lane["rounds"]["number"])
    seats: list[Counter[int]] = [Counter() for _ in range(size)]
    sums: list[Counter[str]] = [Counter() for _ in range(size)]
    for cell in lane["runs"]:
        assert cell["kind"] in KINDS
        assert 0 <= cell["req"] < num_requests
        assert 0 <= cell["seat"] < lane["num_seats"]
        assert cell["count"] >= 1 and cell["first"] >= 0 and cell["first"] + cell["count"] <= size
        for k in range(cell["first"], cell["first"] + cell["count"]):
            seats[k][cell["seat"]] += 1
            is_decode = cell["kind"] == "decode"
            sums[k][cell["kind"]] += 1 if is_decode else cell["n"]
            sums[k]["drafts"] += cell["n"] - 1 if is_decode else 0
            sums[k]["pad"] += cell["pad"]
            sums[k]["held"] += cell["kind"] == "idle"
    assert all(max(used.values()) == 1 for used in seats)
    rounds = lane["rounds"]
    for k in range(size):
        assert sums[k]["prefill"] + sums[k]["pad"] == rounds["P"][k], f"P of round {k}"
        assert sums[k]["decode"] + sums[k]["held"] == rounds["D"][k], f"D of round {k}"
        assert sums[k]["drafts"] == rounds["V"][k], f"V of round {k}"
        assert sums[k]["hold"] == 0
        assert sums[k]["pad"] == rounds["padding"][k]
        assert sums[k]["held"] == rounds["idle"][k]


def assert_strip_and_cards_add_up(lane: dict[str, Any], num_requests: int) -> None:
    rounds = lane["rounds"]
    for k, (strip, card) in enumerate(zip(lane["strip"], lane["cards"], strict=True)):
        by_phase: Counter[str] = Counter()
        for owner, n, phase in strip:
            assert n > 0 and phase in PHASES and -1 <= owner < num_requests
            by_phase[phase] += n
        assert by_phase["p"] + by_phase["pad"] == rounds["P"][k]
        assert by_phase["d"] + by_phase["idle"] == rounds["D"][k]
        assert by_phase["v"] == rounds["V"][k]
        assert card["sum"] and card["ms"] and card["lines"]
        for line in card["lines"]:
            assert line["text"] and "{" not in line["text"]
            assert -1 <= line["req"] < num_requests
            assert all(style in {"plain", "bad"} for _, style in line["chips"])
        if not card["more"]:
            assert sum(line["p"] + line["pad"] for line in card["lines"]) == rounds["P"][k]
            assert sum(line["d"] for line in card["lines"]) == rounds["D"][k] - rounds["idle"][k]
            assert sum(line["v"] for line in card["lines"]) == rounds["V"][k]


def assert_whole_run_is_told(payload: dict[str, Any], lanes: list[Lane]) -> None:
    """A run sent whole has each token once, and tables that end with the final figures."""
    subject = lanes[0].history.scenario
    assert [r["id"] for r in payload["requests"]] == [r.id for r in subject.requests]
    for lane, whole in zip(payload["lanes"], lanes, strict=True):
        assert_every_token_is_there(lane, whole)
        assert_repeated_work_is_marked(lane, whole)
        assert lane["num_rounds"] == len(lane["rounds"]["number"]) == len(whole.history)
        assert lane["end"] == to_shown(whole.end, payload["unit"]) <= payload["t1"]
        assert lane["total_tokens"] == (lane["rounds"]["emitted"] or [0])[-1]
        assert (lane["overall"]["rows"] or [lane["overall"]["start"]])[-1] == lane["overall"][
            "final"
        ]
        assert_waits_end_as_they_do(payload, lane, whole)
        assert_state_table_fits(payload, lane, whole)
    assert_events_are_those_of_the_run(payload, lanes)


def assert_every_token_is_there(lane: dict[str, Any], whole: Lane) -> None:
    states = whole.history.states
    tokens: dict[int, list[int]] = {i: [] for i in range(len(states))}
    unsent: Counter[int] = Counter()
    ends: Counter[int] = Counter()
    for cell in lane["runs"]:
        assert (cell["token"] > 0) == (cell["tokens"] > 0)
        assert cell["tokens"] <= 1 or cell["count"] == 1
        last = cell["token"] + cell["tokens"] + cell["count"] - 1
        tokens[cell["req"]] += range(cell["token"], last) if cell["tokens"] else ()
        unsent[cell["req"]] += cell["tokens"] if cell["unsent"] else 0
        ends[cell["req"]] += cell["finish"]
    for i, state in enumerate(states):
        final = whole.final.request(i)
        assert tokens[i] == list(range(1, final.generated + 1))
        assert unsent[i] == final.generated - final.sent
        assert ends[i] == (state is Status.FINISHED)


def assert_repeated_work_is_marked(lane: dict[str, Any], whole: Lane) -> None:
    """Cells marked `again` hold what was computed twice, and nobody else has one."""
    again: Counter[int] = Counter()
    for cell in lane["runs"]:
        assert not cell["again"] or cell["kind"] == "prefill"
        again[cell["req"]] += cell["n"] if cell["again"] else 0
    for i, positions in enumerate(whole.history.recomputed.tolist()):
        assert again[i] >= positions and bool(again[i]) == bool(positions)


def assert_waits_end_as_they_do(payload: dict[str, Any], lane: dict[str, Any], whole: Lane) -> None:
    history, unit = whole.history, payload["unit"]
    waits = {wait["req"]: wait for wait in lane["waits"]}
    for i, state in enumerate(history.states):
        admitted = history.first_rounds[i] >= 0
        until = history.starts[history.first_rounds[i]] if admitted else history.ended_at[i]
        if i not in waits:
            assert admitted and history.arrivals[i] == until == 0
            continue
        assert waits[i]["end"] == ("joins" if admitted else state)
        assert waits[i]["t0"] == to_shown(int(history.arrivals[i]), unit)
        assert waits[i]["t1"] == to_shown(int(until), unit)


def unfolded(part: dict[str, Any]) -> list[list[Any]]:
    """The rows after each round, from what each round changes, as the browser makes them."""
    rows, now = [], part["start"]
    for change in part["changes"]:
        now = list(now)
        for place, *row in change:
            assert now[place] != row
            now[place] = row
        rows.append(now)
    return rows


def assert_state_table_fits(payload: dict[str, Any], lane: dict[str, Any], whole: Lane) -> None:
    size = len(whole.history.states)
    if "state" not in lane:
        return
    state, per_request = lane["state"], lane["per_request"]
    rows, latencies = unfolded(state), unfolded(per_request)
    assert len(rows) == len(latencies) == lane["num_rounds"]
    assert len(state["start"]) == len(per_request["start"]) == len(state["arrivals"]) == size
    for row in (*latencies, per_request["start"]):
        assert [len(cells) for cells in row] == [len(payload["per_request_head"])] * size
    assert (latencies or [per_request["start"]])[-1] == per_request["final"]
    finals = [whole.final.request(i) for i in range(size)]
    assert per_request["final"] == [latencies_of(one) for one in finals]
    last = (rows or [state["start"]])[-1]
    names, shown = words(payload["lang"]), state["names"]
    wanted = [names[f"state.{s}"] for s in whole.history.states]
    assert [shown[status] for *_, status in last] == wanted
    for k, row in enumerate(latencies):  # known at a round's end, from the metrics
        known = Metrics(whole.history, int(whole.history.ends[k]))
        assert row == [latencies_of(known.request(i)) for i in range(size)]
    assert_steps_of_a_round_fit(state, rows, whole)


def latencies_of(one: RequestMetrics) -> list[Any]:
    """The figures of one request in the order of the payload's head."""
    means = [sum(one.itl) / len(one.itl) if one.itl else None, one.tpot]
    mean, tpot = (None if x is None else pytest.approx(x, abs=2e-6) for x in means)
    return [one.queue, one.ttft, mean, one.max_itl, tpot, one.e2e]


def assert_steps_of_a_round_fit(state: dict[str, Any], rows: list[list[Any]], whole: Lane) -> None:
    """Before a round's end nobody has more output, and as scheduled who runs is not waiting."""
    ids = [request.id for request in whole.history.scenario.requests]
    before = state["start"]
    for record, collected, scheduled, after in zip(
        whole.history, state["collected"], state["scheduled"], rows, strict=True
    ):
        planned = [list(row) for row in before]
        for place, *row in (*collected, *scheduled):
            planned[place] = row
        for id_, old, now in zip(ids, before, planned, strict=True):
            assert now[1] == old[1]
            served = id_ in record.given
            assert not served or now[2] in {"prefill", "decode"}
            assert id_ not in record.departed or now[2] == record.departed[id_]
        before = after


def assert_events_are_those_of_the_run(payload: dict[str, Any], lanes: list[Lane]) -> None:
    kinds = Counter(event["kind"] for event in payload["events"])
    subject = lanes[0].history.scenario
    in_loop = subject.setup.concurrency is not None
    wanted: Counter[str] = Counter(arrival=len(subject.requests) * (len(lanes) if in_loop else 1))
    for whole in lanes:
        wanted["first"] += int((whole.final.outputs.sent > 0).sum())
        wanted["preempted"] += int(whole.history.preemptions.sum())
        for state in whole.history.states:
            wanted["finish" if state is Status.FINISHED else str(state)] += 1
    assert kinds == wanted


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", list(scenes()))
def test_every_scene_makes_a_consistent_payload(name: str, lang: str) -> None:
    payload = payload_of(builtin(name), lang)
    assert_consistent(payload)
    assert payload["whole"] is (name not in LARGE)
    if payload["whole"]:
        assert_whole_run_is_told(payload, lanes_of(builtin(name)))
    assert (payload["lang"], payload["unit"]) == (lang, builtin(name).setup.time)


@settings(max_examples=40)
@given(any_scenario(), st.sampled_from(["en", "zh"]))
def test_any_small_run_makes_a_consistent_payload(subject: Scenario, lang: str) -> None:
    payload = payload_of(subject, lang)
    assert_consistent(payload)
    if payload["whole"]:
        assert_whole_run_is_told(payload, lanes_of(subject))


def test_a_wait_is_known_once_it_is_over_to_the_nanosecond() -> None:
    one = Request("R0", arrival=0, prompt=1, output=1)
    cost = Cost(base=2_000_000, per_prefill=1, per_decode=1_000_000)
    setup = Setup(
        budget=1, mode="continuous", max_num_seqs=1, cost=cost, concurrency=2, think=2_000_000
    )
    subject = Scenario(setup, tuple(replace(one, id=f"R{i}") for i in range(5)))
    assert_whole_run_is_told(payload_of(subject, "en"), lanes_of(subject))


def test_figures_of_the_by_hand_run_are_those_on_paper() -> None:
    payload = payload_of(by_hand())
    static, continuous = payload["lanes"]
    assert (payload["t0"], payload["t1"]) == (0, 24)
    assert continuous["rounds"]["end"] == [4, 8, 13, 16.5, 19.5]
    assert continuous["rounds"]["emitted"] == [0, 2, 4, 6, 7]
    heads = [head["key"] for head in payload["per_request_head"]]
    assert heads == ["queue", "ttft", "mean_itl", "max_itl", "tpot", "e2e"]
    assert continuous["per_request"]["final"] == [
        [0, 8, 4.25, 5, 4.25, 16.5],
        [2, 6, 5, 5, 5, 11],
        [2, 10.5, 3, 3, 3, 13.5],
    ]
    assert [row[1] for row in static["per_request"]["final"]] == [7, 18, 14]
    keys = [head["key"] for head in payload["overall_head"]]
    final = dict(zip(keys, continuous["overall"]["final"], strict=True))
    always = [head["key"] for head in payload["overall_head"] if not head["more"]]
    assert {key: final[key] for key in always} == {
        "makespan": 19.5,
        "output_tps": 358.974359,
        "mean_ttft": 8.166667,
        "max_itl": 5,
        "waste": 0,
        "tokens": 7,
        "finished": 3,
    }
    assert dict(zip(keys, static["overall"]["final"], strict=True))["waste"] == 1
    assert continuous["cards"][2]["sum"] == "4 of 4 tokens, so 2 + 0.5 × 2 + 2 = "
    assert continuous["cards"][2]["ms"] == "5 ms"
    assert unfolded(continuous["state"])[2][2] == [2, 0, "prefill"]
    assert continuous["state"]["arrivals"] == [0, 2, 6]
    assert continuous["state"]["start"][1] == (0, 0, "absent")
    waits = {wait["req"]: (wait["t0"], wait["t1"]) for wait in continuous["waits"]}
    assert waits == {1: (2, 4), 2: (6, 8)}  # A is seated from the very start


def test_who_leaves_unserved_waits_until_then() -> None:
    rows = [("A", 0, 4, 4), ("B", 0, 4, 1), ("C", 1, 4, 1)]
    payload = payload_of(scenario(*rows, budget=4, max_num_seqs=1, queue_timeout=6))
    lane = payload["lanes"][1]
    assert [(w["req"], w["t0"], w["t1"], w["end"], w["text"]) for w in lane["waits"]] == [
        (1, 0, 7, "timed_out", "B leaves after waiting 7 ms"),
        (2, 1, 7, "timed_out", "C leaves after waiting 6 ms"),
    ]
    left = [event for event in payload["events"] if event["kind"] == "timed_out"]
    assert [(e["t"], e["req"], e["lane"]) for e in left if e["lane"] == 1] == [(7, 1, 1), (7, 2, 1)]
    assert lane["num_seats"] == 1
    assert lane["after"]["more"].endswith("1 of 3 requests were served to their end.")


def test_who_is_evicted_is_out_until_it_is_back() -> None:
    rows = [("A", 0, 4, 2), ("B", 0, 4, 2)]
    for on_full, kind in (("recompute", "preempted"), ("swap", "swapped")):
        subject = scenario(*rows, budget=8, block_size=4, num_blocks=2, on_full=on_full)
        lane = payload_of(subject)["lanes"][1]
        assert [(g["req"], g["t0"], g["t1"], g["kind"]) for g in lane["gaps"]] == [(1, 6, 9, kind)]
        assert [g["seat"] for g in lane["gaps"]] == [1]
        again = [(c["req"], c["n"]) for c in lane["runs"] if c["again"]]
        assert again == ([(1, 5)] if kind == "preempted" else [])


def test_tokens_of_one_round_are_one_cell() -> None:
    drafts = {"drafts": 3, "accepted": [2, 0]}
    lane = payload_of(scenario(("A", 0, 1, 5), budget=8, speculation=drafts))["lanes"][1]
    cells = [(c["kind"], c["n"], c["token"], c["tokens"]) for c in lane["runs"]]
    assert cells == [("prefill", 1, 1, 1), ("decode", 4, 2, 3), ("decode", 1, 5, 1)]
    assert lane["strip"][1] == [[0, 1, "d"], [0, 3, "v"]]
    assert lane["rounds"]["V"] == [0, 3, 0]
    assert unfolded(lane["per_request"])[1][0] == [0, 2.5, 4.5, 4.5, 1.5, None]


def test_a_slow_reader_holds_its_seat() -> None:
    slow = {"credits": 1, "read_every": 50}
    rows = [("A", 0, 4, 3, slow), ("B", 0, 4, 5)]
    lane = payload_of(scenario(*rows, budget=8))["lanes"][1]
    held = [cell for cell in lane["runs"] if cell["paused"]]
    assert held and all(c["kind"] == "hold" and c["req"] == 0 and c["n"] == 0 for c in held)
    ends, starts = lane["rounds"]["end"], lane["rounds"]["start"][1:]
    between = [(t0, t1) for t0, t1 in zip(ends, starts, strict=False) if t0 < t1]
    told = [(g["t0"], g["t1"]) for g in lane["gaps"] if (g["kind"], g["req"]) == ("paused", 0)]
    assert told == between != []


def test_a_closed_loop_has_arrivals_a_lane() -> None:
    rows = [("A", 9, 2, 2), ("B", 9, 2, 2)]
    payload = payload_of(scenario(*rows, budget=8, concurrency=1, think=5))
    came = [(e["lane"], e["req"], e["t"]) for e in payload["events"] if e["kind"] == "arrival"]
    assert came == [(0, 0, 0), (1, 0, 0), (0, 1, 11), (1, 1, 11)]
    assert [request["arrival"] for request in payload["requests"]] == [0, 11]
    assert unfolded(payload["lanes"][1]["state"])[0][1][-1] == "absent"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_run_without_a_round_is_told(lang: str) -> None:
    gone = {"cancel_at": 3}
    subject = scenario(("A", 3, 4, 2, gone), ("B", 0, 4, 2), budget=8, max_queue=0)
    payload = payload_of(subject, lang)
    assert_consistent(payload)
    assert_whole_run_is_told(payload, lanes_of(subject))
    for lane in payload["lanes"]:
        assert (lane["num_rounds"], lane["total_tokens"]) == (0, 0)
        assert [line["req"] for line in lane["after"]["lines"]] == [0, 1]


def test_equal_rounds_of_a_request_are_one_run() -> None:
    lane = payload_of(scenario(("A", 0, 1, 50), budget=4))["lanes"][1]
    assert [(cell["kind"], cell["count"], cell["token"]) for cell in lane["runs"]] == [
        ("prefill", 1, 1),
        ("decode", 49, 2),
    ]
    assert lane["runs"][1]["finish"]


def test_static_batches_are_outlined() -> None:
    static, continuous = payload_of(builtin("2b"))["lanes"]
    assert [(b["first"], b["count"], b["seats"]) for b in static["batches"]] == [
        (0, 6, 3),
        (6, 3, 1),
    ]
    assert continuous["batches"] == []


def test_a_seat_is_taken_over_by_who_comes_next() -> None:
    continuous = payload_of(builtin("2b"))["lanes"][1]
    seats = {cell["req"]: cell["seat"] for cell in continuous["runs"]}
    assert seats == {0: 0, 1: 1, 2: 2, 3: 0}
    assert continuous["num_seats"] == 3


def test_long_names_get_short_labels_and_stay_text() -> None:
    names = ["<b>x</b>", "request-17", "ABCD"]
    payload = payload_of(scenario(*((name, 0, 1, 1) for name in names), budget=4))
    assert [r["label"] for r in payload["requests"]] == ["…/b>", "…-17", "ABCD"]
    assert [r["id"] for r in payload["requests"]] == names


def test_many_requests_are_summed_up_and_not_listed() -> None:
    rows = [(f"R{i}", 0, 2, 3) for i in range(60)]
    payload = payload_of(scenario(*rows, budget=64))
    assert_consistent(payload)
    for lane in payload["lanes"]:
        assert "state" not in lane and "per_request" not in lane
        assert all(len(strip) <= 16 for strip in lane["strip"])
        assert all(len(card["lines"]) <= 8 for card in lane["cards"])
        assert lane["cards"][0]["more"]


# Windows of large runs.


@pytest.fixture(scope="module")
def large() -> list[Lane]:
    return lanes_of(builtin("synthetic"))


def window(lanes: list[Lane], time: int) -> dict[str, Any]:
    return make_payload(lanes, "en", title="T", time=time)


def assert_window_shows(
    payload: dict[str, Any], time: int, unit: TimeUnit = "ms", most: int = WINDOW_ROUNDS
) -> None:
    """The time lies in the window; no lane has more rounds than `most` and one cut at each edge."""
    assert not payload["whole"]
    assert payload["t0"] <= to_shown(time, unit) <= payload["t1"]
    assert_consistent(payload)
    assert all(len(lane["rounds"]["number"]) <= most + 2 for lane in payload["lanes"])
    assert len(json.dumps(payload)) < MOST_BYTES


@pytest.mark.parametrize("share", [0, 0.001, 0.1, 0.37, 0.5, 0.73, 0.9, 0.999, 1])
def test_a_window_shows_the_asked_time_and_stays_small(large: list[Lane], share: float) -> None:
    end = max(int(lane.history.ends[-1]) for lane in large)
    time = int(end * share)
    assert_window_shows(window(large, time), time)


def test_windows_follow_one_another_without_a_hole(large: list[Lane]) -> None:
    first = window(large, 0)
    after = window(large, int(first["t1"] * 1_000_000) + 1)
    assert after["t0"] < first["t1"] < after["t1"]


def test_a_window_begins_with_the_figures_so_far(large: list[Lane]) -> None:
    time = int(large[1].history.ends[-1]) // 2
    for lane, whole in zip(window(large, time)["lanes"], large, strict=True):
        first = lane["rounds"]["number"][0] - 1
        tokens = [head["key"] for head in window(large, time)["overall_head"]].index("tokens")
        assert lane["overall"]["start"][tokens] == whole.progress.tokens[first - 1]
        assert lane["total_tokens"] == whole.progress.tokens[-1]


def test_the_overview_covers_the_whole_run(large: list[Lane]) -> None:
    payload = window(large, 0)
    overview = payload["overview"]
    last = max(int(lane.history.ends[-1]) for lane in large)
    assert (overview["t0"], overview["t1"]) == (0, to_shown(last, "ms"))
    assert [lane["key"] for lane in overview["lanes"]] == list(MODES)
    for part, lane in zip(overview["lanes"], large, strict=True):
        assert len(part["waiting"]) == len(part["load"]) > 100
        assert all(0 <= load <= 1 for load in part["load"])
        assert max(part["waiting"]) == lane.history.per_round("waiting").max()
        assert (part["rounds"][0], part["rounds"][-1]) == (0, len(lane.history))
        edges = np.linspace(0, last, len(part["rounds"]))
        over = [int((lane.history.ends <= edge).sum()) for edge in edges]
        assert part["rounds"] == over


def test_a_lane_that_has_long_ended_does_not_swell_the_window() -> None:
    """Static rounds are long here and the continuous lane is done early, after many short ones."""
    rows = [("L", 0, 1, 2000), *((f"R{i}", 0, 1, 400) for i in range(60))]
    lanes = lanes_of(scenario(*rows, budget=64, max_num_seqs=2, cost={"per_decode": 0.01}))
    last = max(int(lane.history.ends[-1]) for lane in lanes)
    for share in (0.3, 0.6, 0.8, 0.95, 1):
        assert_window_shows(window(lanes, int(last * share)), int(last * share))


def test_a_window_inside_a_long_pause_shows_the_pause() -> None:
    early = [(f"A{i}", 0, 1, 400) for i in range(3)]
    late = [(f"B{i}", 1_000_000, 1, 400) for i in range(3)]
    lanes = lanes_of(scenario(*early, *late, budget=8))
    for time in (500_000_000_000, 999_999_000_000, 1_000_000_000_000):
        assert_window_shows(window(lanes, time), time)


@settings(max_examples=40)
@given(any_scenario(), st.floats(0, 1))
def test_any_window_shows_the_asked_time_and_stays_small(subject: Scenario, share: float) -> None:
    """Windows of eight rounds, so that small runs have to be cut too."""
    lanes = lanes_of(subject)
    ends = [int(lane.history.ends[-1]) for lane in lanes if len(lane.history)]
    time = int(max(ends, default=0) * share)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("app.lanes.WINDOW_ROUNDS", 8)
        payload = window(lanes, time)
        if not payload["whole"]:
            assert_window_shows(payload, time, subject.setup.time, most=8)


@pytest.mark.parametrize(
    ("mode", "times", "lengths"),
    [
        ("static", [0, 2, 6, 13], [0, 1, 2, 0]),
        ("continuous", [0, 2, 4, 6, 8], [0, 1, 0, 1, 0]),
    ],
)
def test_the_queue_counts_from_the_arrival_on(
    mode: str, times: list[int], lengths: list[int]
) -> None:
    lanes = {lane["key"]: lane for lane in payload_of(builtin("5a"))["lanes"]}
    queue = lanes[mode]["queue"]
    known = dict(zip(queue["t"], queue["n"], strict=True))
    changes = {t: n for i, (t, n) in enumerate(known.items()) if not i or n != queue["n"][i - 1]}
    assert changes == dict(zip(times, lengths, strict=True))


@settings(max_examples=30, deadline=None)
@given(any_scenario())
def test_the_queue_at_the_start_of_a_round_is_that_of_the_round(subject: Scenario) -> None:
    for lane in payload_of(subject)["lanes"]:
        known = dict(zip(lane["queue"]["t"], lane["queue"]["n"], strict=True))
        assert list(known) == sorted(known) and min(known.values()) >= 0
        starts, waiting = lane["rounds"]["start"], lane["rounds"]["waiting"]
        assert [known[start] for start in starts] == waiting


def test_means_tell_how_many_they_are_over() -> None:
    lane = payload_of(builtin("5a"))["lanes"][1]
    heads = payload_of(builtin("5a"))["overall_head"]
    place = next(str(i) for i, head in enumerate(heads) if head["key"] == "mean_ttft")
    assert lane["overall"]["counted"][place] == [0, 2, 2, 3, 3]


def test_a_wait_has_two_decimals() -> None:
    cost = {"base": 3.4255}
    subject = scenario(("A", 0, 1, 2), ("B", 0.5, 1, 1), budget=4, cost=cost)
    texts = [wait["text"] for lane in payload_of(subject)["lanes"] for wait in lane["waits"]]
    assert texts and all(len(text.split(".")[1].split()[0]) <= 2 for text in texts if "." in text)
