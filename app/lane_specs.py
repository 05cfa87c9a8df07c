"""What stands beside what on the stage: each lane a table of changes against the edited scene.

The names of the changes are those of a lane in `lesson.toml` (see `sim.files`), flat: `mode`,
`budget`, `cost.base`, and `requests.C.arrival` for a field of a request; `new.D.arrival` is a field
of a request that only this lane has. Values are typed text, as in the setup drawer, so that a wrong
one stays to be mended. Every lane says its own mode; the rest of a lane is shared with the others
until it changes it. Nothing is simulated or worded here.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any

from app.setup_options import Texts, lane_options, presets, same, shown, tidied
from lessons import shown as lesson
from sim import Request, Scenario

MOST_LANES = 4
MOST_IN_A_TITLE = 40  # characters of a name that a person gives
REQUESTS = "requests."
NEW = "new."
CELLS = {item.name: item.metadata["kind"] for item in fields(Request) if item.name != "id"}

Grants = tuple[tuple[tuple[str, int], ...], ...]


@dataclass(frozen=True, slots=True)
class Fork:
    """A round, counted from 1, and what is different from its start on."""

    round: int
    changes: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class LaneSpec:
    """One lane: its key, which no other lane has, and what it changes.

    `hand` holds the rounds that a person has given, so far; None: a policy decides. `forks` come
    after one another, each with what changes against the part before it. `name` is what a person
    calls it; nothing: it is called by what it changes. `origin` is the name of the lane that it was
    forked from, if a person had given one.
    """

    key: str
    changes: Mapping[str, str]
    forks: tuple[Fork, ...] = ()
    hand: Grants | None = None
    name: str = ""
    origin: str = ""

    @property
    def is_plain(self) -> bool:
        """Whether it is run by its policy, from start to end."""
        return not self.forks and self.hand is None

    @property
    def until_fork(self) -> tuple[Any, ...]:
        """What it runs until its last fork: alike in two lanes that part from the same run."""
        return self.changes, self.hand, self.forks[:-1]


Specs = Sequence[LaneSpec]


@cache
def bases() -> Mapping[str, Texts]:
    """What a lane can begin as, by name: the shared setup in a mode, or a scheduler by name.

    `static` and `continuous` take all else from the shared setup. The others bring settings.
    """
    plain = {mode: {"mode": mode} for mode in ("static", "continuous")}
    named = {name: table for name, table in presets().items() if name not in plain}
    return plain | {"vllm_v1": named.pop("vllm_v1")} | named


def base_of(changes: Mapping[str, str]) -> str:
    """The base that says most of these changes."""
    fitting = (name for name, table in bases().items() if table.items() <= changes.items())
    return max(fitting, key=lambda name: len(bases()[name]), default="")


def own_changes(spec: LaneSpec) -> Texts:
    """What a lane changes beyond its base."""
    base = bases().get(base_of(spec.changes), {})
    return {name: value for name, value in spec.changes.items() if base.get(name) != value}


# The lanes of a scene.


def default_lanes(scene: str, scenario: Scenario) -> list[LaneSpec]:
    """What a scene opens with: the lanes its lesson names, else static beside its own mode."""
    if scene and (names := lesson.first_lanes(scene)):
        return _named(names, lesson.lane_tables(scene), scenario.setup.mode)
    own = scenario.setup.mode.replace("static", "continuous")
    return [LaneSpec("static", bases()["static"]), LaneSpec(own, {"mode": own})]


def _named(names: Sequence[str], tables: Mapping[str, Any], mode: str) -> list[LaneSpec]:
    return [
        LaneSpec(name, {"mode": mode} | flat(tables[name]) if name in tables else bases()[name])
        for name in names[:MOST_LANES]
    ]


def flat(table: Mapping[str, Any]) -> Texts:
    """A lane's table of `lesson.toml` as flat names and text."""
    return {name: shown(value) for name, value in _flattened(table)}


