"""What lanes are called, and what differs between them, in the learner's language.

A lane is told from the others without numbers to remember: by the name a person gave it, else by
what it began as, and by what was changed in it. Two that are alike are a lane and its copy.
"""

from collections.abc import Iterable, Mapping, Sequence

from app.i18n import say
from app.lane_specs import (
    CELLS,
    NEW,
    LaneSpec,
    base_of,
    bases,
    cells,
    is_cell,
    own_changes,
    request_field,
)
from app.setup_form import parts, phrases, value_text
from app.setup_options import every_option, lane_options, meaningless, shown, texts
from sim import Scenario
from sim.reading import written

MOST_NAMED = 2  # changes in a title
MOST_DIFFERENCES = 3
MOST_IN_RULE = 3  # parts of a lane's rule on the stage

Head = dict[str, str]


def heads(specs: Sequence[LaneSpec], scenarios: Sequence[Scenario], lang: str) -> list[Head]:
    """Title, short title and rule of each lane."""
    titles = _apart([title(spec, lang) for spec in specs], lang)
    shorts = _apart(_shorts(specs, scenarios, lang), lang)
    comma = phrases(lang, "setup.says")["comma"]
    setups = [scenario.setup for scenario in scenarios]
    rules = [parts(setup, lang, meaningless(setup.mode)) for setup in setups]
    return [
        {
            "title": name,
            "short": short,
            "rule": comma.join(_in_short(rule, rules)),
            "rule_full": comma.join(rule),
        }
        for name, short, rule in zip(titles, shorts, rules, strict=True)
    ]


def _in_short(rule: list[str], rules: Sequence[list[str]]) -> list[str]:
    """How it batches, its budget, then what not all lanes have: as much as a glance takes in."""
    own = [part for part in rule[2:] if not all(part in other for other in rules)]
    return [*rule[:2], *own, *(part for part in rule[2:] if part not in own)][:MOST_IN_RULE]


def with_twins(heads_: Sequence[Head], twins: Sequence[int | None], lang: str) -> list[Head]:
    """Rules that say first whose rounds a lane has too; `twins` are the places of those."""
    return [
        head
        if twin is None
        else head | {"rule": say(lang, "lane.twin", lane=heads_[twin]["short"], rule=head["rule"])}
        for head, twin in zip(heads_, twins, strict=True)
    ]


def titles(specs: Sequence[LaneSpec], lang: str) -> dict[str, str]:
    """The title of each lane, by its key."""
    names = _apart([title(spec, lang) for spec in specs], lang)
    return {spec.key: name for spec, name in zip(specs, names, strict=True)}


def title(spec: LaneSpec, lang: str) -> str:
    """What a person calls a lane or the one it parts from, else what it began as and changed."""
    if spec.name:
        return spec.name
    name = _with(phrases(lang, "lane.name")[_began_as(spec)], own_changes(spec), lang)
    return _parted(spec.origin or name, spec, lang)


def _parted(name: str, spec: LaneSpec, lang: str, start: str = "from_round") -> str:
    """A name with who plays, and with the last fork and what it changes."""
    parts_ = [name] if name else []
    if spec.hand is not None:
        parts_.append(say(lang, "lane.by_hand"))
    if spec.forks:
        last = spec.forks[-1]
        goes_by_policy = spec.hand is not None and not last.changes
        key = "policy_from" if goes_by_policy else start
        text = say(lang, f"lane.{key}", number=last.round)
        listed = _with("", last.changes, lang)
        parts_.append(say(lang, "lane.from_then", start=text, changes=listed) if listed else text)
    return phrases(lang, "lane")["beside"].join(parts_)


def base_titles(lang: str) -> list[list[str]]:
    """What a lane can begin as: names and titles."""
    known = phrases(lang, "lane.name")
    return [[name, known[name]] for name in bases()]


def _began_as(spec: LaneSpec) -> str:
    return base_of(spec.changes) or _mode(spec)


def _mode(spec: LaneSpec) -> str:
    """A mode typed wrong, as a file or a link may have it, still needs a name."""
    mode = spec.changes.get("mode", "")
    return mode if mode in bases() else "continuous"


def _shorts(specs: Sequence[LaneSpec], scenarios: Sequence[Scenario], lang: str) -> list[str]:
    """Names for narrow places: without the base where all lanes have the same one.

    Who then changes nothing is called by what it has of that which the others change.
    """
    known = phrases(lang, "lane.short")
    is_same = len({_began_as(spec) for spec in specs}) == 1 < len(specs)
    changed = {name for spec in specs if is_same for name in own_changes(spec)}
    result = []
    for spec, scenario in zip(specs, scenarios, strict=True):
        if spec.name:
            result.append(spec.name)
            continue
        setup = texts(scenario.setup)
        shared = {name: setup[name] for name in changed if name in setup}
        own = own_changes(spec) or shared
        name = "" if spec.forks or (is_same and own) else known[_began_as(spec)]
        name = spec.origin or _with(name, own, lang)
        result.append(_parted(name, spec, lang, "from_short"))
    return result


def _with(name: str, changes: Mapping[str, str], lang: str) -> str:
    """A name with the first changes behind it."""
    said = [say(lang, "lane.new", id=id_) for id_ in cells(changes, NEW)]
    kept = (name for name in changes if not name.startswith(NEW))
    said += [change_text(one, changes[one], lang) for one in _in_order(kept)]
    more = [say(lang, "lane.more")] if len(said) > MOST_NAMED else []
    listed = phrases(lang, "setup.says")["comma"].join(said[:MOST_NAMED] + more)
    return (
        say(lang, "lane.changed", name=name, changes=listed) if name and listed else name or listed
    )


