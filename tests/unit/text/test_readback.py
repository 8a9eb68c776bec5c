"""What the model read back is told from other results in every client, and stays until it was used."""

from typing import Any

import pytest

from secateur import fit
from secateur.model import Message, Part
from secateur.text.readback import add_header, find_unused_keys, is_reader, is_recalled

HEAD = add_header("recall", "1a2b3c4d5e6f, lines 1-2 of 2, page 1 of 1")
LONG = add_header("recall", "1a2b3c4d5e6f, lines 1-900 of 900, page 1 of 1", "as it was\n" * 900)


@pytest.mark.parametrize(
    "name", ["recall", "mcp__secateur__recall", "secateur_recall", "secateur.search", "mcp_secateur_removed", "Recall"]
)
def test_tools_that_read_back_are_known_behind_any_prefix(name: str) -> None:
    assert is_reader(name)


@pytest.mark.parametrize(
    "name", ["", "Bash", "recaller", "recall_memory", "mcp__secateur__pin", "mcp__secateur__status"]
)
def test_others_are_not(name: str) -> None:
    assert not is_reader(name)


def result(tool: str, text: str) -> Part:
    return Part("tool_result", (), text, tool=tool, key="k")


def test_a_result_is_known_by_name_and_mark_together() -> None:
    assert is_recalled(result("mcp__secateur__recall", f"{HEAD}text"))
    wrapped = '{"wall_time": 0.1, "content": [{"type": "text", "text": "' + HEAD
    assert is_recalled(result("mcp__secateur__recall", wrapped))
    assert not is_recalled(result("Bash", f"{HEAD}text"))
    assert not is_recalled(result("recall", "what the user said in other chats"))
    assert not is_recalled(result("recall", "x" * 500 + HEAD))
    assert not is_recalled(Part("text", (), HEAD, tool="recall"))


def said(text: str) -> Message:
    return Message("assistant", (), (Part("text", (), text),))


def recall(key: str) -> tuple[Message, Message]:
    call = Part("tool_call", (), "{}", tool="secateur_recall", call_id=key)
    return Message("assistant", (), (call,)), Message(
        "tool", (), (Part("tool_result", (), HEAD, "recall", key, key=key),)
    )


def test_it_is_in_use_until_the_model_answered_without_reading_more() -> None:
    one = recall("a")
    assert find_unused_keys(one, 1) == {"a"}
    assert find_unused_keys((*one, said("1"), said("2")), 3) == {"a"}
    assert find_unused_keys((*one, said("1"), said("2"), said("3")), 3) == frozenset()
    reading_on = (*one, *recall("b"), *recall("c"), said("1"))
    assert find_unused_keys(reading_on, 2) == {"a", "b", "c"}
    assert find_unused_keys(reading_on, 1) == frozenset()
    assert find_unused_keys(one, 0) == frozenset()


def chat(rounds: int) -> list[dict[str, Any]]:
    """A long output that was read back, then turns."""
    call = {"id": "r", "type": "function", "function": {"name": "secateur_recall", "arguments": "{}"}}
    found: list[dict[str, Any]] = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "r", "content": LONG},
    ]
    for number in range(rounds):
        found += [{"role": "assistant", "content": f"so {number}"}, {"role": "user", "content": "on"}]
    return found


@pytest.mark.parametrize("strategy", [{"type": "hard_clear"}, {"type": "soft_trim"}])
def test_no_strategy_takes_it_before_and_each_may_after(strategy: dict[str, Any]) -> None:
    policy: dict[str, Any] = {"prune": [strategy], "schedule": {"type": "every_request"}}
    assert [fit(chat(rounds), policy=policy, window=9_000).request[2]["content"] == LONG for rounds in (1, 2, 3)] == [
        True,
        True,
        False,
    ]
    off = policy | {"protect": {"recent_readbacks": 0}}
    assert fit(chat(1), policy=off, window=9_000).request[2]["content"] != LONG


def test_it_is_never_an_excerpt() -> None:
    policy: dict[str, Any] = {
        "on_arrival": {"type": "excerpt", "max_chars": 500},
        "schedule": {"type": "every_request"},
    }
    assert fit(chat(0), policy=policy).request[2]["content"] == LONG
    assert fit(chat(5), policy=policy).request[2]["content"] == LONG
