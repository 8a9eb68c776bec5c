"""Upgrades: a client and its provider that continue in another protocol (WebSocket), byte for byte.

Rule: nothing that passes is read. Either side that ends the connection ends it for the other.
"""

import asyncio
import ssl
from base64 import b64encode
from collections.abc import Callable
from urllib.parse import SplitResult, unquote, urlsplit

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


class TunnelRoute(Struct, frozen=True):
    """Where a tunnel leads."""

    address: str  # of the request at the provider
    by: str = ""  # the address of the proxy that the environment names; "" for none


async def open_tunnel(
    request: Request, route: TunnelRoute, limits: ProxyLimits, take_over: Callable[[], RawConnection]
) -> None:
    """Connect a client to its provider until one of them ends it. Raises ClientGone, Refusal if one is not there."""
    parts = urlsplit(route.address)
    try:
        async with asyncio.timeout(limits.connect_s):
            reader, writer = await _connect(parts, urlsplit(route.by) if route.by else None)
    except (OSError, EOFError, ValueError, asyncio.LimitOverrunError) as error:  # a timeout, too
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


async def _connect(parts: SplitResult, by: SplitResult | None) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection to a provider, straight or by a proxy. Raises OSError, EOFError, ValueError."""
    tls = ssl.create_default_context() if parts.scheme == "https" else None
    port = parts.port or (443 if tls else 80)
    if by is None:
        return await asyncio.open_connection(parts.hostname, port, ssl=tls)
    to_proxy = ssl.create_default_context() if by.scheme == "https" else None
    reader, writer = await asyncio.open_connection(by.hostname, by.port or (443 if to_proxy else 80), ssl=to_proxy)
    try:
        host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
        writer.write(_write_connect(f"{host}:{port}", by))
        answer = await reader.readuntil(b"\r\n\r\n")
        if answer.split(b" ", 2)[1:2] != [b"200"]:
            raise ConnectionRefusedError
        if tls is not None:
            await writer.start_tls(tls, server_hostname=parts.hostname)
    except BaseException:
        writer.close()
        raise
    return reader, writer


def _write_connect(target: str, by: SplitResult) -> bytes:
    """Ask a proxy for a connection, with the name and password of its address."""
    lines = [f"CONNECT {target} HTTP/1.1", f"host: {target}"]
    if by.username is not None:
        login = f"{unquote(by.username)}:{unquote(by.password or '')}"
        lines.append(f"proxy-authorization: Basic {b64encode(login.encode()).decode()}")
    return "\r\n".join([*lines, "", ""]).encode()


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
