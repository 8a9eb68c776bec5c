"""Each provider's own rules and prices through the cache model: what a prompt reads, writes and costs, by model."""

import pytest

from secateur.model import Message, Part
from secateur.pricing import CacheRules, Price, get_rules, price_of
from secateur.simulate.bill import compute_units
from secateur.simulate.cache import Cache, CachedPrompt, Caching, Prompts

DAY_S = 86_400


def rules(model: str) -> CacheRules:
    found = get_rules(model)
    assert found is not None
    return found


def price(model: str) -> Price:
    found = price_of(model)
    assert found is not None
    return found


def said(name: str, *tokens: int, role: str = "user") -> Message:
    """A message of one part for each size."""
    parts = tuple(Part("text", (), f"{name}{n}", key=f"{name}{n}", tokens=size) for n, size in enumerate(tokens))
    return Message("assistant" if role == "assistant" else "user", (), parts, key=f"{name}{len(tokens) - 1}")


class Client:
    """Sends histories of one model at given seconds."""

    def __init__(self, model: str, fixed: int = 0, hour: bool = False) -> None:
        self.cache, self.prompts = Cache(Caching(rules=rules(model), hour=hour)), Prompts(fixed)

    def send(self, *messages: Message, at_s: float = 0.0, model: str = "", state: int = 0) -> CachedPrompt:
        return self.cache.send(self.prompts.build_prompt(messages, model=model, state=state), at_s * 1_000)


@pytest.mark.parametrize(
    ("model", "least"),
    [
        ("claude-opus-5", 512),
        ("claude-fable-5-2", 512),
        ("claude-sonnet-5", 1_024),
        ("claude-opus-4-8", 1_024),
        ("claude-opus-4-7", 2_048),
        ("claude-opus-4-5", 4_096),
        ("claude-haiku-4-5", 4_096),
        ("gpt-4o", 1_024),
        ("gpt-5.5", 2_048),
        ("gpt-5.6-sol", 1_024),
        ("gemini-2.5-flash", 1_024),
        ("gemini-2.5-pro", 4_096),
    ],
)
def test_a_shorter_prompt_than_the_least_is_never_read(model: str, least: int) -> None:
    for tokens, kept in ((least - 1, False), (least, True)):
        client = Client(model)
        first = client.send(said("a", tokens))
        again = client.send(said("a", tokens), at_s=10)
        assert (again.read > 0) is kept
        assert (first.write > 0) is (kept and rules(model).writes_cost)


@pytest.mark.parametrize(
    ("model", "hour", "lives_s"),
    [
        ("claude-opus-5", False, 300),
        ("claude-opus-5", True, 3_600),
        ("gpt-4o", False, 600),
        ("gpt-4.1", True, DAY_S),
        ("gpt-5.5", False, DAY_S),
        ("gpt-5.6-sol", False, 1_800),
        ("gpt-6.1-terra", False, 1_800),
        ("gemini-2.5-pro", False, 300),
        ("deepseek-v4-pro", False, DAY_S),
    ],
)
def test_a_prefix_lives_so_long_since_it_was_used_last(model: str, hour: bool, lives_s: float) -> None:
    client, prompt = Client(model, hour=hour), said("a", 16_384)
    client.send(prompt)
    assert client.send(prompt, at_s=lives_s - 1).read == 16_384
    assert client.send(prompt, at_s=2 * lives_s - 2).read == 16_384  # reading began its time anew
    late = client.send(prompt, at_s=3 * lives_s - 2)
    assert (late.read, late.cold) == (0, True)


@pytest.mark.parametrize(("model", "step"), [("gpt-4o", 128), ("gpt-5.2", 128), ("gpt-5.5", 2_048)])
def test_what_is_read_comes_in_steps(model: str, step: int) -> None:
    client = Client(model)
    client.send(said("a", 5_000))
    assert client.send(said("a", 5_000), said("b", 10), at_s=5).read == 5_000 // step * step


@pytest.mark.parametrize(
    ("model", "first", "next_"),
    [
        ("claude-opus-4-5", 1.25, 0.1),
        ("claude-opus-5-5", 1.25, 0.05),
        ("claude-fable-5-2", 1.25, 0.025),
        ("gpt-4o", 1.0, 0.5),
        ("gpt-5", 1.0, 0.1),
        ("gpt-5.6-sol", 1.25, 0.1),
        ("gpt-6.1-sol", 1.25, 0.05),
        ("gemini-2.5-pro", 1.0, 0.1),
        ("deepseek-v4-pro", 1.0, 0.022 / 0.66),
    ],
)
def test_writing_has_a_premium_where_the_provider_asks_one(model: str, first: float, next_: float) -> None:
    client, tokens = Client(model), 16_384
    costs = [compute_units(price(model), client.send(said("a", tokens), at_s=at), 0) / tokens for at in (0, 60)]
    assert costs == pytest.approx([first, next_])


