"""What the newest request takes up: the agent's long text before it."""

import pytest

from conversation import assistant, result, talk, user
from secateur.compaction.ledger import build_ledger, fit_ledger, merge, read_back, render_ledger
from secateur.compaction.ledger.next_lines import BASIS
from secateur.model import Message
from secateur.tokens import estimate

PLAN = "Here is the plan:\n\n" + "\n".join(f"{n}. Weave part {n} of the basket, {'slowly ' * 8}" for n in range(1, 9))
SHORT = f"Only the lid changes then. {'It will be of reed. ' * 25}"
WORK = (assistant(("1", "bash", '{"command": "ls"}')), result("basket.md", "bash", "1"))
EDIT = (
    assistant(("2", "edit", '{"path": "basket.md", "oldText": "a", "newText": "b"}')),
    result("Edited basket.md.", "edit", "2"),
)


def taken_up(*messages: Message) -> str:
    lines = render_ledger(fit_ledger(build_ledger(talk(*messages).messages), 4_000, estimate))
    assert render_ledger(read_back(lines)) == lines
    return next((line for line in lines["next"] if line.startswith(f"- {BASIS}: ")), "")


@pytest.mark.parametrize(
    ("asked", "is_told"),
    [
        ("yes, start with that", True),
        ("Let's do it", True),
        ("2", True),
        ("Please carry out the first three points.", True),
        ("Write a letter to the baker.", False),
        ("What does a basket cost?", False),
    ],
)
def test_a_reply_takes_up_the_plan_before_it(asked: str, is_told: bool) -> None:
    told = taken_up(user("Plan a basket."), assistant(text=PLAN), user(asked), *WORK)
    assert ("1. Weave part 1" in told) is is_told


@pytest.mark.parametrize(
    ("asked", "is_told"),
    [
        ("let's weave the lid on a new branch", True),
        ("A letter to the baker: the lid is blue.", False),
        ("Weave a bowl, not the lid.", False),
    ],
)
def test_an_offer_is_taken_in_its_own_words(asked: str, is_told: bool) -> None:
    offers = f"{PLAN}\n\nWant me to:\n1. **Weave the lid** first; or\n2. **Ask the baker**?"
    told = taken_up(user("Plan a basket."), assistant(text=offers), user(asked), *WORK)
    assert ("1. Weave part 1" in told) is is_told
    assert not taken_up(user("Plan a basket."), assistant(text=offers.replace("?", ".")), user(asked), *WORK)


def test_of_work_the_steps_tell() -> None:
    assert not taken_up(user("Make a basket."), *EDIT, assistant(text=PLAN), user("yes, go on"), *WORK)


def test_behind_a_long_plan_a_short_addition_does_not_count() -> None:
    said = (user("Plan a basket."), assistant(text=PLAN * 4), user("yes, with a lid"), assistant(text=SHORT))
    assert "Weave part 1" in taken_up(*said, user("ok, go ahead"), *WORK)


def test_it_is_gone_when_the_request_is() -> None:
    said = (user("Plan a basket."), assistant(text=PLAN), user("yes, start"), *WORK)
    assert not taken_up(*said, assistant(text="The basket is woven."))


def test_it_outlives_a_span_without_a_request() -> None:
    first = build_ledger(talk(user("Plan a basket."), assistant(text=PLAN), user("yes, start"), *WORK).messages)
    assert merge(first, build_ledger(talk(*EDIT).messages)).basis == first.basis
    assert merge(first, build_ledger(talk(user("Stop.")).messages)).basis is None
