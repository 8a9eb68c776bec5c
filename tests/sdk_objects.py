"""Conversations as the providers' own packages hold them, and what these packages send of them.

What a model said becomes the objects that a client's answer is made of; what is sent to it stays the dicts that the
packages' documentation writes, or becomes objects too where the package has classes for it (google-genai).
"""

from typing import Any

import anthropic.types
import openai.types.chat
import openai.types.responses
from google.genai import types as genai
from pydantic import BaseModel

Native = dict[str, Any]


def objects(format: str, messages: list[Native]) -> list[Any]:
    """A conversation as a program holds it that uses the provider's package."""
    return _MADE[format](messages)


def sent(value: Any) -> Any:
    """What the packages make of a value when they send it."""
    if isinstance(value, BaseModel):
        if type(value).__module__.startswith("google."):
            return value.model_dump(mode="json", by_alias=True, exclude_none=True)
        hidden = getattr(value, "__api_exclude__", None)
        return value.model_dump(mode="json", by_alias=True, exclude_unset=True, exclude=hidden, warnings=False)
    if isinstance(value, dict):
        return {name: sent(inner) for name, inner in value.items()}
    return [sent(inner) for inner in value] if isinstance(value, list | tuple) else value


def _anthropic(messages: list[Native]) -> list[Any]:
    return [
        {**one, "content": anthropic.types.Message.construct(content=one["content"]).content}
        if one.get("role") == "assistant" and isinstance(one.get("content"), list)
        else one
        for one in messages
    ]


def _chat(messages: list[Native]) -> list[Any]:
    answer = openai.types.chat.ChatCompletionMessage
    return [answer.construct(**one) if one.get("role") == "assistant" else one for one in messages]


def _responses(items: list[Native]) -> list[Any]:
    return [
        openai.types.responses.Response.construct(output=[one]).output[0]
        if one.get("role") == "assistant" or one.get("type") in ("reasoning", "function_call")
        else one
        for one in items
    ]


def _gemini(contents: list[Native]) -> list[Any]:
    return [genai.Content.model_validate(one) for one in contents]


_MADE = {
    "anthropic_messages": _anthropic,
    "openai_chat": _chat,
    "openai_responses": _responses,
    "gemini": _gemini,
}
