"""A change inside a value: what is spliced, and when the whole is said anew."""

import json
from typing import Any

import pytest

from secateur.jsontext import Text
from secateur.jsontext.inside import Inside, compare_texts
from secateur.patch import Op, apply

BEFORE = '{"a":"long long","b":1}'
AFTER = '{"a":"long","b":1}'


def put(document: str, change: Any) -> str:
    """The document with the change at `x`."""
    return apply(Text.of(document.encode()), [Op(("x",), change)]).raw.decode()


def change(before: str = BEFORE, after: str = AFTER, whole: Any = None) -> Any:
    return compare_texts(before, after, whole if whole is not None else Text.of(after.encode()))


@pytest.mark.parametrize(
    ("stood", "stands"),
    [
        ('{ "b" : 1.0e0, "a" :\t"long long" }', '{ "b" : 1.0e0, "a" :\t"long" }'),
        ('{"a":"gone","\\u0061":"l\\u006fng long","z":1e400}', '{"a":"gone","\\u0061":"l\\u006fng","z":1e400}'),
        (r'"{\"b\":1e5,\n\"a\":\"lon\u0067 long\",\"c\":\"\/\"}"', r'"{\"b\":1e5,\n\"a\":\"lon\u0067\",\"c\":\"\/\"}"'),
        ('"\\ufeff{\\"a\\":\\"long long\\"}"', '"\\ufeff{\\"a\\":\\"long\\"}"'),
    ],
    ids=["an object", "the last of two names", "text in a string", "behind a byte order mark"],
)  # fmt: skip
def test_only_what_changes_is_spelled_anew(stood: str, stands: str) -> None:
    assert put(f'{{"x":{stood},"y":[]}}', change()) == f'{{"x":{stands},"y":[]}}'
    assert apply({"x": json.loads(stood)}, [Op(("x",), change())]) == {"x": json.loads(stands)}


@pytest.mark.parametrize(
    "stood", ['{"a":"other"}', '{"b":1}', "[]", "null", '"no JSON"', '"[1, 2]"', '{"a":["long long"]}']
)
def test_where_something_else_stands_the_whole_is_written(stood: str) -> None:
    assert put(f'{{"x":{stood}}}', change()) == f'{{"x":{AFTER}}}'
    assert apply({"x": json.loads(stood)}, [Op(("x",), change())]) == {"x": json.loads(AFTER)}


def test_the_whole_is_written_where_it_was_not_there() -> None:
    assert put("{}", change()) == f'{{"x":{AFTER}}}'
    assert apply({}, [Op(("x",), change())]) == {"x": json.loads(AFTER)}


@pytest.mark.parametrize(
    "after",
    ['{"a":"long"}', '{"a":"long long","b":2}', '{"a":"long long","b":true}', "[]", "{", '{"a":"long long", "b":1}'],
)
def test_more_than_strings(after: str) -> None:
    assert compare_texts(BEFORE, after, "all of it") == "all of it"


def test_text_that_is_no_json_changes_where_it_differs() -> None:
    made = compare_texts("*** patch\nlong long", "*** patch\nlong", "*** patch\nlong")
    assert isinstance(made, Inside)
    assert put(r'{"x":"*\u002a* patch\nlong lo\u006eg"}', made) == r'{"x":"*\u002a* patch\nlong"}'


def test_halves_of_pairs_and_characters_beyond_the_first_plane() -> None:
    before, after = json.dumps({"a": "\ud83d" + "\U0001f600" * 9}), json.dumps({"a": "\ud83d\U0001f600"})
    stood = r'"{\"a\": \"\\ud83d' + "\U0001f600" * 9 + r'\"}"'
    stands = r'"{\"a\": \"\\ud83d' + "\U0001f600" + r'\"}"'
    assert put(f'{{"x":{stood}}}', change(before, after, after)) == f'{{"x":{stands}}}'


def test_an_untouched_member_is_the_same_object() -> None:
    given = {"x": {"c": [1], "a": "long long", "b": 1}}
    got = apply(given, [Op(("x",), change())])
    assert list(got["x"]) == ["c", "a", "b"]
    assert got["x"]["c"] is given["x"]["c"]
    assert given["x"]["a"] == "long long"
