"""Schedulers by name: what each does on one small trace."""

import pytest

from sim import Scenario, ScenarioError, Setup, run
from sim.check import check
from sim.presets import PRESETS, apply
from tests.sim.make import by_hand, scenario

LONG = (("D1", 0, 2, 8), ("L", 3, 12, 2), ("S", 4, 3, 2))


def given(subject: Scenario) -> list[str]:
    return [" ".join(f"{i}:{n}" for i, n in record.given.items()) for record in run(subject)]


@pytest.mark.parametrize("name", list(PRESETS))
def test_every_preset_runs_and_obeys_the_laws(name: str) -> None:
    subject = apply(scenario(*LONG, budget=16, num_blocks=40), name)
    assert check(run(subject)) > 0


def test_a_preset_takes_the_last_one_off() -> None:
    subject = scenario(*LONG, budget=16)
    for name in PRESETS:
        for other in PRESETS:
            assert apply(apply(subject, other), name) == apply(subject, name)


def test_orca_takes_a_prompt_whole_or_not_at_all() -> None:
    rounds = given(apply(scenario(*LONG, budget=14), "orca"))
    assert rounds[1] == "D1:1 L:12"  # 1 + 12 of 14: S does not fit whole
    assert rounds[2] == "D1:1 L:1 S:3"


def test_sarathi_cuts_the_prompt_to_what_the_decodes_leave() -> None:
    rounds = given(apply(scenario(*LONG, budget=6), "sarathi"))
    assert rounds[1] == "D1:1 L:5"


def test_prefill_first_makes_decodes_wait_for_prompts() -> None:
    rounds = given(apply(scenario(*LONG, budget=14), "prefill_first"))
    assert rounds[1] == "L:12"
    assert rounds[2] == "S:3"


def test_conservative_never_evicts() -> None:
    rows = (("A", 0, 8, 6), ("B", 0, 8, 6))
    tight = scenario(*rows, budget=16, block_size=4, num_blocks=5)
    assert sum(run(tight).preemptions) == 1
    assert sum(run(apply(tight, "conservative")).preemptions) == 0


def test_vllm_is_a_mode_of_its_own_and_static_another() -> None:
    assert apply(by_hand(), "vllm_v1").setup == Setup(4, mode="vllm_v1")
    assert apply(by_hand(), "static").setup == Setup(4, mode="static")


def test_a_limit_without_meaning_there_is_refused() -> None:
    with pytest.raises(ScenarioError, match="cuts prompts, which chunked = false forbids"):
        apply(by_hand(max_chunk=2), "orca")
