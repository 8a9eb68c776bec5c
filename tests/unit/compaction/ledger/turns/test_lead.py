"""The words that began the piece of work in progress."""

from conversation import assistant, result, user
from secateur.compaction.ledger import build_ledger, read_back, render_ledger
from secateur.compaction.ledger.entries import Quote
from secateur.model import Message

FIRST = "**7. The limit of a prompt.** The number 100 stands in three places, and so it should have a name of its own:"
ASKED = user("Mend what you find in the shop.")


def look(number: str, text: str, tool: str = "read") -> tuple[Message, Message]:
    call = (number, tool, f'{{"path": "part{number}.py"}}')
    return assistant(call, text=text), result("LIMIT = 100", tool, number)


CHANGED = look(
    "1", "The cart has to be mended first, since everything that is sold goes through it, as you said.", "edit"
)
BEGUN = (ASKED, *CHANGED, *look("2", FIRST))


def test_the_first_words_since_the_last_change_stand_before_the_last_ones() -> None:
    lines = render_ledger(build_ledger((*BEGUN, *look("3", "Let me put it beside the types:"))))
    told = [line for line in lines["next"] if "the agent said" in line]
    assert told[0] == f"- earlier in this turn the agent said: {FIRST}"
    assert told[1].startswith("- the agent said last: Let me put it")
    assert read_back(lines).lead == Quote(FIRST)


def test_words_that_a_change_a_request_or_the_end_of_the_turn_followed_are_no_lead() -> None:
    last = look("3", "Let me put it beside the types:")
    assert build_ledger((*BEGUN, *last)).lead
    for follows in (look("4", "", "edit"), (user("Stop that."),), (assistant(text="It is mended now."),)):
        assert build_ledger((*BEGUN, *last, *follows)).lead is None
    assert build_ledger(BEGUN).lead is None  # these are the last words
    assert build_ledger((ASKED, *CHANGED, *look("2", "Let me look:"), *last)).lead is None  # it only announces


def test_before_short_last_words_stand_the_newest_that_say_more() -> None:
    status = "The branch is being tested now. What was mended works; the old state is built, to show that it did not."
    waiting = (*look("3", status), *look("4", "Still building."))
    lead = build_ledger((*BEGUN, *waiting)).lead
    assert lead is not None
    assert lead.text == status
