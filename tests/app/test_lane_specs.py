"""Lanes as tables of changes: what they begin as, how they change, and what each of them runs."""

from dataclasses import replace

import pytest

from app.commands import run_command
from app.i18n import LANGUAGES
from app.inputs import lane_scenarios
from app.lane_names import base_titles, differences, differences_in_short, heads, titles
from app.lane_scenario import applied
from app.lane_specs import (
    MOST_IN_A_TITLE,
    MOST_LANES,
    LaneSpec,
    Specs,
    added,
    base_of,
    bases,
    changed,
    copied,
    default_lanes,
    flat,
    is_known,
    moved,
    named,
    own_changes,
    rebased,
    removed,
)
from app.session import Session
from app.setup_options import lane_options, texts
from app.url import address, arguments_of, open_link
from lessons import shown as lesson
from lessons.catalogue import scenes
from sim import Scenario, presets
from sim.files import builtin, builtin_files, lanes

SCENE = builtin("5a")
SHARED = texts(SCENE.setup)
STATIC = LaneSpec("static", {"mode": "static"})
CONTINUOUS = LaneSpec("continuous", {"mode": "continuous"})
TWO = [STATIC, CONTINUOUS]


def lane(key: str = "x", **changes: str) -> LaneSpec:
    return LaneSpec(key, {"mode": "continuous"} | changes)


def run_of(spec: LaneSpec, scene: Scenario = SCENE) -> Scenario:
    scenario, problems = applied(scene, spec.changes)
    assert problems == []
    assert scenario is not None
    return scenario


# What a scene opens with.


def test_a_scene_opens_with_static_beside_continuous() -> None:
    assert default_lanes("5a", SCENE) == TWO


def test_a_scenario_of_another_mode_is_shown_in_it() -> None:
    own = presets.apply(SCENE, "vllm_v1")
    assert [spec.key for spec in default_lanes("", own)] == ["static", "vllm_v1"]
    assert [spec.key for spec in default_lanes("", SCENE.with_setup(mode="static"))] == [
        "static", "continuous",
    ]  # fmt: skip


def test_a_lesson_can_name_its_lanes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lesson, "first_lanes", lambda _: ("14", "6", "static", "vllm_v1", "14"))
    specs = default_lanes("8a", builtin("8a"))
    assert [spec.key for spec in specs] == ["14", "6", "static", "vllm_v1"]
    assert specs[1].changes == {"mode": "continuous", "budget": "6"}
    assert run_of(specs[1], builtin("8a")).setup == lanes("8a")["6"].setup


def tables() -> list[tuple[str, str]]:
    """Lanes of lesson files that change nothing but the setup and single requests."""
    return [
        (scene, name)
        for scene in builtin_files()
        for name, table in lesson.lane_tables(scene).items()
        if not isinstance(table.get("requests"), list) and "workload" not in table
    ]


@pytest.mark.parametrize(("scene", "name"), tables())
def test_a_lane_of_a_lesson_runs_as_the_command_line_runs_it(scene: str, name: str) -> None:
    base, asked = builtin(scene), builtin(f"{scene}/{name}")
    spec = LaneSpec(name, {"mode": base.setup.mode} | flat(lesson.lane_tables(scene)[name]))
    assert all(map(is_known, spec.changes))
    assert run_of(spec, base) == replace(asked, name=base.name)


@pytest.mark.parametrize("scene", list(scenes()))
def test_what_a_lesson_names_for_the_page_is_there(scene: str) -> None:
    known = {*lesson.lane_tables(scene), *bases()}
    assert known.issuperset(lesson.first_lanes(scene))
    assert lane_options().keys() >= set(lesson.controls(scene))
    specs = default_lanes(scene, builtin(scene))
    assert 1 <= len(specs) <= MOST_LANES
    assert lane_scenarios(builtin(scene), specs)[1] == []


# Changing lanes.


