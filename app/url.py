"""What a link says, and what the address bar should say.

A link is typed by strangers: every value is checked against a list or a range before it reaches the
session. What does not fit becomes the nearest good value or is left out, together with a sentence
saying so. Edited requests travel as text, like in the request table, and are judged there: a link
with a wrong cell opens as that cell typed would. Panel's `location` is not used: it parses values
as JSON, blanks the page on one it does not know, and makes a history entry of every change.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from urllib.parse import parse_qsl, quote, urlencode

from app import generator
from app.i18n import LANGUAGES, join, say
from app.lane_specs import MOST_LANES, Fork, LaneSpec
from app.packing import MOST_CHARACTERS, packed_lanes, packed_setup, unpacked_lanes, unpacked_setup
from app.row_text import packed, short, unpacked
from app.rows import MOST_ROWS, Row, typed
from app.session import TRACE, Session
from app.setup_options import bad_lane_names, bad_names, difference, differing
from lessons.catalogue import scenes
from sim import Scenario
from sim.files import SYNTHETIC, builtin

Arguments = Mapping[str, Sequence[bytes]]
Told = Callable[[str], str]  # a sentence, by its language
Complaint = Told | None
THEMES = ("light", "dark")
MOST_NAMED = 6  # options that a notice lists

_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,18}")
_STATE = ("lang", "scenario", "budget", "face", "tab", "setup", "lanes", "traffic", "rows")
_DEFAULT_SCENE: str = Session.param.scenario_name.default
_DEFAULT_LANG: str = Session.param.lang.default


def arguments_of(search: str) -> Arguments:
    """The arguments in the query of an address, as the server reads those of a first visit."""
    pairs = parse_qsl(search.removeprefix("?")[: 16 * MOST_CHARACTERS], keep_blank_values=True)
    arguments: dict[str, list[bytes]] = {}
    for name, value in pairs:
        arguments.setdefault(name, []).append(value.encode("utf-8", "replace"))
    return arguments


def open_link(
    session: Session, arguments: Arguments, done: Callable[[], None] = lambda: None
) -> None:
    """Bring a session to the state a link asks for; `session.notice` says what was dropped.

    A scene that takes long to simulate comes later, and so does what the link changes in it.

    Args:
        session: any session, not only a new one.
        arguments: of the query, undecoded.
        done: called when the state is reached, or a person has chosen something else meanwhile.
    """
    found = _texts(arguments)
    if _is_shown(session, found):
        _look(session, found)
        done()
        return
    complaints = [_lang(session, found.get("lang")), _theme(session, found.get("theme"))]
    _look(session, found)
    name, complaint = _scene(session, found)
    complaints.append(complaint)
    inputs = {} if complaint else found

    def finish() -> None:
        if session.scenario_name == name:
            complaints.extend(_inputs(session, inputs))
            if lines := [line for line in complaints if line]:
                session.announce(lambda lang: join(lang, [line(lang) for line in lines]))
        _when_shown(session, done)

    session.choose(name)
    _when_shown(session, finish)


def asked_scene(arguments: Arguments, here: str = _DEFAULT_LANG) -> tuple[str, str]:
    """The scene with steps that a link asks for, and its language, if these are good.

    Args:
        arguments: of the query, undecoded.
        here: the language of a link that names none.
    """
    found = _texts(arguments)
    scene, lang = found.get("scenario", ""), found.get("lang", "")
    return scene if scene in scenes() else _DEFAULT_SCENE, lang if lang in LANGUAGES else here


def _texts(arguments: Arguments) -> dict[str, str]:
    """The first value of each."""
    return {name: values[0].decode("utf-8", "replace") for name, values in arguments.items()}


def _is_shown(session: Session, found: Mapping[str, str]) -> bool:
    """Whether a link leads from the lab to the stage, back, or to a tab: nothing is run."""
    here = query(session)
    asked = {name: value for name, value in found.items() if name in (*here, *_STATE)}
    at, to = ([state.pop(name, None) for name in ("face", "tab")] for state in (here, asked))
    return at != to and here == asked


def _look(session: Session, found: Mapping[str, str]) -> None:
    """The lab with a tab that it has, or the stage."""
    is_lab = found.get("face") == "lab"
    if is_lab:
        asked, tabs = found.get("tab"), session.param.tab
        session.tab = asked if asked in tabs.objects else tabs.default
    session.face = "lab" if is_lab else "stage"


def _when_shown(session: Session, then: Callable[[], None]) -> None:
    """Go on at once, or when the run that is being simulated has been shown."""

    def is_shown() -> bool:
        return not session.working and not session.is_coming

    def look(*_: object) -> None:
        if is_shown():
            session.param.unwatch(watcher)
            then()

    if is_shown():
        then()
    else:
        watcher = session.param.watch(look, ["working", "is_coming"])


def query(session: Session) -> dict[str, str]:
    """The part of the address that restores this state; theme is the browser's own affair.

    Rows that cannot run stay out of it: meanwhile it names the last good run, which is on screen.
    """
    good = session.last_good if session.problems else None
    state = {
        "lang": session.lang,
        "scenario": session.scenario_name,
        "budget": str(good.setup.budget if good else session.budget),
    }
    if session.face != "stage":
        state["face"] = session.face
        if session.tab != session.param.tab.default:
            state["tab"] = session.tab
    own = session.chosen.setup
    setup = difference(own, good.setup) if good else session.setup
    if setup and session.scenario_name != TRACE:
        state["setup"] = packed_setup(setup)
    lanes = session.shown_lanes if good else session.lanes
    if session.scenario_name != TRACE and not are_alike(lanes, session.own_lanes):
        state["lanes"] = packed_lanes(lanes)
    if session.traffic and session.scenario_name != TRACE:
        state["traffic"] = packed_setup(session.traffic)
    rows = _edited(session, typed(good) if good else session.rows)
    if rows is not None and (word := short(rows)):
        state["rows"] = word
    return state


def address(session: Session) -> str:
    """The same as text, to stand behind the question mark."""
    return urlencode(query(session), quote_via=quote, safe=",:=/@!;*")


def link_to(scene: str, scenario: Scenario, step: int) -> str:
    """The query that opens a scene at a step, changed so that it is `scenario`; "" if none can."""
    own = builtin(scene)
    state = {"scenario": scene, "step": str(step)}
    if scenario.setup.budget != own.setup.budget:
        state["budget"] = str(scenario.setup.budget)
    if setup := difference(own.setup, scenario.setup):
        state["setup"] = packed_setup(setup)
    if scenario.requests != own.requests:
        rows = typed(scenario)
        state["rows"] = short(packed(rows, own)) if len(rows) <= MOST_ROWS else ""
        if not state["rows"]:
            return ""
    return urlencode(state, quote_via=quote, safe=",:=/@!;*")


def is_edited(session: Session) -> bool:
    """Whether rows, budget or setup differ from what was chosen."""
    own = session.chosen
    has_other_rows = not session.read_only and packed(session.rows, own) != packed(typed(own), own)
    has_other_lanes = not are_alike(session.lanes, session.own_lanes)
    has_other_setup = session.budget != own.setup.budget or bool(session.setup)
    return has_other_rows or bool(session.traffic) or has_other_setup or has_other_lanes


def are_alike(lanes: Sequence[LaneSpec], others: Sequence[LaneSpec]) -> bool:
    """Whether lanes change the same, whatever their keys are."""
    blank = [replace(lane, key="") for lane in lanes]
    return blank == [replace(lane, key="") for lane in others]


# Values


def _told(key: str, **values: object) -> Told:
    """A sentence that can be said again when the language changes."""
    return lambda lang: say(lang, key, **values)


def _lang(session: Session, value: str | None) -> Complaint:
    if value is None:
        return None
    if value not in LANGUAGES:
        return _told("link.lang")
    session.lang = value
    return None


def _theme(session: Session, value: str | None) -> Complaint:
    """The browser applies it; here only a wrong one is told."""
    return _told("link.theme") if value not in (None, *THEMES) else None


def _scene(session: Session, found: Mapping[str, str]) -> tuple[str, Complaint]:
    """The scene to show; one that is not here takes with it what the link changed in it."""
    first = SYNTHETIC if session.face == "lab" else _DEFAULT_SCENE
    asked = found.get("scenario", first)
    if asked in session.param.scenario_name.objects:
        return asked, None
    if asked == TRACE:
        return _DEFAULT_SCENE, _told("link.trace")
    lines = [_told("link.scenario")]
    if found.keys() & {"budget", "rows", "setup", "lanes", "traffic", "step", "time"}:
        lines.append(_told("link.with_it"))
    return _DEFAULT_SCENE, lambda lang: join(lang, [line(lang) for line in lines])


def _inputs(session: Session, found: Mapping[str, str]) -> list[Complaint]:
    """Budget, setup and rows together, so that they are simulated once."""
    setup, dropped = _setup(session, found.get("setup"))
    traffic, left_out = _traffic(session, found.get("traffic"))
    rows = found.get("rows")
    table = None if rows is None or session.read_only else unpacked(rows, session.chosen)
    rows_shown = session.rows if table is None else table
    session.bound_budget(rows_shown)
    used, complaint = _budget(session, found.get("budget"))
    lanes, lane_complaints = _lanes(session, found.get("lanes"))
    asked = {"budget": used, "setup": setup, "rows": rows_shown, "lanes": lanes, "traffic": traffic}
    session.param.update({n: v for n, v in asked.items() if v != getattr(session, n)})
    is_damaged = rows is not None and table is None
    damage = _told("link.rows") if is_damaged else None
    return [complaint, dropped, left_out, *lane_complaints, damage]


def _traffic(session: Session, value: str | None) -> tuple[dict[str, str], Complaint]:
    """What the generator of a drawn scene is told, as far as it can be."""
    if value is None:
        return {}, None
    asked, unknown = unpacked_setup(value, generator.own("draw", "ms"))
    bad = unknown
    if session.scenario_name == SYNTHETIC:
        asked, bad = generator.known("draw", asked, session.chosen)
        bad = [*unknown, *bad]
    elif asked:
        asked, bad = {}, ["traffic"]
    return asked, _told("link.traffic", names=_listed(bad)) if bad else None


def _setup(session: Session, value: str | None) -> tuple[dict[str, str], Complaint]:
    """Options that are known and good by themselves; what they demand of one another is told."""
    asked, unknown = unpacked_setup(value or "")
    own = session.chosen.setup
    bad = bad_names(own, asked)
    kept = {name: typed for name, typed in asked.items() if name not in bad}
    names = [*unknown, *bad]
    complaint = _told("link.setup", names=_listed(names)) if names else None
    return differing(own, kept), complaint


def _lanes(session: Session, value: str | None) -> tuple[list[LaneSpec], list[Complaint]]:
    """Lanes with changes that are good by themselves; the scene's own if none is left."""
    if value is None:
        return session.lanes, []
    asked, dropped, count = unpacked_lanes(value)
    lanes = []
    for spec in asked:
        bad = bad_lane_names(session.chosen.setup, spec.changes)
        dropped += bad
        kept = {name: value for name, value in spec.changes.items() if name not in bad}
        forks = tuple(_good_fork(session, fork, dropped) for fork in spec.forks)
        lanes.append(replace(spec, changes={"mode": "continuous"} | kept, forks=forks))
    lines: list[Complaint] = []
    if dropped:
        lines.append(_told("link.lanes", names=_listed(dropped)))
    if count > MOST_LANES:
        lines.append(_told("link.lanes_most", asked=count, high=MOST_LANES))
    return lanes or session.lanes, lines


