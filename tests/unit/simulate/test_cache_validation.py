"""Agreement: what the model finds of recorded reads and writes, and why it does not find the others."""

import json

from msgspec.structs import replace

from secateur.pricing import get_rules
from secateur.simulate.cache import Caching
from secateur.simulate.cache_validation import UNEXPLAINED, Compared, compare_requests, find_unexplained_misses
from secateur.simulate.requests import Recording, read_recording
from secateur.simulate.run import simulate

RULES = get_rules("claude-opus-4-5")
assert RULES is not None
CACHING = Caching(rules=RULES)


def session(*lines: tuple[str, int, int, int]) -> tuple[Compared, ...]:
    """What a log of these lines agrees on."""
    return compare_requests(log(*lines), CACHING)


def log(*lines: tuple[str, int, int, int]) -> Recording:
    """Messages ten seconds apart: a role, and of an answer what was read, written and neither."""
    entries = [{"type": "session", "id": "s"}]
    for number, (role, read, write, plain) in enumerate(lines):
        said = {"role": role, "content": [{"type": "text", "text": f"number {number}"}], "model": "claude-opus-4-5"}
        if role == "toolResult":
            said["toolCallId"] = f"c{number}"
        if role == "assistant":
            said["usage"] = {"input": plain, "cacheRead": read, "cacheWrite": write, "output": 9}
        time = f"2026-01-01T00:{number // 6:02}:{number % 6}0.000Z"
        entries.append({"type": "message", "timestamp": time, "message": said})
    return read_recording("\n".join(map(json.dumps, entries)))


def test_reads_and_writes_are_found_from_sizes_alone() -> None:
    found = session(
        ("user", 0, 0, 0),
        ("assistant", 0, 0, 2_000),  # below the minimum of 4,096
        ("toolResult", 0, 0, 0),
        ("assistant", 0, 5_000, 3),
        ("toolResult", 0, 0, 0),
        ("assistant", 5_000, 1_000, 3),
    )
    assert [one.agrees for one in found] == [True, True, True]
    assert [one.cause for one in found] == ["", "", ""]
    assert [one.idle_s for one in found] == [0, 20, 20]


def test_the_shape_of_a_difference_says_why() -> None:
    found = session(
        ("user", 0, 0, 0),
        ("assistant", 0, 5_000, 3),
        ("user", 0, 0, 0),
        ("assistant", 0, 6_000, 3),
        ("assistant", 0, 6_000, 3),
        ("toolResult", 0, 0, 0),
        ("assistant", 6_500, 500, 3),
        ("toolResult", 0, 0, 0),
        ("assistant", 0, 8_000, 3),
    )
    causes = [one.cause for one in found]
    assert causes[0] == ""
    assert "new user turn" in causes[1]
    assert "sent again" in causes[2]
    assert "had written more" in causes[3]
    assert causes[4] == UNEXPLAINED


def test_a_bill_can_follow_what_was_seen_and_no_rule_explains() -> None:
    recording = log(
        ("user", 0, 0, 0), ("assistant", 0, 5_000, 3), ("user", 0, 0, 0), ("assistant", 0, 6_000, 3), ("user", 0, 0, 0)
    )
    cache_breaks = find_unexplained_misses(recording, CACHING)
    assert cache_breaks == {1}
    model = Caching(rules=CACHING.rules, cache_breaks=cache_breaks)
    large = [replace(one, fixed_tokens=9_000) for one in recording.segments]
    found = simulate(replace(recording, segments=tuple(large)), caching=model)
    assert [row.read for row in found.rows] == [0, 9_000]
    assert found.rows[1].lost > 0
