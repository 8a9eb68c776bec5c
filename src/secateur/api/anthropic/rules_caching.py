"""Cache markers: how many, in which order of lifetimes, and on what."""

from typing import Any

from secateur.api.accessors import fields, word
from secateur.api.anthropic.walk import Messages
from secateur.api.rule import Found, rule

SLOTS = 4  # docs: prompt caching
_UNMARKED = ("thinking", "redacted_thinking", "mcp_tool_listing", "fallback", "text")


@rule("A20", "at most 4 blocks carry `cache_control`", "docs; reported: codex2api #613, llm-gateway #2258")
def too_many(history: Messages) -> Found:
    automatic = bool(fields(history.request.get("cache_control")))
    for path, _ in history.markers[SLOTS - automatic :] if len(history.markers) > SLOTS else ():
        yield path, f"{len(history.markers) + automatic} cache markers, {SLOTS} may be: take this one off"


@rule("A21", "no marker of 1h stands behind one of 5m", "reported: skim #529")
def order(history: Messages) -> Found:
    short = False
    for path, block in history.markers:
        if _ttl(block) == "5m":
            short = True
        elif short:
            yield path, "a cache marker of 1h stands behind one of 5m: give both the same lifetime, or take one off"


@rule("A22", "no marker stands on thinking, listings, fallbacks or empty text", "docs", blocks=_UNMARKED)
def misplaced(block: Any, history: Messages) -> Found:
    if not block.get("cache_control") or (block["type"] == "text" and block.get("text")):
        return ()
    return [((), f"a cache marker stands on a block of type {block['type']}: move it to the block before")]


@rule("A23", "automatic caching leaves a slot free and agrees with a marker on the last block", "docs", whole=True)
def automatic(history: Messages) -> Found:
    wanted = fields(history.request.get("cache_control"))
    if not wanted or not history.markers:
        return
    if len(history.markers) == SLOTS:
        yield ("cache_control",), f"automatic caching needs one of the {SLOTS} slots: take a marker off, or this field"
    path, block = history.markers[-1]
    if _last(history, path) and _ttl(block) != _ttl({"cache_control": wanted}):
        yield path, "the last block's marker and automatic caching differ in lifetime: give both the same"


def _ttl(block: Any) -> str:
    return word(fields(block.get("cache_control")).get("ttl")) or "5m"


def _last(history: Messages, path: Any) -> bool:
    """Whether a path leads to the very last block."""
    number = len(history.messages) - 1
    here: bool = path[:2] == (history.array, number)
    return here and path[3] == len(history.messages[number]["content"]) - 1
