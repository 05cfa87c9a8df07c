"""Colours and type, once, for the page, its style sheets and the browser code that draws the stage.

Every colour has a light and a dark value. The page reads them as CSS variables (``--rb-<token>``),
the stage reads them as data, because the fills of a Bokeh glyph are data and no style sheet reaches
them. Imports nothing of the project.
"""

from typing import Literal

Mode = Literal["light", "dark"]
MODES: tuple[Mode, Mode] = ("light", "dark")

FONT_STACK = (
    '"Segoe UI","Helvetica Neue",Arial,"PingFang SC","Hiragino Sans GB",'
    '"Microsoft YaHei","Noto Sans CJK SC","Source Han Sans SC",sans-serif'
)

# token: (light, dark)
TOKENS: dict[str, tuple[str, str]] = {
    "page": ("#FAF9F5", "#111215"),
    "surface": ("#FFFFFF", "#16181C"),
    "sunken": ("#F3F1EA", "#1D2025"),
    "line": ("#E4E0D6", "#2B2F36"),
    "line2": ("#C8C2B4", "#4A505A"),
    "ink": ("#1E1C17", "#EFEDE8"),
    "ink2": ("#57534A", "#B9B7B0"),
    "ink3": ("#706B60", "#96948D"),
    "accent": ("#5646C9", "#B0A5FF"),
    "accentsoft": ("#EEEBFB", "#26233F"),
    "onaccent": ("#FFFFFF", "#15122B"),
    "good": ("#1A7444", "#6FD39B"),
    "bad": ("#B4291F", "#FF9488"),
    "badsoft": ("#FBEAE7", "#3A1A17"),
    "warn": ("#7E5200", "#F0C060"),
    "warnsoft": ("#FBF1DA", "#33280F"),
    "idle": ("#8C8677", "#7C828F"),
}

REQUEST_ROLES = ("strong", "on", "soft", "onsoft")

# Requests A to H (Okabe and Ito's hues): the four roles, light then dark. The ninth is A again.
REQUESTS: tuple[tuple[tuple[str, str, str, str], tuple[str, str, str, str]], ...] = (
    (("#0069A6", "#FFFFFF", "#CBE3F3", "#004C78"), ("#5AAEEB", "#0B1620", "#1C3B54", "#C4E1F8")),
    (("#B94E00", "#FFFFFF", "#FAD9C0", "#7A3300"), ("#F28C4E", "#1F0F05", "#4E2E19", "#FFD5B8")),
    (("#007A5A", "#FFFFFF", "#BFE6D9", "#00513B"), ("#3FC49C", "#06170F", "#154435", "#ABEBD6")),
    (("#A2487B", "#FFFFFF", "#F2D5E4", "#6E2A51"), ("#E093BF", "#200E18", "#4A2B3E", "#F8D0E5")),
    (("#8F6300", "#FFFFFF", "#F8E3AE", "#5C4000"), ("#E9B03A", "#1C1402", "#473710", "#FBE0A0")),
    (("#277BA3", "#FFFFFF", "#D8EEF9", "#11506E"), ("#8CD3FA", "#071722", "#234556", "#D5EEFD")),
    (("#55524B", "#FFFFFF", "#DDDAD2", "#3A3832"), ("#BDBBB4", "#141412", "#393A3E", "#E4E2DC")),
    (("#6B6600", "#FFFFFF", "#F1EBA6", "#474400"), ("#E4DA5C", "#191802", "#413E17", "#F6F0B0")),
)


def colours(mode: Mode) -> dict[str, str]:
    """Every interface colour of one mode by its token."""
    index = MODES.index(mode)
    return {token: pair[index] for token, pair in TOKENS.items()}


def request_colours(mode: Mode) -> list[dict[str, str]]:
    """The eight request colours of one mode, each with its four roles."""
    index = MODES.index(mode)
    return [dict(zip(REQUEST_ROLES, modes[index], strict=True)) for modes in REQUESTS]


def browser_theme() -> dict[str, object]:
    """Both modes and the font stack as plain data for the browser code."""
    modes = {mode: {**colours(mode), "requests": request_colours(mode)} for mode in MODES}
    return {"font": FONT_STACK, "light": modes["light"], "dark": modes["dark"]}


def _declarations(mode: Mode) -> str:
    """The CSS custom properties of one mode."""
    names = {f"--rb-{token}": value for token, value in colours(mode).items()}
    for number, roles in enumerate(request_colours(mode)):
        names |= {f"--rb-q{number}-{role}": value for role, value in roles.items()}
    return "".join(f"{name}:{value};" for name, value in names.items())


def css_variables() -> str:
    """The text of a style sheet that declares all tokens, dark ones under ``data-theme="dark"``."""
    light = f":root{{--rb-font:{FONT_STACK};color-scheme:light;{_declarations('light')}}}"
    dark = f'[data-theme="dark"]{{color-scheme:dark;{_declarations("dark")}}}'
    return f"{light}\n{dark}\n"
