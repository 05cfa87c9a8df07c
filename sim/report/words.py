"""What a report says: templates by id, from the file of each language beside this one.

The command line's tables take their names from here too. `phrase.<setting>` or
`phrase.<setting>.<value>` says a setting that is not the usual one; what has no phrase is shown as
`setting = value`. A file more is a language more.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final


def _read(path: Path) -> Mapping[str, str]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


WORDS: Final = {path.stem: _read(path) for path in sorted(Path(__file__).parent.glob("*.toml"))}
LANGUAGES: Final = tuple(WORDS)


def say(language: str, key: str, **values: object) -> str:
    """The words of an id, its values filled in; nothing is escaped here."""
    return WORDS[language][key].format(**values)