def _good_fork(session: Session, fork: Fork, dropped: list[str]) -> Fork:
    """The changes of a fork that are good by themselves; the others are noted."""
    bad = bad_lane_names(session.chosen.setup, fork.changes)
    dropped += bad
    return replace(fork, changes={n: v for n, v in fork.changes.items() if n not in bad})


def _listed(names: Sequence[str]) -> str:
    """Names, each once and not too many of them."""
    once = list(dict.fromkeys(names))
    return ", ".join(once[:MOST_NAMED]) + (" …" if len(once) > MOST_NAMED else "")


def _budget(session: Session, value: str | None) -> tuple[int, Complaint]:
    low, high = session.param.budget.bounds
    if value is None:
        return session.budget, None
    if not _WHOLE_NUMBER.fullmatch(value):
        return session.budget, _told("link.unreadable")
    asked = int(value)
    used = min(max(asked, low), high)
    if used == asked:
        return used, None
    figures = {"asked": f"{asked:,}", "low": low, "high": f"{high:,}", "used": f"{used:,}"}
    return used, _told("link.budget", **figures)


def _edited(session: Session, table: Sequence[Row]) -> str | None:
    """Rows, packed, if they are not the scene's own."""
    if session.read_only or session.scenario_name not in scenes():
        return None
    if len(table) > MOST_ROWS:
        return None
    own = builtin(session.scenario_name)
    rows = packed(table, own)
    return rows if rows != packed(typed(own), own) else None
