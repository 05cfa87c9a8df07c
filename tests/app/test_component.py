"""A component of the page is known to its root without a walk through all that hangs below it."""

from typing import ClassVar

import param
import pytest
from bokeh.model import Model
from panel.custom import Child

from app.component import Component


class Leaf(Component):
    """Has nothing below it."""

    value = param.Dict(default={})

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
    assert root.data.value == {"a": 1}
