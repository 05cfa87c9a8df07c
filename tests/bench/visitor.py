"""A visitor without a browser: one session of a running page, over the protocol browsers speak.

Opens the page, takes its token, asks for the document over the websocket, and sends the messages
that the browser code sends. It keeps what the player was told last and draws nothing, so that one
process can be a whole classroom.
"""

import asyncio
import json
import re
from itertools import count
from types import TracebackType
from typing import Any, Self

from tornado.httpclient import AsyncHTTPClient
from tornado.websocket import WebSocketClientConnection, websocket_connect

MOST_BYTES = 64 * 2**20
MOST_SECONDS = 120
SEEN = {
    "payload": ("Player", "payload"),
    "view": ("Shell", "view"),
    "lab": ("Lab", "view"),
    "part": ("Lab", "part"),
}
PARTS = ("Shell", "Player", "SetupPanel", "Lab")
PART_BYTES = 2**20  # of a file that is sent
_TOKEN = re.compile(r'"token":\s*"([^"]+)"')


class ClosedError(Exception):
    """The server has closed the connection."""


class Visitor:
    """`async with Visitor(url, query) as visitor`: opened when the block begins, then closed."""

    def __init__(self, url: str, query: str = "") -> None:
        self._address = f"{url.removeprefix('http://')}/app" + (f"?{query}" if query else "")
        self._is_mine = asyncio.Lock()
        self._replies: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self._numbers = count(1)
        self._changed = asyncio.Condition()
        self._places: dict[tuple[str, str], str] = {}
        self._wishes = count(1)
        self.saved: list[str] = []  # names of the files that came
        self.seen: dict[str, Any] = {}  # what the names of `SEEN` are now

    async def __aenter__(self) -> Self:
        client = AsyncHTTPClient()
        page = await client.fetch(
            f"http://{self._address}", connect_timeout=MOST_SECONDS, request_timeout=MOST_SECONDS
        )
        token = _TOKEN.search(page.body.decode())
        assert token, "a page without a session"
        path, _, query = self._address.partition("?")
        self._socket: WebSocketClientConnection = await websocket_connect(
            f"ws://{path}/ws?{query}",
            subprotocols=["bokeh", token[1]],
            max_message_size=MOST_BYTES,
            connect_timeout=MOST_SECONDS,
        )
        assert self._socket.protocol, "is connected"
        self._socket.protocol.set_nodelay(True)  # as browsers do
        await self._receive()  # that it is connected
        self._listener = asyncio.create_task(self._listen())
        document = await self._ask("PULL-DOC-REQ", {})
        parts = dict(_parts(document["doc"]))
        self._ids = {name: parts[name]["id"] for name in PARTS}
        self._data = {name: parts[name]["attributes"]["data"]["id"] for name in PARTS}
        for name, (part, attribute) in SEEN.items():
            data = parts[part]["attributes"]["data"]
            self._places[data["id"], attribute] = name
            self.seen[name] = json.loads(data["attributes"].get(attribute, "{}"))
        await self._patch({"type": "event", "name": "document_ready", "values": {"type": "map"}})
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._listener.cancel()
        self._socket.close()

    async def send(self, message: dict[str, Any], to: str = "Shell", *buffers: bytes) -> None:
        """A message of one of the `PARTS`; returns when the server has dealt with it."""
        values = {"model": {"id": self._ids[to]}, "data": coded(message)}
        event = {"type": "event", "name": "data_event", "values": coded(values)}
        await self._patch(event, *buffers)

    async def send_file(self, name: str, content: bytes, to: str = "Shell") -> None:
        """A file in parts, as the browser sends it."""
        for at in range(0, len(content), PART_BYTES):
            part, is_last = content[at : at + PART_BYTES], at + PART_BYTES >= len(content)
            word = {"type": "bytes", "data": {"id": "0"}}
            await self.send({"type": "file", "name": name, "part": word, "last": is_last}, to, part)

    async def wish(self, attribute: str, wish: dict[str, Any]) -> None:
        """What the stage asks for: `command`, or `window_request`."""
        new = coded(wish | {"seq": next(self._wishes)})
        model = {"id": self._data["Player"]}
        change = {"kind": "ModelChanged", "model": model, "attr": attribute, "new": new}
        await self._ask("PATCH-DOC", {"events": [change]})

    async def _patch(self, event: dict[str, Any], *buffers: bytes) -> None:
        patch = {"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": event}
        await self._ask("PATCH-DOC", {"events": [patch]}, *buffers)

    async def set_budget(self, value: int) -> None:
        """An edit; returns when its run is there."""
        run = self.seen["payload"]["run"]
        await self.send({"type": "budget", "value": value})
        await self.wait(lambda: self.seen["payload"]["run"] != run)

    async def play(self, most: int = 3) -> None:
        """Play on: of a long run window after window. A short one is played without the server."""
        for _ in range(most):
            shown = self.seen["payload"]
            if shown["whole"] or shown["t1"] >= shown["overview"]["t1"]:
                return
            await self.wish("window_request", {"t": shown["t1"], "run": shown["run"]})
            await self.wait(lambda shown=shown: self.seen["payload"] is not shown)

    async def ping(self) -> None:
        """Ask the server for what costs it nothing: how long that takes is how long it was busy."""
        await self._ask("SERVER-INFO-REQ", {})

    async def wait(self, is_true: Any) -> None:
        """Until what is seen is as asked."""
        async with self._changed, asyncio.timeout(MOST_SECONDS):
            await self._changed.wait_for(is_true)

    async def _ask(self, kind: str, content: dict[str, Any], *buffers: bytes) -> dict[str, Any]:
        number = str(next(self._numbers))
        self._replies[number] = asyncio.get_running_loop().create_future()
        header = {"msgid": number, "msgtype": kind, "num_buffers": len(buffers)}
        async with self._is_mine:
            for part in (header, {}, content):
                await self._socket.write_message(json.dumps(part))
            for place, buffer in enumerate(buffers):
                await self._socket.write_message(json.dumps({"id": str(place)}))
                await self._socket.write_message(buffer, binary=True)
        async with asyncio.timeout(MOST_SECONDS):
            reply = await self._replies[number]
        del self._replies[number]
        return reply

    async def _receive(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The next message: its header and its content."""
        parts = [await self._socket.read_message() for _ in range(3)]
        if None in parts:
            raise ClosedError
        header, _, content = (json.loads(part) for part in parts if part is not None)
        for _ in range(2 * header.get("num_buffers", 0)):
            await self._socket.read_message()
        return header, content

    async def _listen(self) -> None:
        try:
            while True:
                header, content = await self._receive()
                if header["msgtype"] == "PATCH-DOC":
                    await self._note(content["events"])
                elif (reply := self._replies.get(header.get("reqid", ""))) and not reply.done():
                    reply.set_result(content)
        except Exception as error:  # whatever it is, those who wait must hear of it
            for reply in self._replies.values():
                reply.set_exception(error)

    async def _note(self, events: list[dict[str, Any]]) -> None:
        for event in events:
            if event["kind"] == "MessageSent":
                said = plain(plain(event["msg_data"])["values"])
                if isinstance(data := said.get("data"), dict) and data.get("type") == "saved":
                    self.saved.append(data["name"])
            elif event["kind"] == "ModelChanged":
                place = self._places.get((event["model"]["id"], event["attr"]))
                if place:
                    self.seen[place] = json.loads(event["new"])
        async with self._changed:
            self._changed.notify_all()


def coded(value: dict[str, Any]) -> dict[str, Any]:
    """A dictionary as Bokeh writes it."""
    return {"type": "map", "entries": [list(entry) for entry in value.items()]}


def plain(value: Any) -> Any:
    """What Bokeh has written as it was."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict) and value.get("type") == "map":
        return {plain(key): plain(item) for key, item in value.get("entries", [])}
    return value


def _parts(value: Any) -> Any:
    """Our components in a document: the names of their classes and what they are in it."""
    if isinstance(value, dict):
        attributes = value.get("attributes")
        if isinstance(attributes, dict) and "class_name" in attributes and "data" in attributes:
            yield attributes["class_name"], value
        for item in value.values():
            yield from _parts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _parts(item)
