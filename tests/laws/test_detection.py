"""Which format a document is of: told by all that it holds, whatever goes or comes. A wrong name is refused."""

import json
from random import Random
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from host_sessions import DOCUMENTS
from laws.shapes import SHAPES
from laws.validity import Case, case
from native import pi_call, pi_result, user
from secateur import Engine, StillTooLong, documents, fit, formats
from secateur.errors import FormatError

ODD_MESSAGE = {"role": "narrator", "content": "meanwhile", "mood": ["calm"]}
ODD_BLOCK = {"type": "hologram", "hologram": {"depth": 3}}
ALIKE = {"pi": {"openclaw"}, "openclaw": {"pi"}}  # one grammar
CHAT_LISTS = {"openai_chat": {"mini_swe_agent"}, "mini_swe_agent": {"openai_chat"}}  # a bare list has no header
ALL_GO: dict[str, Any] = {
    "name": "all go",
    "prune": [
        {"type": "hard_clear"},
        {"type": "clear_inputs", "max_chars": 0, "head_chars": 0},
        {"type": "drop_reasoning"},
    ],
    "schedule": {"type": "every_request"},
}
SEEDS = st.integers(0, 20_000)


def told(seed: int) -> tuple[Case, dict[str, Any]]:
    """A request in which some tool is called, and its case; a request of texts alone may be of several formats."""
    while True:
        one = case(seed)
        body = one.shape.body(one.story, len(one.story.said), one.style)
        if any(map(calls, body[one.shape.array])):
            return one, body
        seed += 1


def found(value: Any) -> str:
    """The format of a document, the same as objects and as text."""
    name = documents.read(value).format.name
    assert documents.read(json.dumps(value).encode()).format.name == name
    return name


@settings(deadline=None)
@given(SEEDS)
def test_a_request_is_found_out_as_a_body_and_as_a_bare_list(seed: int) -> None:
    one, body = told(seed)
    assert found(body) == one.shape.format
    assert found(body[one.shape.array]) == one.shape.format


@settings(deadline=None)
@given(SEEDS, st.integers(min_value=0))
def test_a_message_less_changes_nothing_while_a_call_is_left(seed: int, place: int) -> None:
    one, body = told(seed)
    messages = body[one.shape.array]
    left = messages[: place % len(messages)] + messages[place % len(messages) + 1 :]
    if sum(map(calls, left)):
        assert found(body | {one.shape.array: left}) == one.shape.format


@settings(deadline=None)
@given(SEEDS, st.integers(min_value=0))
@example(2720, 0)  # longer than the window whatever goes
def test_an_unknown_message_changes_nothing_and_stays(seed: int, place: int) -> None:
    one, body = told(seed)
    messages = list(body[one.shape.array])
    messages.insert(place % (len(messages) + 1), ODD_MESSAGE)
    body = body | {one.shape.array: messages}
    assert found(body) == one.shape.format
    try:
        view = fit(body, policy=ALL_GO, model=one.style.model, window=100_000, compact=False)
    except StillTooLong as error:
        view = error.view
    assert view.request[one.shape.array].count(ODD_MESSAGE) == 1


@settings(deadline=None)
@given(SEEDS, st.integers(min_value=0))
def test_an_unknown_block_changes_nothing(seed: int, place: int) -> None:
    one, body = told(seed)
    name = "parts" if one.shape.format == "gemini" else "content"
    messages = [dict(message) for message in body[one.shape.array]]
    listed = [message for message in messages if isinstance(message.get(name), list)]
    if listed:
        message = listed[place % len(listed)]
        message[name] = [*message[name], ODD_BLOCK]
    assert found(body | {one.shape.array: messages}) == one.shape.format


@settings(deadline=None)
@given(SEEDS, st.randoms(use_true_random=False))
def test_the_order_of_messages_tells_nothing(seed: int, rng: Random) -> None:
    one, body = told(seed)
    messages = list(body[one.shape.array])
    rng.shuffle(messages)
    assert found(body | {one.shape.array: messages}) == one.shape.format


