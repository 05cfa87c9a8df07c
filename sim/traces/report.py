"""What an import tells: a `Report` when it worked, a `TraceError` when it did not.

Both are data (ids and values), so that the page words them in the learner's language; the
English of the command line comes from `words`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from sim.traces.words import because, clean, words

NS_PER_S = 10**9


class Dropped(NamedTuple):
    """Rows left out for one reason: how many, and the line of the first."""

    reason: str
    num_rows: int
    line: int


class Bad(NamedTuple):
    """The first value that broke a rule, and where; `field` is "" if the whole row did."""

    line: int
    field: str
    value: str
    rule: str


@dataclass(frozen=True, slots=True)
class Note:
    """One thing to say: an id of the word table and what its sentence needs."""

    rule: str
    params: Mapping[str, str | int] = field(default_factory=dict)

    def __str__(self) -> str:
        return words(self.rule, self.params)


@dataclass(frozen=True, slots=True)
class Report:
    """How an import went; `read == imported + the counts in dropped`, always.

    `span` is the time from the first arrival to the last, in nanoseconds; in a closed loop, which
    has no rate, it is 0. A file without lines (`has_lines`) counts the entries of its lists.
    """

    name: str
    format: str
    read: int
    imported: int
    dropped: tuple[Dropped, ...]
    first_bad: Bad | None
    span: int
    prompt_tokens: int
    output_tokens: int
    cached_tokens: int
    largest_prompt: int
    largest_output: int
    warnings: tuple[Note, ...]
    has_rate: bool = True
    has_lines: bool = True

    @property
    def num_dropped(self) -> int:
        """Rows left out, for whatever reason."""
        return sum(group.num_rows for group in self.dropped)

    @property
    def rate(self) -> float | None:
        """Requests per second, imported / span; None where all arrive at one time."""
        return self.imported * NS_PER_S / self.span if self.span else None

    def notes(self) -> tuple[Note, ...]:
        """All there is to say, in order of weight: rows, rate, drops, warnings, tokens, format."""
        return (
            Note(
                "read",
                {"read": self.read, "imported": self.imported, "dropped": self.num_dropped},
            ),
            self._rate_note(),
            *(
                Note(self._at("dropped"), {"count": count, "line": line, **because(reason)})
                for reason, count, line in self.dropped
            ),
            *self._first_bad_notes(),
            *self.warnings,
            *self._token_notes(),
            Note("format", {"reason": f"format_{self.format}"}),
        )

    def lines(self) -> list[str]:
        """The notes in plain English, such as "5.53 requests/s over 58.4 min"."""
        return [str(note) for note in self.notes()]

    def _at(self, rule: str) -> str:
        """The sentence that says where: on which line, or at which entry of the lists."""
        return rule if self.has_lines else f"{rule}_nth"

    def _rate_note(self) -> Note:
        if not self.has_rate:
            return Note("no_rate_in_loop")
        if self.rate is None:
            return Note("no_rate")
        return Note("rate", {"rate": rate_text(self.rate), "span": span_text(self.span)})

    def _first_bad_notes(self) -> list[Note]:
        if self.first_bad is None:
            return []
        line, name, value, rule = self.first_bad
        params = {"line": line, "field": name, "value": repr(value), **because(rule)}
        return [Note(self._at("first_bad") if name else "first_bad_row", params)]

    def _token_notes(self) -> list[Note]:
        tokens: dict[str, str | int] = {
            "prompt": self.prompt_tokens,
            "output": self.output_tokens,
            "largest_prompt": self.largest_prompt,
            "largest_output": self.largest_output,
        }
        notes = [Note("tokens", tokens)]
        if self.cached_tokens:
            rule = "cached" if self.has_rate else "cached_prefix"
            notes.append(Note(rule, {"cached": self.cached_tokens}))
        return notes


def rate_text(rate: float) -> str:
    """A rate with three significant digits, more where it is 1,000 or above."""
    return f"{rate:,.0f}" if rate >= 100 else f"{rate:.3g}"


def span_text(span: int) -> str:
    """A span of nanoseconds in the unit a person would use, such as "58.4 min"."""
    seconds = span / NS_PER_S
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds * 1000:g} ms"


class TraceError(ValueError):
    """A file that is no trace, or holds nothing to import; its text is one English line.

    `rule` is an id of the word table and `remedy` the id of what would be right; `line` counts
    from 1, `params` holds what the two sentences need.
    """

    def __init__(
        self,
        rule: str,
        file: str,
        *,
        line: int | None = None,
        field: str | None = None,
        value: object = None,
        **params: str | int,
    ) -> None:
        self.rule = rule
        self.remedy = f"fix_{rule}"
        self.file = clean(file, 80)
        self.line = line
        self.field = None if field is None else clean(field)
        self.value = None if value is None else clean(value)
        self.params = params | (because(str(params["reason"])) if "reason" in params else {})
        if self.field is not None:
            self.params["field"] = self.field
        if self.value is not None:
            self.params["value"] = repr(self.value)
        super().__init__(self._sentence())

    def _sentence(self) -> str:
        place = self.file
        if self.line is not None:
            place += words("at_line", {"line": self.line})
        if self.field is not None:
            place += words("at_field", {"field": self.field})
        problem, remedy = (words(rule, self.params) for rule in (self.rule, self.remedy))
        return f"{place}: {problem}; {remedy}"
