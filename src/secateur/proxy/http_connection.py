"""A client's connection as HTTP/1.1, until it is given away to a tunnel.

Rule: headers are bounded in size and time, invalid HTTP never reaches the application, and an offer to continue in a
protocol other than WebSocket is declined: the request is read as if it had not been made.
"""

import asyncio
from asyncio import TimerHandle
from typing import Any

from httptools import HttpParserUpgrade, HttpRequestParser
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from secateur.proxy.headers import has_header
from secateur.proxy.inbound import ClientGone, Request
from secateur.proxy.settings import ProxyLimits
from secateur.proxy.tunnel import TAKE_OVER, RawConnection

_UPGRADE = b"upgrade"
_TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
_TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class HttpConnection(HttpToolsProtocol):
    """HTTP/1.1 with bounds on the size of headers, and on the time until they are complete."""

    def __init__(self, limits: ProxyLimits, **settings: Any) -> None:
        super().__init__(**settings)
        self.parser = _Parser(self)
        self._limits = limits
        self._head_bytes = 0  # of the request whose headers are being read
        self._head_timer: TimerHandle | None = None
        self._raw: asyncio.StreamReader | None = None  # what a connection brings that is HTTP no longer

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._stop_timer()
        if self._raw is not None:
            self._raw.feed_eof()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on; end the connection where the headers of a request have no end."""
        if self._raw is not None:
            self._raw.feed_data(data)
            return
        if self._head_bytes >= 0:
            self._head_bytes += len(data)
        super().data_received(data)
        if self._head_bytes > self._limits.header_bytes:
            self._end(_TOO_LARGE)

    def on_message_begin(self) -> None:
        """The headers of a request begin."""
        super().on_message_begin()
        self._head_bytes = max(self._head_bytes, 0)
        if self._head_timer is None:
            self._await_head()

    def on_headers_complete(self) -> None:
        """They are complete: what follows is a body."""
        self._stop_timer()
        size = sum(len(name) + len(value) for name, value in self.headers) + len(self.url)
        self._head_bytes = -1
        if size > self._limits.header_bytes:
            self._end(_TOO_LARGE)
            return
        if self.is_offer_declined():
            return
        self.scope["extensions"] = {TAKE_OVER: self._take_over}  # type: ignore[dict-item]
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """A request is complete, unless it is read once more without its offer."""
        if not self.is_offer_declined():
            super().on_message_complete()

    def is_offer_declined(self) -> bool:
        """Whether the request that is being read offers a protocol that is not spoken here."""
        if not self.parser.should_upgrade():
            return False
        asked = Request(self.parser.get_method().decode("ascii"), self.url, b"", tuple(self.headers))
        return has_header(asked.headers, _UPGRADE) and not asked.wants_upgrade

    def write_head(self) -> bytes:
        """The head of the request that was read, without the offer."""
        first = b" ".join(
            (self.parser.get_method(), self.url, b"HTTP/" + self.parser.get_http_version().encode("ascii"))
        )
        lines = (name + b": " + value for name, value in self.headers if name != _UPGRADE)
        return b"\r\n".join((first, *lines, b"", b""))

    def _take_over(self) -> RawConnection:
        """Give the connection away: from here on it is not HTTP. Raises ClientGone."""
        if self.transport.is_closing():
            raise ClientGone
        self._raw = asyncio.StreamReader(loop=self.loop)
        self._raw.set_transport(self.transport)
        self.cycle.disconnected = True  # nothing is answered on it here
        return RawConnection(self._raw, self.transport, self.flow)

    def _await_head(self) -> None:
        self._head_timer = self.loop.call_later(self._limits.header_s, self._end_slow)

    def _stop_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _end_slow(self) -> None:
        self._end(_TOO_SLOW if self._head_bytes > 0 else b"")

    def _end(self, answer: bytes) -> None:
        if not self.transport.is_closing():
            self.transport.write(answer)
            self.transport.close()


class _Parser(HttpRequestParser):
    """A parser that reads on as HTTP, the body first, where an offer of another protocol is declined."""

    def __init__(self, connection: HttpConnection) -> None:
        super().__init__(connection)
        self._connection = connection
        self.set_dangerous_leniencies(lenient_data_after_close=True)  # as uvicorn has it, for pipelined requests

    def feed_data(self, data: bytes) -> None:  # type: ignore[override]
        parser, connection = self, self._connection
        while True:
            try:
                return HttpRequestParser.feed_data(parser, data)
            except HttpParserUpgrade as upgrade:
                if not connection.is_offer_declined():
                    raise
                data = connection.write_head() + data[upgrade.args[0] :]
                parser = connection.parser = _Parser(connection)  # this one is done where the connection is to close