def _flattened(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in table.items():
        if isinstance(value, Mapping):
            yield from _flattened(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def is_known(name: str) -> bool:
    """Whether a lane can change what has this name."""
    if is_cell(name):
        id_, field = request_field(name)
        return bool(id_) and field in CELLS
    return name in lane_options()


def is_cell(name: str) -> bool:
    """Whether this is the name of a field of a request."""
    return name.startswith((REQUESTS, NEW))


def request_field(name: str) -> tuple[str, str]:
    """`requests.C.arrival`, or `new.C.arrival`, as the request's id and the field."""
    id_, _, field = name.partition(".")[2].rpartition(".")
    return id_, field


def cells(changes: Mapping[str, str], prefix: str) -> dict[str, Texts]:
    """The fields of requests that are changed, or with `NEW` of those that are added, by id."""
    found: dict[str, Texts] = {}
    for name, value in changes.items():
        if name.startswith(prefix):
            id_, field = request_field(name)
            found.setdefault(id_, {})[field] = value
    return found


# Changing lanes. Each function gives a new list, or the old one if it cannot be done.


def free_key(base: str, specs: Specs) -> str:
    """A key that no lane has yet: the name, or the name with a number."""
    taken = {spec.key for spec in specs}
    keys = [base, *(f"{base}-{number}" for number in range(2, len(taken) + 2))]
    return next(key for key in keys if key not in taken)


def added(specs: Specs, base: str) -> list[LaneSpec]:
    """One more lane, as its base says."""
    if base not in bases() or len(specs) >= MOST_LANES:
        return list(specs)
    return [*specs, LaneSpec(free_key(base, specs), bases()[base])]


def copied(specs: Specs, key: str) -> list[LaneSpec]:
    """One more lane like that of this key, after it."""
    if len(specs) >= MOST_LANES:
        return list(specs)
    result = list(specs)
    for place, spec in enumerate(specs):
        if spec.key == key:
            base = base_of(spec.changes) or spec.key
            result.insert(place + 1, replace(spec, key=free_key(base, specs), name=""))
    return result


def removed(specs: Specs, key: str) -> list[LaneSpec]:
    """Without the lane of this key, unless it is the only one."""
    return [spec for spec in specs if spec.key != key] if len(specs) > 1 else list(specs)


def moved(specs: Specs, key: str, step: int) -> list[LaneSpec]:
    """With the lane of this key so many places further down, as far as there are places."""
    result = list(specs)
    for place, spec in enumerate(specs):
        if spec.key == key:
            result.insert(min(max(place + step, 0), len(specs) - 1), result.pop(place))
    return result


def changed(
    specs: Specs, key: str, changes: Mapping[str, str | None], shared: Texts
) -> list[LaneSpec]:
    """A lane with some changes more; None, or what all lanes share, takes a change back.

    In a forked lane they begin with its last fork; `shared` is then the setup before that.
    """

    def is_own(name: str, value: str | None) -> bool:
        if value is None or not is_known(name):
            return False
        return name == "mode" or name not in shared or not same(name, value, shared[name])

    asked = {n: tidied(v or "") for n, v in changes.items() if is_own(n, v)}

    def put(spec: LaneSpec) -> LaneSpec:
        old = spec.forks[-1].changes if spec.forks else spec.changes
        kept = {name: value for name, value in old.items() if name not in changes}
        if spec.forks:
            last = replace(spec.forks[-1], changes=kept | asked)
            return replace(spec, forks=(*spec.forks[:-1], last))
        return replace(spec, changes={"mode": spec.changes["mode"]} | kept | asked)

    return [put(spec) if spec.key == key else spec for spec in specs]


def named(specs: Specs, key: str, name: str) -> list[LaneSpec]:
    """A lane under a name of its own; under none it is called by what it changes again."""
    return [replace(spec, name=tidy_name(name)) if spec.key == key else spec for spec in specs]


def tidy_name(typed: str) -> str:
    """A name on one line, without signs that cannot be seen, and not too long."""
    seen = "".join(sign if sign.isprintable() else " " for sign in typed)
    return " ".join(seen.split())[:MOST_IN_A_TITLE].strip()


def rebased(specs: Specs, key: str, base: str) -> list[LaneSpec]:
    """A lane that begins as another base; what else it changes stays."""
    if base not in bases():
        return list(specs)
    return [
        replace(spec, changes={**bases()[base], **_beside_presets(own_changes(spec))})
        if spec.key == key
        else spec
        for spec in specs
    ]


def _beside_presets(changes: Texts) -> Texts:
    """Changes that no scheduler by name settles."""
    settled = set().union(*bases().values())
    return {name: value for name, value in changes.items() if name not in settled}
