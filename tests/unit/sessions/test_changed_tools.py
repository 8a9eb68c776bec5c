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
