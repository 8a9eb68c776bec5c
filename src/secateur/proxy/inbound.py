"""The client's side of one exchange: its request, its body as it arrives, and whether the client is still connected.

Rule: a body is read once, within limits, and kept for as long as its request lasts. Only this module calls `receive`.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from threading import Lock
from typing import Any

from msgspec import Struct

from secateur.proxy.headers import find_header, has_header
from secateur.proxy.refusals import Answer, Refusal
from secateur.proxy.routes import Headers

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class ClientGone(Exception):  # noqa: N818  (what happened, not a fault)
    """The client closed its connection."""


class Request(Struct, frozen=True):
    """The head of a request."""

    method: str
    path: bytes  # as received, percent-encoded
    query: bytes
    headers: Headers

    @property
    def has_body(self) -> bool:
        """Whether a body follows."""
        length = find_header(self.headers, b"content-length")
        return has_header(self.headers, b"transfer-encoding") or length not in ("", "0")

    @property
    def wants_upgrade(self) -> bool:
        """Whether the client asks to speak WebSocket from here on; a server may ignore any other offer."""
        if self.method != "GET" or find_header(self.headers, b"upgrade").lower() != "websocket":
            return False
        return "upgrade" in find_header(self.headers, b"connection").lower()


def read_head(scope: Message) -> Request:
    """The head of a request, as its server has it."""
    raw: bytes = scope["raw_path"]
    return Request(scope["method"], raw or b"/", scope["query_string"], tuple(scope["headers"]))


class HeldBytes:
    """Bodies in memory, of all requests together; for several threads."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.now = 0
        self._lock = Lock()

    def add(self, size: int) -> None:
        """Count more bytes. Raises Refusal if the limit is exceeded."""
        with self._lock:
            if self.now + size > self.most:
                raise Refusal(503, "too many large requests are in flight: try again in a moment")
            self.now += size

    def release(self, size: int) -> None:
        """Count bytes no longer."""
        with self._lock:
            self.now -= size


class Inbound:
    """The data that arrives from one client for one request."""

    def __init__(self, receive: Receive, held: HeldBytes, most_bytes: int, patience_s: float) -> None:
        self._receive = receive
        self._held = held
        self._most = most_bytes
        self._patience_s = patience_s
        self._counted = 0
        self._ended = asyncio.Event()

    async def iterate_body(self) -> AsyncIterator[bytes]:
        """The body, piece by piece. Raises ClientGone, and Refusal for a client that sends nothing for too long."""
        more = True
        while more:
            try:
                async with asyncio.timeout(self._patience_s):
                    message = await self._receive()
            except TimeoutError:
                raise Refusal(408, f"no byte of the body arrived for {self._patience_s:g} seconds") from None
            if message["type"] == "http.disconnect":
                raise ClientGone
            more = message.get("more_body", False)
            if body := message.get("body"):
                yield bytes(body)
        self._ended.set()

    async def read_body(self) -> bytes:
        """The whole body. Raises ClientGone, and Refusal for one that is too large."""
        pieces: list[bytes] = []
        async for piece in self.iterate_body():
            self.count(len(piece))
            pieces.append(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def skip_body(self) -> None:
        """Note that there is no body to read."""
        self._ended.set()

    def count(self, size: int) -> None:
        """Count bytes that are held for this request. Raises Refusal for too many."""
        if self._counted + size > self._most:
            raise Refusal(413, f"the request has more than {self._most:,} bytes: send less, or raise --max-body")
        self._held.add(size)
        self._counted += size

    def release(self) -> None:
        """The request is over: nothing of it is held any more."""
        self._held.release(self._counted)
        self._counted = 0

    async def wait_until_gone(self) -> None:
        """Return when the client has closed its connection, or its response is complete."""
        await self._ended.wait()
        while (await self._receive())["type"] != "http.disconnect":
            pass


async def send_answer(send: Send, answer: Answer) -> None:
    """Send a whole response of the proxy's own."""
    await send({"type": "http.response.start", "status": answer.status, "headers": answer.headers})
    await send({"type": "http.response.body", "body": answer.body, "more_body": False})
