"""The proxy as an ASGI application: who is let in, what it answers itself, and everything else as an exchange.

Rule: a refusal of ours has the shape of the API that the client speaks. Nothing is said of a request that failed but
that it did.
"""

from secateur.proxy.access import Access, split_key
from secateur.proxy.exchange import Exchange
from secateur.proxy.inbound import (
    ClientGone,
    HeldBytes,
    Inbound,
    Message,
    Receive,
    Request,
    Send,
    read_head,
    send_answer,
)
from secateur.proxy.refusals import Answer, Refusal, build_json, build_refusal
from secateur.proxy.routes import Route, find_route
from secateur.proxy.services import Services
from secateur.proxy.tunnel import TAKE_OVER, open_tunnel
from secateur.proxy.upstream import build_address

OWN_PATH = b"/_secateur/"


class ProxyApp:
    """The application."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._limits = services.settings.limits
        self._status = services.status
        self._access = Access(services.settings)
        self._held = HeldBytes(self._limits.held_bytes)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request."""
        key, request = split_key(read_head(scope))
        route = find_route(request.method, request.path, request.headers)
        self._status.begin()
        try:
            self._access.check(request, key)
            if request.path.startswith(OWN_PATH):
                await send_answer(send, self._answer_own(request))
                return
            self._check_room(request, route)
            if request.wants_upgrade:
                upstream = self._services.settings.find_upstream(route.api)
                address = build_address(upstream, route.path, request.query)
                await open_tunnel(request, address, self._limits, scope["extensions"][TAKE_OVER])
                return
            inbound = Inbound(receive, self._held, self._limits.body_bytes)
            await Exchange(self._services, request, route, inbound).run(send)
        except Refusal as refusal:
            self._status.refused += 1
            await send_answer(send, build_refusal(route.api, refusal))
        except ClientGone:
            self._status.disconnected += 1
        finally:
            self._status.end()

    def _answer_own(self, request: Request) -> Answer:
        """What the proxy says of itself."""
        if request.path == OWN_PATH + b"health":
            return build_json(200, self._status.report_health())
        if request.path == OWN_PATH + b"status":
            self._status.held_bytes = self._held.now
            return build_json(200, self._status.report())
        raise Refusal(404, "there are /_secateur/health and /_secateur/status")

    def _check_room(self, request: Request, route: Route) -> None:
        if self._status.active > self._limits.requests:
            raise Refusal(503, f"{self._status.active - 1:,} requests are in flight: try again in a moment")
        if request.wants_upgrade and route.path.endswith(b"/responses"):
            raise Refusal(426, "this proxy speaks HTTP here: send the request as a POST")
