import pytest

from secateur.text.durations import describe_duration


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "0 s"),
        (119, "119 s"),
        (120, "2 min"),
        (300.0, "5 min"),
        (7_200, "2 h"),
        (172_799, "48 h"),
        (26_870_400, "311 days"),
    ],
)
def test_a_time_is_said_in_one_unit(seconds: float, said: str) -> None:
    assert describe_duration(seconds) == said
