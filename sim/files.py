"""Scenario files, built-in scenarios and traces: what the command line's WHAT can name.

A scenario file is TOML or JSON in the schema of `scenario`. The built-in ones lie with the
lessons that show them; one more is drawn from a seed and has no file.

A lane is a built-in scenario with some things changed, called `scenario/lane`. Lanes stand beside
the scenario files, in `lesson.toml`, so that a comparison repeats nothing:

    [lanes.8a]
    6 = { budget = 6 }

The names are those of the setup; parts of a table (`cost.base`) change alone. Two names speak of
the traffic. `requests` is another list, or a table of changes by id (`requests.C.arrival = 9`);
`workload` is another one if it has a kind, else it changes fields of the scenario's own.
"""

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import cache, partial
from pathlib import Path
from typing import Any

from sim.nesting import is_deep
from sim.problems import ScenarioError, printable
from sim.scenario import Scenario
from sim.setup import Cost, Request, Setup
from sim.workload import synthetic

LESSONS = Path(__file__).resolve().parents[1] / "lessons"
BY_HAND = "5a"
SYNTHETIC = "synthetic"
LANES = "lesson.toml"  # the file of a folder's lanes, no scenario

_TRAFFIC = ("requests", "workload")  # what a lane may change beside the setup
MOST_PARTS = 30  # of a name in TOML; its reader's time grows with their square
_PART = r"""\.[ \t]*+(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+"""
_LONG_KEY = re.compile(f"(?:{_PART}){{{MOST_PARTS}}}")
_LANE_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")

TRACE_COST = Cost(base=6_000_000, per_prefill=30_000, per_decode=30_000, per_kv_token=100)
TRACE_BUDGET = 2048  # vLLM's default max_num_batched_tokens


class FileError(ValueError):
    """A file that cannot be read as what it should be; the message names file and place."""


@cache
def builtin_files() -> Mapping[str, Path]:
    """The built-in scenario files, by name in the order of the course.

    What belongs to a whole lesson (`5-lab`) follows its parts (`5a`, `5c`).
    """
    files = [path for path in LESSONS.glob("*/*.toml") if path.name != LANES]
    files.sort(key=lambda path: (path.parent.name, path.stem.replace("-", "~")))
    return {path.stem: path for path in files}


@cache
def builtin(name: str) -> Scenario:
    """A built-in scenario, such as `10b`, or one of its lanes, such as `10b/whole`.

    Raises:
        FileError: there is none of this name.
    """
    if name == SYNTHETIC:
        return traffic(synthetic(600, 5.53, seed=1), SYNTHETIC)
    base, slash, lane = name.partition("/")
    if not slash:
        return read_scenario(_builtin_file(base))
    known = lanes(base)
    if lane not in known:
        raise FileError(f"{name}: {base} has no such lane{suggestion(lane, known)}")
    return known[lane]


@cache
def lanes(name: str) -> Mapping[str, Scenario]:
    """The lanes of a built-in scenario, by the name after the slash; most have some.

    Raises:
        FileError: there is no such scenario, or its lanes are broken.
    """
    return {} if name == SYNTHETIC else read_lanes(_builtin_file(name))


def _builtin_file(name: str) -> Path:
    files = builtin_files()
    if name not in files:
        raise FileError(f"{name}: is no built-in scenario{suggestion(name, files)}")
    return files[name]


