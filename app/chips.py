"""Letter chips in lesson text: `**A**` becomes the coloured chip that request A has on the stage.

`mark` names the colour in the Markdown source, because it depends on the scenario; `chips` draws
it. One parser serves all visitors, so the plugin holds nothing.
"""

import re
from collections.abc import Mapping
from html import escape
from typing import Any

_LETTER = re.compile(r"\*\*([A-Z]\d{0,2})\*\*")
_MARKED = re.compile(r"chip (\d) (\w+)")


def mark(text: str, colours: Mapping[str, int]) -> str:
    """Mark every bold request name with the number of its colour."""

    def marked(match: re.Match[str]) -> str:
        name = match[1]
        return f"`chip {colours[name]} {name}`" if name in colours else match[0]

    return _LETTER.sub(marked, text)


def chips(markdown: Any) -> None:
    """A plugin of markdown-it: inline code that is marked, as a chip."""
    markdown.add_render_rule("code_inline", _render)


def _render(_: Any, tokens: list[Any], index: int, *__: Any) -> str:
    text = tokens[index].content
    if match := _MARKED.fullmatch(text):
        return f'<span class="chip chip-{match[1]}">{match[2]}</span>'
    return f"<code>{escape(text)}</code>"
