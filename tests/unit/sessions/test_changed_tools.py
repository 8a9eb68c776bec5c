"""Tools or a system prompt that a history was never sent with: the provider finds nothing of it in its cache."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from secateur import Engine
from secateur.formats.native import hash_members
from secateur.jsontext import Text
from secateur.view import View

START = 1_800_000_000_000
READ = {"name": "read", "description": "Read a file.", "input_schema": {"type": "object"}}
FIND = {"name": "find", "description": "Find a file.", "input_schema": {"type": "object"}}
HELP = [{"type": "text", "text": "help"}]
TOOLS_CHANGED = "the tools changed since the last request, so its prompt cache is lost"
SYSTEM_CHANGED = "the system prompt changed since the last request, so its prompt cache is lost"
BOTH_CHANGED = "the tools and the system prompt changed since the last request, so its prompt cache is lost"

Messages = list[dict[str, Any]]


def history(count: int, *more: str) -> Messages:
    messages: Messages = [{"role": "user", "content": "go"}]
    for number in range(count):
        use = {"type": "tool_use", "id": f"c{number}", "name": "bash", "input": {"command": f"make step-{number}"}}
        told = {"type": "tool_result", "tool_use_id": f"c{number}", "content": f"step {number} " * 800}
        messages += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [told]}]
        messages += [{"role": "assistant", "content": "Done."}, {"role": "user", "content": f"And step {number + 1}."}]
    for text in more:
        messages += [{"role": "assistant", "content": "Done."}, {"role": "user", "content": text}]
    return messages


def body(messages: Messages, tools: Any = (READ,), system: Any = HELP) -> bytes:
    fixed = {"system": system} | ({"tools": list(tools)} if tools else {})
    return json.dumps({"model": "claude-opus-4-5", "max_tokens": 9, **fixed, "messages": messages}).encode()


def engine(store: str | None = None) -> Engine:
    return Engine("balance", store=store, window=1_000_000)


def send(to: Engine, request: bytes, seconds: int) -> View[bytes]:
    """A request so many seconds after a session's first one; its cache is warm by the clock."""
    return to.fit(request, session="s", now_ms=START + 1_000 * seconds, idle_s=4.0)


@pytest.mark.parametrize(
    ("tools", "system", "reason"),
    [
        ([READ, FIND], HELP, TOOLS_CHANGED),
        ([READ | {"description": "Read."}], HELP, TOOLS_CHANGED),
        ([READ], "help, in French", SYSTEM_CHANGED),
        ([FIND], "help, in French", BOTH_CHANGED),
        ([READ], HELP, ""),
        ([dict(reversed(READ.items())) | {"cache_control": {"type": "ephemeral"}}], HELP, ""),
        ([READ, FIND | {"defer_loading": True}], HELP, ""),
        ([READ], [{"type": "text", "text": "x-anthropic-billing-header: cc_version=2.1; cch=1;"}, *HELP], ""),
        ([], HELP, ""),  # unknown, so unchanged
    ],
)
@pytest.mark.parametrize("is_restarted", [False, True])
def test_a_warm_request_with_other_tools_or_another_system_prompt_is_cold(
    tmp_path: Path, tools: list[Any], system: Any, reason: str, is_restarted: bool
) -> None:
    url = f"sqlite:///{tmp_path}/kept.db"
    first = engine(url)
    assert not send(first, body(history(39)), 0).receipt.opened
    view = send(engine(url) if is_restarted else first, body(history(40), tools, system), 5)
    assert view.receipt.opened is bool(reason)
    assert view.receipt.reason.startswith(reason)
    assert (view.receipt.cost.cache_cold_reason if view.receipt.cost else "") == reason
    if not reason:
        assert view.request == body(history(40), tools, system)


def test_without_a_store_it_is_known_too_and_what_changed_once_is_warm_again() -> None:
    one = engine()
    assert not send(one, body(history(39)), 0).receipt.opened
    assert send(one, body(history(40), [FIND]), 5).receipt.reason.startswith(TOOLS_CHANGED)
    assert not send(one, body(history(41), [FIND]), 10).receipt.opened
    assert not send(one, body(history(42), [READ]), 15).receipt.opened  # the provider may still have that prefix


def chat(count: int, system: str, tools: Any = (READ,)) -> bytes:
    messages: Messages = [{"role": "system", "content": system}, {"role": "user", "content": "go"}]
    for number in range(count):
        call = {
            "id": f"c{number}",
            "type": "function",
            "function": {"name": "bash", "arguments": json.dumps({"command": f"make step-{number}"})},
        }
        messages += [{"role": "assistant", "content": None, "tool_calls": [call]}]
        messages += [{"role": "tool", "tool_call_id": f"c{number}", "content": f"step {number} " * 800}]
        messages += [{"role": "assistant", "content": "Done."}, {"role": "user", "content": f"And step {number + 1}."}]
    given = {"tools": [{"type": "function", "function": one} for one in tools]} if tools else {}
    return json.dumps({"model": "gpt-5", **given, "messages": messages}).encode()


@pytest.mark.parametrize("is_restarted", [False, True])
@pytest.mark.parametrize(
    ("system", "tools", "reason"),
    [("help", [READ], ""), ("help, in French", [READ], SYSTEM_CHANGED), ("help, in French", [FIND], BOTH_CHANGED)],
)
def test_a_system_prompt_that_is_a_message_counts_as_well(
    tmp_path: Path, is_restarted: bool, system: str, tools: list[Any], reason: str
) -> None:
    url = f"sqlite:///{tmp_path}/kept.db"
    first = engine(url)
    assert not send(first, chat(39, "help"), 0).receipt.opened
    view = send(engine(url) if is_restarted else first, chat(40, system, tools), 5)
    assert view.receipt.reason.startswith(reason)
    assert view.receipt.opened is bool(reason)
    assert view.receipt.cold_keys == ((view.receipt.head_key,) if reason else ())


