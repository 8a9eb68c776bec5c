"""The provider's side of an exchange: one client for all requests, which changes nothing on the way.

Rule: bodies and encodings pass as they are, redirects are the client's to follow, no cookie is kept and nothing is
retried. What fails before a response begins is a Refusal that says where.
"""

import asyncio
import re
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass
from weakref import WeakKeyDictionary

import aiohttp
from yarl import URL

from secateur.proxy.refusals import Refusal
from secateur.proxy.settings import ProxyLimits

Body = bytes | AsyncIterator[bytes] | None
_KEEP_ALIVE_S = 15  # providers keep idle connections longer, so that none is closed under a request
_LINE_BYTES = 64 * 1024  # of one header of a response
_VERSION = re.compile(r"/v\d+(?:alpha|beta)?\d*$")
_AUTOMATIC = ("accept", "accept-encoding", "content-type", "user-agent")  # headers that aiohttp would add


class Upstream:
    """Connections to providers."""

    def __init__(self, limits: ProxyLimits) -> None:
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=limits.connect_s, sock_read=limits.stall_s)
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=0, ttl_dns_cache=60, family=socket.AF_UNSPEC, keepalive_timeout=_KEEP_ALIVE_S
            ),
            timeout=timeout,
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            skip_auto_headers=_AUTOMATIC,
            max_line_size=_LINE_BYTES,
            max_field_size=_LINE_BYTES,
        )
        self._proxies = getproxies()  # of the environment, as it was when the server was started
        self._connections: WeakKeyDictionary[asyncio.Future[None], _Connection] = WeakKeyDictionary()

    async def close(self) -> None:
        """Close all connections."""
        await self._session.close()
        await asyncio.sleep(0.01)  # sockets are closed in the next rounds of the event loop

    @asynccontextmanager
    async def open_response(
        self, method: str, address: str, headers: list[tuple[str, str]], body: Body
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """The response to a request, as soon as its headers are there; closed when the caller is done with it.

        Raises Refusal where there is none.
        """
        where = urlsplit(address).hostname or ""
        try:
            response = await self._session.request(
                method,
                URL(address, encoded=True),
                headers=headers,
                data=body,
                allow_redirects=False,
                proxy=self.find_proxy(address),
            )
        except (aiohttp.ServerTimeoutError, TimeoutError) as error:
            raise Refusal(504, f"{where} did not answer in time: {_explain(error)}") from error
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise Refusal(502, f"{where} could not be reached: {_explain(error)}") from error
        if not 200 <= response.status < 600:
            response.close()
            raise Refusal(502, f"{where} gave status {response.status}, which is no answer")
        self._watch(response)
        try:
            yield response
        except BaseException:
            response.close()  # a response that was not read to its end is of no use to the next request
            raise
        response.release()

    def find_proxy(self, address: str) -> str | None:
        """The proxy that the environment names for an address."""
        parts = urlsplit(address)
        if not self._proxies or proxy_bypass(parts.hostname or ""):
            return None
        return self._proxies.get(parts.scheme) or self._proxies.get("all")

    async def probe(self, address: str) -> str:
        """Ask a provider for nothing, without a credential: "" if it answers anything, else why it does not."""
        try:
            async with self.open_response("HEAD", address + "/", [], None):
                return ""
        except Refusal as refusal:
            return refusal.message

    def _watch(self, response: aiohttp.ClientResponse) -> None:
        """See to it that the response ends when its connection does."""
        protocol = response.connection.protocol if response.connection is not None else None
        closed = protocol.closed if protocol is not None else None
        if closed is None:
            return
        known = self._connections.get(closed)
        if known is None:
            known = self._connections[closed] = _Connection()
            closed.add_done_callback(known.end)
        known.content = response.content


class _Connection:
    """A connection, and the response that is being read from it.

    The HTTP client never wakes the reader of a response if its connection was closed because of an invalid chunk.
    """

    content: aiohttp.StreamReader | None = None

    def end(self, closed: "asyncio.Future[None]") -> None:
        """The connection is closed: what was not complete never will be."""
        if not closed.cancelled():
            closed.exception()  # avoids Python's report of an unread exception
        content, self.content = self.content, None
        if content is not None and not content.is_eof() and content.exception() is None:
            content.set_exception(aiohttp.ClientPayloadError("the connection was closed"))


def build_address(upstream: str, path: bytes, query: bytes) -> str:
    """The address for a request. Raises Refusal for an invalid path, and if no address is known.

    A version that ends the upstream and begins the path stands there once: addresses are given with it and without.
    """
    if not path.startswith(b"/"):  # it would continue the name of the host
        raise Refusal(400, "the path must begin with a slash")
    if not upstream:
        raise Refusal(404, "nobody said where such requests go: start the proxy with --upstream-bedrock or -vertex URL")
    try:
        rest = path.decode("ascii") + (f"?{query.decode('ascii')}" if query else "")
    except UnicodeDecodeError:
        raise Refusal(400, "the address holds bytes that must be percent-encoded") from None
    version = _VERSION.search(upstream)
    if version is not None and rest.startswith(version[0] + "/"):
        upstream = upstream[: version.start()]
    return upstream + rest


def _explain(error: BaseException) -> str:
    """An error in a few words: what it says, else what it is called."""
    shown = error.os_error if type(error) is aiohttp.ClientConnectorError else error  # without how TLS was set up
    return " ".join(str(shown).split())[:200] or type(error).__name__
