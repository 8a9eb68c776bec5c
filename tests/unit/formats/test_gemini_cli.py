"""Gemini CLI's sessions: a message of type gemini holds calls and their results; notices are not sent."""

import json
from typing import Any

from secateur.formats.gemini_cli import GeminiCLI
from secateur.jsontext import Text
from secateur.patch import Op, apply
from session_lines import parts, results, said

HOST = GeminiCLI()


def session(*messages: Any) -> Text:
    known = {"sessionId": "s", "projectHash": "h", "lastUpdated": "1970-01-01T00:00:09Z"}
    return Text.of(json.dumps({**known, "messages": messages}).encode())


def gemini(*calls: Any, content: str = "") -> dict[str, Any]:
    known = {"type": "gemini", "content": content, "model": "gemini-3-pro", "timestamp": "1970-01-01T00:00:02Z"}
    return {**known, "toolCalls": list(calls)}


def call(*blocks: Any, status: str = "success", **more: Any) -> dict[str, Any]:
    return {"id": "c1", "name": "read_file", "args": {"path": "a"}, "result": list(blocks), "status": status, **more}


def answer(response: Any) -> dict[str, Any]:
    return {"functionResponse": {"id": "c1", "name": "read_file", "response": response}}


def test_calls_and_results_are_taken_apart_and_notices_left_out() -> None:
    notice = {"type": "info", "content": "Request cancelled."}
    asked = {"type": "user", "content": [{"text": "go"}], "timestamp": "1970-01-01T00:00:01Z"}
    read = HOST.read(session(asked, gemini(call(answer({"output": "found"})), content="look"), notice))
    assert said(read) == [("user", "go"), ("assistant", 'look | {"path":"a"}'), ("tool", "found")]
    assert (read.model, read.provider, read.last_call_ms, read.last_timestamp_ms) == (
        "gemini-3-pro",
        "google",
        2000,
        9000,
    )


def test_a_user_may_speak_in_one_string() -> None:
    assert said(HOST.read(session({"type": "user", "content": "go"}))) == [("user", "go")]


def test_an_error_is_told_by_the_name_of_its_response() -> None:
    (found,) = results(HOST.read(session(gemini(call(answer({"error": "no such file"}), status="cancelled")))))
    assert (found.text, found.is_error, found.path[-1]) == ("no such file", True, "error")


def test_another_response_is_rewritten_whole() -> None:
    native = session(gemini(call(answer({"content": [1], "more": True}))))
    (found,) = results(HOST.read(native))
    assert (found.text, found.path[-1]) == ('{"content":[1],"more":true}', "response")
    assert results(HOST.read(apply(native, [Op(found.path, HOST.replacement_body(found, "short"))])))[0].text == "short"


def test_media_beside_a_response_name_it() -> None:
    picture = {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}
    found, medium = results_and_media(HOST.read(session(gemini(call(answer({"output": "ok"}), picture)))))
    assert (medium.kind, medium.text, medium.container_key) == ("media", "image/png", found.key)
    assert HOST.replacement_body(medium, "[gone]") == {"text": "[gone]"}


def results_and_media(read: Any) -> Any:
    return [part for part in parts(read) if part.kind in ("tool_result", "media")]


def test_a_call_without_a_result_waits_and_a_strange_result_stays() -> None:
    assert results(HOST.read(session(gemini(call())))) == []
    (found,) = results(HOST.read(session(gemini(call(answer({"output": "x"}), {"hologram": 1})))))
    assert found.pinned


def test_a_session_without_messages_is_known_by_its_header() -> None:
    assert HOST.recognize(session()) == "`sessionId` and `projectHash`"
    assert not HOST.recognize(session({"role": "user", "content": "go"}))
