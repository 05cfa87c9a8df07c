"""The rounds of a run as lines of text: who got what, and why others got nothing."""

from collections.abc import Iterable
from typing import Any

from sim.clock import to_shown
from sim.history import History
from sim.record import Round
from sim.tables import figure, table

MOST_NAMED = 8  # of those served, and of those left out


def rounds(history: History) -> str:
    """A line a round: time, P, D, who got what, who waited and why.

    What a round costs beyond P and D has columns of its own where the setup has a price for it:
    drafts (V), KV tokens read (K), decodes added to fill a graph bucket.
    """
    setup = history.scenario.setup
    more = {
        "V": setup.speculation is not None,
        "K": setup.time == "ms" and setup.cost.per_kv_token > 0,
        "padded": setup.buckets is not None,
    }
    shown = [name for name, is_priced in more.items() if is_priced]
    rows = [_row(record, history, shown) for record in history]
    head = ("round", setup.time, "P", "D", *shown, "who", "why not")
    return table(head, rows, left=(1, len(head) - 2, len(head) - 1))


def _row(record: Round, history: History, shown: list[str]) -> list[Any]:
    unit = history.scenario.setup.time
    figures = {"V": record.drafts, "K": record.kv_read, "padded": record.bucket_padding}
    return [
        record.number,
        f"{figure(to_shown(record.start, unit))}–{figure(to_shown(record.end, unit))}",
        record.prefill,
        record.decode,
        *(figures[name] for name in shown),
        _few(_who(record)),
        _few(f"{id_}: {reason}" for id_, reason in record.why.items()),
    ]


def _few(parts: Iterable[str]) -> str:
    """The first of many, and how many more there are; plain decodes can be left out first."""
    parts = list(parts)
    if len(parts) <= MOST_NAMED:
        return ", ".join(parts)
    parts.sort(key=lambda part: part.endswith(" decode"))  # stable
    return f"{', '.join(parts[:MOST_NAMED])} and {len(parts) - MOST_NAMED:,} more"


def _who(record: Round) -> list[str]:
    """What happened to whom, in the order in which positions were given."""
    parts = [f"{id_} {how}" for id_, how in record.departed.items()]
    parts += [f"{id_} preempted" for id_ in record.preempted]
    parts += [_served(record, id_, n) for id_, n in record.given.items()]
    parts += [f"{id_} 1st token" for id_ in record.emitted if id_ not in record.given]
    parts += [f"{id_} pad {figure(n)}" for id_, n in record.pads.items()]
    return parts + [f"{id_} idle" for id_ in record.idle]


def _served(record: Round, id_: str, n: int) -> str:
    done = " (done)" if id_ in record.finished else ""
    tokens = record.tokens.get(id_, 0)
    if id_ not in record.prefilling:
        several = f" + {tokens} tokens" if tokens > 1 else ""
        return f"{id_} decode{several}{done}"
    is_first = tokens == record.after[id_].emitted
    token = (" + 1st token" if is_first else " + token") if tokens else ""
    return f"{id_} prefill {figure(n)}{token}{done}"
