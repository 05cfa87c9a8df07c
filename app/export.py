"""Saves the course as pages: `python -m app export DIR`.

Each lesson becomes one file a language that holds all it needs: its texts, its runs, the stage and
BokehJS. Such a page is opened from a folder or a plain web host; there is no server and it asks
nobody for anything, which its content security policy makes sure of.
"""

import sys
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any

from bokeh.resources import INLINE

from app.environment import say as tell
from app.export_data import lesson_data, page_words
from app.host import head_script
from app.i18n import LANGUAGES, say, words
from app.lesson_view import lesson_titles
from app.player import player_source, player_style
from app.script import module, style
from app.stage_figures import figures_script
from app.theme import css_variables
from app.wire import as_json
from lessons.catalogue import heading, lessons, scenes

USAGE = "usage: python -m app export DIR"
INDEX = "index.html"

_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
)
_SCRIPTS = (
    "keys.js", "dom.js", "fill.js", "shell/brand.js", "shell/progress.js", "shell/exercise.js",
    "shell/steps.js", "shell/lesson.js", "export/runs.js", "export/stage.js", "export/page.js",
)  # fmt: skip
_STYLES = ("page.css", "signs.css", "exercise.css", "export.css")


def file_name(lesson: int, lang: str) -> str:
    """The name of a lesson's page, such as `05-by-hand.en.html`."""
    return f"{lessons()[lesson].name.replace('_', '-')}.{lang}.html"


def export(folder: Path) -> Iterator[Path]:
    """Write all pages and the index into a folder, which is made if it is not there.

    Yields:
        Each file, when it is written.

    Raises:
        OSError: the folder cannot be written to.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for lesson in lessons():
        for lang, here in lesson_data(lesson).items():
            path = folder / file_name(lesson, lang)
            path.write_text(lesson_page(lesson, lang, here), encoding="utf-8")
            yield path
    path = folder / INDEX
    path.write_text(index_page(), encoding="utf-8")
    yield path


def lesson_page(lesson: int, lang: str, here: dict[str, Any]) -> str:
    """A lesson as one HTML text; `here` are its scenes, see `app.export_data`."""
    data = {
        "lang": lang,
        "words": page_words(lang),
        "player_words": words(lang, "player"),
        "lessons": lesson_titles(lang),
        "scenarios": [[name, heading(name, lang).short] for name in scenes()],
        "files": {name: file_name(scene.lesson, lang) for name, scene in scenes().items()},
        "languages": [
            {"code": code, "file": file_name(lesson, code), **words(code, "language")}
            for code in LANGUAGES
        ],
        "style": "\n".join(style(name) for name in _STYLES),
        "player_style": player_style(),
        "here": here,
    }
    body = [
        '<div id="page"></div>',
        f'<script type="application/json" id="data">{_as_json(data)}</script>',
        *(f"<script>{text}</script>" for text in (*_bokeh(), figures_script())),
        _module(player_source() + "\nglobalThis.create_player = createPlayer;\n"),
        _module(module(*_SCRIPTS)),
    ]
    rules = style("document.css") + "body { margin: 0; }\n#page { height: 100dvh; }"
    return _document(lang, f"{words(lang, 'page')['name']} {lesson}", rules, body)


def index_page() -> str:
    """The list of all lessons, in each language."""
    columns = [
        f'<section lang="{say(lang, "language.tag")}"><h2>{escape(say(lang, "page.scenes"))}</h2>'
        f"<p>{escape(say(lang, 'export.index_note'))}</p><ol>"
        + "".join(
            f'<li><a href="{file_name(lesson["number"], lang)}">{escape(lesson["title"])}</a></li>'
            for lesson in lesson_titles(lang)
        )
        + "</ol></section>"
        for lang in LANGUAGES
    ]
    name = escape(say("en", "page.name"))
    tagline = " · ".join(escape(say(lang, "page.tagline")) for lang in LANGUAGES)
    body = [f"<main><h1>{name}</h1><p>{tagline}</p><div>", *columns, "</div></main>"]
    return _document("en", name, style("export-index.css"), body)


def _document(lang: str, title: str, rules: str, body: Sequence[str]) -> str:
    """A whole page in our colours, which follow the reader's system."""
    tag = say(lang, "language.tag")
    return "\n".join(
        [
            f'<!doctype html>\n<html lang="{tag}">\n<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<link rel="icon" href="data:,">',
            f"<title>{title}</title>\n<style>{css_variables()}\n{rules}</style>",
            f'<script>{head_script()}\ndocument.documentElement.lang = "{tag}";</script>',
            *body,
            "</html>\n",
        ]
    )


def _bokeh() -> list[str]:
    """BokehJS's core bundle, as the installed package has it."""
    return list(INLINE.clone(components=["bokeh"]).js_raw)


def _module(text: str) -> str:
    return f'<script type="module">{text}</script>'


def _as_json(data: dict[str, Any]) -> str:
    """JSON that may stand in a script element."""
    return as_json(data).replace("</", "<\\/")


def main(arguments: Sequence[str]) -> int:
    """Save the course; the exit code is 2 where that cannot be."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        tell(USAGE)
        return 2
    try:
        for path in export(Path(arguments[0])):
            tell(f"{path} ({path.stat().st_size / 1e6:.1f} MB)")
    except OSError as error:
        tell(f"rebatch: {arguments[0]}: {error.strerror}")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
