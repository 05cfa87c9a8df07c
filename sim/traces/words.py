"""The English of everything an import can say: templates by id.

Reports and errors carry ids and values; these are the sentences of the command line, and the
page has the same ids (as `trace.<id>`) in its catalogues. A parameter called `reason` is itself
an id of this table, to be filled with the same parameters and `limit`, the most that is allowed.
An error is a sentence `<id>` plus its remedy `fix_<id>`.
"""

from collections.abc import Mapping
from typing import Final

from sim.setup import MAX_REQUESTS, MAX_TIME, MAX_TOKENS

EXAMPLE: Final = "arrival_s,prompt,output"

_FORMATS = {
    "format_azure": "Azure LLM inference trace",
    "format_mooncake": "Mooncake trace",
    "format_vidur": "Vidur trace",
    "format_burstgpt": "BurstGPT trace",
    "format_vllm_run": "recorded vLLM run",
    "format_bench": "result of vllm bench serve",
    "format_tracelab": "TraceLab replay",
    "format_named_columns": "table with named columns",
}

_REPORT = {
    "read": "read {read} rows, imported {imported}, dropped {dropped}",
    "rate": "{rate} requests/s over {span}",
    "no_rate": "all arrive at one time, so there is no rate",
    "no_rate_in_loop": "a closed loop has no rate of its own: each request waits for an answer",
    "tokens": (
        "{prompt} prompt tokens (largest {largest_prompt}), "
        "{output} output tokens (largest {largest_output})"
    ),
    "cached": "{cached} prompt tokens are cached: their blocks were seen in an earlier request",
    "cached_prefix": "{cached} prompt tokens are cached: they came before in their session",
    "format": "format: {reason}",
    "dropped": "dropped {count}, first on line {line}: {reason}",
    "dropped_nth": "dropped {count}, first as number {line} of the lists: {reason}",
    "first_bad": "first bad value: line {line}, field {field}, {value}: {reason}",
    "first_bad_nth": "first bad value: number {line} of {field}, {value}: {reason}",
    "first_bad_row": "first bad row: line {line}, {value}: {reason}",
    "sorted": "arrivals were out of order {count} times; the requests are sorted by arrival",
    "batched_arrivals": (
        "arrivals are stamped in batches: about {each} requests share each of {stamps} times "
        "(--spread spreads them evenly)"
    ),
    "spread": (
        "arrivals were stamped in batches: {count} requests shared one of {stamps} times and are "
        "spread evenly up to the next of them, over at most {gap}"
    ),
    "one_gap": "every gap is the same ({gap}): the arrivals look generated",
    "far_from_zero": ("the first arrival is stamped {first} s; arrivals are counted from there"),
    "mixed_zones": ("{count} times have no time zone and count as UTC, like those that name it"),
    "two_clocks": (
        "arrivals and measured timings are of two clocks: only differences on one clock are "
        "latencies"
    ),
    "unit_guessed": (
        "nothing says what {field} counts; read as {unit} it is {rate} requests/s over {span}: "
        "is this right?"
    ),
    "rate_doubt": (
        "read as {unit}, the arrivals are {rate} requests/s over {span}: is this right? "
        "If not, declare another unit"
    ),
    "rate_doubt_dates": "the arrivals are {rate} requests/s over {span}: is this right?",
    "measured": "{count} requests have measured timings, {without} do not",
    "unused": "columns not used: {names}",
    "as_closed_loop": (
        "imported as a closed loop: {clients} at a time, the next one {think} after an answer"
    ),
    "synthetic_arrivals": (
        "the file has no arrivals: they are synthetic, Poisson at {rate} requests/s, seed {seed}"
    ),
}

_CUT = {
    "cut_kept": "of {requests} requests {kept} are taken, at times × {scale}",
    "cut_before": "{count} come before the start",
    "cut_after": "{count} come after the end",
    "cut_too_long": "{count} are longer than the limits and left out",
    "cut_beyond_most": "{count} are more than asked for",
    "cut_shortened": "{count} are shortened to the limits",
}

_REASONS = {
    "failed_call": "failed call, 0 tokens",
    "failed_request": "failed request, marked as such",
    "below_zero": "must not be negative",
    "below_one": "a token count must be at least 1",
    "too_many_tokens": "more than {limit} tokens",
    "not_whole": "a token count must be a whole number",
    "not_a_number": "an arrival must be a number",
    "bad_time": "an arrival must be a time like 2023-11-16 18:17:03.979",
    "time_range": "an arrival beyond all calendars; check the unit",
    "beyond_span": "arrives more than {limit} ms after the first",
    "missing": "no value",
    "row_width": "another number of cells than the header has",
    "not_an_object": "not an object of names and values",
    "bad_blocks": "hash_ids must be a list of block ids",
    "over_limit": "beyond the first {limit} requests",
    "waits_differ": "its waits run from {low} to {high}, and a closed loop has one wait for all",
    "sessions_mix": (
        "each session has its own next round, and in a closed loop whoever is free takes the next"
    ),
}

