"""Events are cut out of a stream wherever its pieces end, and readers of turns make the same of them."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secateur.proxy.served.anthropic_turn import AnthropicTurn
from secateur.proxy.served.chat import ChatTurn
from secateur.proxy.served.event_stream import EventSplitter, build_event, read_event
from secateur.proxy.served.gemini import ServedGeminiTurn
from secateur.proxy.served.responses_turn import ResponsesTurn
from secateur.proxy.served.turns import TurnReader, sum_usage
from upstream import spoken

LINES = st.lists(st.sampled_from([b"data: 1", b": ping", b"event: x\ndata: {}", b"data: a\ndata: b"]), max_size=6)
TURNS = {"anthropic": AnthropicTurn, "openai": ResponsesTurn, "openai-chat": ChatTurn, "gemini": ServedGeminiTurn}


@given(LINES, st.sampled_from([b"\n\n", b"\r\n\r\n", b"\r\r"]), st.data())
def test_cut_anywhere_events_are_the_same(lines: list[bytes], end: bytes, data: st.DataObject) -> None:
    whole = b"".join(line.replace(b"\n", end[: len(end) // 2]) + end for line in lines) + b"data: res"
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=5)))
    splitter = EventSplitter()
    pieces = [whole[start:stop] for start, stop in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    events = [event for piece in pieces for event in splitter.feed(piece)]
    assert b"".join(events) + splitter.finish() == whole
    assert len(events) == len(lines)


@given(st.dictionaries(st.text(max_size=2), st.text(max_size=5), max_size=2))
def test_an_event_reads_as_it_was_built(data: dict[str, Any]) -> None:
    assert read_event(build_event(data, "name")) == data


@pytest.mark.parametrize("name", TURNS)
@pytest.mark.parametrize("call", [False, True])
def test_a_turn_without_recall_calls_passes_byte_for_byte(name: str, call: bool) -> None:
    body = spoken(name, "Grüße ✂ an alle", call=call)
    for size in range(1, 60):
        turn: TurnReader = TURNS[name]()
        splitter, made = EventSplitter(), b""
        for at in range(0, len(body), size):
            for event in splitter.feed(body[at : at + size]):
                made += b"".join(turn.feed(event))
        assert (turn.list_calls(), turn.list_open_calls(), turn.has_stuck_calls()) == ((), (), False)
        assert turn.make_turn(1, ()) is None
        assert made + b"".join(turn.finish()) == body


TABLES = st.dictionaries(st.sampled_from("abc"), st.integers(0, 99) | st.none(), max_size=3)


@given(st.lists(TABLES, min_size=1, max_size=4))
def test_usage_is_added_up_member_by_member(tables: list[dict[str, Any]]) -> None:
    total = sum_usage(tables)
    for name in {name for table in tables for name in table}:
        stated = [table[name] for table in tables if table.get(name) is not None]
        assert total[name] == (sum(stated) if stated else None)


def test_usage_of_several_kinds_is_added_up_by_kind() -> None:
    one: dict[str, Any] = {"details": [{"modality": "TEXT", "tokenCount": 3}], "tier": "default", "deep": {"n": 1}}
    two: dict[str, Any] = {"details": [{"modality": "TEXT", "tokenCount": 4}, {"modality": "IMAGE", "tokenCount": 5}]}
    total = sum_usage([one, {**two, "tier": "flex", "deep": {"n": 2}}])
    assert json.loads(json.dumps(total)) == {
        "details": [{"modality": "TEXT", "tokenCount": 7}, {"modality": "IMAGE", "tokenCount": 5}],
        "tier": "flex",
        "deep": {"n": 3},
    }
