"""One exchange: a request is read, edited if that is allowed, and sent on; the response is passed back.

Rule: the response begins when the provider's does and ends as it ends: an aborted one is never completed. When the
client disconnects, the connection to the provider is closed at once. The provider's errors pass unchanged; only a
request that is rejected as too long is sent once more, cut, before the client has seen a byte.
"""

import asyncio
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import aiohttp
from msgspec import Struct
from msgspec.structs import replace

from secateur.proxy.asked import Asked, Edited
from secateur.proxy.beginning import BROKEN, Beginning, read_beginning
from secateur.proxy.callers import identify, read_fields, read_model
from secateur.proxy.encodings import list_encodings, unpack
from secateur.proxy.headers import OWN, find_header, select_request_headers, select_response_headers
from secateur.proxy.inbound import Inbound, Request, Send
from secateur.proxy.modes import Asking, choose_mode, is_only_observed
from secateur.proxy.overflow import classify_error
from secateur.proxy.refusals import Refusal
from secateur.proxy.request_record import RequestRecord
from secateur.proxy.served.offer import Offer, ServedRequest
from secateur.proxy.served.relay import ServedResponse
from secateur.proxy.services import Services
from secateur.proxy.settings import Mode
from secateur.proxy.upstream import Body, build_address
from secateur.proxy.usage_reader import UsageReader
from secateur.usage import Usage

_ENCODING, _ACCEPTED = b"content-encoding", b"accept-encoding"


class Outgoing(Struct, frozen=True):
    """The request to the provider."""

    body: Body
    how: str = ""  # what was done to it; "" on a route that is not read
    packed: bool = True  # the body is encoded as the client encoded it
    asked: Asked | None = None
    edited: Edited | None = None
    mode: Mode = "observe"
    offer: Offer | None = None  # the recall tool that is in it
    unread: str = ""  # why it could not be read


