"""No file outside the project can be reached by a name in a link, an upload or a saved file."""

import builtins
import io
import os
from pathlib import Path
from typing import Any

import pytest

from app.files import save, stem_of
from app.opening import open_file
from app.session import Session
from app.url import open_link
from lessons.catalogue import scenes

NAMES = [
    "../../etc/passwd",
    "/etc/passwd",
    "..\\..\\windows\\win.ini",
    "5a/../../../../etc/passwd",
    "file:///etc/passwd",
    "5a\0.toml",
    "01_naive/../../pyproject",
    "5a/whole",
]
SCENARIO = b'[setup]\nbudget = 4\n[[requests]]\nid = "A"\narrival = 0\nprompt = 3\noutput = 2\n'
TRACE = b"arrival_ms,prompt,output\n0,5,2\n10,6,3\n"


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of all files that are opened from here on."""
    names: list[str] = []
    real = builtins.open

    def spied(file: Any, *args: Any, **more: Any) -> Any:
        names.append(os.fspath(file) if not isinstance(file, int) else str(file))
        return real(file, *args, **more)

    monkeypatch.setattr(builtins, "open", spied)
    monkeypatch.setattr(io, "open", spied)
    return names


def test_the_spy_sees_what_is_read(opened: list[str]) -> None:
    Path(__file__).read_bytes()
    assert opened == [__file__]


@pytest.mark.parametrize("name", NAMES)
def test_a_link_names_a_scene_and_no_file(name: str, opened: list[str]) -> None:
    session = Session()
    opened.clear()
    open_link(session, {"scenario": [name.encode()]})
    assert opened == []
    assert session.scenario_name in scenes()
    assert session.notice


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("ending", "data"), [(".toml", SCENARIO), (".csv", TRACE)])
def test_the_name_of_an_upload_is_a_word(
    name: str, ending: str, data: bytes, opened: list[str]
) -> None:
    session = Session()
    opened.clear()
    open_file(session, name + ending, data)
    assert opened == []
    assert session.scenario_name == "trace"
    assert not set("/\\\0.:") & set(stem_of(session))
    kept: list[str] = []
    save(session, "csv", lambda file: kept.append(file.name))
    assert kept and not {"/", "\\", "\0"} & set(kept[0])


@pytest.mark.parametrize("what", [*NAMES, "lab.py/../../pyproject.toml"])
def test_only_what_is_on_offer_is_saved(what: str, opened: list[str]) -> None:
    session = Session()
    opened.clear()
    given: list[Any] = []
    save(session, what, given.append)
    assert (given, opened) == ([], [])
