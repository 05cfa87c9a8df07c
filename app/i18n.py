"""Words of the page in every language, from `assets/i18n/<lang>.toml`.

Code holds ids ("problem.no_prompt"), the catalogues hold words. Nested tables become dotted keys.
A file more is a language more. All catalogues must have the same keys with the same
`{placeholders}`; this is checked when the module is imported, so a missing word stops the server
instead of showing up as English in the middle of a Chinese page.

`{n} token[|s]` is `1 token` and `2 tokens`: of the two forms the first stands after a 1. The
browser fills sentences in the same way (`assets/js/fill.js`).
"""

import re
import string
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "assets" / "i18n"
LANGUAGES = tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))

_NUMBERED = re.compile(r"\{(\w+)[^}]*\}|\[([^][|]*)\|([^][|]*)\]")

# Chinese has a space beside `13 ms`, and none beside `第 3 拍`; a sentence is written for both.
_BESIDE_TICKS = re.compile("(?<=[\u4e00-\u9fff]) (?=第 [\\d,]+ 拍)|(?<=\\d 拍) (?=[\u4e00-\u9fff])")


def words(lang: str, table: str = "") -> dict[str, str]:
    """All words of a language by dotted key, or those of one table by the rest of the key."""
    return dict(_table(lang, table))


@cache
def _table(lang: str, table: str) -> Mapping[str, str]:
    if not table:
        return _CATALOGUES[lang]
    prefix = f"{table}."
    words_ = _CATALOGUES[lang].items()
    return {key.removeprefix(prefix): word for key, word in words_ if key.startswith(prefix)}


def say(lang: str, key: str, **values: object) -> str:
    """One sentence with its placeholders filled: `say("en", "page.lesson", number=5)`."""
    text = _numbered(_CATALOGUES[lang][key], values).format(**values)
    return _BESIDE_TICKS.sub("", text) if lang == "zh" else text


def _numbered(text: str, values: Mapping[str, object]) -> str:
    """A sentence with the forms that its numbers ask for."""
    if "|" not in text:
        return text
    number: object = None

    def chosen(part: re.Match[str]) -> str:
        nonlocal number
        if name := part[1]:
            number = values[name]
            return part[0]
        return part[2] if str(number) == "1" else part[3]

    return _NUMBERED.sub(chosen, text)


def join(lang: str, sentences: Iterable[str]) -> str:
    """Sentences one after the other: Chinese full stops carry their own space."""
    return _CATALOGUES[lang]["language.space"].join(sentences)


def placeholders(text: str) -> set[str]:
    """Names in braces: `"{a} of {b}"` has a and b."""
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def differences(catalogues: Mapping[str, Mapping[str, str]]) -> list[str]:
    """What one catalogue has and another lacks, as lines for a person to mend."""
    every_key = sorted(set().union(*catalogues.values()))
    lines = [
        f"{lang}.toml lacks {key}"
        for key in every_key
        for lang, catalogue in catalogues.items()
        if key not in catalogue
    ]
    lines += [
        f"{key} has different placeholders"
        for key in every_key
        if len({frozenset(placeholders(c[key])) for c in catalogues.values() if key in c}) > 1
    ]
    return lines


def _flatten(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flatten(value, f"{prefix}{key}.")
        else:
            yield prefix + key, str(value)


def _load() -> dict[str, dict[str, str]]:
    catalogues = {
        lang: dict(_flatten(tomllib.loads((FOLDER / f"{lang}.toml").read_text(encoding="utf-8"))))
        for lang in LANGUAGES
    }
    if lines := differences(catalogues):
        raise LookupError("The word catalogues differ: " + "; ".join(lines))
    return catalogues


_CATALOGUES = _load()
