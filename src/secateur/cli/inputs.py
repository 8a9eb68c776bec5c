"""Input documents: a file, or standard input for `-`; decompressed, recognized, read and counted.

Rule: unreadable input is one message with what to do; it never quotes the content, only places in it. The stored bytes
are kept in addition to the decompressed ones, so that an unchanged document is written as received.
"""

import gzip
import json
import os
import sys
import zlib
from collections.abc import Callable
from io import BytesIO
from json import JSONDecodeError
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct
from msgspec.structs import force_setattr, replace

from secateur import documents
from secateur.cli.exit_codes import UnreadableInput, UsageError
from secateur.documents import Document
from secateur.errors import FormatError, UnknownFormat
from secateur.formats.request_body import build_request_body
from secateur.hosts.session_files import export_named, is_exported
from secateur.model import Transcript
from secateur.tokens import get_model_counter

_GZIP = b"\x1f\x8b"
_CHUNK_BYTES = 1 << 20  # bytes unpacked at a time
_MAX_SMALL = 64_000_000  # bytes that any gzip may hold
_MAX_RATIO = (
    200  # how much more a larger one may hold than it has itself: sessions shrink to a tenth, hardly to a hundredth
)
_MAX_BYTES = 1_000_000_000  # bytes, however large a gzip is, and of what is no file
_SNIFFED_BYTES = 8192  # bytes in which a binary file gives itself away
_MARKS = b"\xff\xfe \t\r\n"  # byte order marks and white space
_UNSUPPORTED = {
    b"\x28\xb5\x2f\xfd": "compressed by zstd: decompress it first (zstd -d)",
    b"\xfd7zXZ\x00": "compressed by xz: decompress it first (xz -dk)",
    b"BZh": "compressed by bzip2: decompress it first (bzip2 -dk)",
    b"PK\x03\x04": "a ZIP archive: extract it and give one session file in it",
    b"SQLite format 3\x00": "an SQLite database: export the session from its host first",
}
_REMEDY = "give a request body or a session file, or name its format with --format"


class InputSource(Struct, frozen=True):
    """One input document. `stored` are the bytes of the file, `data` the same decompressed."""

    name: str  # as the person gave it; "-" is standard input
    stored: bytes
    data: bytes
    is_gzip: bool = False
    seen: tuple[int, int, int] = (0, 0, 0)  # inode, size and mtime in ns when it was read; zeros for standard input

    @property
    def label(self) -> str:
        """The name to show."""
        return _get_label(self.name)


def read_source(name: str) -> InputSource:
    """Read a document.

    Raises UnreadableInput for what is missing, a directory, empty, broken gzip or not text; UsageError for a terminal.
    """
    try:
        stored, seen = _read_stdin() if name == "-" else _read_file(name)
    except OSError as error:
        raise UnreadableInput(_describe_os_error(name, error)) from error
    except FormatError as error:
        raise UnreadableInput(str(error)) from error
    is_gzip = stored.startswith(_GZIP)
    source = InputSource(name, stored, _unpack(name, stored) if is_gzip else stored, is_gzip, seen)
    _refuse_unreadable(source)
    return source


def convert_source(opened: "OpenedDocument", target: str, model: str = "") -> InputSource:
    """The document as a request body of another format, as if it had been read from the same place."""
    data = build_request_body(opened.document.transcript, target, model)
    return InputSource(opened.source.name, data, data)


def get_file_identity(path: Path) -> tuple[int, int, int]:
    """Inode, size and time of a file: they change when it is written."""
    stat = path.stat()
    return stat.st_ino, stat.st_size, stat.st_mtime_ns


def _read_file(name: str) -> tuple[bytes, tuple[int, int, int]]:
    if ":" in name and is_exported(name):
        return export_named(name), (0, 0, 0)
    path = Path(name)
    seen = get_file_identity(path)
    with path.open("rb") as file:
        return file.read() if path.is_file() else _read_stream(name, file), seen


def _read_stdin() -> tuple[bytes, tuple[int, int, int]]:
    if sys.stdin.isatty():
        raise UsageError("standard input is a terminal: give a session file, or pipe one in")
    return _read_stream("-", sys.stdin.buffer), (0, 0, 0)


def _read_stream(name: str, stream: BinaryIO) -> bytes:
    """Read a pipe or a device piece by piece, up to a limit: it may never end."""
    pieces, size = [], 0
    while piece := stream.read(_CHUNK_BYTES):
        pieces.append(piece)
        size += len(piece)
        if len(pieces) == 1:
            _refuse_foreign(_get_label(name), piece)
        if size > _MAX_BYTES:
            raise UnreadableInput(
                f"{_get_label(name)} has given more than {_MAX_BYTES:,} bytes and has not ended: if it is a session, "
                "save it to a file first"
            )
    return b"".join(pieces)


def _unpack(name: str, stored: bytes) -> bytes:
    """Decompress gzip piece by piece, up to a limit."""
    most = min(_MAX_BYTES, max(_MAX_SMALL, len(stored) * _MAX_RATIO))
    pieces, size = [], 0
    try:
        with gzip.open(BytesIO(stored)) as unpacked:
            while piece := unpacked.read(_CHUNK_BYTES):
                pieces.append(piece)
                size += len(piece)
                if size > most:
                    raise UnreadableInput(
                        f"{name} is gzip of {len(stored):,} bytes that holds more than {most:,}: if it is a session, "
                        "decompress it first (gunzip -k)"
                    )
    except (OSError, EOFError, zlib.error) as error:
        raise UnreadableInput(f"{name} is truncated or damaged gzip ({error}): fetch it again") from error
    return b"".join(pieces)


