"""Gemini contents: names in either spelling, pairing without ids, signatures, responses of several shapes."""

from typing import Any

import pytest

from secateur import fit
from secateur.formats.gemini import Gemini
from secateur.jsontext import Text, dumps
from secateur.model import NewMessage, Part, Transcript
from secateur.patch import Op, apply

FORMAT = Gemini()
IMAGE = {"inlineData": {"mimeType": "image/png", "data": "aGk="}}
CLEAR: dict[str, Any] = {
    "name": "clear",
    "prune": [{"type": "hard_clear", "placeholder": "[gone]"}],
    "schedule": {"type": "every_request"},
}


def model(*parts: Any) -> dict[str, Any]:
    return {"role": "model", "parts": list(parts)}


def user(*parts: Any) -> dict[str, Any]:
    return {"role": "user", "parts": list(parts)}


def call(name: str, **fields: Any) -> dict[str, Any]:
    return {"functionCall": {"name": name, "args": {"n": 1.0}} | fields}


def answer(name: str, response: Any, **fields: Any) -> dict[str, Any]:
    return {"functionResponse": {"name": name, "response": response} | fields}


def read(*contents: Any, **body: Any) -> Transcript:
    return FORMAT.read({"contents": list(contents)} | body)


def parts(transcript: Transcript) -> list[Part]:
    return [part for message in transcript.messages for part in message.parts]


def test_roles_and_kinds() -> None:
    transcript = read(
        user({"text": "hi"}, IMAGE),
        model({"text": "hm", "thought": True}, {"text": "I look"}, call("ls", id="a")),
        user(answer("ls", {"output": "x"}, id="a")),
        {"parts": [{"text": "no role"}]},
        {"role": "teacher", "parts": []},
    )
    assert [(one.role, one.origin, [part.kind for part in one.parts]) for one in transcript.messages] == [
        ("user", "user", ["text", "media"]),
        ("assistant", "user", ["reasoning", "text", "tool_call"]),
        ("tool", "harness", ["tool_result"]),
        ("user", "user", ["text"]),
        ("user", "harness", ["other"]),
    ]
    assert [part.path for part in transcript.messages[1].parts] == [
        ("contents", 1, "parts", 0),
        ("contents", 1, "parts", 1, "text"),
        ("contents", 1, "parts", 2, "functionCall", "args"),
    ]


@pytest.mark.parametrize(
    ("response", "text", "error", "new"),
    [
        ({"output": "x"}, "x", False, {"output": "cut"}),
        ({"result": "x"}, "x", False, {"output": "cut"}),
        ({"content": "x"}, "x", False, {"output": "cut"}),
        ({"error": "x"}, "x", True, {"error": "cut"}),
        ({"output": {"a": 1.0}}, '{"output":{"a":1.0}}', False, {"output": "cut"}),
        ({"b": 1, "a": 2}, '{"a":2,"b":1}', False, {"output": "cut"}),
        ({}, "", False, {"output": "cut"}),
    ],
)
def test_a_response_reads_as_its_text_and_stays_an_object(response: Any, text: str, error: bool, new: Any) -> None:
    body = {"contents": [user(answer("ls", response))]}
    [part] = parts(FORMAT.read(body))
    assert (part.text, part.is_error) == (text, error)
    after = apply(body, [Op(part.path, FORMAT.replacement_body(part, "cut"))])
    assert after["contents"][0]["parts"][0]["functionResponse"]["response"] == new
    [again] = parts(FORMAT.read(after))
    assert (again.text, again.is_error) == ("cut", error)


@pytest.mark.parametrize(
    "item",
    [answer("ls", "bare"), answer("ls", {"output": "x"}, willContinue=True), answer("ls", {}, parts=[{"odd": 1}])],
)
def test_responses_that_may_not_change(item: Any) -> None:
    assert [part.pinned for part in parts(read(user(item)))] == [True]


