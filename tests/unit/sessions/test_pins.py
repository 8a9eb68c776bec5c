"""Which parts a pin names, and how many of them its budget holds."""

from typing import Any

import pytest

from secateur import fit
from secateur.errors import ConfigError
from secateur.model import Message, Part
from secateur.sessions.pins import find_pinned, pin_of
from secateur.stores.protocol import Pin


def call(id: str, path: str) -> dict[str, Any]:
    block = {"type": "tool_use", "id": id, "name": "Read", "input": {"path": path}}
    return {"role": "assistant", "content": [block]}


def result(id: str, text: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": text}]}


HISTORY = [
    {"role": "user", "content": "look"},
    call("a", "src/roses.py"),
    result("a", "roses"),
    call("a", "src/vines.md"),
    result("a", "vines"),
    call("b", "src/moss.py"),
    result("b", "moss"),
]


def messages() -> tuple[Message, ...]:
    body = {"model": "claude-opus-4-5", "max_tokens": 9, "messages": HISTORY}
    return fit(body, policy="observe", format="anthropic_messages").raw_transcript.messages


def named(*pins: Pin, handles: dict[str, str] | None = None, budget: int = 10_000) -> tuple[list[str], str]:
    """The results and texts that these pins hold, and the warning."""
    keys, over = find_pinned(messages(), pins, handles or {}, budget)
    parts = [part for message in messages() for part in message.parts]
    return [part.text for part in parts if part.key in keys and part.kind != "tool_call"], over


def test_a_glob_names_the_calls_with_such_a_path_and_their_results_of_that_round() -> None:
    assert named(Pin("glob", "*.py", 1)) == (["roses", "moss"], "")
    assert named(Pin("glob", "*.md", 1)) == (["vines"], "")
    assert named(Pin("glob", "*.rs", 1)) == ([], "")


def test_the_other_kinds_name_what_they_say() -> None:
    keys = {part.text: part.key for message in messages() for part in message.parts}
    assert named(Pin("tool", "Read", 1))[0] == ["roses", "vines", "moss"]
    assert named(Pin("tool", "Bash", 1))[0] == []
    assert named(Pin("call", "a", 1))[0] == ["roses", "vines"]
    assert named(Pin("message", keys["moss"], 1))[0] == ["moss"]
    assert named(Pin("handle", "0123456789ab", 1), handles={keys["vines"]: "0123456789abcdef"})[0] == ["vines"]


def test_the_oldest_pin_and_the_oldest_part_come_first() -> None:
    tokens = {part.text: part.tokens for message in messages() for part in message.parts}
    budget = tokens["vines"] + tokens["roses"]
    found, over = named(Pin("call", "a", 1), Pin("tool", "Read", 2), budget=10_000)
    assert (found, over) == (["roses", "vines", "moss"], "")
    keys, over = find_pinned(messages(), (Pin("call", "a", 1),), {}, budget)
    total = sum(keys.values())
    assert total <= budget
    assert (
        over
        == f"pins protect {total:,} tokens of their budget of {budget:,}: {4 - len(keys)} more parts are not protected"
    )


@pytest.mark.parametrize(
    ("kind", "pattern", "said"),
    [
        ("file", "x", "^cannot pin by 'file': choose from "),
        ("glob", " ", "^a pin by glob needs a pattern: an empty one would match everything or nothing$"),
    ],
)
def test_a_pin_that_says_nothing_is_refused(kind: str, pattern: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        pin_of(kind, pattern, 1)


def test_parts_without_a_name_are_named_by_none() -> None:
    lone = (Message("assistant", (), (Part("text", (), "text", key="k", tokens=3),)),)
    assert find_pinned(lone, (Pin("tool", "", 1), Pin("call", "", 1)), {}, 9) == ({}, "")