@settings(deadline=None)
@given(SEEDS)
def test_another_name_is_refused_with_what_it_looks_like(seed: int) -> None:
    one, body = told(seed)
    refused(body, one.shape.format)
    refused(body[one.shape.array], one.shape.format)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_session_under_another_name_is_refused(name: str) -> None:
    value = DOCUMENTS[name]
    data = b"".join(json.dumps(one).encode() + b"\n" for one in value) if formats.get_format(name).log else value
    refused(data, name)


@pytest.mark.parametrize("name", [name for name in DOCUMENTS if not formats.get_format(name).log])
@settings(deadline=None)
@given(data=st.data())
def test_an_unknown_message_in_a_session_changes_nothing(name: str, data: Any) -> None:
    value = DOCUMENTS[name]
    arrays = [key for key in ("messages", "history", "steps", "traj") if isinstance(value, dict) and key in value]
    items = list(value[arrays[0]] if arrays else value)
    items.insert(data.draw(st.integers(0, len(items))), {"meanwhile": "something"})
    assert found(value | {arrays[0]: items} if arrays else items) == name


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.format)
def test_a_call_in_the_middle_counts(shape: Any) -> None:
    body = next(body for one, body in map(told, range(100)) if one.shape is shape)
    plain = (
        {"role": "user", "parts": [{"text": "hi"}]} if shape.format == "gemini" else {"role": "user", "content": "x"}
    )
    around = [plain] * 40
    assert found([*around, *body[shape.array], *around]) == shape.format


def test_a_pi_list_is_pi_wherever_its_calls_stand() -> None:
    around = [user(), {"role": "assistant", "content": [{"type": "text", "text": "a"}]}] * 20
    assert found([*around, pi_call("c1"), pi_result("c1", "found"), *around]) == "pi_messages"
    chat = {"role": "tool", "tool_call_id": "c0", "content": "x"}
    assert found([chat, *around, pi_call("c1"), *around, chat]) == "pi_messages"


def test_a_picture_alone_tells() -> None:
    source = {"type": "base64", "media_type": "image/png", "data": "AAAA"}
    said = [{"type": "text", "text": "what is this?"}, {"type": "image", "source": source}]
    assert found({"messages": [user(), {"role": "user", "content": said}]}) == "anthropic_messages"
    said = [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]
    assert found({"messages": [user(), {"role": "user", "content": said}]}) == "openai_chat"


def test_texts_alone_may_be_of_several_formats() -> None:
    body = {"messages": [user("hi"), {"role": "assistant", "content": "hello"}]}
    assert found(body) == "openai_chat"
    for name in ("openai_chat", "anthropic_messages", "pi_messages"):
        assert documents.read(body, name).format.name == name
    with pytest.raises(FormatError, match="looks like openai_chat"):
        documents.read(body, "bedrock_converse")


def test_an_engine_refuses_what_its_format_is_not() -> None:
    body = {"messages": [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "x"}]}]}
    with pytest.raises(FormatError, match="not openai_chat: it looks like anthropic_messages"):
        Engine("balance", format="openai_chat").fit(body)


def test_a_file_of_lines_that_the_named_host_never_wrote_is_refused() -> None:
    with pytest.raises(FormatError, match="none of its lines was written by this host"):
        documents.read(b'{"note": 1}\n{"note": 2}\n', "codex")


def calls(message: dict[str, Any]) -> int:
    """Whether a message holds what only a call or a result has."""
    marks = ("tool_use", "tool_calls", '"tool"', "functionCall", "functionResponse", "function_call", "toolUse")
    return any(mark in json.dumps(message) for mark in (*marks, "tool_result", "toolResult", "function_response"))


def refused(value: Any, name: str) -> None:
    """Every other name is refused, and the error says what the document looks like."""
    alike = ALIKE.get(name, set()) | (CHAT_LISTS.get(name, set()) if isinstance(value, list) else set())
    for other in formats.list_format_names():
        if other == name or other in alike:
            documents.read(value, other)
            continue
        with pytest.raises(FormatError, match=f"looks like {name}"):
            documents.read(value, other)
