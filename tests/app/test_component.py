"""A component is known to its root without a walk below it, and tells what it shows as JSON."""

import json
from typing import ClassVar

import pytest
from bokeh.model import Model
from panel.custom import Child

from app.component import Component, Told
from app.stage_figures import figures_script
from app.wire import as_json


class Leaf(Component):
    """Has nothing below it."""

    value = Told(default={})

    _esm: ClassVar[str] = "export function render() {}"


class Frame(Leaf):
    """Has one below it."""

    child = Child()


def test_every_component_is_tagged_with_its_root() -> None:
    frame = Frame(child=Leaf())
    root = frame.get_root()
    tagged = [m for m in root.references() if f"__ref:{root.ref['id']}" in m.tags]
    assert len(tagged) == 2  # the data of the frame and of the leaf


def test_a_change_goes_through_no_other_model(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = Frame(child=Leaf())
    root = frame.get_root()

    def fail(_: Model) -> None:
        pytest.fail("all models below were visited")

    monkeypatch.setattr(Model, "references", fail)
    frame.value = {"a": 1}
    assert root.data.value == '{"a":1}'


def test_what_a_component_shows_is_json_from_the_start_and_in_every_language() -> None:
    told = {"names": ["首 token", "P99"], "of": (1, 2.5), "none": None}
    text = Leaf(value=told).get_root().data.value
    assert json.loads(text) == told | {"of": [1, 2.5]}
    assert "首" in text


def test_json_in_parts_is_the_same_text() -> None:
    told = {"lanes": [{"key": "甲", "rows": [[1, None], {"a": [True]}]}] * 2, "long": [{}] * 20}
    whole = json.dumps(told, ensure_ascii=False, separators=(",", ":"))
    assert [as_json(told), as_json(told, 0), as_json(told, 9)] == [whole] * 3


def test_a_number_that_browsers_cannot_read_is_no_json() -> None:
    with pytest.raises(ValueError, match="JSON"):
        Leaf(value={"a": float("nan")}).get_root()


def test_the_figures_of_a_page_are_the_same_for_everybody() -> None:
    script = figures_script()
    assert script == figures_script()  # whatever Bokeh has numbered in between
    assert '"stage-0"' in script
