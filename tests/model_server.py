"""A scripted model behind the APIs of Anthropic, OpenAI and Google: it reads one file after the other, then answers.

It asks for the next file with each answer, says that it is done when it had them all, and begins anew. Usage is made
of the request's length.
"""

import json
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

from upstream import Says, Upstream, says

Body = dict[str, Any]
FINAL = "I have read all of them."


def reads(*files: str, thinking: str = "") -> Says:
    """A model that wants to read these files, one with each answer."""
    asked: Counter[str] = Counter()  # by API, since it was last done

    def say(handler: Any) -> None:
        script: Upstream = handler.script
        api, answer = next((path, one) for path, one in _APIS.items() if re.search(path, script.paths[-1]))
        wanted = files[asked[api]] if asked[api] < len(files) else ""
        asked[api] = asked[api] + 1 if wanted else 0
        number = len(script.bodies)
        made = answer(number, wanted, thinking, len(script.bodies[-1]) // 4)
        says(200, json.dumps(made))(handler)

    return say


def _anthropic(number: int, wanted: str, thinking: str, tokens: int) -> Body:
    content: list[Body] = [{"type": "thinking", "thinking": thinking, "signature": f"s{number}"}] if thinking else []
    content.append({"type": "text", "text": f"Reading {wanted}." if wanted else FINAL})
    if wanted:
        content.append({"type": "tool_use", "id": f"toolu_{number}", "name": "read_file", "input": {"path": wanted}})
    usage = {"input_tokens": tokens, "output_tokens": 9, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0}
    message = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": "m", "content": content}
    return {**message, "stop_reason": "tool_use" if wanted else "end_turn", "stop_sequence": None, "usage": usage}


def _chat(number: int, wanted: str, thinking: str, tokens: int) -> Body:
    message: Body = {"role": "assistant", "content": None if wanted else FINAL, "refusal": None}
    if thinking:
        message["reasoning_content"] = thinking
    if wanted:
        function = {"name": "read_file", "arguments": json.dumps({"path": wanted})}
        message["tool_calls"] = [{"id": f"call_{number}", "type": "function", "function": function}]
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if wanted else "stop", "logprobs": None}
    usage = {"prompt_tokens": tokens, "completion_tokens": 9, "total_tokens": tokens + 9}
    frame = {"id": f"c{number}", "object": "chat.completion", "created": 1, "model": "m"}
    return {**frame, "choices": [choice], "usage": usage}


def _responses(number: int, wanted: str, thinking: str, tokens: int) -> Body:
    reasoning = {"type": "reasoning", "id": f"rs_{number}", "summary": [], "encrypted_content": thinking}
    text = {"type": "output_text", "text": FINAL, "annotations": []}
    said: Body = {"type": "message", "id": f"m{number}", "role": "assistant", "status": "completed", "content": [text]}
    if wanted:
        said = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}", "name": "read_file"}
        said |= {"arguments": json.dumps({"path": wanted}), "status": "completed"}
    usage = {"input_tokens": tokens, "output_tokens": 9, "total_tokens": tokens + 9}
    usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}  # type: ignore[dict-item]
    frame = {"id": f"r{number}", "object": "response", "created_at": 1, "model": "m", "status": "completed"}
    frame |= {"parallel_tool_calls": True, "tool_choice": "auto", "tools": []}  # type: ignore[dict-item]
    return {**frame, "output": [reasoning, said] if thinking else [said], "usage": usage}


def _gemini(number: int, wanted: str, thinking: str, tokens: int) -> Body:
    call: Body = {"functionCall": {"name": "read_file", "args": {"path": wanted}}, "thoughtSignature": "c2ln"}
    content = {"role": "model", "parts": [call if wanted else {"text": FINAL}]}
    usage = {"promptTokenCount": tokens, "candidatesTokenCount": 9, "totalTokenCount": tokens + 9}
    return {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}], "usageMetadata": usage}


_APIS: dict[str, Callable[[int, str, str, int], Body]] = {
    r"/messages": _anthropic,
    r"/chat/completions": _chat,
    r"/responses": _responses,
    r":generateContent": _gemini,
}


def addresses(url: str) -> dict[str, str]:
    """The variables by which the providers' clients find this server."""
    keys = dict.fromkeys(("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"), "sk-none")
    bases = {"ANTHROPIC_BASE_URL": url, "OPENAI_BASE_URL": f"{url}/v1", "GOOGLE_GEMINI_BASE_URL": url}
    return {**keys, **bases, "ANTHROPIC_AUTH_TOKEN": "", "GOOGLE_API_KEY": ""}