_ERRORS = {
    "cannot_read": "cannot be read ({why})",
    "fix_cannot_read": "give the path of a trace file",
    "too_big": "larger than {most} MiB",
    "fix_too_big": "cut the file to its first rows",
    "too_many_columns": "{columns} columns, and {most} is the most",
    "fix_too_many_columns": "keep the columns of arrivals, prompts and outputs",
    "empty_file": "empty",
    "fix_empty_file": f"a trace has a header line such as {EXAMPLE} and a row per request",
    "no_rows": "a header without rows",
    "fix_no_rows": "add a row per request",
    "lfs_pointer": "a Git LFS pointer, not the trace it stands for",
    "fix_lfs_pointer": "fetch the file itself with git lfs pull",
    "not_utf8": "not UTF-8 text (byte {value})",
    "fix_not_utf8": "save it as CSV or JSON lines in UTF-8; unpack it first if it is packed",
    "broken_csv": "broken quoting in the CSV",
    "fix_broken_csv": 'close every quote, and write a quote inside a value as ""',
    "broken_json": "broken JSON",
    "fix_broken_json": "each line must be one complete JSON object",
    "json_document": "one JSON document over several lines, or a list",
    "fix_json_document": "write one JSON object a line, one line a request",
    "nested": "sessions with lists of rounds in them, not requests with arrivals",
    "fix_nested": "write one JSON object a line for each round, with an arrival of its own",
    "bench_summary": (
        "the summary of a benchmark, without what each request did (there is no {missing})"
    ),
    "fix_bench_summary": "run vllm bench serve again with --save-result --save-detailed",
    "uneven_lists": "lists of different length ({found})",
    "fix_uneven_lists": "each list must have one entry a request; take the file as it was written",
    "many_runs": "the results of several benchmark runs, one a line",
    "fix_many_runs": "keep one line, in a file of its own",
    "unknown_header": "not a trace: no column for {missing} among {found}",
    "fix_unknown_header": f"name the columns as in {EXAMPLE}, or say which column is which",
    "no_header": "not a trace: the first line holds numbers, not column names",
    "fix_no_header": f"put a header line first, such as {EXAMPLE}",
    "servegen": (
        "not a request trace: without a header, each line a ServeGen time window "
        "(start, rate, spread, process) of one client"
    ),
    "fix_servegen": "generate requests from it with ServeGen and import those",
    "no_arrivals": "lengths only: there is no arrival column among {found}",
    "fix_no_arrivals": (
        "add a column of arrival times such as arrival_s, "
        "or ask for synthetic arrivals by giving a rate"
    ),
    "closed_loop": (
        "a replay of sessions without arrivals, and no closed loop says the same: {reason}"
    ),
    "fix_closed_loop": (
        "ask for the nearest closed loop with --loop, "
        "or use a trace that has an arrival for every request"
    ),
    "no_unit": (
        "nothing says what this column of arrivals counts; "
        "read as {unit} it would be {rate} requests/s over {span}"
    ),
    "fix_no_unit": (
        "name it with its unit ({field}_s, {field}_ms), or declare unit s, ms, us, ns or guess"
    ),
    "bad_unit": "unknown unit {value}",
    "fix_bad_unit": "declare unit s, ms, us, ns or guess",
    "bad_role": "unknown role {value} for a column",
    "fix_bad_role": "the roles are arrival, prompt and output",
    "no_column": "there is no such column among {found}",
    "fix_no_column": "name one that is there",
    "duplicate_column": "this column is there twice",
    "fix_duplicate_column": "rename one of the two",
    "bad_rate": "the rate {value} is no number above 0",
    "fix_bad_rate": "give requests per second, such as 5",
    "nothing_imported": "none of the {read} rows can be imported; the first: {value}: {reason}",
    "fix_nothing_imported": f"a good row reads like 0.25,374,44 under {EXAMPLE}",
    "only_failed_calls": "all {read} rows are failed calls",
    "fix_only_failed_calls": "cut another part out of the trace",
}

# Where in a file an error is; a sentence follows.
_PLACES = {"at_line": ", line {line}", "at_field": ", field {field}"}

WORDS: Final[Mapping[str, str]] = {**_FORMATS, **_REPORT, **_CUT, **_REASONS, **_ERRORS, **_PLACES}

LIMITS: Final = {
    "too_many_tokens": MAX_TOKENS,
    "beyond_span": MAX_TIME,
    "over_limit": MAX_REQUESTS,
}


def because(reason: str) -> dict[str, str | int]:
    """The parameters of a sentence with a reason: its id, and the limit if it is one."""
    limit = {"limit": LIMITS[reason]} if reason in LIMITS else {}
    return {"reason": reason, **limit}


def words(rule: str, params: Mapping[str, str | int]) -> str:
    """The English of an id, numbers with thousands separators."""
    shown = {
        key: f"{value:,}" if isinstance(value, int) else value for key, value in params.items()
    }
    if "reason" in params:
        shown["reason"] = WORDS[str(params["reason"])].format(**shown)
    return WORDS[rule].format(**shown)


def clean(value: object, limit: int = 40) -> str:
    """Text from a file, fit for one line: no control characters, not too long."""
    text = "".join(letter if letter.isprintable() else "�" for letter in str(value)[: limit + 1])
    return text if len(text) <= limit else text[: limit - 1] + "…"
