"""Which statements later edits and checks have overtaken."""

import json

import pytest
from msgspec.structs import replace

from conversation import assistant, result, talk, user
from secateur.compaction.extract import extract
from secateur.compaction.former import without_overtaken
from secateur.compaction.ledger import Ledger
from secateur.compaction.overtaken import LaterWork, Statement, list_overtaken, trace_work
from secateur.model import Message


def edited(path: str, old: str, new: str, text: str = "", ok: bool = True) -> tuple[Message, Message]:
    given = json.dumps({"file_path": path, "old_string": old, "new_string": new})
    return assistant(("e", "edit", given), text=text), result("ok", "edit", "e", not ok)


def ran(command: str) -> tuple[Message, Message]:
    return assistant(("b", "bash", json.dumps({"command": command}))), result("ok", "bash", "b")


EDIT = edited("src/cart.py", "if isStreaming:\n    go()", "if queue_is_open:\n    go()")


@pytest.mark.parametrize(
    ("said", "is_deed", "is_gone"),
    [
        ("There is a bug in `cart.py`.", False, True),
        ("The handler only checks `isStreaming`.", False, True),
        ("`isStreaming` guards the call.", False, True),
        ("Line 40 rounds the price.", False, True),
        ("All tests pass.", False, True),
        ("Added a guard to `cart.py`.", True, True),
        ("Added `isStreaming` to the session.", True, True),
        ("Added `go_home` to the session.", True, False),
        ("Added a guard to `cart.py.txt`.", True, False),
        ("The provider requires `isStreaming` to come first.", False, False),
        ("Prices come from the ledger, which rounds them twice.", False, True),
        ("Prices are rounded twice because the ledger rounds them as well.", False, False),
        ("The cart is empty because the ledger is not properly handling the last row.", False, True),
        ("The remote does not accept such names.", False, False),
        ("The query has the wrong column instead of the right one.", False, True),
        ("There is a bug in `order.py`.", False, False),
    ],
)
def test_a_statement_is_overtaken_by_a_later_edit_of_what_it_names(said: str, is_deed: bool, is_gone: bool) -> None:
    messages = talk(user(), assistant(text=said), *EDIT).messages
    assert list_overtaken([Statement(said, 1, is_deed)], trace_work(messages)) == ({0} if is_gone else set())
    before = talk(user(), *EDIT, assistant(text=said)).messages
    assert list_overtaken([Statement(said, 3, is_deed)], trace_work(before)) == set()


@pytest.mark.parametrize(
    ("said", "is_gone"),
    [
        ("However, the total is still counted twice.", True),
        ("The pattern is too strict and rejects empty carts.", True),
        ("The price list now fails to load.", True),
        ("The current total leaves out the guests.", True),
        ("The total in `order.py` is still counted twice.", False),
        ("The bank sends cents.", False),
    ],
)
def test_how_things_still_are_midway_is_overtaken_by_any_later_edit(said: str, is_gone: bool) -> None:
    messages = talk(user(), assistant(text=said), *EDIT).messages
    assert list_overtaken([Statement(said, 1, False, True)], trace_work(messages)) == ({0} if is_gone else set())
    assert list_overtaken([Statement(said, 9, False, True)], trace_work(messages)) == set()


def test_an_edit_that_failed_overtakes_nothing_and_a_file_that_was_taken_back_does() -> None:
    said = [Statement("There is a bug in `cart.py`.", 1, False)]
    failed = talk(user(), assistant(), *edited("src/cart.py", "a", "b", ok=False)).messages
    assert list_overtaken(said, trace_work(failed)) == set()
    back = talk(user(), assistant(), *ran("git checkout -- src/cart.py")).messages
    assert list_overtaken(said, trace_work(back)) == {0}


def test_the_edit_of_the_same_message_overtakes_its_diagnosis_and_not_its_deed() -> None:
    work = trace_work(talk(user(), *EDIT).messages)
    said = [Statement("`cart.py` is broken.", 1, False), Statement("Fixed `cart.py`.", 1, True)]
    assert list_overtaken(said, work) == {0}


def test_the_rest_of_an_overtaken_analysis_goes_but_what_a_provider_requires_stays() -> None:
    work = trace_work(talk(user(), assistant(), *EDIT).messages)
    said = (
        "The handler only checks `isStreaming`.",
        "There is no guard in `cart.py`.",
        "The message lands between the two.",
        "The API requires results right behind calls.",
    )
    assert list_overtaken([Statement(one, 1, False) for one in said], work) == {0, 1, 2}


def test_a_summary_without_a_model_leaves_out_what_was_mended() -> None:
    told = assistant(text="The total is wrong because `cart.py` does not round prices at all.")
    fine = assistant(text="Prices are stored in cents because the bank requires whole numbers.")
    messages = talk(user(), told, user("Fix it."), fine, *EDIT, assistant(text="Done.")).messages
    lines = "\n".join(line for lines in extract(messages, Ledger(), 400, len).values() for line in lines)
    assert "cents" in lines
    assert "does not round" not in lines


def test_lines_of_an_earlier_summary_about_code_that_was_changed_since_go() -> None:
    kept = {
        "goal": ("- `cart.py` must not round",),
        "discoveries": ("- as of an earlier summary: `cart.py` is still broken", "- The bank wants cents"),
        "accomplished": ("- as of an earlier summary: `Cart` created (`src/cart.py`) - 885 lines",),
    }
    messages = talk(user(), *EDIT).messages
    assert without_overtaken(kept, messages) == {"goal": kept["goal"], "discoveries": ("- The bank wants cents",)}
    assert without_overtaken(kept, messages[:1]) == kept


