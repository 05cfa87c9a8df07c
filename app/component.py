"""The base of the page's browser components.

For each change of a component, Panel goes through everything that hangs below it to find data
models that it could not clean up later; below the frame that is the whole page, figures and all.
Here each component is asked for itself when it is built, and none gets a new child afterwards, so
that noting the component alone comes to the same.
"""

from bokeh.model import DataModel
from panel.custom import JSComponent


class Component(JSComponent):
    """A component whose changes cost no more than what they change."""

    __abstract = True

    @classmethod
    def _patch_datamodel_ref(cls, props: DataModel, ref: str) -> None:
        tag = f"__ref:{ref}"
        if tag not in props.tags:
            props.tags.append(tag)
