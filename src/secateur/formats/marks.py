"""What a message, or a field of a request body, tells of the format that it is written in.

Rule: what is told is told by one message or field alone, wherever it stands; what no one knows tells nothing. `own`
and `fields` name what one format has and the others have not, `hints` what one has more often. Nothing is weighed here.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from secateur.formats.native import read_member, sample
from secateur.jsontext import Text

PI, GEMINI, BEDROCK = "pi_messages", "gemini", "bedrock_converse"
ANTHROPIC, RESPONSES, CHAT = "anthropic_messages", "openai_responses", "openai_chat"

_PI_ROLES = frozenset({"toolResult", "bashExecution", "branchSummary", "compactionSummary"})
_PI_CUSTOM = frozenset({"custom", "hookMessage"})  # words anyone might use: Pi's have a `customType`
_GEMINI_ROLES = ("user", "model", "function", None)
_BLOCKS = {
    "toolCall": PI,
    "tool_use": ANTHROPIC,
    "tool_result": ANTHROPIC,
    "server_tool_use": ANTHROPIC,
    "mcp_tool_use": ANTHROPIC,
    "container_upload": ANTHROPIC,
    "search_result": ANTHROPIC,
    "image_url": CHAT,
    "refusal": CHAT,
    "input_text": RESPONSES,
    "output_text": RESPONSES,
    "input_image": RESPONSES,
    "input_file": RESPONSES,
}
_KEYED = frozenset(
    {
        "text",
        "toolUse",
        "toolResult",
        "image",
        "document",
        "video",
        "audio",
        "reasoningContent",
        "citationsContent",
        "guardContent",
        "searchResult",
        "toolAddition",
        "toolRemoval",
        "cachePoint",
    }
)
_THINKING = ("thinking", "redacted_thinking")
_ITEM = re.compile(r"(?:reasoning|compaction|item_reference)\Z|[a-z_]+_call(?:_output)?\Z|mcp_")
_FIELDS = {
    "anthropic_version": ANTHROPIC,
    "container": ANTHROPIC,
    "context_management": ANTHROPIC,
    "mcp_servers": ANTHROPIC,
    "stop_sequences": ANTHROPIC,
    "thread": ANTHROPIC,
    "additionalModelRequestFields": BEDROCK,
    "guardrailConfig": BEDROCK,
    "inferenceConfig": BEDROCK,
    "modelId": BEDROCK,
    "toolConfig": BEDROCK,
    "frequency_penalty": CHAT,
    "functions": CHAT,
    "logit_bias": CHAT,
    "max_completion_tokens": CHAT,
    "parallel_tool_calls": CHAT,
    "presence_penalty": CHAT,
    "response_format": CHAT,
    "stream_options": CHAT,
}

Vote = tuple[str, str]  # a format, and why


def find_own_votes(item: dict[str, Any]) -> Iterator[Vote]:
    """Yield evidence that only one format has in a message."""
    role, kind = item.get("role"), item.get("type")
    if isinstance(role, str):
        yield from _find_role_votes(item, role)
    if isinstance(kind, str) and _ITEM.match(kind):
        yield RESPONSES, f"an item has the type {kind}"
    if _has_parts(item) and (role is None or (isinstance(role, str) and role in _GEMINI_ROLES)):
        yield GEMINI, "contents with `parts`"
    content = item.get("content")
    yield from (vote for block in content if (vote := _block(block))) if isinstance(content, list) else ()


def _has_parts(item: dict[str, Any]) -> bool:
    """Whether these are parts without a `type`, as Gemini's are."""
    parts = item.get("parts")
    if not isinstance(parts, list):
        return False
    return not parts or any(isinstance(part, dict) and "type" not in part for part in parts)


