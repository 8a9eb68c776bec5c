"""Repairs incomplete server tools, the beginning and the end of a history, and cache markers.

Rule: content that only the provider can read is removed with its block, and the other half of a server tool becomes a
text. A use at the end of a running turn stays, because the provider paused there. A history that begins in the middle
gets a user message that says so. If the model does not continue its own message, the user asks it to continue.
Reasoning that nothing follows is removed: it belongs to an answer cut off. At most four cache markers stay, those with
the longer lifetime first: markers in messages are removed before those in tools and system, which every request reads,
and the oldest first, because without the newest nothing new is cached.
"""

from typing import Any

from msgspec import Struct

from secateur.api.anthropic.models import is_prefill_rejected
from secateur.api.anthropic.rules_request import SLOTS
from secateur.api.editable import Node
from secateur.api.repair_run import BEGINNING, GO_ON, NO_CONTENT, RepairRun, quote, register_repair
from secateur.api.replacements import flatten_text, write_heading
from secateur.api.walker import get_fields, get_items, get_text
from secateur.formats.native import dump_canonical
from secateur.model import Path

_USES = ("server_tool_use", "mcp_tool_use")

_KNOWN = frozenset({"user", "assistant", "system"})
_THOUGHTS = frozenset({"thinking", "redacted_thinking"})

_UNMARKED = frozenset({"thinking", "redacted_thinking", "mcp_tool_listing", "fallback"})


@register_repair("A40", "A41")
def repair_server(repair: RepairRun) -> None:
    """Turn server tool uses without a result, and results without a use, into text."""
    if repair.partial:
        return  # what is missing here may be at the provider
    used: set[str] = set()
    open_: dict[str, list[Node]] = {}  # uses of this turn that wait for their result
    for node in repair.nodes:
        if node.role == "assistant":
            for block in node.inner or ():
                _look(repair, block, used, open_)
        elif node.role == "user" and _is_turn_start(node):
            for use in (one for uses in open_.values() for one in uses):
                _convert_use(repair, use)
            used, open_ = set(), {}


def _look(repair: RepairRun, block: Node, used: set[str], open_: dict[str, list[Node]]) -> None:
    if block.role in _USES:
        used.add(_get_string(block.get("id")))
        open_.setdefault(_get_string(block.get("id")), []).append(block)
    elif block.role.endswith("_tool_result"):
        name = _get_string(block.get("tool_use_id"))
        open_.pop(name, None)
        if name not in used:
            said = flatten_text(_strip_encrypted(block.get("content")))
            block.put((), {"type": "text", "text": "\n".join(filter(None, (write_heading(name), said)))})
            repair.record("A40", block, f"the result of server tool use {quote(name)} has no use and became text")


def _is_turn_start(node: Node) -> bool:
    """Return whether a user message begins a turn."""
    if node.inner is None:
        return bool(node.get("content"))
    return bool(node.inner) and all(block.role != "tool_result" for block in node.inner)


def _convert_use(repair: RepairRun, use: Node) -> None:
    name = use.get("id")
    use.put((), {"type": "text", "text": f"[call of {use.get('name')}: {dump_canonical(use.get('input'))}]"})
    repair.record("A41", use, f"server tool use {quote(name)} has no result and became text")


def _strip_encrypted(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _strip_encrypted(one) for name, one in value.items() if not name.startswith("encrypted")}
    return [_strip_encrypted(one) for one in value] if isinstance(value, list) else value


def _get_string(value: Any) -> str:
    return value if isinstance(value, str) else ""


@register_repair("A7")
def repair_beginning(repair: RepairRun) -> None:
    """Put a user message before an assistant message that comes first, unless it begins with a compaction."""
    first = repair.nodes[0] if repair.nodes else None
    if repair.partial or first is None or first.role != "assistant":
        return
    if first.role == "assistant" and first.inner and first.inner[0].role == "compaction":
        return
    repair.nodes.insert(0, Node({"role": "user", "content": BEGINNING}))
    repair.record("A7", first, "a user message was put before the first message")


@register_repair("A15")
def repair_thoughts(repair: RepairRun) -> None:
    """Remove reasoning at the end of an assistant message: text or a call must follow it."""
    for role, run in repair.iterate_runs():
        spoken = [node for node in run if node.inner or str(node.get("content") or "").strip()]
        ends = spoken[-1] if spoken and role == "assistant" else None
        while ends is not None and ends.inner and ends.inner[-1].role in _THOUGHTS:
            last = ends.inner.pop()
            repair.record("A15", last, "reasoning that nothing followed was removed")
            if not ends.inner:
                ends.inner = [Node({"type": "text", "text": NO_CONTENT})]


@register_repair("A13", "A14")
def repair_ending(repair: RepairRun) -> None:
    """Add a user message if the model does not continue its own, or else remove white space at the end."""
    last = repair.nodes[-1] if repair.nodes else None
    if last is None or last.role != "assistant" or (last.inner and "_tool_" in last.inner[-1].role):
        return  # a server's tool at the end: the provider paused there and continues it
    if is_prefill_rejected(repair.options.model):
        repair.nodes.append(Node({"role": "user", "content": GO_ON}))
        repair.record("A14", last, f"this model does not continue its own message: the user now says {GO_ON!r}")
        return
    holder, name = (last.inner[-1], "text") if last.inner else (last, "content")
    said = holder.get(name)
    if isinstance(said, str) and said != said.rstrip():
        holder.put((name,), said.rstrip())
        repair.record("A13", holder, "white space at the end of the last assistant text was removed")


@register_repair("A12")
def repair_empty(repair: RepairRun) -> None:
    """Give each empty message a text, except an assistant message at the end."""
    for node in repair.nodes:
        last = node is repair.nodes[-1] and node.role == "assistant"
        if isinstance(node.value, dict) and node.role in _KNOWN and not last:
            _repair_nothing(repair, node)


def _repair_nothing(repair: RepairRun, node: Node) -> None:
    content = node.get("content")
    if node.inner is None and content is not None and not isinstance(content, str):
        return  # neither a text nor a list of blocks: what it is cannot be known
    nothing = not node.inner if node.inner is not None else not (content or "").strip()
    if nothing and not _is_effort_setting(node):
        node.inner = None
        node.put(("content",), NO_CONTENT)
        repair.record("A12", node, f"a message without content now reads {NO_CONTENT}")


def _is_effort_setting(node: Node) -> bool:
    """Return whether this is a system message that only sets the effort, which may be empty."""
    return node.role == "system" and "output_config" in node.value


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
