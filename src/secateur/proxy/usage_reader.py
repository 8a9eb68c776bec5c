"""The usage stated in a response, read while it passes.

Rule: a copy is read and nothing is held back; of a stream only events that may state usage are kept, and of any
response a limited number of bytes. If it cannot be read, there is no usage.
"""

import base64
import json
import re
from collections.abc import Iterator
from contextlib import suppress

from secateur.proxy.encodings import Decoder, list_encodings
from secateur.proxy.refusals import Refusal
from secateur.usage import Usage, read_usage

_MOST_BYTES = 8 * 1024 * 1024  # of a response that is not a stream, and of one line of a stream
_FIRST, _LAST = 2, 6  # events that are kept: Anthropic states usage at both ends
_MARK = b"usage"  # and usageMetadata
_TAIL_BYTES = 64 * 1024  # of a stream in frames: it states its usage at the end
_STATED = re.compile(rb'"usage"\s*:\s*(?=\{)')
_PACKED = re.compile(rb'\{"bytes":"([A-Za-z0-9+/=]+)"')
_JSON = json.JSONDecoder()


class UsageReader:
    """Reads one response."""

    def __init__(self, content_type: str, content_encoding: str) -> None:
        self._streams = "event-stream" in content_type
        self._is_framed = "vnd.amazon.eventstream" in content_type
        self._decoder: Decoder | None = None
        with suppress(Refusal):
            self._decoder = Decoder(list_encodings(content_encoding))
        self._rest = bytearray()
        self._events: list[bytes] = []
        self._skips = False  # inside a line, or a body, that is too long to be read

    def feed(self, piece: bytes) -> None:
        """Read on."""
        if self._decoder is None:
            return
        try:
            pieces = self._decoder.feed(piece)
        except Refusal:  # a response that is not what it says; the client sees it as it is
            self._decoder = None
            return
        for data in pieces:
            if self._is_framed:
                self._rest = (self._rest + data)[-_TAIL_BYTES:]
            elif self._streams:
                self._read_lines(data)
            elif len(self._rest) + len(data) <= _MOST_BYTES and not self._skips:
                self._rest += data
            else:
                self._skips = True
                self._rest.clear()

    def finish(self) -> Usage | None:
        """The usage that was stated."""
        if self._is_framed:
            return read_usage([*_find_framed(bytes(self._rest))])
        if self._streams:
            self._keep(bytes(self._rest))
            return read_usage([line.decode("utf-8", "replace") for line in self._events])
        return read_usage(bytes(self._rest)) if self._rest else None

    def _read_lines(self, data: bytes) -> None:
        end = data.rfind(b"\n")
        if end < 0:
            self._rest += data
            if len(self._rest) > _MOST_BYTES:
                self._skips = True
                self._rest.clear()
            return
        whole = bytes(self._rest) + data[:end]
        self._rest = bytearray(data[end + 1 :])
        if self._skips:
            whole = whole.partition(b"\n")[2]
            self._skips = False
        if _MARK in whole:
            for line in whole.split(b"\n"):
                self._keep(line)

    def _keep(self, line: bytes) -> None:
        if _MARK in line and not self._skips:
            self._events.append(line)
            if len(self._events) > _FIRST + _LAST:
                del self._events[_FIRST]


def _find_framed(data: bytes) -> Iterator[str]:
    """The objects that state usage in binary frames: their payloads are JSON, or base64 of it."""
    for packed in _PACKED.findall(data):
        with suppress(ValueError):
            data += base64.b64decode(packed)
    for found in _STATED.finditer(data):
        with suppress(ValueError):
            value, _ = _JSON.raw_decode(data[found.end() :].decode("utf-8", "replace"))
            yield json.dumps({"usage": value})
