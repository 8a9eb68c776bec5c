"""Rules for messages and their blocks: required fields, roles, thinking, beginning and end, system messages."""

from collections.abc import Iterator
from typing import Any

from secateur.api.anthropic.models import is_at_least
from secateur.api.anthropic.walk import MessagesWalker
from secateur.api.rule import Found, rule
from secateur.api.walker import get_fields, get_items, get_text, is_blank_text
from secateur.model import Path

_WORDS = {
    "text": ("text",),
    "tool_use": ("id", "name"),
    "tool_result": ("tool_use_id",),
    "server_tool_use": ("id", "name"),
    "mcp_tool_use": ("id", "name"),
    "mcp_tool_result": ("tool_use_id",),
    "thinking": ("thinking",),
    "redacted_thinking": ("data",),
    "tool_reference": ("tool_name",),
}


@rule(
    "A0",
    "a message has a known role and content; a block is an object with a type",
    "SDK types",
    no_repair="what was meant cannot be known",
)
def odd(history: MessagesWalker) -> Found:
    return history.odd


@rule("A0", "calls are in assistant messages, results in user messages", "SDK types")
def misplaced(history: MessagesWalker) -> Found:
    for path in history.rounds.misplaced:
        yield (
            path,
            "a call in a user message, or a result in an assistant message: move it to the other role, or remove it",
        )


@rule(
    "A0",
    "a block has the fields that its type requires",
    "SDK types",
    blocks=tuple(_WORDS),
    no_repair="an id or a name cannot be invented",
)
def fields_missing(block: Any, history: MessagesWalker) -> Found:
    for name in _WORDS[block["type"]]:
        if not isinstance(block.get(name), str):
            return [((), f"a {block['type']} block has no string in `{name}`: add one, or remove its round")]
    return ()


@rule(
    "A0",
    "images and documents have a source",
    "SDK types",
    blocks=("image", "document"),
    no_repair="its content is lost",
)
def source_missing(block: Any, history: MessagesWalker) -> Found:
    if isinstance(block.get("source"), dict):
        return ()
    return [((), f"a block of type {block['type']} has no `source`: add one, or replace it with a text")]


_REASONING = ("thinking", "redacted_thinking")


@rule("A50", "thinking is sent back with its signature or its data", "reported: codex2api #613", blocks=_REASONING)
def unsigned(block: Any, history: MessagesWalker) -> Found:
    name = "signature" if block["type"] == "thinking" else "data"
    if get_text(block.get(name)) or (name == "signature" and is_blank_text(get_text(block.get("thinking")))):
        return ()
    return [((), f"a block of type {block['type']} has no `{name}`: remove the block, it cannot be recreated")]


@rule(
    "A52",
    "with `thinking` enabled by a budget, the message that opens the last tool loop starts with thinking",
    "reported: opencode #3077",
    whole=True,
    no_repair="reasoning cannot be recreated",
)
def opener(history: MessagesWalker) -> Found:
    manual = get_fields(history.request.get("thinking")).get("type") == "enabled"
    if manual and history.turns.answering and history.turns.opener:
        path, first = history.turns.opener
        if first not in _REASONING:
            yield (
                path,
                "the last tool loop does not start with thinking: restore it, or disable `thinking` in this request",
            )


@rule("A53", "thinking has a text or a signature", "reported: litellm #41361, ccrelay #104", blocks=("thinking",))
def hollow(block: Any, history: MessagesWalker) -> Found:
    if is_blank_text(get_text(block.get("thinking"))) and not block.get("signature"):
        return [((), "a thinking block has neither a text nor a signature: remove it")]
    return ()


@rule("A7", "the first message is a user message, or begins with a compaction", "general knowledge", whole=True)
def first(history: MessagesWalker) -> Found:
    if history.roles[:1] == ["assistant"] and history.first_kind != "compaction" and not history.partial:
        yield (history.array, 0), "the history begins with the assistant: add a user message before it"


