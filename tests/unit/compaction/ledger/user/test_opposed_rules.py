"""Rules on pushing: the user's own word holds, and what files say against each other stands in one line."""

import json

from conversation import assistant, result, talk, user
from secateur.compaction.ledger import build_ledger, fit_ledger, read_back, render_ledger
from secateur.compaction.ledger.entries import Constraint
from secateur.compaction.ledger.user.opposed_rules import (
    COMMIT,
    PUSH,
    list_opposed,
    mark_overruled,
    parse_opposed,
    quote_opposed,
)
from secateur.model import Message
from secateur.tokens import estimate

WANT = Constraint("Work is not done until you push.", "project", source="a.md")
BAN = Constraint("NEVER push.", "project", source="b.md")


def opened(path: str, said: str) -> tuple[Message, Message]:
    return assistant(("1", "read", json.dumps({"path": path}))), result(said, "read", "1")


def show(*messages: Message) -> list[str]:
    lines = render_ledger(fit_ledger(build_ledger(talk(*messages).messages), 4_000, estimate))
    assert render_ledger(read_back(lines)) == lines
    return list(lines["constraints"])


def test_a_rule_that_the_user_contradicts_is_quoted_behind_his_words_alone() -> None:
    rules = "- ALWAYS push at the end.\n- NEVER edit main.py.\n"
    done = assistant(text="It is mended.")
    first, second = show(user("Mend it."), *opened("/p/AGENTS.md", rules), done, user("Name it. Do not push."))
    assert first.endswith("] Do not push. — replaces: “- ALWAYS push at the end.”")
    assert second.endswith("project: AGENTS.md] - NEVER edit main.py.")


def test_what_the_user_always_wants_replaces_a_ban_and_what_he_wants_once_does_not() -> None:
    always = Constraint("You must always push when you are done.", "standing", "k")
    assert mark_overruled([BAN, always])[0].replaced_by == always.text
    once = Constraint("You must push this.", "request", "k")
    assert mark_overruled([BAN, once]) == (BAN, once)
    assert mark_overruled([WANT, Constraint("Do not push to main.", "standing", "k")])[0] == WANT  # not every push


def test_a_demand_that_was_taken_back_overrules_nothing() -> None:
    lifted = Constraint("Do not push.", "standing", "k", replaced_by="You can push again.")
    assert mark_overruled([WANT, lifted]) == (WANT, lifted)


def test_rules_that_oppose_each_other_are_read_back_from_their_line() -> None:
    other = Constraint("You must push to be done.", "project", source="c.md")
    assert list_opposed([WANT, BAN, other], PUSH) == [BAN, WANT, other]
    assert parse_opposed(quote_opposed([WANT, BAN, other], PUSH)) == [BAN, WANT, other]
    assert quote_opposed([WANT, other], PUSH) == quote_opposed([BAN], PUSH) == ""


def test_what_the_user_wanted_before_gives_way_to_his_ban_in_a_later_message() -> None:
    want = Constraint("Commit and push after each step.", key="k1")
    ban = Constraint("don't push, I do it", key="k2")
    assert mark_overruled([want, ban]) == (Constraint(want.text, key="k1", replaced_by=ban.text), ban)
    assert mark_overruled([ban, want]) == (ban, want)
    beside = Constraint("don't push", key="k1")
    assert mark_overruled([want, beside]) == (want, beside)  # of one message nothing takes the other back


def test_rules_on_commits_oppose_each_other_and_give_way_to_the_user() -> None:
    ban = Constraint("- NEVER commit unless the user asks", "project", source="a.md")
    want = Constraint("- Commit after each step.", "project", source="b.md")
    assert list_opposed([want, ban], COMMIT) == [ban, want]
    own = Constraint("do small commits", key="k1")
    assert mark_overruled([ban, own])[0].replaced_by == own.text
    for text in ("- NEVER commit secrets.", "- Do not commit to main.", "- Checks must pass before each commit."):
        assert list_opposed([want, Constraint(text, "project", source="a.md")], COMMIT) == []
        assert list_opposed([ban, Constraint(text, "project", source="c.md")], COMMIT) == []


def test_what_one_wants_replaces_a_ban_only_if_it_is_not_for_once() -> None:
    ban = Constraint("- NEVER commit unless the user asks", "project", source="a.md")
    once = Constraint("you must commit this file", key="k1")
    assert mark_overruled([ban, once]) == (ban, once)
