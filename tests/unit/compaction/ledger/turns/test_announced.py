"""Items of a result that the agent says it will carry out."""

import json

import pytest

from conversation import assistant, result, talk, user
from secateur.compaction.ledger import Ledger, build_ledger, merge, read_back, render_ledger
from secateur.model import Message

Round = tuple[Message, Message]
LINT = (
    "sail/mast.go:7:1: Error return value is not checked (errcheck)\n"
    "sail/boom.go:9:3: missing cases in switch (exhaustive)\n2 issues."
)
ERRORS = LINT.removesuffix("\n2 issues.").replace("\n", " · ")
REVIEW = (
    "# Review\n\n## Strengths\n\n- It is short.\n\n## Issues\n\n1. **The mast** bends in the wind. It is of pine.\n"
    "   - it was cut too soon\n2. The boom has no stop.\n3. The keel is loose.\n"
)
COMMENTS = (
    "[bot] sail/mast.go:12\nThe name says less than the code does. It should change.\n---\n"
    "[bot] sail/boom.go:40\nThis branch can never be reached by a caller.\n---\n"
)
BODIES = json.dumps(
    [{"path": "a.go", "body": "The mast bends\nin the wind."}, {"path": "b.go", "body": "The boom is loose."}]
)
TOLD = "- what these words are about, in the result before them: "


def ran(command: str, said: str) -> Round:
    return assistant(("1", "bash", json.dumps({"command": command}))), result(said, "bash", "1")


def asked(said: str) -> Round:
    return assistant(("2", "Task", json.dumps({"prompt": "Review the sail."}))), result(said, "Task", "2")


def says(text: str) -> Round:
    return assistant(("3", "Read", json.dumps({"file_path": "sail/mast.go"})), text=text), result("x", "Read", "3")


def list_told(*rounds: Round) -> list[str]:
    ledger = build_ledger(talk(user("Mend the sail."), *(one for pair in rounds for one in pair)).messages)
    lines = render_ledger(ledger)
    assert render_ledger(read_back(lines)) == lines
    return [line.removeprefix(TOLD) for line in lines["next"] if line.startswith(TOLD)]


MAST, BOOM, KEEL = "The mast bends in the wind.", "The boom has no stop.", "The keel is loose."


@pytest.mark.parametrize(
    ("before", "words", "told"),
    [
        ([asked(REVIEW)], "Good review. Let me fix all three findings.", [f"{MAST} · {BOOM} · {KEEL}"]),
        ([asked(REVIEW)], "Let me apply all three.", [f"{MAST} · {BOOM} · {KEEL}"]),
        ([asked(REVIEW)], "I'll address all of the findings now.", [f"{MAST} · {BOOM} · {KEEL}"]),
        ([asked(REVIEW)], "Let me fix these 4 findings.", []),
        ([asked(REVIEW)], "Let me fix both.", []),
        ([asked(REVIEW)], "The review found all three issues.", []),
        ([asked(REVIEW)], "Let me fix the mast first.", []),
        ([asked(REVIEW)], "I'll fix these issues:\n- the mast\n- the boom", []),
        ([asked("It is fine.")], "Let me fix all findings.", []),
        (
            [ran("lint", LINT)],
            "Let me fix both issues.",
            [ERRORS],
        ),
        (
            [ran("gh api repos/a/b/pulls/7/comments", COMMENTS)],
            "Two comments. Let me apply both.",
            [
                "sail/mast.go:12: The name says less than the code does."
                " · sail/boom.go:40: This branch can never be reached by a caller."
            ],
        ),
        (
            [ran("gh api repos/a/b/pulls/7/comments", BODIES)],
            "Let me apply both fixes.",
            ["The mast bends in the wind. · The boom is loose."],
        ),
        ([asked(REVIEW), ran("ls", "mast.go")], "Let me fix all three.", [f"{MAST} · {BOOM} · {KEEL}"]),
        (
            [ran("cat a.md", "x"), asked(REVIEW), ran("lint", LINT)],
            "Let me fix these errors.",
            [ERRORS],
        ),
    ],
)
def test_items_that_the_words_do_not_name_are_quoted_from_the_result(
    before: list[Round], words: str, told: list[str]
) -> None:
    assert list_told(*before, says(words)) == told


def test_many_items_are_quoted_in_part() -> None:
    many = "".join(f"sail/part{n}.go:{n}:1: Error return value is not checked (errcheck)\n" for n in range(1, 21))
    [line] = list_told(ran("lint", many), says("Let me fix these errors."))
    assert line.endswith("sail/part8.go:8:1: Error return value is not checked (errcheck) · 12 more")
    long = REVIEW.replace("has no stop", f"has {'no stop and ' * 30}no end")
    [line] = list_told(asked(long), says("Let me fix these issues."))
    assert " and … · The keel is loose." in line or " no … · The keel" in line or " stop … · The keel" in line


def test_words_that_the_user_answered_announce_nothing() -> None:
    said = [*asked(REVIEW), assistant(text="Let me fix all three."), user("Wait for the wind.")]
    assert not any(one.kind == "announced" for one in build_ledger(talk(user("Mend it."), *said).messages).standing)
    first = build_ledger(talk(user("Mend it."), *asked(REVIEW), *says("Let me fix all three.")).messages)
    assert any(one.kind == "announced" for one in merge(first, Ledger()).standing)
