"""A raw document as pieces, so that any past request can be rebuilt: its messages, and what surrounds them.

Rule: each piece is named by its bytes; joined, they are the document. Of a document that grew, only what is new is
hashed and cut.
"""

from msgspec import Struct

from secateur.documents import Document, get_element_range
from secateur.jsontext import Lines, Text, dumps
from secateur.lineage import hash_text
from secateur.stores.protocol import Blob, Manifest


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
