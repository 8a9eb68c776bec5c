"""A cache marker stays where it stood when what carries it is rewritten (API rules 3.5)."""

import json
from typing import Any

import pytest

from secateur import fit
from secateur.model import Epoch, Rewrite
from secateur.plan import Plan

MARK = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}
TEXT = {"type": "text", "text": "long ago"}
CALL = {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "bash", "input": {}}]}
CHAT_CALL = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
URL = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}


def rewritten(messages: list[Any], kind: str) -> Any:
    """The last message after its first part of a kind was rewritten."""
    read = fit(messages, policy="observe", model="claude-opus-4-5").raw_transcript
    key = next(part.key for part in read.messages[-1].parts if part.kind == kind)
    plan = Plan((Epoch(1, read.messages[-1].key, "by hand", (Rewrite(key, "gone"),)),))
    return json.loads(json.dumps(fit(messages, policy="observe", plan=plan, model="claude-opus-4-5").request[-1]))


@pytest.mark.parametrize(
    ("content", "becomes"),
    [
        ("long ago", "gone"),
        ([TEXT | MARK], [{"type": "text", "text": "gone"} | MARK]),
        ([TEXT, IMAGE], "gone"),
        ([TEXT, IMAGE | MARK], [{"type": "text", "text": "gone"} | MARK]),
        ([TEXT | MARK, TEXT], [{"type": "text", "text": "gone"} | MARK]),
    ],
)
def test_of_a_result(content: Any, becomes: Any) -> None:
    block = {"type": "tool_result", "tool_use_id": "c1", "content": content}
    messages = [{"role": "user", "content": "hi"}, CALL, {"role": "user", "content": [block]}]
    assert rewritten(messages, "tool_result")["content"] == [block | {"content": becomes}]


def test_of_a_result_of_chat() -> None:
    said = {"role": "assistant", "content": "", "tool_calls": [CHAT_CALL]}
    answer = {"role": "tool", "tool_call_id": "c1", "content": [TEXT, TEXT | MARK]}
    messages = [{"role": "user", "content": "hi"}, said, answer]
    assert rewritten(messages, "tool_result")["content"] == [{"type": "text", "text": "gone"} | MARK]


@pytest.mark.parametrize("medium", [IMAGE, URL])
def test_of_a_medium(medium: dict[str, Any]) -> None:
    first = [{"role": "user", "content": "hi"}, CALL] if medium is IMAGE else [{"role": "user", "content": "hi"}]
    answer = [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "ok"}]}]
    history = first + answer if medium is IMAGE else first
    messages = [*history, {"role": "assistant", "content": "yes"}, {"role": "user", "content": [TEXT, medium | MARK]}]
    assert rewritten(messages, "media")["content"] == [TEXT, {"type": "text", "text": "gone"} | MARK]
