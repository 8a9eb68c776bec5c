"""Demands and orders that the user takes back in passing, in ten languages, and what only looks like it."""

import pytest

from conversation import assistant, result, talk, user
from secateur.compaction.ledger import Ledger, build_ledger, merge, read_back, render_ledger


def read(*texts: str) -> Ledger:
    """Each text of the user with a reply, the last one without."""
    messages = [one for text in texts for one in (user(text), assistant(text="Ok."))]
    return build_ledger(talk(*messages[:-1]).messages)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Use spaces for indentation.", "actually use tabs"),
        ("Use npm for all installs.", "no, use pnpm instead"),
        ("Indent with 2 spaces.", "scratch that, tabs please"),
        ("Always run the linter before you commit.", "never mind the linter"),
        ("Always run the linter before you commit.", "never mind"),
        ("Never add comments.", "Actually, do add comments."),
        ("Answer in German.", "English please"),
        ("Don't commit anything.", "ok commit it now"),
        ("Benutze Leerzeichen zum Einrücken.", "doch lieber Tabs"),
        ("缩进使用空格。", "还是用制表符吧"),
        ("Lance toujours les tests avant un commit.", "laisse tomber les tests"),
        ("Usa siempre npm.", "mejor usa pnpm"),
        ("Всегда запускай линтер.", "линтер больше не нужен"),
        ("항상 린터를 실행하세요.", "린터는 됐어"),
        ("Use sempre npm.", "na verdade use pnpm"),
        ("インデントはスペースを使って。", "やっぱりタブにして"),
        ("Luôn dùng npm.", "thôi dùng pnpm đi"),
    ],
)
def test_a_demand_is_taken_back_in_passing(before: str, after: str) -> None:
    ledger = read(before, after)
    assert [one.replaced_by for one in ledger.constraints if one.text == before] == [after]
    lines = render_ledger(ledger)
    assert render_ledger(read_back(lines)) == lines
    both = merge(read(before), read(after))
    told = [one.replaced_by for one in both.constraints if one.text == before]
    assert told == [after]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Use tabs.", "Use spaces in the Markdown tables."),
        ("Never push to main.", "push it"),  # for once
        ("Don't push to main.", "ok push it now"),  # to elsewhere
        ("Don't push.", "You can push the docs branch."),
        ("Never drop the table of the harbor.", "drop the table of the harbor test"),
        ("Always run the linter before you commit.", "should we never mind the linter?"),
        ("Always run the linter before you commit.", "Never mind the color of the boat."),
        ("Use npm for all installs.", "If it is slow, use pnpm instead."),
        ("Don't commit anything.", "the commit it was in is gone"),
    ],
)
def test_what_is_for_once_in_part_or_of_something_else_takes_nothing_back(before: str, after: str) -> None:
    assert [one.replaced_by for one in read(before, after).constraints if one.text == before] == [""]


def test_words_that_only_drop_something_are_no_demand_and_reach_no_further_than_the_message_before() -> None:
    first, second = "Always run the linter before you commit.", "Rename the boat to ferry."
    ledger = read(first, second, "skip that")
    assert [(one.text, one.replaced_by) for one in ledger.constraints] == [(first, "")]


@pytest.mark.parametrize(
    "word",
    ["never mind", "wait, leave it", "skip that", "egal", "算了", "laisse tomber", "забудь", "됐어요", "thôi bỏ đi"],
)
def test_after_words_that_only_drop_something_nothing_is_waited_for(word: str) -> None:
    renamed = assistant(("1", "bash", '{"command": "mv boat.txt ferry.txt"}')), result("", "bash", "1")
    messages = (user("Rename the boat and push it."), *renamed, user(word))
    ledger = build_ledger(talk(*messages).messages)
    assert [one.state for one in ledger.requests] == ["superseded", "open"]
    assert not ledger.undelivered
    told = render_ledger(ledger)["next"]
    assert told[0].startswith("- where it stands: the user spoke last, and took back what was asked before")
    assert not any("waits for" in line for line in told)


@pytest.mark.parametrize("word", ["don't push yet", "hold off on the push", "ok, but do not push it"])
def test_an_act_that_is_put_off_is_not_asked_for_any_more(word: str) -> None:
    assert [one.kind for one in read("Commit and push it.", word).undelivered if one.kind == "push"] == []
    assert [one.kind for one in read("Commit and push it.", "thanks").undelivered] == ["commit", "push"]
