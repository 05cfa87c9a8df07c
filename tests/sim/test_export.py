"""JSON and CSV: the names that pages and exercises rely on, and the figures under them."""

import csv
import json
from pathlib import Path
from typing import Any

from hypothesis import given

from sim import Scenario, run
from sim.export import csv_texts, to_json, write_csv
from tests.sim.make import by_hand, scenario, scenarios

ROUND = [
    *("round", "start", "end", "P", "D", "V", "K", "given", "admitted", "resumed", "preempted"),
    *("running", "waiting", "used", "blocks", "emitted", "finished", "padding", "idle", "why"),
]
REQUEST = [
    *("state", "arrival", "outputs", "queue", "ttft", "itl", "tpot", "e2e", "generated", "sent"),
    *("preemptions", "recomputed"),
]
OVERALL = [
    *("rounds", "makespan", "finished", "states", "tokens", "generated", "padding", "idle"),
    *("waste", "preemptions", "recomputed", "peak_running", "peak_blocks", "budget_use"),
    *("output_tps", "request_rate", "input_tps", "queue", "ttft", "tpot", "itl", "e2e"),
    *("good", "goodput", "load"),
]
SPREAD = ["mean", "p50", "p95", "p99", "max"]
SPREADS = ("queue", "ttft", "tpot", "itl", "e2e")
POOL = scenario(("A", 0, 8, 6), ("B", 0, 8, 6), budget=16, block_size=4, num_blocks=5)


def test_rounds_have_exactly_the_documented_names() -> None:
    for subject in (by_hand(), by_hand(mode="static"), POOL):
        assert all(list(row) == ROUND for row in to_json(run(subject))["rounds"])


def test_requests_have_exactly_the_documented_names() -> None:
    requests = to_json(run(by_hand()))["requests"]
    assert list(requests) == ["A", "B", "C"]
    assert all(list(row) == REQUEST for row in requests.values())


def test_overall_has_exactly_the_documented_names() -> None:
    overall = to_json(run(POOL))["overall"]
    assert list(overall) == OVERALL
    assert all(list(overall[name]) == SPREAD for name in SPREADS)


def test_a_round_holds_the_figures_of_the_by_hand_run() -> None:
    rounds = to_json(run(by_hand()))["rounds"]
    assert rounds[2] == {
        "round": 3,
        "start": 8,
        "end": 13,
        "P": 2,
        "D": 2,
        "V": 0,
        "K": 8,
        "given": {"A": 1, "B": 1, "C": 2},
        "admitted": ["C"],
        "resumed": [],
        "preempted": [],
        "running": ["A", "B", "C"],
        "waiting": [],
        "used": None,
        "blocks": {},
        "emitted": ["A", "B"],
        "finished": ["B"],
        "padding": 0,
        "idle": 0,
        "why": {},
    }


def test_a_request_holds_the_figures_of_the_by_hand_run() -> None:
    assert to_json(run(by_hand()))["requests"]["C"] == {
        "state": "finished",
        "arrival": 6,
        "outputs": [16.5, 19.5],
        "queue": 2,
        "ttft": 10.5,
        "itl": [3],
        "tpot": 3,
        "e2e": 13.5,
        "generated": 2,
        "sent": 2,
        "preemptions": 0,
        "recomputed": 0,
    }


def test_evictions_and_blocks_are_told() -> None:
    result = to_json(run(POOL))
    assert result["rounds"][0]["blocks"] == {"A": 2, "B": 2}
    assert result["rounds"][1]["preempted"] == ["B"]
    assert result["rounds"][1]["why"] == {"B": "preempted"}
    assert result["requests"]["B"]["preemptions"] == 1
    assert result["overall"]["preemptions"] == 1


def test_the_most_blocks_in_use_are_told() -> None:
    assert to_json(run(POOL))["overall"]["peak_blocks"] == 4


def test_why_names_who_got_nothing() -> None:
    first = to_json(run(by_hand(max_num_seqs=1)))["rounds"][1]
    assert first["why"] == {"B": "no_seat"}


def test_rounds_may_be_left_out() -> None:
    result = to_json(run(by_hand()), rounds=False)
    assert "rounds" not in result
    assert result["overall"]["rounds"] == 5


