"""Orders of waiting that are a matter of the request alone: priority, deadline, aging."""

from sim.setup import Request, Setup

NEVER = 10**30  # later than any deadline


def urgency(request: Request, index: int, setup: Setup) -> tuple[int, int, int]:
    """Smallest first; ties by arrival, then list order.

    Under aging a step of waiting is worth one level of priority: priority · step − time waited.
    Time passes alike for all, so the arrival stands for the time waited.
    """
    match setup.order:
        case "deadline":
            first = NEVER if request.deadline is None else request.deadline
        case "aging":
            first = request.priority * (setup.aging_step or 0) + request.arrival
        case _:
            first = request.priority
    return first, request.arrival, index
