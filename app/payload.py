"""One dictionary with everything the browser shows: rows, sentences and tables a round.

A pure function of the lanes' histories, a window of time and a language. The browser draws it,
and from then on playing and scrubbing only pick row k. Times are plain numbers in ms or ticks;
a run too long to send whole is sent as a window, with an overview of all of it.
"""

from app.hand_view import HandView
from app.i18n import words
from app.lane_figures import ALWAYS, OVERALL
from app.lane_names import differences, differences_in_short, heads, with_twins
from app.lane_specs import MOST_IN_A_TITLE, MOST_LANES
from app.lane_view import LaneView, Payload
from app.lanes import Lane, Window, overview, twins, window_at
from app.roster import Roster, Rows, places
from sim.clock import to_shown

# Metric, digits, which is better, whether it is always on the page.
_PER_REQUEST = (
    ("queue", 1, "less", False),
    ("ttft", 1, "less", True),
    ("mean_itl", 2, "less", False),
    ("max_itl", 1, "less", True),
    ("tpot", 2, "less", False),
    ("e2e", 1, "less", True),
)


def make_payload(
    lanes: list[Lane],
    lang: str,
    *,
    title: str,
    time: int = 0,
) -> Payload:
    """Everything the player shows of these lanes in the window around `time`.

    Args:
        lanes: histories of the same requests, on one clock.
        lang: language of all words.
        title: of the stage.
        time: internal time that the window must cover.
    """
    scenario = lanes[0].history.scenario
    unit = scenario.setup.time
    window = window_at(lanes, time)
    parts = [LaneView(lane, window, lang) for lane in lanes]
    scenarios = [lane.history.scenario for lane in lanes]
    names = with_twins(heads([lane.spec for lane in lanes], scenarios, lang), twins(lanes), lang)
    seen = None if window.whole else [part.seen for part in parts]
    roster = Roster([part.index for part in parts], seen)
    requests = _requests(lanes, roster)
    return {
        "lang": lang,
        "unit": unit,
        "title": title,
        "words": words(lang, "player"),
        "t0": to_shown(window.start, unit),
        "t1": to_shown(window.end, unit),
        "whole": window.whole,
        "overview": None if window.whole else overview(lanes, unit),
        "requests": requests,
        "events": _events(parts, roster.rows, window),
        "lanes": _lanes(parts, names, roster, requests, lang),
        "most_lanes": MOST_LANES,
        "most_in_title": MOST_IN_A_TITLE,
        "differs": differences(scenarios, lang, [name["short"] for name in names]),
        "differs_short": differences_in_short(scenarios, lang),
        "per_request_head": _per_request_head(lang, unit),
        "overall_head": _overall_head(lang, unit),
    }


def _lanes(
    parts: list[LaneView],
    names: list[dict[str, str]],
    roster: Roster,
    requests: list[Payload],
    lang: str,
) -> list[Payload]:
    """Every lane as the browser reads it, with its name and what only it has."""
    return [
        part.payload(rows, places(rows))
        | name
        | ({"name": part.lane.spec.name} if part.lane.spec.name else {})
        | _own_requests(part.lane, parts[0].lane, rows, requests)
        | _by_hand(part.lane, lang, places(rows))
        for part, name, rows in zip(parts, names, roster.rows, strict=True)
    ]


def _requests(lanes: list[Lane], roster: Roster) -> list[Payload]:
    """The requests of the window, each as the first lane has it that has it."""
    found = []
    for number, indices in zip(roster.numbers, zip(*roster.rows, strict=True), strict=True):
        owner = next(k for k, index in enumerate(indices) if index is not None)
        found.append(_request(lanes[owner], indices[owner], number))
    return found


def _request(lane: Lane, index: int, number: int) -> Payload:
    id_ = lane.history.scenario.requests[index].id
    return {
        "id": id_,
        "label": id_ if len(id_) <= 4 else f"…{id_[-3:]}",
        "colour": number % 8,
    } | _as_it_has_it(lane, index)


def _as_it_has_it(lane: Lane, index: int) -> Payload:
    """What of a request another lane may have changed."""
    scenario = lane.history.scenario
    request = scenario.requests[index]
    return {
        "arrival": to_shown(int(lane.arrivals[index]), scenario.setup.time),
        "prompt": request.prompt,
        "output": request.output,
    }


def _own_requests(lane: Lane, first: Lane, rows: Rows, requests: list[Payload]) -> Payload:
    """The requests of a lane that has changed some of them, or has not all of them."""
    is_first = lane.history.scenario.requests == first.history.scenario.requests
    if is_first and None not in rows:
        return {}
    return {
        "requests": [
            shared | ({"absent": True} if index is None else _as_it_has_it(lane, index))
            for index, shared in zip(rows, requests, strict=True)
        ]
    }


def _by_hand(lane: Lane, lang: str, place: dict[int, int]) -> Payload:
    """What a lane that is played by hand shows beside its rounds."""
    return {"hand": HandView(lane, lane.hand, lang).payload(place)} if lane.hand else {}


def _events(parts: list[LaneView], rows: list[Rows], window: Window) -> list[Payload]:
    """Arrivals, first tokens, ends, evictions and departures inside the window, by time.

    An arrival belongs to all lanes, unless some have another one or one is a closed loop.
    """
    setup = parts[0].scenario.setup
    is_open = all(part.scenario.setup.concurrency is None for part in parts)
    events: list[tuple[int, str, int, int | None]] = []
    for place, indices in enumerate(zip(*rows, strict=True)):
        arrivals = [
            None if index is None else int(part.lane.arrivals[index])
            for part, index in zip(parts, indices, strict=True)
        ]
        is_common = is_open and len(set(arrivals)) == 1
        for number_, (part, index) in enumerate(zip(parts, indices, strict=True)):
            arrival = arrivals[number_]
            if index is None or arrival is None:
                continue
            is_told = part.scenario.setup.concurrency is None and not (is_common and number_)
            if is_told and window.start <= arrival <= window.end:
                events.append((arrival, "arrival", place, None if is_common else number_))
            events += [(time, kind, place, number_) for time, kind in part.waits.events(index)]
    events.sort(key=lambda event: event[0])
    return [
        {"t": to_shown(time, setup.time), "kind": kind, "req": place, "lane": lane}
        for time, kind, place, lane in events
    ]


def _per_request_head(lang: str, unit: str) -> list[Payload]:
    table = words(lang)
    return [
        {
            "key": key,
            "label": table[f"metric.{key}"],
            "short": table.get(f"metric_short.{key}", table[f"metric.{key}"]),
            "unit": table[f"metric_unit.{unit}"],
            "digits": digits,
            "better": better,
            "more": not always,
        }
        for key, digits, better, always in _PER_REQUEST
    ]


def _overall_head(lang: str, unit: str) -> list[Payload]:
    table = words(lang)
    per = "s" if unit == "ms" else "tick"
    units = {"time": unit, "rate": f"token_{per}", "request_rate": f"request_{per}"}
    return [
        {
            "key": key,
            "label": table[f"metric.{key}"],
            "unit": table.get(f"metric_unit.{units.get(kind, kind)}", ""),
            "digits": 3 if kind == "rate" and unit == "tick" else digits,
            "better": better,
            "more": place >= ALWAYS,
        }
        for place, (key, kind, digits, better) in enumerate(OVERALL)
    ]
