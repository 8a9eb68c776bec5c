"""The proxy as an ASGI application: access, the proxy's own pages, and an exchange for everything else.

Rule: an error of the proxy has the shape of the API that the client uses. Details of failed requests are not disclosed.
On this machine, programs have access, and web pages do not; on any other address, clients need the token. A page in a
browser can reach this machine's ports under a host name of its own, so the names of host and origin are checked.
"""

import hmac
from urllib.parse import urlsplit

from msgspec.structs import replace

from secateur.proxy.exchange import Exchange
from secateur.proxy.headers import find_header
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
from secateur.proxy.request_record import RequestRecord
from secateur.proxy.routes import Route, find_route
from secateur.proxy.services import Services
from secateur.proxy.settings import ProxySettings
from secateur.proxy.tunnel import TAKE_OVER, TunnelRoute, open_tunnel
from secateur.proxy.upstream import build_address
from secateur.summarizers.endpoint import is_local_host

OWN_PATH = b"/_secateur/"
_TOKEN = b"x-secateur-token"
_KEY_PATH = b"/_secateur/key/"


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
        record = RequestRecord(request.method, find_route(request.method, request.path, request.headers))
        own = find_own_path(request)
        self._status.begin()
        try:
            self._access.check(request, key)
            if own:
                await send_answer(send, await self._answer_own(own))
            else:
                await self._forward(request, record, scope, receive, send)
        except Refusal as refusal:
            self._status.refused += 1
            await send_answer(send, build_refusal(record.route.api, refusal))
            record.refuse(refusal.status, refusal.message)
        except ClientGone:
            self._status.disconnected += 1
            record.outcome = "disconnected"
        finally:
            self._status.end()
            if not own:
                self._services.report(record)

    async def _forward(
        self, request: Request, record: RequestRecord, scope: Message, receive: Receive, send: Send
    ) -> None:
        """Send a request on. Raises Refusal, ClientGone."""
        route = record.route
        self._check_room(request, route)
        if not request.wants_upgrade:
            inbound = Inbound(receive, self._held, self._limits.body_bytes, self._limits.client_s)
            await Exchange(self._services, request, inbound, record).run(send)
            return
        upstream = self._services.settings.find_upstream(route.api)
        address = build_address(upstream, route.path, request.query)
        by = self._services.upstream.find_proxy(address)
        await open_tunnel(request, TunnelRoute(address, by or ""), self._limits, scope["extensions"][TAKE_OVER])

    async def _answer_own(self, name: bytes) -> Answer:
        """Answer a request for one of the proxy's own pages."""
        self._status.held_bytes = self._held.now
        if name == b"health":
            return build_json(200, self._status.report_health())
        if name == b"healthz":
            health = await self._services.check_health()
            return build_json(200 if health["ok"] else 503, health)
        if name == b"status":
            return build_json(200, self._services.report_status())
        if name == b"metrics":
            try:
                kind, text = await self._services.run(self._services.render_metrics)
            except ImportError as error:
                raise Refusal(501, "metrics require prometheus-client: pip install 'secateur[proxy]'") from error
            return Answer(200, text, [(b"content-type", kind), (b"content-length", str(len(text)).encode())])
        raise Refusal(404, "there are /metrics, /healthz, /_secateur/health and /_secateur/status")

    def _check_room(self, request: Request, route: Route) -> None:
        if self._status.active > self._limits.requests:
            raise Refusal(503, f"{self._status.active - 1:,} requests are in flight: try again in a moment")
        if request.wants_upgrade and route.path.endswith(b"/responses"):
            raise Refusal(426, "this proxy accepts only HTTP POST here")


def find_own_path(request: Request) -> bytes:
    """The path of one of the proxy's own pages; b"" if the request is for a provider."""
    if request.method == "GET" and request.path in (b"/metrics", b"/healthz"):  # no provider has them
        return request.path[1:]
    if request.path + b"/" == OWN_PATH:
        return b"/"
    return request.path.removeprefix(OWN_PATH) or b"/" if request.path.startswith(OWN_PATH) else b""


class Access:
    """Which requests are admitted."""

    def __init__(self, settings: ProxySettings) -> None:
        self._token = settings.token.encode()
        self._loopback = is_local_host(settings.host)

    def check(self, request: Request, key: bytes) -> None:
        """Raise Refusal unless the request may be served; `key` is the token that was in its path."""
        if self._token:
            given = key or find_header(request.headers, _TOKEN).encode("latin-1")
            if not hmac.compare_digest(given, self._token):
                raise Refusal(401, "give the proxy's token: as the header x-secateur-token, or in the base URL")
        elif self._loopback:
            _check_local(request)


def split_key(request: Request) -> tuple[bytes, Request]:
    """The token in a request's path, and the request without it."""
    if not request.path.startswith(_KEY_PATH):
        return b"", request
    key, _, rest = request.path[len(_KEY_PATH) :].partition(b"/")
    return key, replace(request, path=b"/" + rest)


def _check_local(request: Request) -> None:
    """Raise Refusal for a request that a web page may have made."""
    origin = find_header(request.headers, b"origin")
    for name in filter(None, (f"//{find_header(request.headers, b'host')}", origin)):
        if not is_local_host(_find_hostname(name)):
            raise Refusal(403, "this proxy serves only programs on this machine: address it as 127.0.0.1 or localhost")


def _find_hostname(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""
