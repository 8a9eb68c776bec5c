"""Where a document comes from: a file, or standard input for `-`; gzip is unpacked by what it is, not by its name.

Rule: what cannot be read is said in one sentence with what to do; the bytes as they were stored are kept beside the
unpacked ones, so that a document nobody changed goes out as it came in.
"""

import gzip
import json
import sys
import zlib
from io import BytesIO
from pathlib import Path

from msgspec import Struct

from secateur.cli.exits import Refused, Unreadable

_GZIP = b"\x1f\x8b"
_PIECE = 1 << 20  # bytes unpacked at a time
_ANYWAY = 64_000_000  # bytes that any gzip may hold
_FOLD = 200  # how much more a larger one may hold than it has itself: sessions shrink to a tenth, hardly to a hundredth
_MOST = 1_000_000_000  # bytes, however large the file is
_LOOK = 8192  # bytes in which a binary file gives itself away
_MARKS = b"\xff\xfe \t\r\n"  # byte order marks and white space
_OTHERS = {
    b"\x28\xb5\x2f\xfd": "compressed by zstd: unpack it first (zstd -d)",
    b"\xfd7zXZ\x00": "compressed by xz: unpack it first (xz -dk)",
    b"BZh": "compressed by bzip2: unpack it first (bzip2 -dk)",
    b"PK\x03\x04": "a ZIP archive: unpack it and name one session file in it",
    b"SQLite format 3\x00": "an SQLite database: export the session from its host first",
}


class Source(Struct, frozen=True):
    """One document as it was found. `stored` is what lies in the file, `data` the same unpacked."""

    name: str  # as the person gave it; "-" is standard input
    stored: bytes
    data: bytes
    packed: bool = False
    seen: tuple[int, int, int] = (0, 0, 0)  # inode, size and mtime in ns when it was read; zeros for standard input

    @property
    def label(self) -> str:
        """The name for people."""
        return "standard input" if self.name == "-" else self.name


def read(name: str) -> Source:
    """Read a document.

    Raises Unreadable for what is missing, a directory, empty, broken gzip or not text; Refused for a terminal.
    """
    try:
        stored, seen = _stdin() if name == "-" else _file(Path(name))
    except OSError as error:
        raise Unreadable(_why(name, error)) from error
    packed = stored.startswith(_GZIP)
    source = Source(name, stored, _unpacked(name, stored) if packed else stored, packed, seen)
    _refuse(source)
    return source


def identity(path: Path) -> tuple[int, int, int]:
    """What changes when somebody writes to a file."""
    stat = path.stat()
    return stat.st_ino, stat.st_size, stat.st_mtime_ns


def _file(path: Path) -> tuple[bytes, tuple[int, int, int]]:
    seen = identity(path)
    return path.read_bytes(), seen


def _stdin() -> tuple[bytes, tuple[int, int, int]]:
    if sys.stdin.isatty():
        raise Refused("standard input is this terminal: name a session file, or send one through a pipe")
    return sys.stdin.buffer.read(), (0, 0, 0)


def _unpacked(name: str, stored: bytes) -> bytes:
    """What a gzip file holds, unpacked piece by piece: what grows beyond all measure is not unpacked."""
    most = min(_MOST, max(_ANYWAY, len(stored) * _FOLD))
    pieces, size = [], 0
    try:
        with gzip.open(BytesIO(stored)) as unpacked:
            while piece := unpacked.read(_PIECE):
                pieces.append(piece)
                size += len(piece)
                if size > most:
                    raise Unreadable(
                        f"{name} is gzip of {len(stored):,} bytes that holds more than {most:,}: if it is a session "
                        "nonetheless, unpack it first (gunzip -k)"
                    )
    except (OSError, EOFError, zlib.error) as error:
        raise Unreadable(f"{name} is gzip that breaks off or is damaged ({error}): fetch it again") from error
    return b"".join(pieces)


def _refuse(source: Source) -> None:
    if not source.data.strip():
        raise Unreadable(f"{source.label} is empty: give a session file or a request body")
    for magic, what in _OTHERS.items():
        if source.data.startswith(magic):
            raise Unreadable(f"{source.label} is {what}")
    if _binary(source.data[:_LOOK]):
        raise Unreadable(f"{source.label} is a binary file: give a session file (JSONL) or a request body (JSON)")


def _binary(head: bytes) -> bool:
    """Whether there are NUL bytes that are not those of JSON in UTF-16 or UTF-32."""
    wide = json.detect_encoding(head[:4]) not in ("utf-8", "utf-8-sig")
    return b"\0" in head and not (wide and head.replace(b"\0", b"").lstrip(_MARKS)[:1] in (b"{", b"["))


def _why(name: str, error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return f"there is no file {name}: check the path"
    if isinstance(error, IsADirectoryError):
        return f"{name} is a directory: name one session file in it"
    return f"{name} cannot be read: {error.strerror}"
