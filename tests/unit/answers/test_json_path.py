"""Values inside a JSON text by path, and what is said where a path leads nowhere."""

import pytest

from secateur import ConfigError
from secateur.answers.recall import find_values

TEXT = '{"items": [{"name": "a", "odd name": 1}, {"name": "b"}], "n": {"x": [true, null, 1.5]}}'


@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("$.items[0].name", ["a"]),
        ("items.1.name", ["b"]),
        ("items[-1].name", ["b"]),
        ("items[*].name", ["a", "b"]),
        ('items[0]["odd name"]', [1]),
        ("n.*", [[True, None, 1.5]]),
        ("n.x[2]", [1.5]),
        ("$.n.x[*]", [True, None, 1.5]),
    ],
)
def test_a_path_leads_to_values(path: str, values: list[object]) -> None:
    assert find_values(TEXT, path) == values


def test_the_whole_value_has_the_path_of_a_dollar() -> None:
    assert find_values("[1]", "$") == [[1]]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("items[5]", r"\$\.items has no 5: it is a list of 2"),
        ("n.y", r"\$\.n has no 'y': it is an object with x"),
        ("items[0].name.x", r"has no 'x': it is \"a\""),
        ("items[", "is not a valid path at"),
    ],
)
def test_where_a_path_ends_is_said(path: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        find_values(TEXT, path)


def test_what_is_not_json_has_no_paths() -> None:
    with pytest.raises(ConfigError, match="has no paths"):
        find_values("exit code 1", "$.a")
