"""The prompt cache: one test for each rule that providers state. Blocks are named by a letter and have 1,000 tokens."""

from typing import Any

import msgspec
import pytest

from secateur.model import Message, Part
from secateur.pricing.rules import CacheRules
from secateur.simulate.cache import Cache, CachedPrompt, Caching, Prompts

MARKS = CacheRules(
    name="marks",
    models=(),
    positions="marks",
    writes_cost=True,
    ttl_long_s=3_600.0,
    source="made up",
    date="2026-01-01",
)
STEPS = msgspec.structs.replace(MARKS, positions="steps", step_tokens=128, writes_cost=False)
MESSAGES = msgspec.structs.replace(MARKS, positions="messages", look_back=80)
ANSWERS = msgspec.structs.replace(MARKS, positions="answers", minimum_tokens=64, delay_s=6.0, writes_cost=False)


def block(name: str, tokens: int = 1_000) -> Message:
    """A message of one block. Capital letters are the model's."""
    part = Part("text", (), name, key=name, tokens=tokens)
    return Message("assistant" if name.isupper() else "user", (), (part,), key=name)


class Client:
    """Sends prompts that are spelled as letters."""

    def __init__(self, rules: CacheRules, fixed: int = 0, **settings: Any) -> None:
        self.cache = Cache(Caching(rules=rules, **settings))
        self.prompts = Prompts(fixed, strips_reasoning=rules.strips_reasoning)
        self.blocks: dict[tuple[str, int], Message] = {}

    def send(
        self, letters: str, at_s: float, tokens: int = 1_000, edited: bool = False, **head: Any
    ) -> tuple[int, int, int]:
        sent = self.sent(letters, at_s, tokens, edited, **head)
        return sent.read, sent.write, sent.plain

    def sent(self, letters: str, at_s: float, tokens: int = 1_000, edited: bool = False, **head: Any) -> CachedPrompt:
        said = tuple(self.blocks.setdefault((one, tokens), block(one, tokens)) for one in letters)
        return self.cache.send(self.prompts.build_prompt(said, **head), at_s * 1_000, edited=edited)


def test_a_prefix_below_the_minimum_is_not_kept() -> None:
    client = Client(MARKS)
    assert client.send("a", 0, tokens=1_000) == (0, 0, 1_000)
    assert client.send("ab", 1, tokens=1_000) == (0, 2_000, 0)
    assert client.send("abc", 2, tokens=1_000) == (2_000, 1_000, 0)


def test_a_grown_prompt_reads_what_was_written_and_writes_the_rest() -> None:
    client = Client(MARKS)
    assert client.send("aBc", 0) == (0, 3_000, 0)
    assert client.send("aBcDe", 1) == (3_000, 2_000, 0)
    assert client.sent("aBcDe", 2) == CachedPrompt(5_000, 0, 0)


@pytest.mark.parametrize(("more", "read"), [(19, 2_000), (20, 2_000), (21, 0)])
def test_a_mark_looks_back_twenty_blocks(more: int, read: int) -> None:
    client = Client(MARKS)
    client.send("ab", 0)
    assert client.send("ab" + "cdefghijklmnopqrstuvw"[:more], 1)[0] == read


@pytest.mark.parametrize(("free", "read"), [(1, 2_000), (0, 0)])
def test_a_mark_before_an_edit_finds_what_stood_there_if_a_slot_is_free(free: int, read: int) -> None:
    client = Client(MARKS, free=free)
    client.send("ab" + "cdefghijklmnopqrstuvw", 0)
    client.send("ab", 1)
    assert client.send("ab" + "xdefghijklmnopqrstuvwxy", 2, edited=True)[0] == read


def test_after_an_edit_the_last_unmodified_block_is_read() -> None:
    client = Client(MARKS)
    client.send("ab", 0)
    client.send("abcd", 1)
    assert client.sent("abcxe", 2) == CachedPrompt(2_000, 3_000, 0, lost=2_000)
    assert client.sent("abcxef", 3) == CachedPrompt(5_000, 1_000, 0)


def test_the_mark_before_an_edit_is_left_even_where_another_model_was_sent_what_is_before_it() -> None:
    client = Client(MARKS)
    client.send("abcd", 0, model="one")
    assert client.send("abxd", 1, model="two", edited=True) == (0, 4_000, 0)
    assert client.send("abyd", 2, model="two") == (2_000, 2_000, 0)


def test_the_mark_before_an_edit_is_left_there_even_where_reasoning_behind_it_is_stripped() -> None:
    cache, prompts = Cache(Caching(rules=MARKS, free=1)), Prompts(1_000, strips_reasoning=True)
    thought = Message("assistant", (), (Part("reasoning", (), "hm", key="hm", tokens=500),), key="hm")
    begun = (block("a"), block("B"))
    cache.send(prompts.build_prompt((*begun, block("C"), thought)), 0)
    cache.send(prompts.build_prompt((*begun, block("X"), thought, block("d"))), 1, edited=True)
    assert cache.send(prompts.build_prompt((*begun, block("Y"), thought, block("d"))), 2).read == 3_000


def test_marks_are_few() -> None:
    one = Client(msgspec.structs.replace(MARKS, breakpoints=1), fixed=5_000)
    many = Client(MARKS, fixed=5_000)
    for client in (one, many):
        client.send("ab", 0)
    far = "x" + "cdefghijklmnopqrstuvw"
    assert one.send(far, 1) == (0, 27_000, 0)
    assert many.send(far, 1) == (5_000, 22_000, 0)


