"""What is sent if the engine fails in a session with edits: its last view followed by the new messages.

Rule: nothing here uses the engine, its formats' readers, or the store. If the last view does not fit the request, the
original is sent without reasoning that is bound to another prefix, because a provider may reject that.
"""

from collections import OrderedDict
from threading import Lock
from typing import Any

import msgspec
from msgspec import Raw, Struct

from secateur.formats.anthropic_messages import is_bound
from secateur.proxy.body_members import join_elements, join_members, split_elements, split_members
from secateur.stores.protocol import SessionId

_MOST_BYTES = 64 * 1024 * 1024  # of all requests and views that are kept
_MARKER = "cache_control"
_REASONING = ("thinking", "redacted_thinking", "reasoningContent")  # Anthropic's types, and Bedrock's member
_LISTS = {
    "anthropic_messages": "messages",
    "bedrock_converse": "messages",
    "openai_chat": "messages",
    "openai_responses": "input",
    "gemini": "contents",
}


class SentBody(Struct, frozen=True):
    """A request as received, and as it was sent."""

    raw: bytes
    view: bytes


class LastViews:
    """The newest edited request of each session; for several threads."""

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._most = most_bytes
        self._size = 0
        self._bodies: OrderedDict[SessionId, SentBody] = OrderedDict()
        self._lock = Lock()

    def keep(self, who: SessionId, raw: bytes, view: bytes) -> None:
        """Keep what was sent; the sessions that were silent longest go."""
        with self._lock:
            self._drop(who)
            self._bodies[who] = SentBody(raw, view)
            self._size += len(raw) + len(view)
            while self._size > self._most:
                self._drop(next(iter(self._bodies)))

    def extend(self, who: SessionId, format: str, body: bytes) -> bytes | None:
        """The last view of a session with the new messages of this request; None if it does not continue that one."""
        last = self._bodies.get(who)
        name = _LISTS.get(format, "")
        if last is None or not name:
            return None
        try:
            members = split_members(body)
            now, raw, view = (split_elements(split_members(one)[name]) for one in (body, last.raw, last.view))
        except (msgspec.MsgspecError, KeyError, ValueError, RecursionError):
            return None
        if len(now) < len(raw) or any(not _is_same(one, other) for one, other in zip(raw, now, strict=False)):
            return None
        sent = [*map(_without_markers, view), *now[len(raw) :]]
        return join_members({**members, name: join_elements(sent)})

    def _drop(self, who: SessionId) -> None:
        gone = self._bodies.pop(who, None)
        if gone is not None:
            self._size -= len(gone.raw) + len(gone.view)


def drop_bound_reasoning(body: bytes, format: str, model: str) -> bytes:
    """The request without reasoning that its provider may take to be of another conversation.

    It stays unchanged where it has none, cannot be read, or where the running turn has to begin with its reasoning.
    """
    try:
        members = split_members(body)
        model = model or str(msgspec.json.decode(members.get("model", Raw(b'""'))))
        if format not in ("anthropic_messages", "bedrock_converse") or not is_bound(model):
            return body
        if b'"enabled"' in bytes(members.get("thinking", b"")):
            return body
        elements = split_elements(members["messages"])
        left = [_without_reasoning(one) for one in elements]
    except (msgspec.MsgspecError, KeyError, ValueError, RecursionError):
        return body
    if all(one is other for one, other in zip(elements, left, strict=True)):
        return body
    return join_members({**members, "messages": join_elements(left)})


def _without_reasoning(element: Raw) -> Raw:
    """A message without its reasoning; the same one if nothing else is in it."""
    if not any(name.encode() in bytes(element) for name in _REASONING):
        return element
    members = split_members(element)
    if bytes(members.get("role", b"")) != b'"assistant"' or not bytes(members["content"]).startswith(b"["):
        return element
    blocks = split_elements(members["content"])
    left = [block for block in blocks if not _is_reasoning(split_members(block))]
    if not left or len(left) == len(blocks):
        return element
    return Raw(join_members({**members, "content": join_elements(left)}))


def _is_reasoning(block: dict[str, Raw]) -> bool:
    kind = bytes(block.get("type", b"")).strip(b'"').decode("utf-8", "replace")
    return kind in _REASONING or "reasoningContent" in block


def _is_same(one: Raw, other: Raw) -> bool:
    """Whether two messages are the same, cache markers aside."""
    left, right = bytes(one), bytes(other)
    if left == right:
        return True
    if _MARKER.encode() not in left and _MARKER.encode() not in right:
        return False
    return bool(_strip_markers(msgspec.json.decode(left)) == _strip_markers(msgspec.json.decode(right)))


def _without_markers(element: Raw) -> Raw:
    """A message without cache markers: a request may have four, and the new messages bring theirs."""
    if _MARKER.encode() not in bytes(element):
        return element
    return Raw(msgspec.json.encode(_strip_markers(msgspec.json.decode(element))))


def _strip_markers(message: Any) -> Any:
    """A decoded message without the markers of its blocks and of the blocks in its results."""
    if not isinstance(message, dict) or not isinstance(message.get("content"), list):
        return message
    kept = {name: value for name, value in message.items() if name != _MARKER}
    return {**kept, "content": [_strip_markers(block) for block in _drop_marks(message["content"])]}


def _drop_marks(blocks: list[Any]) -> list[Any]:
    return [
        {name: value for name, value in block.items() if name != _MARKER} if isinstance(block, dict) else block
        for block in blocks
    ]
