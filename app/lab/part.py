"""What a tab of the lab is, beside the comparison that all of them share."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from app.lane_names import heads
from app.session import Session

Publish = Callable[[], None]


class Part(ABC):
    """A tab: what it shows of a session, and what a person does there.

    It keeps what belongs to it alone, such as a sweep under way. `publish` sends what it shows
    again, if it is looked at.
    """

    def __init__(self, session: Session, publish: Publish) -> None:
        self.session = session
        self.publish = publish

    @property
    def names(self) -> list[str]:
        """What the setups are called, as a sentence begins with it."""
        lanes = self.session.played
        scenarios = [lane.history.scenario for lane in lanes]
        found = heads([lane.spec for lane in lanes], scenarios, self.session.lang)
        return [head["short"][:1].upper() + head["short"][1:] for head in found]

    def slow(self) -> Callable[[], None] | None:
        """What takes long and must be done in the background before it is shown, if anything."""
        return None

    @abstractmethod
    def shown(self) -> dict[str, Any]:
        """Everything the browser draws, in the session's language."""

    @abstractmethod
    def handle(self, data: dict[str, Any]) -> None:
        """A message of this tab; what is not understood changes nothing."""
