"""Letter chips in lesson text: `` `A` `` in the Markdown becomes the coloured chip the stage uses for request A.

A Markdown plugin and not a pass over the finished HTML, so that it cannot touch anything but inline code. Text is
escaped by the renderer's own function.
"""

import re
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.token import Token

_REQUEST = re.compile(r"[A-Z]\d?")
_NUM_COLOURS = 8


def chips(markdown: MarkdownIt) -> None:
    """Draw inline code that names a request as a chip, and leave other code alone."""
    markdown.add_render_rule("code_inline", _render)


def _render(_: Any, tokens: list[Token], index: int, *__: Any) -> str:
    text = tokens[index].content
    if not _REQUEST.fullmatch(text):
        return f"<code>{escapeHtml(text)}</code>"
    colour = (ord(text[0]) - ord("A")) % _NUM_COLOURS
    return f'<span class="chip chip-{colour}">{text}</span>'
