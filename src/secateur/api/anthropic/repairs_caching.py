"""Cache markers of the Messages API: four at most, the longer-lived first, and none on what cannot bear one.

Rules A20-A22. Those in messages give way, the oldest first, since tools and system are read by every request; the
newest stays as long as a slot is free, since without it nothing new is kept.
"""

from typing import Any

from msgspec import Struct

from secateur.api.accessors import fields, items, word
from secateur.api.anthropic.rules_caching import SLOTS
from secateur.api.editable import Node
from secateur.api.repair_run import Work
from secateur.model import Path

_UNMARKED = frozenset({"thinking", "redacted_thinking", "mcp_tool_listing", "fallback"})


class _Marked(Struct, eq=False):
    """A block that carries a marker, or one inside a result."""

    block: Node
    inside: Path  # () for the block itself
    value: dict[str, Any]

    @property
    def long(self) -> bool:
        return _is_long(self.value)

    def put(self, value: dict[str, Any]) -> None:
        """Let the block read so."""
        if self.inside:
            self.block.put(self.inside, value)
        elif "cache_control" in value:
            self.block.put(("cache_control",), value["cache_control"])
        else:
            self.block.drop("cache_control")


def mend_markers(work: Work) -> None:
    """Take off what is too much, and let no longer life follow a shorter one."""
    fixed = [one for name in ("tools", "system") for one in items(work.request.get(name)) if _is_marked(one)]
    found = [one for _, block in work.blocks() for one in _within(block)]
    free = SLOTS - len(fixed) - bool(fields(work.request.get("cache_control")))
    odd = [one for one in found if word(one.value.get("type")) in _UNMARKED]
    _take_off(work, odd, "A22", "a block that cannot bear one")
    found = [one for one in found if one not in odd]
    gone = found[: max(0, len(found) - max(0, free))]
    _take_off(work, gone, "A20", f"there were more than {SLOTS}")
    short = not all(map(_is_long, fixed))
    for one in found[len(gone) :]:
        if short and one.long:
            marker = {name: value for name, value in one.value["cache_control"].items() if name != "ttl"}
            one.put(one.value | {"cache_control": marker})
            work.say("A21", one.block, "a cache marker of 1h behind a shorter one is as short now", one.inside)
        short = short or not one.long


def _within(block: Node) -> list[_Marked]:
    here = [_Marked(block, (), block.value)] if _is_marked(block.value) else []
    inner = block.get("content") if block.role == "tool_result" else None
    blocks = enumerate(inner if isinstance(inner, list) else ())
    return [*here, *(_Marked(block, ("content", at), one) for at, one in blocks if _is_marked(one))]


def _take_off(work: Work, found: list[_Marked], rule: str, why: str) -> None:
    for one in found:
        one.put({name: value for name, value in one.value.items() if name != "cache_control"})
        work.say(rule, one.block, f"a cache marker was taken off: {why}", one.inside)


def _is_marked(value: Any) -> bool:
    return isinstance(value, dict) and value.get("cache_control") is not None


def _is_long(block: Any) -> bool:
    return word(fields(block.get("cache_control")).get("ttl")) == "1h"
