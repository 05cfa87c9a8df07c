"""Scenario files, built-in scenarios and traces: what the command line's WHAT can name.

A scenario file is TOML or JSON in the schema of `scenario`. The built-in ones lie with the
lessons that show them; one more is drawn from a seed and has no file.
"""

import json
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from sim.scenario import Scenario
from sim.setup import Cost, Request, Setup
from sim.workload import synthetic

LESSONS = Path(__file__).resolve().parents[1] / "lessons"
BY_HAND = "5a"
SYNTHETIC = "synthetic"

TRACE_COST = Cost(base=6_000_000, per_prefill=30_000, per_decode=30_000, per_kv_token=100)
TRACE_BUDGET = 2048  # vLLM's default max_num_batched_tokens


class FileError(ValueError):
    """A file that cannot be read as what it should be; the message names file and place."""


@cache
def builtin_files() -> Mapping[str, Path]:
    """Names of the built-in scenario files, by name in the order of the course."""
    files = sorted(LESSONS.glob("*/*.toml"))
    return {path.stem: path for path in files if path.stem != "lesson"}


@cache
def builtin(name: str) -> Scenario:
    """A built-in scenario by name."""
    if name == SYNTHETIC:
        return traffic(synthetic(600, 5.53, seed=1), SYNTHETIC)
    return read_scenario(builtin_files()[name])


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


def parse(text: str, path: Path) -> Any:
    """TOML or JSON, by the file's ending, else by its first character."""
    is_json = path.suffix == ".json" or (path.suffix != ".toml" and text.lstrip()[:1] == "{")
    try:
        return json.loads(text) if is_json else tomllib.loads(text)
    except json.JSONDecodeError as error:
        raise FileError(f"{path}:{error.lineno}: not JSON: {error.msg}") from None
    except tomllib.TOMLDecodeError as error:
        raise FileError(f"{path}: not TOML: {error}") from None
    except ValueError:
        raise FileError(f"{path}: holds a number too long to read") from None
    except RecursionError:
        raise FileError(f"{path}: is nested too deeply") from None
