"""Stories for Chat Completions, and for the servers that speak it."""

import json
from typing import Any

from laws.shapes.style import Style, texts
from laws.stories import Block, Said, Story

MODELS = ("gpt-5", "claude-opus-4-5", "anthropic/claude-opus-4.5", "deepseek-reasoner", "gemini-3-pro")


def body(story: Story, count: int, style: Style) -> dict[str, Any]:
    made: dict[str, Any] = {"model": style.model}
    if story.wants_json:
        made["response_format"] = {"type": "json_object"}
    first: list[dict[str, Any]] = [{"role": "system" if style.apart else "developer", "content": "be kind"}]
    return made | {"messages": first + [m for one in story.said[:count] for m in messages(one, style)]}


def messages(one: Said, style: Style) -> list[dict[str, Any]]:
    if one.by == "assistant":
        return [assistant(one.blocks, style)]
    results = [result(block, style) for block in one.blocks if block["is"] == "result"]
    others = [block for block in one.blocks if block["is"] != "result"]
    return results + ([{"role": "user", "content": content(others, style)}] if others or not results else [])


def assistant(blocks: list[Block], style: Style) -> dict[str, Any]:
    said = "\n".join(texts(blocks))
    thoughts = "\n".join(block["text"] for block in blocks if block["is"] == "thought")
    asked = [block for block in blocks if "input" in block]
    made: dict[str, Any] = {"role": "assistant"}
    if said or not asked or not style.brief:
        made["content"] = said if said or not asked else None if style.apart else ""
    if thoughts and style.extra:
        made["reasoning_content"] = thoughts
    if asked:
        made["tool_calls"] = [call(block, number, style) for number, block in enumerate(asked)]
    return made


def call(block: Block, number: int, style: Style) -> dict[str, Any]:
    given = json.dumps(block["input"], ensure_ascii=style.apart, indent=1 if block["nested"] else None)
    if block["is"] == "custom" and style.extra:
        return {"id": block["id"], "type": "custom", "custom": {"name": block["tool"], "input": given}}
    made: dict[str, Any] = {"id": block["id"], "type": "function"}
    made["function"] = {"name": block["tool"], "arguments": given if block["input"] or style.apart else ""}
    if style.model.startswith("gemini") and not number:
        made["extra_content"] = {"google": {"thought_signature": f"c2ln{block['id']}"}}
    return made


def result(block: Block, style: Style) -> dict[str, Any]:
    said = list(texts(block["held"]))
    listed = block["shape"] == "list" and not style.brief and said
    held: Any = [{"type": "text", "text": one} for one in said] if listed else "\n".join(said)
    return {"role": "tool", "tool_call_id": block["id"], "content": held}


def content(blocks: list[Block], style: Style) -> Any:
    if style.brief and all(block["is"] == "text" for block in blocks):
        return "\n".join(texts(blocks))
    made = []
    for block in blocks:
        if block["is"] == "text":
            made.append({"type": "text", "text": block["text"]})
        elif block["is"] == "image":
            made.append({"type": "image_url", "image_url": {"url": f"data:image/png;base64,{block['data']}"}})
        elif block["is"] == "document":
            made.append({"type": "file", "file": {"filename": block["name"], "file_data": block["data"]}})
    return made
