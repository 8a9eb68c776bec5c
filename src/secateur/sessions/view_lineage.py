"""The keys of a view, as they would be if it came in as a history: by them a view that is fed back finds its session.

Rule: they are those that reading the view would give. What the last view had is gone on from, so that a turn costs
what is new.
"""

from operator import is_
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from secateur.lineage import assign_keys, find_chain_key
from secateur.model import Message, Transcript
from secateur.session import Projection, document


class Chain(Struct, frozen=True):
    """The messages of a view, the chain behind them, and the key of the last one."""

    messages: tuple[Message, ...] = ()
    chain: str = ""
    key: str = ""


def extend_chain(work: Projection, before: Chain, native: Any) -> Chain:
    """The chain of the current view, `native` as sent; continues the last chain where possible."""
    raw, shown = work.document.transcript.messages, work.get_view().messages
    known = len(before.messages)
    plain = len(raw) == len(shown)
    last = raw[len(raw) - (len(shown) - known) :]  # where a range is replaced, a view has fewer messages
    if (
        known
        and shown[:known] == before.messages
        and len(last) == len(shown) - known
        and _is_unedited(last, shown[known:])
    ):
        made = assign_keys([_copy_unkeyed(message) for message in shown[known:]], before.chain)
        return Chain(shown, find_chain_key(made) or before.chain, made[-1].key) if made else before
    if plain and _is_unedited(raw, shown):
        return Chain(shown, find_chain_key(raw), raw[-1].key if raw else "")
    read = document.read(native, work.document.format.name, work.document.transcript.model).transcript.messages
    return Chain(shown, find_chain_key(read), read[-1].key if read else "")


def _is_unedited(raw: tuple[Message, ...], shown: tuple[Message, ...]) -> bool:
    """Whether nothing is edited: untouched messages are the same objects."""
    return all(map(is_, raw, shown))


def _copy_unkeyed(message: Message) -> Message:
    """A copy whose keys are to be reassigned."""
    return replace(message, parts=tuple(replace(part) for part in message.parts))


def list_lineage_keys(read: Transcript) -> tuple[str, ...]:
    """All keys that may identify a session in this history, latest last; raw tips are marked."""
    found: list[str] = []
    for message in read.messages:
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
