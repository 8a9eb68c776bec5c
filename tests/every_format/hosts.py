"""Sessions of hosts, and trajectories."""

from collections.abc import Iterator
from typing import Any

from every_format.bodies import blocks, chat, items
from every_format.said import Native, Said


def _stamp(number: int) -> str:
    return f"2026-01-02T03:{number // 60 % 60:02}:{number % 60:02}.000Z"


def claude_code(said: Said) -> list[Native]:
    made: list[Native] = []
    for message in blocks(said):
        number = len(made)
        head = {"type": message["role"], "uuid": f"u{number}", "parentUuid": f"u{number - 1}" if number else None}
        more = {"sessionId": "s", "isSidechain": False, "timestamp": _stamp(number), "cwd": "/w"}
        if message["role"] == "assistant":
            message |= {"id": f"msg_{number}", "model": "claude-sonnet-4-5"}
        made.append(head | more | {"message": message})
    return made


def codex(said: Said) -> list[Native]:
    meta = {"timestamp": _stamp(0), "type": "session_meta", "payload": {"id": "s", "cwd": "/w"}}
    numbered = enumerate(items(said), 1)
    return [meta, *({"timestamp": _stamp(n), "type": "response_item", "payload": item} for n, item in numbered)]


def of_pi(said: Said) -> Iterator[Native]:
    for role, one in said:
        if role != "call":
            yield {"role": role, "content": [{"type": "text", "text": one}]}
            continue
        call = {"type": "toolCall", "id": one.id, "name": one.step.tool, "arguments": one.given}
        yield {"role": "assistant", "content": [call], "provider": "anthropic", "model": "claude-sonnet-4-5"}
        text = [{"type": "text", "text": one.step.output}]
        head = {"role": "toolResult", "toolCallId": one.id, "toolName": one.step.tool}
        yield head | {"content": text, "isError": one.step.error}


def pi(said: Said) -> list[Native]:
    made: list[Native] = [{"type": "session", "version": 3, "id": "s", "timestamp": _stamp(0), "cwd": "/w"}]
    for number, message in enumerate(of_pi(said), 1):
        parent = f"e{number - 1}" if number > 1 else None
        head = {"type": "message", "id": f"e{number}", "parentId": parent, "timestamp": _stamp(number)}
        made.append(head | {"message": message})
    return made


def openclaw(said: Said) -> list[Native]:
    lines = pi(said)
    last = len(lines)
    data = {"timestamp": 1767323000000, "provider": "anthropic", "modelId": "claude-sonnet-4-5"}
    told = {"type": "custom", "customType": "openclaw.cache-ttl", "id": "t", "parentId": f"e{last - 1}", "data": data}
    return [*lines, told | {"timestamp": _stamp(last)}]


def copilot(said: Said) -> list[Native]:
    made: list[Native] = []

    def line(kind: str, **data: Any) -> None:
        head = {"type": kind, "data": data, "id": f"l{len(made)}", "timestamp": _stamp(len(made))}
        made.append(head | {"parentId": f"l{len(made) - 1}" if made else None})

    for role, one in said:
        if role == "user":
            line("user.message", content=one, transformedContent=one)
        elif role == "assistant":
            line("assistant.message", content=one, toolRequests=[])
        else:
            request = {"toolCallId": one.id, "name": one.step.tool, "arguments": one.given}
            line("assistant.message", content="", toolRequests=[request])
            told = {"message": one.step.output} if one.step.error else {"content": one.step.output}
            line(
                "tool.execution_complete",
                toolCallId=one.id,
                success=not one.step.error,
                **{"error" if one.step.error else "result": told},
            )
    return made


def opencode(said: Said) -> Native:
    messages: list[Native] = []
    for number, (role, one) in enumerate(said):
        info = {"id": f"m{number:04}", "role": "user" if role == "user" else "assistant", "time": {"created": number}}
        part: Native = {"type": "text", "text": one}
        if role == "call":
            state = {"status": "error", "error": one.step.output} if one.step.error else {"status": "completed"}
            state = {"output": one.step.output} | state if not one.step.error else state
            state |= {"input": one.given, "time": {"start": 1, "end": 2}}
            part = {"type": "tool", "tool": one.step.tool, "callID": one.id, "state": state}
        if role != "user":
            info |= {"modelID": "gpt-5", "providerID": "openai"}
        messages.append({"info": info, "parts": [part]})
    return {"info": {"id": "ses_1", "projectID": "p"}, "messages": messages}