def test_pairing_by_id_else_by_name_and_order() -> None:
    transcript = read(
        model(call("a"), call("b"), call("a"), call("c", id="1")),
        user(answer("a", {"output": "1"}), answer("c", {"output": "2"}), answer("b", {"output": "3"}, id="9")),
        user(answer("zzz", {"output": "4"})),
    )
    assert [(part.kind, part.call_id) for part in parts(transcript)] == [
        ("tool_call", "a"),
        ("tool_call", "b"),
        ("tool_call", "a"),
        ("tool_call", "1"),
        ("tool_result", "a"),
        ("tool_result", "1"),
        ("tool_result", "b"),
        ("tool_result", "zzz"),
    ]


def test_signed_parts_stay() -> None:
    signed = {"thoughtSignature": "c2ln"}
    transcript = read(
        model({"text": "", **signed}, {"text": "hm", "thought": True, **signed}, call("ls") | signed, call("cat")),
        model({"text": "x", "thought_signature": "c2ln"}, IMAGE | signed, {"executableCode": {"code": "1"}}),
    )
    assert [(part.kind, part.pinned, part.joined_to_next) for part in parts(transcript)] == [
        ("text", True, False),
        ("reasoning", True, True),
        ("tool_call", True, True),
        ("tool_call", False, False),
        ("text", True, False),
        ("other", True, False),
        ("other", True, False),
    ]


def test_snake_case_is_read_and_kept() -> None:
    held = {"inline_data": {"mime_type": "image/png", "data": "aGk="}}
    response = {"function_response": {"name": "ls", "response": {"output": "x" * 99}}}
    contents = [
        user({"text": "hi"}, held),
        model({"function_call": {"name": "ls", "args": {}}}),
        user(response),
    ]
    view = fit({"contents": contents, "system_instruction": {"parts": [{"text": "rules"}]}}, policy=CLEAR)
    assert [part.kind for part in parts(view.raw_transcript)] == ["text", "media", "tool_call", "tool_result"]
    assert view.raw_transcript.fixed_tokens > 0
    assert view.request["contents"][2]["parts"] == [
        {"function_response": {"name": "ls", "response": {"output": "[gone]"}}}
    ]


def test_media_of_a_response_go_with_it_and_never_alone() -> None:
    body = {
        "contents": [
            user({"text": "hi"}),
            model(call("shot")),
            user(answer("shot", {"output": "x" * 99}, parts=[IMAGE], id="a")),
        ]
    }
    view = fit(body, policy=CLEAR)
    assert [(part.kind, part.pinned) for part in view.raw_transcript.messages[2].parts] == [
        ("tool_result", False),
        ("media", True),
    ]
    sent = {"name": "shot", "response": {"output": "[gone]"}, "parts": [], "id": "a"}
    assert view.request["contents"][2]["parts"] == [{"functionResponse": sent}]
    assert fit(dumps(body), policy=CLEAR).request == dumps(view.request)
    media = {**CLEAR, "prune": [{"type": "clear_media", "keep": 0}]}
    assert fit(body, policy=media).request is body


@pytest.mark.parametrize(
    ("text", "origin"),
    [("<state_snapshot>x", "summary"), ("<session_context>\nx", "harness"), ("do <session_context>", "user")],
)
def test_who_speaks(text: str, origin: str) -> None:
    assert read(user({"text": text})).messages[0].origin == origin


def test_cached_contents_make_it_partial() -> None:
    assert read(user({"text": "x"}), cachedContent="cachedContents/1").partial
    assert read(user({"text": "x"}), cached_content="cachedContents/1").partial
    assert not read(user({"text": "x"})).partial


def test_recognized_and_new_messages() -> None:
    assert FORMAT.recognize(Text.of(dumps({"contents": [user({"text": "x"})]}))) == "`contents` with `parts`"
    assert FORMAT.recognize([user({"text": "x"})]) == "a list of contents with `parts`"
    assert FORMAT.recognize([{"role": "user", "content": "x"}]) == ""
    assert FORMAT.recognize({"contents": []}) == ""
    assert FORMAT.new_message(NewMessage("assistant", "x")) == {"role": "model", "parts": [{"text": "x"}]}
    assert FORMAT.new_message(NewMessage("system", "x")) == {"role": "user", "parts": [{"text": "x"}]}
