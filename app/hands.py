"""What a person does in a lane that is played by hand: begin, give a round, take one back, let go.

A run by hand is its lane's `hand`, a tuple of rounds; each of these makes another one. A round that
is not legal changes nothing: the lane keeps what is wrong with it until the next try.
"""

from collections.abc import Mapping
from dataclasses import replace

from app import lane_edits
from app.lane_specs import MOST_LANES, Fork, Grants, LaneSpec, base_of, free_key
from app.lanes import Lane
from app.session import Session
from sim import by_hand

MOST_TOKENS = 10**6
MOST_IDS = 200


def begin(session: Session, key: str) -> None:
    """One more lane like this one, from its start, with nothing given yet."""
    spec = _spec(session, key)
    if spec and len(session.lanes) < MOST_LANES:
        new = LaneSpec(free_key(base_of(spec.changes) or key, session.lanes), spec.changes, hand=())
        place = session.lanes.index(spec) + 1
        lane_edits.put(session, [*session.lanes[:place], new, *session.lanes[place:]])


def give(session: Session, key: str, grant: Mapping[str, int]) -> None:
    """Execute a round if it is legal, else note what is wrong with it."""
    lane = _lane(session, key)
    if not lane or not lane.is_open or len(grant) > MOST_IDS:
        return
    pairs = tuple((id_, n) for id_, n in grant.items() if abs(n) <= MOST_TOKENS)
    grants = (*_played(lane), pairs)
    lane.faults = by_hand(lane.history.scenario, grants).problems
    if lane.faults:
        session.show_again()
    else:
        _put(session, key, grants)


def undo(session: Session, key: str) -> None:
    """Take the last round back."""
    if (lane := _lane(session, key)) and lane.spec.hand is not None:
        _put(session, key, _played(lane)[:-1])


def finish(session: Session, key: str) -> None:
    """Let the policy go on from here, with its own run beside, to be compared."""
    lane = _lane(session, key)
    if lane and lane.is_open:
        fork = Fork(len(lane.history) + 1, {})
        session.lanes = [
            replace(spec, hand=_played(lane), forks=(fork,)) if spec.key == key else spec
            for spec in session.lanes
        ]
        compare(session, key)


def compare(session: Session, key: str) -> None:
    """The policy's own run in the lane after this one, unless it stands somewhere already."""
    spec = _spec(session, key)
    if not spec or len(session.lanes) >= MOST_LANES:
        return
    plain = replace(spec, forks=(), hand=None, name="", origin="")
    if all(replace(other, key=key, name="", origin="") != plain for other in session.lanes):
        place = session.lanes.index(spec) + 1
        new = replace(plain, key=free_key(base_of(spec.changes) or key, session.lanes))
        session.lanes = [*session.lanes[:place], new, *session.lanes[place:]]


def _played(lane: Lane) -> Grants:
    """The rounds that were executed: without those that are not legal any more."""
    return (lane.spec.hand or ())[: len(lane.history)]


def _put(session: Session, key: str, grants: Grants) -> None:
    session.lanes = [
        replace(spec, hand=grants, forks=()) if spec.key == key else spec for spec in session.lanes
    ]


def _spec(session: Session, key: str) -> LaneSpec | None:
    return next((spec for spec in session.lanes if spec.key == key), None)


def _lane(session: Session, key: str) -> Lane | None:
    """The lane on the screen; none if what is typed now cannot run."""
    return next((lane for lane in session.played if lane.key == key), None)
