"""Request traces: somebody's log of real traffic becomes a tuple of requests and a report.

The input is a file name and its bytes, so the page's upload and the command line share one
door. Decisions that hold for the whole package:

- A format is recognised by the names of its columns or keys, never by position or file name.
- Arrivals are read with decimal arithmetic as integer nanoseconds and counted from the earliest
  one; no float takes part.
- No row vanishes silently: the rows read are the rows imported plus the rows dropped, and each
  drop has a reason. A file that is no trace at all is a `TraceError`, which says what would do.
- A request is called after its row (`R7` comes from the seventh row of the file), also where
  rows before it were dropped or the order of arrival is another one.
- Nothing is invented: a file of lengths only is refused, unless the caller gives the rate of a
  synthetic process, and a unit is guessed only for a caller who asks for it; the report says so.
- What was measured stays beside its request, as `Imported.timings`; nothing is computed from it.
"""

from sim.traces.importing import Imported, Options, read_trace, read_trace_file
from sim.traces.preview import Preview, preview_trace
from sim.traces.report import Bad, Dropped, Note, Report, TraceError
from sim.traces.sessions import Loop
from sim.traces.timings import Timing
from sim.traces.words import WORDS

__all__ = [
    "WORDS",
    "Bad",
    "Dropped",
    "Imported",
    "Loop",
    "Note",
    "Options",
    "Preview",
    "Report",
    "Timing",
    "TraceError",
    "preview_trace",
    "read_trace",
    "read_trace_file",
]
