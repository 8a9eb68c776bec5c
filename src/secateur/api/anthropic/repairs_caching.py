"""Repairs cache markers: at most four, those with the longer lifetime first, none on blocks that cannot have one.

Rule: markers in messages are removed before those in tools and system, which every request reads; among them the oldest
first, because without the newest nothing new is cached.
"""

from typing import Any

from msgspec import Struct

from secateur.api.accessors import get_fields, get_items, get_text
from secateur.api.anthropic.rules_caching import SLOTS
from secateur.api.editable import Node
from secateur.api.repair_run import RepairRun, register_repair
from secateur.model import Path

_UNMARKED = frozenset({"thinking", "redacted_thinking", "mcp_tool_listing", "fallback"})


class _Marked(Struct, eq=False):
    """A block with a cache marker, or a marked block inside a result."""

    block: Node
    inside: Path  # () for the block itself
    value: dict[str, Any]

    @property
    def long(self) -> bool:
        return _is_long(self.value)

    def put(self, value: dict[str, Any]) -> None:
        """Write the marked block."""
        if self.inside:
            self.block.put(self.inside, value)
        elif "cache_control" in value:
            self.block.put(("cache_control",), value["cache_control"])
        else:
            self.block.drop("cache_control")


@register_repair("A20", "A21", "A22")
def repair_markers(repair: RepairRun) -> None:
    """Remove markers that are too many or misplaced, and shorten a lifetime that follows a shorter one."""
    fixed = [one for name in ("tools", "system") for one in get_items(repair.request.get(name)) if _is_marked(one)]
    found = [one for _, block in repair.iterate_blocks() for one in _find_marked(block)]
    free = SLOTS - len(fixed) - bool(get_fields(repair.request.get("cache_control")))
    odd = [one for one in found if get_text(one.value.get("type")) in _UNMARKED]
    _take_off(repair, odd, "A22", "a block that cannot bear one")
    found = [one for one in found if one not in odd]
    gone = found[: max(0, len(found) - max(0, free))]
    _take_off(repair, gone, "A20", f"there were more than {SLOTS}")
    short = not all(map(_is_long, fixed))
    for one in found[len(gone) :]:
        if short and one.long:
            marker = {name: value for name, value in one.value["cache_control"].items() if name != "ttl"}
            one.put(one.value | {"cache_control": marker})
            repair.record(
                "A21", one.block, "a cache marker of 1h after a shorter one now has the shorter lifetime", one.inside
            )
        short = short or not one.long


def _find_marked(block: Node) -> list[_Marked]:
    here = [_Marked(block, (), block.value)] if _is_marked(block.value) else []
    inner = block.get("content") if block.role == "tool_result" else None
    blocks = enumerate(inner if isinstance(inner, list) else ())
    return [*here, *(_Marked(block, ("content", at), one) for at, one in blocks if _is_marked(one))]


def _take_off(repair: RepairRun, found: list[_Marked], rule: str, why: str) -> None:
    for one in found:
        one.put({name: value for name, value in one.value.items() if name != "cache_control"})
        repair.record(rule, one.block, f"a cache marker was removed: {why}", one.inside)


def _is_marked(value: Any) -> bool:
    return isinstance(value, dict) and value.get("cache_control") is not None


def _is_long(block: Any) -> bool:
    return get_text(get_fields(block.get("cache_control")).get("ttl")) == "1h"
