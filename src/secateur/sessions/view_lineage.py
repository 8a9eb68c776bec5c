"""The keys of a view, as they would be if it came in as a history: by them a view that is fed back finds its session.

Rule: they are those that reading the view would give. What the last view had is gone on from, so that a turn costs
what is new.
"""

from operator import is_
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from secateur.lineage import assign_keys, chained
from secateur.model import Message, Transcript
from secateur.session import Projection, document


class Chain(Struct, frozen=True):
    """The messages of a view, the chain behind them, and the key of the last one."""

    messages: tuple[Message, ...] = ()
    chain: str = ""
    key: str = ""


def view_chain(work: Projection, before: Chain, native: Any) -> Chain:
    """The chain of the view that stands now, `native` as it is sent; gone on from the last one where that stands."""
    raw, shown = work.document.transcript.messages, work.view().messages
    known = len(before.messages)
    plain = len(raw) == len(shown)
    if known and shown[:known] == before.messages and plain and _same(raw[known:], shown[known:]):
        made = assign_keys([_fresh(message) for message in shown[known:]], before.chain)
        return Chain(shown, chained(made) or before.chain, made[-1].key) if made else before
    if plain and _same(raw, shown):
        return Chain(shown, chained(raw), raw[-1].key if raw else "")
    read = document.read(native, work.document.format.name, work.document.transcript.model).transcript.messages
    return Chain(shown, chained(read), read[-1].key if read else "")


def _same(raw: tuple[Message, ...], shown: tuple[Message, ...]) -> bool:
    """Whether nothing is edited: untouched messages are the same objects."""
    return all(map(is_, raw, shown))


def _fresh(message: Message) -> Message:
    """A copy whose keys are to be made anew."""
    return replace(message, parts=tuple(replace(part) for part in message.parts))


def lineage(read: Transcript) -> tuple[str, ...]:
    """All keys by which a session could be known in this history, the latest ones last; raw tips carry a mark."""
    found: list[str] = []
    for message in read.messages:
        keys = dict.fromkeys([part.key for part in message.parts if part.kind != "reasoning"])
        for key in (*keys, message.key):
            found += (tip_of(key), key)
    return tuple(dict.fromkeys(found))


def tip_of(key: str) -> str:
    """How the last key of a raw history is kept among the keys of views: told from these by its mark."""
    return f"{_RAW}{key}"


def raw_tip(key: str) -> str:
    """The key of a raw history's end; "" for a view's key."""
    return key.removeprefix(_RAW) if key.startswith(_RAW) else ""


_RAW = "raw "
