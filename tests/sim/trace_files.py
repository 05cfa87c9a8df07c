"""Made-up trace files for the tests of the import."""

import json
from typing import Any

import pytest

from sim.traces import WORDS, TraceError, read_trace

AZURE = "TIMESTAMP,ContextTokens,GeneratedTokens"
VIDUR = "arrived_at,num_prefill_tokens,num_decode_tokens"
BURST = "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type"
PLAIN = "timestamp,prompt_tokens,completion_tokens"
REPLAY = "session_id,round_idx,prefix_len,input_len,output_len,tool_wait_after_ms"


def csv(header: str, *rows: str, end: str = "\n") -> str:
    return end.join([header, *rows, ""])


def jsonl(*rows: Any) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def refused(data: bytes | str, name: str = "log.csv", **options: Any) -> TraceError:
    """The error that a file must give; its text must be one line that names the file."""
    with pytest.raises(TraceError) as caught:
        read_trace(name, data, **options)
    error = caught.value
    assert str(error).startswith(name)
    assert len(str(error).splitlines()) == 1
    assert error.remedy in WORDS
    return error


def rules(report: Any) -> list[str]:
    """The ids of what a report has to remark."""
    return [note.rule for note in report.warnings]


def said(report: Any) -> str:
    """All of a report in English."""
    return "\n".join(report.lines())
