"""What the user asked for by name and no call did, and verdicts that scripts put into words."""

import json

import pytest

from conversation import assistant, result, talk, user
from secateur.compaction.ledger import Ledger, build_ledger, merge, read_back, render_ledger
from secateur.compaction.ledger.runs.verdicts import read_verdict
from secateur.model import Message

DONE = assistant(text="The parser is fixed, and everything is in place.")


def ran(command: str, said: str = "", error: bool = False) -> tuple[Message, Message]:
    return assistant(("1", "bash", json.dumps({"command": command}))), result(said, "bash", "1", error)


def read(*messages: Message) -> Ledger:
    return build_ledger(talk(*messages).messages)


@pytest.mark.parametrize(
    ("said", "kinds"),
    [
        ("Fix the parser, then commit and push.", ["commit", "push"]),
        ("Please open a pull request for it.", ["pull request"]),
        ("Fix it and create a follow-up ticket.", ["ticket"]),
        ("ok, commit this", ["commit"]),
        ("can you push the branch?", ["push"]),
        ("Tag the release now.", ["tag"]),
        ("Do not commit yet.", []),
        ("Fix it before you commit.", []),
        ("Did you push it?", []),
        ("Write good commit messages.", []),
        ("- Commit: 14ccad3 Tell where the carts are", []),
        ("Most tools assume you'll clone it, fetch everything, then push it back up somewhere else.", []),
        ("commit whenever a step is done", []),
        ("What does a push cost?", []),
        ("Show the issue that we opened.", []),
    ],
)
def test_what_was_asked_for_by_name_and_not_done_is_open(said: str, kinds: list[str]) -> None:
    ledger = read(user(said), *ran("make x"), DONE)
    assert [one.kind for one in ledger.undelivered] == kinds
    lines = render_ledger(ledger)["next"]
    wanted = ", ".join(f"a {kind} that the user asked for" for kind in kinds)
    assert lines[0].endswith(f"; open: {wanted}" if kinds else "; no call edited a file")
    assert [line for line in lines if "asked for, and not" in line] == [
        f"- asked for, and not done yet: {kind} — {said}" for kind in kinds
    ]
    assert render_ledger(read_back(render_ledger(ledger))) == render_ledger(ledger)


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("Commit it.", "git -C /repo commit -am 'Fix the parser'"),
        ("Now push.", "git push -u origin main"),
        ("Open a PR.", "gh pr create --fill"),
        ("File an issue.", "gh issue create -t x"),
        ("Tag it.", "git tag v1"),
    ],
)
def test_what_a_call_did_is_not_open(said: str, command: str) -> None:
    assert read(user(said), *ran(command, "ok"), DONE).undelivered == ()
    assert read(*ran(command, "ok"), user(said), DONE).undelivered != ()


STOPPED = user("[Request interrupted by user]", "harness")


@pytest.mark.parametrize(
    ("messages", "kinds"),
    [
        ((user("commit this"), STOPPED, user("Why does the basket take so long to sum up?")), []),
        ((user("commit this"), STOPPED, user("Sum it up, then push.")), ["push"]),
        ((user("commit this"), STOPPED, user("continue")), ["commit"]),
        ((user("commit this"), user("Why does the basket take so long to sum up?")), ["commit"]),
        ((user("Fix it and commit this"), *ran("make x"), STOPPED, user("Mend the lamp as well.")), ["commit"]),
        ((user("push"), DONE, user("commit this"), STOPPED, user("Mend the lamp as well.")), ["push"]),
    ],
)
def test_what_was_interrupted_at_once_for_something_else_is_not_asked_for(
    messages: tuple[Message, ...], kinds: list[str]
) -> None:
    assert [one.kind for one in read(*messages, DONE).undelivered] == kinds


def test_a_tool_of_a_server_delivers_as_well() -> None:
    call = (
        assistant(("1", "mcp__github__create_pull_request", "{}")),
        result("#5", "mcp__github__create_pull_request"),
    )
    assert read(user("Open a pull request."), *call, DONE).undelivered == ()


def test_what_a_later_span_delivers_is_not_open_after_merging() -> None:
    asked, done = read(user("Fix it and push."), *ran("make x"), DONE), read(*ran("git push"), DONE)
    assert [one.kind for one in merge(asked, read(user("And the docs."), DONE)).undelivered] == ["push"]
    assert merge(asked, done).undelivered == ()


