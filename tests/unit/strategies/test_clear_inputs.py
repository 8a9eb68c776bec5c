"""Clear inputs: long strings in arguments are cut, and the JSON around them is untouched."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from conversation import assistant, part, result, talk, user
from secateur.budget import Budget
from secateur.model import Transcript
from secateur.protect import Protection
from secateur.strategies import ClearInputs

CUT = ClearInputs(max_chars=20, head_chars=5)
LONG = '{"content":"abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz","n":1.50,"path":"a.txt"}'
SHORT = '{"content":"abcde... [57 more characters]","n":1.50,"path":"a.txt"}'
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=60),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=30), inner, max_size=3),
    max_leaves=8,
)


def cuts(talked: Transcript, protect: Protection | None = None, **edited: str) -> list[str]:
    budget = Budget(window=0, tokens_used=0, count=len, protect=protect or Protection(), edited_by=edited)
    return [edit.text for edit in CUT(talked, budget)]


def test_long_values_are_cut_and_everything_else_stays_as_it_is() -> None:
    talked = talk(user(), assistant(("c", "write", LONG)), result("ok", call="c"), user())
    assert cuts(talked) == [SHORT]


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("{}", "{}"),
        ("not json " * 9, "not json " * 9),
        ('{"a": ["' + "x" * 30 + '"], "b": 1.0 }', '{"a": ["xxxxx... [25 more characters]"], "b": 1.0 }'),
        ('{"' + "k" * 60 + '" : 1}', '{"' + "k" * 60 + '" : 1}'),
        ('"' + "x" * 99 + '"', '"xxxxx... [94 more characters]"'),
        ('{"a":"' + "\\u00e4" * 30 + '"}', '{"a":"' + "\\u00e4" * 5 + '... [25 more characters]"}'),
        ('{"a":"' + "ä" * 60 + '"}', '{"a":"äääää... [55 more characters]"}'),
        ('{"a":"\\ud83d' + "x" * 90 + '"}', '{"a":"\\ud83dxxxx... [86 more characters]"}'),
        ('{"a":"' + '\\"' * 90 + '"}', '{"a":"' + '\\"' * 5 + '... [85 more characters]"}'),
    ],
)
def test_shortened(said: str, shown: str) -> None:
    assert CUT.shorten(said) == shown


@given(VALUES)
def test_the_schema_stays(value: object) -> None:
    def shape(one: object) -> object:
        if isinstance(one, dict):
            return {name: shape(inner) for name, inner in one.items()}
        if isinstance(one, list):
            return [shape(inner) for inner in one]
        return type(one) if isinstance(one, str) and len(one) > 5 else one

    for said in (json.dumps(value), json.dumps(value, ensure_ascii=False, separators=(",", ":"))):
        shown = CUT.shorten(said)
        assert shape(json.loads(shown)) == shape(value)
        assert len(shown) <= len(said)


def test_only_answered_calls_before_the_running_turn() -> None:
    unanswered = talk(user(), assistant(("c", "write", LONG)), user())
    assert cuts(unanswered) == []
    running = talk(user(), assistant(("c", "write", LONG)), result("ok", call="c"))
    assert cuts(running) == []
    nobody = talk(assistant(("c", "write", LONG)), result("ok", call="c"))
    assert cuts(nobody) == []
    parallel = talk(user(), assistant(("c", "write", LONG), ("d", "write", LONG)), result("ok", call="d"), user())
    assert len(cuts(parallel)) == 1
    later = talk(user(), assistant(("c", "x", LONG)), result("1", call="d"), assistant(), result("2", call="c"), user())
    assert cuts(later) == []


def test_what_is_protected_stays() -> None:
    talked = talk(user(), assistant(("c", "write", LONG)), result("ok", call="c"), user())
    call = part(talked, 1)
    assert cuts(talked, Protection(tools=("write",))) == []
    assert cuts(talked, Protection(part_keys=(call.key,))) == []
    assert cuts(talked, Protection(first_messages=2)) == []
    assert cuts(talked, None, **{call.key: "clear_inputs"}) == []
    signed = replace(talked.messages[1], parts=(replace(call, pinned=True),))
    assert cuts(replace(talked, messages=(talked.messages[0], signed, *talked.messages[2:]))) == []
