"""Stories for the Responses API."""

import json
from collections.abc import Iterator
from typing import Any

from laws.shapes.style import Style, texts
from laws.stories import Block, Said, Story

MODELS = ("gpt-5", "gpt-5-codex")
OUTPUTS = {
    "call": "function_call_output",
    "custom": "custom_tool_call_output",
    "shell": "shell_call_output",
    "local_shell": "local_shell_call_output",
    "computer": "computer_call_output",
}
SHOOT = {"type": "screenshot"}
SHOT = {"type": "computer_screenshot", "image_url": "data:image/png;base64,aGk="}


def body(story: Story, count: int, style: Style) -> dict[str, Any]:
    made: dict[str, Any] = {"model": style.model, "instructions": "be kind", "store": not style.extra}
    if story.wants_json:
        made["text"] = {"format": {"type": "json_object"}}
    return made | {"input": [item for one in story.said[:count] for item in items(one, style)]}


def items(one: Said, style: Style) -> Iterator[dict[str, Any]]:
    """Texts and media between other items are messages; of the assistant, one text each."""
    waiting: list[Block] = []
    for block in one.blocks:
        if block["is"] in ("text", "image", "document") and one.by != "assistant":
            waiting.append(block)
            continue
        yield from spoken(waiting, style)
        waiting = []
        yield from item(block, style)
    yield from spoken(waiting, style)


def spoken(blocks: list[Block], style: Style) -> Iterator[dict[str, Any]]:
    if not blocks:
        return
    if style.brief and all(block["is"] == "text" for block in blocks):
        yield {"role": "user", "content": "\n".join(texts(blocks))}
    else:
        yield {"type": "message", "role": "user", "content": [part(block) for block in blocks]}


def item(block: Block, style: Style) -> Iterator[dict[str, Any]]:
    kind = block["is"]
    if kind == "thought":
        yield reasoning(block, style)
    elif kind == "text":
        yield answer(block, style)
    elif kind == "server":
        yield {
            "type": "web_search_call",
            "id": f"ws_{block['id']}",
            "status": "completed",
            "action": {"type": "search"},
        }
    elif kind == "result":
        yield result(block, style)
    elif "input" in block:
        yield call(block, style)


def answer(block: Block, style: Style) -> dict[str, Any]:
    if style.brief:
        return {"role": "assistant", "content": block["text"]}
    content = [{"type": "output_text", "text": block["text"], "annotations": []}]
    named = {"id": f"msg_{block.get('number', 0)}", "status": "completed"}
    return {"type": "message", "role": "assistant", "content": content} | named


def reasoning(block: Block, style: Style) -> dict[str, Any]:
    made: dict[str, Any] = {"type": "reasoning", "id": f"rs_{block['sign']}"}
    made["summary"] = [{"type": "summary_text", "text": block["text"]}] if block["text"] else []
    return made | ({"encrypted_content": block["sign"]} if style.extra else {})


def call(block: Block, style: Style) -> dict[str, Any]:
    fixed = block["is"] in ("computer", "local_shell")
    made: dict[str, Any] = {"call_id": block["id"]} | ({"status": "completed"} if fixed or not style.brief else {})
    if block["is"] == "call":
        named = {"id": f"fc_{block['id']}"} if style.apart else {}
        return {"type": "function_call", "name": block["tool"], "arguments": json.dumps(block["input"])} | named | made
    if block["is"] == "custom":
        return {"type": "custom_tool_call", "name": block["tool"], "input": str(block["input"].get("text", "x"))} | made
    if block["is"] == "computer":
        return {"type": "computer_call", "id": f"cu_{block['id']}", "action": SHOOT, "pending_safety_checks": []} | made
    action = {"commands": ["ls"]} if block["is"] == "shell" else {"type": "exec", "command": ["ls"], "env": {}}
    return {"type": f"{block['is']}_call", "id": f"{block['is']}_{block['id']}", "action": action} | made


def result(block: Block, style: Style) -> dict[str, Any]:
    made: dict[str, Any] = {"type": OUTPUTS[block["of"]], "call_id": block["id"]}
    if block["of"] == "local_shell":
        made["id"] = f"local_shell_{block['id']}"
    said = "\n".join(texts(block["held"]))
    listed = (block["shape"] == "list" or any(one["is"] == "image" for one in block["held"])) and not style.brief
    if block["of"] == "computer":
        made["output"] = SHOT
    elif block["of"] == "shell":
        made["output"] = [{"stdout": said, "stderr": "", "outcome": {"type": "exit", "exit_code": int(block["error"])}}]
    elif block["of"] == "local_shell":
        exit_code = {"metadata": {"exit_code": int(block["error"])}}
        made["output"] = json.dumps({"output": said} | exit_code) if style.apart else said
    elif listed:
        made["output"] = [part(one) for one in block["held"] if one["is"] != "reference"]
    else:
        made["output"] = said
    return made


def part(block: Block) -> dict[str, Any]:
    if block["is"] == "image":
        return {"type": "input_image", "image_url": f"data:image/png;base64,{block['data']}", "detail": "auto"}
    if block["is"] == "document":
        return {"type": "input_file", "filename": block["name"], "file_data": block["data"]}
    return {"type": "input_text", "text": block["text"]}
