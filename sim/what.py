"""What a command line names: a scenario, a lane, a file or a trace, and settings to change.

Everything that cannot be used is refused in one line that says what would be right.
"""

import argparse
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sim import presets, reading
from sim.files import SYNTHETIC, builtin, builtin_files, read_table, suggestion, traffic
from sim.nesting import is_deep
from sim.problems import ScenarioError
from sim.scenario import Scenario
from sim.setup import Request
from sim.traces import Imported, Note, Options, read_trace_file
from sim.traces.cut import KNOWN as CUTS
from sim.traces.cut import cut, told

TRACE_OPTIONS = ("columns", "unit", "rate", "spread", "loop", *CUTS)


class RefusedError(Exception):
    """Input that cannot be used; the message is the one line to print."""


def short(error: Exception) -> str:
    """An error in one line; of many problems the first five."""
    if isinstance(error, ScenarioError) and len(error.problems) > 5:
        shown = "; ".join(str(problem) for problem in error.problems[:5])
        return f"{shown}; and {len(error.problems) - 5} more"
    return str(error)


def find(options: argparse.Namespace) -> Scenario:
    """A built-in scenario or one of its lanes, a scenario file, or a trace."""
    what = options.what
    path = Path(what)
    if found := _scenario(what, path):
        if given := [option for option in TRACE_OPTIONS if vars(options).get(option)]:
            raise RefusedError(f"--{given[0].replace('_', '-')} is for a trace; {what} is none")
        return found
    names = (*builtin_files(), SYNTHETIC)
    if not path.is_file():
        kind = "a folder, not a file" if path.is_dir() else "no such file"
        near = suggestion(what, names) or "; python -m sim list names those"
        raise RefusedError(f"{what}: {kind}, nor a built-in scenario{near}")
    return _trace(path, options)


def _scenario(what: str, path: Path) -> Scenario | None:
    """A built-in scenario, a lane, or the scenario in a file."""
    if what.partition("/")[0] in builtin_files() or what == SYNTHETIC:
        return builtin(what)
    ending = path.suffix.lower()
    if path.is_file() and (ending == ".toml" or (ending == ".json" and _is_scenario(path))):
        return _scenario_file(path)
    return None


def _is_scenario(path: Path) -> bool:
    return "setup" in read_table(path)


def _scenario_file(path: Path) -> Scenario:
    try:
        return Scenario.from_dict(read_table(path))
    except ScenarioError as error:
        raise RefusedError(f"{path}: {short(error)}") from None


def _trace(path: Path, options: argparse.Namespace) -> Scenario:
    imported, requests, cuts = traced(path, options)
    scenario = traffic(requests, path.name).with_setup(**imported.setup)
    for line in (*imported.report.lines(), *cuts, scenario.note):
        sys.stderr.write(f"{line}\n")
    return scenario


def traced(
    path: Path, options: argparse.Namespace
) -> tuple[Imported, tuple[Request, ...], tuple[Note, ...]]:
    """A trace, the part of its requests that is asked for, and what is left out."""
    imported = read_trace_file(path, **trace_options(options))
    asked = vars(options)
    part = {name: asked[name] for name in CUTS if asked.get(name) is not None}
    requests, problems = cut(imported.requests, part)
    if problems:
        said = {name: f"--{name.replace('_', '-')} {value}" for name, value in part.items()}
        problem = problems[0]
        if problem.rule == "no_requests":
            raise RefusedError(f"{path}: {' '.join(said.values())}: leaves no request; take more")
        raise RefusedError(f"{path}: {said[str(problem.place[-1])]}: {problem.told}")
    return imported, requests, told(imported.requests, part)


def trace_options(options: argparse.Namespace) -> Options:
    """How the command line wants a trace to be read."""
    return {
        "columns": _columns(options.columns),
        "unit": options.unit,
        "rate": options.rate,
        "spread": options.spread,
        "loop": options.loop,
    }


def _columns(text: str) -> dict[str, str]:
    """`arrival=t,prompt=in` as a table."""
    pairs = [pair.partition("=") for pair in text.split(",") if pair]
    for name, equals, column in pairs:
        if not (name and equals and column):
            raise RefusedError(f"--columns {text}: write it as arrival=T,prompt=IN,output=OUT")
    return {name: column for name, _, column in pairs}


# Settings.


class Setting(NamedTuple):
    """A setting to change, with the option that said so, such as `--set budget=6`."""

    name: str
    value: Any
    said: str


