"""Conversations written as request bodies."""

import json
from typing import Any

import pytest

from conversation import assistant, result, talk, user
from secateur import documents
from secateur.api import check, get_family
from secateur.formats.request_body import TARGETS, build_request_body
from secateur.model import Message, Part, Transcript

CALLED = assistant(("a b", "bash", '{"command": "ls"}'), ("a b", "bash", '{"command": "pwd"}'), text="Looking.")
TALK = talk(
    Message("system", (), (Part("text", (), "Be brief."),), "harness"),
    user("What is here?"),
    CALLED,
    result("a.py", "bash", "a b"),
    result("/w", "bash", "a b", True),
    Message("assistant", (), (Part("reasoning", (), "hidden"), Part("text", (), "One file."))),
    Message("user", (), (Part("text", (), "And this?"), Part("media", (), "image/png cat.png", fingerprint="x"))),
    assistant(("z", "apply", "*** Begin Patch")),
    user("Never mind."),
    result("late", "bash", "gone"),
)


def body(transcript: Transcript, target: str) -> Any:
    return json.loads(build_request_body(transcript, target, "m"))


def test_as_chat_completions() -> None:
    made = body(TALK, "openai_chat")["messages"]
    assert [one["role"] for one in made] == [
        "system", "user", "assistant", "tool", "tool", "assistant", "user", "assistant", "tool", "user"
    ]  # fmt: skip
    ids = [call["id"] for call in made[2]["tool_calls"]]
    assert [one["tool_call_id"] for one in made[3:5]] == ids
    assert len(set(ids)) == 2
    assert made[6]["content"] == "And this?\n\n[Attached image/png: cat.png]"
    assert made[7]["tool_calls"][0]["function"]["arguments"] == '{"input": "*** Begin Patch"}'
    assert made[8]["content"] == "[No result was recorded.]"
    assert made[9]["content"].startswith("Never mind.\n\n[A result of bash]")
    assert "hidden" not in json.dumps(made)


def test_as_messages() -> None:
    made = body(TALK, "anthropic_messages")
    assert (made["system"], made["model"]) == ("Be brief.", "m")
    assert [one["role"] for one in made["messages"]] == [*["user", "assistant"] * 3, "user"]
    uses = [block["id"] for block in made["messages"][1]["content"] if block["type"] == "tool_use"]
    results = made["messages"][2]["content"]
    assert [block["tool_use_id"] for block in results] == uses
    assert [block.get("is_error") for block in results] == [None, True]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "made",
    [
        TALK,
        talk(assistant(text="I begin."), user("Go.")),
        talk(user("a"), CALLED, result("only one", "bash", "a b"), user("b")),
        talk(user("a"), CALLED, user("in between"), result("x", "bash", "a b")),
        talk(user("a"), assistant(("", "t", "{}"), ("", "t", "{}")), result("1", "t"), result("2", "t")),
        talk(user("a"), user("b"), assistant(("1", "odd name!", '"text"')), result("x", "odd name!", "1"), user("c")),
    ],
)
def test_an_api_accepts_it_and_it_is_read_again(made: Transcript, target: str) -> None:
    data = build_request_body(made, target, "m")
    read, given = documents.read(data, target), json.loads(data)
    assert [one for one in check(get_family(target), given["messages"], given) if one.severity == "error"] == []
    texts = [part.text for message in made.messages for part in message.parts if part.kind == "text"]
    said = "\n".join(part.text for message in read.transcript.messages for part in message.parts)
    assert all(text in said for text in texts if text != "Be brief.")


def test_a_command_line_that_is_no_object_is_given_by_name() -> None:
    made = body(talk(user("Try it."), assistant(("r", "rm", "rm try.py"))), "openai_chat")["messages"]
    assert made[1]["tool_calls"][0]["function"]["arguments"] == '{"command": "rm try.py"}'
