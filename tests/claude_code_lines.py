"""Lines of a Claude Code log as literals."""

from typing import Any

MODEL = "claude-sonnet-4-5"


def line(kind: str, uuid: str, parent: str | None, **more: Any) -> dict[str, Any]:
    head = {"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s", "isSidechain": False}
    return {**head, "timestamp": "2026-01-02T03:04:05.600Z", **more}


def user(uuid: str, parent: str | None, content: Any, **more: Any) -> dict[str, Any]:
    return line("user", uuid, parent, message={"role": "user", "content": content}, **more)


def assistant(uuid: str, parent: str | None, api_id: str, *blocks: Any, **more: Any) -> dict[str, Any]:
    message = {"id": api_id, "role": "assistant", "model": more.pop("model", MODEL), "content": list(blocks)}
    return line("assistant", uuid, parent, requestId=more.pop("request", api_id), message=message, **more)


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def call(name: str, tool: str = "Read") -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": tool, "input": {"path": "a.py"}}


def answer(name: str, content: Any, **more: Any) -> list[dict[str, Any]]:
    return [{"type": "tool_result", "tool_use_id": name, "content": content, **more}]


def boundary(uuid: str, **metadata: Any) -> dict[str, Any]:
    return line("system", uuid, None, subtype="compact_boundary", logicalParentUuid="z", compactMetadata=metadata)


def micro(uuid: str, parent: str, *ids: Any) -> dict[str, Any]:
    return line("system", uuid, parent, subtype="microcompact_boundary", microcompactMetadata={"compactedToolIds": ids})


def progress(uuid: str, parent: str | None) -> dict[str, Any]:
    return line("progress", uuid, parent, data={"type": "hook_progress"})