def _find_role_votes(item: dict[str, Any], role: str) -> Iterator[Vote]:
    calls = item.get("tool_calls")
    if role in _PI_ROLES or (role in _PI_CUSTOM and "customType" in item):
        yield PI, f"a message has the role {role}"
    elif role in ("tool", "function") and "content" in item:
        yield CHAT, f"a message has the role {role}"
    elif role == "assistant" and isinstance(calls, list) and any(isinstance(call, dict) for call in calls):
        yield CHAT, "a message has `tool_calls`"
    elif role == "assistant" and isinstance(item.get("function_call"), dict):
        yield CHAT, "a message has a `function_call`"
    elif isinstance(item.get("api"), str) and isinstance(item.get("stopReason"), str):
        yield PI, "a message has `api` and `stopReason`"


def _block(block: Any) -> Vote | None:
    """Of which format a block of `content` can only be."""
    if not isinstance(block, dict):
        return None
    kind = block.get("type")
    if kind is None:
        keyed = len(block) == 1 and next(iter(block)) in _KEYED
        return (BEDROCK, "blocks of `content` are keyed by their kind") if keyed else None
    if not isinstance(kind, str):
        return None
    name = _BLOCKS.get(kind, ANTHROPIC if kind.endswith("_tool_result") else "")
    if kind in ("image", "document") and isinstance(block.get("source"), dict):
        name = ANTHROPIC
    elif kind == "thinking" and "thinkingSignature" in block:
        name = PI
    elif kind == "file" and isinstance(block.get("file"), dict):
        name = CHAT
    return (name, f"`content` holds a block of type {kind}") if name else None


def find_hints(item: dict[str, Any]) -> Iterator[Vote]:
    """Yield evidence that one format has more often than others."""
    role, content = item.get("role"), item.get("content")
    if isinstance(role, str) and role in ("developer", "system"):
        yield CHAT, f"a message has the role {role}"
    if item.get("type") == "message":
        yield RESPONSES, "an item has the type message"
    kinds = [one for one in content if isinstance(one, dict)] if isinstance(content, list) else []
    for block in kinds:
        if block.get("type") in _THINKING:
            yield ANTHROPIC, f"`content` holds a block of type {block['type']}"
        elif block.get("type") == "image" and "mimeType" in block:
            yield PI, "`content` holds an image with a `mimeType`"


def find_field_votes(native: Any) -> Iterator[Vote]:
    """Yield evidence from the fields beside `messages`."""
    names = list_member_names(native)
    if "system" in names:
        keyed = [one for one in _get_first(native, "system") if isinstance(one, dict) and "type" not in one]
        also = "`system` and `max_tokens`" if "max_tokens" in names else "`system`"
        yield (BEDROCK, "`system` is keyed by kind") if keyed else (ANTHROPIC, f"`messages` stands beside {also}")
    for tool in _get_first(native, "tools"):
        if isinstance(tool, dict) and isinstance(tool.get("function"), dict):
            yield CHAT, "`tools` are functions"
        elif isinstance(tool, dict) and "name" in tool and tool.get("type") != "function" and "custom" not in tool:
            yield ANTHROPIC, "`messages` stands beside tools of its own"
    yield from ((name, f"`messages` stands beside `{field}`") for field, name in _FIELDS.items() if field in names)


def find_field_hints(native: Any) -> Iterator[Vote]:
    """Yield evidence from the model's name and widely copied settings, for the Messages API if possible."""
    names = list_member_names(native)
    if "max_tokens" not in names:
        return
    model = read_member(native, "model") if "model" in names else None
    if isinstance(model, str) and model.lower().startswith("claude-"):
        yield ANTHROPIC, "`messages` stands beside `max_tokens` and a model of Anthropic's"
    if "thinking" in names:
        yield ANTHROPIC, "`messages` stands beside `max_tokens` and `thinking`"


def list_member_names(native: Any) -> Iterable[str]:
    """Return the names of an object's members."""
    return (native.open().names or {}) if isinstance(native, Text) else native


def _get_first(native: Any, name: str) -> list[Any]:
    """Return the first element of the array under a name."""
    found = native.child(name) if isinstance(native, Text) else native.get(name)
    shut = isinstance(found, Text) and found.kind == "["
    return sample(found, 1)[:1] if shut or isinstance(found, list) else []
