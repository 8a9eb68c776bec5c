"""Strategies that shorten what arrives share one walk and one memo, and never each other's texts."""

from itertools import permutations

import pytest
from msgspec.structs import replace

from conversation import assistant, part, result, talk, user
from secateur.bounds import get_index
from secateur.budget import Budget
from secateur.model import Derived, Edit, Transcript
from secateur.protect import Protection
from secateur.strategies import Excerpt, ReduceOutput, Strategy
from secateur.strategies.new_results import NewResult, find_new_results

WATERED = "\n".join(f"rose {n} of bed {n % 9} was watered" for n in range(600))
EQUAL = "waiting for the gate to open\n" * 600
ALL = user("why?"), assistant(("c", "Bash", '{"command": "./run.sh"}')), result(f"{WATERED}\n{EQUAL}", "Bash", "c")
BUDGET = Budget(window=0, tokens_used=0, count=lambda text: len(text) // 4, protect=Protection(), recall_handles=True)


def remembering() -> Transcript:
    """A history beside which what is derived of it is kept."""
    talked = talk(*ALL)
    return replace(talked, index=replace(get_index(talked), derived=Derived()))


def edits(strategy: Strategy, talked: Transcript) -> list[Edit]:
    return list(strategy(talked, BUDGET))


@pytest.mark.parametrize("order", list(permutations((Excerpt(max_chars=2_000, dedupe_lines=True), ReduceOutput()))))
def test_no_strategy_is_given_the_text_of_another(order: tuple[Strategy, ...]) -> None:
    shared = remembering()
    texts = [edits(strategy, shared) for strategy in order]
    assert texts == [edits(strategy, remembering()) for strategy in order]
    assert all(texts)
    assert texts[0] != texts[1]


def test_a_text_is_made_once_for_its_form() -> None:
    [new] = find_new_results(remembering(), BUDGET, 1)
    assert new.remember("one", lambda: "first") == "first"
    assert new.remember("one", lambda: "second") == "first"
    assert new.remember("other", lambda: "second") == "second"
    without = NewResult(new.transcript, new.number, new.part, replace(BUDGET, recall_handles=False))
    assert without.remember("one", lambda: "no handle") == "no handle"


def test_what_is_short_or_was_edited_is_no_new_result() -> None:
    talked = remembering()
    key, size = part(talked, 2).key, len(part(talked, 2).text)
    assert [one.part.key for one in find_new_results(talked, BUDGET, size)] == [key]
    assert list(find_new_results(talked, BUDGET, size + 1)) == []
    assert list(find_new_results(talked, replace(BUDGET, edited_by={key: "excerpt"}), 1)) == []
    assert list(find_new_results(talked, replace(BUDGET, own_keys=frozenset({key})), 1)) == []