@given(scenarios())
def test_any_run_is_json_without_nan(subject: Scenario) -> None:
    text = json.dumps(to_json(run(subject)), allow_nan=False)
    back = json.loads(text)
    assert len(back["rounds"]) == back["overall"]["rounds"]
    assert Scenario.from_dict(back["scenario"]) == subject


def rows(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_csv_is_four_files_with_the_same_figures(tmp_path: Path) -> None:
    paths = write_csv(run(by_hand()), tmp_path / "new" / "folder")
    names = ["rounds.csv", "requests.csv", "tokens.csv", "overall.csv"]
    assert [path.name for path in paths] == names
    rounds, requests, tokens, overall = (rows(path) for path in paths)
    assert list(rounds[0]) == ROUND
    assert [row["end"] for row in rounds] == ["4", "8", "13", "16.5", "19.5"]
    assert rounds[2]["given"] == "A:1 B:1 C:2"
    assert rounds[0]["used"] == ""
    assert list(requests[0]) == ["id", *REQUEST]
    assert requests[0]["outputs"] == "8 13 16.5"
    assert [tuple(row.values()) for row in tokens] == [
        ("A", "1", "8"),
        ("A", "2", "13"),
        ("A", "3", "16.5"),
        ("B", "1", "8"),
        ("B", "2", "13"),
        ("C", "1", "16.5"),
        ("C", "2", "19.5"),
    ]
    (totals,) = overall
    assert totals["makespan"] == "19.5"
    assert totals["ttft_p50"] == "8.0"
    assert totals["states"] == "finished:3"


def test_csv_gives_the_load_a_column_a_figure(tmp_path: Path) -> None:
    subject = by_hand(slo={"ttft": 7}, window=[0, 10])
    *_, overall = write_csv(run(subject), tmp_path)
    (totals,) = rows(overall)
    assert (totals["good"], totals["lambda"], totals["queue_slope"]) == ("1", "300.0", "")
    assert "load" not in totals
    *_, overall = write_csv(run(by_hand()), tmp_path)
    (plain,) = rows(overall)
    assert list(plain) == list(totals)
    assert [plain[name] for name in ("good", "goodput", "lambda", "W", "L")] == [""] * 5


def test_objectives_and_load_are_told_when_they_are_set() -> None:
    overall = to_json(run(by_hand(slo={"ttft": 7}, window=[0, 10])))["overall"]
    assert overall["good"] == 1  # TTFT 8, 6, 10.5
    assert round(overall["goodput"], 2) == 51.28
    assert list(overall["load"]) == ["lambda", "W", "L", "queue_slope"]
    plain = to_json(run(by_hand()))["overall"]
    assert [plain[name] for name in ("good", "goodput", "load")] == [None, None, None]


def test_a_token_nobody_got_is_generated_and_not_sent() -> None:
    subject = scenario(("A", 0, 4, 3, {"cancel_at": 6}), budget=4)
    result = to_json(run(subject))
    own = result["requests"]["A"]
    assert (own["state"], own["outputs"], own["generated"], own["sent"]) == ("cancelled", [4], 2, 1)
    assert (result["overall"]["tokens"], result["overall"]["generated"]) == (1, 2)


def test_csv_leaves_undefined_figures_empty(tmp_path: Path) -> None:
    *_, overall = write_csv(run(scenario(("A", 0, 1, 1), budget=1)), tmp_path)
    (totals,) = rows(overall)
    assert (totals["itl_mean"], totals["tpot_max"]) == ("", "")


def test_csv_overwrites_what_was_there(tmp_path: Path) -> None:
    write_csv(run(POOL), tmp_path)
    first, *_ = write_csv(run(by_hand()), tmp_path)
    assert len(rows(first)) == 5


def test_tables_as_text_are_the_files(tmp_path: Path) -> None:
    paths = write_csv(run(POOL), tmp_path)
    assert list(csv_texts(run(POOL))) == [path.name for path in paths]
    for path in paths:
        assert csv_texts(run(POOL))[path.name].encode() == path.read_bytes()
