"""What the page shows of a scene at first, from the `lesson.toml` beside it.

    [page.5c]
    lanes = ["4", "6", "static"]            # lanes of the lesson, or schedulers by name
    controls = ["max_num_seqs", "max_chunk"]  # options of the setup that need no searching

Either may be missing. A lane of the lesson that brings a request list or a workload of its own is
for the command line: on the page the requests are those of the table. Figures that a text quotes
from somebody else, and no run gives, stand in a table `[given.13a]` with their `source`.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

from sim.files import LANES, builtin_files, read_table


@cache
def _table(scene: str) -> Mapping[str, Any]:
    files = builtin_files()
    path = files[scene].with_name(LANES) if scene in files else None
    return read_table(path) if path is not None and path.is_file() else {}


def lane_tables(scene: str) -> Mapping[str, Mapping[str, Any]]:
    """The lanes of a scene's lesson by name, as tables of changes."""
    tables: Mapping[str, Mapping[str, Any]] = _table(scene).get("lanes", {}).get(scene, {})
    return tables


def first_lanes(scene: str) -> tuple[str, ...]:
    """The names of the lanes that a scene opens with; none if its lesson does not say."""
    return tuple(_page(scene).get("lanes", ()))


def controls(scene: str) -> tuple[str, ...]:
    """The options that a scene shows before all others."""
    return tuple(_page(scene).get("controls", ()))


def given(scene: str) -> Mapping[str, Any]:
    """Figures that a scene quotes, from `[given.13a]`; each table says where they are from."""
    tables: Mapping[str, Any] = _table(scene).get("given", {}).get(scene, {})
    return tables


def _page(scene: str) -> Mapping[str, Any]:
    page: Mapping[str, Any] = _table(scene).get("page", {}).get(scene, {})
    return page
