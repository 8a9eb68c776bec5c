"""Originals of files that a view was written over, or next to: stored, and found again by what was written.

Rule: a file is identified by its bytes alone, never by its name. A restored file is checked against the hash that was
recorded when it was changed; bytes that do not match are never passed off as the original.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from secateur.decoding import prepare_type
from secateur.documents import measure_common_prefix
from secateur.errors import StoreError
from secateur.lineage import hash_prefixes, hash_text
from secateur.patch import Splice, apply_splices
from secateur.receipt import FileWrite
from secateur.sessions import CachedSession, SessionManager
from secateur.sessions.receipt_log import link_receipts, make_notice, read
from secateur.stores.protocol import Blob, SessionId, SessionUpdate, State, Store

_TOLD = b'"status":"filed"'  # in a receipt as it is kept: most are of other things, and are not opened


class Before(Struct, frozen=True):
    """A file as it was: the bytes that were read, and, where it was packed, as it was stored."""

    data: bytes
    stored: bytes = b""


class After(Struct, frozen=True):
    """The result of the change: the unpacked bytes, and the file; "" is standard output."""

    data: bytes
    path: str


class Writing(Struct, frozen=True):
    """A file that was written, from a session's receipt."""

    who: SessionId
    number: int  # of the receipt
    at: int  # ms since 1970
    filed: FileWrite


class OriginalFile(Struct, frozen=True):
    """A file as it was before one writing. What came behind what was written is in it too."""

    before: Before
    writing: Writing
    later: int  # bytes that came after the writing; of a file that was only written: 0
    whole: bool  # whether all that was written is unchanged; else something after the last change differs


class Gone(StoreError):
    """A file was written by secateur, and the data for its original is no longer stored."""

    def __init__(self, writing: Writing, said: str) -> None:
        super().__init__(said)
        self.writing = writing


class _Difference(Struct, frozen=True, array_like=True):
    """How to turn the written bytes back into the file: start, end and bytes of each place; and the packed file."""

    pieces: tuple[tuple[int, int, bytes], ...]
    stored: bytes


def keep_file(sessions: SessionManager, who: SessionId, before: Before, after: After, now: int) -> None:
    """Keep what turns what is written back into the file as it was. Raises StoreError.

    Of a file that was written as it had been read, the receipt alone is kept: it says that nothing was removed.
    """
    pieces = tuple((one.start, one.end, one.text) for one in compute_difference(before.data, after.data))
    blob = Blob(msgspec.msgpack.encode(_Difference(pieces, before.stored)), "raw") if pieces else None
    reach = pieces[-1][1] if pieces else 0
    filed = FileWrite(
        path=after.path,
        before=hash_text(before.data),
        before_bytes=len(before.data),
        after=hash_text(after.data),
        after_bytes=len(after.data),
        reach=reach,
        reached=hash_text(after.data[:reach]),
        difference=blob.id if blob else "",
    )

    def change(cached: CachedSession, state: State) -> SessionUpdate:
        receipt = replace(make_notice("filed", now), reason="written to a file", filed=filed)
        return SessionUpdate(
            at=now,
            blobs=(blob,) if blob else (),
            receipts=link_receipts((*cached.waiting, receipt), state, cached.unsaved),
        )

    sessions.note(who, change, sessions.store)


def iterate_writings(store: Store, whose: Iterable[SessionId]) -> Iterator[Writing]:
    """The files written from these sessions, those that were written unchanged among them."""
    for who in whose:
        for link in store.list_receipts(who):
            receipt = read(link.body) if _TOLD in link.body else None
            if receipt is not None and receipt.filed is not None:
                yield Writing(who, link.sequence, receipt.at_ms, receipt.filed)


def find_writing(data: bytes, known: list[Writing]) -> Writing | None:
    """The writing these bytes come from: the newest that wrote them, else the one with all changes intact."""
    known = [one for one in known if one.filed.difference]
    names = hash_prefixes(data, [one.filed.reach for one in known] + [len(data)])
    same = [one for one in known if names[len(data)] == one.filed.after]
    held = [one for one in known if one.filed.reach and names.get(one.filed.reach) == one.filed.reached]
    if same:
        return max(same, key=lambda one: one.at)
    return max(held, key=lambda one: (one.filed.reach, one.at), default=None)


def find_original_size(data: bytes, known: list[Writing]) -> int | None:
    """The size of the original that these bytes begin with, the longest; None if they begin with none.

    A file is an original if something was written of it, even if nothing was removed.
    """
    names = hash_prefixes(data, [one.filed.before_bytes for one in known])
    sizes = [one.filed.before_bytes for one in known if names.get(one.filed.before_bytes) == one.filed.before]
    return max(sizes, default=None)


