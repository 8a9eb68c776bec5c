"""Cache rules: which set holds for which model, and that each says where it comes from."""

import msgspec
import pytest

from secateur.pricing import get_rules
from secateur.pricing.rules import load_rules, parse_rules


@pytest.mark.parametrize(
    ("model", "positions", "minimum"),
    [
        ("claude-opus-5", "marks", 512),
        ("claude-fable-5-2", "marks", 512),
        ("claude-mythos-5", "marks", 512),
        ("claude-opus-4-8", "marks", 1_024),
        ("claude-sonnet-5", "marks", 1_024),
        ("claude-sonnet-4-20250514", "marks", 1_024),
        ("anthropic/claude-sonnet-4.5", "marks", 1_024),
        ("claude-opus-4-1", "marks", 1_024),
        ("claude-opus-4-7", "marks", 2_048),
        ("claude-3-5-haiku-latest", "marks", 2_048),
        ("claude-opus-4-5", "marks", 4_096),
        ("claude-opus-4-6", "marks", 4_096),
        ("claude-haiku-4-5", "marks", 4_096),
        ("gpt-4o-mini", "steps", 1_024),
        ("gpt-5.5", "steps", 2_048),
        ("gpt-5.6-luna", "messages", 1_024),
        ("gpt-6-sol", "messages", 1_024),
        ("gemini-2.5-flash", "steps", 1_024),
        ("gemini-2.5-pro", "steps", 4_096),
        ("deepseek-v4-pro", "answers", 64),
    ],
)
def test_minimum_and_positions(model: str, positions: str, minimum: int) -> None:
    rules = get_rules(model)
    assert rules is not None
    assert (rules.positions, rules.minimum_tokens) == (positions, minimum)


def test_preserved_reasoning_is_bound_and_older_models_strip_it() -> None:
    bound = {name: get_rules(name) for name in ("claude-fable-5-1", "claude-opus-5-5", "claude-haiku-5-5")}
    assert all(rules is not None and rules.bound_reasoning for rules in bound.values())
    stripped = {name: get_rules(name) for name in ("claude-opus-4-1", "claude-sonnet-4-5", "claude-haiku-4-5")}
    assert all(rules is not None and rules.strips_reasoning for rules in stripped.values())
    kept = get_rules("claude-opus-4-5")
    assert kept is not None
    assert not kept.strips_reasoning
    assert not kept.bound_reasoning


def test_an_unknown_model_has_none() -> None:
    assert get_rules("never-heard-of-it") is None
    assert get_rules("") is None


def test_every_set_says_where_it_comes_from_and_when() -> None:
    for rules in load_rules():
        assert rules.source
        assert rules.date[:4].isdigit()
        assert rules.invalidates["model"] == "all"


def test_rules_can_be_stated_and_are_read_strictly() -> None:
    said = {"name": "mine", "models": ["my-*"], "positions": "steps", "source": "measured", "date": "2026-11"}
    assert parse_rules(said).minimum_tokens == 1_024
    with pytest.raises(msgspec.ValidationError, match="minimum"):
        parse_rules(said | {"minimum": 3})