def suggestion(name: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: the closest ones, else all of a few."""
    known = list(known)
    if close := get_close_matches(name, known, 3, 0.5):
        return f"; did you mean {' or '.join(close)}?"
    return f"; known: {', '.join(known)}" if 0 < len(known) <= 12 else ""


def traffic(requests: tuple[Request, ...], name: str) -> Scenario:
    """Production-like requests under a cost that suits them.

    The lesson cost (half a millisecond a prompt token) would drown such traffic.
    """
    note = (
        "rounds cost 6 ms + 0.03 ms a token + 0.0001 ms a KV token read: "
        "the lessons' cost would drown such traffic"
    )
    return Scenario(Setup(budget=TRACE_BUDGET, cost=TRACE_COST), requests, name, note)


def read_scenario(path: Path) -> Scenario:
    """A scenario from a TOML or JSON file.

    Raises:
        FileError: the file cannot be read, or is neither TOML nor JSON.
        ScenarioError: it breaks rules of the schema.
    """
    return Scenario.from_dict(read_table(path))


def variant(name: str, changes: Mapping[str, Any]) -> tuple[Scenario, Mapping[str, Scenario]]:
    """A built-in scenario with changes, given as those of a lane are, and its lanes likewise.

    Raises:
        FileError: there is no such scenario, or it breaks rules with these changes.
    """
    path = _builtin_file(name)
    base = _changed(read_table(path), name, changes, f"{path}: changed")
    return _checked(base, f"{path}: changed"), read_lanes(path, base)


def read_lanes(path: Path, base: Mapping[str, Any] | None = None) -> dict[str, Scenario]:
    """The lanes of a scenario file, by name, from the `lesson.toml` beside it; often there is none.

    Args:
        path: the scenario's file.
        base: what the lanes change, if it is not what the file holds.

    Raises:
        FileError: a lane, or the scenario itself, breaks rules; the message names file and lane.
    """
    lesson = path.with_name(LANES)
    if not lesson.is_file():
        return {}
    blocks = _table(read_table(lesson).get("lanes", {}), f"{lesson}: lanes")
    for block in blocks:
        if not path.with_name(f"{block}.toml").is_file():
            known = [file.stem for file in sorted(path.parent.glob("*.toml")) if file != lesson]
            raise FileError(f"{lesson}: lanes.{block}: is no scenario{suggestion(block, known)}")
    base = base or read_table(path)
    _checked(base, str(path))
    place = f"{lesson}: lanes.{path.stem}"
    return {
        lane: _lane(base, f"{path.stem}/{lane}", _table(changes, f"{place}.{lane}"), place)
        for lane, changes in _table(blocks.get(path.stem, {}), place).items()
    }


def _lane(base: Mapping[str, Any], name: str, changes: Mapping[str, Any], place: str) -> Scenario:
    """The scenario `base`, a checked table, with what its lane `name` changes."""
    lane = name.partition("/")[2]
    place = f"{place}.{lane}"
    if not _LANE_NAME.fullmatch(lane):
        raise FileError(f"{place}: must be lower-case words and numbers, such as chunk-4")
    return _checked(_changed(base, name, changes, place), place)


def _changed(
    base: Mapping[str, Any], name: str, changes: Mapping[str, Any], place: str
) -> dict[str, Any]:
    """A scenario's table under another name, with changes of setup and traffic."""
    setup = {key: value for key, value in changes.items() if key not in _TRAFFIC}
    data = {key: value for key, value in base.items() if key not in _TRAFFIC}
    data |= _traffic(base, changes, f"{place}.requests")
    return data | {"name": name, "setup": _merged(base.get("setup", {}), setup)}


def _traffic(base: Mapping[str, Any], changes: Mapping[str, Any], place: str) -> dict[str, Any]:
    """The requests or the workload of a lane: the scenario's own, changed or replaced."""
    own = {key: base[key] for key in _TRAFFIC if key in base}
    asked = {key: changes[key] for key in _TRAFFIC if key in changes}
    requests, workload = asked.get("requests"), asked.get("workload")
    if isinstance(requests, Mapping):
        rows = {row["id"]: row for row in own.get("requests", [])}
        for id_ in requests:
            if id_ not in rows:
                known = suggestion(id_, rows)
                raise FileError(f"{place}.{id_}: is no request of the scenario{known}")
        asked["requests"] = list(_merged(rows, requests).values())
    if isinstance(workload, Mapping) and "kind" not in workload:
        asked["workload"] = _merged(own.get("workload", {}), workload)
    return asked or own


def _merged(table: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """A table with changes; where both have a table, that is merged in its turn."""
    result = dict(table)
    for key, value in changes.items():
        old = result.get(key)
        if isinstance(old, Mapping) and isinstance(value, Mapping):
            result[key] = _merged(old, value)
        else:
            result[key] = value
    return result


def _checked(data: Mapping[str, Any], place: str) -> Scenario:
    try:
        return Scenario.from_dict(data)
    except ScenarioError as error:
        raise FileError(f"{place}: {error}") from None


def _table(value: Any, place: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise FileError(f"{place}: must be a table of names and values, not {printable(value)!r}")
    return value


def read_table(path: Path) -> dict[str, Any]:
    """The table in a TOML or JSON file.

    Raises:
        FileError: the file cannot be read or parsed, or holds no table.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise FileError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise FileError(f"{path}: is not UTF-8 text; save it as UTF-8") from None
    data = parse(text, path)
    if not isinstance(data, dict):
        raise FileError(f"{path}: must hold one table with setup and requests")
    return data


class _TwiceError(ValueError):
    """A name that a JSON object has twice."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON in which no name may stand twice, as in TOML."""
    table = dict(pairs)
    if len(table) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        raise _TwiceError(next(name for name, n in counts.items() if n > 1))
    return table


def parse(text: str, path: Path) -> Any:
    """TOML or JSON, by the file's ending, else by its first character."""
    is_json = path.suffix == ".json" or (path.suffix != ".toml" and text.lstrip()[:1] == "{")
    if not is_json and _LONG_KEY.search(text):
        raise FileError(f"{path}: has a name of more than {MOST_PARTS} parts between dots")
    try:
        load = partial(json.loads, object_pairs_hook=_once) if is_json else tomllib.loads
        data = load(text)
        if is_deep(data):
            raise RecursionError
    except json.JSONDecodeError as error:
        raise FileError(f"{path}:{error.lineno}: not JSON: {error.msg}") from None
    except tomllib.TOMLDecodeError as error:
        raise FileError(f"{path}: not TOML: {error}") from None
    except _TwiceError as error:
        raise FileError(f"{path}: {error} is there twice; keep one") from None
    except ValueError:
        raise FileError(f"{path}: holds a number too long to read") from None
    except RecursionError:
        raise FileError(f"{path}: is nested too deeply") from None
    return data