def test_what_a_problem_is_not_specific_to_takes_back_that_it_was() -> None:
    said = [
        "Without the JOIN clause, it works.",
        "Without the cache, it works.",
        "So it's not specific to JOIN clauses.",
    ]
    statements = [Statement(text, at, False) for at, text in enumerate(said)]
    assert list_overtaken(statements, LaterWork()) == {0}
    assert list_overtaken([*reversed(statements)], LaterWork()) == {2}
    assert list_overtaken([replace(one, number=0) for one in statements], LaterWork()) == set()


def test_code_that_a_new_file_defines_is_not_where_it_was() -> None:
    given = json.dumps({"file_path": "src/args.ts", "content": "export function parseArgs() {\n}\n"})
    wrote = assistant(("w", "write", given)), result("ok", "write", "w")
    work = trace_work(talk(user(), assistant(), *wrote).messages)
    said = "The level is validated in `parseArgs()` and again later."
    assert list_overtaken([Statement(said, 1, False)], work) == {0}
    assert list_overtaken([Statement(said, 3, False)], work) == set()
    assert list_overtaken([Statement("Added `parseArgs()` to the parser.", 1, True)], work) == set()


@pytest.mark.parametrize(
    ("said", "is_gone"),
    [
        ("It still counts the total on every request.", True),
        ("The shop does not currently ask the bank for a rate.", True),
        ("For now guests pay in cents.", True),
        ("The last commit landed: `1a2b3c4` Round prices.", True),
        ("The next useful step is a list of guests.", True),
        ("The bank still requires whole numbers.", False),
        ("The total in `order.py` is right at the moment.", False),
        ("Guests pay in cents.", False),
    ],
)
def test_how_things_stood_when_a_turn_ended_is_overtaken_by_the_edits_of_a_later_one(said: str, is_gone: bool) -> None:
    messages = talk(user(), assistant(text=said), user("Go on."), *EDIT).messages
    assert list_overtaken([Statement(said, 1, False)], trace_work(messages)) == ({0} if is_gone else set())
    before = talk(user(), *EDIT, assistant(text=said)).messages
    assert list_overtaken([Statement(said, 3, False)], trace_work(before)) == set()


def test_what_was_removed_and_written_again_was_not_removed_and_the_other_way_around() -> None:
    removed, added = (
        Statement("Removed the `** 2` of the rate.", 2, True),
        Statement("Added `** 2` to the rate.", 2, True),
    )
    back = edited("src/rate.py", "return rate", "return rate ** 2")
    off = edited("src/rate.py", "return rate ** 2", "return rate")
    beside = edited("src/rate.py", "a = rate ** 2", "b = rate ** 2")

    def ask(*later: Message) -> frozenset[int]:
        return list_overtaken([removed, added], trace_work(talk(user(), assistant(), assistant(), *later).messages))

    assert ask() == ask(*beside) == set()
    assert ask(*back) == {0}
    assert ask(*off) == {1}
    assert ask(*back, *off) == {1}


def test_what_was_said_of_a_file_goes_when_it_is_written_anew_or_edited_again() -> None:
    given = json.dumps({"file_path": "src/menu.py", "content": "DISHES = []\n"})
    wrote = assistant(("w", "write", given)), result("ok", "write", "w")
    said = [
        Statement("`menu.py` lists the dishes of the day by price.", 2, False),
        Statement("The difference is that we now sort by price.", 2, False, True),
        Statement("Dishes are sorted by price.", 2, False, True),
    ]
    first = edited("src/menu.py", "x = 1", "x = 2")
    assert list_overtaken(said, trace_work(talk(user(), *first, assistant(), *wrote).messages)) == {0, 1, 2}
    again = edited("src/menu.py", "x = 2", "x = 3")
    assert list_overtaken(said[:2], trace_work(talk(user(), *first, assistant(), *again).messages)) == {0, 1}
    other = edited("src/cook.py", "x = 2", "x = 3")
    assert list_overtaken(said[:1], trace_work(talk(user(), *first, assistant(), *other).messages)) == frozenset()
    other = edited("src/wine.py", "x = 1", "x = 2")
    assert list_overtaken(said, trace_work(talk(user(), *first, assistant(), *other).messages)) == set()


def test_a_problem_in_a_file_that_others_changed_since_is_overtaken() -> None:
    said = Statement("src/cart.py:12 never closes the queue.", 1, False)
    pulled = assistant(("g", "bash", json.dumps({"command": "git pull --rebase"})))
    stat = "Updating 1a2b3c4..5d6e7f8\nFast-forward\n src/{} | 14 +++++-----\n 1 file changed"
    for name, gone in (("cart.py", {0}), ("tide.py", set())):
        messages = talk(user(), pulled, result(stat.format(name), "bash", "g")).messages
        assert list_overtaken([said], trace_work((messages[0], messages[0], *messages[1:]))) == gone


def test_a_finding_of_which_a_later_answer_says_that_it_is_resolved_is_overtaken() -> None:
    found = Statement("`copyRows` returns early, so that `lastRow` is never written.", 1, False)
    beside = Statement("The tests cover one table only.", 1, False)
    resolved = Statement("Both points are addressed now: `copyRows` writes the last one.", 5, False)
    assert list_overtaken([found, resolved], LaterWork()) == {0}
    for words in ("`copyRows` is not fixed yet.", "`copyRows` should be fixed.", "`readRows` is fixed."):
        assert not list_overtaken([found, beside, Statement(words, 5, False)], LaterWork())
