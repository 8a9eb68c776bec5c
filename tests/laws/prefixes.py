"""What no single body shows: what a provider remembers of the requests it answered.

Rule: written from the API rules alone, in terms of each API's own blocks. Reasoning that is bound to its prefix is
taken only where all that stood before it when it was made is before it still, reasoning removed from the start
aside (API rules A54 and A55).
"""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from laws.shapes import Shape

_MARKERS = ("cache_control",)
_BOUND = ("opus-5-5", "sonnet-5-5", "some-model", "nova")  # those of the models used here; unknown ones count as bound


class Sealed(NamedTuple):
    """What may not change: ids of calls and results in order, and everything signed."""

    ids: list[tuple[str, str]]
    signed: set[str]


def sealed(shape: Shape, messages: list[Any]) -> Sealed:
    ids, signed = [], set()
    for _, block in blocks(messages):
        found = paired(block)
        if found:
            ids.append(found)
        if signature(block):
            signed.add(json.dumps(block, sort_keys=True))
    return Sealed(ids, signed)


def blocks(messages: list[Any]) -> Iterator[tuple[int, dict[str, Any]]]:
    """All blocks, items and calls in order, with their message's number; a message without any is one itself."""
    for number, message in enumerate(messages):
        inner = message.get("content", message.get("parts"))
        calls = message.get("tool_calls", [])
        if isinstance(inner, list) and message.get("role") != "tool":
            yield from ((number, block) for block in inner)
        else:
            yield number, {name: value for name, value in message.items() if name != "tool_calls"}
        yield from ((number, call) for call in calls)


def paired(block: dict[str, Any]) -> tuple[str, str] | None:
    """Which call or result a block is."""
    kind = str(block.get("type", ""))
    if kind in ("tool_use", "server_tool_use", "function", "custom"):
        return "call", str(block.get("id"))
    if "tool_use_id" in block or "tool_call_id" in block:
        return "result", str(block.get("tool_use_id", block.get("tool_call_id")))
    if "call_id" in block:
        return kind, str(block["call_id"])
    for name in ("toolUse", "toolResult", "functionCall", "functionResponse", "function_call", "function_response"):
        if isinstance(block.get(name), dict):
            inner = block[name]
            return name, str(inner.get("toolUseId") or (inner.get("id"), inner.get("name")))
    return None


def signature(block: dict[str, Any]) -> str:
    """What a block is signed with; "" if it is not."""
    told = block.get("reasoningContent")
    if isinstance(told, dict):
        return str(told.get("redactedContent") or told.get("reasoningText", {}).get("signature") or "")
    if block.get("type") in ("thinking", "redacted_thinking"):
        return str(block.get("signature") or block.get("data") or "")
    if block.get("type") == "reasoning":
        return str(block["id"])
    return str(block.get("thoughtSignature") or block.get("thought_signature") or "")


def running(messages: list[Any]) -> list[Any]:
    """What the model said since the user last spoke, if its calls were just answered (API rule A51)."""
    said: list[Any] = []
    if not messages or not answers(messages[-1]):
        return said
    for message in reversed(messages):
        by_user = message.get("role", "user" if "parts" in message else "") == "user"
        if by_user and not answers(message):
            return said
        said += [] if answers(message) else [message]
    return said


def answers(message: Any) -> bool:
    """Whether a message or an item holds results of the client's tools; a server's are in what the model says."""
    if message.get("role") in ("assistant", "model"):
        return False
    if message.get("role") == "tool" or str(message.get("type", "")).endswith("_output"):
        return True
    inner = message.get("content", message.get("parts"))
    found = ("toolResult", "functionResponse", "function_response")
    return isinstance(inner, list) and any(
        block.get("type") == "tool_result" or any(name in block for name in found) for block in inner
    )


class Provider:
    """A provider whose models bind their reasoning, told of each request in turn."""

    def __init__(self, shape: Shape, model: str) -> None:
        self.binds = shape.family in ("anthropic", "bedrock") and any(name in model for name in _BOUND)
        self.made: dict[str, tuple[int, tuple[str, ...]]] = {}  # signature -> its prefix, and reasoning before it
        self.known = 0  # messages of the last request

    def takes(self, raw: list[Any], meanwhile: list[Any], view: list[Any]) -> Iterator[str]:
        """What it would say of a view. `meanwhile` is the history as it was sent since the last request."""
        if len(raw) < self.known:  # rewound: what comes next is made anew
            left = {sign for sign, _ in prefixes(raw)}
            self.made = {sign: one for sign, one in self.made.items() if sign in left}
        self.known = len(raw)
        for sign, prefix in prefixes(meanwhile):
            self.made.setdefault(sign, prefix)
        for sign, (said, thought) in prefixes(view):
            then, before = self.made.get(sign, (0, ()))
            if sign not in self.made:
                yield f"reasoning {sign} was gone and came back"
            elif said != then:
                yield f"reasoning {sign} is bound to another conversation"
            elif before[len(before) - len(thought) :] != thought:
                yield f"reasoning {sign} lacks reasoning from the middle, or has some that was gone"


def prefixes(messages: list[Any]) -> Iterator[tuple[str, tuple[int, tuple[str, ...]]]]:
    """Each signature with a hash of what is before it, and the signatures before it."""
    chain, thought, here = 0, (), -1
    for number, block in blocks(messages):
        if number != here and not _husk(messages[number]):
            here, chain = number, hash((chain, messages[number]["role"]))
        sign = signature(block)
        if sign:
            yield sign, (chain, thought)
            thought = (*thought, sign)
        elif not _thinks(block) and "cachePoint" not in block:
            chain = hash((chain, json.dumps(_unmarked(block), sort_keys=True)))


def _husk(message: Any) -> bool:
    """Whether a message holds nothing but reasoning: it may go with it."""
    content = message["content"]
    return isinstance(content, list) and all(map(_thinks, content))


def _thinks(block: Any) -> bool:
    return "reasoningContent" in block or block.get("type") in ("thinking", "redacted_thinking")


def _unmarked(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _unmarked(one) for name, one in value.items() if name not in _MARKERS}
    return [_unmarked(one) for one in value] if isinstance(value, list) else value