def _get_label(name: str) -> str:
    return "standard input" if name == "-" else name


def _refuse_unreadable(source: InputSource) -> None:
    if not source.data.strip():
        raise UnreadableInput(f"{source.label} is empty: give a session file or a request body")
    _refuse_foreign(source.label, source.data)


def _refuse_foreign(label: str, data: bytes) -> None:
    """Refuse what shows in its first bytes that it is no text."""
    for magic, what in _UNSUPPORTED.items():
        if data.startswith(magic):
            raise UnreadableInput(f"{label} is {what}")
    if not data.startswith(_GZIP) and _is_binary(data[:_SNIFFED_BYTES]):
        raise UnreadableInput(f"{label} is a binary file: give a session file (JSONL) or a request body (JSON)")


def _is_binary(head: bytes) -> bool:
    """Whether there are NUL bytes, and not as in UTF-16 or in a log that a machine was writing as it failed."""
    return b"\0" in head and head.replace(b"\0", b"").lstrip(_MARKS)[:1] not in (b"{", b"[")


def _describe_os_error(name: str, error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        listed = "" if os.path.dirname(name) else ", or see `secateur ls` for the sessions of this machine"
        return f"there is no file {name}: check the path{listed}"
    if isinstance(error, IsADirectoryError):
        return f"{name} is a directory: give one session file in it"
    return f"{name} cannot be read: {error.strerror}"


class OpenedDocument(Struct, frozen=True):
    """A source and its transcript."""

    source: InputSource
    document: Document
    transcript: Transcript  # counted

    @property
    def format(self) -> str:
        """The format's name."""
        return self.document.format.name


def open_document(
    source: InputSource, format_name: str | None, counter: str = "estimate", fixed_tokens: int = 0, model: str = ""
) -> OpenedDocument:
    """Recognize and read a document, and count it in the tokens of this model, else of its own.

    Raises UnreadableInput, which names the source.
    """
    try:
        read = documents.read(source.data, format_name, model)
    except FormatError as error:
        raise explain_unreadable(source, error) from error
    transcript = count_parts(read.transcript, get_model_counter(counter, read.transcript.model))
    return OpenedDocument(source, read, replace(transcript, fixed_tokens=fixed_tokens or transcript.fixed_tokens))


def count_parts(transcript: Transcript, count: Callable[[str], int]) -> Transcript:
    """Fill in the tokens of each part; a reader has filled in those of media."""
    for message in transcript.messages:
        for part in message.parts:
            if part.text and not part.tokens:
                force_setattr(part, "tokens", count(part.text))
    return transcript


def explain_unreadable(source: InputSource, error: FormatError) -> UnreadableInput:
    """The error that ends the command: what is wrong with the bytes, and what to do."""
    message = str(error)
    broken = find_json_error(source.data)
    if isinstance(error, UnknownFormat) and not message.startswith("no known format"):
        return UnreadableInput(f"{source.label}: {message}")  # refused by name, with what to do
    if "int_max_str_digits" in message:
        return UnreadableInput(f"{source.label}: a number in it has thousands of digits: put it in quotes")
    if broken:
        return UnreadableInput(
            f"{source.label}: {'no known format' if isinstance(error, UnknownFormat) else 'not JSON'}: {broken}"
        )
    return UnreadableInput(f"{source.label}: {message}" + (f"; {_REMEDY}" if isinstance(error, UnknownFormat) else ""))


def find_json_error(data: bytes) -> str:
    """Why the bytes are not JSON, and what to do; "" if they are JSON, JSON lines, or unlike JSON."""
    encoding = json.detect_encoding(data[:4])
    try:
        text = data.decode(encoding, "surrogatepass")
    except UnicodeError as error:
        if isinstance(error, UnicodeDecodeError) and error.end >= len(data) and encoding.startswith("utf-8"):
            return "it ends inside a character: fetch the whole file"
        where = f"byte {error.start:,}" if isinstance(error, UnicodeDecodeError) else "some byte"
        return f"its text is invalid at {where}: convert it to UTF-8"
    broken = _find_parse_error(text)
    if broken is None or not text.lstrip("\ufeff \t\r\n").startswith(("{", "[")):
        return ""
    if broken.lineno > 1 and _find_parse_error(text.split("\n", 1)[0]) is None:
        return ""  # lines of JSON, of which one is torn
    where = f"line {broken.lineno:,}, column {broken.colno:,}"
    if broken.pos >= len(text.rstrip()) or broken.msg.startswith("Unterminated string"):
        return f"the JSON is truncated ({where}): fetch the whole file"
    return f"the JSON is invalid at {where} ({broken.msg}): correct it there, or fetch it again"


def _find_parse_error(text: str) -> JSONDecodeError | None:
    try:
        json.loads(text.lstrip("\ufeff"))
    except JSONDecodeError as error:
        return error
    except (ValueError, RecursionError):  # a number too long, nested too deeply: JSON all the same
        return None
    return None
