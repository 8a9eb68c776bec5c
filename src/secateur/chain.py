"""Receipts chained by hashes, so that a record can be shown to be the one that was written.

Each link's hash covers the hash before it and its own bytes; the first one starts from the name of its session, so a
chain cannot be passed off as another session's. Rule: pure functions of bytes. A chain has no key: whoever may write
the whole record may chain it anew, which only a head kept elsewhere shows. An epoch is sealed by its hash in
the receipt that was saved with it, and so by the chain. Nothing here reads a receipt or a store.
"""

import json
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

import msgspec
from msgspec import Raw, Struct

from secateur.model import Epoch


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
    """What the first receipt of a session is chained to."""
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
            return f"receipt {sequence} does not follow the one before it: one of them was changed or put in"
        if link.hash != hash_link(at, link.body):
            return f"receipt {sequence} is not as it was written: its bytes do not give its hash"
        at, sequence = link.hash, sequence + 1
    if head is not None and at != head:
        return f"receipts are missing after number {sequence - 1}: the chain does not end in its recorded head"
    return ""


def encode_link(link: Link) -> bytes:
    """Encode the link as one line of JSON Lines that contains the receipt's exact hashed bytes."""
    return msgspec.json.encode(_Line(link.sequence, link.previous, link.hash, Raw(link.body))) + b"\n"


def decode_link(text: bytes) -> Link:
    """Decode a link written by `encode_link`. Raises ValueError (msgspec.MsgspecError) for anything else."""
    read = msgspec.json.decode(text, type=_Line)
    return Link(read.sequence, bytes(read.receipt), read.previous, read.hash)
