"""Files that runs are saved as. No toolkit here: a worker makes those of long runs."""

import io
import json
import re
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from sim import History
from sim.chrome import to_chrome
from sim.export import csv_texts, to_json

COMPRESSION = 1  # the fastest
FILE_SIGNS = re.compile(r"[^\w-]+")


@dataclass(frozen=True, slots=True)
class Saved:
    """A file on its way to the browser, packed: a run as JSON shrinks to a tenth."""

    name: str
    mime: str
    packed: bytes

    @classmethod
    def of(cls, name: str, mime: str, content: bytes) -> Self:
        """A file of this content."""
        return cls(name, mime, zlib.compress(content, COMPRESSION))

    @property
    def content(self) -> bytes:
        """What the browser unpacks."""
        return zlib.decompress(self.packed)


def made(kind: str, stem: str, names: Sequence[str], *histories: History) -> Saved:
    """The runs as a file of one of the `KINDS`; no two names may name the same folder."""
    return _MAKERS[kind](stem, dict(zip(names, histories, strict=True)))


def folder(name: str) -> str:
    """A name without signs that mean something to a file system."""
    return FILE_SIGNS.sub("-", name)


def _csv(stem: str, histories: Mapping[str, History]) -> Saved:
    """Four tables a lane, in a folder of its name."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for key, history in histories.items():
            for name, text in csv_texts(history).items():
                archive.writestr(f"{folder(key)}/{name}", text)
    return Saved.of(f"{stem}-csv.zip", "application/zip", content.getvalue())


def _json(stem: str, histories: Mapping[str, History]) -> Saved:
    """What the command line prints with --json, a lane each, by its name."""
    lanes = {key: to_json(history) for key, history in histories.items()}
    return Saved.of(f"{stem}.json", "application/json", json.dumps(lanes).encode())


def _chrome(stem: str, histories: Mapping[str, History]) -> Saved:
    text = json.dumps(to_chrome(*histories.values(), names=list(histories)))
    return Saved.of(f"{stem}-trace.json", "application/json", text.encode())


_MAKERS: Mapping[str, Callable[[str, Mapping[str, History]], Saved]] = {
    "csv": _csv,
    "json": _json,
    "chrome": _chrome,
}
KINDS = tuple(_MAKERS)