def _in_order(names: Iterable[str]) -> list[str]:
    """Options in the order of the form, then requests."""
    places = {name: place for place, name in enumerate(every_option())}
    return sorted(names, key=lambda name: (places.get(name, len(places)), name))


def change_text(name: str, typed_: str, lang: str) -> str:
    """One change in a few words: `budget 6`, `served first: decodes`, `C: arrival 0`."""
    if is_cell(name):
        id_, field = request_field(name)
        return say(lang, "lane.of_request", id=id_, field=_field(field, lang), value=typed_)
    return _setting(name, value_text(name, typed_, lang), lang)


def _setting(name: str, value: str, lang: str) -> str:
    """An option's label with its value behind it: after a colon where that is in words."""
    is_worded = every_option()[name].kind in ("choice", "bool")
    key = "lane.set_to" if is_worded else "lane.value"
    return say(lang, key, name=label(name, lang), value=value)


def label(name: str, lang: str) -> str:
    """An option's label inside a sentence: small, unless it begins with a name."""
    text = say(lang, f"setup.label.{name}")
    return text if text[:2].isupper() else text[:1].lower() + text[1:]


def _apart(names: list[str], lang: str) -> list[str]:
    """Names no two of which are the same: the second of two alike is a copy."""
    result: list[str] = []
    for name in names:
        same = sum(name == other for other in names[: len(result)])
        key = "lane.copy" if same == 1 else "lane.copy_n"
        result.append(say(lang, key, name=name, number=same) if same else name)
    return result


# What differs.


def differences(scenarios: Sequence[Scenario], lang: str, names: Sequence[str] = ()) -> str:
    """What the lanes do not have in common beside how they batch, in one line; or nothing.

    Among more than two lanes their `names` tell which has which value.
    """
    said = [
        _setting(name, _of_lanes(name, values, names, lang), lang)
        for name, values in _differing_options(scenarios)
    ]
    said += [text for _, text in _differing_requests(scenarios, lang)]
    return _listed(said, lang)


def differences_in_short(scenarios: Sequence[Scenario], lang: str) -> str:
    """The same without values, for a line that has no room for them."""
    said = [label(name, lang) for name, _ in _differing_options(scenarios)]
    return _listed(said + [name for name, _ in _differing_requests(scenarios, lang)], lang)


def _listed(said: Sequence[str], lang: str) -> str:
    if not said:
        return ""
    more = [say(lang, "lane.differs_more", count=len(said) - MOST_DIFFERENCES)]
    listed = list(said[:MOST_DIFFERENCES]) + (more if len(said) > MOST_DIFFERENCES else [])
    comma = phrases(lang, "setup.says")["comma"]
    return say(lang, "lane.differs", changes=comma.join(listed))


def _of_lanes(
    option: str, values: Mapping[str, Sequence[int]], names: Sequence[str], lang: str
) -> str:
    """An option's values, with the lanes that have them where their names do not tell."""
    worded = {value_text(option, value, lang): places for value, places in values.items()}
    own = {text: _setting(option, text, lang) for text in worded}
    if len(names) <= 2 or all(own[text] in names[i] for text in worded for i in worded[text]):
        return _beside(list(worded))
    comma = phrases(lang, "names")["comma"]
    lanes = {text: comma.join(names[i] for i in places) for text, places in worded.items()}
    return " / ".join(say(lang, "lane.in_lanes", value=text, lanes=lanes[text]) for text in worded)


def _differing_options(scenarios: Sequence[Scenario]) -> list[tuple[str, dict[str, list[int]]]]:
    """Options with their values and the places of the lanes that have them.

    Only those of which lanes in which they mean something have several.
    """
    tables = [(texts(scenario.setup), meaningless(scenario.setup.mode)) for scenario in scenarios]
    found = []
    for name in lane_options():
        values: dict[str, list[int]] = {}
        for place, (table, silent) in enumerate(tables):
            if name not in silent:
                values.setdefault(table[name], []).append(place)
        if name != "mode" and len(values) > 1:
            found.append((name, values))
    return found


def _differing_requests(scenarios: Sequence[Scenario], lang: str) -> list[tuple[str, str]]:
    """Fields of requests that lanes have changed, and requests that only some have.

    Each as its name, and with its values.
    """
    if all(scenario.requests == scenarios[0].requests for scenario in scenarios):
        return []
    lists = [{request.id: request for request in scenario.requests} for scenario in scenarios]
    common = [id_ for id_ in lists[0] if all(id_ in one for one in lists[1:])]
    more = dict.fromkeys(id_ for one in lists for id_ in one if len(one) > len(common))
    new = (say(lang, "lane.new", id=id_) for id_ in more if id_ not in set(common))
    said = [(text, text) for text in new]
    for id_ in common:
        requests = [one[id_] for one in lists]
        if all(request is requests[0] for request in requests):
            continue
        tables = [written(request, scenarios[0].setup.time) for request in requests]
        for name in CELLS:
            values = list(dict.fromkeys(shown(table.get(name)) or "–" for table in tables))
            if len(values) > 1:
                cell = say(lang, "lane.cell", id=id_, field=_field(name, lang))
                said.append((cell, say(lang, "lane.value", name=cell, value=_beside(values))))
    return said


def _field(name: str, lang: str) -> str:
    """The head of a column of the request table; the name in a file where there is none."""
    return phrases(lang, "field").get(name, name)


def _beside(values: Sequence[str]) -> str:
    """`4 → 6`, or `4 / 6 / 8`."""
    return (" → " if len(values) == 2 else " / ").join(values)
