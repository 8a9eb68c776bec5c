"""Replies that only answer the agent: the question or offer that they answer is quoted behind them."""

import pytest

from conversation import assistant, talk, user
from secateur.compaction.ledger import build_ledger, fit_ledger, merge, read_back, render_ledger
from secateur.tokens import estimate

OFFER = "The cache works.\n\nShould I also close the gaps in the tests, or push it as it is?"
POINTS = "Two points are open: (1) whether tags are warned about too; (2) whether the flag implies it."
MIDWAY = "That is confusing.\n\nWant me to move it to the pending area? The changes would be:\n1. A flag\n2. A queue"


@pytest.mark.parametrize(
    ("said", "reply", "quoted"),
    [
        (OFFER, "yeah, let's close the gaps", "Should I also close the gaps in the tests, or push it as it is?"),
        (POINTS, "1: yes, 2: yes", "1) whether tags are warned about too · 2) whether the flag implies it."),
        (MIDWAY, "no, we want to put it in the chat area", "Want me to move it to the pending area?"),
        ("The cache works.", "yes, and write the docs for it", ""),
        (OFFER, "No new dependencies for the parser.", ""),
        (OFFER, "Write the docs for the parser.", ""),
    ],
)
def test_a_reply_is_listed_with_the_question_that_it_answers(said: str, reply: str, quoted: str) -> None:
    ledger = build_ledger(talk(user("Write the cache."), assistant(text=said), user(reply)).messages)
    lines = render_ledger(fit_ledger(ledger, 4_000, estimate))
    shown = f"] {reply} — in answer to: “{quoted}”" if quoted else f"] {reply}"
    assert lines["goal"][0].endswith(shown)
    assert render_ledger(read_back(lines)) == lines
    assert render_ledger(merge(read_back(lines), build_ledger(())))["goal"] == lines["goal"]


def test_a_demand_that_begins_as_a_reply_is_listed_with_the_question_too() -> None:
    reply = "yes, but never push without asking me"
    ledger = build_ledger(talk(user("Write the cache."), assistant(text=OFFER), user(reply)).messages)
    lines = render_ledger(ledger)
    assert lines["constraints"][0].endswith(f"] {reply} — in answer to: “{OFFER.splitlines()[-1]}”")
    assert render_ledger(read_back(lines)) == lines