def test_time_runs_from_the_start_of_the_last_request_that_used_it() -> None:
    client = Client(MARKS)
    client.send("ab", 0)
    assert client.send("abc", 299) == (2_000, 1_000, 0)
    assert client.send("abcd", 598) == (3_000, 1_000, 0)
    assert client.sent("abcde", 898) == CachedPrompt(0, 5_000, 0, cold=True)


def test_an_hour_can_be_bought() -> None:
    client = Client(MARKS, hour=True)
    client.send("ab", 0)
    assert client.send("abc", 3_599) == (2_000, 1_000, 0)
    assert client.send("abcd", 7_199) == (0, 4_000, 0)


@pytest.mark.parametrize(("refresh", "read"), [("path", 2_000), ("hit", 0)])
def test_a_read_renews_shorter_prefixes_or_only_what_it_hit(refresh: str, read: int) -> None:
    client = Client(MARKS, refresh=refresh)
    client.send("ab", 0)
    client.send("abc", 200)
    client.send("abcd", 400)
    assert client.send("abx", 550)[0] == read


def test_exact_at_ends_of_requests_and_nowhere_else() -> None:
    client = Client(MESSAGES)
    client.send("abc", 0)
    assert client.send("abcDe", 1) == (3_000, 2_000, 0)
    assert client.send("abcDx", 2) == (3_000, 2_000, 0)
    assert client.send("abx", 3) == (0, 3_000, 0)


def test_only_the_newest_endings_are_looked_at() -> None:
    client = Client(msgspec.structs.replace(MESSAGES, look_back=3))
    client.send("ab", 0)
    assert client.send("abcd", 1)[0] == 2_000
    assert client.send("abcdefg", 2)[0] == 0


def test_steps_of_128_tokens() -> None:
    client = Client(STEPS)
    assert client.send("ab", 0) == (0, 0, 2_000)
    assert client.send("abc", 1) == (1_920, 0, 1_080)
    assert client.send("axc", 2) == (0, 0, 3_000)
    assert client.send("abcd", 3) == (2_944, 0, 1_056)


def test_an_answer_can_be_read_as_well_after_a_while() -> None:
    client = Client(ANSWERS)
    assert client.send("ab", 0) == (0, 0, 2_000)
    assert client.send("abCd", 5) == (0, 0, 4_000)
    late = Client(ANSWERS)
    late.send("ab", 0)
    assert late.send("abCd", 6) == (3_000, 0, 1_000)
    assert late.send("axCd", 20) == (0, 0, 4_000)


def test_a_prefix_that_is_still_being_built_is_ready_no_later_for_being_sent_again() -> None:
    client = Client(msgspec.structs.replace(ANSWERS, look_back=0))
    client.send("ab", 0)
    client.send("abCd", 4, edited=True)  # marks the end of the first request again
    assert client.send("abDe", 7) == (2_000, 0, 2_000)


def test_lookups_may_fail_by_chance() -> None:
    client = Client(msgspec.structs.replace(STEPS, miss_share=1.0))
    client.send("ab", 0)
    assert client.send("abc", 1)[0] == 0


def test_where_there_is_no_cache_all_is_input() -> None:
    client = Client(msgspec.structs.replace(MARKS, positions="none"))
    client.send("ab", 0)
    assert client.send("abc", 1) == (0, 0, 3_000)


def test_another_model_shares_nothing_and_other_settings_share_the_system_prompt() -> None:
    client = Client(MARKS, fixed=4_000)
    client.send("ab", 0, model="one")
    assert client.send("abc", 1, model="two") == (0, 7_000, 0)
    assert client.send("abc", 2, model="one") == (6_000, 1_000, 0)
    assert client.send("abc", 3, model="one", state=1) == (4_000, 3_000, 0)


def test_reasoning_of_earlier_turns_is_stripped_where_the_provider_does_so() -> None:
    thought = Message(
        "assistant", (), (Part("reasoning", (), "hm", key="hm", tokens=500), Part("text", (), "B", key="B", tokens=500))
    )
    call = Message("tool", (), (Part("tool_result", (), "c", key="c", tokens=1_000),), "harness")
    history = (block("a", 2_000), thought, call)
    rules = msgspec.structs.replace(MARKS, strips_reasoning=True)
    cache, prompts = Cache(Caching(rules=rules)), Prompts(strips_reasoning=True)
    assert cache.send(prompts.build_prompt(history), 0).write == 4_000
    assert cache.send(prompts.build_prompt((*history, block("D"))), 1) == CachedPrompt(4_000, 1_000, 0)
    turn = cache.send(prompts.build_prompt((*history, block("D"), block("e"))), 2)
    assert (turn.read, turn.tokens) == (0, 5_500)


def test_a_medium_is_part_of_the_result_that_holds_it() -> None:
    held = Part("media", (), key="m", container_key="r", tokens=1_600)
    result = Message("tool", (), (Part("tool_result", (), "r", key="r", tokens=400), held), "harness")
    prompt = Prompts(1_000).build_prompt((block("a"), result))
    assert (prompt.ends, prompt.stops) == ([1_000, 2_000, 4_000], [1, 2])
