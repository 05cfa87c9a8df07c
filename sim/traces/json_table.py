"""JSON as rows: an object a line, or the one object that `vllm bench serve` writes.

The benchmark's result (`--save-result --save-detailed`, vLLM's `benchmarks/serve.py`) has a list
for each thing it measured, one entry a request: `input_lens`, `output_lens`, `start_times`,
`ttfts`, `itls`, `errors`. A row takes one entry of each. Any other document is refused with what
it is, as far as that can be told.
"""

import json
from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from io import StringIO

from sim.nesting import MOST_DEPTH, is_deep
from sim.traces.report import TraceError
from sim.traces.row import Row, Table, again

LENGTHS = ("input_lens", "output_lens")
LISTS = (*LENGTHS, "start_times", "ttfts", "itls", "errors", "success", "generated_texts")
# In every result, with --save-detailed or without it.
SUMMARY = {"duration", "completed", "total_input_tokens"}

_UNREADABLE = (ValueError, InvalidOperation, RecursionError)


def open_json(name: str, text: str) -> Table:
    """Open text that begins like JSON.

    Raises:
        TraceError: broken JSON, or a document that holds no rows.
    """
    rows = _rows(name, text)
    try:
        first = next(rows)
    except TraceError as error:
        document = _document(text)
        if error.rule == "json_document" and isinstance(document, dict) and _is_bench(document):
            return _open_bench(name, document)
        if error.rule == "json_document" and _holds_sessions(document):
            raise TraceError("nested", name, line=error.line) from None
        raise
    if first.defect is not None:
        rule = "nested" if _holds_sessions(_document(text)) else "json_document"
        raise TraceError(rule, name, line=first.line)
    if _is_bench(first.values):
        if (second := next(rows, None)) is not None:
            raise TraceError("many_runs", name, line=second.line)
        return _open_bench(name, first.values)
    return Table(name, "jsonl", first.line, tuple(first.values), first, again(first, rows))


def is_session(value: object) -> bool:
    """Whether it is an object with a list of objects in it, as a session with its rounds is."""
    return isinstance(value, dict) and any(
        isinstance(part, list) and part and isinstance(part[0], dict) for part in value.values()
    )


def _rows(name: str, text: str) -> Iterator[Row]:
    for number, line in enumerate(StringIO(text, newline=None), start=1):
        if not line.strip():
            continue
        try:
            value = _parsed(line)
        except _UNREADABLE:
            rule = "broken_json" if _document(text) is None else "json_document"
            raise TraceError(rule, name, line=number) from None
        if isinstance(value, dict):
            yield Row(number, value)
        else:
            yield Row(number, {}, "not_an_object", line.strip())


def _parsed(text: str) -> object:
    # NaN and Infinity stay words: a bad value of their row, not of the whole file.
    value = json.loads(text, parse_float=Decimal, parse_constant=str)
    if text.count("[") + text.count("{") > MOST_DEPTH and is_deep(value):
        raise RecursionError
    return value


def _document(text: str) -> object:
    """The whole text as one value, or None."""
    try:
        return _parsed(text)
    except _UNREADABLE:
        return None


def _holds_sessions(document: object) -> bool:
    """Whether a list, or a list in an object, is one of sessions."""
    lists = document.values() if isinstance(document, dict) else [document]
    return any(isinstance(part, list) and any(map(is_session, part[:1])) for part in lists)


def _is_bench(document: Mapping[str, object]) -> bool:
    has_lists = any(isinstance(document.get(key), list) for key in LENGTHS)
    return has_lists or document.keys() >= SUMMARY


def _open_bench(name: str, document: Mapping[str, object]) -> Table:
    """A row for each entry of the lists, which must be of one length."""
    lists = {key: value for key in LISTS if isinstance(value := document.get(key), list)}
    if missing := [key for key in LENGTHS if key not in lists]:
        raise TraceError("bench_summary", name, missing=", ".join(missing))
    if len({len(values) for values in lists.values()}) > 1:
        found = ", ".join(f"{key} {len(values)}" for key, values in lists.items())
        raise TraceError("uneven_lists", name, found=found)
    lists.pop("generated_texts", None)
    names = tuple(lists)
    columns = zip(*lists.values(), strict=True)
    rows = (Row(i, dict(zip(names, row, strict=True))) for i, row in enumerate(columns, start=1))
    first = next(rows, None)
    if first is None:
        raise TraceError("no_rows", name)
    return Table(name, "bench", None, names, first, again(first, rows))
