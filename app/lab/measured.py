"""Measurements as people have them: measured rounds, or measured requests of a real server.

What a file is, its columns decide, not its name. One that is neither is refused in the language of
the page: what is wrong, where, and what would be right.
"""

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.i18n import say, words
from app.messages import trace_error
from sim.files import FileError
from sim.profiles import ACCEPTED, Profile, ProfileError, read_profile
from sim.timings import MIN_REQUESTS, Timings, timings_of
from sim.traces import Report, TraceError, read_trace
from sim.traces.words import clean

Rows = list[Mapping[str, Any]]
Tell = Callable[[str], str]

COUNTS = ("input_toks", "output_toks")  # of vLLM's record of a request
TIMES = ("queued_ts", "first_token_ts", "last_token_ts")
BENCH = ("ttfts", "itls")  # lists in the detailed result of `vllm bench serve`
BENCH_SUMMARY = ("mean_ttft_ms", "median_ttft_ms", "mean_tpot_ms")  # in any result of it
FEWEST_OF_A_PROFILE = 2  # columns, for a table to be taken for one
MOST_SHOWN = 80  # characters of the columns of an unknown file

_LIKE_JSON = re.compile(r"\s*(\{|\[\s*[\[{\]])")  # and not like a head of TOML
_LINE = re.compile(r":(\d+): ")


@dataclass(frozen=True, slots=True)
class Measurement:
    """Measured requests or rounds; of requests, how the import of their file went."""

    found: Timings | Profile
    report: Report | None = None


class RefusedError(Exception):
    """A file that holds no measurement; `tell` says why, in a language."""

    def __init__(self, tell: Tell) -> None:
        self.tell = tell
        super().__init__(tell("en"))


def _refused(key: str, **values: Any) -> RefusedError:
    return RefusedError(lambda lang: say(lang, f"lab.calibrate.{key}", **values))


def read_measured(name: str, data: bytes) -> Measurement:
    """Measured requests or measured rounds from the bytes of a CSV or JSON file.

    Raises:
        RefusedError: it is neither, or not all of its rows can be used.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _refused("not_text", name=name) from None
    table = _json(name, text) if _LIKE_JSON.match(text) else None
    columns = _columns(text, table)
    if set(TIMES) & set(columns):
        if lacking := [column for column in (*COUNTS, *TIMES) if column not in columns]:
            raise _lacks(name, lacking, "rule_timings")
        return _requests(name, data, table, "rule_timings")
    if set(BENCH) & set(columns):
        return _requests(name, data, table, "rule_bench")
    if set(BENCH_SUMMARY) & set(columns):
        raise _refused("no_details", name=name)
    usual = {column: {_plain(one) for one in names} for column, names in ACCEPTED.items()}
    there = {_plain(one) for one in columns}
    lacking = [column for column, names in usual.items() if not names & there]
    if len(usual) - len(lacking) >= FEWEST_OF_A_PROFILE:
        return Measurement(_profile(name, data, table, columns, lacking))
    found = clean(", ".join(columns), MOST_SHOWN) or "–"
    raise _refused("unknown", name=name, columns=found)


def _plain(name: str) -> str:
    """A name as `sim.profiles` compares it."""
    return re.sub(r"[\W_]", "", name.lower())


# What is in the file.


def _json(name: str, text: str) -> Any:
    """The value of a JSON file, or the rows of one with a value in each line."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    rows = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            rows += [json.loads(line)] if line.strip() else []
        except (ValueError, RecursionError):
            raise _refused("broken_json", name=name, line=number) from None
    return rows


def _columns(text: str, table: Any) -> list[str]:
    """The names in the first row."""
    if isinstance(table, list):
        table = table[0] if table else {}
    if table is not None:
        return list(map(str, table)) if isinstance(table, dict) else []
    first = next((line for line in text.splitlines() if line.strip()), "")
    delimiter = max(",;\t", key=first.count)
    cells: list[str] = next(csv.reader([first], delimiter=delimiter), [])
    return [cell.strip() for cell in cells]


def _rows(table: Any) -> Rows | None:
    """The rows of a JSON table: a list of objects, or an object of equally long columns."""
    if isinstance(table, dict):
        columns = list(table.values())
        if not all(isinstance(column, list) for column in columns):
            return [table]
        if len({len(column) for column in columns}) > 1:
            return None
        return [dict(zip(table, cells, strict=True)) for cells in zip(*columns, strict=True)]
    rows = table if isinstance(table, list) else []
    return rows if all(isinstance(row, dict) for row in rows) else None


# Reading it as what it is.


def _requests(name: str, data: bytes, table: Any, rule: str) -> Measurement:
    """Measured requests, as the trace reader finds them; every one must have been measured."""
    if isinstance(table, list):
        data = "\n".join(map(json.dumps, _all_rows(name, table, rule))).encode()
    try:
        imported = read_trace(name, data)
    except TraceError as error:
        fault = error
        raise RefusedError(lambda lang: trace_error(fault, lang)) from None
    times, count = imported.timings, len(imported.requests)
    if not times:
        raise _bad(name, None, rule)
    if lacking := times.count(None):
        raise _refused("unmeasured", name=name, lacking=f"{lacking:,}", n=f"{count:,}")
    if count < MIN_REQUESTS:
        raise _refused("too_few", name=name, n=count, least=MIN_REQUESTS)
    try:
        return Measurement(timings_of(name, imported.requests, times), imported.report)
    except FileError as error:
        raise _bad(name, error, rule) from None


def _profile(
    name: str, data: bytes, table: Any, columns: Sequence[str], lacking: Sequence[str]
) -> Profile:
    if lacking:
        raise _lacks(name, lacking, "rule_profile")
    if table is not None:
        data = _as_csv(columns, _all_rows(name, table, "rule_profile"))
    try:
        return read_profile(name, data)
    except FileError as error:
        raise _bad(name, error, "rule_profile") from None


def _all_rows(name: str, table: Any, rule: str) -> Rows:
    rows = _rows(table)
    if rows is None:
        raise _bad(name, None, rule)
    return rows


def _as_csv(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> bytes:
    found = io.StringIO()
    writer = csv.writer(found)
    writer.writerow(columns)
    writer.writerows([row.get(column, "") for column in columns] for row in rows)
    return found.getvalue().encode()


# What is wrong with it.


def _lacks(name: str, lacking: Sequence[str], rule: str) -> RefusedError:
    def tell(lang: str) -> str:
        table = words(lang, "lab.calibrate")
        shown = table["comma"].join(lacking)
        return table["lacks"].format(name=name, columns=shown, rule=table[rule])

    return RefusedError(tell)


def _bad(name: str, error: FileError | None, rule: str) -> RefusedError:
    """What is right instead, and in detail what is not, if it can be in the words of the page."""
    detail = str(error).removeprefix(name) if error else ""
    line = _LINE.match(detail)
    detail = detail[line.end() :] if line else detail.removeprefix(": ")

    def tell(lang: str) -> str:
        table = words(lang, "lab.calibrate")
        values = {"name": name, "rule": table[rule], "line": line[1] if line else ""}
        text = table["bad_line" if line else "bad_file"].format(**values)
        if isinstance(error, ProfileError):
            own = table[f"profile_{error.rule}"].format(**error.params)
            return text + table["detail"].format(detail=own)
        return text + (table["detail_en"].format(detail=detail) if detail else "")

    return RefusedError(tell)
