"""Names for bytes: the hash of a view, and a raw document as pieces, so that any past request can be rebuilt.

Rule: a view as it is sent has the plain hash of its bytes, which anyone can recompute. As the model reads it, its hash
follows from the messages and the edits in force, without reasoning, which clients strip. The pieces of a document are
its messages and what surrounds them, each named by its bytes; joined, they are the document. Of a view or document that
grew, only what is new is hashed and cut.
"""

from hashlib import blake2b
from itertools import compress
from operator import is_not
from typing import Any

from msgspec import Struct

from secateur.documents import Document, get_element_range, measure_common_prefix
from secateur.jsontext import Lines, Text, dumps
from secateur.lineage import hash_text
from secateur.model import Message
from secateur.plan import FoldedPlan
from secateur.stores.protocol import Blob, Manifest

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
        self._pieces: list[str] = []  # what is hashed of each message
        self._hash = blake2b(digest_size=_SIZE)

    def hash_view(self, messages: tuple[Message, ...], fold: FoldedPlan) -> str:
        """The hash of this view with these edits."""
        known, pieces = self._messages, self._pieces
        if messages is known:
            return self._hash.hexdigest()
        size = min(len(known), len(messages))
        changed = [*compress(range(size), map(is_not, known, messages))]
        new = [_describe_content(message, fold) for message in messages[size:]]
        if changed or size < len(known):
            for number in changed:
                pieces[number] = _describe_content(messages[number], fold)
            del pieces[size:]
            self._hash = blake2b("".join(pieces).encode("utf-8", "surrogatepass"), digest_size=_SIZE)
        pieces += new
        self._hash.update("".join(new).encode("utf-8", "surrogatepass"))
        self._messages = messages
        return self._hash.hexdigest()


def _describe_content(message: Message, fold: FoldedPlan) -> str:
    """Each part by its key, and its text if edited; removed parts are left out."""
    edited = fold.parts
    found = [
        f"{part.key} {hash_text(part.text)}" if part.key in edited else part.key
        for part in message.parts
        if part.kind != "reasoning"
    ]
    return "\0".join(("\1" + message.role, *found, ""))


class Pieces(Struct, frozen=True):
    """Ids of a document's pieces: what is before its messages, the messages, and what is behind them."""

    ids: tuple[str, ...] = ()


def cut(document: Document, before: Pieces, sequence: int, same: int) -> tuple[Pieces, Manifest, tuple[Blob, ...]]:
    """The document's pieces, the manifest of request `sequence`, and the pieces that `before` does not have.

    The first `same` messages stand as they stood when `before` was cut.
    """
    text = _get_text(document)
    ends = _find_ends(document, text)
    known = min(get_element_range(document, same - 1).stop, len(before.ids) - 2) if same and len(before.ids) > 2 else 0
    places = [(0, ends[0]), *zip(ends[known:], ends[known + 1 :], strict=False), (ends[-1], len(text.data))]
    made = [text.data[start:end] for start, end in places]
    names = [hash_text(one) for one in made]
    ids = (names[0], *before.ids[1 : known + 1], *names[1:])
    had = set(before.ids)
    blobs = tuple(Blob(one, "raw") for one, name in zip(made, names, strict=True) if name not in had)
    shared = _count_shared(before.ids, ids)
    return Pieces(ids), Manifest(sequence, shared, ids[shared:]), blobs


def _get_text(document: Document) -> Text:
    """The document as it arrived, in bytes; objects as their JSON."""
    native = document.native
    if not isinstance(native, Text):
        return Text.of(dumps(native))
    if document.encoding in ("utf-8", "str") and not document.bom:
        return native
    return Lines.of(document.encode_output(native.data))  # one piece: no one looks for messages in it


def _find_ends(document: Document, text: Text) -> list[int]:
    """The ends of the pieces: the first one's and each message's."""
    items = (
        text.at(document.transcript.messages_path) if text is document.native or document.encoding == "object" else None
    )
    if items is None or items.kind != "[" or not items.open().ends:
        return [0]
    return [items.open().starts[0], *items.open().ends]


def _count_shared(old: tuple[str, ...], new: tuple[str, ...]) -> int:
    if old == new:
        return len(old)
    most = min(len(old), len(new))
    if old[:most] == new[:most]:
        return most
    return next(number for number in range(most) if old[number] != new[number])
