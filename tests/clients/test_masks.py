"""Masks hide what is random between two runs of an agent, and nothing else."""

import json

import pytest

from clients.masks import find_difference, mask_body, mask_lines

HOME = "/var/tmp/desk-1"
NOTICES = (
    "The full output has been saved to: {home}/.qwen/tmp/{hash}/run_shell_command_{hex}.output",
    "Full output saved to: {home}/.local/share/opencode/tool-output/tool_{hex}{hex}",
    "Use Read with offset on tool_{hex}{hex} (kept as shell_{hex}.output)",
    "session ses_{hex}{hex} in 127.0.0.1:{port}",
    "1\n2\n---\n... [CONTENT TRUNCATED] ...\n---\n{port}\n9\n Exit code: 0",
)


def mask(notice: str, number: int) -> object:
    """What is compared of a notice with these random names."""
    names = {"hex": f"{number:012x}", "hash": f"{number:064x}", "port": 4_000 + number, "home": HOME}
    return mask_body(json.dumps({"text": notice.format(**names)}).encode(), HOME)


@pytest.mark.parametrize("notice", NOTICES)
def test_random_names_in_notices_are_equal(notice: str) -> None:
    assert not find_difference(mask(notice, 7), mask(notice, 0xABCDEF012345))


def test_words_and_numbers_stay_different() -> None:
    one, other = (mask(f"note {word} of {{home}}/notes/{word}.txt took 3 lines", 1) for word in ("one", "two"))
    assert "note one" in find_difference(one, other)
    cut = "... [CONTENT TRUNCATED] ...\n---\n7\n Exit code: {code}"
    assert find_difference(mask(cut.replace("{code}", "zero"), 1), mask(cut.replace("{code}", "one"), 1))


def write_lines(*kinds: str) -> list[object]:
    """What is compared of Codex lines of these kinds, numbered in this order."""
    lines = ({"ordinal": number, "type": kind, "payload": {"type": kind}} for number, kind in enumerate(kinds))
    return mask_lines("\n".join(map(json.dumps, lines)), HOME)


def test_lines_of_costs_may_stand_anywhere() -> None:
    one = write_lines("function_call", "token_usage_record", "item_completed", "token_count", "function_call_output")
    other = write_lines("function_call", "item_completed", "token_usage_record", "function_call_output", "token_count")
    assert len(one) == 3
    assert not find_difference(one, other)
    assert find_difference(one, write_lines("item_completed", "function_call", "function_call_output"))
