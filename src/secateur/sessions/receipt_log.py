"""What a request adds to its session: the receipt as it is stored, and the bytes that were removed from the view.

Rule: a receipt contains no secret and no content, only names and hashes; blobs hold the exact bytes. The same request
gives the same record. Nothing here accesses a store.
"""

import re
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import msgspec
from msgspec.structs import replace

from secateur.chain import Link, encode_canonical, hash_epochs, link_bodies
from secateur.decoding import prepare_type
from secateur.documents import Document, measure_common_prefix
from secateur.errors import StoreError
from secateur.jsontext import Text, dumps
from secateur.lineage import HANDLE_DIGITS, HASH_BYTES, hash_contents, hash_text
from secateur.model import Epoch, Message, Part, Path, Remove, Replace, Rewrite
from secateur.receipt import EditRecord, Outcome, Receipt
from secateur.redact import redact
from secateur.stores.protocol import Blob, State, Store
from secateur.usage import UsageBill

VIEWS = ("opened", "unchanged", "refused")  # outcomes of requests that were sent on
MOST_SAID = 2_000  # characters of an error
_TEXTS = ("policy", "model", "window_source", "skipped_reason", "reason", "error", "session", "forced_reason")
_SHORT = 8  # characters: no credential is shorter
_NAME = 128  # characters: text up to this length is remembered, since it recurs
_ID = re.compile(r"(?:call|fc|toolu|srvtoolu|tooluse)_[A-Za-z0-9]{1,40}")  # as providers name calls
_IN_TEXT = ("text", "tool_call", "tool_result")


def link_receipts(receipts: tuple[Receipt, ...], state: State, epochs: tuple[Epoch, ...] = ()) -> tuple[Link, ...]:
    """The receipts as links after the state's newest one: canonical JSON without secrets.

    The last of them names the `epochs` that are saved with it, so that the chain proves the plan too.
    """
    seals = (*((),) * (len(receipts) - 1), hash_epochs(epochs))[: len(receipts)]
    bodies = [
        encode_canonical(
            _redact_receipt(replace(one, sequence=state.receipts + place, session=state.who.session, epoch_hashes=seal))
        )
        for place, (one, seal) in enumerate(zip(receipts, seals, strict=True))
    ]
    return link_bodies(bodies, state.head, state.receipts)


def make_notice(outcome: Outcome, now: int) -> Receipt:
    """A receipt of something other than a view: nothing was sent."""
    return Receipt("", "", 0, "", "", 0, 0, 0, False, (), 0, "", status=outcome, at_ms=now)


def make_failure_receipt(policy: str, counter: str, error: Exception, now: int) -> Receipt:
    """The receipt of a failed request."""
    said = f"{type(error).__name__}: {error}"
    return replace(make_notice("failed", now), policy=policy, counter=counter, error=said[:MOST_SAID])


def make_recall_receipt(model: str, rounds: UsageBill, now: int) -> Receipt:
    """The receipt of requests that served the model's read-backs, beyond what its client asked for."""
    reason = (
        f"texts were read back for the model in {rounds.answers:,} request{'' if rounds.answers == 1 else 's'} more"
    )
    return replace(make_notice("recalled", now), model=model, reason=reason, recall_rounds=rounds)


def find_last_receipt(store: Store, state: State) -> Receipt | None:
    """The receipt of the newest view of a session."""
    for number in range(state.receipts - 1, state.anchor.number, -1):
        for link in store.list_receipts(state.who, number, number):
            receipt = read(link.body)
            if receipt.status in VIEWS:
                return receipt
    return None


def read(body: bytes) -> Receipt:
    """A receipt from its canonical JSON. Raises StoreError for anything else."""
    try:
        return msgspec.json.decode(body, type=prepare_type(Receipt))
    except msgspec.MsgspecError as error:
        raise StoreError(f"this is not a receipt: {error}") from error


def collect_blobs(document: Document, epochs: tuple[Epoch, ...]) -> tuple[Blob, ...]:
    """The bytes these epochs remove from the view of this document, each part once."""
    edits = [edit for epoch in epochs for edit in epoch.edits]
    keys = {edit.key for edit in edits if isinstance(edit, Rewrite | Remove)}
    ranges = [edit for edit in edits if isinstance(edit, Replace)]
    if not keys and not ranges:
        return ()
    messages = document.transcript.messages
    inside = _find_inside(messages, ranges) if ranges else frozenset[int]()
    parts = [
        part
        for number, message in enumerate(messages)
        for part in message.parts
        if number in inside or part.key in keys or part.container_key in keys
    ]
    return tuple(make_blob(document, part) for part in parts)


def make_blob(document: Document, part: Part) -> Blob:
    """A part as a blob that can be recalled: its text, or its JSON if it is not a text."""
    if part.kind in _IN_TEXT:
        return Blob(part.text.encode("utf-8", "surrogatepass"), "text", part.key)
    return Blob(_get_bytes(document.native, part.path), "media" if part.kind == "media" else "json", part.key)


def hash_of(native: Any) -> str:
    """The hash of a view: of its bytes, of objects as JSON."""
    return SentHash().hash_view(native)


