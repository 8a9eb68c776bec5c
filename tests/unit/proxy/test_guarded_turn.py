"""Responses that are not what their API describes, where the model has the recall tool."""

import json
from typing import Any

import pytest

from secateur.proxy.served.chat import ChatTurn
from secateur.proxy.served.gemini import ServedGeminiTurn
from secateur.proxy.served.guarded_turn import GuardedTurn
from secateur.proxy.served.responses_turn import ResponsesTurn
from secateur.proxy.served.turns import TOOL, TurnReader


def event(value: Any) -> bytes:
    return b"data: " + json.dumps(value).encode() + b"\n\n"


def chunk(delta: Any, finish: str | None = None) -> bytes:
    return event({"id": "c", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})


ODD = {
    "texts, then blocks": (ChatTurn, [chunk({"content": "I "}), chunk({"content": [{"type": "text", "text": "see"}]})]),
    "a call that is a word": (ChatTurn, [chunk({"tool_calls": ["later"]})]),
    "choices by name": (ChatTurn, [event({"choices": {"first": {}}})]),
    "a part that is null": (ServedGeminiTurn, [event({"candidates": [{"content": {"parts": [None]}}]})]),
    "an item without a place": (
        ResponsesTurn,
        [event({"type": "response.output_item.added", "output_index": None, "item": {"type": "message"}})],
    ),
}


@pytest.mark.parametrize(("reader", "odd"), ODD.values(), ids=ODD)
def test_what_cannot_be_read_passes_and_all_behind_it(reader: type[TurnReader], odd: list[bytes]) -> None:
    turn, after = GuardedTurn(reader()), chunk({}, "stop")
    assert [made for one in (*odd, after) for made in turn.feed(one)] == [*odd, after]
    assert turn.list_calls() == turn.list_open_calls() == ()
    assert turn.finish() == []
    assert turn.make_turn(1, ()) is None


def test_a_call_that_was_held_back_comes_before_it() -> None:
    turn = GuardedTurn(ChatTurn())
    call = {"index": 0, "id": "r1", "function": {"name": TOOL, "arguments": "{}"}}
    assert turn.feed(chunk({"tool_calls": [call]})) == []
    odd = chunk({"tool_calls": ["later"]})
    held, last = turn.feed(odd)
    assert json.loads(held.removeprefix(b"data: "))["choices"][0]["delta"]["tool_calls"][0]["id"] == "r1"
    assert last == odd


def test_a_whole_response_of_another_shape_is_no_response() -> None:
    turn = GuardedTurn(ChatTurn())
    body = json.dumps({"choices": [{"message": {"tool_calls": ["later"]}}]}).encode()
    with pytest.raises(ValueError, match="not a response of its API"):
        turn.read_whole(body)
    assert turn.build_whole() == body
