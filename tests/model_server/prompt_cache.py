"""A simulated prompt cache: what a provider would report as read from it, written to it and new.

Prefixes are identified by their content without cache markers. With markers (Anthropic, Bedrock) a prefix is written at
a marker and found from at most 20 blocks before one; without them every message ends a prefix that can be found again.
"""

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from msgspec import Struct

LOOKBACK = 20  # blocks before a marker in which a provider looks for an earlier entry
_MARKERS = ("cache_control", "cachePoint")


class Usage(Struct, frozen=True):
    """Prompt tokens of a request, at four characters a token."""

    total: int
    read: int
    written: int  # 0 where the provider does not charge for writing
    output: int = 20


class Block(Struct, frozen=True):
    """A piece of a prompt, in its order."""

    text: str
    is_marked: bool = False


class PromptCache:
    """The prefixes that requests have left behind."""

    def __init__(self) -> None:
        self._entries: set[str] = set()

    def charge(self, scope: str, blocks: Iterable[Block], needs_markers: bool) -> Usage:
        """Account for a request; its own prefixes are entries afterwards. `scope` is its model."""
        chain, total, ends = hashlib.sha256(scope.encode()), 0, list[tuple[str, int, bool]]()
        for block in blocks:
            chain.update(block.text.encode())
            total += len(block.text) // 4 + 1
            ends.append((chain.hexdigest(), total, block.is_marked or not needs_markers))
        findable = {number for number, end in enumerate(ends) if end[2]}
        if needs_markers:
            findable = {earlier for number in findable for earlier in range(max(0, number - LOOKBACK), number + 1)}
        read = max((ends[number][1] for number in findable if ends[number][0] in self._entries), default=0)
        last = max((tokens for _, tokens, is_end in ends if is_end), default=0)
        self._entries.update(digest for digest, _, is_end in ends if is_end)
        return Usage(total, read, max(last - read, 0) if needs_markers else 0)


def make_block(value: Any) -> Block:
    """A block from a JSON value."""
    return Block(json.dumps(_without_markers(value), sort_keys=True), _is_marked(value))


def _is_marked(value: Any) -> bool:
    if isinstance(value, dict):
        return any(name in value for name in _MARKERS) or any(map(_is_marked, value.values()))
    return isinstance(value, list) and any(map(_is_marked, value))


def _without_markers(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_markers(child) for name, child in value.items() if name not in _MARKERS}
    return [_without_markers(child) for child in value] if isinstance(value, list) else value