def test_every_scheduler_by_name_can_be_added_and_runs_as_its_preset() -> None:
    assert bases().keys() == {*presets.PRESETS, "continuous"}
    for name in bases():
        spec = added(TWO, name)[-1]
        assert base_of(spec.changes) == name
        assert own_changes(spec) == {}
        scene = SCENE.with_setup(budget=8)
        expected = scene if name == "continuous" else presets.apply(scene, name)
        if name == "static":
            expected = scene.with_setup(mode="static")
        assert run_of(spec, scene).setup == expected.setup


def test_keys_are_never_the_same() -> None:
    specs = added(added(TWO, "static"), "static")
    assert [spec.key for spec in specs] == ["static", "continuous", "static-2", "static-3"]
    assert copied(removed(specs, "static-2"), "static")[1].key == "static-2"


def test_there_are_one_to_four_lanes() -> None:
    four = added(added(TWO, "orca"), "sarathi")
    assert added(four, "static") == four
    assert copied(four, "orca") == four
    assert removed([STATIC], "static") == [STATIC]
    assert added(TWO, "nonsense") == TWO
    assert removed(TWO, "nonsense") == TWO


def test_a_copy_stands_beside_its_lane_and_changes_alone() -> None:
    specs = copied(changed(TWO, "static", {"budget": "6"}, SHARED), "static")
    assert [spec.changes.get("budget") for spec in specs] == ["6", "6", None]
    specs = changed(specs, "static-2", {"budget": "8"}, SHARED)
    assert [spec.changes.get("budget") for spec in specs] == ["6", "8", None]


def test_what_all_lanes_share_is_no_change_and_a_change_is_taken_back() -> None:
    specs = changed(TWO, "continuous", {"max_chunk": " 2 ", "budget": "4", "time": "tick"}, SHARED)
    assert specs[1].changes == {"mode": "continuous", "max_chunk": "2"}
    assert changed(specs, "continuous", {"max_chunk": None}, SHARED) == TWO
    assert changed(specs, "continuous", {"max_chunk": ""}, SHARED) == TWO


def test_another_base_leaves_what_no_scheduler_settles() -> None:
    specs = [lane("x", service="prefill_first", budget="6")]
    assert rebased(specs, "x", "static")[0].changes == {"mode": "static", "budget": "6"}
    sarathi = rebased(specs, "x", "sarathi")[0]
    assert (base_of(sarathi.changes), own_changes(sarathi)) == ("sarathi", {"budget": "6"})
    assert rebased(specs, "x", "nonsense") == specs


# What a lane runs.


def test_a_lane_changes_setup_and_requests_and_nothing_else() -> None:
    found = run_of(lane(**{"budget": "6", "cost.base": "3", "requests.C.arrival": "0.5"}))
    assert (found.setup.budget, found.setup.cost.base) == (6, 3_000_000)
    assert found.requests[2] == replace(SCENE.requests[2], arrival=500_000)
    assert found.requests[:2] == SCENE.requests[:2]
    assert found.setup.service == "decode_first"


def test_a_changed_request_keeps_what_the_table_does_not_show() -> None:
    own = replace(SCENE, requests=(replace(SCENE.requests[0], priority=3, tenant="t"),))
    found = run_of(lane(**{"requests.A.prompt": "4"}), own).requests[0]
    assert (found.prompt, found.priority, found.tenant) == (4, 3, "t")


