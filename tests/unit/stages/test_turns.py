"""A compaction keeps user and assistant speaking in turns where they did, and the word that a response format needs."""

import json
from typing import Any

import pytest

from secateur import Engine
from secateur.api import check
from secateur.compaction.outcome import Compacted
from secateur.stages.summary_epoch import AS_JSON

WINDOW = 6_000


def told(*, twice: bool = False) -> list[dict[str, Any]]:
    """Rounds as a chat API has them; with `twice` the user once spoke twice in a row."""
    found: list[dict[str, Any]] = [{"role": "user", "content": "Fix the login."}]
    found += [{"role": "user", "content": "Please."}] if twice else []
    for number in range(20):
        call = {"id": f"call{number:05d}", "type": "function", "function": {"name": "run", "arguments": "{}"}}
        found.append({"role": "assistant", "content": None, "tool_calls": [call]})
        found.append({"role": "tool", "tool_call_id": call["id"], "content": f"line {number} " * 200})
    return found


@pytest.mark.parametrize("preset", ["kilocode", "opencode", "hermes", "balance"])
@pytest.mark.parametrize("ends", [[], [{"role": "assistant", "content": "Done."}, {"role": "user", "content": "On."}]])
@pytest.mark.parametrize("profile", ["strict", "mistral"])
def test_who_speaks_in_turns_keeps_to_it(preset: str, ends: list[dict[str, Any]], profile: str) -> None:
    said = told() + ends
    view = Engine(preset, window=WINDOW, format="openai_chat").fit({"messages": said}, now_ms=0)
    assert isinstance(view.compaction, Compacted)
    assert check("openai_chat", said, None, profile=profile) == []
    assert check("openai_chat", view.request["messages"], None, profile=profile) == []


def test_who_does_not_is_left_alone() -> None:
    view = Engine("kilocode", window=WINDOW, format="openai_chat").fit({"messages": told(twice=True)}, now_ms=0)
    assert isinstance(view.compaction, Compacted)
    assert "(noted)" not in json.dumps(view.request)


def test_the_word_json_stays_where_the_response_format_needs_it() -> None:
    messages = told()
    messages[2]["content"] += "in json"
    request = {"messages": messages, "response_format": {"type": "json_object"}}
    view = Engine("kilocode", window=WINDOW, format="openai_chat").fit(request, now_ms=0)
    assert isinstance(view.compaction, Compacted)
    assert "in json" not in json.dumps(view.request["messages"])
    assert AS_JSON.strip() in json.dumps(view.request["messages"])


def test_an_output_that_says_json_is_no_message_of_the_responses_api() -> None:
    spoken = [
        {"role": "user" if number % 2 == 0 else "assistant", "content": f"note {number}: " + "what was done. " * 200}
        for number in range(12)
    ]
    spoken[2]["content"] += "in json " + "what was done. " * 200  # in its middle, which gives way
    call = {"type": "function_call", "call_id": "c1", "name": "read", "arguments": "{}"}
    output = {"type": "function_call_output", "call_id": "c1", "output": '{"kind": "json"}'}
    request = {"input": [*spoken, call, output], "text": {"format": {"type": "json_object"}}}
    view = Engine("kilocode", window=WINDOW, format="openai_responses").fit(request, now_ms=0)
    assert isinstance(view.compaction, Compacted)
    assert output in view.request["input"]
    assert check("openai_responses", view.request["input"], request) == []
    assert AS_JSON.strip() in json.dumps(view.request["input"])
