"""The keys of a view, as they would be if it came in as a history: by them a view that is fed back finds its session.

Rule: they are those that reading the view would give. What the last view had is gone on from, so that a turn costs
what is new.
"""

from itertools import takewhile

from msgspec import Struct
from msgspec.structs import replace

from secateur.lineage import chained, keyed
from secateur.model import Message, Part, Transcript
from secateur.session import Session
from secateur.session.writing import NOTHING_LEFT


class Chain(Struct, frozen=True):
    """The messages of a view, the chain behind them, and the key of the last one."""

    messages: tuple[Message, ...] = ()
    chain: str = ""
    key: str = ""


def view_chain(work: Session, before: Chain) -> Chain:
    """The chain of the view that stands now, going on from the last one where that stands still."""
    shown = work.after().messages
    known = len(before.messages)
    if known and shown[:known] == before.messages:
        return _grown(work, before, shown)
    raw = zip(work.document.transcript.messages, shown, strict=False)
    start = shown[: sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1], raw))]
    return _grown(work, Chain(start, chained(start), start[-1].key if start else ""), shown)


def _grown(work: Session, before: Chain, shown: tuple[Message, ...]) -> Chain:
    fresh = [_fresh(message, work) for message in shown[len(before.messages) :]]
    if not fresh:
        return before
    made = keyed(fresh, before.chain)
    return Chain(shown, chained(made) or before.chain, made[-1].key)


def _fresh(message: Message, work: Session) -> Message:
    """A copy whose keys are to be made anew."""
    parts = tuple(replace(part) for part in message.parts)
    if not parts and message.role != "tool" and getattr(work.document.format, "alternates", False):
        parts = (Part("text", (), NOTHING_LEFT),)
    return replace(message, parts=parts)


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