@pytest.mark.parametrize(
    ("changes", "place", "rule"),
    [
        ({"budget": "0"}, ("setup", "budget"), "too_small"),
        ({"max_chunk": "x"}, ("setup", "max_chunk"), "not_whole"),
        ({"cost.base": "9999999"}, ("setup", "cost", "base"), "too_large"),
        ({"chunked": "false"}, ("requests", 0, "prompt"), "prompt_never_fits"),
        ({"requests.C.prompt": "-1"}, ("requests", 2, "prompt"), "too_small"),
        ({"requests.C.output": "9999"}, ("requests", 2, "output"), "too_large"),
        ({"requests.Z.prompt": "1"}, ("requests",), "no_such_request"),
        ({"mode": "vllm_v1"}, ("setup", "service"), "meaningless_with"),
    ],
)
def test_what_keeps_a_lane_from_running_is_found(
    changes: dict[str, str], place: tuple[str | int, ...], rule: str
) -> None:
    scenario, problems = applied(SCENE, lane(**changes).changes)
    assert scenario is None
    assert (problems[0].place, problems[0].rule) == (place, rule)


def test_what_is_wrong_in_every_lane_is_told_once_and_of_none() -> None:
    broken = [lane("a", max_chunk="0"), lane("b", max_chunk="0")]
    runs, found = lane_scenarios(SCENE, broken)
    assert runs == []
    assert [(spec, problem.rule) for spec, problem in found] == [(None, "too_small")]
    runs, found = lane_scenarios(SCENE, [broken[0], CONTINUOUS])
    assert [spec.key for spec, _ in runs] == ["continuous"]
    assert [spec.key for spec, _ in found if spec] == ["a"]


# Names.


def names_of(specs: Specs, lang: str = "en") -> list[dict[str, str]]:
    return heads(specs, [run_of(spec) for spec in specs], lang)


def test_titles_say_the_base_and_what_was_changed() -> None:
    specs = [STATIC, lane("b", budget="6", **{"requests.C.arrival": "0"}), *added([], "vllm_v1")]
    assert list(titles(specs, "en").values()) == [
        "Static batching",
        "Continuous batching · budget 6, C: arrival 0",
        "vLLM V1",
    ]
    assert titles(specs, "zh")["b"] == "连续批处理 · 预算 6，C：到达时间 0"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_two_titles_are_the_same(lang: str) -> None:
    specs = [lane("a"), lane("b"), lane("c"), lane("d", budget="6")]
    for name in ("title", "short"):
        assert len({head[name] for head in names_of(specs, lang)}) == 4


def test_short_titles_leave_out_what_all_lanes_are() -> None:
    assert [head["short"] for head in names_of([lane("a", budget="6"), lane("b", budget="8")])] == [
        "budget 6", "budget 8",
    ]  # fmt: skip
    assert [head["short"] for head in names_of([lane("a"), lane("b", budget="8")])] == [
        f"budget {run_of(lane('a')).setup.budget}", "budget 8",
    ]  # fmt: skip
    assert [head["short"] for head in names_of([STATIC, lane("b", budget="8")])] == [
        "static", "continuous · budget 8",
    ]  # fmt: skip


def test_a_batch_that_waits_until_full_is_named_in_words() -> None:
    full = replace(STATIC, changes={**STATIC.changes, "batch_wait": "full"})
    assert titles([full], "en")["static"].endswith("wait for a full batch without limit")
    assert titles([full], "zh")["static"].endswith("凑满前最多等 不限")


def test_a_rule_says_how_a_lane_schedules_and_nothing_without_meaning_there() -> None:
    specs = changed(TWO, "static", {"max_chunk": "2", "batch_size": "2"}, SHARED)
    specs = changed(specs, "continuous", {"max_chunk": "2", "batch_size": "2"}, SHARED)
    assert [head["rule"] for head in names_of(specs)] == [
        "in together, out together, 4 tokens a round, static batches of 2",
        "decodes first, 4 tokens a round, chunks of 2 at most",
    ]


def test_a_long_rule_keeps_what_is_not_common_and_tells_the_rest_elsewhere() -> None:
    common = {"num_blocks": "9", "max_num_seqs": "2", "max_prefill": "3"}
    first, second = names_of([lane("a", **common), lane("b", **common, max_chunk="2")])
    assert first["rule"] == "decodes first, 4 tokens a round, seats for 2"
    assert second["rule"] == "decodes first, 4 tokens a round, chunks of 2 at most"
    assert second["rule_full"].endswith("3 prompt tokens a round at most, a pool of 9 blocks")


