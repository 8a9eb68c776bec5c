"""When a policy acts: every gate opens and closes at its number, and says it."""

import pytest

from conversation import assistant, results, talk, user
from secateur.budget import Budget
from secateur.protect import Protection
from secateur.schedule import EveryRequest, Never, Proposal, Threshold

TALKED = talk(user(), assistant(), results("x" * 396))
OPEN = ""


def budget(
    used: int = 0, window: int = 1_000, idle_s: float | None = None, protect: Protection | None = None
) -> Budget:
    return Budget(window=window, tokens_used=used, count=len, protect=protect or Protection(), idle_s=idle_s)


def test_only_gates_on_the_view_ask_what_it_holds() -> None:
    weighing = [
        one.needs_usage
        for one in (Never(), EveryRequest(), Threshold(over_prunable_tokens=1), Threshold(min_char_share=0.1))
    ]
    assert weighing == [False] * 4
    assert Threshold(over_window_share=0.1).needs_usage
    assert Threshold(over_tokens=1).needs_usage


def test_never() -> None:
    assert Never(reason="off").precheck(TALKED, budget()) == "off"
    proposal = Proposal(view=TALKED, budget=budget(), edits={}, count=len, marked=10, freed=10)
    assert Never(reason="off").decide(proposal).skipped_reason == "off"


def test_every_request_needs_something_to_do() -> None:
    assert EveryRequest().precheck(TALKED, budget()) == OPEN
    assert "1 user turns" in EveryRequest().precheck(TALKED, budget(protect=Protection(last_turns=2)))
    assert EveryRequest().check_freed(TALKED, budget(), 1, -5) == OPEN
    assert EveryRequest().check_freed(TALKED, budget(), 0, -5) == OPEN  # an empty result that takes a placeholder
    assert "nothing that may be edited" in EveryRequest().check_freed(TALKED, budget(), 0, 0)


@pytest.mark.parametrize(
    ("used", "says"), [(850, "850 tokens are in use, and the policy begins over 850 (85%)"), (851, OPEN)]
)
def test_over_share(used: int, says: str) -> None:
    assert Threshold(over_window_share=0.85).precheck(TALKED, budget(used)) == says


def test_a_share_of_an_unknown_window_is_never_reached() -> None:
    assert Threshold(over_window_share=0.85).precheck(TALKED, budget(10, window=0)).startswith("the window is unknown")


@pytest.mark.parametrize(
    ("used", "says"), [(500, "500 tokens are in use, and the policy begins over 500"), (501, OPEN)]
)
def test_over_tokens(used: int, says: str) -> None:
    assert Threshold(over_tokens=500).precheck(TALKED, budget(used)) == says


@pytest.mark.parametrize(
    ("idle_s", "says"),
    [
        (None, "no earlier call is known"),
        (299.0, "299 s ago"),
        (300.0, "300 s ago, and the policy waits until it is older than 300 s"),
        (300.5, OPEN),
    ],
)
def test_idle(idle_s: float | None, says: str) -> None:
    told = Threshold(min_idle_s=300).precheck(TALKED, budget(idle_s=idle_s))
    assert says in told
    assert bool(told) == bool(says)


def test_a_ttl_of_zero_never_prunes() -> None:
    assert "never prunes" in Threshold(min_idle_s=0).precheck(TALKED, budget(idle_s=1e9))


@pytest.mark.parametrize(("window", "open_"), [(250, True), (251, False), (0, False), (-1, False)])
def test_weight_is_four_characters_a_token(window: int, open_: bool) -> None:
    four_hundred = talk(user("1234"), results("x" * 396))
    assert (Threshold(min_char_share=0.4).precheck(four_hundred, budget(window=window)) == OPEN) is open_


@pytest.mark.parametrize(
    ("provider", "model", "open_"),
    [
        ("anthropic", "claude-opus-4-5", True),
        ("Anthropic", "", True),
        ("openrouter", "anthropic/claude-sonnet-4.5", True),
        ("openrouter", "openai/gpt-5", False),
        ("openai", "gpt-5", False),
        ("", "", False),
    ],
)
def test_only(provider: str, model: str, open_: bool) -> None:
    only = Threshold(only_models=("anthropic:*", "openrouter:anthropic/*"))
    assert (only.precheck(talk(user(), model=model, provider=provider), budget()) == OPEN) is open_


def test_only_asks_for_the_model() -> None:
    assert "the model is not known: name it" in Threshold(only_models=("anthropic:*",)).precheck(talk(user()), budget())


@pytest.mark.parametrize(
    ("marked", "says"),
    [
        (0, "nothing that may be edited"),
        (18_240, "18,240 tokens would be freed, and the policy asks for more than 20,000"),
    ]
    + [(20_000, "more than 20,000"), (20_001, OPEN)],
)
def test_more_than(marked: int, says: str) -> None:
    told = Threshold(over_prunable_tokens=20_000).check_freed(TALKED, budget(), marked, marked)
    assert says in told
    assert bool(told) == bool(says)


@pytest.mark.parametrize(
    ("window", "least"), [(32_000, 5_000), (64_000, 10_000), (128_000, 20_000), (1_000_000, 20_000)]
)
def test_more_than_scales_with_what_is_protected(window: int, least: int) -> None:
    table = Protection(last_tokens=((32_000, 10_000), (128_000, 40_000), (1_000_000, 100_000)))
    schedule = Threshold(over_prunable_tokens=20_000, or_over_protected_share=0.5)
    room = budget(window=window, protect=table)
    assert schedule.check_freed(TALKED, room, least, least) != OPEN
    assert schedule.check_freed(TALKED, room, least + 1, least) == OPEN


def test_clear_at_least() -> None:
    assert "499 tokens would be freed" in Threshold(clear_at_least=500).check_freed(TALKED, budget(), 900, 499)
    assert Threshold(clear_at_least=500).check_freed(TALKED, budget(), 900, 500) == OPEN
    assert Threshold().check_freed(TALKED, budget(), 4, -29) == OPEN
