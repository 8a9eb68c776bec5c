"""Chat as compatible servers have it: reasoning under all its names, signatures, refusals, spoken answers."""

from typing import Any

import pytest

from secateur import fit
from secateur.formats.openai_chat import OpenAIChat
from secateur.model import Part, Transcript

FORMAT = OpenAIChat()
SIGNED = {"extra_content": {"google": {"thought_signature": "c2ln"}}}


def read(*messages: Any, model: str = "gpt-5") -> Transcript:
    return FORMAT.read({"model": model, "messages": list(messages)})


def parts(transcript: Transcript) -> list[Part]:
    return [part for message in transcript.messages for part in message.parts]


def said(**fields: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": "x"} | fields


def call(**fields: Any) -> dict[str, Any]:
    return {"id": "a", "type": "function", "function": {"name": "ls", "arguments": "{}"}} | fields


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({"reasoning_content": "hm"}, [("reasoning_content",), "hm"]),
        ({"reasoning": "hm"}, [("reasoning",), "hm"]),
        ({"reasoning_details": [{"type": "reasoning.text", "text": "hm"}]}, [("reasoning_details", 0), "hm"]),
        ({"reasoning_details": [{"type": "reasoning.summary", "summary": "hm"}]}, [("reasoning_details", 0), "hm"]),
        ({"reasoning_details": [{"type": "reasoning.encrypted", "data": "b3A="}]}, [("reasoning_details", 0), ""]),
        ({"thinking_blocks": [{"type": "thinking", "thinking": "hm"}]}, [("thinking_blocks", 0), "hm"]),
        ({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]}, [("content", 0), "hm"]),
    ],
)
def test_reasoning_under_any_name(fields: Any, found: Any) -> None:
    part = parts(read(said(**fields)))[0]
    assert [part.path[2:], part.text] == found
    assert (part.kind, part.pinned, part.prefix_bound) == ("reasoning", True, False)


def test_reasoning_that_is_told_twice_counts_once() -> None:
    details = [{"type": "reasoning.text", "text": "hm", "signature": "s"}]
    found = parts(read(said(reasoning="hm", reasoning_details=details)))
    assert [(part.kind, part.text) for part in found] == [("reasoning", "hm"), ("reasoning", ""), ("text", "x")]


@pytest.mark.parametrize(
    ("model", "block", "bound"),
    [
        ("anthropic/claude-opus-5.5", {"type": "reasoning.text", "text": "hm", "signature": "s"}, True),
        ("anthropic/claude-opus-4.5", {"type": "reasoning.text", "text": "hm", "signature": "s"}, False),
        ("anthropic/claude-opus-5.5", {"type": "redacted_thinking", "data": "b3A="}, True),
        ("anthropic/claude-opus-5.5", {"type": "reasoning.text", "text": "hm"}, False),
        ("google/gemini-3-pro", {"type": "reasoning.encrypted", "data": "b3A="}, False),
    ],
)
def test_what_anthropic_signed_is_bound_through_others_too(model: str, block: Any, bound: bool) -> None:
    assert parts(read(said(reasoning_details=[block]), model=model))[0].prefix_bound == bound


def test_bound_reasoning_leaves_a_list() -> None:
    messages = [
        {"role": "user", "content": "go"},
        said(tool_calls=[call()], content=None),
        {"role": "tool", "tool_call_id": "a", "content": "x" * 999},
        said(thinking_blocks=[{"type": "thinking", "thinking": "hm", "signature": "s"}]),
        {"role": "user", "content": "on"},
    ]
    clear = {"name": "clear", "prune": [{"type": "hard_clear"}], "schedule": {"type": "every_request"}}
    view = fit(messages, policy=clear, model="claude-opus-5-5")
    assert view.request[3] == said(thinking_blocks=[])


@pytest.mark.parametrize("signed", [SIGNED, {"provider_specific_fields": {"thought_signature": "c2ln"}}])
def test_signed_calls_and_texts_stay(signed: Any) -> None:
    tool_calls = [call(**signed), call(provider_specific_fields=None)]
    found = parts(read(said(content=None, tool_calls=tool_calls), said(**signed)))
    assert [(part.kind, part.pinned) for part in found] == [("tool_call", True), ("tool_call", False), ("text", True)]


def test_refusals_and_spoken_answers_stay() -> None:
    found = parts(
        read(
            {"role": "assistant", "content": None, "refusal": "no"},
            {"role": "assistant", "content": [{"type": "refusal", "refusal": "never"}]},
            {"role": "assistant", "audio": {"id": "audio_1", "transcript": "spoken"}},
        )
    )
    assert [(part.kind, part.text, part.pinned) for part in found] == [
        ("text", "no", True),
        ("text", "never", True),
        ("other", "spoken", True),
    ]


@pytest.mark.parametrize("content", ["x", [{"type": "text", "text": "x"}]])
def test_content_is_a_string_or_a_list(content: Any) -> None:
    tool = {"role": "tool", "tool_call_id": "a", "content": content}
    found = parts(read({"role": "user", "content": content}, said(content=content, tool_calls=[call()]), tool))
    assert [(part.kind, part.text) for part in found] == [
        ("text", "x"),
        ("text", "x"),
        ("tool_call", "{}"),
        ("tool_result", "x"),
    ]
