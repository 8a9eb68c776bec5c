"""One exchange: a request is read, edited if it may be, and sent on; the response goes back as it comes.

Rule: the response begins when the provider's does and ends as it ends: one that breaks off is never completed. When
the client goes, the provider's side is closed at once. Errors of the provider pass as they came; only a request that
is refused as too long is sent once more, cut, before the client has seen a byte.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import aiohttp
from msgspec import Struct

from secateur.proxy.callers import identify, is_subscription, read_fields
from secateur.proxy.editing import Asked, Edited
from secateur.proxy.encodings import list_encodings, unpack
from secateur.proxy.headers import OWN, find_header, select_request_headers, select_response_headers
from secateur.proxy.inbound import Inbound, Request, Send, send_answer
from secateur.proxy.overflow import classify_error
from secateur.proxy.refusals import Answer, Refusal
from secateur.proxy.routes import Route
from secateur.proxy.services import Services
from secateur.proxy.upstream import Body, build_address
from secateur.proxy.usage_reader import UsageReader

_BROKEN = (aiohttp.ClientError, OSError, TimeoutError)  # of a response that had begun
_MOST_REFUSAL_BYTES = 256 * 1024  # of a refusal that is read to see what was refused
_MAY_BE_TOO_LONG = (400, 413, 422, 500)  # the statuses by which providers say so
_ENCODING = b"content-encoding"


class Outgoing(Struct, frozen=True):
    """What is sent to the provider."""

    body: Body
    how: str = ""  # what was done to it; "" on a route that is not read
    packed: bool = True  # the body is encoded as the client encoded it
    asked: Asked | None = None
    edited: Edited | None = None


class Exchange:
    """One request on its way."""

    def __init__(self, services: Services, request: Request, route: Route, inbound: Inbound) -> None:
        self._services = services
        self._request = request
        self._route = route
        self._inbound = inbound

    async def run(self, send: Send) -> None:
        """Send the request on and the response back, while the client is there. Raises Refusal, ClientGone."""
        task = asyncio.current_task()
        assert task is not None
        body = await self._read()
        watch = asyncio.create_task(_cancel_when_gone(self._inbound, task))
        try:
            await self._relay(await self._prepare(body), send)
        except asyncio.CancelledError:
            if not watch.done() or watch.cancelled():
                raise
            task.uncancel()
            self._services.status.disconnected += 1
        finally:
            watch.cancel()
            self._inbound.release()

    async def _read(self) -> Body:
        """The body, whole where it is to be read."""
        if self._route.kind != "other":
            return await self._inbound.read_body()
        if self._request.has_body:
            return self._inbound.iterate_body()
        self._inbound.skip_body()
        return None

    async def _prepare(self, body: Body) -> Outgoing:
        """What is sent: what came, unless it may be edited."""
        if not isinstance(body, bytes):
            return Outgoing(body)
        settings = self._services.settings
        if settings.mode == "observe" or (is_subscription(self._request.headers) and not settings.subscriptions):
            return Outgoing(body, "observed")
        asked = await self._services.run(self._understand, body, self._inbound.count)
        if asked is None:
            return Outgoing(body, "failed")
        edited = await self._services.run(self._services.editor.edit, asked)
        self._services.status.note_request(asked.caller, edited, "prune")
        packed = edited.body is asked.body
        return Outgoing(body if packed else edited.body, edited.how, packed, asked, edited)

    def _understand(self, body: bytes, count: Callable[[int], None]) -> Asked | None:
        """Whose request it is and what is in it; None if its body cannot be read. In a thread.

        `count` is told how much more memory is needed.
        """
        try:
            encodings = list_encodings(find_header(self._request.headers, _ENCODING))
            plain = unpack(body, encodings, self._services.settings.limits.body_bytes, count)
        except Refusal as refusal:
            if refusal.status in (413, 503):
                raise
            return None  # its provider may read it
        return Asked(self._route, identify(self._request, read_fields(plain), self._services.tenants), plain)

    # --- the provider's side -------------------------------------------------------------------------------------

    async def _relay(self, outgoing: Outgoing, send: Send) -> None:
        async with self._open(outgoing) as response:
            refusal, again = b"", None
            if outgoing.edited is not None and response.status in _MAY_BE_TOO_LONG:
                refusal = await _read_refusal(response)
                again = await self._cut(outgoing, response, refusal)
            if again is None:
                await self._pass_on(outgoing, response, refusal, send)
                return
            first = Answer(response.status, refusal, _select_headers(response, "refused"))
        try:
            async with self._open(again) as response:
                if 400 <= response.status < 500 and response.status not in (408, 429):
                    await send_answer(send, first)
                else:
                    await self._pass_on(again, response, b"", send)
        except Refusal:  # the provider is not there any more, and no byte of it was sent back
            await send_answer(send, first)

    def _open(self, outgoing: Outgoing) -> Any:
        """The response to what is sent."""
        dropped = () if outgoing.packed else (_ENCODING,)
        return self._services.upstream.open_response(
            self._request.method,
            build_address(
                self._services.settings.find_upstream(self._route.api), self._route.path, self._request.query
            ),
            select_request_headers(self._request.headers, dropped, keep_length=not isinstance(outgoing.body, bytes)),
            outgoing.body,
        )

    async def _cut(self, outgoing: Outgoing, response: aiohttp.ClientResponse, refusal: bytes) -> Outgoing | None:
        """What to send in place of a request that was refused as too long; None if nothing would help."""
        asked, edited = outgoing.asked, outgoing.edited
        if asked is None or edited is None or not response.content.at_eof():
            return None
        try:
            encodings = list_encodings(response.headers.get("content-encoding", ""))
            plain = unpack(refusal, encodings, _MOST_REFUSAL_BYTES, _ignore)
        except Refusal:
            return None
        overflow = classify_error(response.status, plain)
        if overflow is None:
            return None
        cut = await self._services.run(self._services.editor.cut, asked, edited, overflow, plain)
        if cut is None:
            return None
        self._services.status.note_cut(asked.caller, cut)
        return Outgoing(cut.body, "cut", False, asked, cut)

    async def _pass_on(self, outgoing: Outgoing, response: aiohttp.ClientResponse, begun: bytes, send: Send) -> None:
        """The response as it comes; `begun` of its body was read already."""
        headers, reader = _select_headers(response, outgoing.how), None
        if outgoing.how and response.status < 400:
            kind, encoding = response.headers.get("content-type", ""), response.headers.get("content-encoding", "")
            reader = UsageReader(kind, encoding)
        await send({"type": "http.response.start", "status": response.status, "headers": headers})
        try:
            if begun:
                await send({"type": "http.response.body", "body": begun, "more_body": True})
            async for piece in response.content.iter_any():
                await send({"type": "http.response.body", "body": piece, "more_body": True})
                if reader is not None:
                    reader.feed(piece)
        except _BROKEN:
            self._services.status.broken += 1
            response.close()
            return  # without an end: the server closes the connection, and the client sees what happened
        await send({"type": "http.response.body", "body": b"", "more_body": False})
        if outgoing.how:
            self._write_down(outgoing, reader)

    def _write_down(self, outgoing: Outgoing, reader: UsageReader | None) -> None:
        """Keep what the request cost, after its response."""
        usage = reader.finish() if reader is not None else None
        if outgoing.asked is not None and outgoing.edited is not None:
            self._services.finish(outgoing.asked, outgoing.edited, usage)
        elif outgoing.how == "observed" and reader is not None and isinstance(outgoing.body, bytes):
            body = outgoing.body
            self._services.observe(lambda: self._understand(body, _ignore), usage)


def _ignore(size: int) -> None:
    """For what is not counted."""


async def _cancel_when_gone(inbound: Inbound, task: "asyncio.Task[Any]") -> None:
    await inbound.wait_until_gone()
    task.cancel()


async def _read_refusal(response: aiohttp.ClientResponse) -> bytes:
    """The body of a refusal; of a longer one the beginning."""
    read = bytearray()
    with suppress(*_BROKEN):  # whoever reads on meets the same error
        while len(read) < _MOST_REFUSAL_BYTES and (piece := await response.content.readany()):
            read += piece
    return bytes(read)


def _select_headers(response: aiohttp.ClientResponse, how: str) -> list[tuple[bytes, bytes]]:
    """The headers of a response, with what was done to the request."""
    headers = select_response_headers(response.raw_headers)
    return [*headers, (OWN, how.encode())] if how else headers
