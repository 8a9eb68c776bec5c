"""The conversation as a Claude Code session: a tree of lines, one content block on each.

The blocks of one answer share a message id. Results of parallel calls hang off sibling lines, the line of the call each
belongs to, so that only one of them is on the way from the last line to the first. The copy that the interface keeps of
a result (`toolUseResult`) is beside it.
"""

from collections.abc import Iterator
from typing import Any

from recording.marks import Event, base64_of, call_id, iso, jsonl, mark, timeline, uuid
from recording.tools import HOME, Call, Step, Turn

Line = dict[str, Any]

_COMMON = {"isSidechain": False, "userType": "external", "cwd": HOME, "sessionId": uuid("claude", 0)}
_COMMON |= {"version": "2.1.29", "gitBranch": "main"}
_NO_USAGE = dict.fromkeys(
    ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens"), 0
)


def written(turns: list[Turn]) -> str:
    """The session file."""
    lines: list[Line] = []
    called_on: dict[str, str] = {}  # call id → the line of the call
    for n, (at, event) in enumerate(timeline(turns)):
        for entry in _entries(event, n):
            parent = lines[-1]["uuid"] if lines else None
            if call := entry.pop("answers", ""):
                parent = entry["sourceToolAssistantUUID"] = called_on[call]
            line = {"parentUuid": parent, **_COMMON, **entry, "uuid": uuid("claude", len(lines) + 1)}
            lines.append(line | {"timestamp": iso(at)})
            for block in line["message"]["content"] if line["type"] == "assistant" else ():
                called_on[block.get("id", "")] = line["uuid"]
    return jsonl(lines)


def _entries(event: Event, n: int) -> Iterator[Line]:
    if isinstance(event, Turn):
        content = [_text(event.asks), *_image(event.image)] if event.image else event.asks
        yield {"type": "user", "message": {"role": "user", "content": content}, "permissionMode": "default"}
    elif isinstance(event, Step):
        yield from _answer(event, n)
    else:
        yield _result(event)
        if event.verb == "skill":
            body = [_text(f"Base directory for this skill: {HOME}\n\n{event.text}")]
            yield {"type": "user", "message": {"role": "user", "content": body}, "isMeta": True}


def _answer(step: Step, n: int) -> Iterator[Line]:
    head = {"model": "claude-sonnet-4-5", "id": f"msg_{mark('answer', n, 24)}", "type": "message", "role": "assistant"}
    blocks = [_text(step.says), *map(_call, step.calls)]
    for i, block in enumerate(blocks, 1):
        stop = ("tool_use" if step.calls else "end_turn") if i == len(blocks) else None
        message = {**head, "content": [block], "stop_reason": stop, "stop_sequence": None, "usage": _NO_USAGE}
        yield {"type": "assistant", "message": message, "requestId": f"req_{mark('request', n, 24)}"}


def _call(call: Call) -> Line:
    name, args = _named(call)
    return {"type": "tool_use", "id": call_id("toolu_", call), "name": name, "input": args}


def _named(call: Call) -> tuple[str, Line]:
    """Tool and arguments under Claude Code's names."""
    args = call.args
    match call.verb:
        case "read" | "view":
            return "Read", {"file_path": f"{HOME}/{args['path']}"}
        case "search":
            return "Grep", {**args, "output_mode": "content", "-n": True}
        case "edit":
            change = {"old_string": args["old"], "new_string": args["new"], "replace_all": False}
            return "Edit", {"file_path": f"{HOME}/{args['path']}", **change}
        case "skill":
            return "Skill", {"skill": args["name"]}
        case _:
            return "Bash", {"command": call.shell}


def _result(call: Call) -> Line:
    content, shown = _said(call)
    name = call_id("toolu_", call)
    block = {"tool_use_id": name, "type": "tool_result", "content": content}
    message = {"role": "user", "content": [block | ({"is_error": True} if call.code else {})]}
    return {"answers": name, "type": "user", "message": message, "toolUseResult": shown}


def _said(call: Call) -> tuple[str | list[Line], str | Line]:
    """What the model reads, and the copy for the interface."""
    if call.code:
        return f"Exit code {call.code}\n{call.text}", f"Error: Exit code {call.code}\n{call.text}"
    if call.image:
        return _image(call.image), {"type": "image", "file": {"base64": base64_of(call.image), "type": "image/png"}}
    match call.verb:
        case "read":
            numbered = "\n".join(f"{n:6}→{line}" for n, line in enumerate(call.text.splitlines(), 1))
            file = {"filePath": f"{HOME}/{call.args['path']}", "content": call.text, "startLine": 1}
            return numbered, {"type": "text", "file": file}
        case "skill":
            name = call.args["name"]
            return f"Launching skill: {name}", {"success": True, "commandName": name}
        case _:
            return call.text, {"stdout": call.text, "stderr": "", "interrupted": False, "isImage": False}


def _text(text: str) -> Line:
    return {"type": "text", "text": text}


def _image(image: bytes) -> list[Line]:
    return [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": base64_of(image)}}]
