"""What a session says is shown to a terminal, never sent to it."""

import pytest

from secateur.cli.output.terminal import clean, to_one_line


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("plain Ünïcödé 日本 🙂", "plain Ünïcödé 日本 🙂"),
        ("\x1b[2J\x1b]0;title\x07", "␛[2J␛]0;title␇"),
        ("a\x9bcolour\x7f", "a\ufffdcolour␡"),
        ("lone \ud83d half", "lone \ufffd half"),
        ("turned \u202eround", "turned \ufffdround"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
    ],
)
def test_controls_are_shown(said: str, shown: str) -> None:
    assert clean(said) == shown


def test_one_line_is_one_line_of_bounded_length() -> None:
    assert to_one_line("  first\r\n\r\n  second\t third ") == "first second third"
    assert to_one_line("x" * 100, 10) == "xxxxxxxxx…"
    assert len(to_one_line(" a" * 10_000, 60)) == 60
