"""A trace file on its way to the screen: read as asked, and whether something is to be decided.

The only door for traces: the stage, the lab and its chooser all come through `read`. What is said
of a file is what the command line says of it, in the page's words.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from app.messages import trace_error, trace_report
from sim import Scenario
from sim.files import traffic
from sim.traces import Imported, Options, Preview, TraceError, preview_trace, read_trace

QUICK_BYTES = 100_000  # larger files are read in the background
DOUBTS = frozenset({"unit_guessed", "rate_doubt", "rate_doubt_dates", "batched_arrivals"})


@dataclass(frozen=True, slots=True)
class Upload:
    """A trace file as it came, and how it was asked to be read."""

    name: str
    data: bytes = field(repr=False)
    options: Options = field(default_factory=Options)

    @property
    def is_long(self) -> bool:
        """Whether to read it takes so long that it is done in the background."""
        return len(self.data) > QUICK_BYTES


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a file: its scenario, or None; `tell` says how it went, in a language.

    `can_look`: its rows can be shown. `is_open`: a person could decide something about it.
    """

    scenario: Scenario | None
    tell: Callable[[str], str]
    can_look: bool
    is_open: bool
    lacks_unit: bool = False


def read(upload: Upload) -> Answer:
    """Read a file as it is asked to be."""
    try:
        imported = read_trace(upload.name, upload.data, **upload.options)
        scenario = _scenario(imported, upload.name)
    except TraceError as error:
        fault = error
        can_look = isinstance(look(upload), Preview)
        is_bare = fault.rule == "no_unit"
        return Answer(None, lambda lang: trace_error(fault, lang), can_look, can_look, is_bare)
    is_doubtful = any(note.rule in DOUBTS for note in imported.report.notes())
    return Answer(scenario, lambda lang: trace_report(imported.report, lang), True, is_doubtful)


def look(upload: Upload, options: Options | None = None) -> Preview | TraceError:
    """The first rows and what an import would say; or why the file is no table at all."""
    try:
        return preview_trace(upload.name, upload.data, **(options or upload.options))
    except TraceError as error:
        return error


def _scenario(imported: Imported, name: str) -> Scenario:
    return traffic(imported.requests, name).with_setup(**imported.setup)