class Exchange:
    """One request on its way."""

    def __init__(self, services: Services, request: Request, inbound: Inbound, record: RequestRecord) -> None:
        self._services = services
        self._request = request
        self._route = record.route
        self._inbound = inbound
        self._record = record
        record.trace_parent = find_header(request.headers, b"traceparent")

    async def run(self, send: Send) -> None:
        """Send the request on and the response back, while the client is there. Raises Refusal, ClientGone."""
        try:
            await self._answer(await self._read(), send)
        finally:
            self._inbound.release()

    async def _answer(self, body: Body, send: Send) -> None:
        """Send a request with this body on, and the response back."""
        task = asyncio.current_task()
        assert task is not None
        watch = asyncio.create_task(_cancel_when_gone(self._inbound, task))
        try:
            await self._relay(await self._prepare(body), send)
        except asyncio.CancelledError:
            if not watch.done() or watch.cancelled():
                raise
            task.uncancel()
            self._services.status.disconnected += 1
            self._record.outcome = "disconnected"
        finally:
            watch.cancel()

    async def _read(self) -> Body:
        """The body, whole where it is to be read."""
        if self._route.kind != "other":
            return await self._inbound.read_body()
        if self._request.has_body:
            return self._inbound.iterate_body()
        self._inbound.skip_body()
        return None

    async def _prepare(self, body: Body) -> Outgoing:
        """Prepare the request to the provider: as received, unless it can be edited."""
        if not isinstance(body, bytes):
            return Outgoing(body)
        settings, record = self._services.settings, self._record
        record.bytes_in = len(body)
        observes = settings.mode == "observe" and not settings.rules
        if observes or is_only_observed(settings, self._request.headers):
            return Outgoing(body, "observed")
        began = time.monotonic()
        outgoing = await self._services.edit(self._edit, body)
        asked, edited = outgoing.asked, outgoing.edited
        record.own_s = time.monotonic() - began
        if outgoing.unread:
            record.error = outgoing.unread
            self._services.status.note_unread(outgoing.unread)
        if asked is not None and edited is not None:
            record.caller, record.receipt, record.error = asked.caller, edited.receipt, edited.error
        if asked is not None and edited is not None and (self._route.kind != "count" or edited.how == "failed"):
            self._services.status.note_request(asked.caller, edited, outgoing.mode)
        return outgoing

    def _edit(self, body: bytes) -> Outgoing:
        """Edit a request. In a thread."""
        try:
            asked = self._understand(body, self._inbound.count)
        except Refusal as refusal:
            if refusal.status in (413, 503):
                raise
            return Outgoing(body, "failed", unread=refusal.message)  # its provider may read it
        mode = choose_mode(self._services.settings, Asking(self._route.api, self._record.model, asked.caller))
        if mode == "observe":
            return Outgoing(body, "observed")
        editor, served = self._services.get_editor(mode), self._services.served
        if served is not None:
            return _build_outgoing(body, asked, served.edit(editor, asked, self._request.query), mode)
        return _build_outgoing(body, asked, ServedRequest(asked, editor.edit(asked)), mode)

    def _understand(self, body: bytes, count: Callable[[int], None]) -> Asked:
        """Read who sent the request and what it contains. Raises Refusal if its body cannot be read. In a thread.

        `count` is called with the additional memory that is needed.
        """
        encodings = list_encodings(find_header(self._request.headers, _ENCODING))
        plain = unpack(body, encodings, self._services.settings.limits.body_bytes, count)
        fields = read_fields(plain)
        self._record.model = self._route.model or read_model(fields)
        return Asked(self._route, identify(self._request, fields, self._services.tenants), plain)

    # --- the provider's side -------------------------------------------------------------------------------------

    async def _relay(self, outgoing: Outgoing, send: Send) -> None:
        async with self._open(outgoing) as response:
            begun, again = Beginning(), None
            if outgoing.edited is not None:
                begun = await read_beginning(response)
                again = await self._cut(outgoing, begun)
            if again is None:
                await self._pass_on(outgoing, response, begun.data, send)
            elif not await self._send_again(again, send):
                await self._pass_on(replace(outgoing, how="refused"), response, begun.data, send)

    async def _send_again(self, again: Outgoing, send: Send) -> bool:
        """Send a request that was cut; False if its response is a refusal too, and nothing was sent back."""
        try:
            async with self._open(again) as response:
                begun = await read_beginning(response)
                if begun.status or (400 <= response.status < 500 and response.status not in (408, 429)):
                    return False
                await self._pass_on(again, response, begun.data, send)
                return True
        except Refusal:  # the provider is not there any more
            return False

    def _open(self, outgoing: Outgoing) -> Any:
        """The response to what is sent."""
        dropped = () if outgoing.packed else (_ENCODING,)
        headers = select_request_headers(
            self._request.headers,
            (*dropped, _ACCEPTED) if outgoing.offer else dropped,
            keep_length=not isinstance(outgoing.body, bytes),
        )
        return self._services.upstream.open_response(
            self._request.method,
            build_address(
                self._services.settings.find_upstream(self._route.api), self._route.path, self._request.query
            ),
            [*headers, ("accept-encoding", "identity")] if outgoing.offer else headers,
            outgoing.body,
        )

    def _open_next(self, outgoing: Outgoing, body: bytes) -> Any:
        """The response to the next request of the same turn."""
        return self._open(replace(outgoing, body=body, packed=False))

    async def _cut(self, outgoing: Outgoing, begun: Beginning) -> Outgoing | None:
        """The request to send after one was rejected as too long; None if nothing would help."""
        asked, edited = outgoing.asked, outgoing.edited
        overflow = classify_error(begun.status, begun.refusal) if begun.refusal or begun.status == 413 else None
        if overflow is None or asked is None or edited is None:
            return None
        editor = self._services.get_editor(outgoing.mode)
        cut = await self._services.edit(editor.cut, asked, edited, overflow, begun.refusal)
        if cut is None:
            return None
        self._services.status.note_cut(asked.caller, cut, outgoing.mode)
        offer = replace(outgoing.offer, edited=cut) if outgoing.offer is not None else None
        return Outgoing(cut.body, "cut", False, asked, cut, outgoing.mode, offer)

    async def _pass_on(self, outgoing: Outgoing, response: aiohttp.ClientResponse, begun: bytes, send: Send) -> None:
        """The response to the client; `begun` of its body was read already."""
        record = self._record
        record.how, record.bytes_sent = outgoing.how, len(outgoing.body) if isinstance(outgoing.body, bytes) else 0
        try:
            if outgoing.offer is not None and response.status == 200 and isinstance(outgoing.body, bytes):
                run = self._services.run
                served = ServedResponse(outgoing.offer, outgoing.body, partial(self._open_next, outgoing), run, record)
                try:
                    usage = await served.relay(response, begun, (OWN, outgoing.how.encode()), send)
                finally:
                    self._write_down_rounds(outgoing)
            else:
                usage = await self._copy(outgoing, response, begun, send)
        except (*BROKEN, Refusal) as error:
            if not record.first_byte_s:
                raise error if isinstance(error, Refusal) else Refusal(502, "the provider broke off") from error
            self._services.status.broken += 1
            record.outcome = "broken"
            response.close()
            return  # without an end: the server closes the connection, and the client sees what happened
        await send({"type": "http.response.body", "body": b"", "more_body": False})
        self._services.status.answered += 1
        record.outcome = "answered"
        if outgoing.how:
            self._write_down(outgoing, usage, self._is_read(outgoing, response))

    async def _copy(
        self, outgoing: Outgoing, response: aiohttp.ClientResponse, begun: bytes, send: Send
    ) -> Usage | None:
        """Pass the response on."""
        headers, reader, record = _select_headers(response, outgoing.how), None, self._record
        if self._is_read(outgoing, response):
            kind, encoding = response.headers.get("content-type", ""), response.headers.get("content-encoding", "")
            reader = UsageReader(kind, encoding)
        await send({"type": "http.response.start", "status": response.status, "headers": headers})
        record.begin_response(response.status)
        if begun:
            record.bytes_back += len(begun)
            await send({"type": "http.response.body", "body": begun, "more_body": True})
            if reader is not None:
                reader.feed(begun)
        async for piece in response.content.iter_any():
            record.bytes_back += len(piece)
            await send({"type": "http.response.body", "body": piece, "more_body": True})
            if reader is not None:
                reader.feed(piece)
        return reader.finish() if reader is not None else None

    def _is_read(self, outgoing: Outgoing, response: aiohttp.ClientResponse) -> bool:
        """Whether a response may say what its request cost."""
        return bool(outgoing.how) and response.status < 400 and self._route.kind != "count"

    def _write_down_rounds(self, outgoing: Outgoing) -> None:
        """Keep what the client did not ask for, however its response ended."""
        if self._record.recall_rounds.answers and outgoing.asked is not None and outgoing.edited is not None:
            self._services.finish_rounds(outgoing.mode, outgoing.asked, outgoing.edited, self._record.recall_rounds)

    def _write_down(self, outgoing: Outgoing, usage: Usage | None, is_read: bool) -> None:
        """Keep what the request cost, after its response."""
        self._record.usage = usage
        if outgoing.asked is not None and outgoing.edited is not None:
            self._services.finish(outgoing.mode, outgoing.asked, outgoing.edited, usage)
        elif outgoing.how == "observed" and is_read and isinstance(outgoing.body, bytes):
            body = outgoing.body
            self._services.observe(lambda: self._understand(body, _ignore), usage)


def _build_outgoing(body: bytes, asked: Asked, served: ServedRequest, mode: Mode) -> Outgoing:
    """Build the outgoing request for this body, which was read as `asked`."""
    edited = served.edited
    if edited.body is asked.body:
        return Outgoing(body, edited.how, True, served.asked, edited, mode)
    how = "extended" if edited.how == "unchanged" else edited.how
    return Outgoing(edited.body, how, False, served.asked, edited, mode, served.offer)


def _ignore(size: int) -> None:
    """For what is not counted."""


async def _cancel_when_gone(inbound: Inbound, task: "asyncio.Task[Any]") -> None:
    await inbound.wait_until_gone()
    task.cancel()


def _select_headers(response: aiohttp.ClientResponse, how: str) -> list[tuple[bytes, bytes]]:
    """The headers of a response, with what was done to the request."""
    headers = select_response_headers(response.raw_headers)
    return [*headers, (OWN, how.encode())] if how else headers
