"""Browser code and style sheets as Panel wants them: one text a component.

The sources in `assets/js` are plain ES modules that import one another by relative path, so that an
editor or a test can load them as they are. Panel ships one module a component; `module` joins the
named files in order (a file after those it imports) by leaving out their `import` lines and all but
the last one's `export`.
"""

import re
from pathlib import Path

ASSETS = Path(__file__).resolve().parents[1] / "assets"

_COMMENT = re.compile(r"^[ \t]*(?://[^\n]*|/\*\*.*?\*/)[ \t]*\n", re.MULTILINE | re.DOTALL)
_IMPORT = re.compile(r'^import\s[^;]*?from\s+"\./?[^"]+"\s*;?\n', re.MULTILINE)
_EXPORT = re.compile(r"^export\s+", re.MULTILINE)


def script(name: str) -> str:
    """A file under `assets/js` without comments on lines of their own: nobody reads them there."""
    return _COMMENT.sub("", (ASSETS / "js" / name).read_text(encoding="utf-8"))


def module(*names: str) -> str:
    """One ES module made of several files under `assets/js`."""
    texts = [_IMPORT.sub("", script(name)) for name in names]
    return "\n".join([_EXPORT.sub("", text) for text in texts[:-1]] + texts[-1:])


def style(name: str) -> str:
    """One style sheet under `assets/css`."""
    return (ASSETS / "css" / name).read_text(encoding="utf-8")
