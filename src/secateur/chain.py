"""Receipts chained by hashes, so that a record can be proved to be the one that was written.

Each link's hash covers the hash before it and its own bytes; the first one starts from the name of its session, so a
chain cannot be passed off as another session's. An epoch is sealed by its hash in the receipt that was saved with it.
Where retention removed the first receipts, an anchor holds the hash of the last one removed: the first remaining
receipt is chained to it. The anchor also keeps the hashes of the epochs that removed receipts named, so the whole plan
can still be proved.

Rule: pure functions of bytes. A chain has no key: whoever can write the whole record can chain it anew, which only a
head kept elsewhere reveals. The newest receipts are never removed, since the next request continues from the last view.
"""

import json
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from secateur.decoding import prepare_type
from secateur.model import Epoch

LEAST = 10  # newest receipts of a session that stay however old they are: among them that of its last view


class Link(Struct, frozen=True):
    """One receipt in its chain."""

    sequence: int  # from 0, without gaps
    body: bytes  # the receipt as canonical JSON
    previous: str  # hash of the link before; of the first: `start`
    hash: str  # SHA-256 of `previous` and `body`, in hex


class _Line(Struct, frozen=True):
    sequence: int
    previous: str
    hash: str
    receipt: Raw


def encode_canonical(value: Any) -> bytes:
    """JSON with sorted keys and no blanks: the same value is the same bytes. Lone surrogates become escapes."""
    try:
        return msgspec.json.encode(value, order="sorted")
    except UnicodeEncodeError:
        plain = msgspec.to_builtins(value, str_keys=True)
        return json.dumps(plain, sort_keys=True, separators=(",", ":")).encode()


def start(tenant: str, session: str) -> str:
    """The hash to which the first receipt of a session is chained."""
    return sha256(f"{len(tenant)} {tenant} {session}".encode("utf-8", "surrogatepass")).hexdigest()


def link_bodies(bodies: Iterable[bytes], head: str, sequence: int) -> tuple[Link, ...]:
    """These receipts as links after the hash `head`; the first is number `sequence`."""
    links = []
    for number, body in enumerate(bodies, sequence):
        links.append(Link(number, body, head, hash_link(head, body)))
        head = links[-1].hash
    return tuple(links)


def hash_link(previous: str, body: bytes) -> str:
    """Return the hash of a link."""
    return sha256(previous.encode() + body).hexdigest()


def hash_epochs(epochs: Iterable[Epoch]) -> tuple[str, ...]:
    """Return the hashes by which a receipt names the epochs saved with it: SHA-256 of their canonical JSON.

    A field that a later version adds to epochs or edits must be left out where it is unset, or old hashes change.
    """
    return tuple(sha256(encode_canonical(epoch)).hexdigest() for epoch in epochs)


def find_break(links: Iterable[Link], begin: str, head: str | None = None, sequence: int = 0) -> str:
    """Return a sentence on where the chain that starts after hash `begin` is broken; "" if it is intact.

    With `head`, the hash that the last link must have, receipts missing at the end are found too.
    """
    at = begin
    for link in links:
        if link.sequence != sequence:
            return f"receipt {sequence} is missing: the next one is number {link.sequence}"
        if link.previous != at:
            return f"receipt {sequence} does not follow the one before it: one of them was changed or inserted"
        if link.hash != hash_link(at, link.body):
            return f"receipt {sequence} was changed: its bytes do not match its hash"
        at, sequence = link.hash, sequence + 1
    if head is not None and at != head:
        return f"receipts are missing after number {sequence - 1}: the chain does not end at its recorded head"
    return ""


def encode_link(link: Link) -> bytes:
    """Encode the link as one line of JSON Lines that contains the receipt's exact hashed bytes."""
    return msgspec.json.encode(_Line(link.sequence, link.previous, link.hash, Raw(link.body))) + b"\n"


def decode_link(text: bytes) -> Link:
    """Decode a link written by `encode_link`. Raises ValueError (msgspec.MsgspecError) for anything else."""
    read = msgspec.json.decode(text, type=prepare_type(_Line))
    return Link(read.sequence, bytes(read.receipt), read.previous, read.hash)


class Anchor(Struct, frozen=True):
    """The last receipt of a session that retention took."""

    number: int = -1  # -1: none went
    hash: str = ""
    seals: tuple[str, ...] = ()  # hashes of the epochs that the receipts that went were saved with, in order
    silent: bool = False  # whether one of them was written before receipts recorded the plan


class _Named(Struct, frozen=True):
    """What a receipt records about the plan; unset in receipts from before that was recorded."""

    epoch_hashes: tuple[str, ...] | UnsetType = UNSET


def get_epoch_hashes(body: bytes) -> tuple[str, ...] | None:
    """The hashes of the epochs a receipt was saved with; None if it says nothing about the plan."""
    try:
        found = msgspec.json.decode(body, type=prepare_type(_Named)).epoch_hashes
    except msgspec.MsgspecError:
        return None
    return None if found is UNSET else found


def advance_anchor(anchor: Anchor, gone: Iterable[Link]) -> Anchor:
    """The anchor after these receipts, which follow it, were removed too."""
    seals, silent, last = list(anchor.seals), anchor.silent, (anchor.number, anchor.hash)
    for link in gone:
        told = get_epoch_hashes(link.body)
        seals += told or ()
        silent, last = silent or told is None, (link.sequence, link.hash)
    return Anchor(*last, tuple(seals), silent)


def count_expired(times: Iterable[int], receipts: int, first: int, before: float) -> int:
    """Count the receipts from number `first` on that are older than a time, up to the first that is not.

    `times` are the times at which they were saved, in order; `receipts` is how many the session ever had.
    """
    count = 0
    for at in times:
        if at >= before or first + count >= receipts - LEAST:
            break
        count += 1
    return count
