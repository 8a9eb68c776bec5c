"""A layout as a host stores it: how many messages of a compacted prefix stay before the summary, and how many behind.

Rule: counts, as pi-auto-compressor keeps them with a compaction, so that the host may hold every message and still send
head, summary and tail; whatever came after the prefix stays (SEEDS 2.6). Nothing here decides what the counts are.
"""

from collections.abc import Sequence
from typing import Any, TypeVar

from msgspec import Struct

KIND = "hermes-middle"  # what pi-auto-compressor calls it

_T = TypeVar("_T")


class Layout(Struct, frozen=True):
    """`head` and `tail` messages of a prefix of `compacted` messages stay; a summary stands for those between."""

    head: int
    tail: int
    compacted: int

    def make_details(self) -> dict[str, Any]:
        """Return the details as pi-auto-compressor stores them."""
        counts = {"headMessageCount": self.head, "tailMessageCount": self.tail}
        return {"kind": KIND, **counts, "compactedMessageCount": self.compacted}


def parse_layout(details: Any) -> Layout | None:
    """Return the layout that a host stored, or None if these are the details of something else."""
    if not isinstance(details, dict) or details.get("kind") != KIND:
        return None
    said = [details.get(name) for name in ("headMessageCount", "tailMessageCount", "compactedMessageCount")]
    counts = [count for count in said if isinstance(count, int) and count >= 0]
    return Layout(*counts) if len(counts) == len(said) else None


def apply_layout(messages: Sequence[_T], summary: _T | None, layout: Layout) -> list[_T]:
    """Return a request's messages: head, summary, tail and all later ones; unchanged without a summary."""
    if summary is None:
        return list(messages)
    compacted = min(layout.compacted, len(messages))
    head = min(layout.head, compacted)
    tail = max(head, compacted - layout.tail)
    return [*messages[:head], summary, *messages[tail:]]
