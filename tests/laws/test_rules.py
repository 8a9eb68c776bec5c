"""Rules read any JSON value without an error, and change nothing they read."""

import json
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.test_vectors import CASES
from secateur.api import FAMILIES, PROFILES, check

LARGE = {"A25", "A26", "A27", "O10", "R14", "G14"}  # vectors of megabytes
NATIVE = [family for family in FAMILIES if family != "transcript"]
SEEDS = [case.breaks for family in NATIVE for case in CASES[family] if case.rule not in LARGE]


def words(value: Any) -> set[str]:
    """Names and short strings that are in a value: what rules ask for."""
    if isinstance(value, dict):
        return set(value).union(*map(words, value.values()))
    if isinstance(value, list):
        return set().union(*map(words, value))
    return {value} if isinstance(value, str) and len(value) < 40 else set()


WORDS = sorted(words(SEEDS))
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(WORDS)
NAMES = st.sampled_from(WORDS) | st.text(max_size=3)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4), max_leaves=20
)


@st.composite
def spoilt(draw: st.DrawFn) -> Any:
    """A vector with one value put in at a place of it."""
    body = deepcopy(draw(st.sampled_from(SEEDS)))
    inner = body
    while True:
        places = list(inner) if isinstance(inner, dict) else list(range(len(inner)))
        if not places:
            return body
        at = draw(st.sampled_from(places))
        if not isinstance(inner[at], dict | list) or not draw(st.booleans()):
            inner[at] = draw(VALUES)
            return body
        inner = inner[at]


@pytest.mark.parametrize("family", NATIVE)
@given(
    body=VALUES | spoilt(),
    request=st.none() | st.dictionaries(NAMES, VALUES, max_size=4),
    profile=st.none() | st.sampled_from(sorted(PROFILES)),
    whole=st.booleans(),
)
@settings(max_examples=60)
def test_no_value_is_an_error(family: str, body: Any, request: Any, profile: str | None, whole: bool) -> None:
    given_ = body if isinstance(body, dict) else request
    array = body.get("messages", body.get("contents", body.get("input"))) if isinstance(body, dict) else body
    before = repr((given_, array))
    found = check(family, array, given_, profile=profile, whole=whole, headers={"x": "y"})
    assert all(": " in one.text and isinstance(one.where, str) for one in found)
    assert repr((given_, array)) == before


@pytest.mark.parametrize("family", NATIVE)
def test_vectors_of_other_families_are_no_error(family: str) -> None:
    for seed in SEEDS:
        body = seed if isinstance(seed, dict) else {"messages": seed}
        for array in ("messages", "input", "contents"):
            assert isinstance(check(family, body.get(array, []), body), list)


def test_numbers_beyond_64_bits_and_deep_values_are_read() -> None:
    deep: Any = json.loads("[" * 900 + "]" * 900)
    body = [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": deep, "n": 2**80}]}]
    assert [one.rule for one in check("anthropic", body, {})] == ["A2"]
