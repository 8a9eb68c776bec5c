"""Request bodies."""

from collections.abc import Iterator

from every_format.said import Native, Said


def anthropic(said: Said) -> Native:
    return {"model": "claude-sonnet-4-5", "max_tokens": 9, "system": "be kind", "messages": list(blocks(said))}


def blocks(said: Said) -> Iterator[Native]:
    for role, one in said:
        if role != "call":
            yield {"role": role, "content": [{"type": "text", "text": one}]}
            continue
        call = {"type": "tool_use", "id": one.id, "name": one.step.tool, "input": one.given}
        yield {"role": "assistant", "content": [call]}
        result = {"type": "tool_result", "tool_use_id": one.id, "content": one.step.output, "is_error": one.step.error}
        yield {"role": "user", "content": [result]}


def bedrock(said: Said) -> Native:
    def messages() -> Iterator[Native]:
        for role, one in said:
            if role != "call":
                yield {"role": role, "content": [{"text": one}]}
                continue
            call = {"toolUseId": one.id, "name": one.step.tool, "input": one.given}
            yield {"role": "assistant", "content": [{"toolUse": call}]}
            status = "error" if one.step.error else "success"
            result = {"toolUseId": one.id, "content": [{"text": one.step.output}], "status": status}
            yield {"role": "user", "content": [{"toolResult": result}]}

    return {"modelId": "anthropic.claude-sonnet-4-5", "messages": list(messages())}


def gemini(said: Said) -> Native:
    def contents() -> Iterator[Native]:
        for role, one in said:
            if role != "call":
                yield {"role": "model" if role == "assistant" else role, "parts": [{"text": one}]}
                continue
            call = {"id": one.id, "name": one.step.tool, "args": one.given}
            yield {"role": "model", "parts": [{"functionCall": call}]}
            response = {"error" if one.step.error else "output": one.step.output}
            yield {
                "role": "user",
                "parts": [{"functionResponse": {"id": one.id, "name": one.step.tool, "response": response}}],
            }

    return {"contents": list(contents())}


def chat(said: Said) -> list[Native]:
    made: list[Native] = []
    for role, one in said:
        if role != "call":
            made.append({"role": role, "content": one})
            continue
        function = {"name": one.step.tool, "arguments": f"text {one.given}"}
        made.append(
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": one.id, "type": "function", "function": function}],
            }
        )
        made.append({"role": "tool", "tool_call_id": one.id, "content": one.step.output})
    return made


def items(said: Said) -> Iterator[Native]:
    for role, one in said:
        if role != "call":
            kind = "output_text" if role == "assistant" else "input_text"
            yield {"type": "message", "role": role, "content": [{"type": kind, "text": one}]}
            continue
        yield {
            "type": "function_call",
            "call_id": one.id,
            "name": one.step.tool,
            "arguments": f"text {one.given}",
        }
        yield {"type": "function_call_output", "call_id": one.id, "output": one.step.output}
