"""Who may import whom: the layers of the project, read from its sources.

`sim` is pure, `lessons` stand on it, the page stands on both, and what decides what is shown
(`app.session` and its like) can be tested and reused without the toolkit that shows it. The rules
look at every import, also those inside functions and under TYPE_CHECKING.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
OURS = ("sim", "app", "lessons")
TOOLKIT = {"panel", "panel_material_ui", "bokeh"}
NUMPY_IN_SIM = {
    *("history", "recorder", "runs", "block_runs", "rides", "fork", "past"),
    *("metrics", "progress", "calibrate", "traces", "workload"),
    *("curves", "compare_told", "report", "timings", "fit_timings", "fit_search"),
}
WITHOUT_TOOLKIT = (
    "app.session",
    "app.commands",
    "app.draft",
    "app.files",
    "app.generator",
    "app.generator_form",
    "app.hands",
    "app.i18n",
    "app.importing",
    "app.inputs",
    "app.lane_edits",
    "app.lane_figures",
    "app.lane_moves",
    "app.lane_names",
    "app.lane_scenario",
    "app.lane_specs",
    "app.lane_tables",
    "app.lane_view",
    "app.lane_waits",
    "app.lanes",
    "app.lines",
    "app.messages",
    "app.newcomers",
    "app.opening",
    "app.packing",
    "app.payload",
    "app.roster",
    "app.row_text",
    "app.rows",
    "app.runner",
    "app.scene_words",
    "app.sentences",
    "app.setup_form",
    "app.setup_options",
    "app.speech",
)


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(tree: ast.Module, module: str, is_package: bool = False) -> Iterator[str]:
    """Every name a module imports, in full (`from a import b` gives a.b)."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            up = node.level - is_package
            package = module.split(".")[: len(module.split(".")) - up] if node.level else []
            base = ".".join([*package, *filter(None, [node.module])])
            yield from (f"{base}.{name.name}" for name in node.names)


def sources(*packages: str) -> dict[str, tuple[Path, ast.Module]]:
    """The modules of some packages by name."""
    return {
        module_name(path): (path, ast.parse(path.read_text(encoding="utf-8")))
        for package in packages
        for path in sorted((ROOT / package).rglob("*.py"))
    }


MODULES = {
    name: set(imported(tree, name, path.name == "__init__.py"))
    for name, (path, tree) in sources(*OURS).items()
}


def top(name: str) -> str:
    return name.partition(".")[0]


def owner(name: str) -> str | None:
    """The module of ours that an imported name is or lies in."""
    if top(name) not in OURS:
        return None
    while name and name not in MODULES:
        name = name.rpartition(".")[0]
    return name or None


def ours(module: str) -> set[str]:
    """The modules of ours that a module imports itself."""
    return {found for name in MODULES[module] if (found := owner(name))}


def reached(module: str) -> set[str]:
    """The module and all of ours that it imports, directly or not."""
    seen: set[str] = set()
    left = [module]
    while left:
        if (name := left.pop()) not in seen:
            seen.add(name)
            left.extend(ours(name))
    return seen


def tops(module: str) -> set[str]:
    return {top(name) for name in MODULES[module]}


def inside(package: str) -> list[str]:
    return [name for name in MODULES if top(name) == package]


@pytest.mark.parametrize("module", inside("sim"))
def test_sim_imports_the_standard_library_and_numpy_only(module: str) -> None:
    may_use_numpy = NUMPY_IN_SIM.intersection(module.split(".")[1:2])
    allowed = {"sim", "numpy"} if may_use_numpy else {"sim"}
    assert tops(module) - set(sys.stdlib_module_names) <= allowed


def test_lessons_import_the_simulator_and_nothing_of_the_page() -> None:
    allowed = {"sim", "lessons", "numpy", "simpleeval", *sys.stdlib_module_names}
    assert {name: tops(name) - allowed for name in inside("lessons") if tops(name) - allowed} == {}


@pytest.mark.parametrize("module", WITHOUT_TOOLKIT)
def test_what_decides_the_picture_needs_no_toolkit_even_indirectly(module: str) -> None:
    assert module in MODULES, "a module of the rule is gone: change the rule with it"
    users = {name for name in reached(module) if tops(name) & TOOLKIT}
    assert not users


def test_theme_imports_nothing_of_ours() -> None:
    assert ours("app.theme") == set()


@pytest.mark.parametrize("module", list(MODULES))
def test_nobody_imports_main(module: str) -> None:
    assert "app.main" not in ours(module)


def test_the_page_names_its_modules_in_full() -> None:
    """Panel loads `app.x` and `.x` as two different modules: one style only."""
    relative = {
        name
        for name, (_, tree) in sources("app").items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.level
    }
    assert relative == set()


def test_the_app_package_is_empty() -> None:
    """Panel runs it twice under two names."""
    assert (ROOT / "app/__init__.py").read_text(encoding="utf-8").strip() == ""


@pytest.mark.parametrize(
    ("source", "module", "is_package", "names"),
    [
        ("import panel as pn", "sim.engine", False, {"panel"}),
        ("def f():\n    from bokeh.models import Span", "sim.engine", False, {"bokeh.models.Span"}),
        ("from . import page", "app.session", False, {"app.page"}),
        ("from .page import App", "app.session", False, {"app.page.App"}),
        ("from .engine import run", "sim", True, {"sim.engine.run"}),
        ("from ..history import Round", "sim.policies.fifo", False, {"sim.history.Round"}),
    ],
)
def test_imports_are_found_however_they_are_written(
    source: str, module: str, is_package: bool, names: set[str]
) -> None:
    assert set(imported(ast.parse(source), module, is_package)) == names
