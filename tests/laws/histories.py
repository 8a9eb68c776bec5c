"""Generated conversations in native shapes: parallel calls, errors, media, signed reasoning, odd ids, orphans."""

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


@st.composite
def responses(draw: st.DrawFn, most: int = 9) -> list[dict[str, Any]]:
    """A whole conversation for the Responses API: what is said in one go takes several items."""
    items = [_input(draw(TEXT) or "hello")]
    for number in range(draw(st.integers(1, most))):
        ids = [f"{draw(ID)}{number}.{n}" for n in range(draw(st.integers(0, 3)))]
        if draw(st.booleans()):
            items.append({"type": "reasoning", "id": f"rs_{number}", "summary": [], "encrypted_content": "b3A="})
        if draw(st.booleans()) or not ids:
            text = {"type": "output_text", "text": draw(TEXT), "annotations": []}
            items.append({"type": "message", "role": "assistant", "id": f"msg_{number}", "content": [text]})
        items += [{"type": "function_call", "call_id": one, "name": draw(TOOL), "arguments": "{}"} for one in ids]
        items += [_output(draw, one) for one in ids]
        if not ids or draw(st.integers(0, 3)) == 0:
            items.append(_input(draw(TEXT) or "go on"))
    return items


def _input(text: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "input_text", "text": text}]}


def _output(draw: st.DrawFn, call: str) -> dict[str, Any]:
    shape, said = draw(st.integers(0, 4)), draw(OUTPUT)
    text = {"type": "input_text", "text": said}
    image = {"type": "input_image", "image_url": "data:image/png;base64,aGk="}
    output = [text, image] if shape == 0 else [text] if shape == 1 else said
    if shape == 2:
        outcome = {"type": "exit", "exit_code": draw(st.integers(0, 1))}
        output = [{"stdout": said, "stderr": draw(TEXT), "outcome": outcome}]
    return {"type": "shell_call_output" if shape == 2 else "function_call_output", "call_id": call, "output": output}


@st.composite
def gemini(draw: st.DrawFn, most: int = 9) -> list[dict[str, Any]]:
    """A whole conversation for Gemini; ids come for whole rounds or not at all."""
    contents: list[dict[str, Any]] = [{"role": "user", "parts": [{"text": draw(TEXT) or "hello"}]}]
    for number in range(draw(st.integers(1, most))):
        calls = [{"name": draw(TOOL), "args": {"n": n, "f": 1.0}} for n in range(draw(st.integers(0, 3)))]
        if draw(st.booleans()):
            calls = [call | {"id": f"{number}.{n}"} for n, call in enumerate(calls)]
        said: list[dict[str, Any]] = [{"text": draw(TEXT), "thought": True}] if draw(st.booleans()) else []
        said += [] if calls else [{"text": draw(TEXT) or "ok"}]
        asked: list[dict[str, Any]] = [{"functionCall": call} for call in calls]
        if asked and draw(st.booleans()):
            asked[0]["thoughtSignature"] = "c2ln"
        answers = [{"functionResponse": _response(draw, call)} for call in calls] or [{"text": draw(TEXT) or "go on"}]
        contents += [{"role": "model", "parts": said + asked}, {"role": "user", "parts": answers}]
    return contents


def _response(draw: st.DrawFn, call: dict[str, Any]) -> dict[str, Any]:
    name = draw(st.sampled_from(["output", "error", "result", "odd"]))
    answer = {key: call[key] for key in ("id", "name") if key in call} | {"response": {name: draw(OUTPUT)}}
    if draw(st.integers(0, 4)) == 0:
        answer["parts"] = [{"inlineData": {"mimeType": "image/png", "data": "aGk="}}]
    return answer


@st.composite
def converse(draw: st.DrawFn, most: int = 9) -> list[dict[str, Any]]:
    """A whole conversation for Bedrock Converse."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": [{"text": draw(TEXT) or "hello"}]}]
    for number in range(draw(st.integers(1, most))):
        ids = [f"{draw(ID)}{number}.{n}" for n in range(draw(st.integers(0, 3)))]
        said: list[dict[str, Any]] = []
        if draw(st.booleans()):
            said.append({"reasoningContent": {"reasoningText": {"text": draw(TEXT), "signature": f"sig{number}"}}})
        said += [{"toolUse": {"toolUseId": one, "name": draw(TOOL), "input": {"f": 1.0}}} for one in ids]
        said += [] if ids else [{"text": draw(TEXT) or "ok"}]
        answers = [{"toolResult": {"toolUseId": one} | _content(draw)} for one in ids]
        answers += [] if ids else [{"text": draw(TEXT) or "go on"}]
        answers += [{"cachePoint": {"type": "default"}}] if draw(st.integers(0, 5)) == 0 else []
        messages += [{"role": "assistant", "content": said}, {"role": "user", "content": answers}]
    return messages


def _content(draw: st.DrawFn) -> dict[str, Any]:
    shape, text = draw(st.integers(0, 5)), {"text": draw(OUTPUT)}
    image = {"image": {"format": "png", "source": {"bytes": "aGk="}}}
    content = {0: [text, image], 1: [{"json": text}], 2: [text, text]}.get(shape, [text])
    return {"content": content} | ({"status": "error"} if draw(st.integers(0, 5)) == 0 else {})


HISTORY = anthropic() | openai() | responses() | gemini() | converse()
