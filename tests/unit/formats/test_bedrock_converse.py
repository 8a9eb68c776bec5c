"""Converse requests: keyed blocks, results of several blocks, cache points, reasoning bound by the caller's model."""

from typing import Any

import pytest

from secateur.formats.bedrock_converse import BedrockConverse
from secateur.jsontext import Text, dumps
from secateur.model import NewMessage, Part, Transcript
from secateur.patch import Op, apply

FORMAT = BedrockConverse()
IMAGE = {"image": {"format": "png", "source": {"bytes": "aGk="}}}
POINT = {"cachePoint": {"type": "default"}}


def said(role: str, *blocks: Any) -> dict[str, Any]:
    return {"role": role, "content": list(blocks)}


def use(id: str, **fields: Any) -> dict[str, Any]:
    return {"toolUse": {"toolUseId": id, "name": "ls", "input": {"n": 1.0}} | fields}


def result(id: str, *blocks: Any, **fields: Any) -> dict[str, Any]:
    return {"toolResult": {"toolUseId": id, "content": list(blocks)} | fields}


def read(*messages: Any, model: str = "", **body: Any) -> Transcript:
    return FORMAT.read({"messages": list(messages)} | body, model=model)


def parts(transcript: Transcript) -> list[Part]:
    return [part for message in transcript.messages for part in message.parts]


def test_roles_and_kinds() -> None:
    transcript = read(
        said("user", {"text": "hi"}, IMAGE, {"document": {"format": "pdf", "name": "a", "source": {}}}, POINT),
        said("assistant", {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "s"}}}, use("a")),
        said("user", result("a", {"text": "x"}), POINT),
        said("user", result("b", {"text": "x"}, status="error"), {"text": "and"}),
        said("user", {"guardContent": {"text": {"text": "x"}}}, {"next_year": {}}, "odd"),
        said("system", {"text": "rules"}),
        "odd",
        {"role": "user", "content": "not a list"},
    )
    assert [(one.role, one.origin, [part.kind for part in one.parts]) for one in transcript.messages] == [
        ("user", "user", ["text", "media", "media"]),
        ("assistant", "user", ["reasoning", "tool_call"]),
        ("tool", "harness", ["tool_result"]),
        ("user", "user", ["tool_result", "text"]),
        ("user", "user", ["other", "other", "other"]),
        ("system", "harness", ["text"]),
        ("user", "harness", ["other"]),
        ("user", "user", ["other"]),
    ]
    assert [part.text for part in transcript.messages[0].parts] == ["hi", "image/png", "document/pdf a"]
    found = transcript.messages[3].parts[0]
    assert (found.is_error, found.tool, found.path) == (
        True,
        "",
        ("messages", 3, "content", 0, "toolResult", "content", 0, "text"),
    )
    assert (transcript.provider, transcript.messages[2].parts[0].tool) == ("bedrock", "ls")


@pytest.mark.parametrize(
    ("blocks", "text", "new"),
    [
        ([{"text": "x"}], "x", [{"text": "cut"}]),
        ([{"json": {"b": 1.0, "a": 2}}], '{"a":2,"b":1.0}', [{"text": "cut"}]),
        ([{"text": "x"}, {"text": "y"}], "x\ny", [{"text": "cut"}]),
        ([{"text": "x"}, IMAGE], "x", [{"text": "cut"}]),
        ([], "", [{"text": "cut"}]),
    ],
)
def test_a_result_is_one_part_whatever_it_holds(blocks: Any, text: str, new: Any) -> None:
    body = {"messages": [said("user", result("a", *blocks, status="error"))]}
    part, *media = parts(FORMAT.read(body))
    assert (part.text, part.pinned, [one.container_key for one in media]) == (text, False, [part.key] * len(media))
    op = Op(part.path, FORMAT.replacement_body(part, "cut"))
    after = apply(body, [op])
    assert after["messages"][0]["content"][0]["toolResult"] == {"toolUseId": "a", "content": new, "status": "error"}
    assert apply(Text.of(dumps(body)), [op]).raw == dumps(after)
    assert [one.text for one in parts(FORMAT.read(after))] == ["cut"]


@pytest.mark.parametrize("block", [{"searchResult": {"title": "x"}}, {"next_year": 1}, "odd"])
def test_results_that_hold_what_is_not_known_stay(block: Any) -> None:
    assert [part.pinned for part in parts(read(said("user", result("a", {"text": "x"}, block))))] == [True]


@pytest.mark.parametrize(
    ("model", "reasoning", "bound"),
    [
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", {"reasoningText": {"text": "h", "signature": "s"}}, False),
        ("global.anthropic.claude-opus-5-5-v1:0", {"reasoningText": {"text": "h", "signature": "s"}}, True),
        ("", {"redactedContent": "b3BhcXVl"}, True),
        ("", {"reasoningText": {"text": "unsigned"}}, False),
    ],
)
def test_reasoning_is_bound_by_the_callers_model(model: str, reasoning: Any, bound: bool) -> None:
    [part] = parts(read(said("assistant", {"reasoningContent": reasoning}), model=model))
    assert (part.kind, part.pinned, part.prefix_bound) == ("reasoning", True, bound)


def test_cache_points_move_no_key() -> None:
    plain = read(said("user", {"text": "a"}), said("assistant", use("1")), said("user", result("1", {"text": "x"})))
    marked = read(
        said("user", {"text": "a"}, POINT), said("assistant", use("1")), said("user", POINT, result("1", {"text": "x"}))
    )
    assert [one.key for one in plain.messages] == [one.key for one in marked.messages]


def test_what_a_server_gave_stays() -> None:
    served = said("assistant", use("s", type="server_tool_use"), result("s", {"text": "x"}, IMAGE), use("a"))
    call, found, picture, own = parts(read(said("user", {"text": "go"}), served, said("user", result("a"))))[1:5]
    assert (call.pinned, found.pinned, picture.pinned, own.pinned) == (True, True, True, False)
    assert (found.tool, found.call_id) == ("ls", "s")


def test_bodies_and_new_messages() -> None:
    _, call = parts(read(said("user", IMAGE), said("assistant", use("a"))))
    assert apply({"x": 1}, [Op(("x",), FORMAT.replacement_body(call, '{"n": 1.0}'))]) == {"x": {"n": 1.0}}
    assert FORMAT.replacement_body(parts(read(said("user", IMAGE)))[0], "gone") == {"text": "gone"}
    assert FORMAT.new_message(NewMessage("tool", "x")) == {"role": "user", "content": [{"text": "x"}]}
    assert read(said("user", {"text": "x"}), system=[{"text": "rules"}], toolConfig={"tools": []}).fixed_tokens > 0


@pytest.mark.parametrize(
    ("messages", "known"),
    [
        ([said("user", {"text": "x"})], True),
        ([said("user", {"type": "text", "text": "x"})], False),
        ([said("user", {"text": "x"}), {"role": "user", "content": "x"}, said("user", {"text": "x"})], True),
        ([{"role": "user", "content": "x"}], False),
        ([said("user")], False),
        ([], False),
    ],
)
def test_recognized_by_keyed_blocks(messages: Any, known: bool) -> None:
    assert bool(FORMAT.recognize(Text.of(dumps({"messages": messages})))) == known
    assert bool(FORMAT.recognize(messages)) == known
