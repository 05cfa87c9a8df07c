"""The tab of the traffic: pictures of it, the form it comes from, and a file on its way in."""

from collections.abc import Callable
from typing import Any

from app.draft import QUICK_REQUESTS, Draft
from app.generator import own, told_in_short
from app.i18n import say
from app.lab.chooser import Chooser
from app.lab.part import Part, Publish
from app.lab.traffic_pictures import pictures
from app.session import Session
from app.setup_options import merged
from sim import Scenario
from sim.files import SYNTHETIC
from sim.reading import read
from sim.setup import Setup

Key = tuple[Scenario, str] | tuple[()]  # what pictures are of, and their language


class Traffic(Part):
    """Shows the traffic and what is typed to change it."""

    def __init__(self, session: Session, publish: Publish) -> None:
        super().__init__(session, publish)
        self._draft = Draft(session, publish)
        self._chooser = Chooser(session, publish)
        self._now: tuple[Key, dict[str, Any]] = ((), {})  # the pictures of what runs
        self._next: tuple[Key, dict[str, Any]] = ((), {})  # and of what is typed

    def shown(self) -> dict[str, Any]:
        """The sentence, the pictures, the form, and the look at a file."""
        session = self.session
        form = self._draft.form()
        now = self._pictures()
        return {
            "sentence": now["sentence"],
            "source": self._source(),
            "can_look": self._can_look(),
            "now": now,
            "draft": self._drafted(),
            "form": form,
            "can_fill": not session.read_only,
            "file": self._chooser.shown(),
        }

    def handle(self, data: dict[str, Any]) -> None:
        match data:
            case {"do": "form", "what": str(what), "values": dict(values)}:
                self._draft.hear(what, values)
            case {"do": "fill", "open": bool(is_open)}:
                self._draft.fill(is_open=is_open)
            case {"do": "look"} if self.session.upload:
                self.session.is_choosing = True
            case _:
                self._chooser.hear(data)
        self.publish()

    def _can_look(self) -> bool:
        """Whether what runs is the last file."""
        upload = self.session.upload
        return upload is not None and upload.name == self.session.chosen.name

    def _source(self) -> str:
        """Where the requests come from, if a sentence can say it."""
        session, lang = self.session, self.session.lang
        if session.scenario_name == SYNTHETIC:
            seed = (own("draw", "ms") | session.traffic)["seed"]
            return say(lang, "lab.workload.from_seed", seed=seed)
        if self._can_look():
            return say(lang, "lab.workload.from_file", name=session.chosen.name)
        return ""

    def slow(self) -> Callable[[], None] | None:
        """The pictures of many requests, where they are not there yet."""
        known = (self._now[0], self._next[0])
        keys = (self._key_of_now(), self._key_of_next() or self._next[0])
        is_there = keys == known
        if is_there or max(len(key[0].requests) for key in keys if key) <= QUICK_REQUESTS:
            return None

        def job() -> None:
            self._pictures()
            self._drafted()

        return job

    def _key_of_now(self) -> Key:
        return (self.session.last_good, self.session.lang)

    def _pictures(self) -> dict[str, Any]:
        key = self._key_of_now()
        if key != self._now[0]:
            self._now = (key, _pictures(*key))
        return self._now[1]

    def _key_of_next(self) -> Key | None:
        """What is typed, where it differs from what runs and can be drawn."""
        mode, requests = self._draft.mode, self._draft.requests
        if mode is None or not self._draft.is_typed or not requests:
            return None
        scenario = self.session.last_good
        values = self._draft.values(mode)
        setup = _in_loop(scenario.setup, values) if mode == "draw" else scenario.setup
        return (Scenario(setup, requests), self.session.lang)

    def _drafted(self) -> dict[str, Any] | None:
        """Its pictures."""
        key = self._key_of_next()
        if key is not None and key != self._next[0]:
            self._next = (key, _pictures(*key))
        return None if key is None else self._next[1]


def _pictures(scenario: Scenario, lang: str) -> dict[str, Any]:
    """The pictures of its requests, and the sentence about them."""
    if not scenario.requests:
        return {"sentence": ""}
    told = told_in_short(scenario, lang)
    return pictures(scenario.requests, scenario.setup, lang) | {"sentence": told}


def _in_loop(setup: Setup, values: dict[str, str]) -> Setup:
    """The setup with the loop that is typed, or as it is if that is none."""
    clients = values["concurrency"] if values["loop"] == "closed" else ""
    found, problems = read({"setup": merged(setup, {"concurrency": clients}), "requests": []})
    return setup if problems else found["setup"]
