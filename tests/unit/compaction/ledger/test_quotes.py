"""Which of the agent's last words and last calls stand under what is next."""

from msgspec.structs import replace

from secateur.compaction.ledger import Command, Ledger, Quote, UserRequest
from secateur.compaction.ledger.entries import Progress
from secateur.compaction.ledger.quotes import UNDONE_CHARS, select_quotes
from secateur.compaction.ledger.work.verdict import render_verdict

DONE = UserRequest("Fix the cart.", "done", "a", progress=Progress(("changed cart.py",), "It is mended."))
BEGUN = UserRequest("Write the menu.", "open", "b", progress=Progress(("pytest → ok",)))


def test_words_from_before_the_open_request_go_once_something_was_done_for_it() -> None:
    before = Quote("The cart is mended.", is_answered=True)
    ledger = Ledger(requests=(DONE, BEGUN), last_words=before)
    assert select_quotes(ledger).last_words is None
    assert select_quotes(replace(ledger, requests=(DONE, replace(BEGUN, progress=None)))).last_words == before
    left = Quote("The cart is not pushed yet.", is_answered=True)
    assert select_quotes(replace(ledger, last_words=left)).last_words == left


def test_a_report_of_work_is_quoted_only_where_it_tells_of_something_left() -> None:
    ledger = Ledger(requests=(DONE,), last_words=Quote("Yes."), report=Quote("The cart is mended."))
    assert select_quotes(ledger).report is None
    left = Quote("The store is not done yet.")
    assert select_quotes(replace(ledger, report=left)).report == left
    assert select_quotes(replace(ledger, requests=())).report == ledger.report
    long = Quote("The cart is mended. " * 40 + "The price is not done yet.")
    told = select_quotes(replace(ledger, report=long)).report
    assert told
    assert len(told.text) <= UNDONE_CHARS
    assert "The price is not done yet." in told.text


def test_a_call_that_went_well_and_is_told_elsewhere_is_not_listed() -> None:
    calls = (Command("Read cart.py"), Command("pytest -q"), Command("push it", False), Command("ping shop"))
    ledger = Ledger(requests=(replace(BEGUN, progress=Progress(("pytest -q → ok",))),), last_calls=calls)
    assert select_quotes(ledger).last_calls == calls[2:]


def test_behind_an_announcement_all_calls_but_reading_are_listed_or_the_first_one() -> None:
    calls = (Command("Read cart.py"), Command("pytest -q"), Command("Edit cart.py"))
    done = replace(BEGUN, progress=Progress(("pytest -q → ok · changed cart.py",)))
    ledger = Ledger(requests=(done,), last_calls=calls, last_words=Quote("Let me read the cart:"))
    assert select_quotes(ledger).last_calls == calls[1:]
    edits = (Command("Edit cart.py: adds row"), calls[1], Command("Edit cart.py: adds sum"))
    assert select_quotes(replace(ledger, last_calls=edits)).last_calls == edits[1:]
    assert select_quotes(replace(ledger, last_calls=calls[:1])).last_calls == calls[:1]


def test_of_calls_that_only_look_the_last_one_is_listed_and_those_that_show_something() -> None:
    looks = tuple(Command(f"cd shop && sed -n '1,{n}p' cart.py") for n in (20, 40))
    found, made = Command("wc -l cart.py", told="12 cart.py"), Command("git switch -c cart")
    ledger = Ledger(requests=(BEGUN,), last_words=Quote("Let me read the cart:"))
    assert select_quotes(replace(ledger, last_calls=(*looks[:1], found, *looks[1:]))).last_calls == (found, looks[1])
    assert select_quotes(replace(ledger, last_calls=(made, *looks))).last_calls == (made, looks[1])


def test_the_last_look_is_listed_where_nothing_else_tells_that_the_agent_has_begun() -> None:
    looks = Command("Read cart.py"), Command("ls shop", told="cart.py")
    ledger = Ledger(requests=(DONE, replace(BEGUN, progress=None)), last_calls=looks)
    assert select_quotes(ledger).last_calls == looks[1:]
    assert "in the middle of its work" in render_verdict(select_quotes(ledger))
    assert select_quotes(replace(ledger, requests=(DONE, BEGUN))).last_calls == ()


def test_the_reply_of_the_newest_request_is_what_the_agent_said_last() -> None:
    ledger = Ledger(requests=(DONE,), last_words=Quote("It is mended."))
    assert select_quotes(ledger).requests[0].progress == Progress(("changed cart.py",))
