"""One small session of each host whose file is one document, and of those whose lines are no tree."""

from typing import Any

CALL = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"command":"ls"}'}}
ANSWER = {"id": "r1", "choices": [{"message": {"content": "look", "tool_calls": [CALL]}}]}
META = {"function_name": "bash", "tool_call_id": "c1", "model_response": ANSWER}
EVENTS: list[dict[str, Any]] = [
    {"id": 1, "source": "user", "action": "message", "args": {"content": "go", "image_urls": ["data:image/png,A"]}},
    {"id": 2, "source": "agent", "action": "run", "args": {"command": "ls"}, "tool_call_metadata": META},
    {"id": 3, "observation": "run", "content": "found", "extras": {"metadata": {"exit_code": 0}}, "cause": 2}
    | {"tool_call_metadata": META},
]
NEWER: list[dict[str, Any]] = [
    {
        "id": "a",
        "kind": "MessageEvent",
        "source": "user",
        "llm_message": {"role": "user", "content": [{"type": "text", "text": "go"}]},
        "extended_content": [],
    },
    {
        "id": "b",
        "kind": "ActionEvent",
        "source": "agent",
        "thought": [{"type": "text", "text": "look"}],
        "thinking_blocks": [{"type": "thinking", "thinking": "hm", "signature": "s"}],
        "tool_name": "bash",
        "tool_call_id": "c1",
        "tool_call": {"id": "c1", "name": "bash", "arguments": "{}"},
        "llm_response_id": "r1",
    },
    {
        "id": "c",
        "kind": "ObservationEvent",
        "source": "environment",
        "tool_name": "bash",
        "tool_call_id": "c1",
        "observation": {"content": [{"type": "text", "text": "found"}], "is_error": False},
    },
]
CHAT: list[dict[str, Any]] = [
    {"role": "user", "content": "go", "agent": "main"},
    {"role": "assistant", "content": "look", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "found"},
]
STATE = {"status": "completed", "input": {"path": "a"}, "output": "found", "time": {"start": 1, "end": 2}}
RESPONSE = {"functionResponse": {"id": "c1", "name": "read", "response": {"output": "found"}}}


def copilot(kind: str, **data: Any) -> dict[str, Any]:
    return {"type": kind, "data": data, "id": kind, "timestamp": "1970-01-01T00:00:01Z", "parentId": None}


DOCUMENTS: dict[str, Any] = {
    "opencode": {
        "info": {"id": "ses_1", "projectID": "p"},
        "messages": [
            {"info": {"id": "m1", "role": "user"}, "parts": [{"type": "text", "text": "go"}]},
            {
                "info": {"id": "m2", "role": "assistant", "modelID": "gpt-5", "time": {"created": 1}},
                "parts": [
                    {"type": "reasoning", "text": "hm"},
                    {"type": "tool", "tool": "read", "callID": "c1", "state": STATE},
                ],
            },
        ],
    },
    "gemini_cli": {
        "sessionId": "s",
        "projectHash": "h",
        "messages": [
            {"type": "user", "content": [{"text": "go"}]},
            {
                "type": "gemini",
                "content": "look",
                "toolCalls": [{"id": "c1", "name": "read", "args": {}, "result": [RESPONSE], "status": "success"}],
            },
        ],
    },
    "copilot_cli": [
        copilot("user.message", content="go", transformedContent="go"),
        copilot(
            "assistant.message",
            content="look",
            toolRequests=[{"toolCallId": "c1", "name": "bash", "arguments": {}}],
        ),
        copilot("tool.execution_complete", toolCallId="c1", success=True, result={"content": "found"}),
    ],
    "openhands": EVENTS,
    "openhands_lines": NEWER,
    "swe_agent": {"history": [{"role": "system", "content": "be good", "agent": "main"}, *CHAT], "trajectory": []},
    "mini_swe_agent": {"trajectory_format": "mini-swe-agent-1.1", "messages": CHAT, "info": {}},
    "hermes": {"session_id": "s", "session_start": "1970", "messages": CHAT, "tools": []},
    "hermes_lines": [{"role": "session_meta", "model": "gpt-5", "tools": []}, *CHAT],
    "atif": {
        "schema_version": "ATIF-v1.5",
        "agent": {"model_name": "gpt-5"},
        "steps": [
            {"source": "user", "message": "go"},
            {
                "source": "agent",
                "message": "look",
                "tool_calls": [{"tool_call_id": "c1", "function_name": "bash", "arguments": {}}],
                "observation": {"results": [{"source_call_id": "c1", "content": "found"}]},
            },
        ],
    },
    "tau_bench": {"task_id": "t", "traj": CHAT, "reward": 1.0},
}