def restore_original(store: Store, writing: Writing, data: bytes) -> OriginalFile | None:
    """The file that these bytes were written from; None if they are that file already.

    Raises Gone if the difference is no longer stored, or does not lead back to the original.
    """
    filed, told = writing.filed, _load_difference(store, writing)
    splices = [Splice(*piece) for piece in told.pieces]
    head = apply_splices(data[: filed.reach], splices)
    if hash_text(data) != filed.after and len(head) >= filed.reach and data.startswith(head):
        return None  # where bytes were only taken out, what is left may begin as the file did before
    made = head + data[filed.reach :]
    if hash_text(data) == filed.after:
        _verify_original(writing, made)
        return OriginalFile(Before(made, told.stored), writing, 0, True)
    whole = hash_prefixes(data, [filed.after_bytes]).get(filed.after_bytes) == filed.after
    later = len(data) - (filed.after_bytes if whole else filed.reach)
    if whole:
        _verify_original(writing, made[: filed.before_bytes])
    return OriginalFile(Before(made), writing, later, whole)


def restore_from_backup(writing: Writing, backup: Before, data: bytes) -> OriginalFile | None:
    """The same from a backup of the original; None if the backup is not that very file."""
    filed = writing.filed
    whole = hash_prefixes(data, [filed.after_bytes]).get(filed.after_bytes) == filed.after
    if not whole or hash_text(backup.data) != filed.before:
        return None
    later = data[filed.after_bytes :]
    return OriginalFile(Before(backup.data + later, b"" if later else backup.stored), writing, len(later), True)


def _load_difference(store: Store, writing: Writing) -> _Difference:
    blob = store.get_blob(writing.who.tenant, writing.filed.difference)
    if blob is None:
        raise Gone(writing, "the removed bytes are no longer stored")
    return msgspec.msgpack.decode(blob.data, type=prepare_type(_Difference))


def _verify_original(writing: Writing, made: bytes) -> None:
    if hash_text(made) != writing.filed.before:
        raise Gone(writing, "the stored data does not lead back to the original file")


_LEAST = 16  # bytes of a text that shows the place; shorter ones are hardly ever there only once

_Match = tuple[int, int, int]  # where it is in the new bytes and in the old ones, and its length


def compute_difference(old: bytes, new: bytes) -> tuple[Splice, ...]:
    """The splices that turn `new` into `old`, in order."""
    made: list[Splice] = []
    i = j = 0  # everything before these is done
    for at, was, size in (*_find_anchors(old, new), (len(new), len(old), 0)):
        if old[i:was] != new[j:at]:
            made.append(_trim_common(old[i:was], new[j:at], j))
        i, j = was + size, at + size
    return tuple(made)


def _trim_common(old: bytes, new: bytes, start: int) -> Splice:
    """One splice for the difference, without the bytes common to both ends."""
    head = measure_common_prefix(old, new)
    tail = measure_common_prefix(old[head:][::-1], new[head:][::-1])
    return Splice(start + head, start + len(new) - tail, old[head : len(old) - tail])


def _find_anchors(old: bytes, new: bytes) -> list[_Match]:
    """Texts that occur once in each and in the same order in both: the longest such list."""
    known = _find_unique(old)
    pairs = [(at, known[text], len(text)) for text, at in _find_unique(new).items() if text in known]
    return _find_longest_rising(sorted(pairs))


def _find_unique(data: bytes) -> dict[bytes, int]:
    """The position of each text that occurs only once."""
    places: dict[bytes, int] = {}
    again: set[bytes] = set()
    at = 0
    for text in data.split(b'"'):
        if len(text) >= _LEAST:
            if text in places:
                again.add(text)
            places[text] = at
        at += len(text) + 1
    return {text: at for text, at in places.items() if text not in again}


def _find_longest_rising(pairs: list[_Match]) -> list[_Match]:
    """The longest run of pairs that also rises in the old bytes."""
    ends: list[int] = []  # the smallest old place in which a run of each length ends
    last: list[int] = []  # the number of the pair that it ends with
    before: list[int] = []
    for number, (_, was, _) in enumerate(pairs):
        length = bisect_left(ends, was)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [was]
        last[length : length + 1] = [number]
    run, number = [], last[-1] if last else -1
    while number >= 0:
        run.append(pairs[number])
        number = before[number]
    return run[::-1]
