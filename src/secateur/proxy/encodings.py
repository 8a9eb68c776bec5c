"""Content encodings, unpacked for reading: gzip, deflate, br and zstd, also several on top of each other.

Rule: what is sent on is never unpacked and packed again; this is for reading alone. A small body that unpacks to a huge
one is refused before it is in memory.
"""

import sys
import zlib
from collections.abc import Callable
from importlib import import_module
from typing import Any, Protocol

from secateur.proxy.refusals import Refusal

MOST_LAYERS = 4  # encodings of one body; no real client uses more
_STEP = 1024 * 1024  # bytes that are unpacked at a time


class Unpacker(Protocol):
    """A decoder that is fed piece by piece. It raises its own library's errors."""

    @property
    def is_complete(self) -> bool:
        """Whether what was fed so far is a whole body."""
        ...

    def feed(self, data: bytes, most: int) -> bytes:
        """At most so many further bytes; what is left follows with empty data."""
        ...


def list_encodings(value: str) -> tuple[str, ...]:
    """The encodings of a body, as its header lists them: the last one was applied last."""
    names = (name.strip().lower() for name in value.split(","))
    return tuple(name for name in names if name not in ("", "identity"))


def find_unpackers(encodings: tuple[str, ...]) -> list[Unpacker] | None:
    """Decoders in the order in which they are needed; None if one of them is unknown here."""
    if len(encodings) > MOST_LAYERS:
        return None
    found = [_UNPACKERS.get(name) for name in reversed(encodings)]
    try:
        return [maker() for maker in found if maker is not None] if all(found) else None
    except ImportError:
        return None


def unpack(body: bytes, encodings: tuple[str, ...], most: int, count: Callable[[int], None]) -> bytes:
    """Decompress a body; `count` is called with the memory that this takes.

    Raises Refusal: 415 for an unknown encoding, 400 for a broken body, 413 for one that is too large.
    """
    if not encodings:
        return body
    unpackers = find_unpackers(encodings)
    if unpackers is None:
        raise Refusal(415, f"content-encoding {', '.join(encodings)!r:.60} is unknown: send gzip, deflate, br or zstd")
    for unpacker in unpackers:
        body = _unpack_layer(body, unpacker, most)
        count(len(body))
    return body


def _unpack_layer(body: bytes, unpacker: Unpacker, most: int) -> bytes:
    pieces: list[bytes] = []
    size, data = 0, body
    while True:
        try:
            piece = unpacker.feed(data, _STEP)
        except Exception as error:  # every library has errors of its own
            raise Refusal(400, f"the body does not match its content-encoding: {type(error).__name__}") from error
        data = b""
        size += len(piece)
        if size > most:
            raise Refusal(413, f"the request unpacks to more than {most:,} bytes: send less, or raise --max-body")
        if not piece:
            break
        pieces.append(piece)
    if not unpacker.is_complete:
        raise Refusal(400, "the body is cut off: its content-encoding says that there is more")
    return b"".join(pieces)


class Decoder:
    """Unpacks a body piece by piece, as it arrives."""

    def __init__(self, encodings: tuple[str, ...]) -> None:
        found = find_unpackers(encodings)
        if found is None:
            raise Refusal(415, f"content-encoding {', '.join(encodings)!r:.60} is unknown")
        self._unpackers = found

    def feed(self, piece: bytes) -> list[bytes]:
        """Decompress one piece. Raises Refusal if it does not match its encoding."""
        data = [piece]
        for unpacker in self._unpackers:
            try:
                data = [made for one in data for made in _drain(unpacker, one)]
            except Exception as error:  # every library has errors of its own
                raise Refusal(400, f"a body does not match its content-encoding: {type(error).__name__}") from error
        return data


def _drain(unpacker: Unpacker, data: bytes) -> list[bytes]:
    """All that a decoder makes of a piece."""
    made = [unpacker.feed(data, _STEP)]
    while len(made[-1]) == _STEP:
        made.append(unpacker.feed(b"", _STEP))
    return made


class _Zlib:
    """gzip, and deflate with or without the header that it should have."""

    def __init__(self, wbits: int) -> None:
        self._wbits = wbits
        self._inner = zlib.decompressobj(wbits)
        self._begun = False

    @property
    def is_complete(self) -> bool:
        return self._inner.eof

    def feed(self, data: bytes, most: int) -> bytes:
        data = self._inner.unconsumed_tail + data
        try:
            piece = self._inner.decompress(data, most)
        except zlib.error:
            if self._begun or self._wbits != zlib.MAX_WBITS:
                raise
            self._inner = zlib.decompressobj(-zlib.MAX_WBITS)
            piece = self._inner.decompress(data, most)
        self._begun = self._begun or bool(data)
        return piece


class _Brotli:
    def __init__(self) -> None:
        self._inner: Any = import_module("brotli").Decompressor()

    @property
    def is_complete(self) -> bool:
        return bool(self._inner.is_finished())

    def feed(self, data: bytes, most: int) -> bytes:
        piece: bytes = self._inner.process(data, output_buffer_limit=most)
        return piece


class _Zstd:
    def __init__(self) -> None:
        name = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
        self._inner: Any = import_module(name).ZstdDecompressor()

    @property
    def is_complete(self) -> bool:
        return bool(self._inner.eof)

    def feed(self, data: bytes, most: int) -> bytes:
        if self._inner.eof:
            return b""
        return bytes(self._inner.decompress(data, most))


_UNPACKERS: dict[str, Callable[[], Unpacker]] = {
    "gzip": lambda: _Zlib(16 + zlib.MAX_WBITS),
    "x-gzip": lambda: _Zlib(16 + zlib.MAX_WBITS),
    "deflate": lambda: _Zlib(zlib.MAX_WBITS),
    "br": _Brotli,
    "zstd": _Zstd,
}
