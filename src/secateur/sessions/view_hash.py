"""The hash of a view, as it is sent and as the model reads it. Of a view that grew, only what is new is hashed.

Rule: as it is sent, it is the plain hash of the bytes, so that anybody can make it anew. As the model reads it, it
follows from what is said and from the edits in force; reasoning is left out, as clients strip it.
"""

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import compress
from operator import is_not
from typing import Any

from secateur.jsontext import dumps
from secateur.lineage import hash_text
from secateur.model import Message
from secateur.plan import FoldedPlan
from secateur.session.document import measure_common_prefix

_SIZE = 16  # bytes, as all names of bytes here have


def hash_of(native: Any) -> str:
    """The hash of a view: of its bytes, of objects as JSON."""
    return Running().hash_view(native)


class Running:
    """The last view hashed, and a hash that stands where the views before it were the same."""

    def __init__(self) -> None:
        self._data = b""
        self._at = 0
        self._hash = blake2b(digest_size=_SIZE)

    def hash_view(self, native: Any) -> str:
        """The hash of this view."""
        if isinstance(native, str):
            native = native.encode("utf-8", "surrogatepass")
        data = native if isinstance(native, bytes) else dumps(native)
        same = measure_common_prefix(self._data, data)
        if same < self._at:
            self._at, self._hash = 0, blake2b(digest_size=_SIZE)
        view = memoryview(data)
        self._hash.update(view[self._at : same])
        self._data, self._at = data, same
        whole = self._hash.copy()
        whole.update(view[same:])
        return whole.hexdigest()


class Prefix:
    """The view hashed last."""

    def __init__(self) -> None:
        self._messages: tuple[Message, ...] = ()
        self._hash = blake2b(digest_size=_SIZE)

    def hash_view(self, messages: tuple[Message, ...], fold: FoldedPlan) -> str:
        """The hash of this view with these edits."""
        known = self._messages
        if messages is known:
            return self._hash.hexdigest()
        size = min(len(known), len(messages))
        same = next(compress(range(size), map(is_not, known, messages)), size)
        if same < len(known):
            same, self._hash = 0, blake2b(digest_size=_SIZE)
        self._hash.update("\0".join(_iterate_content(messages[same:], fold)).encode("utf-8", "surrogatepass"))
        self._messages = messages
        return self._hash.hexdigest()


def _iterate_content(messages: Sequence[Message], fold: FoldedPlan) -> Iterator[str]:
    """Each part by its key, and its text if edited; removed parts are left out."""
    edited = fold.parts
    for message in messages:
        yield f"\1{message.role}"
        for part in message.parts:
            if part.kind != "reasoning":
                yield f"{part.key} {hash_text(part.text)}" if part.key in edited else part.key
    yield ""
