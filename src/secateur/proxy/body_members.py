"""JSON bodies split into the bytes of their members and elements, and joined again.

Rule: what is not replaced keeps its bytes; nothing is decoded unless requested.
"""

from collections.abc import Iterable

import msgspec
from msgspec import Raw

Members = dict[str, Raw]
_MEMBERS = msgspec.json.Decoder(Members)
_ELEMENTS = msgspec.json.Decoder(list[Raw])


def split_members(body: bytes | Raw) -> Members:
    """The members of an object. Raises ValueError (msgspec's errors are of that kind)."""
    return _MEMBERS.decode(body)


def split_elements(array: bytes | Raw) -> list[Raw]:
    """The elements of an array. Raises ValueError."""
    return _ELEMENTS.decode(array)


def join_members(members: Members) -> bytes:
    """An object of these members."""
    return b"{" + b",".join(msgspec.json.encode(name) + b":" + bytes(value) for name, value in members.items()) + b"}"


def join_elements(elements: Iterable[Raw]) -> Raw:
    """An array of these elements."""
    return Raw(b"[" + b",".join(map(bytes, elements)) + b"]")


def encode_raw(value: object) -> Raw:
    """A value as it is put into a body."""
    return Raw(msgspec.json.encode(value))
