"""Windows: which source wins, and the names under which a model is known."""

import pytest

from secateur.policy import Policy, load
from secateur.policy.windows import get_window, resolve
from secateur.pricing.model_names import normalize_model

PLAIN = Policy(name="plain")


@pytest.mark.parametrize(
    ("stated", "model", "policy", "window", "source"),
    [
        (None, "", PLAIN, 200_000, "default"),
        (None, "no-such-model", PLAIN, 200_000, "default, since no-such-model is not in the registry"),
        (None, "gpt-4o-mini", PLAIN, 128_000, "registry (genai-prices"),
        (None, "gpt-4o-mini", Policy(name="p", window=9), 9, "policy p"),
        (None, "gpt-4o-mini", Policy(name="p", windows={"openai/gpt-4o-mini": 7}), 7, "policy p, for gpt-4o-mini"),
        (None, "a/m", Policy(name="p", windows={"a/m": 1, "b/m": 2}), 1, "policy p, for a/m"),
        (None, "c/m", Policy(name="p", windows={"a/m": 1}), 1, "policy p, for c/m"),
        (5, "gpt-4o-mini", Policy(name="p", window=9), 5, "stated"),
        (0, "", PLAIN, 0, "stated"),
        (
            None,
            "gpt-4o-mini",
            Policy(name="p", context_tokens=50_000),
            50_000,
            "context_tokens of policy p, below 128,000",
        ),
        (None, "gpt-4o-mini", Policy(name="p", context_tokens=500_000), 128_000, "registry"),
        (90_000, "", Policy(name="p", context_tokens=50_000), 50_000, "below 90,000 (stated)"),
    ],
)
def test_resolve(stated: int | None, model: str, policy: Policy, window: int, source: str) -> None:
    tokens, said = resolve(stated, model, policy)
    assert tokens == window
    assert said.startswith(source) or source in said


def test_what_was_learned_goes_before_what_was_recorded_and_both_before_the_registry() -> None:
    known = {"learned": 64_000, "recorded": 258_400}
    capped = Policy(name="p", context_tokens=50_000)
    for stated, policy, given, window, source in (
        (None, PLAIN, known, 64_000, "learned"),
        (None, PLAIN, {"recorded": 258_400}, 258_400, "recorded by the host"),
        (None, PLAIN, {}, 128_000, "registry"),
        (9_000, PLAIN, known, 9_000, "stated"),
        (None, Policy(name="p", window=7_000), known, 7_000, "policy p"),
        (None, capped, known, 50_000, "below 64,000 (learned"),
        (None, capped, {"recorded": 30_000}, 30_000, "recorded by the host"),
    ):
        tokens, said = resolve(stated, "gpt-4o-mini", policy, **given)
        assert (tokens, source in said) == (window, True)


@pytest.mark.parametrize(
    "name",
    [
        "claude-sonnet-4-5",
        "claude-sonnet-4.5",
        "anthropic/claude-sonnet-4-5",
        "openrouter/anthropic/claude-sonnet-4.5:beta",
        "claude-sonnet-4-5-20250929",
        "claude-sonnet-4-5@20250929",
        "claude-sonnet-4-5-latest",
        "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        " Claude-Sonnet-4-5 ",
    ],
)
def test_one_model_under_many_names(name: str) -> None:
    assert normalize_model(name) == "claude-sonnet-4-5"
    assert get_window(name) == 200_000


def test_a_variant_is_known_by_its_model_but_another_version_is_not() -> None:
    assert get_window("claude-sonnet-4-5-thinking") == get_window("claude-sonnet-4-5")
    assert get_window("claude-sonnet-4-5-9") is None
    assert get_window("gpt-4o-2024-08-06") == get_window("gpt-4o")
    assert get_window("never-heard-of-it") is None
    assert get_window("") is None


def test_presets_leave_the_window_to_the_model() -> None:
    assert resolve(None, "gemini-2.5-pro", load("openclaw"))[0] == 1_048_576
