"""Reading on: a grown request is read as if it were new, and what stayed is taken over."""

import json
from typing import Any

import pytest
from anthropic.types import TextBlock

from secateur import documents
from secateur.documents import Document, extend_document, get_element_range, measure_common_prefix
from secateur.errors import FormatError
from secateur.objects import Eyes
from secateur.objects.request import read as read_objects

CALLS = [{"type": "function_call", "call_id": id, "name": "read", "arguments": "{}"} for id in ("a", "b")]
RESULTS = [{"type": "function_call_output", "call_id": id, "output": f"output {id} " * 30} for id in ("a", "b")]
ITEMS: list[dict[str, Any]] = [
    {"role": "user", "content": "go"},
    {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAA"},
    *CALLS,
    *RESULTS,
    {"role": "assistant", "content": "done"},
    {"role": "user", "content": "and now?"},
]
MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "content": "go"},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "read", "input": {}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "output " * 30}]},
    {"role": "assistant", "content": [{"type": "text", "text": "done"}]},
    {"role": "user", "content": "and now?"},
]


def responses(items: list[Any]) -> bytes:
    return json.dumps({"model": "gpt-5", "input": items, "store": False}).encode()


def anthropic(messages: list[Any]) -> bytes:
    return json.dumps({"model": "claude-sonnet-4-5", "messages": messages, "max_tokens": 9}).encode()


def read_on(old: Document, request: bytes) -> tuple[Document, int]:
    found = extend_document(old, request)
    assert found is not None
    return found


@pytest.mark.parametrize(("body", "said"), [(responses, ITEMS), (anthropic, MESSAGES)])
def test_a_history_is_read_the_same_however_it_was_cut_into_requests(body: Any, said: list[Any]) -> None:
    for first in range(2, len(said)):
        for second in range(first + 1, len(said) + 1):
            old = documents.read(body(said[:first]))
            new, _ = documents.read_on(old, body(said[:second]), None, "")
            assert new.transcript == documents.read(body(said[:second])).transcript, (first, second)


def test_an_answer_that_may_grow_yet_is_read_again() -> None:
    """The second call of a round came with a later request: it belongs to the message that held the first."""
    new, same = read_on(documents.read(responses(ITEMS[:3])), responses(ITEMS[:4]))
    answer = new.transcript.messages[-1]
    assert (len(new.transcript.messages), same) == (2, 1)
    assert [part.call_id for part in answer.parts if part.kind == "tool_call"] == ["a", "b"]


def test_what_stayed_is_the_same_object() -> None:
    old = documents.read(anthropic(MESSAGES[:3]))
    new, same = read_on(old, anthropic(MESSAGES))
    assert same == 3
    assert all(one is other for one, other in zip(old.transcript.messages, new.transcript.messages[:same], strict=True))


def test_what_was_changed_is_read_anew_from_there_on() -> None:
    other = [*MESSAGES[:2], {**MESSAGES[2], "content": "another"}, *MESSAGES[3:]]
    new, same = read_on(documents.read(anthropic(MESSAGES)), anthropic(other))
    assert same == 1  # the answer before the change may have grown
    assert new.transcript == documents.read(anthropic(other)).transcript


def test_members_behind_the_messages_may_come_and_go() -> None:
    old = documents.read(anthropic(MESSAGES[:3]))
    request = anthropic(MESSAGES)[:-1] + b', "temperature": 0.5, "tools": []}'
    new, same = read_on(old, request)
    assert (same, new.native.value()["temperature"]) == (3, 0.5)


def test_nothing_may_stand_behind_the_body() -> None:
    old = documents.read(anthropic(MESSAGES[:3]))
    with pytest.raises(FormatError, match="text after the value"):
        extend_document(old, anthropic(MESSAGES) + b" x")


def test_the_same_request_is_the_same_document() -> None:
    old = documents.read(anthropic(MESSAGES))
    assert documents.read_on(old, anthropic(MESSAGES), None, "") == (old, len(MESSAGES))
    assert documents.read_on(old, old, None, "") == (old, len(MESSAGES))
    other = documents.read(anthropic(MESSAGES))
    assert documents.read_on(old, other, None, "") == (other, 0)


def test_where_nothing_is_shared_nothing_is_taken_over() -> None:
    old = documents.read(anthropic(MESSAGES))
    assert extend_document(old, b'{"messages": []}') is None
    assert extend_document(old, b"[]") is None


def test_a_message_names_its_elements() -> None:
    read = documents.read(responses(ITEMS))
    assert [get_element_range(read, number) for number in range(len(read.transcript.messages) + 1)] == [
        range(0, 1),
        range(1, 4),
        range(4, 5),
        range(5, 6),
        range(6, 7),
        range(7, 8),
        range(8, 8),
    ]


@pytest.mark.parametrize("size", [0, 1, 2, 65_535, 65_536, 65_537, 200_000])
def test_the_common_prefix_is_found_to_the_byte(size: int) -> None:
    start = b"x" * size
    assert measure_common_prefix(start + b"a", start + b"b") == size
    assert measure_common_prefix(start, start + b"b") == size
    assert measure_common_prefix(start + b"a", start) == size
    assert measure_common_prefix(start + b"aa" * 70_000, start + b"b" + b"a" * 139_999) == size


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("marked", [True, False])
def test_a_document_goes_out_as_it_came(encoding: str, marked: bool) -> None:
    mark = "\ufeff".encode(encoding) if marked else b""
    request = mark + anthropic(MESSAGES).decode().encode(encoding)
    read = documents.read(request)
    assert len(read.transcript.messages) == len(MESSAGES)
    assert read.encode_output(anthropic(MESSAGES)) == request


def test_objects_of_a_package_name_the_provider_before_anything_else_does() -> None:
    said = TextBlock(type="text", text="done")
    history = [{"role": "user", "content": "go"}, {"role": "assistant", "content": [said]}]
    seen = read_objects(history, Eyes())
    read = documents.read(seen)
    assert (read.format.name, read.reason) == ("anthropic_messages", "it holds objects of that provider's package")
    assert documents.read(seen, "anthropic_messages").reason != read.reason
