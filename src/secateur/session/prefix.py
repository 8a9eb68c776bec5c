"""The hash of a view as the model reads it: by it a prefix that was sent before is known again.

Rule: it follows from what is said and from the edits in force; reasoning stands outside, as clients strip it. Of a view
that goes on from the last one only what is new is hashed.
"""

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import compress
from operator import is_not

from secateur.lineage import digest
from secateur.model import Message
from secateur.plan import Fold

_SIZE = 16  # bytes, as all names of bytes here have


class Prefix:
    """The view hashed last."""

    def __init__(self) -> None:
        self._messages: tuple[Message, ...] = ()
        self._hash = blake2b(digest_size=_SIZE)

    def next(self, messages: tuple[Message, ...], fold: Fold) -> str:
        """The hash of this view, under these edits."""
        known = self._messages
        size = min(len(known), len(messages))
        same = next(compress(range(size), map(is_not, known, messages)), size)
        if same < len(known):
            same, self._hash = 0, blake2b(digest_size=_SIZE)
        self._hash.update("\0".join(_said(messages[same:], fold)).encode("utf-8", "surrogatepass"))
        self._messages = messages
        return self._hash.hexdigest()


def _said(messages: Sequence[Message], fold: Fold) -> Iterator[str]:
    """Each part by its key, and how it reads where that is edited; a part that went is not there."""
    edited = fold.parts
    for message in messages:
        yield f"\1{message.role}"
        for part in message.parts:
            if part.kind != "reasoning":
                yield f"{part.key} {digest(part.text)}" if part.key in edited else part.key
    yield ""
