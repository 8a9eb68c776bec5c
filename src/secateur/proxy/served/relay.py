"""The response to a request with the recall tool: the model's calls of it are served while the client's turn continues.

Rule: the client's response begins when the provider's does. After a call the conversation continues at the provider, a
limited number of times, and the client gets what follows as the same turn. If the provider rejects temporarily, the
client gets its error, and retries; if the turn cannot continue at all, the client gets the call itself.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import aiohttp
from msgspec import Struct
from msgspec.structs import replace

from secateur.pricing import bill_answer
from secateur.proxy.encodings import Decoder, list_encodings
from secateur.proxy.headers import select_response_headers
from secateur.proxy.inbound import Send
from secateur.proxy.refusals import Refusal
from secateur.proxy.request_record import RequestRecord
from secateur.proxy.served.event_stream import EventSplitter
from secateur.proxy.served.guarded_turn import GuardedTurn
from secateur.proxy.served.offer import Offer
from secateur.proxy.served.turn_log import LIMIT_TEXT
from secateur.proxy.served.turns import HiddenTurn, RecallAnswer, RecallCall
from secateur.proxy.usage_reader import UsageReader
from secateur.usage import Usage

MOST_ROUNDS = 8  # responses of one turn whose calls are served; later calls get a message that it is enough
_LAST_ROUNDS = 2  # of these, the second of which may call no tool at all
_PING_S = 10.0  # of silence while the provider is asked again: gateways wait for a minute, some for less
_TRANSIENT = (408, 409, 425, 429)  # and all from 500 on: the client's own retry is the remedy
_CHANGED = (b"content-length", b"content-encoding")

Response = aiohttp.ClientResponse
Open = Callable[[bytes], AbstractAsyncContextManager[Response]]
Headers = list[tuple[bytes, bytes]]


class _Refused(Struct, frozen=True):
    """The provider's answer when it did not continue."""

    status: int
    headers: Headers
    body: bytes

    @property
    def is_lasting(self) -> bool:
        """Whether another attempt would be refused, too."""
        return self.status < 500 and self.status not in _TRANSIENT


