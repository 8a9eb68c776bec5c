"""Upgrades: a client and its provider that continue in another protocol (WebSocket), byte for byte.

Rule: nothing that passes is read. Either side that ends the connection ends it for the other.
"""

import asyncio
import ssl
from collections.abc import Callable
from urllib.parse import urlsplit

from msgspec import Struct
from uvicorn.protocols.http.flow_control import FlowControl

from secateur.proxy.headers import OWN
from secateur.proxy.inbound import ClientGone, Request
from secateur.proxy.refusals import Refusal
from secateur.proxy.settings import ProxyLimits

TAKE_OVER = "secateur.take_over"  # the ASGI extension by which a connection is taken from its server
_PIECE_BYTES = 65_536


class RawConnection(Struct, frozen=True):
    """A client's connection, without HTTP."""

    reader: asyncio.StreamReader
    transport: asyncio.Transport
    flow: FlowControl


async def open_tunnel(
    request: Request, address: str, limits: ProxyLimits, take_over: Callable[[], RawConnection]
) -> None:
    """Connect a client to its provider until one of them ends it. Raises ClientGone, Refusal if one is not there."""
    parts = urlsplit(address)
    tls = ssl.create_default_context() if parts.scheme == "https" else None
    port = parts.port or (443 if tls else 80)
    try:
        async with asyncio.timeout(limits.connect_s):
            reader, writer = await asyncio.open_connection(parts.hostname, port, ssl=tls)
    except (OSError, TimeoutError) as error:
        raise Refusal(502, f"{parts.hostname} could not be reached: {type(error).__name__}") from error
    try:
        client = take_over()
    except ClientGone:
        writer.close()
        raise
    writer.write(_write_head(request, parts.path, parts.query, parts.netloc))
    both = [asyncio.ensure_future(_send_up(client, writer)), asyncio.ensure_future(_send_down(reader, client))]
    try:
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for one in both:
            one.cancel()
        await asyncio.gather(*both, return_exceptions=True)
        client.transport.close()
        await _close(writer, limits.connect_s)


async def _close(writer: asyncio.StreamWriter, patience_s: float) -> None:
    """Close a connection; what its other side does not take within this time is lost."""
    writer.close()
    try:
        async with asyncio.timeout(patience_s):
            await writer.wait_closed()
    except OSError:  # a timeout, too
        writer.transport.abort()


async def _send_up(client: RawConnection, writer: asyncio.StreamWriter) -> None:
    while data := await client.reader.read(_PIECE_BYTES):
        writer.write(data)
        await writer.drain()


async def _send_down(reader: asyncio.StreamReader, client: RawConnection) -> None:
    while data := await reader.read(_PIECE_BYTES):
        client.transport.write(data)
        await client.flow.drain()


def _write_head(request: Request, path: str, query: str, host: str) -> bytes:
    """The head of the request: all that the client sent, for another host."""
    target = path + (f"?{query}" if query else "")
    lines = [f"{request.method} {target} HTTP/1.1".encode(), b"host: " + host.encode()]
    kept = [(name, value) for name, value in request.headers if name != b"host" and not name.startswith(OWN)]
    return b"\r\n".join([*lines, *(name + b": " + value for name, value in kept), b"", b""])
