"""What each round of a window moves: seats, queue and KV blocks, as the browser reads it.

Blocks are sent as what each round changes: of a small pool every block by its number, of a large
one how many each request holds.
"""

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

from sim import Round
from sim.blocks import tables
from sim.clock import to_shown
from sim.setup import Setup

MOST_TILES = 400  # blocks of a pool that are shown one by one
FREE = -1

Place = dict[str, int]  # of a request in the payload, by id


def moves(records: list[Round], place: Place) -> list[dict[str, Any]]:
    """Who enters or leaves a seat in each round, and the queue's length before and after."""
    return [_move(record, place) for record in records]


def _move(record: Round, place: Place) -> dict[str, Any]:
    joined = len(record.admitted) + len(record.resumed)
    told = {
        "in": record.admitted,
        "again": record.resumed,
        "out": record.preempted,
        "gone": record.departed,
    }
    found: dict[str, Any] = {
        name: [place[id_] for id_ in ids if id_ in place] for name, ids in told.items() if ids
    }
    now, queue = len(record.running), len(record.queue)
    lost = len(record.preempted)
    return found | {"queue": [queue + joined - lost, queue], "seats": [now - joined + lost, now]}


def prices(records: list[Round], setups: list[Setup]) -> list[dict[str, Any]]:
    """What each term of a round's time costs, in ms, and the terms no column has; nothing in ticks.

    An entry stands from the round `first` on: another where a fork has changed the setup. `rest`
    is what blocks moved or the fullest expert cost, where the setup has a price for it.
    """
    found = []
    for setup, group in groupby(zip(setups, range(len(records)), strict=True), itemgetter(0)):
        rounds = [i for _, i in group]
        if setup.time == "ms":
            own = records[rounds[0] : rounds[-1] + 1]
            found.append({"first": rounds[0]} | _prices(own, setup))
    return found


def _prices(records: list[Round], setup: Setup) -> dict[str, Any]:
    """The prices of rounds that share a setup."""
    cost = setup.cost
    names = ("base", "per_prefill", "per_decode", "per_kv_token", "per_draft")
    found: dict[str, Any] = {name: to_shown(getattr(cost, name), "ms") for name in names}
    found["pads"] = setup.price_padding
    if cost.per_kv_token:
        found["kv_read"] = [record.kv_read for record in records]
    if setup.moe is not None or (setup.on_full == "swap" and cost.per_swap_block):
        found["rest_of"] = "swap" if setup.moe is None else "moe"
        found["rest"] = [to_shown(_rest(record, setup), "ms") for record in records]
    return found


def _rest(record: Round, setup: Setup) -> int:
    """What a round costs beyond the terms that have a column, in internal units."""
    cost = setup.cost
    decodes = record.decode + (record.bucket_padding if setup.price_padding else 0)
    known = cost.base + cost.per_prefill * record.prefill + cost.per_decode * decodes
    known += cost.per_kv_token * record.kv_read + cost.per_draft * record.drafts
    return record.end - record.start - known


def pool(records: list[Round], setup: Setup, place: Place, *, whole: bool) -> dict[str, Any] | None:
    """Who holds which blocks in each round, as scheduled; None without a pool."""
    if setup.num_blocks is None:
        return None
    is_tiled = whole and setup.num_blocks <= MOST_TILES
    held = _tiles(records, setup.num_blocks) if is_tiled else _counts(records)
    changes, before = [], dict[Any, Any]()
    for now in held:
        changes.append(_flat(before, now, place))
        before = now
    return {"tiled": is_tiled, "size": setup.block_size, "changes": changes}


def _tiles(records: list[Round], num_blocks: int) -> Iterator[dict[int, str]]:
    """The owner of every taken block."""
    for table in tables(records, num_blocks):
        yield {block: id_ for id_, blocks in table.items() for block in blocks}


def _counts(records: list[Round]) -> Iterator[dict[str, int]]:
    """How many blocks everyone holds."""
    for record in records:
        yield {id_: n for id_, n in record.blocks.items() if n}


def _flat(before: dict[Any, Any], now: dict[Any, Any], place: Place) -> list[int]:
    """Pairs of what differs: block and owner, or owner and count."""
    changed = [key for key in {**before, **now} if before.get(key) != now.get(key)]
    pairs = []
    for key in changed:
        value = now.get(key)
        if isinstance(key, str):
            pairs += [place.get(key, FREE), value or 0]
        else:
            pairs += [key, FREE if value is None else place.get(value, FREE)]
    return pairs
