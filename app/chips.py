"""Letter chips in lesson text: `` `A` `` becomes the coloured chip of request A.

A Markdown plugin and not a pass over the finished HTML, so that it cannot touch anything but inline
code. The arguments are markdown-it's, which Panel brings along.
"""

import re
from html import escape
from typing import Any

_REQUEST = re.compile(r"[A-Z]\d?")
_NUM_COLOURS = 8


def chips(markdown: Any) -> None:
    """Draw inline code that names a request as a chip, and leave other code alone."""
    markdown.add_render_rule("code_inline", _render)


def _render(_: Any, tokens: list[Any], index: int, *__: Any) -> str:
    text = tokens[index].content
    if not _REQUEST.fullmatch(text):
        return f"<code>{escape(text)}</code>"
    colour = (ord(text[0]) - ord("A")) % _NUM_COLOURS
    return f'<span class="chip chip-{colour}">{text}</span>'
