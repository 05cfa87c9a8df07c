"""The setup as a form: every option is there, in words, and text goes in and out unharmed."""

from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.i18n import LANGUAGES, words
from app.session import Session
from app.setup_form import form, summary
from app.setup_options import (
    ELSEWHERE,
    GROUPS,
    bad_names,
    difference,
    differing,
    every_option,
    merged,
    options,
    parsed,
    preset_of,
    presets,
    shared_presets,
    shown,
    texts,
    tidied,
)
from app.setup_panel import SetupPanel
from sim.files import builtin
from sim.problems import RULES
from sim.scenario import Scenario
from sim.setup import Cost, Setup, Slo, Speculation

OWN = builtin("5a").setup


def named(groups: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {field["name"]: field for group in groups for field in group["fields"]}


def test_every_field_of_the_setup_is_in_one_group() -> None:
    grouped = [name for names in GROUPS.values() for name in names]
    assert len(set(grouped)) == len(grouped)
    assert {*grouped, *ELSEWHERE} == {item.name for item in fields(Setup)}


def test_the_parts_of_a_table_are_options_of_their_own() -> None:
    assert {"cost.base", "slo.ttft", "speculation.drafts", "moe.draw"} <= options().keys()
    assert "cost" not in options()


def test_bounds_controls_and_defaults_come_from_the_fields() -> None:
    found = named(form(texts(OWN), {}, "en"))
    seats = found["max_num_seqs"]
    assert (seats["control"], seats["bounds"], seats["value"]) == ("number", "1 to 100,000", "128")
    assert found["cost.per_prefill"]["value"] == "0.5"
    assert found["cost.base"]["bounds"] == "0 to 1,000,000 ms"
    assert found["num_blocks"]["empty"] == "none"
    assert (found["chunked"]["control"], found["chunked"]["value"]) == ("switch", "true")
    assert [name for name, _ in found["service"]["choices"]] == [
        "running_first", "decode_first", "prefill_first",
    ]  # fmt: skip
    assert found["buckets"]["control"] == "text"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_option_and_choice_has_words_of_its_own(lang: str) -> None:
    lines = named(form(texts(OWN), {}, lang))
    labels = [line["label"] for line in lines.values()]
    assert len(set(labels)) == len(labels)
    assert all(line["help"] for line in lines.values())
    for line in lines.values():
        choices = [text for _, text in line["choices"]]
        assert len(set(choices)) == len(choices)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_words_are_left_of_an_option_that_is_gone(lang: str) -> None:
    for table in ("label", "help"):
        assert words(lang, f"setup.{table}").keys() == every_option().keys()
    assert words(lang, "setup.preset_name").keys() == presets().keys()
    assert words(lang, "setup.group").keys() == {"first", *GROUPS}
    own = {"other", "too_long"}
    assert words(lang, "setup.problem").keys() - own <= RULES.keys()


def test_what_is_changed_is_marked_and_shows_what_was_typed() -> None:
    found = named(form(texts(OWN), {"max_num_seqs": "x"}, "en"))
    assert (found["max_num_seqs"]["value"], found["max_num_seqs"]["own"]) == ("x", "128")
    assert [name for name, line in found.items() if line["is_changed"]] == ["max_num_seqs"]


def test_the_unit_of_times_follows_what_is_typed() -> None:
    found = named(form(texts(OWN), {"time": "tick"}, "en"))
    assert found["think"]["bounds"] == "0 to 1,000,000 ticks"


# Text in and out.


@pytest.mark.parametrize(
    ("kind", "typed", "value"),
    [
        ("count", " 12 ", 12),
        ("count", "1.5", 1.5),
        ("count", "1e9", 1_000_000_000),
        ("count", "many", "many"),
        ("time", "0.25", 0.25),
        ("bool", "true", True),
        ("bool", "yes", "yes"),
        ("choice", "swap", "swap"),
        ("counts", "1, 2,4", [1, 2, 4]),
        ("counts", "8", [8]),
        ("span", "0, 1000", [0, 1000]),
        ("accepted", "0.7", 0.7),
        ("accepted", "1", 1),
        ("accepted", "1,", [1]),
        ("accepted", "3", [3]),
        ("accepted", "2, 0, 1", [2, 0, 1]),
        ("wait", "full", "full"),
        ("wait", "20", 20),
    ],
)
def test_text_is_read_as_a_value_of_a_file(kind: str, typed: str, value: object) -> None:
    assert parsed(kind, typed) == value
    assert isinstance(parsed(kind, typed), type(value))


def test_an_endless_number_stays_text() -> None:
    assert parsed("count", "9" * 5_000) in ("9" * 5_000, float("inf"))


def test_commas_of_any_script_are_commas() -> None:
    assert tidied(" 1，2 、4 ") == "1, 2, 4"


def test_a_value_of_a_file_is_shown_as_it_is_typed() -> None:
    assert [shown(value) for value in (None, True, [1, 2], (1,), 0.5)] == [
        "", "true", "1, 2", "1,", "0.5",
    ]  # fmt: skip


def test_changes_are_merged_into_the_table_of_the_scene() -> None:
    setup = replace(OWN, cost=Cost(base=3_000_000), num_blocks=8)
    changes = {"cost.per_decode": "2", "num_blocks": "", "slo.ttft": "9", "buckets": "1, 2"}
    assert merged(setup, changes) == {
        "budget": 4,
        "service": "decode_first",
        "cost": {"base": 3, "per_decode": 2},
        "slo": {"ttft": 9},
        "buckets": [1, 2],
    }


def test_going_over_to_ticks_leaves_the_cost_behind() -> None:
    setup = replace(OWN, cost=Cost(base=3_000_000))
    assert "cost" not in merged(setup, {"time": "tick"})
    assert merged(setup, {"time": "tick", "cost.base": "1"})["cost"] == {"base": 1}


def test_what_says_the_same_is_no_change() -> None:
    assert differing(OWN, {"max_num_seqs": " 128", "cost.base": "2.0", "num_blocks": ""}) == {}
    assert differing(OWN, {"max_num_seqs": "", "nonsense": "1"}) == {}
    assert differing(OWN, {"chunked": "1"}) == {"chunked": "1"}
    assert differing(OWN, {"on_full": "swap"}) == {"on_full": "swap"}


@pytest.mark.parametrize(
    "setup",
    [
        replace(OWN, max_num_seqs=2, on_full="swap", cost=Cost(base=1, per_kv_token=100)),
        replace(OWN, speculation=Speculation(3, (1,)), slo=Slo(ttft=5_000_000), buckets=(1, 4)),
        replace(OWN, speculation=Speculation(3, 0.25), batch_wait="full", window=(0, 10**9)),
        replace(OWN, order="aging", aging_step=1_500_000, seed=7, service="running_first"),
    ],
)
def test_a_difference_makes_the_one_setup_the_other(setup: Setup) -> None:
    requests = [{"id": "A", "arrival": 0, "prompt": 2, "output": 2}]
    for old, new in ((OWN, setup), (setup, OWN)):
        table = merged(old, difference(old, new))
        assert Scenario.from_dict({"setup": table, "requests": requests}).setup == new
    assert difference(setup, setup) == {}


@given(st.dictionaries(st.sampled_from(list(options())), st.text(max_size=12), max_size=4))
def test_any_text_is_judged_and_never_an_error(changes: dict[str, str]) -> None:
    kept = differing(OWN, changes)
    bad = bad_names(OWN, kept)
    assert set(bad) <= kept.keys()
    form(texts(OWN), kept, "zh")


def test_values_that_are_wrong_by_themselves_are_named() -> None:
    changes = {"max_num_seqs": "0", "think": "1000001", "on_full": "swap", "buckets": "4, 2"}
    assert bad_names(OWN, changes) == ["max_num_seqs", "think", "buckets"]


# Presets and the sentence on top.


def test_presets_that_suit_all_lanes_leave_the_mode_alone() -> None:
    assert presets().keys() - shared_presets().keys() == {"static", "vllm_v1"}
    assert all("mode" not in table for table in shared_presets().values())
    assert presets()["vllm_v1"]["mode"] == "vllm_v1"


def test_a_setup_is_known_by_the_name_of_its_preset() -> None:
    assert preset_of(texts(OWN), shared_presets()) == "sarathi"
    assert preset_of(texts(OWN) | presets()["orca"], presets()) == "orca"
    assert preset_of(texts(OWN) | {"on_full": "swap"}, presets()) == ""


def test_a_setup_in_a_sentence() -> None:
    assert summary(OWN, "en") == "Decodes first, 4 tokens a round."
    assert summary(OWN, "zh") == "解码优先，每轮 4 个 token。"
    setup = replace(OWN, num_blocks=8, on_full="swap", batch_wait="full", cost=Cost(base=1))
    assert summary(setup, "en") == (
        "Decodes first, 4 tokens a round, static batches wait until full, a pool of 8 blocks, "
        "moving out when memory is full, costs of its own."
    )


# The drawer.


def test_messages_of_the_drawer_reach_the_session() -> None:
    session = Session()
    panel = SetupPanel(session)
    panel._handle_msg({"type": "set", "name": "max_num_seqs", "value": "2", "lane": "", "seq": 1})
    assert (session.setup, panel.form["seq"]) == ({"max_num_seqs": "2"}, 1)
    assert (panel.form["num_changed"], panel.form["preset"]) == (1, "sarathi")
    panel._handle_msg({"type": "preset", "name": "conservative", "lane": "", "seq": 2})
    assert session.setup == {"max_num_seqs": "2", "reserve": "max_output"}
    panel._handle_msg({"type": "reset", "lane": "", "seq": 3})
    assert (session.setup, panel.form["num_changed"]) == ({}, 0)


@pytest.mark.parametrize("name", ["mode", "budget", "nonsense", "__class__"])
def test_a_message_about_another_field_changes_nothing(name: str) -> None:
    session = Session()
    panel = SetupPanel(session)
    panel._handle_msg({"type": "set", "name": name, "value": "static", "lane": "", "seq": 1})
    panel._handle_msg({"type": "set", "name": "seed", "value": 7, "lane": "", "seq": 2})
    assert (session.setup, panel.form["seq"]) == ({}, 2)


def test_the_drawer_speaks_the_language_of_the_session() -> None:
    session = Session()
    panel = SetupPanel(session)
    session.lang = "zh"
    assert panel.form["summary"] == "解码优先，每轮 4 个 token。"
    session.budget = 6
    assert panel.form["summary"] == "解码优先，每轮 6 个 token。"