def gemini_cli(said: Said) -> Native:
    messages: list[Native] = []
    for role, one in said:
        if role == "user":
            messages.append({"type": "user", "content": [{"text": one}]})
            continue
        made: Native = {"type": "gemini", "content": one if role == "assistant" else ""}
        if role == "call":
            response = {"error" if one.step.error else "output": one.step.output}
            result = {"functionResponse": {"id": one.id, "name": one.step.tool, "response": response}}
            status = "error" if one.step.error else "success"
            call = {"id": one.id, "name": one.step.tool, "args": one.given, "result": [result], "status": status}
            made["toolCalls"] = [call]
        messages.append(made)
    return {"sessionId": "s", "projectHash": "h", "messages": messages}


def openhands(said: Said) -> list[Native]:
    events: list[Native] = []

    def event(**more: Any) -> None:
        events.append({"id": len(events), "timestamp": _stamp(len(events)), **more})

    for role, one in said:
        if role != "call":
            source = "user" if role == "user" else "agent"
            event(source=source, action="message", args={"content": one})
            continue
        function = {"name": one.step.tool, "arguments": f"text {one.given}"}
        calls = [{"id": one.id, "type": "function", "function": function}]
        answer = {"id": f"r{one.number}", "choices": [{"message": {"content": "", "tool_calls": calls}}]}
        meta = {"function_name": one.step.tool, "tool_call_id": one.id, "model_response": answer}
        event(source="agent", action="run", args={"command": "ls"}, tool_call_metadata=meta)
        exit_code = {"metadata": {"exit_code": int(one.step.error)}}
        cause = len(events) - 1
        more = {"content": one.step.output, "extras": exit_code, "cause": cause, "tool_call_metadata": meta}
        event(observation="run", source="agent", **more | {"tool_call_metadata": meta | {"model_response": None}})
    return events


def openhands_lines(said: Said) -> list[Native]:
    events: list[Native] = []

    def event(kind: str, **more: Any) -> None:
        events.append({"id": f"e{len(events)}", "timestamp": _stamp(len(events)), "kind": kind, **more})

    for role, one in said:
        if role != "call":
            source = "user" if role == "user" else "agent"
            text = {"role": role, "content": [{"type": "text", "text": one}]}
            event("MessageEvent", source=source, llm_message=text, extended_content=[])
            continue
        named = {"tool_name": one.step.tool, "tool_call_id": one.id}
        call = {"id": one.id, "name": one.step.tool, "arguments": f"text {one.given}"}
        event("ActionEvent", source="agent", thought=[], tool_call=call, llm_response_id=f"r{one.number}", **named)
        seen = {"content": [{"type": "text", "text": one.step.output}], "is_error": one.step.error}
        event("ObservationEvent", source="environment", observation=seen, **named)
    return events


def hermes(said: Said) -> Native:
    return {"session_id": "s", "session_start": "1970", "messages": chat(said), "tools": []}


def hermes_lines(said: Said) -> list[Native]:
    return [{"role": "session_meta", "model": "gpt-5", "tools": []}, *chat(said)]


def swe_agent(said: Said) -> Native:
    """What a user says behind a plain answer would be that answer's result, so there are none."""
    spoken = chat([one for one in said if one[0] != "assistant"])
    history = [one | {"agent": "main"} for one in ({"role": "system", "content": "be good"}, *spoken)]
    return {"history": history, "trajectory": [], "info": {}}


def mini(said: Said) -> Native:
    return {"trajectory_format": "mini-swe-agent-1.1", "messages": chat(said), "info": {}}


def atif(said: Said) -> Native:
    steps: list[Native] = []
    for role, one in said:
        if role != "call":
            steps.append({"source": "user" if role == "user" else "agent", "message": one})
            continue
        call = {"tool_call_id": one.id, "function_name": one.step.tool, "arguments": one.given}
        seen = {"results": [{"source_call_id": one.id, "content": one.step.output}]}
        steps.append({"source": "agent", "message": "", "tool_calls": [call], "observation": seen})
    return {"schema_version": "ATIF-v1.5", "agent": {"model_name": "gpt-5"}, "session_id": "s", "steps": steps}
