"""Rules for fields of the request that depend on each other: betas, context management, compaction."""

from collections.abc import Iterator
from typing import Any

from secateur.api.accessors import get_fields, get_items, get_text
from secateur.api.anthropic.walk import MessagesWalker
from secateur.api.rule import Found, rule

_BETAS = {
    "context_management": ("context-management-", "compact-"),
    "mcp_servers": ("mcp-client-",),
    "thread": ("message-threads-",),
    "compaction": ("compact-2026-09-04",),
}
_APART = ("context_management", "stop_sequences", "output_format")  # what `compaction` does not go with


@rule(
    "A57",
    "`thinking.block_binding` is sent with its beta header",
    "reported: sub2api #6677, CLIProxyAPI #5615",
    no_repair="headers belong to the caller",
)
def binding(history: MessagesWalker) -> Found:
    thinking = get_fields(history.request.get("thinking"))
    if "block_binding" in thinking and _is_missing_beta(history, ("thinking-binding-controls-",)):
        yield ("thinking", "block_binding"), "`block_binding` without its beta: send the header, or remove the field"


@rule(
    "A65",
    "a field that needs a beta is sent with its header",
    "reported: claude-code #21612, #14135; 9router #1468",
    no_repair="headers belong to the caller",
)
def betas(history: MessagesWalker) -> Found:
    for name, wanted in _BETAS.items():
        if history.request.get(name) and _is_missing_beta(history, wanted):
            yield (name,), f"`{name}` without beta {wanted[0]}…: send the header, or remove the field"


@rule(
    "A66",
    "`clear_thinking` comes first, and thinking is enabled",
    "docs; reported: CLIProxyAPI #4784",
    no_repair="fields of the request belong to the caller",
)
def clear_thinking(history: MessagesWalker) -> Found:
    edits = get_items(get_fields(history.request.get("context_management")).get("edits"))
    on = get_fields(history.request.get("thinking")).get("type") in ("enabled", "adaptive")
    for at, edit in enumerate(edits):
        if get_text(get_fields(edit).get("type")).startswith("clear_thinking"):
            path = ("context_management", "edits", at)
            if at:
                yield path, "`clear_thinking` follows another edit: put it first"
            elif not on:
                yield path, "`clear_thinking` needs thinking that is enabled or adaptive: remove it"


@rule(
    "A67",
    "`compaction` excludes other context management, stop sequences and a forced tool",
    "docs",
    no_repair="fields of the request belong to the caller",
)
def compaction_alone(history: MessagesWalker) -> Found:
    if not history.request.get("compaction"):
        return
    for name in _APART:
        if history.request.get(name):
            yield (name,), f"`{name}` cannot be combined with `compaction`: remove one of them"
    if get_fields(history.request.get("tool_choice")).get("type") in ("any", "tool"):
        yield ("tool_choice",), "a forced tool cannot be combined with `compaction`: use auto"


@rule(
    "A68",
    "a signed compaction block is the first block of all, and the only one",
    "docs",
    no_repair="a signed block cannot be moved or rebuilt",
)
def compaction_first(history: MessagesWalker) -> Found:
    for path, block in _find_signed(history):
        if path[1:] != (0, "content", 0) and history.whole:
            yield path, "a signed compaction block is not the first block of all: remove what comes before it"
        elif any(value is None for value in block.values()):
            yield path, "a signed compaction block contains a null that was not in it: send it unchanged"


@rule(
    "A69", "a compaction block's content is not empty", "docs", blocks=("compaction",), no_repair="the summary is lost"
)
def compaction_empty(block: Any, history: MessagesWalker) -> Found:
    if block.get("content") == "":
        return [((), "a compaction block has an empty content: send it unchanged, or remove it")]
    return ()


def _find_signed(history: MessagesWalker) -> Iterator[tuple[Any, Any]]:
    return ((path, block) for path, block in history.compactions if block.get("signature"))


def _is_missing_beta(history: MessagesWalker, wanted: tuple[str, ...]) -> bool:
    """Return whether the headers are known and neither they nor the body contain one of these betas."""
    if not history.headers:
        return False
    sent = history.headers.get("anthropic-beta", "").split(",")
    sent += [*get_items(history.request.get("anthropic_beta")), *get_items(history.request.get("betas"))]
    return not any(get_text(one).strip().startswith(wanted) for one in sent)
