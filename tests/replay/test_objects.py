"""Recorded requests as the objects of the providers' packages: the same view, and nothing unedited is another object.

SECATEUR_CORPUS names the folder that holds the recordings.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import carried
from replay.test_requests import CLEARING, CORPUS, NOW, requests, sampled
from sdk_objects import objects, sent
from secateur import Engine

FORMATS = {
    "anthropic_messages": "messages",
    "openai_chat": "messages",
    "openai_responses": "input",
    "gemini": "contents",
}
POLICIES = (CLEARING, "kilocode", "openclaw")
MOST = 2  # requests of one recording, the longest ones

pytestmark = pytest.mark.skipif(not CORPUS, reason="set SECATEUR_CORPUS to the folder of recorded requests")


@cache
def bodies(file: Path) -> list[tuple[str, dict[str, Any], dict[str, Any]]]:
    """The longest requests of a recording: format, body with objects, and the body that these would send."""
    found = []
    for request in sorted(requests(file), key=lambda one: len(one.body))[-MOST:]:
        array, body = FORMATS.get(request.format), json.loads(request.body)
        body = {array: body} if isinstance(body, list) else body
        if array is None or not isinstance(body.get(array), list):
            continue
        made = body | {array: objects(request.format, body[array])}
        found.append((request.format, made, body | {array: sent(made[array])}))
    return found


@pytest.mark.parametrize("file", sampled(), ids=lambda file: f"{file.parent.parent.name}/{file.name}"[-90:])
def test_the_view_of_objects_is_that_of_what_they_send(file: Path) -> None:
    for format, made, said in bodies(file):
        array = FORMATS[format]
        for policy in POLICIES:
            how: dict[str, Any] = {"policy": policy, "format": format, "window": 2_000, "now_ms": NOW, "compact": False}
            one, other = carried.fit(made, **how), carried.fit(said, **how)
            assert sent(one.request) == other.request
            assert one.plan == other.plan
            if not one.receipt.active_edits:
                assert one.request is made
            elif len(one.request[array]) == len(made[array]):
                for old, new, json_old, json_new in zip(
                    made[array], one.request[array], said[array], other.request[array], strict=True
                ):
                    assert new is old if json_new == json_old else type(new) is type(old)


@pytest.mark.parametrize("format", FORMATS)
def test_protected_objects_stay(format: str) -> None:
    found = [one for file in sampled() for one in bodies(file) if one[0] == format]
    assert found
    acted = 0
    for _, made, _ in found:
        policy = CLEARING | {"protect": {"tools": ["*"]}, "prune": CLEARING["prune"][:1]}
        acted += carried.fit(made, policy=CLEARING, format=format, now_ms=NOW).request is not made
        assert carried.fit(made, policy=policy, format=format, now_ms=NOW).request is made
    assert acted


@pytest.mark.parametrize("format", FORMATS)
def test_a_session_that_grows_is_that_of_the_whole(format: str) -> None:
    found = [one for file in sampled() for one in bodies(file) if one[0] == format]
    _, made, said = max(found, key=lambda one: len(one[1][FORMATS[format]]))
    array, (warm, plain) = (
        FORMATS[format],
        (Engine(CLEARING, format=format, window=50_000, too_long="send") for _ in range(2)),
    )
    for end in range(1, len(made[array]) + 1):
        when: dict[str, Any] = {"session": "s", "now_ms": NOW + end}
        one = warm.fit(made | {array: made[array][:end]}, **when)
        other = plain.fit(said | {array: said[array][:end]}, **when)
        assert sent(one.request) == other.request