def with_content_hashes(epoch: Epoch, messages: tuple[Message, ...]) -> Epoch:
    """The epoch with the hashes by which its parts and ranges are found again."""
    keys = {edit.key for edit in epoch.edits if not isinstance(edit, Replace)}
    said: dict[str, str] = {}
    for message in messages if keys else ():
        if any([part.key in keys for part in message.parts]):
            said |= {
                part.key: one
                for part, one in zip(message.parts, hash_contents(message), strict=True)
                if part.key in keys
            }
    places = {message.key: number for number, message in enumerate(messages, 1)} | {"": 0}
    for edit in epoch.edits:
        if isinstance(edit, Replace) and edit.after in places and edit.through in places:
            said[format_range(edit)] = hash_run(
                [hash_message(one) for one in messages[places[edit.after] : places[edit.through]]]
            )
    return replace(epoch, content_hashes=said) if said else epoch


def hash_message(message: Message) -> str:
    """The hash of a message without lineage; reasoning is left out, as in the chain."""
    parts = zip(message.parts, hash_contents(message), strict=True)
    return hash_text("\0".join([message.role, *(one for part, one in parts if part.kind != "reasoning")]))


def hash_run(said: list[str]) -> str:
    """A run of messages by its length, its first message and all of them; "" for none."""
    return f"{len(said)} {said[0]} {hash_text(chr(0).join(said))}" if said else ""


def format_range(edit: Replace) -> str:
    return f"{edit.after} {edit.through}"


class SentHash:
    """The plain hash of a view as it is sent, which anyone can recompute. Of a grown view only new bytes are read."""

    def __init__(self) -> None:
        self._data = b""
        self._at = 0
        self._hash = blake2b(digest_size=HASH_BYTES)

    def hash_view(self, native: Any) -> str:
        """The hash of this view."""
        if isinstance(native, str):
            native = native.encode("utf-8", "surrogatepass")
        data = native if isinstance(native, bytes) else dumps(native)
        same = measure_common_prefix(self._data, data)
        if same < self._at:
            self._at, self._hash = 0, blake2b(digest_size=HASH_BYTES)
        view = memoryview(data)
        self._hash.update(view[self._at : same])
        self._data, self._at = data, same
        whole = self._hash.copy()
        whole.update(view[same:])
        return whole.hexdigest()


def with_handles(entries: tuple[EditRecord, ...], document: Document) -> tuple[EditRecord, ...]:
    """The entries with the handles for recalling what they removed, and its hash where it was as received."""
    if not entries:
        return ()
    keys = {entry.key for entry in entries if entry.verb != "replace"}  # that replaces many parts
    held = {
        part.key: make_blob(document, part)
        for message in document.transcript.messages
        for part in message.parts
        if part.key in keys
    }
    found = []
    for entry in entries:
        if entry.verb != "replace" and entry.key in held:
            blob, removed = held[entry.key], entry.removed_hash
            name = blob.id
            if entry.verb != "restore" and (blob.kind != "text" or (entry.tokens_before and not removed)):
                removed = name  # what left is the blob, which is hashed but once
            entry = replace(entry, handle=name[:HANDLE_DIGITS], removed_hash=removed)
        found.append(entry)
    return tuple(found)


def _redact_receipt(receipt: Receipt) -> Receipt:
    """The receipt without secrets: text from clients, tools and errors is redacted."""
    texts: dict[str, Any] = {name: _redact_text(getattr(receipt, name)) for name in _TEXTS}
    lists = {name: tuple(map(_redact_text, getattr(receipt, name))) for name in ("warnings", "repairs")}
    entries = tuple(map(_redact_record, receipt.edits))
    filed = receipt.filed and replace(receipt.filed, path=_redact_text(receipt.filed.path))
    return replace(receipt, **texts, **lists, edits=entries, filed=filed)


def _redact_record(entry: EditRecord) -> EditRecord:
    parts = tuple(replace(one, tool=_redact_text(one.tool), call_id=_redact_text(one.call_id)) for one in entry.parts)
    tool, call_id, reason = _redact_text(entry.tool), _redact_text(entry.call_id), _redact_text(entry.reason)
    return replace(entry, tool=tool, call_id=call_id, reason=reason, parts=parts)


def _redact_text(text: str) -> str:
    if len(text) < _SHORT or _ID.fullmatch(text):
        return text
    return _redact_name(text) if len(text) <= _NAME else redact(text)


@lru_cache(maxsize=1_024)  # names of models, tools and strategies recur in every receipt
def _redact_name(text: str) -> str:
    return redact(text)


def _find_inside(messages: tuple[Message, ...], ranges: list[Replace]) -> frozenset[int]:
    """Numbers of the replaced messages."""
    places = {message.key: number for number, message in enumerate(messages, 1)} | {"": 0}
    found: set[int] = set()
    for edit in ranges:
        if edit.after in places and edit.through in places:
            found |= set(range(places[edit.after], places[edit.through]))
    return frozenset(found)


def _get_bytes(native: Any, path: Path) -> bytes:
    """The bytes of the value at a path."""
    if isinstance(native, Text):
        value = native.at(path)
        return value.raw if value is not None else b""
    for step in path:
        native = native[step]
    return dumps(native)