def test_a_lane_moves_as_far_as_there_are_places() -> None:
    three = [lane("a"), lane("b"), lane("c")]
    assert [spec.key for spec in moved(three, "c", -1)] == ["a", "c", "b"]
    assert [spec.key for spec in moved(three, "a", 1)] == ["b", "a", "c"]
    assert moved(three, "a", -1) == moved(three, "c", 1) == moved(three, "x", 1) == three


def test_what_differs_is_one_line() -> None:
    def line(*specs: LaneSpec, lang: str = "en") -> str:
        return differences([run_of(spec) for spec in specs], lang)

    assert line(*TWO) == ""
    assert line(lane("a"), lane("b", budget="6")) == "Differs: budget 4 → 6"
    assert line(lane("a"), lane("b", budget="6"), lang="zh") == "不同之处：预算 4 → 6"
    assert line(lane("a"), lane("b", budget="6"), lane("c", budget="8")) == (
        "Differs: budget 4 / 6 / 8"
    )
    three = [run_of(spec) for spec in (lane("a"), lane("b", budget="6"), lane("c"))]
    assert differences(three, "en", ["x", "y", "z"]) == "Differs: budget 4 (x, z) / 6 (y)"
    assert differences(three, "zh", ["x", "y", "z"]) == "不同之处：预算 4（x、z） / 6（y）"
    told = ["budget 4", "budget 6", "budget 4 (copy)"]
    assert differences(three, "en", told) == "Differs: budget 4 → 6"
    assert differences_in_short(three, "en") == "Differs: budget"
    later = run_of(lane("d", **{"requests.C.arrival": "0"}))
    assert differences_in_short([*three, later], "en") == "Differs: budget, arrival of C"
    assert line(lane("a"), lane("b", service="prefill_first")) == (
        "Differs: served first: decodes → prompts"
    )
    assert line(lane("a"), lane("b", **{"requests.C.arrival": "0"})) == (
        "Differs: arrival of C 6 → 0"
    )
    many = lane("b", budget="6", max_chunk="2", max_num_seqs="2", num_blocks="9", on_full="swap")
    assert line(lane("a"), many).endswith("2 more")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_lane_is_called_as_it_is_named(lang: str) -> None:
    specs = named(TWO, "continuous", "  The\tnew\u200b one  " + "x" * 50)
    name = specs[1].name
    assert name.startswith("The new one xxx")
    assert len(name) == MOST_IN_A_TITLE
    assert titles(specs, lang)["continuous"] == name
    assert [head["short"] for head in names_of(specs, lang)][1] == name
    assert named(specs, "continuous", " \n ") == TWO
    assert copied(specs, "continuous")[2].name == ""
    assert changed(specs, "continuous", {"budget": "6"}, SHARED)[1].name == name
    twins = named(specs, "static", name)
    assert len(set(titles(twins, lang).values())) == 2


@pytest.mark.parametrize("name", ["a*b", "x/y@3!A=1;", "b: c, d~e", "%2A %", "<b>&", "好 名字"])
def test_any_name_of_a_lane_survives_the_address(name: str) -> None:
    session = Session()
    run_command(session, {"do": "rename_lane", "key": "static", "name": name})
    link = address(session)
    other = Session()
    open_link(other, arguments_of(link))
    assert (other.lanes[0].name, other.notice, address(other)) == (name, "", link)
    assert other.payload["lanes"][0]["title"] == name
    run_command(session, {"do": "rename_lane", "key": "static", "name": ""})
    assert "lanes" not in address(session)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_base_has_a_title_of_its_own(lang: str) -> None:
    assert [name for name, _ in base_titles(lang)] == list(bases())
    assert len({title for _, title in base_titles(lang)}) == len(bases())
