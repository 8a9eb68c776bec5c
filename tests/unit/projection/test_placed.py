"""Where messages of a history are in a view that a summary shortened, and what is known of the places in it."""

import json
from typing import Any

import pytest

from secateur import Engine
from secateur.bounds import extend_index, get_index
from secateur.model import NewMessage, Replace
from secateur.projection.messages import locate_in_view

SUMMARY = Replace("a", "d", (NewMessage("user", "what was", "summary"),))
WORD = Replace("f", "f", (NewMessage("user", "go on", "synthetic"),))
RANGES = [(1, 4, SUMMARY), (6, 6, WORD)]  # of a b c d e f g


@pytest.mark.parametrize(("number", "place"), [(0, 0), (1, 1), (3, 1), (4, 2), (5, 3), (6, 5), (7, 6)])
def test_a_place_is_found_behind_what_gave_way_and_what_was_put_in(number: int, place: int) -> None:
    assert locate_in_view(RANGES, number) == place


def test_a_compacted_view_is_indexed_by_its_own_messages() -> None:
    said: list[dict[str, Any]] = [{"role": "user", "content": "begin " * 300}]
    for number in range(12):
        said.append({"role": "assistant", "content": f"answer {number} " * 60})
        said.append({"role": "user", "content": f"question {number} " * 60})
    used = Engine("balance", "gpt-5", window=4_000)
    view = used.fit(json.dumps({"model": "gpt-5", "messages": said}).encode(), session="s", now_ms=1)
    assert len(view.transcript.messages) < len(view.raw_transcript.messages)
    mine, own = get_index(view.transcript), extend_index(view.transcript.messages)
    assert (mine.user_messages, mine.user_turns, mine.assistant_messages) == (
        own.user_messages,
        own.user_turns,
        own.assistant_messages,
    )
