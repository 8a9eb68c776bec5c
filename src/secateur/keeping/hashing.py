"""The hash of a view as it is sent. Of one that goes on, only what is new is hashed.

Rule: it is the plain hash of the bytes, so that anybody can make it anew.
"""

from hashlib import blake2b
from typing import Any

from secateur.jsontext import dumps
from secateur.session.document import common_prefix

_SIZE = 16  # bytes, as all names of bytes here have


def hash_of(native: Any) -> str:
    """The hash of a view: of its bytes, of objects as JSON."""
    return Running().next(native)


class Running:
    """The last view hashed, and a hash that stands where the views before it were the same."""

    def __init__(self) -> None:
        self._data = b""
        self._at = 0
        self._hash = blake2b(digest_size=_SIZE)

    def next(self, native: Any) -> str:
        """The hash of this view."""
        data = _bytes(native)
        same = common_prefix(self._data, data)
        if same < self._at:
            self._at, self._hash = 0, blake2b(digest_size=_SIZE)
        view = memoryview(data)
        self._hash.update(view[self._at : same])
        self._data, self._at = data, same
        whole = self._hash.copy()
        whole.update(view[same:])
        return whole.hexdigest()


def _bytes(native: Any) -> bytes:
    if isinstance(native, str):
        return native.encode("utf-8", "surrogatepass")
    return native if isinstance(native, bytes) else dumps(native)
