"""A look at an opened file: which column is what, what its arrivals count, and what else to decide.

Nothing is imported until a person says so; the traffic on the screen stays. Every choice is tried
on the file, and what an import would say stands below the first rows.
"""

from collections.abc import Callable, Mapping
from typing import Any

from app.generator_form import told
from app.i18n import say, words
from app.importing import Upload, look
from app.messages import trace_error, trace_note, trace_notes
from app.opening import open_trace
from app.session import Session
from app.setup_options import MOST_IN_A_BOX, number_of
from sim.traces import Options, Preview, TraceError
from sim.traces.importing import REPLAY
from sim.traces.sessions import NAMES
from sim.workload.fields import Fields

ROLES = ("arrival", "prompt", "output")
UNITS = ("s", "ms", "us", "ns")
BOXES = ("rate", "seed")
SWITCHES = ("spread", "loop")
MOST_COLUMNS = 40
_OF_A_REPLAY = dict.fromkeys(NAMES, "used") | {"prefix_len": "prompt"}  # besides its lengths


class Chooser:
    """What is decided about one file so far; `changed` is called when a slow look is over."""

    def __init__(self, session: Session, changed: Callable[[], None]) -> None:
        self._session = session
        self._changed = changed
        self._number = 0  # of the last look, so that an older one comes too late
        self._clear()
        session.param.watch(lambda *_: self._begin(), "is_choosing")

    def _clear(self) -> None:
        self._columns: dict[str, str] | None = None  # by role; None: as they are found
        self._found: Mapping[str, str] = {}  # the columns as they are found
        self._unit = ""
        self._typed = {"rate": "", "seed": "0"}
        self._on = dict.fromkeys(SWITCHES, False)
        self._seen: Preview | None = None
        self._is_late = False

    def _begin(self) -> None:
        """Start from how the file was read; a chooser that is closed forgets all."""
        self._clear()
        upload = self._session.upload
        if not self._session.is_choosing or upload is None:
            return
        options = upload.options
        self._columns = dict(options.get("columns") or {}) or None
        self._unit = options.get("unit") or ""
        if (rate := options.get("rate")) is not None:
            self._typed = {"rate": f"{rate:g}", "seed": str(options.get("seed", 0))}
        self._on = {"spread": options.get("spread", False), "loop": options.get("loop", False)}
        self._try(upload)

    # What a person does.

    def hear(self, data: Mapping[str, Any]) -> None:
        """One decision more; what is not understood changes nothing."""
        upload = self._session.upload
        if upload is None or not self._session.is_choosing:
            return
        match data:
            case {"do": "import"}:
                self._import(upload)
                return
            case {"do": "keep"}:
                self._session.is_choosing = False
                return
            case {"do": "role", "column": str(column), "role": str(role)} if role in (*ROLES, ""):
                self._cast(column, role)
            case {"do": "unit", "value": str(unit)} if unit in UNITS:
                self._unit = unit
            case {"do": "switch", "name": str(name), "value": bool(is_on)} if name in SWITCHES:
                self._on[name] = is_on
            case {"do": "box", "name": str(name), "value": str(typed)} if name in BOXES:
                self._typed[name] = typed[:MOST_IN_A_BOX].strip()
            case _:
                return
        self._try(upload)

    def _cast(self, column: str, role: str) -> None:
        """Give a column a role, or none; each role has one column."""
        if self._seen is None or column not in self._seen.columns:
            return
        kept = {r: name for r, name in self._roles().items() if column != name and r != role}
        roles = kept | ({role: column} if role else {})
        is_as_found = roles == dict(self._found)
        self._columns = None if is_as_found else {name: roles.get(name, "") for name in ROLES}

    def _import(self, upload: Upload) -> None:
        if self._seen is None or self._is_late or self._seen.problem or self._faults():
            return
        options = self._options()
        if self._seen.unit_from == "guess":
            options["unit"] = self._seen.unit  # it has been looked at
        elif not self._unit:
            options["unit"] = None
        open_trace(self._session, upload.name, upload.data, is_sure=True, **options)

    # What comes of it.

    def _roles(self) -> dict[str, str]:
        """The chosen columns by role."""
        chosen = self._found if self._columns is None else self._columns
        return {role: name for role, name in chosen.items() if name}

    def _fields(self) -> Fields:
        table = {name: number_of(typed) for name, typed in self._typed.items() if typed}
        return Fields(table, "ms", ("workload",))

    def _faults(self) -> dict[str, str]:
        """What is wrong with the boxes, by name."""
        if self._seen is None or "arrival" in self._roles():
            return {}
        fields = self._fields()
        if fields.has("rate"):
            fields.number("rate", 0.001, 1_000_000)
        fields.count("seed", 0, 2**63, 0)
        return dict(told(problem, self._session.lang) for problem in fields.problems)

    def _options(self) -> Options:
        options = Options(
            unit=self._unit or "guess",
            columns=self._columns,
            spread=self._on["spread"],
            loop=self._on["loop"],
        )
        if self._seen is not None and "arrival" not in self._roles() and not self._faults():
            fields = self._fields()
            if fields.has("rate"):
                options["rate"] = fields.number("rate", 0.001, 1_000_000)
            options["seed"] = fields.count("seed", 0, 2**63, 0)
        return options

    def _try(self, upload: Upload) -> None:
        """Look at the file with what is decided, in the background if it is large."""
        self._number += 1
        number, options = self._number, self._options()

        def then(seen: Preview | TraceError) -> None:
            if number == self._number and self._session.is_choosing:
                self._is_late = False
                self._take(seen)
                self._changed()

        if upload.is_long:
            self._is_late = True
            self._session.defer(lambda: look(upload, options), then)
            self._changed()
        else:
            then(look(upload, options))

    def _take(self, seen: Preview | TraceError) -> None:
        if isinstance(seen, TraceError):  # no table: there is nothing to choose
            fault = seen
            self._session.is_choosing = False
            self._session.announce(lambda lang: trace_error(fault, lang))
            return
        self._seen = seen
        if self._columns is None:
            self._found = seen.roles

    # What is shown.

    def shown(self) -> dict[str, Any] | None:
        """The chooser as the browser draws it; None while nothing is looked at."""
        upload, seen, lang = self._session.upload, self._seen, self._session.lang
        if not self._session.is_choosing or upload is None:
            return None
        answer = {
            "head": say(lang, "lab.workload.import_head", name=upload.name),
            "is_late": self._is_late,
            "lead": say(lang, f"lab.workload.import_{'again' if self._runs(upload) else 'lead'}"),
        }
        if seen is None:
            return answer | {"is_late": True}
        faults = self._faults()
        return (
            answer
            | self._table(seen)
            | self._units(seen)
            | {
                "boxes": self._boxes(seen, faults),
                "switches": self._switches(seen),
                "said": trace_notes(seen.notes, lang),
                "problem": "" if seen.problem is None else trace_error(seen.problem, lang),
                "can_import": seen.problem is None and not faults and not self._is_late,
            }
        )

    def _runs(self, upload: Upload) -> bool:
        """Whether what runs is this file."""
        return upload.name == self._session.chosen.name

    def _table(self, seen: Preview) -> dict[str, Any]:
        lang = self._session.lang
        is_replay = seen.format == REPLAY
        role_of = dict(_OF_A_REPLAY) if is_replay else {}
        role_of |= {name: role for role, name in self._roles().items()}
        places = [
            place
            for place, name in enumerate(seen.columns)
            if place < MOST_COLUMNS or name in role_of
        ]
        left_out = len(seen.columns) - len(places)
        return {
            "columns": [
                {"name": name, "role": role_of.get(name, "")}
                for name in (seen.columns[place] for place in places)
            ],
            "lines": [f"{line:,}" for line in seen.lines],
            "rows": [
                [row[place] for place in places] if len(row) == len(seen.columns) else list(row)
                for row in seen.rows
            ],
            "more": say(lang, "lab.workload.more_columns", n=left_out) if left_out else "",
            "can_cast": not is_replay,
        }

    def _units(self, seen: Preview) -> dict[str, Any]:
        lang, column = self._session.lang, self._roles().get("arrival", "")
        if not column or not (seen.rates or seen.unit == "calendar"):
            return {"unit_head": "", "units": []}
        key = seen.unit_from or "unknown"
        unit = words(lang, "lab.workload").get(f"unit_{seen.unit}", "")
        return {
            "unit_head": say(lang, f"lab.workload.unit_from_{key}", column=column, unit=unit),
            "units": [
                {
                    "value": unit,
                    "name": words(lang, "lab.workload")[f"unit_{unit}"],
                    "text": trace_note(note, lang),
                    "is_chosen": unit == seen.unit,
                }
                for unit, note in seen.rates.items()
            ],
        }

    def _boxes(self, seen: Preview, faults: Mapping[str, str]) -> list[dict[str, str]]:
        """What made-up arrivals are drawn from, where the file has none."""
        roles = self._roles()
        if "arrival" in roles or len(roles) < 2 or seen.format == REPLAY:
            return []
        table = words(self._session.lang, "lab.workload")
        return [
            {
                "name": name,
                "label": table[f"made_{name}"],
                "value": self._typed[name],
                "fault": faults.get(name, ""),
            }
            for name in BOXES
        ]

    def _switches(self, seen: Preview) -> list[dict[str, Any]]:
        """What can be switched on about this file."""
        rules = {note.rule for note in seen.notes}
        is_replay = seen.problem is not None and seen.problem.rule == "closed_loop"
        offered = {"spread": "batched_arrivals" in rules, "loop": is_replay}
        return [
            {
                "name": name,
                "label": say(self._session.lang, f"lab.workload.do_{name}"),
                "is_on": self._on[name],
            }
            for name in SWITCHES
            if offered[name] or self._on[name]
        ]
