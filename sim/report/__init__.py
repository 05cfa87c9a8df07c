"""A comparison as one HTML file: words, tables, pictures; it asks nobody for anything.

The style sheet stands in it, pictures are inline SVG, and there is no script. It follows the
reader's light or dark scheme, and prints. All text that comes from outside is escaped.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from html import escape
from pathlib import Path

import numpy as np

from sim.clock import to_shown
from sim.compare import Comparison
from sim.curves import Curve
from sim.report import cells
from sim.report.svg import Axis, picture, value_axis
from sim.report.words import WORDS, say
from sim.tables import figure

DRAWN = ("ttft", "itl", "e2e")  # the distributions that have a picture
STYLE = Path(__file__).with_name("report.css")


def html(comparison: Comparison, lang: str = "en", link: str | None = None) -> str:
    """The whole file as text.

    Args:
        comparison: what to tell.
        lang: one of `words.LANGUAGES`.
        link: an address or a command that gives the same again.
    """
    parts = (_head, _setups, _objectives, _groups, _pictures, _metrics)
    body = [line for part in parts for line in part(comparison, lang)]
    body += _foot(lang, link)
    title = f"{say(lang, 'title')}: {' · '.join(comparison.names)}"
    return "\n".join(
        (
            "<!doctype html>",
            f'<html lang="{WORDS[lang]["tag"]}">',
            f'<head><meta charset="utf-8"><title>{escape(title)}</title>',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<style>\n{STYLE.read_text(encoding='utf-8')}</style></head>",
            "<body><main>",
            *body,
            "</main></body>",
            "</html>\n",
        )
    )


def _head(comparison: Comparison, lang: str) -> Iterator[str]:
    """Title, scenario, and what was served."""
    scenario = comparison.outcomes[0].scenario
    requests, unit = scenario.requests, say(lang, comparison.unit)
    arrivals = [request.arrival for request in requests]
    span = figure(to_shown(max(arrivals) - min(arrivals), comparison.unit))
    served = say(
        lang,
        "served",
        requests=f"{len(requests):,}",
        prompt=f"{sum(request.prompt for request in requests):,}",
        output=f"{sum(request.output for request in requests):,}",
        span=f"{span} {unit}",
    )
    yield _tag("h1", say(lang, "title"))
    yield _tag("p", ": ".join(filter(None, (scenario.name, scenario.note))))
    yield _tag("p", say(lang, "space").join((served, say(lang, "same", unit=unit))))


def _setups(comparison: Comparison, lang: str) -> Iterator[str]:
    """What all setups share, every one in words, and whether it meets its objectives."""
    yield _tag("h2", say(lang, "setups"))
    told = [cells.phrases(outcome, lang) for outcome in comparison.outcomes]
    shared = [one for one in told[0] if len(told) > 1 and all(one in other for other in told)]
    if shared:
        yield _tag("p", say(lang, "shared", phrases=say(lang, "pause").join(shared)))
    rows = []
    for outcome, phrases in zip(comparison.outcomes, told, strict=True):
        own = say(lang, "pause").join(one for one in phrases if one not in shared)
        rows.append((outcome.name, own or "–", cells.verdict(outcome, lang)))
    yield _table([say(lang, key) for key in ("setup", "how", "verdict")], rows, "words keyed")


def _objectives(comparison: Comparison, lang: str) -> Iterator[str]:
    """Each objective in each setup."""
    if comparison.slo:
        yield _tag("h2", say(lang, "objectives"))
        yield _tag("p", say(lang, "needed", share=cells.percent(comparison.share)))
        rows = [(name, *told) for name, told in cells.objective_cells(comparison, lang)]
        yield _table([say(lang, "objective"), *comparison.names], rows)


def _groups(comparison: Comparison, lang: str) -> Iterator[str]:
    """Which groups of requests fail, or how long they wait."""
    if comparison.groups:
        key = "groups" if comparison.slo else "groups_plain"
        yield _tag("h2", say(lang, key))
        yield _tag("p", say(lang, "groups_note" if comparison.slo else "groups_plain_note"))
        rows = [
            (cells.group_name(row.kind, row.name, lang), *cells.group_cells(row, lang))
            for row in comparison.groups
        ]
        yield _table([say(lang, "group"), *comparison.names], rows)


def _metrics(comparison: Comparison, lang: str) -> Iterator[str]:
    """All metrics, the best marked."""
    yield _tag("h2", say(lang, "metrics"))
    yield _tag("p", say(lang, "best_mark"))
    rows = []
    for row in comparison.rows:
        unit = cells.unit_name(row.metric, comparison, lang)
        name = cells.metric_name(row.metric, lang) + (f" ({unit})" if unit else "")
        rows.append((name, *cells.row_cells(row)))
    yield _table([say(lang, "metric"), *comparison.names], rows)


def _foot(lang: str, link: str | None) -> Iterator[str]:
    """How to get this again, and what the figures are worth."""
    if link:
        yield _tag("h2", say(lang, "again"))
        shown = _tag("code", link)
        is_address = link.startswith(("http://", "https://", "/"))
        yield f'<p><a href="{escape(link)}">{shown}</a></p>' if is_address else f"<p>{shown}</p>"
    yield _tag("footer", say(lang, "foot"))


# Pictures.


def _pictures(comparison: Comparison, lang: str) -> Iterator[str]:
    """Distributions, then the queue and the KV pool over time."""
    yield _tag("h2", say(lang, "pictures"))
    yield '<div class="pictures">'
    draw = partial(_figure, comparison)
    unit = say(lang, comparison.unit)
    for name in DRAWN:
        found = _there([outcome.curves.ecdfs.get(name) for outcome in comparison.outcomes])
        if found:
            axis = value_axis([curve for _, curve in found])
            what = say(lang, "of_gaps" if name == "itl" else "of_requests")
            title = say(lang, "ecdf", name=say(lang, name), what=what)
            below = f"{unit}{say(lang, 'pause')}{say(lang, 'log_axis')}" if axis.is_log else unit
            drawn = [(number, _from_zero(curve, axis.high)) for number, curve in found]
            yield draw(title, drawn, axis, Axis(0, 1), below)
    for key, curves in (
        ("queue_picture", [outcome.curves.queue for outcome in comparison.outcomes]),
        ("kv_picture", [outcome.curves.kv for outcome in comparison.outcomes]),
    ):
        found = _there(curves)
        if found:
            end = max(float(curve.x[-1]) for _, curve in found)
            most = max(float(curve.y.max()) for _, curve in found)
            yield draw(say(lang, key), found, Axis(0, end), Axis(0, most or 1), unit)
    yield "</div>"


def _there(curves: Sequence[Curve | None]) -> list[tuple[int, Curve]]:
    """The curves there are, each with the number of its setup."""
    return [(number, curve) for number, curve in enumerate(curves) if curve and len(curve.x)]


def _from_zero(curve: Curve, end: float) -> Curve:
    """An ECDF with its first rise, and level up to the end of the axis."""
    x, y = curve
    return Curve(np.concatenate([x[:1], x, [end]]), np.concatenate([[0], y, y[-1:]]))


def _figure(
    comparison: Comparison,
    title: str,
    curves: Sequence[tuple[int, Curve]],
    x: Axis,
    y: Axis,
    below: str,
) -> str:
    """A picture under its title, with a key of the setups in it."""
    keys = "".join(
        f'<span class="key">{_swatch(number)}{escape(comparison.names[number])}</span>'
        for number, _ in curves
    )
    return (
        f"<figure><figcaption>{escape(title)}</figcaption>"
        f'{picture(title, curves, x, y, below)}<p class="keys">{keys}</p></figure>'
    )


def _swatch(number: int) -> str:
    path = f'<path class="line s{number}" d="M0 5H28"/>'
    return f'<svg class="swatch" viewBox="0 0 28 10" aria-hidden="true">{path}</svg>'


# HTML.


def _tag(name: str, text: str) -> str:
    """Escaped text in a tag; nothing for no text."""
    return f"<{name}>{escape(text)}</{name}>" if text else ""


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], kind: str = "figures") -> str:
    """A table whose first column names the rows."""
    lines = [f'<div class="wide"><table class="{kind}"><thead><tr>']
    lines += [f'<th scope="col">{escape(cell)}</th>' for cell in head]
    lines.append("</tr></thead><tbody>")
    for number, (name, *values) in enumerate(rows):
        swatch = _swatch(number) if "keyed" in kind else ""
        lines.append(f'<tr><th scope="row">{swatch}{escape(name)}</th>')
        lines += [f"<td{_mark(value)}>{escape(value)}</td>" for value in values]
        lines.append("</tr>")
    return "".join((*lines, "</tbody></table></div>"))


def _mark(value: str) -> str:
    """The class of a cell that ends with a mark."""
    kinds = {"★": "best", "✓": "good", "✗": "bad"}
    return f' class="{kinds[value[-1]]}"' if value[-1:] in kinds else ""
