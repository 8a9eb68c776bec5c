"""The conversation as a Pi session, version 3: one entry per message, each naming its parent.

No provider was called, so usage is zero and there is no reasoning.
"""

from typing import Any

from recording.marks import Event, base64_of, call_id, epoch_ms, iso, jsonl, mark, timeline, uuid
from recording.tools import HOME, Call, Step, Turn

_TOOLS = {
    "read": "read",
    "view": "read",
    "search": "grep",
    "list": "ls",
    "run": "bash",
    "edit": "edit",
    "skill": "skill",
}
_NO_COST = dict.fromkeys(("input", "output", "cacheRead", "cacheWrite", "total"), 0)
_NO_USAGE = dict.fromkeys(("input", "output", "cacheRead", "cacheWrite", "totalTokens"), 0) | {"cost": _NO_COST}
_SOURCE = {"api": "anthropic-messages", "provider": "anthropic", "model": "claude-sonnet-4-5", "usage": _NO_USAGE}


def written(turns: list[Turn]) -> str:
    """The session file."""
    events = list(timeline(turns))
    began = iso(events[0][0])
    lines: list[dict[str, Any]] = [
        {"type": "session", "version": 3, "id": uuid("pi", 0), "timestamp": began, "cwd": HOME}
    ]
    parent: str | None = None
    for n, (at, event) in enumerate(events, 1):
        entry = {"type": "message", "id": mark("pi", n, 8), "parentId": parent, "timestamp": iso(at)}
        lines.append(entry | {"message": _message(event) | {"timestamp": epoch_ms(at)}})
        parent = entry["id"]
    return jsonl(lines)


def _message(event: Event) -> dict[str, Any]:
    if isinstance(event, Turn):
        return {"role": "user", "content": [_text(event.asks), *_image(event.image)]}
    if isinstance(event, Step):
        content = [_text(event.says), *map(_call, event.calls)]
        return {"role": "assistant", "content": content, **_SOURCE, "stopReason": "toolUse" if event.calls else "stop"}
    shown = f"{event.text}\n\nCommand exited with code {event.code}" if event.code else event.text
    head = {"role": "toolResult", "toolCallId": call_id("toolu_", event), "toolName": _TOOLS[event.verb]}
    return {**head, "content": [_text(shown), *_image(event.image)], "isError": bool(event.code)}


def _call(call: Call) -> dict[str, Any]:
    args = {key: value for key, value in call.args.items() if key != "file"}
    if call.verb == "edit":
        args = {"path": args["path"], "oldText": args["old"], "newText": args["new"]}
    return {"type": "toolCall", "id": call_id("toolu_", call), "name": _TOOLS[call.verb], "arguments": args}


def _text(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def _image(image: bytes) -> list[dict[str, str]]:
    return [{"type": "image", "data": base64_of(image), "mimeType": "image/png"}] if image else []
