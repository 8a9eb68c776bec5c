"""What a recording tells of its client: how many breakpoints it leaves, and for how long its cache lives."""

import json
from typing import Any

import pytest

from secateur.pricing.rules import CacheRules, get_rules
from secateur.simulate.client import infer_caching, infer_client
from secateur.simulate.requests import read_recording

MARK = {"cache_control": {"type": "ephemeral"}}
HOUR = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}


def rules(model: str) -> CacheRules:
    found = get_rules(model)
    assert found is not None
    return found


CLAUDE = rules("claude-sonnet-4-5")


def body(*marked: dict[str, Any]) -> dict[str, Any]:
    """A request whose blocks have these members more."""
    said = [{"role": "user", "content": [{"type": "text", "text": str(n), **one}]} for n, one in enumerate(marked)]
    between = {"role": "assistant", "content": [{"type": "text", "text": "yes"}]}
    messages = [one for pair in zip(said, [between] * len(said), strict=True) for one in pair][:-1]
    return {"model": "claude-sonnet-4-5", "max_tokens": 9, "system": "be", "messages": messages}


def log(**usage: Any) -> bytes:
    """One round of Claude Code."""
    user = {"type": "user", "uuid": "a", "parentUuid": None, "message": {"role": "user", "content": "one"}}
    said = {"id": "m", "type": "message", "role": "assistant", "model": "claude-opus-4-5", "usage": usage}
    answer = {"type": "assistant", "uuid": "b", "parentUuid": "a"}
    answer["message"] = {**said, "content": [{"type": "text", "text": "two"}]}
    stamped = ({"timestamp": "2026-01-01T00:00:00.000Z", "sessionId": "s", **one} for one in (user, answer))
    return "\n".join(map(json.dumps, stamped)).encode()


@pytest.mark.parametrize(
    ("marked", "free", "hour"),
    [
        ((MARK, MARK), 2, False),
        ((HOUR, HOUR), 2, True),
        ((HOUR, MARK), 2, False),
        ((MARK, MARK, MARK, MARK), 0, False),
        (({}, {}), 2, False),
    ],
)
def test_a_request_says_it_by_its_marks(marked: tuple[dict[str, Any], ...], free: int, hour: bool) -> None:
    for native in (body(*marked), json.dumps(body(*marked)).encode()):
        found = infer_client(read_recording(native), CLAUDE)
        assert (found.free, found.hour) == (free, hour)
        assert ("taken to mark" in found.told) is not any(marked)


@pytest.mark.parametrize(("hours", "hour", "lives"), [(90, True, "60 min"), (0, False, "5 min"), (40, False, "5 min")])
def test_a_log_says_by_its_usage_which_lifetime_was_bought(hours: int, hour: bool, lives: str) -> None:
    written = {"ephemeral_1h_input_tokens": hours, "ephemeral_5m_input_tokens": 100 - hours}
    usage = {"input_tokens": 3, "cache_creation_input_tokens": 100, "cache_creation": written, "output_tokens": 2}
    found = infer_client(read_recording(log(**usage)), CLAUDE)
    assert (found.free, found.hour) == (1, hour)
    assert f"lives {lives}, as recorded" in found.told
    assert infer_caching(read_recording(log(**usage)), CLAUDE, hour=True).ttl_ms == 3_600_000


def test_what_is_not_recorded_is_said_to_be_assumed() -> None:
    assert infer_client(read_recording(log()), CLAUDE).told.endswith("lives 5 min, by default")


def test_where_a_provider_caches_by_itself_nothing_is_asked_of_the_client() -> None:
    assert infer_client(read_recording(body(MARK)), rules("gpt-5")).told == ""
