"""The base of the page's browser components.

Their scripts are plain JavaScript. Panel would translate them in the browser each time the page is
opened, as if they were TypeScript; what is marked as a bundle is taken as it stands. It would also
look for an indent in them, half a megabyte of lines a visitor.

For each change of a component, Panel goes through everything that hangs below it to find data
models that it could not clean up later; below the frame that is the whole page, figures and all.
Here each component is asked for itself when it is built, and none gets a new child afterwards, so
that noting the component alone comes to the same.

Bokeh, too, goes through every value that is set, in search of models, several times. What a
component shows is therefore sent as JSON, which is one text to Bokeh; `told` in `dom.js` reads it.
Param compares dictionaries value by value, in Python, to know what has changed; here Python does.
"""

import operator
from typing import TYPE_CHECKING, Any

import param
from bokeh.core.properties import String
from bokeh.document import Document
from bokeh.model import DataModel
from panel.custom import JSComponent
from panel.io.datamodel import PARAM_MAPPING
from param.parameterized import Comparator

from app.wire import as_json

if TYPE_CHECKING:
    Told = param.Dict
else:

    class Told(param.Dict):
        """A dictionary that the browser gets as JSON."""


Comparator.equalities[dict] = operator.eq
PARAM_MAPPING[Told] = lambda _, options: String(**options | {"default": "{}"})


class Component(JSComponent):
    """A component whose changes cost no more than what they change."""

    __abstract = True

    def _process_param_change(self, params: dict[str, Any]) -> dict[str, Any]:
        own = type(self).param
        told = {
            name: as_json(value)
            for name, value in params.items()
            if name in own and isinstance(own[name], Told)
        }
        changed: dict[str, Any] = super()._process_param_change(params | told)
        return changed

    def _get_properties(self, doc: Document | None) -> dict[str, Any]:
        properties: dict[str, Any] = super()._get_properties(doc)
        return properties | {"bundle": type(self).__name__}

    @classmethod
    def _render_esm(cls, *args: object, **options: object) -> str:
        return str(cls._esm)

    @classmethod
    def _patch_datamodel_ref(cls, props: DataModel, ref: str) -> None:
        tag = f"__ref:{ref}"
        if tag not in props.tags:
            props.tags.append(tag)
