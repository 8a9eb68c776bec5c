"""The keys of a view, as they would be if it came in as a history: by them a view that is fed back finds its session.

Rule: they are those that reading the view would give. They are continued from the first message that reads otherwise
than in the last view, so that a turn costs what is new; only where an edit may read otherwise than it was made is the
view read.
"""

from copy import copy
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from secateur.lineage import assign_keys, find_chain_key
from secateur.model import Message
from secateur.session import Projection, document
from secateur.session.document import count_same

_AS_MADE = ("text", "tool_result")  # what reads as an edit made it, where it was text alone


class Chain(Struct, frozen=True):
    """The messages of a view, the chain behind each of them ("": not known), and the key of the last one."""

    messages: tuple[Message, ...] = ()
    chain: tuple[str, ...] = ()
    key: str = ""


def extend_chain(work: Projection, before: Chain, native: Any) -> Chain:
    """The chain of the current view, `native` as sent; continues the last chain where possible."""
    raw, shown = work.document.transcript.messages, work.get_view().messages
    same = min(count_same(before.messages, shown), max(0, len(shown) - 1))  # the last message's key is told anew
    unedited = count_same(raw, shown)
    made = raw[same:unedited]  # keyed already: nothing before them is edited
    rest = shown[max(same, unedited) :]
    start = find_chain_key(raw[:unedited]) if made else before.chain[same - 1] if same else ""
    if (same and not before.chain[same - 1]) or not all([_is_read_as_made(message, work) for message in rest]):
        read = document.read(native, work.document.format.name, work.document.transcript.model).transcript.messages
        return Chain(shown, (*[""] * (len(shown) - 1), find_chain_key(read)), read[-1].key if read else "")
    made += assign_keys([replace(message, parts=tuple(map(copy, message.parts))) for message in rest], start)
    chain, behind = [*before.chain[:same]], before.chain[same - 1] if same else ""
    for message in made:
        behind = find_chain_key((message,)) or behind
        chain.append(behind)
    return Chain(shown, tuple(chain), made[-1].key if made else before.key)


def _is_read_as_made(message: Message, work: Projection) -> bool:
    """Whether reading this message of the view gives the parts that the projection shows."""
    edits = work.fold.parts
    edited = [part for part in message.parts if part.key in edits]
    if message.is_put_in or not message.parts or (edited and (work.document.format.log or work.fold.stamps)):
        return False
    return all([part.kind in _AS_MADE and not work.raw[part.key].fingerprint for part in edited])


def list_lineage_keys(messages: tuple[Message, ...]) -> tuple[str, ...]:
    """All keys that may identify a session in these messages, latest last; raw tips are marked."""
    found: list[str] = []
    for message in messages:
        keys = dict.fromkeys([part.key for part in message.parts if part.kind != "reasoning"])
        for key in (*keys, message.key):
            found += (mark_raw_tip(key), key)
    return tuple(dict.fromkeys(found))


def mark_raw_tip(key: str) -> str:
    """Mark the last key of a raw history, to tell it from the keys of views."""
    return f"{_RAW}{key}"


def parse_raw_tip(key: str) -> str:
    """The key of a raw history's end; "" for a view's key."""
    return key.removeprefix(_RAW) if key.startswith(_RAW) else ""


_RAW = "raw "
