"""Looking for an expression in a text: what Python's engine would find, within a bounded time."""

import pytest

from secateur import ConfigError
from secateur.answers.recall import find_matching_lines

TEXT = "one error\nand Error 2\nfine\n\nlast [line]"


def test_plain_words_are_found_as_they_are() -> None:
    assert find_matching_lines(TEXT, "error") == (1,)
    assert find_matching_lines(TEXT, "nowhere") == ()


def test_an_expression_is_matched_line_by_line() -> None:
    assert find_matching_lines(TEXT, "(?i)error") == (1, 2)
    assert find_matching_lines(TEXT, "^$") == (4,)
    assert find_matching_lines(TEXT, r"\[line\]$") == (5,)
    assert find_matching_lines("half \ud83d and ü\nrest", "ü$") == (1,)


def test_what_is_no_expression_is_said() -> None:
    with pytest.raises(ConfigError, match="not a valid regular expression: .*unterminated"):
        find_matching_lines(TEXT, "(")


def test_an_expression_that_would_run_for_years_is_stopped() -> None:
    with pytest.raises(ConfigError, match="takes more than 0.5 s"):
        find_matching_lines("a" * 60 + "!", "^(a+)+$", time_s=0.5)
