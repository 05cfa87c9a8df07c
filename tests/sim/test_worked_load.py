"""Every figure of the scenarios of lessons 11, 13 and 14: load, budgets, closed and open loops."""

from typing import Any

import pytest

from tests.sim.worked import column, figures, of, overall, rounded

# 11: more arrives than can be served.


def waiting_at(result: dict[str, Any], *seconds: int) -> list[int]:
    """How many have arrived and never been scheduled, at whole seconds."""
    spans = [(r["arrival"], r["arrival"] + r["queue"]) for r in result["requests"].values()]
    return [sum(a <= 1000 * s < begun for a, begun in spans) for s in seconds]


def little(load: dict[str, float]) -> float:
    """λW: arrivals a second times seconds in the system."""
    return load["lambda"] * load["W"]


def test_11a_25_a_second_arrive_and_20_are_served() -> None:
    result = figures("11a")
    ends = [r["arrival"] + r["e2e"] for r in result["requests"].values()]
    served = sum(2_000 <= end < 20_000 for end in ends)
    assert (result["overall"]["load"]["lambda"], served / 18) == (25, 20)


def test_11a_the_queue_grows_by_5_a_second() -> None:
    result = figures("11a")
    assert round(result["overall"]["load"]["queue_slope"], 2) == 4.98
    assert waiting_at(result, 5, 10, 15, 20) == [24, 48, 74, 97]


def test_11a_little_s_law_fails_in_an_unstable_window() -> None:
    load = figures("11a")["overall"]["load"]
    assert rounded([load["L"], little(load)]) == [61.02, 76.12]


def test_11a_new_requests_wait_for_seconds_and_running_ones_never() -> None:
    result = figures("11a")["overall"]
    assert (result["ttft"]["p50"], result["ttft"]["max"], result["itl"]["max"]) == (2407, 4897, 10)


def test_11b_little_s_law_holds_in_a_stable_window() -> None:
    load = figures("11b")["overall"]["load"]
    assert (load["lambda"], load["W"], load["L"]) == (16, 0.75, 12)
    assert little(load) == 12


def test_11b_a_third_of_those_in_the_system_wait() -> None:
    queue, rounds = overall("11b", "queue", "rounds")
    assert (queue["mean"], rounds) == (250, 1000)
    load = figures("11b")["overall"]["load"]
    assert load["lambda"] * queue["mean"] / 1000 == 4  # Little's law of the queue alone


@pytest.mark.parametrize(
    ("lane", "good", "p95"),
    [
        ("none", 110, 4647.5),
        ("max-queue-8", 410, 407),
        ("timeout-500", 412, 507),
        ("shorter-answers", 500, 9),
    ],
)
def test_11c_remedies_keep_more_within_a_second(lane: str, good: int, p95: float) -> None:
    result = figures(f"11c/{lane}")
    assert result["overall"]["good"] == good
    assert round(result["overall"]["ttft"]["p95"], 2) == p95


@pytest.mark.parametrize(
    ("lane", "states"),
    [
        ("none", {"finished": 500}),
        ("max-queue-8", {"finished": 410, "rejected": 90}),
        ("timeout-500", {"finished": 412, "timed_out": 88}),
        ("shorter-answers", {"finished": 500}),
    ],
)
def test_11c_remedies_send_some_away(lane: str, states: dict[str, int]) -> None:
    assert overall(f"11c/{lane}", "states") == (states,)


@pytest.mark.parametrize(
    ("lane", "slope"), [("none", 4.98), ("max-queue-8", -0.02), ("shorter-answers", -0.02)]
)
def test_11c_remedies_stop_the_queue_from_growing(lane: str, slope: float) -> None:
    load = figures(f"11c/{lane}")["overall"]["load"]
    assert round(load["queue_slope"], 2) == slope


# 13: how much prompt a round should hold.


@pytest.mark.parametrize(
    ("lane", "tps", "p99", "p95", "calm"),
    [
        ("512", 2229.86, 38.57, 4559.72, 600),
        ("4096", 2299.84, 151.82, 336.59, 7),
        ("60-ms", 2293.57, 60, 914.79, 600),
    ],
)
def test_13b_a_limit_on_prompts_or_a_target_for_the_round(
    lane: str, tps: float, p99: float, p95: float, calm: int
) -> None:
    result = figures(f"13b/{lane}", with_rounds=False)
    whole = result["overall"]
    shown = [whole["output_tps"], whole["itl"]["p99"], whole["ttft"]["p95"]]
    assert rounded(shown) == [tps, p99, p95]
    assert whole["good"] == calm
    longest = [max(r["itl"], default=0) for r in result["requests"].values()]
    assert sum(gap <= 80 for gap in longest) == calm


# 14: who sends the next request.


@pytest.mark.parametrize(("lane", "rate"), [("closed-2", 55.56), ("closed-8", 30.3)])
def test_14a_a_closed_loop_sends_a_slow_server_less(lane: str, rate: float) -> None:
    result = figures(f"14a/{lane}")
    assert round(result["overall"]["request_rate"], 2) == rate
    ends = [r["arrival"] + r["e2e"] for r in result["requests"].values()]
    assert sorted(column(result, "arrival")) == [0, 0, 0, 0, *sorted(ends)[:56]]  # one for one


@pytest.mark.parametrize(("lane", "rate"), [("open-2", 39.68), ("open-8", 29.47)])
def test_14a_an_open_loop_sends_on_whatever_is_done(lane: str, rate: float) -> None:
    result = figures(f"14a/{lane}")
    assert round(result["overall"]["request_rate"], 2) == rate
    assert of(result, "arrival", "R0", "R40", "R59") == [0, 1000, 1475]  # 40 a second


@pytest.mark.parametrize(
    ("lane", "p95", "most"),
    [("closed-2", 18, None), ("closed-8", 24, None), ("open-2", 7, 9), ("open-8", 448.7, 466)],
)
def test_14a_only_the_open_loop_shows_the_wait(lane: str, p95: float, most: float | None) -> None:
    (ttft,) = overall(f"14a/{lane}", "ttft")
    assert round(ttft["p95"], 2) == p95
    assert most in (None, ttft["max"])
