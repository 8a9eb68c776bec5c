"""Fields of the request that belong together: betas and bodies, edits and thinking, compaction."""

from collections.abc import Iterator
from typing import Any

from secateur.api.accessors import fields, items, word
from secateur.api.anthropic.walk import Messages
from secateur.api.rule import Found, rule

_BETAS = {
    "context_management": ("context-management-", "compact-"),
    "mcp_servers": ("mcp-client-",),
    "thread": ("message-threads-",),
    "compaction": ("compact-2026-09-04",),
}
_APART = ("context_management", "stop_sequences", "output_format")  # what `compaction` does not go with


@rule("A57", "`thinking.block_binding` comes with its beta header", "reported: sub2api #6677, CLIProxyAPI #5615")
def binding(history: Messages) -> Found:
    thinking = fields(history.request.get("thinking"))
    if "block_binding" in thinking and _lacks(history, ("thinking-binding-controls-",)):
        yield ("thinking", "block_binding"), "`block_binding` came without its beta: send the header, or drop the field"


@rule("A65", "a field that needs a beta comes with its header", "reported: claude-code #21612, #14135; 9router #1468")
def betas(history: Messages) -> Found:
    for name, wanted in _BETAS.items():
        if history.request.get(name) and _lacks(history, wanted):
            yield (name,), f"`{name}` came without beta {wanted[0]}…: send the header, or drop the field"


@rule("A66", "`clear_thinking` comes first, and with thinking on", "docs; reported: CLIProxyAPI #4784")
def clear_thinking(history: Messages) -> Found:
    edits = items(fields(history.request.get("context_management")).get("edits"))
    on = fields(history.request.get("thinking")).get("type") in ("enabled", "adaptive")
    for at, edit in enumerate(edits):
        if word(fields(edit).get("type")).startswith("clear_thinking"):
            path = ("context_management", "edits", at)
            if at:
                yield path, "`clear_thinking` stands behind another edit: put it first"
            elif not on:
                yield path, "`clear_thinking` needs thinking that is enabled or adaptive: take it out"


@rule("A67", "`compaction` goes with no other context management, stop sequence or forced tool", "docs")
def compaction_alone(history: Messages) -> Found:
    if not history.request.get("compaction"):
        return
    for name in _APART:
        if history.request.get(name):
            yield (name,), f"`{name}` does not go with `compaction`: leave one of them out"
    if fields(history.request.get("tool_choice")).get("type") in ("any", "tool"):
        yield ("tool_choice",), "a forced tool does not go with `compaction`: use auto"


@rule("A68", "a signed compaction block is the first block of all, and the only one", "docs")
def compaction_first(history: Messages) -> Found:
    for path, block in _signed(history):
        if path[1:] != (0, "content", 0) and history.whole:
            yield path, "a signed compaction block is not the first of all: put what came before it out"
        elif any(value is None for value in block.values()):
            yield path, "a signed compaction block holds a null that was not in it: send it as it came"


@rule("A69", "a compaction block's content is not empty", "docs", blocks=("compaction",))
def compaction_empty(block: Any, history: Messages) -> Found:
    if block.get("content") == "":
        return [((), "a compaction block has an empty content: send it as it came, or take it out")]
    return ()


def _signed(history: Messages) -> Iterator[tuple[Any, Any]]:
    return ((path, block) for path, block in history.compactions if block.get("signature"))


def _lacks(history: Messages, wanted: tuple[str, ...]) -> bool:
    """Whether headers are known and none of these betas is among them or in the body."""
    if not history.headers:
        return False
    sent = history.headers.get("anthropic-beta", "").split(",")
    sent += [*items(history.request.get("anthropic_beta")), *items(history.request.get("betas"))]
    return not any(word(one).strip().startswith(wanted) for one in sent)
