"""What goes into a run: requests and setup in one frozen, hashable record.

One schema serves scenario files (TOML, JSON), the command line and the page. `Scenario.from_dict`
reports every broken rule at once. Times are integers inside (see `clock`), decimals in files.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from sim import reading, rules
from sim.problems import ScenarioError
from sim.setup import Request, Setup

MOST_HASHED = 64  # requests: of a long trace the first ones tell it from others


@dataclass(frozen=True, slots=True)
class Scenario:
    """Requests and setup: everything a run depends on."""

    setup: Setup
    requests: tuple[Request, ...]
    name: str = ""
    note: str = ""
    seed: int = 0

    def __hash__(self) -> int:
        return hash((self.setup, len(self.requests), self.requests[:MOST_HASHED], self.seed))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read the schema of scenario files; times are numbers in ms or ticks.

        Raises:
            ScenarioError: with every problem found.
        """
        values, problems = reading.read(data)
        if problems:
            raise ScenarioError(tuple(problems))
        return cls(**values)._checked()

    def to_dict(self) -> dict[str, Any]:
        """The same schema; fields at their default are left out."""
        unit = self.setup.time
        data: dict[str, Any] = {}
        for key in ("name", "note", "seed"):
            if getattr(self, key):
                data[key] = getattr(self, key)
        data["setup"] = reading.written(self.setup, unit)
        data["requests"] = [reading.written(request, unit) for request in self.requests]
        return data

    def with_setup(self, **changes: Any) -> Self:
        """The same requests under a changed setup, checked again; times are internal units.

        Raises:
            ScenarioError: the changed setup breaks rules.
        """
        setup = replace(self.setup, **changes)
        _, problems = reading.read({"setup": reading.written(setup, setup.time)})  # for the bounds
        if problems:
            raise ScenarioError(tuple(problems))
        return replace(self, setup=setup)._checked()

    def under(self, setup: Mapping[str, Any]) -> Self:
        """The same requests under a setup as a file has it, checked again.

        Raises:
            ScenarioError: with every problem found.
        """
        if setup.get("time", "ms") != self.setup.time:  # the requests' times are read anew
            return type(self).from_dict({**self.to_dict(), "setup": setup})
        values, problems = reading.read({"setup": setup})
        if problems:
            raise ScenarioError(tuple(problems))
        return replace(self, setup=values["setup"])._checked()

    @property
    def without_goals(self) -> Self:
        """The same without objectives and window of load, which change no round."""
        return replace(self, setup=replace(self.setup, slo=None, window=None))

    @property
    def most_rounds(self) -> int:
        """An upper bound of the rounds of its run."""
        return rules.most_rounds(self.setup, self.requests)

    @property
    def chance_seed(self) -> int:
        """The seed of what is drawn during a run: the setup's, else the file's."""
        return self.seed if self.setup.seed is None else self.setup.seed

    def _checked(self) -> Self:
        if problems := rules.check(self.setup, self.requests):
            raise ScenarioError(tuple(problems))
        return self