def test_an_hour_is_written_dearer() -> None:
    client = Client("claude-opus-4-5", hour=True)
    assert compute_units(price("claude-opus-4-5"), client.send(said("a", 10_000)), 0, hour=True) == pytest.approx(
        20_000
    )


def test_parallel_calls_are_blocks_of_their_own() -> None:
    """Twenty-one of them in one message lie beyond what a mark looks back; sixteen do not."""
    for calls, read in ((16, 8_000), (21, 0)):
        client = Client("claude-opus-5")
        client.send(said("a", 8_000))
        assert client.send(said("a", 8_000), said("B", *[50] * calls, role="assistant"), at_s=5).read == read


def test_gpt_5_6_finds_ends_of_messages_and_nothing_between() -> None:
    client = Client("gpt-5.6-sol")
    client.send(said("a", 4_000), said("b", 2_000, 2_000))
    inside = client.send(said("a", 4_000), said("b", 2_000), at_s=1)
    assert (inside.read, inside.write) == (0, 6_000), "the first half of a message is no place"
    assert client.send(said("a", 4_000), said("b", 2_000), said("c", 500), at_s=2).read == 6_000


def test_before_5_6_any_common_prefix_counts() -> None:
    client = Client("gpt-5")
    client.send(said("a", 4_000), said("b", 2_000, 2_000))
    assert client.send(said("a", 4_000), said("b", 2_000), at_s=1).read == 6_000 // 128 * 128


def test_deepseek_reads_the_last_answer_after_six_seconds() -> None:
    for at_s, read in ((5, 0), (7, 4_100)):
        client, asked = Client("deepseek-v4-pro"), said("a", 4_000)
        client.send(asked)
        assert client.send(asked, said("B", 100, role="assistant"), said("c", 9), at_s=at_s).read == read


@pytest.mark.parametrize(
    ("model", "over", "input_", "output"),
    [
        ("claude-haiku-5-5", 100_000, 5.0, 5.0),
        ("gemini-2.5-pro", 200_000, 2.0, 1.5),
        ("gpt-5.5", 272_000, 2.0, 1.5),
        ("gpt-5.6-sol", 272_000, 2.0, 1.5),
        ("gpt-6.1-sol", 272_000, 2.0, 1.5),
    ],
)
def test_a_tier_is_for_the_whole_request(model: str, over: int, input_: float, output: float) -> None:
    one, base = price(model), price(model).base
    for sent in (CachedPrompt(0, 0, over), CachedPrompt(over, 0, 0), CachedPrompt(over - 100, 100, 0)):
        below = compute_units(one, sent, 0)
        above = compute_units(one, CachedPrompt(sent.read, sent.write, sent.plain + 1), 0) - input_
        assert above == pytest.approx(input_ * below)
    assert compute_units(one, CachedPrompt(0, 0, over + 1), 10) - compute_units(
        one, CachedPrompt(0, 0, over + 1), 0
    ) == pytest.approx(10 * base.o * output)


@pytest.mark.parametrize(
    ("model", "change", "scope"),
    [
        *(("claude-opus-5", change, "all") for change in ("tools", "model")),
        *(("claude-opus-5", change, "system") for change in ("system", "speed", "web_search", "citations")),
        *(("claude-opus-5", change, "messages") for change in ("tool_choice", "images", "thinking", "effort")),
        *(("gpt-5", change, "all") for change in ("model", "tools", "parallel_tool_calls", "text_format", "effort")),
        ("gpt-6-sol", "verbosity", "all"),
        *(("gemini-2.5-pro", change, "all") for change in ("model", "tools")),
        *(("deepseek-v4-pro", change, "all") for change in ("model", "tools")),
    ],
)
def test_what_a_change_takes_out_of_the_cache(model: str, change: str, scope: str) -> None:
    assert rules(model).invalidates[change] == scope
    client, history = Client(model, fixed=20_000), said("a", 8_000)
    client.send(history, model="m")
    after = client.send(history, at_s=10, **({"state": 1, "model": "m"} if scope == "messages" else {"model": "n"}))
    assert after.read == (20_000 if scope == "messages" else 0)
