"""Masks hide what is random between two runs of an agent, and nothing else."""

import json

import pytest

from clients.masks import find_difference, mask_body

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
