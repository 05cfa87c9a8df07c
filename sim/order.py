"""Orders of waiting that are a matter of the request alone: priority, deadline, aging."""

from sim.sequence import Sequence
from sim.setup import Setup

NEVER = 10**30  # later than any deadline


def by_urgency(setup: Setup) -> bool:
    """Whether the queue stands in order of `urgency`; if not, in order of coming."""
    return setup.mode != "static" and setup.order in ("priority", "deadline", "aging")


def urgency(seq: Sequence, setup: Setup) -> tuple[int, int, int]:
    """Smallest first; ties by arrival, then list order.

    Under aging a step of waiting is worth one level of priority: priority · step − time waited.
    Time passes alike for all, so the arrival stands for the time waited.
    """
    request = seq.request
    match setup.order:
        case "deadline":
            first = NEVER if request.deadline is None else request.deadline
        case "aging":
            first = request.priority * (setup.aging_step or 0) + seq.arrival
        case _:
            first = request.priority
    return first, seq.arrival, seq.index
