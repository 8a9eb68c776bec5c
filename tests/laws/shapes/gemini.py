"""Stories for Gemini's generateContent, in camelCase or snake_case."""

from typing import Any

from laws.shapes.style import Style, runs
from laws.stories import Block, Story

MODELS = ("gemini-2.5-pro", "gemini-3-pro-preview", "models/gemini-3-flash")
_SNAKE = {
    "functionCall": "function_call",
    "functionResponse": "function_response",
    "inlineData": "inline_data",
    "mimeType": "mime_type",
    "executableCode": "executable_code",
    "codeExecutionResult": "code_execution_result",
    "thoughtSignature": "thought_signature",
}


def body(story: Story, count: int, style: Style) -> dict[str, Any]:
    contents = []
    for role, blocks in runs(story.said[:count]):
        parts = [made for block in blocks for made in written(block, style)]
        if role == "assistant" and story.signed:
            signed(parts, blocks)
        contents.append({"role": "model" if role == "assistant" else "user", "parts": parts})
    made: dict[str, Any] = {"model": style.model, "contents": contents}
    return snaked(made) if style.apart else made


def signed(parts: list[dict[str, Any]], blocks: list[Block]) -> None:
    """The first call of a step carries the signature; without calls the last part does."""
    first = next((part for part in parts if "functionCall" in part), parts[-1] if parts else None)
    sign = next((block["sign"] for block in blocks if block["is"] == "thought"), "c2ln")
    if first is not None and "codeExecutionResult" not in first:
        first["thoughtSignature"] = sign


def written(block: Block, style: Style) -> list[dict[str, Any]]:
    kind = block["is"]
    if kind in ("text", "thought"):
        thought = {"thought": True} if kind == "thought" else {}
        return [{"text": block["text"]} | thought] if block["text"] or not thought else []
    if kind in ("image", "document"):
        return [medium(block)]
    if kind == "server":
        code = {"language": "PYTHON", "code": block["query"]}
        ran = {"outcome": "OUTCOME_OK", "output": block["brought"]}
        return [{"executableCode": code}, {"codeExecutionResult": ran}]
    if kind in ("result", "reference"):
        return [response(block, style)] if kind == "result" else []
    named = {} if style.brief else {"id": block["id"]}
    return [{"functionCall": named | {"name": block["tool"], "args": block["input"]}}]


def response(block: Block, style: Style) -> dict[str, Any]:
    said = [one["text"] for one in block["held"] if one["is"] == "text"]
    if block["shape"] == "list":
        told: dict[str, Any] = {"lines": said, "exit": int(block["error"])}
    else:
        told = {"error" if block["error"] else "output": "\n".join(said)}
    made: dict[str, Any] = {} if style.brief else {"id": block["id"]}
    made |= {"name": block["tool"], "response": told}
    media = [medium(one) for one in block["held"] if one["is"] == "image"]
    return {"functionResponse": made | ({"parts": media} if media and style.extra else {})}


def medium(block: Block) -> dict[str, Any]:
    mime = "image/png" if block["is"] == "image" else "application/pdf"
    return {"inlineData": {"mimeType": mime, "data": block["data"]}}


def snaked(value: Any) -> Any:
    """The same with the names of the older SDKs."""
    if isinstance(value, dict):
        return {
            _SNAKE.get(name, name): one if name in ("args", "response") else snaked(one) for name, one in value.items()
        }
    return [snaked(one) for one in value] if isinstance(value, list) else value
