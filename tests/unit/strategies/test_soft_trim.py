"""Soft trim: long results keep their ends."""

from typing import Any

from msgspec.structs import replace

from conversation import part, result, results, talk, user
from secateur.budget import Budget
from secateur.model import Rewrite, Transcript
from secateur.protect import Protection
from secateur.strategies import SoftTrim

ENDS = SoftTrim(form="ends", max_chars=10, head_chars=3, tail_chars=4)


def trims(strategy: SoftTrim, talked: Transcript, protect: Protection | None = None, **facts: Any) -> list[str]:
    budget = Budget(**({"window": 1_000, "tokens_used": 0, "count": len, "protect": protect or Protection()} | facts))
    edits = list(strategy(talked, budget))
    assert all(isinstance(edit, Rewrite) and edit.strategy == "soft_trim" for edit in edits)
    return [edit.text for edit in edits if isinstance(edit, Rewrite)]


def test_ends_to_the_letter() -> None:
    note = "[Tool result trimmed: kept first 3 chars and last 4 chars of 11 chars.]"
    assert trims(ENDS, talk(results("abcdefghijk"))) == [f"abc\n...\nhijk\n\n{note}"]


def test_only_over_the_limit_and_only_if_something_is_left_out() -> None:
    assert trims(ENDS, talk(results("x" * 10))) == []
    assert len(trims(ENDS, talk(results("x" * 11)))) == 1
    whole = SoftTrim(form="ends", max_chars=5, head_chars=6, tail_chars=5)
    assert trims(whole, talk(results("x" * 11))) == []
    assert len(trims(whole, talk(results("x" * 12)))) == 1


def test_ends_needs_a_window_to_compare_with() -> None:
    assert trims(ENDS, talk(results("x" * 11)), window=0) == []


def test_every_one_that_may_go_is_trimmed_oldest_first() -> None:
    talked = talk(user(), results("a" * 20, "b" * 20), user(), results("c" * 20))
    assert [text[0] for text in trims(ENDS, talked)] == ["a", "b", "c"]
    assert [text[0] for text in trims(ENDS, talked, Protection(last_turns=1))] == ["a", "b"]


def test_code_points_stay_whole() -> None:
    text = trims(ENDS, talk(results("🌱🌿🌳" * 5)))[0]
    assert text.startswith("🌱🌿🌳\n...\n🌳🌱🌿🌳\n")


def test_ours_keeps_errors_and_is_never_longer() -> None:
    log = "\n".join([*("step ok" for _ in range(400)), "ERROR: disk full", *("step ok" for _ in range(400))])
    text = trims(SoftTrim(max_chars=1_000, head_chars=300, tail_chars=300), talk(results(log)))[0]
    assert "ERROR: disk full" in text
    assert len(text) <= 1_000


def test_what_was_trimmed_or_cleared_is_left_alone() -> None:
    talked = talk(results("a" * 20, "b" * 20, "c" * 20))
    keys = [one.key for one in talked.messages[0].parts]
    assert len(trims(ENDS, talked, edited_by={keys[0]: "soft_trim", keys[1]: "hard_clear"})) == 1


def test_an_excerpt_is_trimmed_from_the_original() -> None:
    talked = talk(result("excerpt of it"))
    shown = part(talked, 0)
    raw = {shown.key: replace(shown, text="0123456789" * 10)}
    text = trims(ENDS, talked, edited_by={shown.key: "excerpt"}, originals=raw)[0]
    assert text.startswith("012\n...\n6789\n")
    assert "of 100 chars" in text
    assert (
        trims(ENDS, talk(result("short")), edited_by={part(talk(result("short")), 0).key: "excerpt"}, originals=raw)
        == []
    )
