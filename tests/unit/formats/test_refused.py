"""Records that are known and not read are refused by name, with what to give instead."""

import json
from typing import Any

import pytest

from secateur import documents
from secateur.errors import UnknownFormat

INSPECT = {"version": 2, "status": "success", "eval": {}, "plan": {}, "samples": [{"messages": []}]}
DELTA = {"type": "assistant.message_delta", "data": {"delta": "a"}, "ephemeral": True, "id": "e", "parentId": None}


@pytest.mark.parametrize(
    ("record", "named"),
    [
        (json.dumps(INSPECT).encode(), "an Inspect eval log"),
        (INSPECT, "an Inspect eval log"),
        (b"\n# aider chat started at 2025-02-11 08:15:40\n\n> hm\n", "an Aider chat history"),
        (b"notes\n\n# aider chat started at 2025-02-11 08:15:40\n", "an Aider chat history"),
        (json.dumps(DELTA).encode() + b"\n" + json.dumps(DELTA).encode(), "the screen output of Copilot CLI"),
    ],
)
def test_it_is_named_and_the_remedy_too(record: Any, named: str) -> None:
    with pytest.raises(UnknownFormat, match=f"this is {named}.*(give|take)"):
        documents.read(record)


def test_any_other_record_is_told_what_it_comes_closest_to() -> None:
    with pytest.raises(UnknownFormat, match="closest is atif: it has schema_version, steps"):
        documents.read(b'{"schema_version": "2", "steps": []}')


def test_a_role_that_no_format_knows_is_named() -> None:
    body = json.dumps({"messages": [{"role": "wizard", "content": [{"type": "hologram"}]}]}).encode()
    with pytest.raises(UnknownFormat, match=r"messages\[0\] has the role 'wizard', and no message has one of user, "):
        documents.read(body)