def changed(scenario: Scenario, preset: str | None, settings: Sequence[Setting]) -> Scenario:
    """A scenario under a preset, then with settings of its file form; `cost.base` names a part.

    It is checked when everything is set, since a preset may ask for a larger budget.
    """
    if not preset and not settings:
        return scenario
    setup = reading.written(scenario.setup, scenario.setup.time)
    setup |= presets.settings(preset) if preset else {}
    for one in settings:
        _put(setup, one)
    try:
        return scenario.under(setup)
    except ScenarioError as error:
        said = [f"--preset {preset}"] if preset else []
        said += [one.said for one in settings]
        raise RefusedError(f"{' '.join(dict.fromkeys(said))}: {short(error)}") from None


def setting(text: str) -> Setting:
    """`budget=6` as a name and a value."""
    name, equals, value = text.partition("=")
    if not equals:
        raise RefusedError(f"--set {text}: write it as NAME=VALUE, such as budget=6")
    return Setting(name, _value(value), f"--set {text}")


class NamedSetup(NamedTuple):
    """Settings to put on a scenario, under a name."""

    name: str
    settings: tuple[Setting, ...]

    def on(self, scenario: Scenario) -> Scenario:
        """The same requests under these settings.

        Raises:
            RefusedError: they break rules.
        """
        return changed(scenario, None, self.settings)


def named_setup(text: str) -> NamedSetup:
    """`small: sarathi, budget=256` as a name and settings, those of a preset first.

    Without a name the setup is called as it is written; `base:` changes nothing.

    Raises:
        RefusedError: a part is neither a preset nor a setting, or there is no name.
    """
    said = f"--setup {text}"
    name, colon, listed = text.partition(":")
    if not colon or {"=", ","} & set(name):
        name = listed = text
    if not name.strip():
        raise RefusedError(f"{said}: write it as NAME: PRESET or SETTING=VALUE, …")
    found: list[Setting] = []
    for part in filter(None, map(str.strip, re.findall(_PART, listed))):
        known, equals, value = part.partition("=")
        if equals:
            found.append(Setting(known.strip(), _value(value.strip()), said))
        elif part in presets.PRESETS:
            found[:0] = [Setting(*item, said) for item in presets.settings(part).items()]
        else:
            near = suggestion(part, presets.PRESETS)
            raise RefusedError(f"{said}: {part} is no preset{near}")
    return NamedSetup(name.strip(), tuple(found))


_PART = r"(?:\[[^]]*\]|\{[^}]*\}|[^,])+"  # between commas; brackets hold theirs together


def objectives(text: str) -> list[Setting]:
    """`ttft=200,tpot=50` as settings of `slo`.

    Raises:
        RefusedError: it is not written so.
    """
    if not all(pair.partition("=")[2] for pair in text.split(",")):
        raise RefusedError(f"--slo {text}: write it as ttft=200,tpot=50,max_itl=100,e2e=9000")
    pairs = (pair.strip().partition("=") for pair in text.split(","))
    return [Setting(f"slo.{name}", _value(value), f"--slo {text}") for name, _, value in pairs]


def values(text: str) -> tuple[str, list[Any]]:
    """`budget=256,512` as a name and its values; a list in brackets is one value."""
    name, equals, listed = text.partition("=")
    if not equals or not listed:
        raise RefusedError(f"--over {text}: write it as NAME=VALUE,VALUE, such as budget=256,512")
    return name, [_value(part) for part in re.findall(r"\[[^]]*\]|[^,]+", listed)]


def _put(table: dict[str, Any], one: Setting) -> None:
    """Set a part of a table by its dotted name."""
    *groups, last = one.name.removeprefix("setup.").split(".")
    for group in groups:
        table = table.setdefault(group, {})
        if not isinstance(table, dict):
            raise RefusedError(f"{one.said}: {group} has no parts")
    table[last] = one.value


def _value(text: str) -> Any:
    """`6` and `[1, 2]` as in JSON, `on` and `off`, `none` as unset, anything else as text."""
    plain = {"true": True, "on": True, "false": False, "off": False, "none": None}
    if text.lower() in plain:
        return plain[text.lower()]
    for kind in (int, float, json.loads):
        try:
            value = kind(text)
        except (ValueError, RecursionError):
            continue
        return text if is_deep(value) else value
    return text


def written(value: Any) -> str:
    """A value as it may be written in a setting."""
    return value if isinstance(value, str) else json.dumps(value).replace("null", "none")