@pytest.mark.parametrize(
    ("output", "ok"),
    [
        ("5 rows\nBUG CONFIRMED: the sum is wrong", False),
        ("FAILED: Still broken: 9 blanks", False),
        ("it still fails\n", False),
        ("The test failed.", False),
        ("❌ wrong order", False),
        ("Running the checks\nall good", True),
        ("All 3 cases passed!", True),
        ("✅ The fix works", True),
        ("Success", True),
        ("The bug is fixed.", True),
    ],
)
def test_a_verdict_in_words(output: str, ok: bool) -> None:
    assert read_verdict(output, None, is_hidden=True).ok is ok
    assert read_verdict(output, 0).ok is ok


@pytest.mark.parametrize(
    "output",
    [
        "rows: 5",
        "the good, the bad",
        "Testing what fails when it is empty",
        "passed 3 arguments to f",
        "works on line 3",
    ],
)
def test_words_that_are_no_verdict(output: str) -> None:
    assert read_verdict(output, None, is_hidden=True).ok is None


def test_a_total_and_a_status_count_before_words() -> None:
    assert read_verdict("all good\n1 failed, 2 passed in 0.1s", 1).ok is False
    assert read_verdict("all good", 1).ok is False
    assert read_verdict("not fixed yet\n3 passed in 0.1s", 0).ok is True


def edited(path: str) -> tuple[Message, Message]:
    given = {"file_path": path, "old_string": "a", "new_string": "b"}
    return assistant(("e", "Edit", json.dumps(given))), result("ok", "Edit", "e")


def test_a_failing_check_says_that_files_were_changed_since() -> None:
    failed = ran("pytest", "FAILED tests/a.py::test_b\n1 failed in 1s", True)
    lines = render_ledger(read(user("Fix it."), *failed, *edited("src/a.py")))
    assert "- test, failed (edited since): pytest — said: 1 failed in 1s" in lines["next"]
    assert lines["discoveries"] == ("- error, open (edited since): FAILED tests/a.py::test_b — during: pytest",)
    assert render_ledger(read_back(lines)) == lines
    still = render_ledger(read(user("Fix it."), *edited("src/a.py"), *failed))
    assert "- test, failed: pytest — said: 1 failed in 1s" in still["next"]


def test_a_scratch_file_is_no_change_of_what_a_check_looks_at() -> None:
    failed = ran("pytest", "1 failed in 1s", True)
    ledger = read(user("Fix it."), *failed, *ran("echo x > /tmp/notes.txt"))
    assert [one.edited_since for one in ledger.commands if one.check] == [False]


def test_a_change_in_a_later_span_counts() -> None:
    both = merge(read(user("Fix it."), *ran("pytest", "1 failed in 1s", True)), read(*edited("src/a.py")))
    assert [one.edited_since for one in both.commands] == [True]


def test_last_words_that_say_nothing_leave_those_before_them() -> None:
    lines = render_ledger(read(user("Fix it."), *edited("src/a.py"), DONE, user("thanks"), assistant(text="👍")))
    assert lines["next"][2] == "- before that the agent said: The parser is fixed, and everything is in place."


def test_the_report_of_the_newest_work_stands_behind_a_later_answer() -> None:
    answer = assistant(text="It is in src/a.py, in the second function.")
    begun = ran("git status", "On branch main")
    lines = render_ledger(read(user("Fix it."), *begun, *edited("src/a.py"), DONE, user("where is it?"), answer))
    assert lines["next"] == (
        "- where it stands: the agent ended its turn; the user is next; open: unverified changes",
        "- not verified: no test, build or linter is known to have passed since src/a.py was changed",
        "- the agent said last: It is in src/a.py, in the second function.",
        "- before that the agent said: The parser is fixed, and everything is in place.",
        "- not committed: src/a.py",
    )
    assert render_ledger(read_back(lines)) == lines


def test_an_answer_that_is_all_code_is_quoted_without_its_fence() -> None:
    ledger = read(user("Give me the text."), assistant(text="```\nAdd a flag for dates\n\nIt is off.\n```"))
    assert ledger.last_words is not None
    assert ledger.last_words.text == "Add a flag for dates\n\nIt is off."


@pytest.mark.parametrize(
    ("command", "said", "left"),
    [
        ("git pull && git commit -am x && git push", "fatal: no such host", ["commit", "push"]),
        ("git commit -am x && git push", "[main 1234abc] x\nfatal: no such host", ["push"]),
        ("git commit -qam x && git push", "fatal: no such host", ["push"]),
        ("git commit -am x && git push && npm publish", f"[main 1234abc] x\n   {'1' * 7}..{'2' * 7}  a -> a\nno", []),
    ],
)
def test_of_a_chain_that_failed_what_its_output_shows_is_delivered(command: str, said: str, left: list[str]) -> None:
    made = read(user("Fix the parser, then commit and push."), *ran(command, said, True), DONE)
    assert [one.kind for one in made.undelivered] == left
