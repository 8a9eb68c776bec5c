"""One exchange: a request comes in, is sent to its provider, and the response goes back as it comes.

Rule: the response begins when the provider's does and ends as it ends: one that breaks off is never completed. When
the client goes, the provider's side is closed at once.
"""

import asyncio
from typing import Any

import aiohttp

from secateur.proxy.access import Access
from secateur.proxy.headers import select_request_headers, select_response_headers
from secateur.proxy.inbound import ClientGone, HeldBytes, Inbound, Message, Receive, Request, Send, read_head
from secateur.proxy.refusals import Answer, Refusal, build_json, build_refusal
from secateur.proxy.routes import Route, find_route
from secateur.proxy.settings import ProxySettings
from secateur.proxy.status import Status
from secateur.proxy.upstream import Body, Upstream, build_address

OWN_PATH = b"/_secateur/"
_BROKEN = (aiohttp.ClientError, OSError, TimeoutError)  # of a response that had begun


class ProxyApp:
    """The proxy as an ASGI application."""

    def __init__(self, settings: ProxySettings, upstream: Upstream, status: Status) -> None:
        self.settings = settings
        self.status = status
        self._upstream = upstream
        self._access = Access(settings)
        self._held = HeldBytes(settings.limits.held_bytes)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request."""
        request = read_head(scope)
        route = find_route(request.method, request.path, request.headers)
        self.status.begin()
        try:
            request = self._access.admit(request)
            if request.path.startswith(OWN_PATH):
                await _send_answer(send, self._answer_own(request))
                return
            route = find_route(request.method, request.path, request.headers)
            self._check_room(request, route)
            await self._exchange(request, route, Inbound(receive, self._held, self.settings.limits.body_bytes), send)
        except Refusal as refusal:
            self.status.refused += 1
            await _send_answer(send, build_refusal(route.api, refusal))
        except ClientGone:
            self.status.disconnected += 1
        finally:
            self.status.end()

    def _answer_own(self, request: Request) -> Answer:
        """What the proxy says of itself."""
        if request.path == OWN_PATH + b"health":
            return build_json(200, self.status.report_health())
        if request.path == OWN_PATH + b"status":
            return build_json(200, self.status.report())
        raise Refusal(404, "there are /_secateur/health and /_secateur/status")

    def _check_room(self, request: Request, route: Route) -> None:
        if self.status.active > self.settings.limits.requests:
            raise Refusal(503, f"{self.status.active - 1:,} requests are in flight: try again in a moment")
        if request.wants_upgrade and route.path.endswith(b"/responses"):
            raise Refusal(426, "this proxy speaks HTTP here: send the request as a POST")

    async def _exchange(self, request: Request, route: Route, inbound: Inbound, send: Send) -> None:
        """Send the request on and the response back, for as long as the client is there."""
        task = asyncio.current_task()
        assert task is not None
        body: Body = None
        if route.kind != "other":
            body = await inbound.read_body()
        elif request.has_body:
            body = inbound.iterate_body()
        watch = asyncio.create_task(_cancel_when_gone(inbound, task))
        try:
            await self._relay(request, route, body, send)
        except asyncio.CancelledError:
            if not watch.done():
                raise
            task.uncancel()
            self.status.disconnected += 1
        finally:
            watch.cancel()
            inbound.release()

    async def _relay(self, request: Request, route: Route, body: Body, send: Send) -> None:
        address = build_address(self.settings.find_upstream(route.api), route.path, request.query)
        headers = select_request_headers(request.headers, keep_length=not isinstance(body, bytes))
        async with self._upstream.open_response(request.method, address, headers, body) as response:
            await send(_begin(response))
            try:
                async for piece in response.content.iter_any():
                    await send({"type": "http.response.body", "body": piece, "more_body": True})
            except _BROKEN:
                self.status.broken += 1
                response.close()
                return  # without an end: the server closes the connection, and the client sees what happened
            await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _cancel_when_gone(inbound: Inbound, task: "asyncio.Task[Any]") -> None:
    await inbound.wait_until_gone()
    task.cancel()


def _begin(response: aiohttp.ClientResponse) -> Message:
    headers = select_response_headers(response.raw_headers)
    return {"type": "http.response.start", "status": response.status, "headers": headers}


async def _send_answer(send: Send, answer: Answer) -> None:
    await send({"type": "http.response.start", "status": answer.status, "headers": answer.headers})
    await send({"type": "http.response.body", "body": answer.body, "more_body": False})
