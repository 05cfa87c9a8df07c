"""The inputs of the lab: traffic, goals and options as they are typed, and their faults."""

from collections.abc import Mapping
from typing import Any

from app.generator import told_in_short
from app.i18n import say, words
from app.lane_specs import LaneSpec
from app.sentences import number
from app.session import Session
from app.setup_options import every_option, texts
from sim.clock import to_shown

GOALS = ("ttft", "tpot", "max_itl", "e2e")
MOST_FAULTS = 2  # told at once
KNOBS = ("budget", "max_num_seqs", "num_blocks", "order")
RANGES: Mapping[str, tuple[int, int]] = {  # of the sliders; boxes take more
    "budget": (16, 16384),
    "max_num_seqs": (1, 1024),
    "num_blocks": (16, 131072),
    "ttft": (10, 60_000),
    "tpot": (1, 1_000),
    "max_itl": (1, 2_000),
    "e2e": (100, 600_000),
    "concurrency": (1, 512),
    "think": (1, 60_000),
    "max_queue": (1, 1_000),
    "queue_timeout": (10, 60_000),
}
SMALL = {"budget": (1, 64), "max_num_seqs": (1, 32), "num_blocks": (1, 64)}  # of small scenes
SMALL_PROMPT = 200


def goal_name(goal: str) -> str:
    """The option of the setup that is a goal."""
    return f"slo.{goal}"


def inputs(session: Session) -> dict[str, Any]:
    """What stands in every box, whether it runs or not; `faults` are those that no box tells."""
    typed = {spec.key: spec for spec in session.lanes}
    shown = [typed.get(lane.key, lane.spec) for lane in session.played]
    goals_ = goals(session)
    fields = {spec.key: [knob(session, spec, name) for name in KNOBS] for spec in shown}
    told = {field["fault"] for listed in (goals_, *fields.values()) for field in listed}
    faults = [problem["text"] for problem in session.problems if problem["text"] not in told]
    return {
        "goals": goals_,
        "fields": fields,
        "faults": _few(list(dict.fromkeys(faults)), session.lang),
        "is_refused": bool(session.problems),
    }


def _few(faults: list[str], lang: str) -> list[str]:
    """The first faults, and how many more there are."""
    more = len(faults) - MOST_FAULTS
    rest = [say(lang, "lab.more_faults", count=f"{more:,}")] if more > 0 else []
    return faults[:MOST_FAULTS] + rest


def traffic(session: Session) -> dict[str, Any]:
    return {
        "name": session.scenario_name,
        "choices": [list(choice) for choice in session.scenario_titles()],
        "pace": told_in_short(session.last_good, session.lang),
    }


def cost(session: Session) -> str:
    """What a round takes, in a sentence."""
    setup = session.last_good.setup
    if setup.time == "tick":
        return say(session.lang, "lab.cost_tick")
    parts = {
        name: number(to_shown(getattr(setup.cost, name), "ms"))
        for name in ("base", "per_prefill", "per_decode", "per_kv_token")
    }
    return say(session.lang, "scene.cost", **parts)


def knob(session: Session, spec: LaneSpec, name: str) -> dict[str, Any]:
    """An option of a setup: as typed, or as all lanes share it."""
    lang, option = session.lang, every_option()[name]
    value = spec.changes.get(name, session.shared_texts()[name])
    is_small = all(r.prompt <= SMALL_PROMPT for r in session.last_good.requests[:1000])
    low, high = (SMALL if is_small else RANGES).get(name, RANGES.get(name, (1, 1)))
    table = words(lang, "setup")
    field = _field(session, name, value, (low, high), spec.key)
    if option.is_time:
        field["unit"] = words(lang, "unit")[session.last_good.setup.time]
    if option.kind == "choice":
        field["choices"] = [
            [choice, table[f"choice.{name}.{choice}"]] for choice in option.rule["choices"]
        ]
    return field


def goals(session: Session) -> list[dict[str, Any]]:
    own = texts(session.chosen.setup) | session.setup
    unit = words(session.lang, "unit")[session.last_good.setup.time]
    return [
        _field(session, goal_name(goal), own[goal_name(goal)], RANGES[goal], None)
        | {"name": goal, "unit": unit}
        for goal in GOALS
    ]


def _field(
    session: Session, name: str, value: str, range_: tuple[int, int], lane: str | None
) -> dict[str, Any]:
    lang = session.lang
    faults = [
        problem["text"]
        for problem in session.problems
        if problem["option"] == name and problem["lane"] in (lane, None)
    ]
    return {
        "name": name,
        "label": say(lang, f"setup.label.{name}"),
        "help": say(lang, f"setup.help.{name}"),
        "value": value,
        "low": range_[0],
        "high": range_[1],
        "unit": "",
        "empty": say(lang, "setup.none"),
        "fault": faults[0] if faults else "",
    }