class ServedResponse:
    """One turn of the model on its way to the client."""

    def __init__(
        self,
        offer: Offer,
        body: bytes,
        open_response: Open,
        run: Callable[..., Awaitable[Any]],
        record: RequestRecord,
    ) -> None:
        self._offer = offer
        self._body = body  # as it was sent last
        self._open = open_response
        self._run = run
        self._record = record
        self._turn = GuardedTurn(offer.dialect.start_turn())
        self._usages: list[Usage | None] = []  # of each response, as far as it was stated
        self._count = 0  # responses after the first
        self._is_kept = False  # what the client's next request needs

    async def relay(self, response: Response, begun: bytes, how: tuple[bytes, bytes], send: Send) -> Usage | None:
        """Send the client its response; what it took in all. Raises Refusal, and what reading a response raises."""
        headers = [*select_response_headers(response.raw_headers), how]
        if "event-stream" in response.headers.get("content-type", ""):
            await self._start(response.status, [pair for pair in headers if pair[0] not in _CHANGED], send)
            try:
                await self._relay_stream(response, begun, send)
            finally:
                await self._keep_lost()
        else:
            await self._relay_whole(response, begun, headers, send)
        if not any(self._usages):
            return None
        first, *rest = (usage or Usage() for usage in self._usages)
        more = sum(rest, Usage())
        return replace(first + more, again=first.again + more.taken)

    # --- a stream ------------------------------------------------------------------------------------------------

    async def _relay_stream(self, response: Response, begun: bytes, send: Send) -> None:
        await self._read_stream(response, begun, send)
        while calls := self._turn.list_calls():
            body = await self._build_continuation(calls)
            refused = await self._continue_stream(body, send) if body is not None else None
            if refused is not None and not refused.is_lasting:
                await self._send_events(self._turn.report_error(refused.body), send)
                return
            if body is None or refused is not None:
                await self._end_stream(self._turn.reveal(), send)
                return
        await self._end_stream(self._turn.reveal() if self._turn.has_stuck_calls() else self._turn.finish(), send)

    async def _continue_stream(self, body: bytes, send: Send) -> _Refused | None:
        """Send the next request of the turn, and pass its response on; return the provider's error if there is one."""
        opened = self._open(body)
        try:
            response = await self._wait(asyncio.ensure_future(opened.__aenter__()), send)
        except Refusal as refusal:
            return _Refused(refusal.status, [], refusal.message.encode())
        try:
            if response.status != 200 or "event-stream" not in response.headers.get("content-type", ""):
                return _Refused(response.status, [], await _read_body(response, b""))
            self._body = body
            await self._read_stream(response, b"", send)
            return None
        finally:
            await opened.__aexit__(None, None, None)

    async def _wait(self, opening: "asyncio.Future[Response]", send: Send) -> Response:
        """The response that is being opened; the client gets pings meanwhile."""
        try:
            while not (await asyncio.wait({opening}, timeout=_PING_S))[0]:
                await self._send_events([self._offer.dialect.ping], send)
        except asyncio.CancelledError:
            opening.cancel()
            raise
        return opening.result()

    async def _read_stream(self, response: Response, begun: bytes, send: Send) -> None:
        splitter, usage = EventSplitter(), UsageReader("text/event-stream", "")
        async for piece in _iterate_pieces(response, begun):
            usage.feed(piece)
            events = splitter.feed(piece)
            await self._send_events([made for event in events for made in self._turn.feed(event)], send)
        if rest := splitter.finish():
            await self._send_events(self._turn.feed(rest), send)
        self._note_usage(usage)

    async def _end_stream(self, events: list[bytes], send: Send) -> None:
        """Send the last events, after what the client's next request needs was kept."""
        await self._keep()
        await self._send_events(events, send)

    async def _send_events(self, events: list[bytes], send: Send) -> None:
        if data := b"".join(events):
            self._record.bytes_back += len(data)
            await send({"type": "http.response.body", "body": data, "more_body": True})

    # --- a whole response ----------------------------------------------------------------------------------------

    async def _relay_whole(self, response: Response, begun: bytes, headers: Headers, send: Send) -> None:
        data = await _read_body(response, begun)
        headers = [pair for pair in headers if pair[0] not in _CHANGED]
        status, reveals = response.status, False
        if self._read_whole(data):
            while not reveals and (calls := self._turn.list_calls()):
                body = await self._build_continuation(calls)
                refused = await self._continue_whole(body) if body is not None else None
                if refused is not None and not refused.is_lasting:
                    await self._send_body(refused.status, [*refused.headers, headers[-1]], refused.body, send)
                    return
                reveals = body is None or refused is not None
            if reveals or self._count or self._turn.list_open_calls():
                data = self._turn.build_whole(reveals)
                await self._keep()
        await self._send_body(status, headers, data, send)

    async def _continue_whole(self, body: bytes) -> _Refused | None:
        async with self._open(body) as response:
            data = await _read_body(response, b"")
            if response.status == 200 and self._read_whole(data):
                self._body = body
                return None
            kept = [pair for pair in select_response_headers(response.raw_headers) if pair[0] not in _CHANGED]
            return _Refused(response.status, kept, data)

    async def _send_body(self, status: int, headers: Headers, data: bytes, send: Send) -> None:
        await self._start(status, [*headers, (b"content-length", str(len(data)).encode())], send)
        await self._send_events([data], send)

    def _read_whole(self, data: bytes) -> bool:
        try:
            self._turn.read_whole(data)
        except (ValueError, RecursionError):
            return False
        usage = UsageReader("application/json", "")
        usage.feed(data)
        self._note_usage(usage)
        return True

    # --- both ----------------------------------------------------------------------------------------------------

    async def _build_continuation(self, calls: tuple[RecallCall, ...]) -> bytes | None:
        """The next request, with the answers to these calls; None if the turn cannot continue."""
        if self._count >= MOST_ROUNDS + _LAST_ROUNDS:
            return None
        answers = await self._answer(calls)
        try:
            body = self._turn.build_continuation(self._body, answers, self._count > MOST_ROUNDS)
        except ValueError:
            return None
        self._count += 1
        return body

    async def _answer(self, calls: tuple[RecallCall, ...]) -> tuple[RecallAnswer, ...]:
        if self._count >= MOST_ROUNDS:
            return tuple(RecallAnswer(call, LIMIT_TEXT, is_error=True) for call in calls)
        return tuple([await self._run(self._offer.answer, call) for call in calls])

    async def _keep(self) -> None:
        """Keep what the client did not see."""
        answers = await self._answer(self._turn.list_open_calls())
        turn = self._turn.make_turn(self._offer.at, answers)
        self._is_kept = True
        if turn is not None:
            await self._run(self._offer.keep, turn)

    async def _keep_lost(self) -> None:
        """Of a turn that did not end, keep which reasoning must not come back without its hidden calls."""
        lost = () if self._is_kept else self._turn.list_bound()
        if lost:
            await self._run(self._offer.keep, HiddenTurn(self._offer.at, "", (), lost=lost))

    async def _start(self, status: int, headers: Headers, send: Send) -> None:
        await send({"type": "http.response.start", "status": status, "headers": headers})
        self._record.begin_response(status)

    def _note_usage(self, reader: UsageReader) -> None:
        usage = reader.finish()
        if self._usages:
            self._record.recall_rounds += bill_answer(self._record.model, usage or Usage(), int(time.time() * 1000))
        self._usages.append(usage)


async def _iterate_pieces(response: Response, begun: bytes) -> AsyncIterator[bytes]:
    """The body, unpacked, as it arrives; `begun` of it was read already. Raises Refusal."""
    decoder = Decoder(list_encodings(response.headers.get("content-encoding", "")))
    for made in decoder.feed(begun) if begun else ():
        yield made
    async for piece in response.content.iter_any():
        for made in decoder.feed(piece):
            yield made


async def _read_body(response: Response, begun: bytes) -> bytes:
    """The whole body, unpacked. Raises Refusal."""
    return b"".join([piece async for piece in _iterate_pieces(response, begun)])
