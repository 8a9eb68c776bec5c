"""Reads the size of an image from the first bytes of its base64.

Rule: only headers are decoded. The size of any other image is unknown, and no rule then applies to it.
"""

from base64 import b64decode
from collections.abc import Iterator
from typing import Any

_HEAD = 65_536  # characters of base64: a JPEG states its size after its EXIF data


def read_image_size(data: Any) -> tuple[int, int] | None:
    """Width and height in pixels of a PNG, JPEG, GIF or WebP, in base64 or bytes."""
    head = _read_head(data)
    if head.startswith(b"\x89PNG\r\n\x1a\n") and len(head) >= 24:
        return _read_big_endian(head[16:20]), _read_big_endian(head[20:24])
    if head[:6] in (b"GIF87a", b"GIF89a") and len(head) >= 10:
        return _read_little_endian(head[6:8]), _read_little_endian(head[8:10])
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return _parse_webp_size(head)
    return next(_find_jpeg_sizes(head), None) if head.startswith(b"\xff\xd8") else None


def _read_head(data: Any) -> bytes:
    if isinstance(data, bytes | bytearray):
        return bytes(data[:_HEAD])
    if not isinstance(data, str):
        return b""
    text = data[:_HEAD].rpartition(",")[2] if data.startswith("data:") else data[:_HEAD]
    try:
        return b64decode(text[: len(text) // 4 * 4])
    except ValueError:
        return b""


def _parse_webp_size(head: bytes) -> tuple[int, int] | None:
    if head[12:16] == b"VP8X" and len(head) >= 30:
        return 1 + _read_little_endian(head[24:27]), 1 + _read_little_endian(head[27:30])
    if head[12:16] == b"VP8L" and len(head) >= 25:
        bits = _read_little_endian(head[21:25])
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if head[12:16] == b"VP8 " and len(head) >= 30:
        return _read_little_endian(head[26:28]) & 0x3FFF, _read_little_endian(head[28:30]) & 0x3FFF
    return None


def _find_jpeg_sizes(head: bytes) -> Iterator[tuple[int, int]]:
    """Yield the sizes in the frame headers of a JPEG: markers SOF0 to SOF15 except DHT, JPG and DAC."""
    at = 2
    while at + 9 <= len(head) and head[at] == 0xFF:
        marker = head[at + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            yield _read_big_endian(head[at + 7 : at + 9]), _read_big_endian(head[at + 5 : at + 7])
        at += 2 + max(2, _read_big_endian(head[at + 2 : at + 4]))


def _read_big_endian(data: bytes) -> int:
    return int.from_bytes(data, "big")


def _read_little_endian(data: bytes) -> int:
    return int.from_bytes(data, "little")
