"""Stories for Bedrock's Converse."""

from typing import Any

from laws.shapes.style import Style, runs, tools
from laws.stories import Block, Story

MODELS = ("anthropic.claude-opus-4-5-v1:0", "us.anthropic.claude-opus-5-5-v1:0", "amazon.nova-pro-v1:0")


def body(story: Story, count: int, style: Style) -> dict[str, Any]:
    said = story.said[:count]
    spoken = [
        (role, [made for block in blocks for made in written(block, story, style)]) for role, blocks in runs(said)
    ]
    made: dict[str, Any] = {"messages": [{"role": role, "content": content} for role, content in spoken]}
    made["system"] = [{"text": "be kind"}]
    names = [{"toolSpec": {"name": name, "inputSchema": {"json": {}}}} for name in tools(said) or ["read"]]
    return made | {"toolConfig": {"tools": names}, "inferenceConfig": {"maxTokens": 9}}


def written(block: Block, story: Story, style: Style) -> list[dict[str, Any]]:
    kind = block["is"]
    point = [{"cachePoint": {"type": "default"}}] if "mark" in block and block["mark"] == "5m" else []
    if kind == "thought":
        return [thought(block, story)]
    if kind == "result":
        return [result(block, style), *point]
    if kind == "text":
        return [{"text": block["text"]}, *point]
    if kind in ("image", "document"):
        return [medium(block), *point]
    if kind == "server":
        return server(block)
    return [] if kind == "reference" else [call(block), *point]


def call(block: Block) -> dict[str, Any]:
    return {"toolUse": {"toolUseId": block["id"], "name": block["tool"], "input": block["input"]}}


def server(block: Block) -> list[dict[str, Any]]:
    """A tool of the API's own: what it found is in the message that called it."""
    use = {"toolUseId": block["id"], "name": "nova_grounding", "input": {"query": block["query"]}}
    found = {"toolUseId": block["id"], "content": [{"text": block["brought"]}], "status": "success"}
    return [
        {"toolUse": use | {"type": "server_tool_use"}},
        {"toolResult": found | {"type": "nova_grounding_result"}},
    ]


def thought(block: Block, story: Story) -> dict[str, Any]:
    if block["shut"]:
        return {"reasoningContent": {"redactedContent": block["sign"]}}
    told = {"text": block["text"]} | ({"signature": block["sign"]} if story.signed else {})
    return {"reasoningContent": {"reasoningText": told}}


def result(block: Block, style: Style) -> dict[str, Any]:
    held: list[dict[str, Any]] = []
    for one in block["held"]:
        if one["is"] in ("image", "document"):
            held.append(medium(one))
        elif one["is"] == "reference":
            held.append({"json": {"found": one["tool"]}})
        elif one["text"]:
            held.append(
                {"json": {"output": one["text"]}} if block["shape"] == "list" and style.extra else {"text": one["text"]}
            )
    if block["error"] and not held:
        held.append({"text": "it failed"})
    status = {"status": "error"} if block["error"] else {} if style.brief else {"status": "success"}
    return {"toolResult": {"toolUseId": block["id"], "content": held} | status}


def medium(block: Block) -> dict[str, Any]:
    if block["is"] == "image":
        return {"image": {"format": "png", "source": {"bytes": block["data"]}}}
    return {"document": {"format": "pdf", "name": block["name"], "source": {"bytes": block["data"]}}}
