"""A change as stores write it: checked against the stored session, encoded, and compressed.

Rule: every store checks a change inside the transaction that saves it: it is based on the stored state, and its
receipts continue the chain. Values are JSON; blobs are compressed with zstd if it is installed (the standard library
has it from 3.14), else with zlib, and their codec is stored with them. Bytes that do not shrink are stored
uncompressed. A codec keeps its number forever, so that every later version can read it.
"""

import json
import zlib
from functools import cache
from importlib import import_module
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from secateur.chain import encode_canonical, find_break
from secateur.decoding import prepare_type
from secateur.stores.protocol import Blob, Conflict, Rejected, SessionUpdate, State

AS_IT_IS, ZLIB, ZSTD = 0, 1, 2
ZSTD_MODULES = ("compression.zstd", "backports.zstd")  # looked for in this order
LEAST_BYTES = 128  # below this the frame costs what the codec saves
LEVELS = {ZLIB: 6, ZSTD: 3}  # on agents' outputs 3.9 times smaller either way; zstd 7 times as fast

_Value = TypeVar("_Value")


class Ready(Struct, frozen=True):
    """A change made ready for its transaction: blobs with their ids, codecs and the bytes to keep."""

    state: State
    change: SessionUpdate
    blobs: tuple[tuple[str, Blob, int, bytes], ...]


def prepare_change(state: State, change: SessionUpdate) -> Ready:
    """Do everything that is possible before anyone has to wait."""
    return Ready(state, change, tuple((blob.id, blob, *compress_blob(blob.data)) for blob in change.blobs))


def compress_blob(data: bytes) -> tuple[int, bytes]:
    """Compress bytes: the codec and the bytes to store."""
    if len(data) < LEAST_BYTES:
        return AS_IT_IS, data
    zstd = _import_zstd(ZSTD_MODULES)
    codec = ZSTD if zstd else ZLIB
    body: bytes = zstd.compress(data, LEVELS[ZSTD]) if zstd else zlib.compress(data, LEVELS[ZLIB])
    return (codec, body) if len(body) < len(data) else (AS_IT_IS, data)


def decompress_blob(codec: int, body: bytes) -> bytes:
    """The original bytes. Raises Rejected if the codec is missing or the bytes are damaged."""
    try:
        if codec == ZSTD:
            return _decompress_zstd(body)
        return zlib.decompress(body) if codec == ZLIB else body
    except Rejected:
        raise
    except Exception as error:  # each codec has its own error for bytes that are not its own
        raise Rejected(f"a blob is damaged: {error}; `secateur verify` lists which") from error


def pack(value: Any) -> bytes:
    """Encode a value as canonical JSON: equal values give equal bytes."""
    return encode_canonical(value)


def unpack(data: bytes, kind: type[_Value]) -> _Value:
    """Decode a value written by `pack`. Raises Rejected for anything else."""
    try:
        return msgspec.json.decode(data, type=prepare_type(kind))
    except (msgspec.MsgspecError, UnicodeDecodeError):
        pass  # perhaps for a lone surrogate, which the standard library lets pass
    try:
        return msgspec.convert(json.loads(data), prepare_type(kind))
    except (ValueError, msgspec.MsgspecError) as error:
        raise Rejected(f"a record is damaged: {error}; `secateur verify` lists which") from error


def _decompress_zstd(body: bytes) -> bytes:
    zstd = _import_zstd(ZSTD_MODULES)
    if zstd is None:
        raise Rejected("a blob was compressed with zstd, which is missing here: pip install 'secateur[store]'")
    data: bytes = zstd.decompress(body)
    return data


@cache
def _import_zstd(names: tuple[str, ...]) -> Any:
    """The zstd module, or None; imported when the first blob is stored or read."""
    for name in names:
        try:
            return import_module(name)
        except ImportError:
            continue
    return None


def check_admission(revision: int, state: State, change: SessionUpdate, head: str | None = None) -> None:
    """Let a change pass that was made from what is stored: `revision` and `head` are those of the stored session.

    Without `head`, a session that was deleted and begun anew is taken for the same one once it has as many revisions.
    Raises Conflict if the session is not at the state, Rejected if the receipts do not follow.
    """
    name = f"session {state.who.session!r}" + (f" of tenant {state.who.tenant!r}" if state.who.tenant else "")
    if revision != state.revision:
        raise Conflict(
            f"{name} is at revision {revision}, not at {state.revision} from which this change was made: "
            "another process saved it meanwhile; load it again"
        )
    if head is not None and head != state.head:
        raise Conflict(f"{name} was deleted and begun anew since this change was made: load it again")
    wrong = find_break(change.receipts, state.head, sequence=state.receipts)
    if wrong:
        raise Rejected(f"the receipts for {name} do not continue its chain: {wrong}")
    if change.manifest and change.manifest.sequence >= state.receipts + len(change.receipts):
        raise Rejected(f"{name} has no receipt {change.manifest.sequence} for the manifest")


def parse_handle(handle: str) -> str:
    """Parse a handle: hex digits, at least four. Raises Rejected for anything else."""
    plain = handle.strip().lower()
    if len(plain) < 4 or set(plain) - set("0123456789abcdef"):
        raise Rejected(f"{handle!r} is not a handle: give at least the first 4 hex digits shown in a placeholder")
    return plain


def make_ambiguous_error(handle: str, ids: list[str]) -> Rejected:
    """The error for a handle that several blobs match."""
    return Rejected(f"{handle!r} is the beginning of {len(ids)} handles or more: give one of {', '.join(ids)}")
