"""What a person does to the lanes of a session: add, copy, move, remove, name and change them."""

from collections.abc import Mapping, Sequence

from app import lane_specs
from app.inputs import Found, Runs, lane_scenarios
from app.lane_names import titles
from app.lane_runs import Played
from app.lane_specs import LaneSpec
from app.messages import named, not_added
from app.session import Session
from app.setup_options import shared_presets, texts
from sim import Scenario


def add(session: Session, base: str) -> None:
    """One more lane: the shared setup in a mode, or a scheduler by name.

    One that cannot run here is not added, and `notice` says why.
    """
    put(session, lane_specs.added(session.lanes, base))


def put(session: Session, lanes: Sequence[LaneSpec]) -> None:
    """Other lanes, unless one of them is new and cannot run; then `notice` says why."""
    new = {spec.key for spec in lanes} - {spec.key for spec in session.lanes}
    shared = session.last_good

    def then(outcome: tuple[Runs, Found]) -> None:
        faults = [problem for spec, problem in outcome[1] if spec and spec.key in new]
        if not faults:
            session.lanes = list(lanes)
            return
        key = new.pop()
        session.notice = ""
        rows = session.rows or named(shared.requests)
        session.announce(lambda lang: not_added(titles(lanes, lang)[key], faults[0], lang, rows))

    if session.read_only:
        session.defer(lambda: lane_scenarios(shared, lanes, play=unplayed), then)
    else:
        then(lane_scenarios(shared, lanes))


def unplayed(spec: LaneSpec, scenario: Scenario) -> Played:
    """Instead of a long run, which is judged when it is shown: nothing is known of it."""
    return Played(None)


def copy(session: Session, key: str) -> None:
    """One more lane like this one."""
    session.lanes = lane_specs.copied(session.lanes, key)


def remove(session: Session, key: str) -> None:
    """One lane less; the last one stays."""
    session.lanes = lane_specs.removed(session.lanes, key)


def move(session: Session, key: str, step: int) -> None:
    """Another place among the lanes."""
    session.lanes = lane_specs.moved(session.lanes, key, step)


def rename(session: Session, key: str, name: str) -> None:
    """A name of its own; without one it is called by what it changes."""
    session.lanes = lane_specs.named(session.lanes, key, name)


def change(session: Session, key: str, changes: Mapping[str, str | None]) -> None:
    """Change what one lane has of its own; None takes a change back."""
    spec = next((spec for spec in session.lanes if spec.key == key), None)
    if spec and spec.forks:
        before = session.before_fork(spec)
        own = texts(before.scenario.setup) if before is not None else {}
        session.lanes = lane_specs.changed(session.lanes, key, changes, own)
    elif mode := changes.get("mode"):
        put_preset(session, mode, key)
    else:
        session.lanes = lane_specs.changed(session.lanes, key, changes, session.shared_texts())


def put_preset(session: Session, name: str, lane: str = "") -> None:
    """Schedule a lane, or what all lanes share, as the preset of this name does."""
    if lane:
        session.lanes = lane_specs.rebased(session.lanes, lane, name)
    else:
        session.set_setup(shared_presets().get(name, {}))
