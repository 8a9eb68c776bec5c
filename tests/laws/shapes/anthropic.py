"""Stories for the Messages API."""

from typing import Any

from laws.shapes.style import Style, runs
from laws.stories import Block, Said, Story

NOTHING = Story([], 0, False, False, False, False)  # what blocks inside a result know of their story
MODELS = ("claude-opus-4-5", "claude-sonnet-4-6", "claude-opus-5-5", "claude-sonnet-5-5-20260801", "some-model")


def body(story: Story, count: int, style: Style) -> dict[str, Any]:
    said = story.said[:count]
    spoken = said if style.apart else [Said(role, blocks) for role, blocks in runs(said)]
    made: dict[str, Any] = {"model": style.model, "max_tokens": 9, "system": "be kind"}
    if style.extra and story.signed:
        made["thinking"] = {"type": "enabled", "budget_tokens": 1024}
    made["tools"] = [{"name": "read", "input_schema": {"type": "object"}}]
    return made | {"messages": [message(one, story, style) for one in spoken]}


def message(one: Said, story: Story, style: Style) -> dict[str, Any]:
    role = "assistant" if one.by == "assistant" else "user"
    if style.brief and len(one.blocks) == 1 and one.blocks[0]["is"] == "text" and "mark" not in one.blocks[0]:
        return {"role": role, "content": one.blocks[0]["text"]}
    return {"role": role, "content": [made for block in one.blocks for made in written(block, story, style)]}


def written(block: Block, story: Story, style: Style) -> list[dict[str, Any]]:
    kind = block["is"]
    if kind == "thought":
        return [thought(block, story)] if story.signed or style.extra else []
    if kind == "server":
        return server(block)
    made = one(block, style)
    if "mark" in block:
        made["cache_control"] = {"type": "ephemeral"} | ({"ttl": "1h"} if block["mark"] == "1h" else {})
    return [made]


def one(block: Block, style: Style) -> dict[str, Any]:
    kind = block["is"]
    if kind == "result":
        return result(block, style)
    if kind == "text":
        return {"type": "text", "text": block["text"]}
    if kind == "reference":
        return {"type": "tool_reference", "tool_name": block["tool"]}
    if kind in ("image", "document"):
        return medium(block)
    made = {"type": "tool_use", "id": block["id"], "name": block["tool"], "input": block["input"]}
    return made | ({"caller": {"type": "direct"}} if block["nested"] else {})


def thought(block: Block, story: Story) -> dict[str, Any]:
    if block["shut"] and story.signed:
        return {"type": "redacted_thinking", "data": block["sign"]}
    return {"type": "thinking", "thinking": block["text"], "signature": block["sign"] if story.signed else ""}


def server(block: Block) -> list[dict[str, Any]]:
    found = {"type": "web_search_result", "title": "t", "url": "u", "encrypted_content": block["brought"]}
    return [
        {"type": "server_tool_use", "id": block["id"], "name": "web_search", "input": {"query": block["query"]}},
        {"type": "web_search_tool_result", "tool_use_id": block["id"], "content": [found]},
    ]


def result(block: Block, style: Style) -> dict[str, Any]:
    made: dict[str, Any] = {"type": "tool_result", "tool_use_id": block["id"]}
    held = [one for one in block["held"] if one["is"] != "text" or one["text"]]
    plain = all(one["is"] == "text" and "mark" not in one for one in held)
    if plain and block["shape"] == "string" and (held or style.brief):
        made["content"] = "\n".join(one["text"] for one in held)
    elif held or not style.brief:
        made["content"] = [inner for block_ in held for inner in written(block_, NOTHING, style)]
    return made | ({"is_error": True} if block["error"] else {})


def medium(block: Block) -> dict[str, Any]:
    mime = "image/png" if block["is"] == "image" else "application/pdf"
    return {"type": block["is"], "source": {"type": "base64", "media_type": mime, "data": block["data"]}}
