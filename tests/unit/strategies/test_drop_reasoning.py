"""Older thinking goes, oldest first and without a gap; the running turn keeps its own."""

import pytest

from conversation import talk, user
from secateur.budget import Budget
from secateur.model import Message, Part, Remove, Restore, Transcript
from secateur.plan import with_dependents
from secateur.protect import Protection
from secateur.strategies import DropReasoning
from secateur.tokens import get_counter


def thinking(text: str, signature: str = "", tied: bool = False, bound: bool = False) -> Message:
    """An assistant message that thinks, then speaks."""
    reasoning = Part("reasoning", (), text, fingerprint=signature, pinned=True, prefix_bound=bound, joined_to_next=tied)
    return Message("assistant", (), (reasoning, Part("text", (), "so")))


def dropped(transcript: Transcript, protect: Protection | None = None, **fields: bool) -> list[str]:
    """The thoughts that go."""
    budget = Budget(window=1_000, tokens_used=0, count=get_counter("chars"), protect=protect or Protection())
    keys = {edit.key for edit in DropReasoning(**fields)(transcript, budget)}
    return [part.text for message in transcript.messages for part in message.parts if part.key in keys]


def test_the_running_turn_keeps_its_thoughts() -> None:
    talked = talk(user(), thinking("a"), user(), thinking("b"), user(), thinking("c"))
    assert dropped(talked) == ["a", "b"]
    assert dropped(talked, Protection(last_turns=2)) == ["a"]
    assert dropped(talk(thinking("a"))) == []


def test_signed_thoughts_stay_where_only_plain_ones_go() -> None:
    talked = talk(user(), thinking("a"), thinking("b", "sig"), thinking("c"), user())
    assert dropped(talked, signed=False) == ["a"]
    assert dropped(talked) == ["a", "b", "c"]


def test_no_gap_is_left() -> None:
    talked = talk(user(), thinking("a"), thinking("b", "sig", tied=True), thinking("c"), user())
    assert dropped(talked) == ["a"]


@pytest.mark.parametrize(
    ("gone", "void"),
    [
        ([0], []),  # from the start: what is left stays valid
        ([0, 1], []),
        ([1], [2]),  # a gap: what is behind it is void
        ([], []),
    ],
)
def test_what_is_dropped_from_the_start_voids_nothing(gone: list[int], void: list[int]) -> None:
    messages = talk(user(), *(thinking(text, f"sig {text}", bound=True) for text in "abc"), user()).messages
    keys = [part.key for message in messages for part in message.parts if part.kind == "reasoning"]
    edits = tuple(Remove(keys[number]) for number in gone)
    assert [edit.key for edit in with_dependents(messages, edits)[len(edits) :]] == [keys[number] for number in void]


def alone(text: str, bound: bool = False) -> Message:
    """An assistant message of nothing but thoughts."""
    return Message(
        "assistant", (), (Part("reasoning", (), text, fingerprint="sig" if bound else "", prefix_bound=bound),)
    )


def test_a_message_of_thoughts_alone_stays_where_other_thoughts_are_bound_to_it() -> None:
    bound = thinking("b", "sig b", bound=True)
    assert dropped(talk(user(), thinking("a"), alone("x"), thinking("c"), user())) == ["a", "x", "c"]
    assert dropped(talk(user(), thinking("a"), alone("x"), bound, user())) == ["a"]


@pytest.mark.parametrize("bound", [True, False])
def test_what_empties_a_message_voids_what_is_bound_behind_it(bound: bool) -> None:
    """API rule A54: it goes as a whole, or something else is in its place."""
    messages = talk(user(), alone("x", bound), thinking("b", "sig b", bound=True), user()).messages
    first, second = messages[1].parts[0], messages[2].parts[0]
    assert with_dependents(messages, (Remove(first.key),)) == (Remove(first.key), Remove(second.key, strategy="settle"))


def test_what_went_before_leaves_no_gap_behind_it() -> None:
    messages = talk(user(), *(thinking(text, f"sig {text}", bound=True) for text in "abc"), user()).messages
    first, second, third = [part.key for message in messages for part in message.parts if part.kind == "reasoning"]
    assert with_dependents(messages, (Remove(second),), {first}) == (Remove(second),)
    assert with_dependents(messages, (Restore(first),), {first, second}) == (
        Restore(first),
        Remove(third, strategy="settle"),
    )
