"""The house is in order: what is where, and what is said twice is said alike."""

import ast
import os
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.i18n import LANGUAGES
from lessons import check
from sim.report import words as report_words

ROOT = Path(__file__).resolve().parents[1]
TOP_LEVEL = {
    "pyproject.toml",
    "Containerfile",
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "app",
    "sim",
    "lessons",
    "assets",
    "tests",
}
MADE_BY_TOOLS = {"rebatch.egg-info", "build", "dist", "htmlcov", "__pycache__"}
MAY_BE_EMPTY = {"language.space"}  # between sentences
OTHER_HOST = re.compile(
    r"https?://[\w.-]*(?:\bcdn|\bfonts|unpkg|esm\.sh|\bajax|jsdelivr|googleapis|cdnjs)", re.I
)


def test_top_level_is_exactly_the_list() -> None:
    names = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}
    assert names - MADE_BY_TOOLS == TOP_LEVEL


def test_readme_and_ci_run_the_same_command() -> None:
    lines = (ROOT / ".ci/run").read_text(encoding="utf-8").splitlines()
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    in_code = [
        line
        for block in re.findall(r"```\w*\n(.*?)```", readme, re.S)
        for line in block.splitlines()
    ]
    assert lines[-1] == "python3 tests/run.py"
    assert lines[-1] in in_code
    assert os.access(ROOT / ".ci/run", os.X_OK)


# The catalogues


def entries(table: dict[str, Any] | list[Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Every text of a catalogue with its dotted key."""
    pairs = table.items() if isinstance(table, dict) else enumerate(table)
    for key, value in pairs:
        if isinstance(value, dict | list):
            yield from entries(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def catalogue(language: str) -> dict[str, Any]:
    text = (ROOT / f"assets/i18n/{language}.toml").read_text(encoding="utf-8")
    return dict(entries(tomllib.loads(text)))


def placeholders(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)", text))


def test_catalogues_have_the_same_keys() -> None:
    english, *others = (catalogue(language).keys() for language in LANGUAGES)
    assert all(not english ^ other for other in others)


def test_a_text_has_the_same_placeholders_in_all_languages() -> None:
    english, *others = (catalogue(language) for language in LANGUAGES)
    differing = {
        key: (placeholders(english[key]), placeholders(other[key]))
        for other in others
        for key in english.keys() & other.keys()
        if placeholders(english[key]) != placeholders(other[key])
    }
    assert differing == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_is_a_text_and_not_empty(language: str) -> None:
    texts = {k: v for k, v in catalogue(language).items() if k not in MAY_BE_EMPTY}
    assert [k for k, v in texts.items() if not isinstance(v, str) or not v] == []


def test_page_course_and_reports_speak_the_same_languages() -> None:
    assert LANGUAGES == check.LANGUAGES == report_words.LANGUAGES


# The sources


def text_files(folder: str) -> list[Path]:
    kinds = {".py", ".js", ".mjs", ".css", ".toml", ".md", ".html", ".svg", ".json"}
    return [path for path in sorted((ROOT / folder).rglob("*")) if path.suffix in kinds]


@pytest.mark.parametrize("folder", ["app", "assets", "lessons", "sim"])
def test_no_source_names_a_host_that_serves_scripts_or_fonts(folder: str) -> None:
    found = {
        str(path.relative_to(ROOT)): match.group()
        for path in text_files(folder)
        if (match := OTHER_HOST.search(path.read_text(encoding="utf-8")))
    }
    assert found == {}


@pytest.mark.parametrize(
    "address",
    [
        "https://cdn.holoviz.org/x.css",
        "https://fonts.googleapis.com/css",
        "http://unpkg.com/x",
        "https://esm.sh/react",
        "https://ajax.aspnetcdn.com/x.js",
        "https://cdnjs.cloudflare.com/x.js",
    ],
)
def test_such_a_host_would_be_found(address: str) -> None:
    assert OTHER_HOST.search(address)


def is_test(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test")


@pytest.mark.parametrize(
    "path",
    sorted((ROOT / "tests").rglob("test_*.py")),
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_every_test_file_contains_a_test(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    bodies = [tree.body, *(node.body for node in classes if node.name.startswith("Test"))]
    assert any(is_test(node) for body in bodies for node in body)