@rule(
    "A11",
    "no text is empty or only white space",
    "reported: claude-code #62150, #53436",
    blocks=("text",),
    partly="not in `system`",
)
def empty_text(block: Any, history: MessagesWalker) -> Found:
    text = block.get("text")
    if isinstance(text, str) and (not text or text.isspace()):
        return [((), "a text block is empty: remove it, or give it a text if it is the only block of its message")]
    return ()


@rule(
    "A12",
    "no message is empty, except an assistant message at the end",
    "reported: claude-code #6774, langchain #35676",
)
def empty_message(history: MessagesWalker) -> Found:
    for path in history.empty:
        last = path[1] == len(history.messages) - 1 and history.ends
        if not (last and history.roles[-1] == "assistant"):
            yield path, "a message has no content: remove it, or give it a text"


@rule(
    "A13",
    "an assistant text at the end of the history does not end in white space",
    "reported: forgecode #1872",
    whole=True,
    tail=True,
)
def trailing_space(history: MessagesWalker) -> Found:
    text = _get_last_text(history)
    if not is_blank_text(text) and text[-1].isspace():
        yield _get_end_path(history), "the assistant's last text ends in white space: remove the white space"


@rule("A14", "models from 4.6 on do not continue an assistant message", "docs", whole=True, tail=True)
def prefill(history: MessagesWalker) -> Found:
    if _get_last_text(history) and is_at_least(history.model, (4, 6)):
        yield (
            _get_end_path(history),
            f"{history.model} accepts no history that ends with the assistant: end it with a user message",
        )


@rule("A15", "an assistant message does not end with thinking", "reported: forgecode #2107, hermes-agent #13010")
def thought_last(history: MessagesWalker) -> Found:
    for path in history.rounds.thought_last:
        yield path, "thinking is the last block of an assistant message: remove it, or restore what followed it"


def _get_last_text(history: MessagesWalker) -> str:
    """Return the assistant's text at the very end of the history; "" for a paused turn of server tools."""
    if history.roles[-1:] != ["assistant"] or history.turns.pending:
        return ""
    content = history.messages[-1].get("content")
    if isinstance(content, str):
        return content
    last = get_items(content)[-1:]
    block = last[0] if last and isinstance(last[0], dict) else {}
    return get_text(block.get("text")) if block.get("type") == "text" else ""


def _get_end_path(history: MessagesWalker) -> tuple[str, int]:
    return history.array, len(history.messages) - 1


@rule(
    "A31",
    "a system message follows the user or a server tool's result, and is last or followed by the assistant",
    "docs; reported: headroom #765",
)
def placement(history: MessagesWalker) -> Found:
    split = set(history.rounds.split)
    for number in _find_system_messages(history):
        path: Path = (history.array, number)
        if number == 0 and history.whole and not history.partial:
            yield path, "a system message comes first: put it into `system`"
        elif number and path not in split and not _is_valid_position(history, number):
            yield path, "a system message follows an assistant message: move it behind the next user message"
        elif number + 1 < len(history.roles) and path not in split and _get_next_role(history, number) == "user":
            yield path, "a user message follows a system message: move the system message behind it"


def _find_system_messages(history: MessagesWalker) -> Iterator[int]:
    if "system" in history.roles:
        yield from (number for number, role in enumerate(history.roles) if role == "system")


def _is_valid_position(history: MessagesWalker, number: int) -> bool:
    before = history.roles[number - 1]
    if before != "assistant":
        return True
    last = get_items(history.messages[number - 1].get("content"))[-1:]
    return bool(last) and isinstance(last[0], dict) and get_text(last[0].get("type")).endswith("_tool_result")


def _get_next_role(history: MessagesWalker, number: int) -> str:
    """Return the role of the next message that is not a system message."""
    return next((role for role in history.roles[number + 1 :] if role != "system"), "")