def test_another_conversation_with_another_system_prompt_is_not_told_that_it_changed() -> None:
    one = engine()
    assert not send(one, chat(39, "help"), 0).receipt.opened
    side = {"role": "user", "content": "Name this session."}
    asked = json.dumps({"model": "gpt-5", "messages": [{"role": "system", "content": "name it"}, side]}).encode()
    assert send(one, asked, 5).request == asked
    view = send(one, chat(40, "help"), 10)
    assert (view.receipt.opened, view.receipt.cold_keys) == (False, ())


def gemini(count: int, config: dict[str, Any]) -> dict[str, Any]:
    contents: Messages = [{"role": "user", "parts": [{"text": "go"}]}]
    for number in range(count):
        call = {"functionCall": {"name": "bash", "args": {"command": f"make step-{number}"}}}
        told = {"functionResponse": {"name": "bash", "response": {"output": f"step {number} " * 800}}}
        contents += [{"role": "model", "parts": [call]}, {"role": "user", "parts": [told]}]
        contents += [{"role": "model", "parts": [{"text": "Done."}]}, {"role": "user", "parts": [{"text": "Next."}]}]
    return {"model": "gemini-2.5-pro", "contents": contents, "config": config}


@pytest.mark.parametrize("is_text", [False, True])
@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ({"tools": [{"functionDeclarations": [READ]}]}, ""),
        ({"tools": [{"functionDeclarations": [FIND]}]}, TOOLS_CHANGED),
        ({"tools": [{"functionDeclarations": [READ]}], "system_instruction": "help, in French"}, SYSTEM_CHANGED),
    ],
)
def test_tools_inside_the_config_of_google_genai_count_as_well(
    is_text: bool, config: dict[str, Any], reason: str
) -> None:
    one, before = engine(), {"tools": [{"functionDeclarations": [READ]}], "system_instruction": "help"}
    given: list[Any] = [gemini(39, before), gemini(40, {"system_instruction": "help"} | config)]
    first, second = [json.dumps(body).encode() for body in given] if is_text else given
    assert not one.fit(first, session="s", now_ms=START, idle_s=4.0, format="gemini").receipt.opened
    view = one.fit(second, session="s", now_ms=START + 5_000, idle_s=4.0, format="gemini")
    assert view.receipt.reason.startswith(reason)
    assert view.receipt.opened is bool(reason)


def test_a_change_counts_in_what_the_session_has_cost_until_now() -> None:
    """Requests whose cache was lost are known to each later one of their branch, and to no other."""
    one = engine()
    send(one, body(history(30)), 0)
    cold = send(one, body(history(31), [FIND]), 5)
    assert cold.receipt.cold_keys == (cold.receipt.head_key,)
    assert send(one, body(history(32), [FIND]), 10).receipt.cold_keys == cold.receipt.cold_keys
    assert send(one, body(history(30, "Something else.")), 15).receipt.cold_keys == ()


def test_tools_beside_a_bare_list_of_messages_count_as_well() -> None:
    one = engine()
    for count, tools, opened in ((39, [READ], False), (40, [READ], False), (41, [FIND], True)):
        view = one.fit(history(count), session="s", now_ms=START + 1_000 * count, idle_s=4.0, tools=tools)
        assert view.receipt.opened is opened
    assert view.receipt.reason.startswith(TOOLS_CHANGED)


def test_what_was_never_seen_is_no_change() -> None:
    one = engine()
    assert not send(one, body(history(39), []), 0).receipt.opened
    assert not send(one, body(history(40), [READ]), 5).receipt.opened


@pytest.mark.parametrize(
    "side",
    [
        pytest.param(history(39, "Name this session."), id="a fork of the main line"),
        pytest.param([{"role": "user", "content": "Is this a new topic?"}], id="a history of its own"),
        pytest.param(history(39), id="the very same history"),
    ],
)
def test_a_side_call_with_other_tools_leaves_the_main_line_warm(side: Messages) -> None:
    one = engine()
    assert not send(one, body(history(39)), 0).receipt.opened
    send(one, body(side, [FIND], "summarize"), 5)
    view = send(one, body(history(40)), 10)
    assert not view.receipt.opened
    assert view.request == body(history(40))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=4),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(st.text(max_size=4), inside, max_size=3),
    max_leaves=8,
)


@settings(deadline=None, max_examples=60)
@given(JSON, JSON)
def test_a_member_has_the_same_name_as_bytes_and_as_objects(some: Any, other: Any) -> None:
    def name(value: Any) -> str:
        found = hash_members({"tools": value}, "tools")
        assert found == hash_members(Text.of(json.dumps({"tools": value}).encode()), "tools")
        return found

    tools = [{"name": "one", "schema": some}]
    assert name(tools) == name([{"cache_control": {"type": "ephemeral"}, "schema": some, "name": "one"}])
    assert name(tools) != name([{"name": "two", "schema": some}])
    assert bool(name([other])) is not (isinstance(other, dict) and "cachePoint" in other)


def test_members_that_are_empty_or_nested_too_deeply_break_nothing() -> None:
    deep = b"[" * 600 + b"1" + b"]" * 600  # too deep for Python to walk, where each level takes two frames
    assert isinstance(hash_members(Text.of(b'{"tools": %s}' % deep), "tools"), str)
    assert hash_members(Text.of(b"[1]"), "tools") == ""
    assert hash_members({"tools": []}, "tools", "functions") == ""
