"""The beginning of a response: whether it refuses the request.

Rule: a refusal is an error's body, or an event of a stream before any of the model's words. So that it can be told
from an answer, the announcements with which a stream begins are held back: half a second at most, and only they.
"""

import asyncio
import time
from contextlib import suppress

import aiohttp
from msgspec import Struct

from secateur.proxy.encodings import list_encodings, unpack
from secateur.proxy.refusals import Refusal

BROKEN = (aiohttp.ClientError, OSError, TimeoutError)  # what reading a response raises
_MAY_BE_TOO_LONG = (400, 413, 422, 500)  # the statuses by which providers say so
_MOST_BYTES = 256 * 1024
_HELD_S = 0.5
_ANNOUNCEMENTS = (b"response.created", b"response.in_progress", b"response.queued", b'"type": "ping"', b'"type":"ping"')
_ERRORS = (b"event: error", b"response.failed", b'"type":"error"', b'"type": "error"', b'data: {"error"')


class Beginning(Struct, frozen=True):
    """The part of a response that was read before any of it was sent back."""

    data: bytes = b""
    status: int = 0  # of the refusal; 0 if it is none
    refusal: bytes = b""  # as text


async def read_beginning(response: aiohttp.ClientResponse) -> Beginning:
    """Read as much of a response as shows whether the provider rejects a request that may be too long."""
    if response.status in _MAY_BE_TOO_LONG:
        data = await _read_body(response)
        return Beginning(data, response.status, _unpack(response, data) if response.content.at_eof() else b"")
    is_plain = not list_encodings(response.headers.get("content-encoding", ""))
    if response.status == 200 and is_plain and "event-stream" in response.headers.get("content-type", ""):
        return await _read_announcements(response)
    return Beginning()


async def _read_body(response: aiohttp.ClientResponse) -> bytes:
    """The body; of a long one the beginning."""
    read = bytearray()
    with suppress(*BROKEN):  # the next reader gets the same error
        while len(read) < _MOST_BYTES and (piece := await response.content.readany()):
            read += piece
    return bytes(read)


def _unpack(response: aiohttp.ClientResponse, data: bytes) -> bytes:
    try:
        return unpack(data, list_encodings(response.headers.get("content-encoding", "")), _MOST_BYTES, _ignore)
    except Refusal:
        return b""


async def _read_announcements(response: aiohttp.ClientResponse) -> Beginning:
    """Read a stream up to its first event that is none."""
    data, until = b"", time.monotonic() + _HELD_S
    with suppress(*BROKEN):
        while len(data) < _MOST_BYTES:
            event = _find_event(data)
            if event is not None:
                status = 400 if any(mark in event for mark in _ERRORS) else 0
                return Beginning(data, status, event if status else b"")
            async with asyncio.timeout(until - time.monotonic()):  # `wait_for` may lose that the client has gone
                piece = await response.content.readany()
            if not piece:
                break
            data += piece
    return Beginning(data)


def _find_event(data: bytes) -> bytes | None:
    """The first whole event of a stream that says more than that the stream began; None if there is none so far."""
    *events, _ = data.replace(b"\r\n", b"\n").split(b"\n\n")
    said = [event for event in events if event.strip() and not event.startswith(b":")]
    return next((event for event in said if not any(mark in event for mark in _ANNOUNCEMENTS)), None)


def _ignore(size: int) -> None:
    """For what is not counted."""
