"""Rules for cache markers: how many, on what, and the order of their lifetimes."""

from typing import Any

from secateur.api.accessors import get_fields, get_text
from secateur.api.anthropic.walk import MessagesWalker
from secateur.api.rule import Found, rule

SLOTS = 4  # docs: prompt caching
_UNMARKED = ("thinking", "redacted_thinking", "mcp_tool_listing", "fallback", "text")


@rule("A20", "at most 4 blocks carry `cache_control`", "docs; reported: codex2api #613, llm-gateway #2258")
def too_many(history: MessagesWalker) -> Found:
    automatic = bool(get_fields(history.request.get("cache_control")))
    for path, _ in history.markers[SLOTS - automatic :] if len(history.markers) > SLOTS else ():
        yield path, f"{len(history.markers) + automatic} cache markers, the limit is {SLOTS}: remove this one"


@rule("A21", "no marker of 1h follows one of 5m", "reported: skim #529")
def order(history: MessagesWalker) -> Found:
    short = False
    for path, block in history.markers:
        if _get_ttl(block) == "5m":
            short = True
        elif short:
            yield path, "a cache marker of 1h follows one of 5m: give both the same lifetime, or remove one"


@rule("A22", "thinking, listings, fallbacks and empty texts have no marker", "docs", blocks=_UNMARKED)
def misplaced(block: Any, history: MessagesWalker) -> Found:
    if not block.get("cache_control") or (block["type"] == "text" and block.get("text")):
        return ()
    return [((), f"a block of type {block['type']} has a cache marker: move it to the block before")]


@rule(
    "A23",
    "automatic caching needs a free slot, and the lifetime of a marker on the last block",
    "docs",
    whole=True,
    no_repair="fields of the request belong to the caller",
)
def automatic(history: MessagesWalker) -> Found:
    wanted = get_fields(history.request.get("cache_control"))
    if not wanted or not history.markers:
        return
    if len(history.markers) == SLOTS:
        yield ("cache_control",), f"automatic caching needs one of the {SLOTS} slots: remove a marker, or this field"
    path, block = history.markers[-1]
    if _is_last_block(history, path) and _get_ttl(block) != _get_ttl({"cache_control": wanted}):
        yield path, "the last block's marker and automatic caching differ in lifetime: use the same for both"


def _get_ttl(block: Any) -> str:
    return get_text(get_fields(block.get("cache_control")).get("ttl")) or "5m"


def _is_last_block(history: MessagesWalker, path: Any) -> bool:
    """Return whether a path points to the very last block."""
    number = len(history.messages) - 1
    here: bool = path[:2] == (history.array, number)
    return here and path[3] == len(history.messages[number]["content"]) - 1
