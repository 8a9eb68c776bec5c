"""Generated conversations in native shapes: parallel calls, errors, media, signed reasoning, odd ids, orphans."""

import json
from typing import Any

from hypothesis import strategies as st

TEXT = st.text(st.characters(codec="utf-8"), max_size=40)
OUTPUT = st.builds(lambda text, times: text * times, st.text(min_size=1, max_size=30), st.integers(1, 40))
TOOL = st.sampled_from(["bash", "read", "skill", "Grep", "write"])
ID = st.sampled_from(["", "a", "b", "call_1", "x" * 1500, "é\n"])
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}


@st.composite
def anthropic_round(draw: st.DrawFn, number: int) -> list[dict[str, Any]]:
    """An assistant message, with reasoning and calls, and the user message that answers it."""
    calls = [
        {"type": "tool_use", "id": f"{draw(ID)}{number}.{n}", "name": draw(TOOL), "input": {"n": n, "f": 1.0}}
        for n in range(draw(st.integers(0, 3)))
    ]
    said: list[dict[str, Any]] = []
    if draw(st.booleans()):
        said.append({"type": "thinking", "thinking": draw(TEXT), "signature": f"sig{number}"})
    if draw(st.booleans()) or not calls:
        said.append({"type": "text", "text": draw(TEXT) or "ok"})
    answers = [_answer(draw, call["id"]) for call in calls]
    if not calls or draw(st.integers(0, 4)) == 0:
        answers.append({"type": "text", "text": draw(TEXT) or "go on", "odd": draw(st.none() | st.floats(0, 1))})
    return [{"role": "assistant", "content": said + calls}, {"role": "user", "content": answers}]


def _answer(draw: st.DrawFn, call: str) -> dict[str, Any]:
    block: dict[str, Any] = {"type": "tool_result", "tool_use_id": call}
    shape = draw(st.integers(0, 5))
    if shape == 0:
        block["content"] = [{"type": "text", "text": draw(OUTPUT)}, IMAGE]
    elif shape == 1:
        block["content"] = [{"type": "text", "text": draw(OUTPUT), "cache_control": {"type": "ephemeral"}}]
    else:
        block["content"] = draw(OUTPUT)
    if draw(st.integers(0, 5)) == 0:
        block["is_error"] = True
    return block


@st.composite
def anthropic(draw: st.DrawFn, most: int = 9) -> list[dict[str, Any]]:
    """A whole conversation for the Messages API."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": draw(TEXT) or "hello"}]
    for number in range(draw(st.integers(1, most))):
        messages += draw(anthropic_round(number))
    return messages


@st.composite
def openai(draw: st.DrawFn, most: int = 9) -> list[dict[str, Any]]:
    """A whole conversation for Chat Completions."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": "rules"}, {"role": "user", "content": "hello"}]
    for number in range(draw(st.integers(1, most))):
        ids = [f"{draw(ID)}{number}.{n}" for n in range(draw(st.integers(0, 3)))]
        calls = [
            {"id": one, "type": "function", "function": {"name": draw(TOOL), "arguments": '{"b": 1.0, "a": 2}'}}
            for one in ids
        ]
        messages.append({"role": "assistant", "content": draw(TEXT)} | ({"tool_calls": calls} if calls else {}))
        messages += [{"role": "tool", "tool_call_id": one, "content": draw(OUTPUT)} for one in ids]
        if not calls or draw(st.integers(0, 3)) == 0:
            messages.append({"role": "user", "content": draw(TEXT) or "go on"})
    return messages


HISTORY = anthropic() | openai()


def body(messages: list[dict[str, Any]], spaced: bool = False) -> bytes:
    """A request body, the way clients write it; `spaced`: with the white space that Python's default leaves."""
    separators = None if spaced else (",", ":")
    request = {"model": "claude-opus-4-5", "messages": messages, "max_tokens": 9}
    if messages[0]["role"] != "system":
        request["system"] = "s"
    return json.dumps(request, ensure_ascii=spaced, separators=separators).encode()


def calls_answered(messages: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """(call, result) ids in order, whichever of the two shapes."""
    found = []
    for message in messages:
        content = message.get("content")
        for block in content if isinstance(content, list) else ():
            if block.get("type") == "tool_use":
                found.append(("call", block["id"]))
            if block.get("type") == "tool_result":
                found.append(("result", block["tool_use_id"]))
        found += [("call", call["id"]) for call in message.get("tool_calls", ())]
        if message.get("role") == "tool":
            found.append(("result", message["tool_call_id"]))
    return found
