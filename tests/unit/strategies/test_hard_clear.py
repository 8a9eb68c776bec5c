"""Hard clear: what becomes a placeholder, which one, and what stays."""

from typing import Any

from msgspec.structs import replace

from conversation import assistant, part, result, results, summary, talk, user
from secateur.budget import Budget
from secateur.model import Rewrite, Transcript
from secateur.protect import Protection
from secateur.strategies import HardClear

BARE = HardClear(placeholder="[gone]", never_longer=False)


def proposed(
    strategy: HardClear, talked: Transcript, protect: Protection | None = None, **facts: Any
) -> dict[str, str]:
    """The proposed texts by the text they replace, in order."""
    budget = Budget(**({"window": 0, "tokens_used": 0, "count": len, "protect": protect or Protection()} | facts))
    read = {part.key: part.text for message in talked.messages for part in message.parts}
    edits = list(strategy(talked, budget))
    assert all(isinstance(edit, Rewrite) and edit.strategy == "hard_clear" for edit in edits)
    return {read[edit.key]: edit.text for edit in edits}


def test_all_that_may_go_goes_oldest_first() -> None:
    talked = talk(user(), results("one", "two"), user(), results("three"))
    assert list(proposed(BARE, talked)) == ["one", "two", "three"]
    assert list(proposed(BARE, talked, Protection(last_turns=1))) == ["one", "two"]


def test_only_results_are_cleared() -> None:
    talked = talk(
        user("long" * 99), assistant(("c", "bash", '{"a":"long"}'), text="long" * 99), result("out", call="c")
    )
    assert list(proposed(BARE, talked)) == ["out"]


def test_the_template_speaks_of_the_result() -> None:
    swept = HardClear(
        placeholder="[{tool} {call}, {chars_grouped} chars]", error_placeholder="[{tool} {call} failed, {chars} chars]"
    )
    talked = talk(result("x" * 1_234, "read", "c9"), result("y" * 1_234, "bash", "c8", error=True))
    assert list(proposed(swept, talked).values()) == ["[read c9, 1,234 chars]", "[bash c8 failed, 1234 chars]"]


def test_braces_in_names_are_no_fields() -> None:
    swept = HardClear(placeholder="[{tool} {call}]", never_longer=False)
    assert proposed(swept, talk(result("out", "{0}", "{chars}"))) == {"out": "[{0} {chars}]"}


def test_without_a_template_it_says_what_went() -> None:
    talked = talk(assistant(("c1", "read", '{"path":"src/garden.py"}')), result("x" * 5_000, "read", "c1"))
    said = proposed(HardClear(), talked)["x" * 5_000]
    assert "read" in said
    assert "src/garden.py" in said
    assert "5000 chars" in said


def test_never_longer_leaves_short_results_alone() -> None:
    talked = talk(results("tiny", "longer than it"))
    assert proposed(HardClear(placeholder="[all gone]"), talked) == {"longer than it": "[all gone]"}
    assert proposed(HardClear(placeholder="[all gone]", never_longer=False), talked) == {
        "tiny": "[all gone]",
        "longer than it": "[all gone]",
    }
    assert proposed(HardClear(), talk(results("ok", ""))) == {}


def test_a_placeholder_as_long_as_its_result_saves_nothing() -> None:
    assert proposed(HardClear(placeholder="[gone]"), talk(results("6 char", "7 chars"))) == {"7 chars": "[gone]"}


def test_a_placeholder_of_more_tokens_than_its_result_is_not_written() -> None:
    one_token = "x" * 40
    counted = proposed(
        HardClear(placeholder="[all gone]"), talk(results(one_token)), count=lambda text: text.count(" ") + 1
    )
    assert counted == {}


def test_a_placeholder_is_never_cleared_again() -> None:
    once = talk(results("x" * 900), user(), results("y" * 900))
    for strategy in (HardClear(), BARE, HardClear(placeholder="[{tool}, was {chars} chars]")):
        cleared = [
            replace(
                message,
                parts=tuple(replace(p, text=proposed(strategy, once).get(p.text, p.text)) for p in message.parts),
            )
            for message in once.messages
        ]
        assert proposed(strategy, talk(*cleared)) == {}


def test_what_the_plan_cleared_is_no_candidate_and_what_it_trimmed_is() -> None:
    talked = talk(results("one", "two", "three"))
    keys = [one.key for one in talked.messages[0].parts]
    edited = {keys[0]: "hard_clear", keys[1]: "soft_trim", keys[2]: "excerpt"}
    assert list(proposed(BARE, talked, edited_by=edited)) == ["two", "three"]


def test_the_placeholder_of_an_excerpt_tells_the_size_of_the_original() -> None:
    talked = talk(result("excerpt", "read", "c"))
    shown = part(talked, 0)
    strategy = HardClear(placeholder="[{chars}]")
    raw = {shown.key: replace(shown, text="x" * 777)}
    assert proposed(strategy, talked, edited_by={shown.key: "excerpt"}, originals=raw) == {"excerpt": "[777]"}


def test_the_walk_can_end_at_what_was_cleared_before_and_at_a_summary() -> None:
    talked = talk(results("one"), summary(), results("two"), results("three"), results("four"))
    edited = {part(talked, 3).key: "hard_clear"}
    ends = HardClear(placeholder="[gone]", never_longer=False, stop_at_cleared=True)
    assert list(proposed(ends, talked)) == ["two", "three", "four"]
    assert list(proposed(ends, talked, edited_by=edited)) == ["four"]
    assert list(proposed(BARE, talked, edited_by=edited)) == ["one", "two", "four"]


def test_by_weight_it_stops_when_light_enough() -> None:
    talked = talk(user("1234"), results("a" * 100), results("b" * 100), results("c" * 100))
    heavy = HardClear(placeholder="[gone]", never_longer=False, min_char_share=0.5)
    assert list(proposed(heavy, talked, window=100)) == [
        "a" * 100,
        "b" * 100,
    ]  # 304, 210, 116 of 400: 0.76, 0.525, 0.29
    assert proposed(heavy, talked, window=1_000) == {}
    assert proposed(heavy, talked, window=0) == {}


def test_by_weight_the_share_itself_is_too_heavy() -> None:
    talked = talk(results("a" * 200))
    heavy = HardClear(placeholder="[gone]", never_longer=False, min_char_share=0.5)
    assert list(proposed(heavy, talked, window=100)) == ["a" * 200]
    assert proposed(heavy, talk(results("a" * 199)), window=100) == {}


def test_at_least_so_many_characters_together() -> None:
    talked = talk(results("a" * 50), results("b" * 50))
    assert len(proposed(HardClear(placeholder="[]", min_total_chars=100), talked)) == 2
    assert proposed(HardClear(placeholder="[]", min_total_chars=101), talked) == {}
    assert proposed(HardClear(placeholder="[]", min_total_chars=100), talked, Protection(last_messages=1)) == {}
