"""How figures are written for people."""

import pytest

from secateur.cli.output.formatting import format_count, format_duration, format_percent


@pytest.mark.parametrize(
    ("part", "whole", "said"),
    [
        (0, 0, "-"),
        (0, 10, "0 %"),
        (1, 1000, "<1 %"),
        (1, 3, "33 %"),
        (995, 1000, ">99 %"),
        (1000, 1000, "100 %"),
        (1500, 1000, "150 %"),
        (-1, 1000, "0 %"),
        (-50, 1000, "-5 %"),
    ],
)
def test_shares(part: int, whole: int, said: str) -> None:
    assert format_percent(part, whole) == said


@pytest.mark.parametrize(
    ("seconds", "said"), [(0, "0 s"), (119, "119 s"), (600, "10 min"), (7_200, "2 h"), (200_000, "2 days")]
)
def test_times(seconds: float, said: str) -> None:
    assert format_duration(seconds) == said


def test_digits_in_groups() -> None:
    assert format_count(1_234_567) == "1,234,567"
