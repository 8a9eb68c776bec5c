"""What laws need to know of a native conversation, whatever its shape: who speaks where, its body, its pairs."""

import json
from typing import Any

Native = dict[str, Any]


def array(messages: list[Native]) -> str:
    """The name under which a body holds such messages."""
    if any("parts" in one for one in messages):
        return "contents"
    return "input" if any("role" not in one or _blocks(one, "input_text") for one in messages) else "messages"


def body(messages: list[Native], spaced: bool = False) -> bytes:
    """A request body, the way clients write it; `spaced`: with the white space that Python's default leaves."""
    separators = None if spaced else (",", ":")
    name = array(messages)
    request: Native = {"model": "claude-opus-4-5", name: messages}
    if name == "messages" and not _keyed(messages):
        request["max_tokens"] = 9
        if messages[0]["role"] != "system":
            request["system"] = "s"
    return json.dumps(request, ensure_ascii=spaced, separators=separators).encode()


def elements(native: Any) -> list[str]:
    """The array elements of a view, cache markers aside."""
    if isinstance(native, bytes):
        request = json.loads(native)
        native = next(request[name] for name in ("messages", "input", "contents") if name in request)
    return [json.dumps(_unmarked(one)) for one in native]


def ends(messages: list[Native]) -> list[int]:
    """Where a client could have sent the history so far: behind what is not the assistant's."""
    return [n for n in range(1, len(messages) + 1) if not _spoken(messages[n - 1])]


def by_user(messages: list[Native], text: str) -> Native:
    """A user message of the same shape."""
    if array(messages) == "contents":
        return {"role": "user", "parts": [{"text": text}]}
    if array(messages) == "input":
        return {"role": "user", "content": [{"type": "input_text", "text": text}]}
    return {"role": "user", "content": [{"text": text}] if _keyed(messages) else text}


def calls_answered(messages: list[Native]) -> list[tuple[str, str]]:
    """(call or result, id) in order."""
    found = [_paired(one) for one in messages if "call_id" in one]
    for message in messages:
        content = message.get("content") or message.get("parts")
        for block in content if isinstance(content, list) else ():
            found += [pair] if (pair := _paired(block)) else []
        found += [("call", call["id"]) for call in message.get("tool_calls", ())]
        if message.get("role") == "tool":
            found.append(("result", message["tool_call_id"]))
    return found


def _paired(block: Native) -> Any:
    """What one block or item is of a pair; None if it is of none."""
    if "call_id" in block:
        return ("result" if block["type"].endswith("_output") else "call", block["call_id"])
    for name, kind, id in (
        ("functionCall", "call", "id"),
        ("functionResponse", "result", "id"),
        ("toolUse", "call", "toolUseId"),
        ("toolResult", "result", "toolUseId"),
    ):
        if name in block:
            return (kind, block[name].get(id, block[name].get("name")))
    if block.get("type") == "tool_use":
        return ("call", block["id"])
    return ("result", block["tool_use_id"]) if block.get("type") == "tool_result" else None


def _spoken(message: Native) -> bool:
    kind = str(message.get("type", ""))
    return message.get("role") in ("assistant", "model") or kind == "reasoning" or kind.endswith("_call")


def _blocks(message: Native, kind: str) -> bool:
    content = message.get("content")
    return isinstance(content, list) and any(block.get("type") == kind for block in content)


def _keyed(messages: list[Native]) -> bool:
    content = messages[0].get("content")
    return isinstance(content, list) and "type" not in content[0]


def _unmarked(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _unmarked(one) for name, one in value.items() if name not in ("cache_control", "cachePoint")}
    if not isinstance(value, list):
        return value
    return [_unmarked(one) for one in value if not (isinstance(one, dict) and one.keys() == {"cachePoint"})]
